//! E-mail (RFC 5322 and MIME): the fields that people read, the text, and a list of what is attached.
//!
//! Of alternatives the plain text is taken, else HTML becomes text. Attachments are named, not opened.
use super::{Draft, charset, html};

/// Parts inside parts.
const MOST_DEPTH: usize = 8;
/// Parts of one mail.
const MOST_PARTS: usize = 500;
const FIELDS: [&str; 6] = ["from", "to", "cc", "date", "subject", "reply-to"];

pub(super) fn read(file: &[u8], draft: &mut Draft) {
    let mut mail = Mail::default();
    mail.message(file, 0);
    let mut text = mail.text;
    if !mail.attached.is_empty() {
        text.push_str("\n\nAttached, not read:\n");
        for line in &mail.attached {
            text.push_str(&format!("- {line}\n"));
        }
    }
    for warning in mail.warnings {
        draft.warn(warning);
    }
    draft.page(&text);
}

#[derive(Default)]
struct Mail {
    text: String,
    attached: Vec<String>,
    warnings: Vec<&'static str>,
    parts: usize,
}

impl Mail {
    /// A whole message, with its fields as the first lines.
    fn message(&mut self, bytes: &[u8], depth: usize) {
        let (headers, body) = Headers::split(bytes);
        for name in FIELDS {
            if let Some(value) = headers.value(name) {
                let (first, rest) = name.split_at(1);
                let value = decode_words(&value);
                self.text
                    .push_str(&format!("{}{rest}: {value}\n", first.to_uppercase()));
            }
        }
        self.text.push('\n');
        self.part(&headers, body, depth);
    }

    fn part(&mut self, headers: &Headers, body: &[u8], depth: usize) {
        self.parts += 1;
        if depth > MOST_DEPTH || self.parts > MOST_PARTS {
            let line = "the mail has more parts than are read";
            if !self.warnings.contains(&line) {
                self.warnings.push(line);
            }
            return;
        }
        let kind = headers.value("content-type").unwrap_or_default();
        let media = kind
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let disposition = headers.value("content-disposition").unwrap_or_default();
        let name = parameter(&disposition, "filename").or_else(|| parameter(&kind, "name"));
        let attached = disposition
            .trim_start()
            .to_ascii_lowercase()
            .starts_with("attachment");
        match media.as_str() {
            _ if attached => self.attach(headers, body, name, &media),
            "message/rfc822" => self.message(body, depth + 1),
            _ if media.starts_with("multipart/") => {
                let boundary = parameter(&kind, "boundary").unwrap_or_default();
                self.multipart(&media, &boundary, body, depth);
            }
            "" | "text/plain" => self.show(&decode_body(headers, body), &kind, false),
            "text/html" => self.show(&decode_body(headers, body), &kind, true),
            _ => self.attach(headers, body, name, &media),
        }
    }

    fn show(&mut self, body: &[u8], kind: &str, is_html: bool) {
        let declared = parameter(kind, "charset");
        let text = charset::decode(body, declared.as_deref());
        if is_html {
            self.text.push_str(&html::text(&text));
        } else {
            self.text.push_str(&text);
        }
        self.text.push_str("\n\n");
    }

    fn attach(&mut self, headers: &Headers, body: &[u8], name: Option<String>, media: &str) {
        let name = name.map_or_else(|| "unnamed".into(), |name| decode_words(&name));
        let bytes = decode_body(headers, body).len();
        let media = if media.is_empty() {
            "text/plain"
        } else {
            media
        };
        self.attached
            .push(format!("{name} ({media}, {bytes} bytes)"));
    }

    fn multipart(&mut self, media: &str, boundary: &str, body: &[u8], depth: usize) {
        let parts = split_parts(body, boundary);
        let parsed = parts.iter().map(|part| Headers::split(part));
        if media != "multipart/alternative" {
            for (headers, body) in parsed {
                self.part(&headers, body, depth + 1);
            }
            return;
        }
        let kind = |headers: &Headers| {
            headers
                .value("content-type")
                .unwrap_or_default()
                .to_ascii_lowercase()
        };
        let all: Vec<(Headers, &[u8])> = parsed.collect();
        let plain = all.iter().find(|(headers, body)| {
            let is_plain = kind(headers).is_empty() || kind(headers).starts_with("text/plain");
            is_plain && !body.trim_ascii().is_empty()
        });
        // Alternatives go from plain to rich.
        if let Some((headers, body)) = plain.or(all.last()) {
            self.part(headers, body, depth + 1);
        }
    }
}

