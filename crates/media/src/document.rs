//! Documents to pages of text.
//!
//! Each format has a file that gives its text to a [`Draft`], which bounds what comes of it: a document is read as far as
//! there is room, and says so.
mod archive;
mod charset;
mod docx;
mod html;
mod mail;
mod pdf;
mod xlsx;
mod xml;

use crate::{
    Content, Document, Kind, Page,
    limits::{MOST_PAGES, MOST_TEXT, MOST_WARNINGS},
    wire::Reply,
};

/// Reads a whole document.
pub(crate) fn read(kind: Kind, file: &[u8], password: Option<&str>) -> Result<Reply, String> {
    let mut draft = Draft::default();
    match kind {
        Kind::Pdf => match pdf::read(file, password, &mut draft)? {
            pdf::Opened::Yes => {}
            pdf::Opened::Locked => return Ok(locked(password)),
        },
        Kind::Docx => docx::read(file, &mut draft)?,
        Kind::Xlsx => xlsx::read(file, &mut draft)?,
        Kind::Mail => mail::read(file, &mut draft),
        Kind::Html => draft.page(&html::text(&charset::decode_html(file))),
        _ => plain(file, &mut draft),
    }
    Ok(Reply::Content(Content::Document(draft.finish()), false))
}

/// One page of a PDF as a picture.
pub(crate) fn render(file: &[u8], password: Option<&str>, page: u32) -> Result<Reply, String> {
    Ok(match pdf::render(file, password, page)? {
        Some(image) => Reply::Content(Content::Image(image), false),
        None => locked(password),
    })
}

fn locked(password: Option<&str>) -> Reply {
    Reply::Password {
        wrong: password.is_some(),
    }
}

/// Text as it is; a form feed begins a page.
fn plain(file: &[u8], draft: &mut Draft) {
    let text = charset::decode(file, None);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for page in text.trim_end_matches('\u{c}').split('\u{c}') {
        draft.page(page);
    }
}

/// A document under way.
#[derive(Default)]
struct Draft {
    pages: Vec<Page>,
    scans: Vec<u32>,
    warnings: Vec<String>,
    bytes: usize,
    full: bool,
}

impl Draft {
    /// Adds a page, as much of it as there is room for.
    fn page(&mut self, text: &str) {
        if self.full {
            return;
        }
        let text = tidy(text);
        let room = MOST_TEXT - self.bytes;
        let cut = text.floor_char_boundary(room);
        let number = self.pages.len() as u32 + 1;
        if cut < text.len() || number == MOST_PAGES {
            self.full = true;
            self.warn(format!(
                "page {number} is the last that was read: there is more than fits"
            ));
        }
        let text = text[..cut].to_owned();
        self.bytes += text.len();
        self.pages.push(Page { number, text });
    }

    /// No more can be added; whoever reads may stop.
    fn is_full(&self) -> bool {
        self.full
    }

    /// How many pages there are.
    fn len(&self) -> u32 {
        self.pages.len() as u32
    }

    /// The page that was added last is a scan.
    fn scan(&mut self) {
        self.scans.push(self.len());
    }

    fn warn(&mut self, line: impl Into<String>) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(line.into());
        }
    }

    fn finish(mut self) -> Document {
        if self.pages.is_empty() {
            self.page("");
        }
        Document {
            pages: self.pages,
            warnings: self.warnings,
            scans: self.scans,
        }
    }
}

/// Without spaces at the ends of lines, without more than one empty line at a time, without characters that show nothing.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        empty = 0;
        let shown = |c: &char| !c.is_control() && !matches!(c, '\u{ad}' | '\u{feff}') || *c == '\t';
        out.extend(line.chars().filter(shown));
    }
    out
}

/// A row of a table as a line.
fn row(cells: &[String]) -> String {
    let last = cells.iter().rposition(|cell| !cell.trim().is_empty());
    let cells = &cells[..last.map_or(0, |last| last + 1)];
    let flat = |cell: &String| cell.split_whitespace().collect::<Vec<_>>().join(" ");
    cells.iter().map(flat).collect::<Vec<_>>().join(" | ")
}
