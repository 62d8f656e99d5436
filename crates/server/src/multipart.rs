//! Bodies of `multipart/form-data`, which is how clients upload files: the whole body in, its fields out.
//!
//! The body is in memory already and bounded (`body.rs`), so fields are slices of it. Written here because it is small: a
//! crate for it would bring others that serve bodies of any length.
use crate::error::Problem;
use bytes::Bytes;

/// Most fields of a form.
const MOST_FIELDS: usize = 64;
/// Most bytes of the headers of a field.
const MOST_HEAD: usize = 8 << 10;
/// Longest boundary, as the standard has it.
const MOST_BOUNDARY: usize = 70;

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// What the sender calls the file, without folders.
    pub(crate) filename: Option<String>,
    pub(crate) bytes: Bytes,
}

/// The fields of a form, by name.
#[derive(Clone, Debug)]
pub(crate) struct Form(Vec<Field>);

impl Form {
    /// Reads a body; `kind` is its content type.
    pub(crate) fn parse(kind: Option<&str>, body: &Bytes) -> Result<Self, Problem> {
        let broken = || Problem::invalid("the body is not the form that its boundary promises");
        let boundary = kind.and_then(boundary).ok_or_else(|| {
            Problem::invalid("this call takes a form: content-type multipart/form-data")
        })?;
        let mark = format!("\r\n--{boundary}");
        // The first boundary has no line before it, unless something stands there that counts for nothing.
        let mut at = match body.starts_with(&mark.as_bytes()[2..]) {
            true => mark.len() - 2,
            false => find(body, mark.as_bytes(), 0).ok_or_else(broken)? + mark.len(),
        };
        let mut fields = Vec::new();
        loop {
            let rest = body.get(at..).unwrap_or_default();
            if rest.starts_with(b"--") {
                return Ok(Self(fields));
            }
            if fields.len() == MOST_FIELDS {
                let what = format!("a form has at most {MOST_FIELDS} fields");
                return Err(Problem::invalid(what));
            }
            if !rest.starts_with(b"\r\n") {
                return Err(broken());
            }
            // A head may be empty; its end begins with the line that ends the boundary.
            let head_end = find(body, b"\r\n\r\n", at).ok_or_else(broken)?;
            if head_end - at > MOST_HEAD {
                return Err(broken());
            }
            let begin = head_end + 4;
            let end = find(body, mark.as_bytes(), head_end + 2).ok_or_else(broken)?;
            let (name, filename) = disposition(&body[at..head_end]).ok_or_else(broken)?;
            fields.push(Field {
                name,
                filename,
                bytes: body.slice(begin.min(end)..end),
            });
            at = end + mark.len();
        }
    }

    /// Takes a field out; a second one of the same name is refused, because nobody could say which is meant.
    pub(crate) fn take(&mut self, name: &str) -> Result<Option<Field>, Problem> {
        let Some(at) = self.0.iter().position(|field| field.name == name) else {
            return Ok(None);
        };
        let field = self.0.remove(at);
        match self.0.iter().any(|other| other.name == name) {
            true => Err(Problem::invalid(format!("{name} is there twice")).at(name)),
            false => Ok(Some(field)),
        }
    }

    /// Takes a field of text out.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let Some(field) = self.take(name)? else {
            return Ok(None);
        };
        let text = String::from_utf8(field.bytes.to_vec());
        let text = text.map_err(|_| Problem::invalid(format!("{name} is not UTF-8")).at(name))?;
        Ok(Some(text))
    }

    /// The names of what was not taken.
    pub(crate) fn rest(&self) -> Vec<String> {
        let names = self.0.iter().map(|field| field.name.chars().take(40));
        names.map(Iterator::collect).collect()
    }
}

/// The boundary of a content type.
fn boundary(kind: &str) -> Option<String> {
    let (kind, parameters) = kind.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let value = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("boundary")
            .then_some(value)
    })?;
    let value = value.trim().trim_matches('"');
    let is_long = value.is_empty() || value.len() > MOST_BOUNDARY;
    (!is_long && value.bytes().all(|byte| (b' '..=b'~').contains(&byte))).then(|| value.to_owned())
}

