//! Markdown as it is written by a model in, lines for a terminal out, while it streams.
//!
//! Called by `chat` and `ask` when stdout is a terminal: `push` each delta, print what comes back, `finish` once.
//! Nothing that was printed is ever taken back, so text is held only while its meaning is open: the first
//! characters of a line (`line`), a span without its end (`inline`), a word without its end (`wrap`), a table
//! without its first row (`table`), a formula without its end (`latex`).
//!
//! Invariants: how the text was cut into deltas does not change the output; no control character of the model
//! reaches the terminal; no letter or digit of the text is lost (marks are, when colours stand for them).
//! A line feed of the model is a line break: models do not fill lines by hand, but they do write verse.
//! Left out: setext headings, indented code, fences inside quotes, HTML; they are shown as text.
mod fence;
mod inline;
mod latex;
mod line;
mod table;
mod wrap;

pub use fence::{CodeBlock, code_blocks};

use crate::printable::is_clean;
use fence::Fence;
use inline::Inline;
use line::Kind;
use table::Columns;
use wrap::{Style, Wrap, columns};

/// Deepest nesting of quotes shown.
const QUOTES: usize = 8;

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether styles may be used; without them the marks of the source stay visible.
    pub colour: bool,
}

/// Renders one answer.
#[derive(Debug)]
pub struct Renderer {
    look: Look,
    wrap: Wrap,
    inline: Inline,
    state: State,
    /// The line so far, while its kind is not known.
    line: String,
    /// Columns of a list marker that stands before `line`.
    after_marker: Option<usize>,
    quotes: usize,
    table: Table,
    /// An empty line is due before the next text.
    blank: bool,
    begun: bool,
    n_blocks: usize,
}

#[derive(Debug)]
enum State {
    /// At the start of a line whose kind is open.
    Start,
    /// In text of this style.
    Flow(Style),
    /// In code, at the start of a line that may close it.
    Code(Fence),
    /// In code, further on in a line.
    CodeLine(Fence),
}

/// The table that the last lines belong to.
#[derive(Debug)]
enum Table {
    /// Its first lines, or none: too few to know how wide its columns are.
    Held(Vec<String>),
    Drawn(Columns),
    /// It does not fit, and is shown as it was written.
    Source,
}

impl Default for Table {
    fn default() -> Self {
        Self::Held(Vec::new())
    }
}

impl Renderer {
    /// A renderer for one answer.
    pub fn new(look: Look) -> Self {
        Self {
            look,
            wrap: Wrap::new(look.width, look.colour),
            inline: Inline::new(!look.colour),
            state: State::Start,
            line: String::new(),
            after_marker: None,
            quotes: 0,
            table: Table::default(),
            blank: false,
            begun: false,
            n_blocks: 0,
        }
    }

    /// Takes more of the answer; returns what can be shown now.
    pub fn push(&mut self, delta: &str) -> String {
        for c in delta.chars().filter(|&c| is_clean(c)) {
            self.feed(c);
        }
        self.wrap.take()
    }

    /// Ends the answer; returns the rest, which ends with a line feed if anything was shown.
    pub fn finish(mut self) -> String {
        match &self.state {
            State::Start if self.line.is_empty() => self.flush_table(),
            State::Start | State::Flow(_) => self.feed('\n'),
            State::Code(_) | State::CodeLine(_) => {
                if !self.line.is_empty() || matches!(self.state, State::CodeLine(_)) {
                    self.feed('\n');
                }
                if matches!(self.state, State::Code(_)) {
                    self.fence_line("");
                }
            }
        }
        self.flush_table();
        self.inline.end_block(&mut self.wrap);
        if !self.wrap.at_line_start() {
            self.wrap.line_feed();
        }
        self.wrap.take()
    }

    fn feed(&mut self, c: char) {
        match std::mem::replace(&mut self.state, State::Start) {
            State::Start => {
                if c != '\n' {
                    self.line.push(c);
                }
                self.classify(c == '\n');
                if c == '\n' {
                    self.end_line();
                }
            }
            State::Flow(style) if c == '\n' => {
                self.state = State::Flow(style);
                self.end_line();
            }
            State::Flow(style) => {
                self.inline.push(c, style, &mut self.wrap);
                self.state = State::Flow(style);
            }
            State::Code(fence) => self.code(fence, c),
            State::CodeLine(fence) if c == '\n' => {
                self.wrap.line_feed();
                self.state = State::Code(fence);
            }
            State::CodeLine(fence) => {
                self.wrap.verbatim(c, Style::PLAIN);
                self.state = State::CodeLine(fence);
            }
        }
    }

