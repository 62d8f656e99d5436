//! Blind grading at the terminal, one key a grade.
//!
//! One item fills the screen, a page at a time; the last two lines say how far it has come and which keys there are.
//! A row is stored before the next item is drawn. [`GradingScreen`] knows neither the keyboard nor the screen: both are
//! handed in, so tests press keys and read what is shown.
use crate::lab::now;
use crate::{
    markdown::{Look, Renderer},
    printable::clean,
    screen::Output,
};
use anyhow::Context as _;
use console::{Key, Term};
use reckon_lab::grade::{Act, Grading, Pick, Progress, Show};
use rustyline::{DefaultEditor, error::ReadlineError};
use std::io::{self, Write};

/// Widest text: longer lines are hard to read.
const WIDEST: usize = 80;
/// Lines below the text.
const FOOT: usize = 3;

/// Grades until all is done or the person has had enough.
pub(super) fn run(grading: Grading) -> anyhow::Result<()> {
    let Output::Terminal(look) = Output::of_stdout() else {
        anyhow::bail!("standard output is not a terminal");
    };
    let term = Term::stdout();
    let (rows, _) = term.size();
    let mut session = GradingScreen {
        grading,
        look: Look {
            width: look.width.clamp(20, WIDEST),
            ..look
        },
        rows: usize::from(rows).max(FOOT + 3),
        clear: std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        top: 0,
        reference: false,
        said: String::new(),
    };
    let mut editor = None;
    let comment = |old: &str| {
        let editor = match &mut editor {
            Some(editor) => editor,
            none => none.insert(DefaultEditor::new().context("cannot use this terminal")?),
        };
        match editor.readline_with_initial("comment: ", (old, "")) {
            Ok(text) => Ok(Some(text)),
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => Ok(None),
            Err(error) => Err(error).context("cannot read from the terminal"),
        }
    };
    session.work(&mut || term.read_key_raw(), comment, &mut io::stdout())
}

/// One person at one terminal.
struct GradingScreen {
    grading: Grading,
    look: Look,
    /// Of the terminal.
    rows: usize,
    /// Whether the screen can be cleared.
    clear: bool,
    /// First line of the text that is shown.
    top: usize,
    /// Whether the reference is shown.
    reference: bool,
    /// What happened last.
    said: String,
}

/// What a key asks for.
enum KeyAction {
    Act(Act),
    Undo,
    Comment,
    Reference,
    /// Lines down, or up.
    Move(isize),
    Quit,
    Nothing,
}

impl GradingScreen {
    fn work(
        &mut self,
        key: &mut dyn FnMut() -> io::Result<Key>,
        mut comment: impl FnMut(&str) -> anyhow::Result<Option<String>>,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        loop {
            let lines = self.lines();
            self.draw(&lines, out)?;
            let progress = self.grading.progress();
            match self.wish(&key().context("cannot read a key")?) {
                KeyAction::Quit => break,
                KeyAction::Nothing => self.said = String::new(),
                KeyAction::Move(by) => self.scroll(by, lines.len()),
                KeyAction::Reference => {
                    self.reference = !self.reference;
                    self.top = 0;
                }
                KeyAction::Undo => {
                    let done = self.grading.undo(progress.row, now());
                    self.after(done, "taken back")?;
                }
                KeyAction::Act(act) => {
                    let said = stored(&act);
                    let done = self.grading.act(progress.row, act, now());
                    self.after(done, &said)?;
                }
                KeyAction::Comment => {
                    let Some(Show {
                        item, comment: old, ..
                    }) = self.grading.show()
                    else {
                        continue;
                    };
                    if let Some(text) = comment(old.unwrap_or_default())? {
                        let act = Act::Comment { item, text };
                        let done = self.grading.act(progress.row, act, now());
                        self.after(done, "noted")?;
                    }
                }
            }
        }
        let Progress { graded, total, .. } = self.grading.progress();
        writeln!(out, "\n{graded} of {total} graded; all of it is stored")?;
        Ok(())
    }