/// Where these bytes are, from here on.
fn find(bytes: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let (first, rest) = (wanted.first()?, bytes.get(from..)?);
    let mut at = 0;
    loop {
        at += rest.get(at..)?.iter().position(|byte| byte == first)?;
        if rest[at..].starts_with(wanted) {
            return Some(from + at);
        }
        at += 1;
    }
}

/// The `name` and `filename` of a field.
fn disposition(head: &[u8]) -> Option<(String, Option<String>)> {
    let head = std::str::from_utf8(head).ok()?;
    let line = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_it = name.trim().eq_ignore_ascii_case("content-disposition");
        is_it.then_some(value)
    })?;
    let name = parameter(line, "name")?;
    let file = parameter(line, "filename");
    let file = file.map(|path| {
        path.rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    Some((name, file))
}

/// A parameter of a header, between quotes or without them.
fn parameter(line: &str, wanted: &str) -> Option<String> {
    let mut rest = line;
    loop {
        let (_, after) = rest.split_once(';')?;
        let (name, value) = after.split_once('=')?;
        let value = value.trim_start();
        let (text, behind) = match value.strip_prefix('"') {
            Some(inner) => quoted(inner)?,
            None => {
                let end = value.find(';').unwrap_or(value.len());
                (value[..end].trim().to_owned(), &value[end..])
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(text);
        }
        rest = behind;
    }
}

/// A text up to its closing quote, and what stands behind that. Browsers write `%22` for a quote, others `\"`.
fn quoted(inner: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut letters = inner.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text.replace("%22", "\""), &inner[at + 1..])),
            '\\' => text.push(letters.next()?.1),
            letter => text.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: &str = "multipart/form-data; charset=utf-8; boundary=\"--x y\"";

    fn parse(body: &str) -> Result<Form, Problem> {
        Form::parse(Some(KIND), &Bytes::from(body.to_owned()))
    }

    #[test]
    fn fields_and_files_come_out_as_they_went_in() {
        let body = "preamble\r\n----x y\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\ntiny\r\n\
             ----x y\r\ncontent-type: audio/wav\r\ncontent-disposition: form-data; filename=\"C:\\\\a; \\\"b\\\".wav\"; name=file\r\n\r\n\
             \r\n--\r\n----x\r\n\r\n----x y\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n----x y--\r\nepilogue";
        let mut form = parse(body).expect("a form");
        assert_eq!(form.text("model").unwrap().as_deref(), Some("tiny"));
        let file = form.take("file").unwrap().expect("a file");
        assert_eq!(file.filename.as_deref(), Some("a; \"b\".wav"));
        assert_eq!(&*file.bytes, b"\r\n--\r\n----x\r\n");
        assert_eq!(form.rest(), ["empty"]);
        assert_eq!(form.text("empty").unwrap().as_deref(), Some(""));
    }

    #[test]
    fn what_is_no_form_is_refused() {
        let field = "----x y\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n";
        for body in [
            String::new(),
            "{}".to_owned(),
            "----x y".to_owned(),
            "----x y\r\n".to_owned(),
            "----x y\r\n\r\n\r\n----x y--".to_owned(),
            field.to_owned(),
            "----x yContent-Disposition: form-data; name=a\r\n\r\n1\r\n----x y--".to_owned(),
            format!("{}----x y--", field.repeat(MOST_FIELDS + 1)),
            format!(
                "----x y\r\nx: {}\r\n\r\n\r\n----x y--",
                "a".repeat(MOST_HEAD)
            ),
        ] {
            assert!(parse(&body).is_err(), "{body}");
        }
        let body = Bytes::from(format!("{field}----x y--"));
        for kind in [
            None,
            Some("application/json"),
            Some("multipart/form-data"),
            Some("multipart/form-data; boundary="),
            Some("multipart/form-data; boundary=other"),
        ] {
            assert!(Form::parse(kind, &body).is_err(), "{kind:?}");
        }
        let mut twice = parse(&format!("{field}{field}----x y--")).expect("a form");
        assert!(twice.take("a").is_err());
    }
}
