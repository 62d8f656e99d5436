//! What people hand over in files and pipes: bounded bytes, text and rows out, or a refusal that names the place.
//!
//! Used by `ask`, `check`, `guard` and `solve`, so that a limit means the same everywhere. `-` is standard
//! input.
use crate::Failure;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// All bytes of a file, or one more than `most`: enough for the caller to see that it is too long.
pub(crate) fn bytes(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    let name = name(path);
    take(&mut open(path)?, most, &name)
}

/// A file as text of at most `most` bytes.
pub(crate) fn text(path: &Path, most: usize) -> Result<String, Failure> {
    text_from(&mut open(path)?, most, &name(path))
}

/// All of `from` as UTF-8 text without NUL bytes, of at most `most` bytes; a byte order mark is dropped.
pub(crate) fn text_from(from: &mut dyn Read, most: usize, name: &str) -> Result<String, Failure> {
    let bytes = take(from, most, name)?;
    if bytes.len() > most {
        return Err(Failure::input(format!(
            "{name} is longer than {most} bytes"
        )));
    }
    let refuse =
        |what: String| Err(Failure::input(what).hint("only text can be read in this version"));
    match String::from_utf8(bytes) {
        Ok(text) if text.contains('\0') => refuse(format!("{name} has a NUL byte in it")),
        Ok(text) => Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }),
        Err(_) => refuse(format!("{name} is not UTF-8 text")),
    }
}

/// The lines of a file that have something on them, one at a time.
pub(crate) struct Rows {
    input: Box<dyn BufRead + Send>,
    longest: usize,
    number: usize,
}

/// A line and its number, from 1. What could not be read or is too long has a reason in its place.
pub(crate) struct Row {
    pub(crate) number: usize,
    pub(crate) line: Result<Vec<u8>, String>,
}

impl Rows {
    /// Of a file; a line longer than `longest` bytes is skipped, not kept.
    pub(crate) fn open(path: &Path, longest: usize) -> Result<Self, Failure> {
        Ok(Self::of(Box::new(BufReader::new(open(path)?)), longest))
    }

    pub(crate) fn of(input: Box<dyn BufRead + Send>, longest: usize) -> Self {
        Self {
            input,
            longest,
            number: 0,
        }
    }

    /// The next line, without its end; nothing when there is none.
    fn line(&mut self) -> Option<Result<Vec<u8>, String>> {
        let mut line = Vec::new();
        let limit = self.longest as u64 + 1;
        let read = (&mut self.input).take(limit).read_until(b'\n', &mut line);
        match read {
            Ok(0) => None,
            Ok(_) if line.len() > self.longest && !line.ends_with(b"\n") => {
                let longest = self.longest;
                Some(match skip_line(&mut self.input) {
                    Ok(()) => Err(format!("longer than {longest} bytes")),
                    Err(error) => Err(self.ended(&error)),
                })
            }
            Ok(_) => Some(Ok(line)),
            Err(error) => Some(Err(self.ended(&error))),
        }
    }

    /// After an error nothing more is read.
    fn ended(&mut self, error: &io::Error) -> String {
        self.input = Box::new(io::empty());
        format!("cannot be read: {error}")
    }
}

impl Iterator for Rows {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            let line = self.line()?;
            self.number += 1;
            if !line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
                return Some(Row {
                    number: self.number,
                    line,
                });
            }
        }
    }
}

/// Reads on to the end of a line that nobody wants. A line that never ends is given up after a gibibyte.
fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    let mut left = 1 << 30;
    loop {
        let piece = input.fill_buf()?;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let n = end.map_or(piece.len(), |end| end + 1);
        input.consume(n);
        if end.is_some() || n == 0 {
            return Ok(());
        }
        if n > left {
            return Err(io::Error::other("a line without an end"));
        }
        left -= n;
    }
}

fn open(path: &Path) -> Result<Box<dyn Read + Send>, Failure> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let shown = path.display();
    let refuse =
        |why: &dyn std::fmt::Display| Failure::input(format!("cannot read {shown}: {why}"));
    let file = File::open(path).map_err(|error| refuse(&error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(refuse(&"it is a directory"));
    }
    Ok(Box::new(file))
}

fn take(from: &mut dyn Read, most: usize, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
    Ok(bytes)
}

fn name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "standard input".into();
    }
    path.display().to_string()
}

/// Largest file that comes with a question.
const MOST_BYTES: u64 = 192 << 20;

/// A file that is one, and not too large.
pub(crate) fn file(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let refuse = |why: String| Failure::input(format!("cannot read {}: {why}", path.display()));
    // Opening a pipe or a device could wait for ever.
    let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !metadata.is_file() {
        return Err(refuse("not a file".into()));
    }
    if metadata.len() > MOST_BYTES {
        return Err(refuse(format!("larger than {} MiB", MOST_BYTES >> 20)));
    }
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok((name.to_string_lossy().into_owned(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &'static [u8], longest: usize) -> Vec<(usize, Result<String, String>)> {
        let shown = |line: Vec<u8>| String::from_utf8_lossy(&line).trim_end().to_owned();
        Rows::of(Box::new(text), longest)
            .map(|row| (row.number, row.line.map(shown)))
            .collect()
    }

    #[test]
    fn blank_lines_count_and_are_left_out() {
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(rows(b"a\n\n \r\nb", 9), [(1, ok("a")), (4, ok("b"))]);
        assert_eq!(rows(b"", 9), []);
    }

    #[test]
    fn a_long_line_is_named_and_the_next_one_read() {
        let found = rows(b"0123456789\nshort\n", 8);
        assert_eq!(found[0], (1, Err("longer than 8 bytes".into())));
        assert_eq!(found[1], (2, Ok("short".into())));
        assert_eq!(rows(b"01234567\n", 8), [(1, Ok("01234567".into()))]);
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut endless = Rows::of(Box::new(BufReader::new(io::repeat(b'x'))), 8);
        let row = endless.next().expect("a row");
        assert!(row.line.is_err());
        assert!(endless.next().is_none());
    }

    #[test]
    fn text_is_utf8_without_nul_and_not_too_long() {
        let read = |mut bytes: &[u8]| text_from(&mut bytes, 4, "it").map_err(|error| error.what);
        assert_eq!(read(b"\xef\xbb\xbfa"), Ok("a".into()));
        assert!(read(b"a\0").is_err());
        assert!(read(b"\xff").is_err());
        assert_eq!(read(b"12345"), Err("it is longer than 4 bytes".into()));
    }
}