/// The fields of a message or a part, names in lowercase, lines unfolded.
struct Headers(Vec<(String, String)>);

impl Headers {
    /// The fields, and the body after the first empty line.
    fn split(bytes: &[u8]) -> (Self, &[u8]) {
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (line, after) = next_line(rest);
            if line.is_empty() {
                rest = after;
                break;
            }
            let text = charset::decode(line, None);
            if text.starts_with([' ', '\t']) {
                if let Some((_, value)) = fields.last_mut() {
                    value.push(' ');
                    value.push_str(text.trim());
                }
            } else if let Some((name, value)) = text.split_once(':') {
                fields.push((name.trim().to_ascii_lowercase(), value.trim().into()));
            } else if !text.starts_with("From ") {
                // No field: the body begins without an empty line.
                break;
            }
            rest = after;
        }
        (Self(fields), rest)
    }

    fn value(&self, name: &str) -> Option<String> {
        let field = self.0.iter().find(|(field, _)| field == name);
        field.map(|(_, value)| value.clone())
    }
}

/// A line without its end, and what comes after it.
fn next_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n');
    let (line, rest) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + 1..]));
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// What stands between lines that begin with `--boundary`. A mail that is cut off has its last part to the end.
fn split_parts<'a>(body: &'a [u8], boundary: &str) -> Vec<&'a [u8]> {
    let mark = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut begin = None;
    let mut rest = body;
    while !rest.is_empty() && parts.len() < MOST_PARTS {
        let at = body.len() - rest.len();
        let (line, after) = next_line(rest);
        if !boundary.is_empty() && line.starts_with(mark.as_bytes()) {
            if let Some(begin) = begin {
                parts.push(&body[begin..at]);
            }
            let last = line[mark.len()..].starts_with(b"--");
            begin = (!last).then_some(body.len() - after.len());
        }
        rest = after;
    }
    if let Some(begin) = begin {
        parts.push(&body[begin..]);
    }
    parts
}

fn decode_body(headers: &Headers, body: &[u8]) -> Vec<u8> {
    let encoding = headers
        .value("content-transfer-encoding")
        .unwrap_or_default();
    match encoding.trim().to_ascii_lowercase().as_str() {
        "base64" => base64(body),
        "quoted-printable" => quoted_printable(body),
        _ => body.to_vec(),
    }
}

/// A parameter of a field: `name="value"`, or `name*=charset''value` with `%` in it, whole or in numbered pieces.
fn parameter(field: &str, name: &str) -> Option<String> {
    let mut pieces = String::new();
    for part in split_outside_quotes(field).skip(1) {
        let Some((key, value)) = part.split_once('=') else {
            continue;
        };
        let key = key.trim().to_ascii_lowercase();
        let value = value.trim().trim_matches('"');
        let Some(rest) = key.strip_prefix(name) else {
            continue;
        };
        if rest.is_empty() {
            return Some(value.into());
        }
        if rest.starts_with('*') {
            pieces.push_str(&if rest.ends_with('*') {
                percent(value)
            } else {
                value.into()
            });
        }
    }
    (!pieces.is_empty()).then_some(pieces)
}

fn split_outside_quotes(field: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    field.split(move |c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    })
}

/// `UTF-8''na%C3%AFve.txt`
fn percent(value: &str) -> String {
    let mut parts = value.splitn(3, '\'');
    let (charset, text) = match (parts.next(), parts.next(), parts.next()) {
        (Some(charset), Some(_), Some(text)) => (Some(charset), text),
        _ => (None, value),
    };
    charset::decode(&escaped(text.as_bytes(), b'%'), charset)
}

