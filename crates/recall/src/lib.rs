//! Answers from documents: finds the passages that a question is about, and quotes the page for what a model answers.
//!
//! ```
//! use reckon_recall::{Document, Library, Page};
//!
//! let text = "The office opens at nine. Parking costs 4 euros a day. Dogs are welcome.";
//! let page = Page { number: 3, text: text.into() };
//! let library = Library::new(vec![Document { name: "rules.pdf".into(), pages: vec![page], is_paged: true }])?;
//!
//! let shown = library.search("What does parking cost?")?;
//! let settled = library.settle("What does parking cost?", "It costs 4 euros.", &shown)?;
//! assert_eq!(settled.text, "It costs 4 euros.\n\n“Parking costs 4 euros a day.” — rules.pdf, page 3");
//!
//! let settled = library.settle("Who owns the office?", "Ms Abebe owns it.", &shown)?;
//! assert_eq!(settled.text, "not found in rules.pdf");
//! # Ok::<(), reckon_recall::Error>(())
//! ```
//!
//! A [`Library`] cuts the pages of its documents into passages and indexes them with SQLite's FTS5, in memory. A model is
//! shown the best passages ([`Library::search`]); [`Library::settle`] then looks for the sentences of the pages that its
//! answer rests on. What is shown as a quotation is always cut out of a page, never text that a model wrote; where no
//! sentence carries the answer, the answer becomes "not found".
//!
//! Matching is by words, their stems and numbers: no embeddings, so that a quotation can be explained and costs
//! milliseconds. A question in another language than the document finds nothing.
//!
//! No IO but SQLite in memory; no model, no clock.
mod decline;
mod error;
mod evidence;
mod index;
mod intent;
mod library;
mod passage;
mod quote;
mod sentence;
mod settle;
mod words;

pub use error::{Error, Result};
pub use intent::{Intent, intent};
pub use library::{Document, Library, Page, Shown, fence};
pub use settle::{Quote, Settled};