    fn end_line(&mut self) {
        if let State::Flow(style) = self.state {
            if !self.inline.end_line(style, &mut self.wrap) {
                self.wrap.line_feed();
            }
            self.state = State::Start;
        }
        self.quotes = 0;
        self.after_marker = None;
    }

    /// Looks at the line so far and, once its kind is known, starts it.
    fn classify(&mut self, ended: bool) {
        let Some(kind) = self.kind(ended) else {
            return;
        };
        if kind == Kind::Row {
            self.row();
            return;
        }
        self.flush_table();
        match kind {
            Kind::Blank => self.blank_line(),
            Kind::Heading { level, at } => self.heading(level, at),
            Kind::Item { at } => self.item(at, ended),
            Kind::Quote { at } => {
                self.quotes += 1;
                self.line.drain(..at);
                self.classify(ended);
            }
            Kind::Fence => self.open_fence(),
            Kind::Rule => {
                self.begin_line();
                self.wrap
                    .text(&"─".repeat(self.wrap.width().min(40)), Style::DIM);
                self.wrap.line_feed();
                self.line.clear();
            }
            Kind::Row | Kind::Text => self.paragraph(),
        }
    }

    /// The kind of the line where it stands: in a quote, after a marker and in a formula less is possible.
    fn kind(&self, ended: bool) -> Option<Kind> {
        if self.after_marker.is_some() && !self.line.starts_with(['`', '~']) {
            return Some(Kind::Text);
        }
        let kind = line::kind(&self.line, ended)?;
        if self.quotes > 0 {
            return Some(match kind {
                Kind::Fence | Kind::Rule | Kind::Row => Kind::Text,
                Kind::Quote { .. } if self.quotes >= QUOTES => Kind::Text,
                kind => kind,
            });
        }
        if !self.inline.in_display() || matches!(kind, Kind::Blank | Kind::Fence) {
            return Some(kind);
        }
        match kind {
            // A minus at the start of a line of a formula is no bullet, unless code follows.
            Kind::Item { at } if self.line[at..].starts_with(['`', '~']) => {
                let rest = line::kind(&self.line[at..], ended)?;
                Some(if rest == Kind::Fence {
                    kind
                } else {
                    Kind::Text
                })
            }
            _ => Some(Kind::Text),
        }
    }

    fn blank_line(&mut self) {
        self.inline.end_block(&mut self.wrap);
        if self.quotes == 0 {
            self.blank = true;
            self.line.clear();
        } else {
            self.open_line("", "");
            self.flow(self.line.len(), Style::PLAIN);
        }
    }

    fn heading(&mut self, level: usize, at: usize) {
        let marks = "#".repeat(level) + " ";
        self.open_line(if self.look.colour { "" } else { &marks }, "");
        let underline = if level == 1 {
            Style::UNDERLINE
        } else {
            Style::PLAIN
        };
        self.flow(at, Style::BOLD.with(underline));
    }

    fn item(&mut self, at: usize, ended: bool) {
        // A formula that never ended stands before the item.
        if self.inline.is_holding() {
            self.inline.end_block(&mut self.wrap);
            if !self.wrap.at_line_start() {
                self.wrap.line_feed();
            }
        }
        let bullet = match self.line[..at].trim() {
            "-" | "*" | "+" if self.look.colour => "•",
            marker => marker,
        };
        let first = format!("{}{bullet} ", self.indent());
        self.open_line(&first, &" ".repeat(columns(&first)));
        self.line.drain(..at);
        self.after_marker = Some(at);
        self.classify(ended);
    }

    fn paragraph(&mut self) {
        let at = self.line.len() - self.line.trim_start_matches([' ', '\t']).len();
        // A formula that is held back has no lines of its own yet.
        if self.after_marker.is_none() && !self.inline.is_holding() {
            let indent = self.indent();
            self.open_line(&indent, &indent);
        }
        self.flow(at, Style::PLAIN);
    }

    fn open_fence(&mut self) {
        let line = std::mem::take(&mut self.line);
        let Some(fence) = Fence::open(&line, self.after_marker.unwrap_or(0)) else {
            return;
        };
        self.inline.end_block(&mut self.wrap);
        if self.after_marker.is_some() {
            self.wrap.line_feed();
        }
        self.begin_line();
        self.n_blocks += 1;
        let language: String = fence.language.chars().take(40).collect();
        self.fence_line(format!(" [{}] {language}", self.n_blocks).trim_end());
        self.state = State::Code(fence);
    }

