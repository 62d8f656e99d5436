//! The lines of a table in, aligned columns that fit the width out, row by row.
//!
//! Called by the block renderer. The head and the first row decide how wide the columns are, with some room for longer
//! cells below; after that each row is drawn when it comes, and what is longer than its column wraps. A table that cannot
//! fit is handed back to be shown as its source lines. Cells are read like any line of text, so emphasis and code work.
use super::{
    inline::whole,
    wrap::{Style, Wrap, columns},
};

/// Narrowest column that is still readable.
const NARROW: usize = 4;
/// Between two columns.
const GAP: &str = " │ ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Centre,
    Right,
}

/// Whether `line` is the row of dashes under a table's head.
pub(crate) fn is_delimiter(line: &str) -> bool {
    let cells = cells(line);
    !cells.is_empty() && cells.iter().all(|cell| align(cell).is_some())
}

/// How a table is drawn.
#[derive(Debug)]
pub(crate) struct Columns {
    widths: Vec<usize>,
    aligns: Vec<Align>,
    colour: bool,
}

impl Columns {
    /// Columns that fit into `width`, for a head, a row of dashes and the first row, if there is one.
    pub(crate) fn fit(lines: &[String], width: usize, colour: bool) -> Option<Self> {
        let aligns: Vec<Align> = cells(lines.get(1)?)
            .iter()
            .map(|cell| align(cell).unwrap_or(Align::Left))
            .collect();
        let mut rows: Vec<Vec<String>> = vec![cells(lines.first()?)];
        rows.extend(lines.get(2).map(|line| cells(line)));
        let n = rows.iter().map(Vec::len).max()?;
        for row in &mut rows {
            row.resize(n, String::new());
        }
        let mut widths = natural(&rows, n, colour);
        if lines.len() > 2 {
            widen(&mut widths, width);
        }
        Some(Self {
            widths: shrink(widths, width)?,
            aligns,
            colour,
        })
    }

    /// The head with the line below it.
    pub(crate) fn head(&self, line: &str) -> String {
        let bars: Vec<String> = self.widths.iter().map(|&w| "─".repeat(w)).collect();
        self.draw(line, Style::BOLD) + &dim(&bars.join("─┼─"), self.colour) + "\n"
    }

    /// One row.
    pub(crate) fn row(&self, line: &str) -> String {
        self.draw(line, Style::PLAIN)
    }

    fn draw(&self, line: &str, style: Style) -> String {
        let mut row = cells(line);
        let n = self.widths.len();
        if row.len() > n {
            // More cells than columns: the last column has the rest.
            let rest = row.split_off(n - 1);
            row.push(rest.join(" | "));
        }
        row.resize(n, String::new());
        let mut out = String::new();
        draw_row(
            &row,
            &self.widths,
            &self.aligns,
            (style, self.colour),
            &mut out,
        );
        out
    }
}

/// Room for rows with longer cells, where there is room.
fn widen(widths: &mut [usize], width: usize) {
    let used: usize = widths.iter().sum::<usize>() + columns(GAP) * (widths.len() - 1);
    let mut room = width.saturating_sub(used);
    for column in widths {
        let more = (*column / 2 + 2).min(room);
        *column += more;
        room -= more;
    }
}

/// The cells of a row; `\|` is a bar inside a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let last = cells.len() - 1;
        match c {
            '\\' if chars.peek() == Some(&'|') => cells[last].extend(chars.next()),
            '|' => cells.push(String::new()),
            c => cells[last].push(c),
        }
    }
    // A bar at the end closes the last cell, it does not open another.
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn align(cell: &str) -> Option<Align> {
    let dashes = cell.trim_matches(':');
    if dashes.is_empty() || dashes.chars().any(|c| c != '-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Align::Centre,
        (false, true) => Align::Right,
        _ => Align::Left,
    })
}

fn natural(rows: &[Vec<String>], n: usize, colour: bool) -> Vec<usize> {
    let widest = |i: usize| {
        rows.iter()
            .map(|row| plain_width(&row[i], colour))
            .max()
            .unwrap_or(0)
    };
    (0..n).map(|i| widest(i).max(1)).collect()
}

fn plain_width(cell: &str, colour: bool) -> usize {
    let lines = layout(cell, 4 * cell.len() + 4, Style::PLAIN, colour);
    lines.iter().map(|(_, width)| *width).max().unwrap_or(0)
}

/// Takes columns from the widest until the row fits.
fn shrink(mut widths: Vec<usize>, width: usize) -> Option<Vec<usize>> {
    let room = width.checked_sub(columns(GAP) * (widths.len() - 1))?;
    if widths.iter().map(|&w| w.min(NARROW)).sum::<usize>() > room {
        return None;
    }
    let mut total: usize = widths.iter().sum();
    while total > room {
        let widest = widths.iter_mut().max()?;
        *widest -= 1;
        total -= 1;
    }
    Some(widths)
}

fn draw_row(
    row: &[String],
    widths: &[usize],
    aligns: &[Align],
    (style, colour): (Style, bool),
    out: &mut String,
) {
    let cells: Vec<Vec<(String, usize)>> = row
        .iter()
        .zip(widths)
        .map(|(cell, &width)| layout(cell, width, style, colour))
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let empty = (String::new(), 0);
    for y in 0..height {
        let mut line = String::new();
        for (x, &width) in widths.iter().enumerate() {
            if x > 0 {
                line.push_str(&dim(GAP, colour));
            }
            let (text, used) = cells[x].get(y).unwrap_or(&empty);
            let free = width.saturating_sub(*used);
            let left = match aligns.get(x).unwrap_or(&Align::Left) {
                Align::Left => 0,
                Align::Centre => free / 2,
                Align::Right => free,
            };
            line.push_str(&" ".repeat(left));
            line.push_str(text);
            line.push_str(&" ".repeat(free - left));
        }
        out.push_str(line.trim_end_matches(' '));
        out.push('\n');
    }
}

/// The lines of a cell with the columns each takes.
fn layout(cell: &str, width: usize, style: Style, colour: bool) -> Vec<(String, usize)> {
    let text: Vec<char> = cell.chars().collect();
    let mut wrap = Wrap::new(width, colour);
    whole(&text, style, !colour, &mut wrap);
    wrap.line_feed();
    let shown = wrap.take();
    let bare = super::without_codes(&shown);
    shown
        .lines()
        .zip(bare.lines())
        .map(|(line, bare)| (line.to_owned(), columns(bare)))
        .collect()
}

fn dim(text: &str, colour: bool) -> String {
    if colour {
        format!("\x1b[2m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}
