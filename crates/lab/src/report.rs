//! A report on tapes and judgments: as data (`--json`), as a page, as Markdown.
//!
//! [`Report::new`] counts; `page.rs` puts what was counted into words, tables and drawings; `html.rs` and `markdown.rs`
//! write those down. All of it is pure: the same tapes give the same bytes.

mod block;
mod checked;
mod guards;
mod html;
mod judged;
mod lengths;
mod markdown;
mod marks;
mod page;
mod plot;
mod run;

pub use crate::tape::Recording;
pub use checked::{Category, Checked};
pub use guards::Firings;
pub use judged::{Judged, Rated, System, rated};
pub use lengths::Lengths;
pub use marks::Marks;
pub use run::{Run, Settings};

use crate::{Question, Row, classes::Inventory};
use serde::Serialize;
use std::collections::HashMap;

impl Recording {
    /// Its two systems as judges know them, raw and guarded, with their texts by question and turn.
    fn systems(&self) -> [(String, TextsByTurn<'_>); 2] {
        let texts = |text: fn(&Row) -> &str| {
            let by_turn = |row| (key(row), text(row));
            self.rows.iter().map(by_turn).collect()
        };
        [
            (format!("{}-raw", self.name), texts(|row| &row.raw)),
            (self.name.clone(), texts(|row| &row.text)),
        ]
    }
}

/// Texts by question and turn.
type TextsByTurn<'a> = HashMap<(&'a str, usize), &'a str>;

fn key(row: &Row) -> (&str, usize) {
    (&row.id, row.turn)
}

/// What tapes and judgments come to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was run.
    pub runs: Vec<Run>,
    /// Right and wrong, where that can be checked.
    pub checked: Vec<Checked>,
    /// What marks are worth, where an answer that has one is known to be right or wrong.
    pub marks: Vec<Marks>,
    /// What judges said.
    pub judged: Option<Judged>,
    /// The failures by class.
    pub classes: Vec<Inventory>,
    /// What the guards did.
    pub guards: Vec<Firings>,
    /// Scores against the length of answers.
    pub lengths: Vec<Lengths>,
    /// The texts, for examples.
    #[serde(skip)]
    texts: Texts,
}

/// What examples are taken from.
#[derive(Clone, Debug, Default)]
struct Texts {
    recordings: Vec<Recording>,
    questions: Vec<Question>,
}

impl Report {
    /// Counts. `inventories` has the failures of each recording, in order; questions are shown in examples if given.
    pub fn new(
        recordings: Vec<Recording>,
        judgments: &[Rated],
        questions: Vec<Question>,
        inventories: Vec<Inventory>,
    ) -> Self {
        let categories = judged::Categories::new(&recordings, &questions);
        Self {
            runs: recordings.iter().map(Run::new).collect(),
            checked: recordings.iter().filter_map(Checked::new).collect(),
            marks: recordings.iter().filter_map(Marks::new).collect(),
            judged: Judged::new(judgments, &recordings, &categories),
            classes: inventories,
            guards: recordings.iter().filter_map(Firings::new).collect(),
            lengths: lengths::all(&recordings, judgments),
            texts: Texts {
                recordings,
                questions,
            },
        }
    }

    /// A self-contained page.
    pub fn html(&self) -> String {
        html::html(
            &page::title(self),
            &page::summary(self),
            &page::blocks(self),
        )
    }

    /// The same for a terminal, a pull request, a diff.
    pub fn markdown(&self) -> String {
        markdown::markdown(
            &page::title(self),
            &page::summary(self),
            &page::blocks(self),
        )
    }
}