    /// Says what came of an act. Only a file that cannot be written ends the session.
    fn after(&mut self, done: reckon_lab::Result<()>, said: &str) -> anyhow::Result<()> {
        match done {
            Ok(()) => {
                said.clone_into(&mut self.said);
                if said != "noted" {
                    self.top = 0;
                    self.reference = false;
                }
            }
            Err(reckon_lab::Error::Act(why)) => self.said = why,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn wish(&self, key: &Key) -> KeyAction {
        let page = (self.rows - FOOT).saturating_sub(1).max(1) as isize;
        match key {
            Key::Char('q') | Key::CtrlC => return KeyAction::Quit,
            Key::Char('u') => return KeyAction::Undo,
            Key::Char(' ') | Key::PageDown => return KeyAction::Move(page),
            Key::Char('b') | Key::PageUp => return KeyAction::Move(-page),
            Key::Char('j') | Key::ArrowDown => return KeyAction::Move(1),
            Key::Char('k') | Key::ArrowUp => return KeyAction::Move(-1),
            Key::Home => return KeyAction::Move(isize::MIN),
            Key::End => return KeyAction::Move(isize::MAX),
            _ => {}
        }
        let Some(show) = self.grading.show() else {
            return KeyAction::Nothing;
        };
        let item = show.item;
        let act = match key {
            Key::Char('c') => return KeyAction::Comment,
            Key::Char('r') => return KeyAction::Reference,
            Key::Char('s') => Some(Act::Skip { item }),
            key if show.sides.len() == 2 => pick(key).map(|pick| Act::Pick { item, pick }),
            key => score(key).map(|score| Act::Score { item, score }),
        };
        act.map_or(KeyAction::Nothing, KeyAction::Act)
    }

    fn scroll(&mut self, by: isize, lines: usize) {
        let last = lines.saturating_sub(self.rows - FOOT);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// The text of the item as it fits this terminal.
    fn lines(&self) -> Vec<String> {
        let Some(show) = self.grading.show() else {
            let done = "Nothing is left to grade. The same command with --reveal joins the names.";
            return vec![String::new(), done.into()];
        };
        let mut lines = Vec::new();
        let turn = show.asked.len();
        for (at, asked) in show.asked.iter().enumerate() {
            let (now, number) = (at + 1 == turn, at + 1);
            let which = |what: &str, mark: &str| match (turn, now) {
                (1, _) => what.to_owned(),
                (_, true) => format!("{what}, turn {number}{mark}"),
                (_, false) => format!("{what}, turn {number}"),
            };
            self.section(&mut lines, &which("question", ""), asked);
            if self.reference {
                let reference = show.references.get(at).copied().flatten();
                let text = reference.unwrap_or("There is none.");
                self.section(&mut lines, "reference (may be wrong)", text);
            }
            for (side, answers) in show.sides.iter().enumerate() {
                let what = match (show.sides.len(), side) {
                    (1, _) => "answer",
                    (_, 0) => "left answer",
                    _ => "right answer",
                };
                let text = answers.get(at).map_or("", String::as_str);
                self.section(&mut lines, &which(what, ": grade this one"), text);
            }
        }
        if let Some(comment) = show.comment {
            self.section(&mut lines, "your comment", comment);
        }
        lines
    }

    fn section(&self, lines: &mut Vec<String>, title: &str, text: &str) {
        let rule = "─".repeat(self.look.width.saturating_sub(title.chars().count() + 4));
        lines.push(self.dim(&format!("── {title} {rule}")));
        let text = if text.trim().is_empty() {
            "(nothing)"
        } else {
            text
        };
        let mut renderer = Renderer::new(self.look);
        let shown = renderer.push(text) + &renderer.finish();
        lines.extend(shown.lines().map(str::to_owned));
        lines.push(String::new());
    }

    fn draw(&self, lines: &[String], out: &mut dyn Write) -> io::Result<()> {
        let window = self.rows - FOOT;
        let end = (self.top + window).min(lines.len());
        let mut screen = String::new();
        if self.clear {
            screen += "\x1b[2J\x1b[H";
        }
        for line in lines.get(self.top..end).unwrap_or_default() {
            screen += line;
            screen += if self.look.colour { "\x1b[0m\n" } else { "\n" };
        }
        if self.clear {
            screen += &"\n".repeat(window - (end - self.top));
        }
        // How much more is not said: a length may tell who wrote it.
        let more = if end < lines.len() {
            " · space: more"
        } else {
            ""
        };
        screen += &self.dim(&self.fit(&(self.place() + more)));
        screen.push('\n');
        screen += &self.dim(&self.fit(self.keys()));
        screen.push('\n');
        screen += &self.fit(&clean(&self.said));
        write!(out, "{screen}")?;
        out.flush()
    }

    fn place(&self) -> String {
        let Progress {
            total,
            left,
            graded,
            skipped,
            ..
        } = self.grading.progress();
        let Some(show) = self.grading.show() else {
            return format!("{graded} of {total} graded");
        };
        let mut place = format!("{} of {total}", total - left + 1);
        if let Some(category) = show.category {
            place += &format!(" · {}", clean(category));
        }
        if skipped > 0 {
            place += &format!(" · {skipped} skipped");
        }
        place
    }

    fn keys(&self) -> &'static str {
        match self.grading.show().map(|show| show.sides.len()) {
            None => "u undo · q quit",
            Some(2) => {
                "1← left · 2→ right · 3 tie · s skip · u undo · c comment · r reference · q quit"
            }
            Some(_) => "1–9, 0 = 10 · s skip · u undo · c comment · r reference · q quit",
        }
    }

    fn fit(&self, text: &str) -> String {
        text.chars().take(self.look.width).collect()
    }

    fn dim(&self, text: &str) -> String {
        if self.look.colour {
            format!("\x1b[2m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn stored(act: &Act) -> String {
    match act {
        Act::Score { score, .. } => format!("stored: {score}; u takes it back"),
        Act::Pick { pick, .. } => {
            let pick = match pick {
                Pick::Left => "left",
                Pick::Right => "right",
                Pick::Tie => "tie",
            };
            format!("stored: {pick}; u takes it back")
        }
        _ => "skipped".into(),
    }
}

fn score(key: &Key) -> Option<u8> {
    match key {
        Key::Char('0') => Some(10),
        Key::Char(digit) => digit
            .to_digit(10)
            .and_then(|digit| u8::try_from(digit).ok()),
        _ => None,
    }
}

fn pick(key: &Key) -> Option<Pick> {
    match key {
        Key::Char('1') | Key::ArrowLeft => Some(Pick::Left),
        Key::Char('2') | Key::ArrowRight => Some(Pick::Right),
        Key::Char('3' | 't' | '=') => Some(Pick::Tie),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
