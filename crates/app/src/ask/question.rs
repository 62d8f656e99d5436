//! The pieces of a question in (argument, standard input, files), one message out.
//!
//! Called by `ask`. Files come first, each under its name and between fences longer than any inside; then the
//! question; then what was piped in. Everything must be UTF-8 text without NUL bytes and at most `LIMIT` bytes each;
//! anything else is refused by name with exit code 4, before a model is loaded.
use crate::Failure;
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Largest file or standard input in bytes: more tokens than any context we load.
const LIMIT: u64 = 4 << 20;

/// The message. `piped` reads standard input; `None` if it is a terminal.
pub(crate) fn question(
    text: Option<&str>,
    files: &[PathBuf],
    piped: Option<&mut dyn Read>,
    stdin: &mut dyn Read,
) -> anyhow::Result<String> {
    let mut parts = Vec::new();
    for path in files {
        parts.push(attached(path)?);
    }
    match (text, piped) {
        (Some("-"), _) => parts.push(read(stdin, "standard input")?),
        (Some(text), piped) => {
            parts.push(text.to_owned());
            if let Some(from) = piped {
                parts.push(read(from, "standard input")?);
            }
        }
        (None, Some(from)) => parts.push(read(from, "standard input")?),
        (None, None) => {}
    }
    parts.retain(|part| !part.trim().is_empty());
    if parts.is_empty() {
        return Err(Failure::usage("nothing to ask")
            .hint("reckon ask \"your question\", or pipe text into it")
            .into());
    }
    Ok(parts.join("\n\n"))
}
