//! Word documents: paragraphs, headings, lists, tables and notes.
//!
//! Pages end where Word last saw them end (`lastRenderedPageBreak`) or where the author ended them; a file that no Word has
//! opened may have neither and is one page. Left out: headers and footers, which repeat, and comments.
use super::{
    Draft,
    archive::Archive,
    row,
    xml::{self, Element, Token},
};

pub(super) fn read(file: &[u8], draft: &mut Draft) -> Result<(), String> {
    let archive = Archive::open(file)?;
    let body = archive.part("word/document.xml")?;
    let body = body.ok_or("the file is damaged: a Word document without its text")?;
    let mut text = Text::default();
    let whole = xml::each(&body, |token| {
        text.take(token, draft);
        !draft.is_full()
    });
    if !whole {
        draft.warn("the file is damaged and was read as far as it goes");
    }
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Ok(Some(notes)) = archive.part(notes) {
            text.end_line();
            xml::each(&notes, |token| {
                text.take(token, draft);
                !draft.is_full()
            });
        }
    }
    text.end_page(draft);
    Ok(())
}

/// The text of the page under way.
#[derive(Default)]
struct Text {
    page: String,
    line: String,
    /// Inside `w:t`, the only place with text to show.
    shown: bool,
    /// Inside a fallback, which says again what came before.
    fallback: usize,
    /// Rows under way, of tables inside tables.
    rows: Vec<Vec<String>>,
    page_ends: bool,
}

impl Text {
    fn take(&mut self, token: Token<'_>, draft: &mut Draft) {
        match token {
            Token::Begin(element) if element.name == "Fallback" => self.fallback += 1,
            Token::End(name) if name == "Fallback" => {
                self.fallback = self.fallback.saturating_sub(1);
            }
            _ if self.fallback > 0 => {}
            Token::Begin(element) => self.begin(&element, draft),
            Token::End(name) => self.end(&name, draft),
            Token::Text(text) if self.shown => self.line.push_str(&text),
            Token::Text(_) => {}
        }
    }

    fn begin(&mut self, element: &Element<'_>, draft: &mut Draft) {
        match element.name.as_str() {
            "t" => self.shown = true,
            "tab" => self.line.push('\t'),
            "noBreakHyphen" => self.line.push('-'),
            "br" if element.attribute("type").as_deref() == Some("page") => self.turn_page(draft),
            "br" | "cr" => self.line.push('\n'),
            // After a break by the author Word notes the same break again.
            "lastRenderedPageBreak" if !self.page.trim().is_empty() => self.turn_page(draft),
            "pStyle" => {
                let style = element
                    .attribute("val")
                    .unwrap_or_default()
                    .to_ascii_lowercase();
                let level = style
                    .strip_prefix("heading")
                    .and_then(|n| n.parse::<usize>().ok());
                if let Some(level @ 1..=6) = level {
                    self.line.insert_str(0, &format!("{} ", "#".repeat(level)));
                }
            }
            "numPr" if self.line.is_empty() => self.line.push_str("- "),
            "tr" => self.rows.push(vec![]),
            "tc" => {
                if let Some(row) = self.rows.last_mut() {
                    row.push(String::new());
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str, draft: &mut Draft) {
        match name {
            "t" => self.shown = false,
            "p" => self.end_line(),
            "tr" => {
                if let Some(cells) = self.rows.pop() {
                    self.line.push_str(&row(&cells));
                    self.end_line();
                }
                if self.page_ends {
                    self.turn_page(draft);
                }
            }
            _ => {}
        }
    }

    /// Ends a paragraph: in a cell it goes on after a space.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        match self.rows.last_mut().and_then(|row| row.last_mut()) {
            Some(cell) => {
                cell.push_str(&line);
                cell.push(' ');
            }
            None => {
                self.page.push_str(&line);
                self.page.push('\n');
            }
        }
    }

    /// Ends the page in the middle of a paragraph, or after the row of a table that it lies in.
    fn turn_page(&mut self, draft: &mut Draft) {
        self.page_ends = !self.rows.is_empty();
        if self.page_ends {
            return;
        }
        // The mark of a heading or a list goes with the words that follow.
        if !self.line.trim_matches(['#', '-', ' ']).is_empty() {
            self.end_line();
        }
        self.end_page(draft);
    }

    fn end_page(&mut self, draft: &mut Draft) {
        draft.page(&std::mem::take(&mut self.page));
    }
}
