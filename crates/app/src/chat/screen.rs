//! The events of an answer in, what stdout shows out.
//!
//! Used by `chat` and `ask`. A terminal gets Markdown, thinking dimmed before the answer, and a line that counts the
//! prompt's tokens and goes away; anything else gets the bytes of the answer and nothing more.
//!
//! Invariant: thinking and answer never share a line; after `end` the cursor is at the start of a line and no style
//! is on.
use crate::markdown::{Look, Renderer, clean};
use reckon_engine::Event;
use std::io::{self, IsTerminal, Write};

/// Prompts shorter than this are read too fast to be worth a word.
const SHORT: usize = 128;

/// What stdout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// A pipe or a file: the answer as it is.
    Plain,
    /// Someone is looking.
    Terminal(Look),
}

impl Output {
    /// What the process writes to.
    pub(crate) fn of_stdout() -> Self {
        if !io::stdout().is_terminal() {
            return Self::Plain;
        }
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let (_, columns) = console::Term::stdout().size();
        Self::Terminal(Look {
            width: usize::from(columns),
            colour: !set("NO_COLOR") && !dumb,
        })
    }

    /// A note of ours, set apart from what the model says.
    pub(crate) fn note(self, text: &str) -> String {
        match self {
            Self::Terminal(Look { colour: true, .. }) => format!("\x1b[2m{}\x1b[0m", clean(text)),
            _ => clean(text),
        }
    }
}

/// Shows one answer.
pub(crate) struct Screen<'a> {
    out: &'a mut dyn Write,
    output: Output,
    thinking: bool,
    part: Part,
}

/// What is on the screen of this answer so far.
enum Part {
    Nothing,
    /// The line that counts tokens.
    Count,
    /// Thinking; whether it ended with a line feed.
    Thought {
        at_start: bool,
    },
    Answer(Box<Renderer>),
    /// The answer as it is; whether it ended with a line feed.
    Plain {
        at_start: bool,
    },
}

impl<'a> Screen<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, output: Output, thinking: bool) -> Self {
        Self {
            out,
            output,
            thinking,
            part: Part::Nothing,
        }
    }

    pub(crate) fn show(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Prefill { done, total } => self.count(done, total)?,
            Event::Thought(text) => self.thought(text)?,
            Event::Text(text) => self.text(text)?,
        }
        self.out.flush()
    }

    /// The answer is over.
    pub(crate) fn end(mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Answer(renderer) => {
                let rest = renderer.finish();
                self.out.write_all(rest.as_bytes())?;
            }
            Part::Plain { at_start: false } => self.out.write_all(b"\n")?,
            part => {
                self.part = part;
                self.leave_part()?;
            }
        }
        self.out.flush()
    }

    fn count(&mut self, done: usize, total: usize) -> io::Result<()> {
        let Output::Terminal(look) = self.output else {
            return Ok(());
        };
        if !look.colour || total < SHORT || !matches!(self.part, Part::Nothing | Part::Count) {
            return Ok(());
        }
        self.part = Part::Count;
        let text: String = format!("reading {done} of {total} tokens")
            .chars()
            .take(look.width)
            .collect();
        write!(self.out, "\r\x1b[K{}", self.output.note(&text))
    }

    fn thought(&mut self, text: &str) -> io::Result<()> {
        let Output::Terminal(look) = self.output else {
            return Ok(());
        };
        if !self.thinking || text.is_empty() {
            return Ok(());
        }
        if !matches!(self.part, Part::Thought { .. }) {
            self.leave_part()?;
        }
        let text = clean(text);
        self.part = Part::Thought {
            at_start: text.ends_with('\n'),
        };
        if !look.colour {
            return self.out.write_all(text.as_bytes());
        }
        // The style ends with every line, so that nothing else is ever dimmed.
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches('\n');
            write!(self.out, "\x1b[2;3m{body}\x1b[0m{}", &line[body.len()..])?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if !matches!(self.part, Part::Answer(_) | Part::Plain { .. }) {
            self.leave_part()?;
            self.part = match self.output {
                Output::Plain => Part::Plain { at_start: true },
                Output::Terminal(look) => Part::Answer(Box::new(Renderer::new(look))),
            };
        }
        match &mut self.part {
            Part::Answer(renderer) => {
                let shown = renderer.push(text);
                self.out.write_all(shown.as_bytes())
            }
            Part::Plain { at_start } if !text.is_empty() => {
                *at_start = text.ends_with('\n');
                self.out.write_all(text.as_bytes())
            }
            _ => Ok(()),
        }
    }

    /// Ends what is on the screen so that something else can begin.
    fn leave_part(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Count => self.out.write_all(b"\r\x1b[K"),
            Part::Thought { at_start: false } => self.out.write_all(b"\n\n"),
            Part::Thought { at_start: true } => self.out.write_all(b"\n"),
            Part::Answer(renderer) => {
                let rest = renderer.finish();
                self.out.write_all(rest.as_bytes())
            }
            Part::Nothing | Part::Plain { .. } => Ok(()),
        }
    }
}