    fn fence_line(&mut self, label: &str) {
        for c in "───".chars().chain(label.chars()) {
            self.wrap.verbatim(c, Style::DIM);
        }
        self.wrap.line_feed();
    }

    /// One more character of a line of code that may yet be the closing fence.
    fn code(&mut self, fence: Fence, c: char) {
        if c != '\n' {
            self.line.push(c);
            if fence.may_close(&self.line) {
                self.state = State::Code(fence);
                return;
            }
        }
        let line = std::mem::take(&mut self.line);
        if c == '\n' && fence.closed_by(&line) {
            self.fence_line("");
            return;
        }
        for c in fence.content(&line).chars() {
            self.wrap.verbatim(c, Style::PLAIN);
        }
        if c == '\n' {
            self.wrap.line_feed();
            self.state = State::Code(fence);
        } else {
            self.state = State::CodeLine(fence);
        }
    }

    /// Draws a row, or keeps it while the columns are not known; a first row without dashes below it is text after all.
    fn row(&mut self) {
        let line = std::mem::take(&mut self.line);
        match &mut self.table {
            Table::Drawn(columns) => {
                let drawn = columns.row(&line);
                self.wrap.drawn(&drawn);
            }
            Table::Source => self.source_line(&line),
            Table::Held(lines) => {
                lines.push(line);
                if lines.len() == 2 && !table::is_delimiter(&lines[1]) {
                    let text = lines.remove(0);
                    self.source_line(&text);
                } else if lines.len() == 3 {
                    self.begin_table();
                }
            }
        }
    }

    /// Shows the lines that are held, and says how those that follow are shown.
    fn begin_table(&mut self) {
        let Table::Held(lines) = std::mem::replace(&mut self.table, Table::Source) else {
            return;
        };
        match Columns::fit(&lines, self.look.width, self.look.colour) {
            Some(columns) => {
                self.begin_line();
                self.wrap.drawn(&columns.head(&lines[0]));
                for line in &lines[2..] {
                    self.wrap.drawn(&columns.row(line));
                }
                self.table = Table::Drawn(columns);
            }
            None => lines.iter().for_each(|line| self.source_line(line)),
        }
    }

    /// The table is over.
    fn flush_table(&mut self) {
        match &mut self.table {
            Table::Held(lines) if lines.len() == 1 => {
                let line = lines.remove(0);
                self.source_line(&line);
            }
            Table::Held(lines) if lines.is_empty() => {}
            Table::Held(_) => self.begin_table(),
            Table::Drawn(_) | Table::Source => {}
        }
        self.table = Table::default();
    }

    fn source_line(&mut self, line: &str) {
        self.begin_line();
        let text: Vec<char> = line.chars().collect();
        inline::whole(&text, Style::PLAIN, !self.look.colour, &mut self.wrap);
        self.wrap.line_feed();
    }

    /// Writes the empty line that is due, if any.
    fn begin_line(&mut self) {
        if self.blank && self.begun {
            self.wrap.line_feed();
        }
        self.blank = false;
        self.begun = true;
    }

    fn open_line(&mut self, first: &str, hang: &str) {
        self.begin_line();
        let bars = styled(&"│ ".repeat(self.quotes), Style::DIM);
        let first = [bars.clone(), styled(first, Style::PLAIN)].concat();
        let hang = [bars, styled(hang, Style::PLAIN)].concat();
        self.wrap.lead(&first, &hang);
    }

    /// Writes the line from byte `at` on; what follows of it comes through `feed`.
    fn flow(&mut self, at: usize, style: Style) {
        let line = std::mem::take(&mut self.line);
        for c in line[at..].chars() {
            self.inline.push(c, style, &mut self.wrap);
        }
        self.state = State::Flow(style);
    }

    /// The line's own indent, but never so much that no room is left for text.
    fn indent(&self) -> String {
        let blanks = self.line.chars().take_while(|c| matches!(c, ' ' | '\t'));
        let columns: usize = blanks.map(|c| if c == '\t' { 4 } else { 1 }).sum();
        " ".repeat(columns.min(self.wrap.width() / 3))
    }
}

/// `text` without the style codes that a [`Renderer`] writes.
pub fn without_codes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}

fn styled(text: &str, style: Style) -> Vec<(char, Style)> {
    text.chars().map(|c| (c, style)).collect()
}
