//! Keys or bytes in, complete messages out.
//!
//! Called by `chat`. At a terminal `rustyline` edits the line, keeps a history file and takes a paste of several
//! lines as one input; otherwise stdin is read line by line. Both follow the same rules: a line that ends in an odd
//! number of backslashes goes on below; `"""` at the start opens a block that `"""` at the end of a line closes.
//!
//! Limits: one message is at most `MESSAGE` bytes; a longer one, or one that is not UTF-8, is refused.
use super::command::COMMANDS;
use crate::Failure;
use anyhow::Context as _;
use rustyline::{
    Cmd, Config, Editor, Helper, KeyCode, KeyEvent, Modifiers,
    completion::Completer,
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::FileHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};
use std::{
    io::{BufRead, Read},
    path::{Path, PathBuf},
};

/// Longest message in bytes; more than any context holds.
const MESSAGE: u64 = 4 << 20;
/// Opens and closes a block of lines.
const BLOCK: &str = "\"\"\"";

/// What a person did at the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A message or command, its continuation marks taken off.
    Text(String),
    /// Ctrl-C: the line is thrown away.
    Interrupted,
    /// Ctrl-D or the end of the file.
    End,
}

/// Whether `text` needs no further line.
pub(crate) fn is_complete(text: &str) -> bool {
    match text.trim_start().strip_prefix(BLOCK) {
        Some(inside) => inside.trim_end().ends_with(BLOCK),
        None => !continues(text),
    }
}

/// The message that a complete text stands for.
pub(crate) fn message(text: &str) -> String {
    if let Some(inside) = text.trim_start().strip_prefix(BLOCK) {
        let inside = inside.trim_end();
        let inside = inside.strip_suffix(BLOCK).unwrap_or(inside);
        let inside = inside.strip_prefix('\n').unwrap_or(inside);
        return inside.strip_suffix('\n').unwrap_or(inside).to_owned();
    }
    let mut lines: Vec<&str> = text.split('\n').collect();
    let last = lines.len() - 1;
    for line in &mut lines[..last] {
        if continues(line) {
            *line = &line[..line.len() - 1];
        }
    }
    lines.join("\n")
}

fn continues(line: &str) -> bool {
    let marks = line.len() - line.trim_end_matches('\\').len();
    marks % 2 == 1
}

/// Reads messages from a terminal.
pub(crate) struct Prompt {
    editor: Editor<Rules, FileHistory>,
    history: PathBuf,
}

impl Prompt {
    /// A prompt that remembers in `home`. A history that cannot be read or kept is done without.
    pub(crate) fn new(home: &Path) -> anyhow::Result<Self> {
        let config = Config::builder()
            .max_history_size(1000)?
            .history_ignore_space(true)
            .build();
        let history = FileHistory::with_config(&config);
        let mut editor =
            Editor::with_history(config, history).context("cannot use this terminal")?;
        editor.set_helper(Some(Rules));
        editor.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
        let history = home.join("history");
        // The directory may be missing or read-only: a chat without history is still a chat.
        let _ = std::fs::create_dir_all(home);
        let _ = editor.load_history(&history);
        Ok(Self { editor, history })
    }

    /// Waits for the next input, which begins with this text.
    pub(crate) fn read(&mut self, begin: &str) -> anyhow::Result<Input> {
        match self.editor.readline_with_initial("> ", (begin, "")) {
            Ok(text) => {
                if self.editor.add_history_entry(&text).unwrap_or(false) {
                    let _ = self.editor.append_history(&self.history);
                }
                Ok(Input::Text(message(&text)))
            }
            Err(ReadlineError::Interrupted) => Ok(Input::Interrupted),
            Err(ReadlineError::Eof) => Ok(Input::End),
            Err(error) => Err(error).context("cannot read from the terminal"),
        }
    }
}

/// Reads messages from a pipe or a file: one a line, with the same marks for longer ones.
pub(crate) fn read_piped(from: &mut dyn BufRead) -> anyhow::Result<Input> {
    let mut bytes = Vec::new();
    loop {
        let room = (MESSAGE + 1).saturating_sub(bytes.len() as u64);
        let n = from.take(room).read_until(b'\n', &mut bytes)?;
        if bytes.len() as u64 > MESSAGE {
            let limit = MESSAGE >> 20;
            return Err(Failure::input(format!("a message is longer than {limit} MiB")).into());
        }
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(Failure::input("standard input is not UTF-8 text").into());
        };
        if n == 0 && text.is_empty() {
            return Ok(Input::End);
        }
        let text = text.trim_end_matches(['\n', '\r']);
        if n == 0 || is_complete(text) {
            return Ok(Input::Text(message(&text.replace("\r\n", "\n"))));
        }
    }
}

/// Tells `rustyline` when an input is complete and which commands there are.
struct Rules;

impl Validator for Rules {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_complete(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Completer for Rules {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _context: &rustyline::Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = &line[..at];
        let names = COMMANDS.iter().map(|(name, ..)| format!("/{name} "));
        let fitting = names.filter(|name| typed.starts_with('/') && name.starts_with(typed));
        Ok((0, fitting.collect()))
    }
}

impl Hinter for Rules {
    type Hint = String;
}

impl Highlighter for Rules {}

impl Helper for Rules {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_an_input_is_complete() {
        for text in [
            "",
            "hello",
            "two\nlines",
            r"ends in \\",
            "\"\"\"one line\"\"\"",
            "\"\"\"\na\nb\n\"\"\"",
            "say \"\"\" twice",
        ] {
            assert!(is_complete(text), "{text:?}");
        }
        for text in [
            "more\\",
            "more\\\nand\\",
            "\"\"\"",
            "\"\"\"\na\n",
            "\"\"\"a\"\" \"",
            r"\\\",
        ] {
            assert!(!is_complete(text), "{text:?}");
        }
    }

    #[test]
    fn marks_are_taken_off() {
        assert_eq!(message("one\\\ntwo\\\nthree"), "one\ntwo\nthree");
        assert_eq!(message("\"\"\"\nfn f() {\n\n}\n\"\"\""), "fn f() {\n\n}");
        assert_eq!(message("\"\"\"inline\"\"\""), "inline");
        assert_eq!(message("pasted\nlines\n"), "pasted\nlines\n");
        assert_eq!(message(r"C:\\"), r"C:\\");
    }

    #[test]
    fn piped_messages() {
        let mut from: &[u8] = b"hi\r\none\\\ntwo\n\n\"\"\"\na\n\nb\n\"\"\"\n\"\"\"open\nend";
        let mut seen = Vec::new();
        while let Input::Text(text) = read_piped(&mut from).expect("valid input") {
            seen.push(text);
        }
        assert_eq!(seen, ["hi", "one\ntwo", "", "a\n\nb", "open\nend"]);
    }

    #[test]
    fn bad_bytes_are_refused() {
        let mut from: &[u8] = b"\xff\xfe\n";
        let error = read_piped(&mut from).expect_err("not UTF-8");
        assert_eq!(crate::Kind::of(&error), crate::Kind::Input);
        let long = vec![b'a'; MESSAGE as usize + 2];
        let error = read_piped(&mut &long[..]).expect_err("too long");
        assert_eq!(crate::Kind::of(&error), crate::Kind::Input);
    }
}
