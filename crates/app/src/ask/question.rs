//! The pieces of a question in (argument, standard input, files), one message out.
//!
//! Called by `ask`. Files come first, each under its name and between fences longer than any inside; then the
//! question; then what was piped in. Everything must be UTF-8 text without NUL bytes and at most `LIMIT` bytes each;
//! anything else is refused by name with exit code 4, before a model is loaded.
use crate::{Failure, input};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Largest file or standard input in bytes: more text than any context we load can hold.
const LIMIT: usize = 4 << 20;

/// The message. `piped` is standard input unless that is a terminal nobody asked to read from.
pub(crate) fn question(
    text: Option<&str>,
    files: &[PathBuf],
    piped: Option<&mut dyn Read>,
) -> anyhow::Result<String> {
    let mut parts = files
        .iter()
        .map(|path| attached(path))
        .collect::<Result<Vec<_>, _>>()?;
    parts.extend(text.filter(|&text| text != "-").map(str::to_owned));
    if let Some(from) = piped {
        let text = input::text_from(from, LIMIT, "standard input")?;
        parts.push(text.trim_end_matches(['\n', '\r']).to_owned());
    }
    parts.retain(|part| !part.trim().is_empty());
    if parts.is_empty() {
        let failure = Failure::usage("nothing to ask");
        return Err(failure
            .hint("reckon ask \"your question\", or pipe text into it")
            .into());
    }
    Ok(parts.join("\n\n"))
}

/// A file as the model sees it.
fn attached(path: &Path) -> Result<String, Failure> {
    let text = text_of(path)?;
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{name}:\n{fence}\n{text}{end}{fence}"))
}

/// All of a file as text.
pub(super) fn text_of(path: &Path) -> Result<String, Failure> {
    let refuse = |why: String| Failure::input(format!("cannot read {}: {why}", path.display()));
    // Opening a pipe or a device could wait for ever.
    let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !metadata.is_file() {
        return Err(refuse("not a file".into()));
    }
    input::text(path, LIMIT)
}

/// Length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn ask(
        text: Option<&str>,
        files: &[PathBuf],
        mut piped: Option<&[u8]>,
    ) -> anyhow::Result<String> {
        question(
            text,
            files,
            piped.as_mut().map(|from| from as &mut dyn Read),
        )
    }

    fn refused(result: anyhow::Result<String>, kind: Kind, part: &str) {
        let error = result.expect_err("to be refused");
        assert_eq!(Kind::of(&error), kind, "{error:#}");
        assert!(error.to_string().contains(part), "{error:#}");
    }

    fn file(dir: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        path
    }

    #[test]
    fn arguments_and_standard_input() {
        let cases = [
            (Some("why?"), None, "why?"),
            (Some("-"), Some("from a pipe\n"), "from a pipe"),
            (None, Some("a\nb\r\n"), "a\nb"),
            (Some("sum up"), Some("long text\n"), "sum up\n\nlong text"),
            (Some("why?"), Some(""), "why?"),
        ];
        for (text, piped, expected) in cases {
            let piped = piped.map(str::as_bytes);
            assert_eq!(ask(text, &[], piped).expect("a question"), expected);
        }
        refused(ask(None, &[], None), Kind::Usage, "nothing to ask");
        refused(
            ask(Some("-"), &[], Some(b" \n")),
            Kind::Usage,
            "nothing to ask",
        );
        refused(ask(None, &[], Some(b"\xff")), Kind::Input, "standard input");
    }

    #[test]
    fn files_come_first_under_their_names() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let files = [
            file(&dir, "a.txt", b"\xef\xbb\xbfalpha"),
            file(&dir, "b.md", b"```\nx\n```\n"),
        ];
        let text = ask(Some("compare"), &files, None).expect("a question");
        assert_eq!(
            text,
            "a.txt:\n```\nalpha\n```\n\nb.md:\n````\n```\nx\n```\n````\n\ncompare"
        );
    }

    #[test]
    fn what_is_no_text_is_refused_by_name() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let bad = file(&dir, "bad.bin", b"a\xff\xfeb");
        let nul = file(&dir, "nul.bin", b"a\0b");
        let big = file(&dir, "big.txt", &vec![b'a'; LIMIT + 1]);
        for path in [
            bad,
            nul,
            big,
            dir.path().join("missing.txt"),
            dir.path().to_owned(),
        ] {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            refused(ask(Some("x"), &[path], None), Kind::Input, &name);
        }
    }
}
