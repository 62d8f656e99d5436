//! The pieces of a question in (argument, standard input), one message out; and the files that come with it.
//!
//! Called by `ask`. The argument must be UTF-8 text without NUL bytes, and what was piped in too; anything else is refused by
//! name with exit code 4, before a model is loaded. Files may be anything that
//! `reckon::AttachedFile` reads.
use crate::{Failure, attach, input};
use reckon::AttachedFile;
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// Largest file or standard input in bytes: more text than any context we load can hold.
const LIMIT: usize = 4 << 20;

/// The question without its files. `piped` is standard input unless that is a terminal nobody asked to read from.
pub(crate) fn question(
    text: Option<&str>,
    has_files: bool,
    piped: Option<&mut dyn Read>,
) -> anyhow::Result<String> {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(text.filter(|&text| text != "-").map(str::to_owned));
    if let Some(from) = piped {
        let text = input::text_from(from, LIMIT, "standard input")?;
        parts.push(text.trim_end_matches(['\n', '\r']).to_owned());
    }
    parts.retain(|part| !part.trim().is_empty());
    if parts.is_empty() && !has_files {
        let failure = Failure::usage("nothing to ask");
        return Err(failure
            .hint("reckon ask \"your question\", or pipe text into it")
            .into());
    }
    Ok(parts.join("\n\n"))
}

/// The files, read behind walls; a file that cannot be is refused here, before a model is loaded.
pub(crate) fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<AttachedFile>> {
    paths.iter().map(|path| attach::read(path)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn ask(text: Option<&str>, mut piped: Option<&[u8]>) -> anyhow::Result<String> {
        question(
            text,
            false,
            piped.as_mut().map(|from| from as &mut dyn Read),
        )
    }

    fn refused(result: anyhow::Result<String>, kind: Kind, part: &str) {
        let error = result.expect_err("to be refused");
        assert_eq!(Kind::of(&error), kind, "{error:#}");
        assert!(error.to_string().contains(part), "{error:#}");
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
            assert_eq!(ask(text, piped).expect("a question"), expected);
        }
        refused(ask(None, None), Kind::Usage, "nothing to ask");
        refused(ask(Some("-"), Some(b" \n")), Kind::Usage, "nothing to ask");
        refused(ask(None, Some(b"\xff")), Kind::Input, "standard input");
    }

    #[test]
    fn what_is_no_file_is_refused_by_name() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        for path in [dir.path().join("missing.txt"), dir.path().to_owned()] {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let error = files(&[path]).expect_err("to be refused");
            assert!(error.to_string().contains(&name), "{error}");
        }
        assert_eq!(question(None, true, None).expect("files alone"), "");
    }
}
