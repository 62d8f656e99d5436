//! The events of an answer in, what stdout shows out.
//!
//! Used by `chat` and `ask`. A terminal gets Markdown, thinking dimmed before the answer, and a line that counts the
//! prompt's tokens and goes away; anything else gets the text of the answer and nothing more. Escapes that a model wrote
//! reach neither: what goes through a pipe often ends on a terminal.
//!
//! A revised answer takes the place of the one that was shown: a terminal wipes it, as far as it has not scrolled away.
//! What was written to a pipe cannot be taken back, so there the text is held where a revision may come (`hold`).
//!
//! Invariant: thinking and answer never share a line; after `end` the cursor is at the start of a line and no style
//! is on.
use crate::{
    markdown::{Look, Renderer},
    printable::clean,
};
use reckon::Event;
use std::{
    io::{self, IsTerminal, Write},
    time::Instant,
};

/// Prompts shorter than this are read too fast to be worth a word.
const SHORT: usize = 128;

/// What stdout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// A pipe or a file: the answer without markup.
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

impl Output {
    /// A note of ours that must not be overlooked.
    pub(crate) fn strong(self, text: &str) -> String {
        match self {
            Self::Terminal(Look { colour: true, .. }) => {
                format!("\x1b[1;33m{}\x1b[0m", clean(text))
            }
            _ => clean(text),
        }
    }
}

/// Shows one answer.
pub(crate) struct Screen<'a> {
    out: &'a mut dyn Write,
    output: Output,
    thinking: bool,
    /// Rows of the terminal.
    height: usize,
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
    /// The answer, and what of it is on the screen.
    Answer {
        renderer: Box<Renderer>,
        shown: String,
    },
    /// The whole answer, with a line below it that says which guard is at work.
    Checked {
        shown: String,
        guard: String,
        since: Instant,
        /// The seconds that the line says.
        seconds: u64,
    },
    /// The answer on a pipe; whether it ended with a line feed.
    Plain {
        at_start: bool,
    },
    /// The answer, not yet written.
    Held(String),
}

