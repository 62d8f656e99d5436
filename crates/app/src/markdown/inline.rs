//! The text of one line in, characters with a style out: emphasis, code, links, maths.
//!
//! Fed by the block renderer one character at a time. What may still turn out to be markup (an opener whose
//! closer has not come) is held back, at most `HOLD` characters, then written as it stands; everything else
//! passes through at once. Decisions depend on the characters alone, never on how they were cut into deltas.
//!
//! Stricter than CommonMark on purpose: `*`, `**` and `~~` next to an ASCII letter or digit on their outer side are
//! text, so `2*3*4` and `2**3**4` keep their signs; `__` is text, so `__init__` keeps its name. Maths (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`)
//! is held until it is whole and shown as text people read (`latex`); without its end, or without colours, it stays as written.
//! Left out: reference links, HTML, hard breaks; they are shown as text.
use super::{
    latex,
    wrap::{Style, Wrap},
};

/// Longest stretch held back while waiting for the end of a span.
const HOLD: usize = 400;

/// Longest formula held back.
const FORMULA: usize = 2000;

/// Reads the text of a line.
#[derive(Debug)]
pub(crate) struct Inline {
    held: Vec<char>,
    before: Option<char>,
    maths: Option<Maths>,
    /// The formula so far with the marks it began with, while it is held back.
    formula: Option<Vec<char>>,
    /// Without colours the markup itself is shown: it is the only style there is.
    keep_marks: bool,
}

/// How a stretch of maths began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Maths {
    Dollar,
    Dollars,
    Paren,
    Bracket,
}

/// What the held text begins with.
enum Step {
    /// Not known yet.
    Hold,
    /// This many characters of plain text.
    Text(usize),
    /// A backslash that hides the meaning of the next character.
    Escape,
    /// `len` characters, of which `open` at the start and as many at the end are marks.
    Span {
        open: usize,
        len: usize,
        style: Style,
    },
    /// The same, but what is inside is not read further.
    Code { open: usize, len: usize },
    /// `[` label `](` address `)`; `label` and `len` are where the `]` stands and where it all ends.
    Link { label: usize, len: usize },
    /// Maths begins with this many characters.
    Maths(Maths, usize),
    /// This many characters of maths; whether they end it.
    Formula(usize, bool),
    /// What looked like a formula is none.
    NoFormula,
}

impl Inline {
    pub(crate) fn new(keep_marks: bool) -> Self {
        Self {
            held: Vec::new(),
            before: None,
            maths: None,
            formula: None,
            keep_marks,
        }
    }

    /// Whether a display formula goes on over the end of the line.
    pub(crate) fn in_display(&self) -> bool {
        matches!(self.maths, Some(Maths::Dollars | Maths::Bracket))
    }

    /// Whether a formula is held back.
    pub(crate) fn is_holding(&self) -> bool {
        self.formula.is_some()
    }

    /// Reads one more character.
    pub(crate) fn push(&mut self, c: char, base: Style, to: &mut Wrap) {
        self.held.push(c);
        self.drain(false, base, to);
        if self.held.len() >= HOLD {
            // One step with the end assumed frees the opener that waited too long.
            let held = std::mem::take(&mut self.held);
            let used = self.advance(&held, true, base, to);
            self.held = held[used..].to_vec();
            self.drain(false, base, to);
        }
    }

    /// The line ends: nothing can be held any longer but a display formula, which may go on; then `true`.
    pub(crate) fn end_line(&mut self, base: Style, to: &mut Wrap) -> bool {
        self.drain(true, base, to);
        self.before = None;
        if !self.in_display() {
            self.give_up(base, to);
            self.maths = None;
        }
        match &mut self.formula {
            Some(formula) => {
                formula.push('\n');
                true
            }
            None => false,
        }
    }

    /// A blank line ends even a formula that was never closed.
    pub(crate) fn end_block(&mut self, to: &mut Wrap) {
        self.give_up(Style::PLAIN, to);
        self.maths = None;
    }

    /// Shows a formula that has no end as it was written.
    fn give_up(&mut self, base: Style, to: &mut Wrap) {
        if let Some(formula) = self.formula.take() {
            write(&formula, base, to);
        }
    }

    /// One more stretch of a formula; the last one, if it `ends`.
    fn formula(&mut self, text: &[char], ends: bool, base: Style, to: &mut Wrap) {
        let Some(formula) = &mut self.formula else {
            return write(text, base, to);
        };
        formula.extend(text);
        if ends {
            let (mark, formula) = (text.len(), self.formula.take().unwrap_or_default());
            let inner = formula.get(mark..formula.len() - mark).unwrap_or_default();
            let shown = match mark == 1 && !is_formula(inner) {
                true => formula,
                false => latex::text(inner).chars().collect(),
            };
            write(&shown, base, to);
        } else if formula.len() > FORMULA {
            self.give_up(base, to);
        }
    }

