//! Characters with places to lines of text, cells of a table apart.
//!
//! Characters that follow each other on a baseline are a segment; a gap makes a space, a wide one begins a new segment.
//! Segments on the same baseline, each to the right of the one before, are a row. Rows keep the order of the file, which is the
//! order in which it was written: two columns of prose stay two. Only short segments, as the cells of a table are, join a row
//! that came earlier.
use super::glyphs::Glyph;
use hayro_interpret::{hayro_cmap::BfString, kurbo::Vec2};

/// A gap of this part of the font size is a space.
const SPACE: f64 = 0.17;
/// A gap of this many sizes separates cells.
const CELL: f64 = 1.15;
/// Baselines this close, in sizes, are one.
const SAME: f64 = 0.35;
/// A cell is not longer than this many characters, nor than this part of the page's width.
const CELL_CHARS: usize = 28;
const CELL_WIDTH: f64 = 0.3;
/// How many rows back a cell looks for its row.
const LOOK_BACK: usize = 200;
/// Lines further apart than this many sizes have an empty line between them.
const PARAGRAPH: f64 = 1.9;

/// A stretch of text on one baseline.
#[derive(Clone, Debug)]
struct Segment {
    text: String,
    along: Vec2,
    /// From where to where it goes along its line, and how far across the page that line lies.
    from: f64,
    to: f64,
    across: f64,
    size: f64,
}

/// The text of a page that is `width` points wide.
pub(super) fn text(glyphs: &[Glyph], width: f64) -> String {
    let mut rows: Vec<Vec<Segment>> = Vec::new();
    for segment in segments(glyphs) {
        place(segment, &mut rows, width);
    }
    let mut out = String::new();
    let mut before: Option<&Segment> = None;
    for row in &rows {
        let Some(first) = row.first() else { continue };
        if let Some(before) = before {
            let apart =
                (first.across - before.across).abs() > PARAGRAPH * first.size.max(before.size);
            out.push_str(if apart { "\n\n" } else { "\n" });
        }
        out.push_str(&line(row));
        before = Some(first);
    }
    out
}

/// One row as a line.
fn line(row: &[Segment]) -> String {
    let mut out = String::new();
    let mut end = f64::NAN;
    for segment in row {
        if !out.is_empty() {
            let wide = segment.from - end > CELL * segment.size;
            out.push_str(if wide { " | " } else { " " });
        }
        out.push_str(segment.text.trim());
        end = segment.to;
    }
    out
}

fn segments(glyphs: &[Glyph]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for glyph in glyphs {
        let text = match &glyph.text {
            BfString::Char(c) => c.to_string(),
            BfString::String(text) => text.clone(),
        };
        let blank = text.chars().all(char::is_whitespace);
        match segments.last_mut() {
            Some(last) if last.takes(glyph) => last.push(glyph, &text, blank),
            // A space between segments says nothing that their places do not.
            _ if blank => {}
            _ => segments.push(Segment::new(glyph, text)),
        }
    }
    segments
}

impl Segment {
    fn new(glyph: &Glyph, text: String) -> Self {
        let (from, across) = position(glyph.along, glyph.begin.to_vec2());
        let (to, _) = position(glyph.along, glyph.end.to_vec2());
        Self {
            text,
            along: glyph.along,
            from,
            to,
            across,
            size: glyph.size,
        }
    }

    /// Whether the glyph goes on where this ends. Raised and lowered ones do too.
    fn takes(&self, glyph: &Glyph) -> bool {
        let (from, across) = position(self.along, glyph.begin.to_vec2());
        let size = self.size.max(glyph.size);
        let gap = from - self.to;
        let level = (across - self.across).abs();
        let small = glyph.size < 0.85 * self.size || self.size < 0.85 * glyph.size;
        let near = if small && gap < SPACE * size * 2.0 {
            0.6
        } else {
            SAME
        };
        self.along.dot(glyph.along) > 0.98
            && level < near * size
            && (-0.6 * size..CELL * size).contains(&gap)
    }

