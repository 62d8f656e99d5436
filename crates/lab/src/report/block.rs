//! What a page is made of, before it is a page: headings, sentences, tables, figures, texts of models.
//!
//! `html.rs` and `markdown.rs` turn the same blocks into text. A block holds plain text only; each of the two escapes
//! it in its own way, so nothing that a model or a file says can become part of a page's structure. The one exception
//! is a figure, whose drawing `plot.rs` makes of numbers and of text that it escapes itself.

/// A piece of a page.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// A part of the page begins; it can be linked to.
    Section(String),
    /// A part of a section begins.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A paragraph that must not be missed.
    Warning(String),
    /// Rows and columns.
    Table(Table),
    /// A drawing; the same figures are in a table beside it.
    Figure { caption: String, svg: String },
    /// What a model wrote, as it is.
    Said(String),
    /// Something that is opened on demand.
    Details {
        /// The line that is always there.
        summary: String,
        /// The rest.
        blocks: Vec<Self>,
    },
}

/// Rows and columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// What it shows, in a sentence.
    pub(crate) caption: String,
    /// Heads of the columns.
    pub(crate) head: Vec<String>,
    /// Each as long as the head.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// One cell.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// Words; the first column names the row.
    Words(String),
    /// Figures, set right.
    Figure(String),
    /// Digests and the like.
    Code(String),
}

impl Cell {
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self::Words(text.into())
    }

    pub(crate) fn figure(text: impl ToString) -> Self {
        Self::Figure(text.to_string())
    }

    pub(crate) fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into())
    }
}

/// Heads of columns.
pub(crate) fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