    fn drain(&mut self, ended: bool, base: Style, to: &mut Wrap) {
        let held = std::mem::take(&mut self.held);
        let mut at = 0;
        while at < held.len() {
            match self.advance(&held[at..], ended, base, to) {
                0 => break,
                used => at += used,
            }
        }
        self.held = held;
        self.held.drain(..at);
    }

    /// Takes one step; returns the characters used, none if more text is needed.
    fn advance(&mut self, held: &[char], ended: bool, base: Style, to: &mut Wrap) -> usize {
        let step = match self.maths {
            Some(maths) => self.in_maths(maths, held, ended),
            None => step(held, self.before, ended),
        };
        let used = self.show(&step, held, base, to);
        if used > 0 {
            self.before = held.get(used - 1).copied();
        }
        used
    }

    fn in_maths(&mut self, maths: Maths, held: &[char], ended: bool) -> Step {
        let close: &[char] = match maths {
            Maths::Dollar => &['$'],
            Maths::Dollars => &['$', '$'],
            Maths::Paren => &['\\', ')'],
            Maths::Bracket => &['\\', ']'],
        };
        if !held.starts_with(close) {
            let may_close = close.starts_with(held) || held == ['\\'];
            return match held[0] {
                _ if may_close && !ended => Step::Hold,
                // A sign after a backslash is part of the formula, and closes nothing.
                '\\' => Step::Formula(held.len().min(2), false),
                _ => Step::Formula(1, false),
            };
        }
        if maths == Maths::Dollar && self.before.is_some_and(char::is_whitespace) {
            // "$a and $b" are no formula.
            return Step::NoFormula;
        }
        self.maths = None;
        Step::Formula(close.len(), true)
    }

    /// Writes what the step says; returns the characters used.
    fn show(&mut self, step: &Step, held: &[char], base: Style, to: &mut Wrap) -> usize {
        match *step {
            Step::Hold => 0,
            Step::Text(n) => {
                write(&held[..n], base, to);
                n
            }
            Step::Escape => {
                write(&held[usize::from(!self.keep_marks)..2], base, to);
                2
            }
            Step::Maths(maths, n) => {
                self.maths = Some(maths);
                self.formula = (!self.keep_marks).then(Vec::new);
                self.formula(&held[..n], false, base, to);
                n
            }
            Step::Formula(n, ends) => {
                self.formula(&held[..n], ends, base, to);
                n
            }
            Step::NoFormula => {
                self.give_up(base, to);
                self.maths = None;
                // The dollar may begin one.
                let step = dollar(held, true);
                self.show(&step, held, base, to)
            }
            Step::Code { open, len } => {
                let style = base.with(Style::CODE);
                if self.keep_marks {
                    write(&held[..len], style, to);
                } else {
                    write(trim_code(&held[open..len - open]), style, to);
                }
                len
            }
            Step::Span { open, len, style } => {
                self.marked(&held[..len], open, base.with(style), to);
                len
            }
            Step::Link { label, len } => {
                self.link(&held[1..label], &held[label + 2..len - 1], base, to);
                len
            }
        }
    }

    fn marked(&self, text: &[char], open: usize, style: Style, to: &mut Wrap) {
        let (mark, inner) = (&text[..open], &text[open..text.len() - open]);
        if self.keep_marks {
            write(mark, style, to);
        }
        whole(inner, style, self.keep_marks, to);
        if self.keep_marks {
            write(mark, style, to);
        }
    }

    fn link(&self, label: &[char], address: &[char], base: Style, to: &mut Wrap) {
        if self.keep_marks {
            write(&['['], base, to);
            whole(label, base, true, to);
            write(&[']', '('], base, to);
            write(address, base, to);
            write(&[')'], base, to);
            return;
        }
        whole(label, base.with(Style::UNDERLINE), false, to);
        let is_web = address.starts_with(&['h', 't', 't', 'p']);
        if !(address.is_empty() || is_web && label == address) {
            write(&[' ', '('], base.with(Style::DIM), to);
            write(address, base.with(Style::DIM), to);
            write(&[')'], base.with(Style::DIM), to);
        }
    }
}

/// Writes the whole of a text that is known to its end: the inside of a span, a cell of a table.
pub(crate) fn whole(text: &[char], base: Style, keep_marks: bool, to: &mut Wrap) {
    let mut inline = Inline::new(keep_marks);
    inline.held = text.to_vec();
    inline.drain(true, base, to);
    inline.give_up(base, to);
}

fn write(text: &[char], style: Style, to: &mut Wrap) {
    for &c in text {
        match c {
            '\n' => to.line_feed(),
            c => to.push(c, style),
        }
    }
}

fn step(held: &[char], before: Option<char>, ended: bool) -> Step {
    match held[0] {
        '`' => code(held, ended),
        '*' | '_' | '~' => span(held, before, ended),
        '[' => link(held, ended),
        '\\' => backslash(held, ended),
        '$' => dollar(held, ended),
        _ => Step::Text(1),
    }
}

fn run(text: &[char]) -> usize {
    text.iter().take_while(|&&c| c == text[0]).count()
}