impl<'a> Screen<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, output: Output, thinking: bool) -> Self {
        let (height, _) = console::Term::stdout().size();
        Self {
            out,
            output,
            thinking,
            height: usize::from(height),
            part: Part::Nothing,
        }
    }

    /// Whether text cannot be taken back once it is written.
    pub(crate) fn is_plain(&self) -> bool {
        self.output == Output::Plain
    }

    /// Writes nothing before the end.
    pub(crate) fn hold(&mut self) {
        self.part = Part::Held(String::new());
    }

    /// Whether what is written can still be replaced.
    pub(crate) fn can_revise(&self) -> bool {
        !matches!(self.part, Part::Plain { .. })
    }

    pub(crate) fn show(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Prefill { done, total } => self.count(done, total)?,
            Event::Thought(text) => self.thought(text)?,
            Event::Text(text) => self.text(text)?,
            Event::Part { part, parts } => {
                self.count_line(&format!("reading part {part} of {parts}"))?;
            }
            Event::Checking(guard) => self.checking(guard)?,
            Event::Revise { guard, text } => self.revise(guard, text)?,
            _ => {}
        }
        self.out.flush()
    }

    /// The answer is over.
    pub(crate) fn end(mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Held(text) if text.is_empty() => {}
            Part::Held(text) => {
                let text = clean(&text);
                self.out.write_all(text.as_bytes())?;
                if !text.ends_with('\n') {
                    self.out.write_all(b"\n")?;
                }
            }
            Part::Plain { at_start: false } => self.out.write_all(b"\n")?,
            part => {
                self.part = part;
                self.leave_part()?;
            }
        }
        self.out.flush()
    }

    /// The answer is there; a line below it says who looks at it.
    fn checking(&mut self, guard: &str) -> io::Result<()> {
        if !self.can_wipe() {
            return Ok(());
        }
        // The line is there; drawing it at every token would flicker.
        if matches!(&self.part, Part::Checked { guard: last, since, seconds, .. }
            if last == guard && since.elapsed().as_secs() == *seconds)
        {
            return Ok(());
        }
        let (shown, since) = match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Answer {
                renderer,
                mut shown,
            } => {
                let rest = renderer.finish();
                self.out.write_all(rest.as_bytes())?;
                shown.push_str(&rest);
                (shown, Instant::now())
            }
            Part::Checked { shown, since, .. } => (shown, since),
            other => {
                self.part = other;
                return Ok(());
            }
        };
        let seconds = since.elapsed().as_secs();
        let line = match seconds {
            0 => format!("checking: {guard}"),
            _ => format!("checking: {guard}, {seconds} s (Ctrl-C skips it)"),
        };
        let note = self.output.note(&line);
        self.part = Part::Checked {
            shown,
            guard: guard.to_owned(),
            since,
            seconds,
        };
        write!(self.out, "\r\x1b[K{note}")
    }

    fn revise(&mut self, guard: &str, text: &str) -> io::Result<()> {
        match &mut self.part {
            Part::Held(held) => {
                text.clone_into(held);
                return Ok(());
            }
            // It is out; the caller says so on stderr.
            Part::Plain { .. } => return Ok(()),
            Part::Checked { shown, .. } => {
                let rows = rows(shown, self.output);
                if rows < self.height {
                    write!(self.out, "\r\x1b[{rows}A\x1b[J")?;
                } else {
                    let note = self.output.note(&format!("[revised: {guard}]"));
                    write!(self.out, "\r\x1b[K\n{note}\n\n")?;
                }
                self.part = Part::Nothing;
            }
            Part::Answer { .. } => {
                self.leave_part()?;
                let note = self.output.note(&format!("[revised: {guard}]"));
                write!(self.out, "\n{note}\n\n")?;
            }
            Part::Nothing | Part::Count | Part::Thought { .. } => {}
        }
        self.text(text)
    }

    /// Whether what is on the screen can be wiped.
    fn can_wipe(&self) -> bool {
        matches!(self.output, Output::Terminal(look) if look.colour)
    }

    fn count(&mut self, done: usize, total: usize) -> io::Result<()> {
        if total < SHORT {
            return Ok(());
        }
        self.count_line(&format!("reading {done} of {total} tokens"))
    }

    /// A line that goes away when the answer begins.
    fn count_line(&mut self, text: &str) -> io::Result<()> {
        let Output::Terminal(look) = self.output else {
            return Ok(());
        };
        if !look.colour || !matches!(self.part, Part::Nothing | Part::Count) {
            return Ok(());
        }
        self.part = Part::Count;
        let text: String = text.chars().take(look.width).collect();
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
        if !matches!(
            self.part,
            Part::Answer { .. } | Part::Plain { .. } | Part::Held(_)
        ) {
            self.leave_part()?;
            self.part = match self.output {
                Output::Plain => Part::Plain { at_start: true },
                Output::Terminal(look) => Part::Answer {
                    renderer: Box::new(Renderer::new(look)),
                    shown: String::new(),
                },
            };
        }
        match &mut self.part {
            Part::Answer { renderer, shown } => {
                let more = renderer.push(text);
                shown.push_str(&more);
                self.out.write_all(more.as_bytes())
            }
            Part::Plain { at_start } => {
                let text = clean(text);
                if !text.is_empty() {
                    *at_start = text.ends_with('\n');
                }
                self.out.write_all(text.as_bytes())
            }
            Part::Held(held) => {
                held.push_str(text);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Ends what is on the screen so that something else can begin.
    fn leave_part(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Count | Part::Checked { .. } => self.out.write_all(b"\r\x1b[K"),
            Part::Thought { at_start: false } => self.out.write_all(b"\n\n"),
            Part::Thought { at_start: true } => self.out.write_all(b"\n"),
            Part::Answer { renderer, .. } => {
                let rest = renderer.finish();
                self.out.write_all(rest.as_bytes())
            }
            Part::Nothing | Part::Plain { .. } | Part::Held(_) => Ok(()),
        }
    }
}

/// Rows of the terminal that a text takes which ends with a line feed.
fn rows(shown: &str, output: Output) -> usize {
    let width = match output {
        Output::Terminal(look) => look.width.max(1),
        Output::Plain => return 0,
    };
    let rows = |line: &str| console::measure_text_width(line).div_ceil(width).max(1);
    shown.lines().map(rows).sum()
}
