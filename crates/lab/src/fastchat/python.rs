//! The two things of Python that decide bytes: what `str.format` makes of a template, and how `json.dumps` writes a row.
//!
//! Of `str.format` only plain names are known (`{answer}`, `{{`, `}}`), which is all that judge prompts use; anything
//! else is refused when the file is read. Fields are put in once: braces in an answer are text.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// A text with named places in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(String),
}

impl Template {
    /// Reads a template as Python does.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            let after = &rest[at + 1..];
            if let Some(after) = after.strip_prefix(brace) {
                plain.push_str(brace);
                rest = after;
                continue;
            }
            let end = after.find('}').filter(|_| brace == "{");
            let Some(end) = end else {
                return Err(format!("a single {brace} in the template"));
            };
            let name = &after[..end];
            if !is_name(name) {
                return Err(format!("{{{name}}} in the template is not a plain name"));
            }
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
            pieces.push(Piece::Field(name.to_owned()));
            rest = &after[end + 1..];
        }
        plain.push_str(rest);
        pieces.push(Piece::Text(plain));
        Ok(Self(pieces))
    }

    /// The names of its places, in order, as often as they are there.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Field(name) => Some(name.as_str()),
        })
    }

    /// The text with every place filled; the name of a place that `field` has nothing for.
    pub fn fill<'f>(&self, field: impl Fn(&str) -> Option<&'f str>) -> Result<String, String> {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Field(name) => out.push_str(field(name).ok_or_else(|| name.clone())?),
            }
        }
        Ok(out)
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    bytes.next().is_some_and(letter) && bytes.all(|byte| letter(byte) || byte.is_ascii_digit())
}

/// A row as `json.dumps` writes it: `, ` and `: ` between things, nothing but ASCII.
pub fn dumps(row: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::new();
    row.serialize(&mut Serializer::with_formatter(&mut out, Python))?;
    Ok(out)
}

struct Python;

impl Formatter for Python {
    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        writer.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut units = [0; 2];
        for c in fragment.chars() {
            if matches!(c, ' '..='~') {
                writer.write_all(&[c as u8])?;
                continue;
            }
            for unit in c.encode_utf16(&mut units) {
                write!(writer, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once() {
        let template = Template::parse("{{x}} {question}|{answer}}}").expect("a template");
        let names: Vec<&str> = template.names().collect();
        assert_eq!(names, ["question", "answer"]);
        let filled = template.fill(|name| match name {
            "question" => Some("{answer}"),
            "answer" => Some("a } {"),
            _ => None,
        });
        assert_eq!(filled.as_deref(), Ok("{x} {answer}|a } {}"));
        assert_eq!(template.fill(|_| None), Err("question".into()));
    }

    #[test]
    fn what_python_would_refuse_or_compute_is_refused() {
        for wrong in [
            "{", "}", "a } b", "{}", "{0}", "{a.b}", "{a!r}", "{a:>3}", "{a",
        ] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rows_are_written_as_python_writes_them() {
        let row = serde_json::json!(["é\n\u{7f}😀\"", 9, 8.5, 9.0, {"a": [1, null, true]}]);
        let written = String::from_utf8(dumps(&row).expect("written")).expect("text");
        // python3 -c 'import json; print(json.dumps(["é\n\x7f😀\"", 9, 8.5, 9.0, {"a": [1, None, True]}]))'
        let python = r#"["\u00e9\n\u007f\ud83d\ude00\"", 9, 8.5, 9.0, {"a": [1, null, true]}]"#;
        assert_eq!(written, python);
    }
}