    fn push(&mut self, glyph: &Glyph, text: &str, blank: bool) {
        let (from, across) = position(self.along, glyph.begin.to_vec2());
        let (to, _) = position(self.along, glyph.end.to_vec2());
        let spaced = from - self.to > SPACE * self.size.min(glyph.size);
        if (spaced || blank) && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
        if !blank {
            self.text.push_str(text);
            // The larger letters of a line have its baseline.
            if glyph.size > self.size {
                (self.size, self.across) = (glyph.size, across);
            }
        }
        self.to = self.to.max(to);
    }

    /// Whether both lie on one baseline.
    fn is_level_with(&self, other: &Self) -> bool {
        let near = SAME * self.size.max(other.size);
        self.along.dot(other.along) > 0.98 && (self.across - other.across).abs() < near
    }

    fn is_cell(&self, width: f64) -> bool {
        self.text.chars().count() <= CELL_CHARS && self.to - self.from <= CELL_WIDTH * width
    }
}

/// Adds a segment to the row it belongs to, or begins one.
fn place(segment: Segment, rows: &mut Vec<Vec<Segment>>, width: f64) {
    if let Some(row) = rows.last_mut()
        && let Some(last) = row.last()
        && last.is_level_with(&segment)
        && segment.from >= last.to - 0.6 * segment.size
    {
        row.push(segment);
        return;
    }
    if segment.is_cell(width) {
        for row in rows.iter_mut().rev().take(LOOK_BACK) {
            let fits = |other: &Segment| {
                other.is_cell(width)
                    && other.is_level_with(&segment)
                    && (other.to <= segment.from + 1.0 || segment.to <= other.from + 1.0)
            };
            if row.iter().all(fits) {
                let at = row.partition_point(|other| other.from < segment.from);
                row.insert(at, segment);
                return;
            }
        }
    }
    rows.push(vec![segment]);
}

/// How far a point lies along a direction, and across it.
fn position(along: Vec2, point: Vec2) -> (f64, f64) {
    (along.dot(point), along.cross(point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayro_interpret::kurbo::Point;

    /// Letters of size 10, each half as wide, from a place on.
    fn written(text: &str, x: f64, y: f64) -> Vec<Glyph> {
        let glyph = |(i, c): (usize, char)| {
            let begin = Point::new(x + 5.0 * i as f64, y);
            Glyph {
                text: BfString::Char(c),
                begin,
                end: begin + Vec2::new(5.0, 0.0),
                along: Vec2::new(1.0, 0.0),
                size: 10.0,
            }
        };
        text.chars().enumerate().map(glyph).collect()
    }

    fn read(parts: &[(&str, f64, f64)]) -> String {
        let glyphs: Vec<Glyph> = parts
            .iter()
            .flat_map(|(t, x, y)| written(t, *x, *y))
            .collect();
        text(&glyphs, 600.0)
    }

    #[test]
    fn gaps_are_spaces_and_baselines_are_lines() {
        let parts = [
            ("one", 0.0, 100.0),
            ("two", 18.0, 100.0),
            ("three", 0.0, 112.0),
            ("four", 0.0, 150.0),
        ];
        assert_eq!(read(&parts), "one two\nthree\n\nfour");
    }

    #[test]
    fn cells_stand_apart_in_whichever_order_they_were_drawn() {
        let rows = [
            ("tea", 0.0, 0.0),
            ("3", 100.0, 0.0),
            ("milk", 0.0, 12.0),
            ("4", 100.0, 12.0),
        ];
        let columns = [rows[0], rows[2], rows[1], rows[3]];
        assert_eq!(read(&rows), "tea | 3\nmilk | 4");
        assert_eq!(read(&columns), "tea | 3\nmilk | 4");
    }

    #[test]
    fn columns_of_prose_stay_columns() {
        let left = "a line of prose that is about as long as a column";
        let right = "and another of which nobody wants to have a half";
        let parts = [
            (left, 0.0, 0.0),
            (left, 0.0, 12.0),
            (right, 320.0, 0.0),
            (right, 320.0, 12.0),
        ];
        assert_eq!(read(&parts), format!("{left}\n{left}\n{right}\n{right}"));
    }
}