/// Replaces the mark and two hexadecimal digits by their byte.
fn escaped(bytes: &[u8], mark: u8) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == mark
            && let [high, low, after @ ..] = after
            && let (Some(high), Some(low)) = (digit(*high), digit(*low))
        {
            out.push(high << 4 | low);
            rest = after;
        } else {
            out.push(*first);
        }
    }
    out
}

fn quoted_printable(body: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        let (line, after) = next_line(rest);
        let line = line.trim_ascii_end();
        match line.strip_suffix(b"=") {
            // The line goes on.
            Some(line) => joined.extend(line),
            None => {
                joined.extend(line);
                joined.push(b'\n');
            }
        }
        rest = after;
    }
    escaped(&joined, b'=')
}

fn base64(body: &[u8]) -> Vec<u8> {
    let value = |byte: &u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let mut out = Vec::with_capacity(body.len() / 4 * 3);
    let (mut bits, mut n) = (0_u32, 0);
    for value in body
        .iter()
        .take_while(|byte| **byte != b'=')
        .filter_map(value)
    {
        bits = bits << 6 | u32::from(value);
        n += 6;
        if n >= 8 {
            n -= 8;
            out.push((bits >> n) as u8);
        }
    }
    out
}

/// `=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=` in a field, as RFC 2047 has it.
fn decode_words(field: &str) -> String {
    let mut out = String::new();
    let mut rest = field;
    let mut after_word = false;
    while let Some(at) = rest.find("=?") {
        let (before, word) = rest.split_at(at);
        let Some((text, length)) = word_at(word) else {
            out.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
            after_word = false;
            continue;
        };
        // Space between two words belongs to neither.
        if !(after_word && before.trim().is_empty()) {
            out.push_str(before);
        }
        out.push_str(&text);
        after_word = true;
        rest = &word[length..];
    }
    out.push_str(rest);
    out
}

/// The encoded word at the beginning, and its length.
fn word_at(text: &str) -> Option<(String, usize)> {
    let mut parts = text[2..].splitn(4, '?');
    let (charset, encoding, data) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next()?.starts_with('=').then_some(())?;
    let bytes = match encoding {
        "B" | "b" => base64(data.as_bytes()),
        "Q" | "q" => escaped(data.replace('_', " ").as_bytes(), b'='),
        _ => return None,
    };
    // A language may follow the charset.
    let charset_name = charset.split('*').next();
    let length = 2 + charset.len() + 1 + encoding.len() + 1 + data.len() + 2;
    Some((charset::decode(&bytes, charset_name), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_fields_are_decoded() {
        for (field, expected) in [
            ("=?UTF-8?Q?Gr=C3=BC=C3=9Fe_an?= alle", "Grüße an alle"),
            ("=?iso-8859-1?b?R3L832U=?=", "Grüße"),
            ("=?utf-8?q?a?= =?utf-8?q?b?= c", "ab c"),
            ("=?utf-8?x?a?=", "=?utf-8?x?a?="),
            ("=?", "=?"),
            ("plain", "plain"),
        ] {
            assert_eq!(decode_words(field), expected);
        }
    }

    #[test]
    fn parameters_are_found() {
        let field = "attachment; size=3; filename=\"a;b.pdf\"";
        assert_eq!(parameter(field, "filename").as_deref(), Some("a;b.pdf"));
        let field = "attachment; filename*=UTF-8''na%C3%AFve.txt";
        assert_eq!(parameter(field, "filename").as_deref(), Some("naïve.txt"));
        let field = "a; filename*0=\"long\"; filename*1=\"er.txt\"";
        assert_eq!(parameter(field, "filename").as_deref(), Some("longer.txt"));
        assert_eq!(parameter("text/plain; charset=x", "name"), None);
    }

    #[test]
    fn bodies_are_decoded() {
        assert_eq!(quoted_printable(b"a=3Db=\r\nc  \r\n=zz"), b"a=bc\n=zz\n");
        assert_eq!(base64(b"aGVs\r\nbG8="), b"hello");
        assert_eq!(base64(b"####"), b"");
    }
}
