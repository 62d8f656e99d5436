//! Styled characters in, lines of at most `width` columns with ANSI codes out.
//!
//! Fed by the block renderer and by table cells. A word leaves as soon as its end is known; nothing written is
//! ever taken back. Columns are counted by `unicode-width`; wide characters may be broken between, other words
//! only when one is longer than a line.
//!
//! Invariants: no style is on across a line feed; a continuation line begins with `hang`; every character that is
//! not a blank is written exactly once and in order.
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a character looks; a set of attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style(u8);

impl Style {
    pub(crate) const PLAIN: Self = Self(0);
    pub(crate) const BOLD: Self = Self(1);
    pub(crate) const DIM: Self = Self(2);
    pub(crate) const ITALIC: Self = Self(4);
    pub(crate) const UNDERLINE: Self = Self(8);
    pub(crate) const STRIKE: Self = Self(16);
    pub(crate) const CODE: Self = Self(32);

    /// Both sets together.
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn codes(self) -> String {
        const SGR: [(u8, &str); 6] = [
            (1, "1"),
            (2, "2"),
            (4, "3"),
            (8, "4"),
            (16, "9"),
            (32, "36"),
        ];
        let on: Vec<&str> = SGR
            .iter()
            .filter(|(bit, _)| self.0 & bit != 0)
            .map(|(_, code)| *code)
            .collect();
        format!("\x1b[{}m", on.join(";"))
    }
}

/// Columns that `text` takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks styled text into lines.
#[derive(Debug)]
pub(crate) struct Wrap {
    width: usize,
    colour: bool,
    out: String,
    shown: Style,
    column: usize,
    hang: Vec<(char, Style)>,
    gap: Vec<(char, Style)>,
    word: Vec<(char, Style)>,
}

impl Wrap {
    pub(crate) fn new(width: usize, colour: bool) -> Self {
        Self {
            width: width.max(4),
            colour,
            out: String::new(),
            shown: Style::PLAIN,
            column: 0,
            hang: Vec::new(),
            gap: Vec::new(),
            word: Vec::new(),
        }
    }

    /// What is ready to be shown.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn at_line_start(&self) -> bool {
        self.column == 0 && self.word.is_empty()
    }

    /// Writes the start of a line as it is: `first` on this line, `hang` on the lines that follow by wrapping.
    /// Longer than half a line, they are cut: an indent is not worth the text.
    pub(crate) fn lead(&mut self, first: &[(char, Style)], hang: &[(char, Style)]) {
        let half = self.width / 2;
        self.hang = fitting(hang, half).to_vec();
        for &(c, style) in first {
            self.emit(c, style);
        }
        self.gap.clear();
    }

    /// Adds text of one style.
    pub(crate) fn text(&mut self, text: &str, style: Style) {
        for c in text.chars() {
            self.push(c, style);
        }
    }

    /// Adds one character.
    pub(crate) fn push(&mut self, c: char, style: Style) {
        let wide = c.width().unwrap_or(0) > 1;
        if c == ' ' || c == '\t' {
            self.flush();
            self.gap.push((' ', style));
            return;
        }
        let room = self.width - measure(&self.hang);
        // The second limit is for characters without width, of which a line holds any number.
        if wide
            || measure(&self.word) + c.width().unwrap_or(0) > room
            || self.word.len() > 4 * self.width
        {
            self.flush();
        }
        self.word.push((c, style));
        if wide {
            self.flush();
        }
    }

    /// Writes text as it is, without breaking it: code.
    pub(crate) fn verbatim(&mut self, c: char, style: Style) {
        self.flush();
        self.emit(c, style);
    }

    /// Takes lines that are laid out already, each with its line feed.
    pub(crate) fn drawn(&mut self, lines: &str) {
        self.out.push_str(lines);
    }

    /// Ends the line.
    pub(crate) fn line_feed(&mut self) {
        self.flush();
        self.gap.clear();
        self.hang.clear();
        self.style(Style::PLAIN);
        self.out.push('\n');
        self.column = 0;
    }

    fn flush(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let mut gap = std::mem::take(&mut self.gap);
        let lead = measure(&self.hang);
        let fits = self.column + gap.len() + measure(&word) <= self.width;
        if !fits {
            gap.clear();
        }
        if !fits && self.column > lead {
            self.style(Style::PLAIN);
            self.out.push('\n');
            self.column = 0;
            for (c, style) in self.hang.clone() {
                self.emit(c, style);
            }
        }
        for (c, style) in gap.into_iter().chain(word) {
            self.emit(c, style);
        }
    }

    fn emit(&mut self, c: char, style: Style) {
        self.style(style);
        self.out.push(c);
        self.column += c.width().unwrap_or(0);
    }

    fn style(&mut self, style: Style) {
        if !self.colour || style == self.shown {
            return;
        }
        if self.shown != Style::PLAIN {
            self.out.push_str("\x1b[0m");
        }
        if style != Style::PLAIN {
            self.out.push_str(&style.codes());
        }
        self.shown = style;
    }
}

fn measure(text: &[(char, Style)]) -> usize {
    text.iter().map(|(c, _)| c.width().unwrap_or(0)).sum()
}

fn fitting(text: &[(char, Style)], width: usize) -> &[(char, Style)] {
    let mut used = 0;
    let end = text.iter().position(|(c, _)| {
        used += c.width().unwrap_or(0);
        used > width
    });
    &text[..end.unwrap_or(text.len())]
}