/// Holds while more may come; else the mark is text.
fn hold_or_text(ended: bool, n: usize) -> Step {
    if ended { Step::Text(n) } else { Step::Hold }
}

fn code(held: &[char], ended: bool) -> Step {
    let open = run(held);
    if open == held.len() {
        return hold_or_text(ended, open);
    }
    match end_of_code(held, ended) {
        Some(len) => Step::Code { open, len },
        None => hold_or_text(ended, open),
    }
}

/// Where the code span at the start of `text` ends; its closing run must be known to be complete.
fn end_of_code(text: &[char], ended: bool) -> Option<usize> {
    let open = run(text);
    let mut at = open;
    while at < text.len() {
        if text[at] != '`' {
            at += 1;
            continue;
        }
        let n = run(&text[at..]);
        let complete = ended || at + n < text.len();
        if n == open && complete {
            return Some(at + n);
        }
        at += n;
    }
    None
}

fn trim_code(text: &[char]) -> &[char] {
    let blank = text.iter().all(|&c| c == ' ');
    match text {
        [' ', inner @ .., ' '] if !blank => inner,
        _ => text,
    }
}

fn span(held: &[char], before: Option<char>, ended: bool) -> Step {
    let (mark, open) = (held[0], run(held));
    let style = match (mark, open) {
        ('*' | '_', 1) => Style::ITALIC,
        ('*', 2) => Style::BOLD,
        ('*', 3) => Style::BOLD.with(Style::ITALIC),
        ('~', 2) => Style::STRIKE,
        _ => {
            return if open == held.len() {
                hold_or_text(ended, open)
            } else {
                Step::Text(open)
            };
        }
    };
    let Some(&next) = held.get(open) else {
        return hold_or_text(ended, open);
    };
    if next.is_whitespace() || before.is_some_and(|c| glues(mark, c)) {
        return Step::Text(open);
    }
    match end_of_span(held, mark, open, ended) {
        Some(len) => Step::Span { open, len, style },
        None => hold_or_text(ended, open),
    }
}

/// Whether a mark next to `c` on its outer side belongs to a word or a formula.
fn glues(mark: char, c: char) -> bool {
    if mark == '_' {
        c.is_alphanumeric()
    } else {
        c.is_ascii_alphanumeric()
    }
}

fn end_of_span(text: &[char], mark: char, open: usize, ended: bool) -> Option<usize> {
    let mut at = open;
    while at < text.len() {
        if text[at] == '\\' {
            at += 2;
            continue;
        }
        if text[at] == '`' {
            // A code span hides what is in it; one that never ends is text.
            at += match end_of_code(&text[at..], ended) {
                Some(n) => n,
                None if ended => run(&text[at..]),
                None => return None,
            };
            continue;
        }
        if text[at] != mark {
            at += 1;
            continue;
        }
        let n = run(&text[at..]);
        let end = at + n;
        let known = ended || end < text.len();
        let closes =
            !text[at - 1].is_whitespace() && text.get(end).is_none_or(|&c| !glues(mark, c));
        // Three marks end an inner and an outer span at once.
        if known && closes && (n == open || n == 3 && open < 3) {
            return Some(end);
        }
        at = end;
    }
    None
}

fn link(held: &[char], ended: bool) -> Step {
    let Some(label) = matching(held, '[', ']') else {
        return hold_or_text(ended, 1);
    };
    match held.get(label + 1) {
        None => hold_or_text(ended, 1),
        Some('(') => match matching(&held[label + 1..], '(', ')') {
            Some(n) => Step::Link {
                label,
                len: label + n + 2,
            },
            None => hold_or_text(ended, 1),
        },
        Some(_) => Step::Text(1),
    }
}

/// Where the bracket that `text` begins with is closed.
fn matching(text: &[char], open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, &c) in text.iter().enumerate() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn backslash(held: &[char], ended: bool) -> Step {
    match held.get(1) {
        None => hold_or_text(ended, 1),
        Some('(') => Step::Maths(Maths::Paren, 2),
        Some('[') => Step::Maths(Maths::Bracket, 2),
        Some(
            '*' | '_' | '`' | '#' | '~' | '|' | '>' | '<' | '-' | '+' | '.' | '!' | '\\' | '$',
        ) => Step::Escape,
        Some(_) => Step::Text(1),
    }
}

/// Whether what stands between two dollars is maths and not, say, `$HOME/$USER`.
fn is_formula(text: &[char]) -> bool {
    let is_word = |word: &[char]| word.iter().all(|c| c.is_alphabetic());
    text.contains(&'\\') || text.contains(&'{') || !text.windows(2).any(is_word)
}

/// A dollar before a digit or a blank is money, not maths.
fn dollar(held: &[char], ended: bool) -> Step {
    match held.get(1) {
        None => hold_or_text(ended, 1),
        Some('$') => Step::Maths(Maths::Dollars, 2),
        Some(c) if c.is_whitespace() || c.is_ascii_digit() => Step::Text(1),
        Some(_) => Step::Maths(Maths::Dollar, 1),
    }
}
