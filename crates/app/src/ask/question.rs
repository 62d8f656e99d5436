//! The pieces of a question in (argument, standard input), one message out; and the files that come with it.
//!
//! Called by `ask`. The argument must be UTF-8 text without NUL bytes, and what was piped in too; anything else is refused by
//! name with exit code 4, before a model is loaded. Files may be anything that
//! `reckon::AttachedFile` reads.
use crate::{Failure, attach, input};
use reckon::{
    AttachedFile,
    recall::{Intent, intent},
};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// What standard input is called.
const STDIN: &str = "standard input";
/// Largest file or standard input in bytes: more text than any context we load can hold.
const LIMIT: usize = 4 << 20;

/// Bytes of piped text that are a document, if the argument asks something about it.
const LONG: usize = 8 << 10;

/// What was asked without its files, and what was piped in if that is a document of its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) question: String,
    pub(crate) piped: Option<String>,
}

/// The question without its files. `piped` is standard input unless that is a terminal nobody asked to read from.
pub(crate) fn question(
    text: Option<&str>,
    has_files: bool,
    piped: Option<&mut dyn Read>,
) -> anyhow::Result<Asked> {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(text.filter(|&text| text != "-").map(str::to_owned));
    if let Some(from) = piped {
        let text = input::text_from(from, LIMIT, STDIN)?;
        let asks = |part: &String| intent(part) != Intent::Task;
        if text.len() > LONG && parts.iter().any(asks) {
            return Ok(Asked {
                question: parts.concat(),
                piped: Some(text),
            });
        }
        parts.push(text.trim_end_matches(['\n', '\r']).to_owned());
    }
    parts.retain(|part| !part.trim().is_empty());
    if parts.is_empty() && !has_files {
        let failure = Failure::usage("nothing to ask");
        return Err(failure
            .hint("reckon ask \"your question\", or pipe text into it")
            .into());
    }
    Ok(Asked {
        question: parts.join("\n\n"),
        piped: None,
    })
}

/// The files and what was piped in, read behind walls; what cannot be read is refused here, before a model is loaded.
pub(crate) fn files(paths: &[PathBuf], piped: Option<String>) -> anyhow::Result<Vec<AttachedFile>> {
    let piped = piped.map(|text| Ok(AttachedFile::read(STDIN, text.into_bytes(), None)?));
    let read = paths.iter().map(|path| attach::read(path));
    read.chain(piped).collect()
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
        let piped = piped.as_mut().map(|from| from as &mut dyn Read);
        Ok(question(text, false, piped)?.question)
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
            let error = files(&[path], None).expect_err("to be refused");
            assert!(error.to_string().contains(&name), "{error}");
        }
        let asked = question(None, true, None).expect("files alone");
        assert_eq!(asked, Asked::default());
    }

    #[test]
    fn a_long_text_is_a_document_if_something_is_asked_about_it() {
        let long = "word ".repeat(3_000);
        let asked = |text, long: &str| {
            let mut from = long.as_bytes();
            question(Some(text), false, Some(&mut from)).expect("a question")
        };
        let about = asked("Summarise this", &long);
        assert_eq!(about.question, "Summarise this");
        assert_eq!(about.piped.as_deref(), Some(long.as_str()));
        for (text, piped) in [
            ("Translate this", long.as_str()),
            ("Who wrote this poem?", "short"),
        ] {
            let asked = asked(text, piped);
            assert!(
                asked.piped.is_none() && asked.question.contains(piped.trim_end()),
                "{text}"
            );
        }
    }
}
