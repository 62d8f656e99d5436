//! The failures on a tape by class: suggested from what guards and checks saw, corrected by a person, kept as a library.
//!
//! A turn is put into a class if a guard replaced or flagged its answer, or if a check says that the raw answer is wrong.
//! The class is the one of the guard that fired, else of a guard that looked, else of a detector that would have looked
//! at the question, else what the failed check is about, else `other`. A label of a person replaces all of that.
//!
//! Called by `lab classes` and `lab report`; `library.rs` turns inventories into the file that people exchange.

mod labels;
mod library;
mod suggest;
mod validation;

pub use labels::{Labels, read_labels};
pub use library::{Class, Library};
pub use validation::{Validation, validations};

use crate::{Question, Row, Source, tape::Recording};
use reckon::assistant::{about, detect::Side};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What a failure is called that belongs to no class.
pub const OTHER: &str = "other";

/// The failures of one tape.
#[derive(Clone, Debug, Serialize)]
pub struct Inventory {
    /// The tape.
    pub tape: String,
    /// Who spoke.
    pub model: Source,
    /// Turns on the tape.
    pub turns: usize,
    /// The failures, in the order of the tape.
    pub cases: Vec<Case>,
    /// What each guard is worth on this tape.
    pub validation: BTreeMap<String, Validation>,
}

/// One failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its class: the name of a built-in guard or of a pack, a person's own word, or [`OTHER`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// The question.
    pub id: String,
    /// From 1.
    pub turn: usize,
    /// Who put it there.
    pub by: By,
    /// What became of it.
    pub outcome: Outcome,
    /// Where it shows.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub spot: Option<Spot>,
    /// What a person wrote about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Who put a turn into a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A person.
    Person,
    /// A guard that replaced or flagged the answer.
    Fired,
    /// A guard that looked, and let a wrong answer stand.
    Looked,
    /// A detector that would have looked.
    Seen,
    /// What was checked.
    Check,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Wrong before, right after.
    Fixed,
    /// Right before, wrong after.
    Broken,
    /// Wrong after.
    Wrong,
    /// Right before and after.
    Right,
    /// Another text; nobody knows whether it is better.
    Changed,
    /// The same text; nobody knows whether it is right.
    Unchanged,
}

/// Characters of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// Which text.
    #[serde(rename = "in")]
    pub side: Side,
    /// First character, and the one behind the last.
    pub span: [usize; 2],
    /// Which rule saw it.
    pub kind: String,
}

impl Outcome {
    /// In the order in which they are listed.
    pub const ALL: [Self; 6] = [
        Self::Fixed,
        Self::Broken,
        Self::Wrong,
        Self::Right,
        Self::Changed,
        Self::Unchanged,
    ];

    /// Of a row.
    pub fn of(row: &Row) -> Self {
        match (row.raw_right, row.right) {
            (Some(false), Some(true)) => Self::Fixed,
            (Some(true), Some(false)) => Self::Broken,
            (_, Some(false)) => Self::Wrong,
            (_, Some(true)) => Self::Right,
            _ if row.raw == row.text => Self::Unchanged,
            _ => Self::Changed,
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Broken => "broken",
            Self::Wrong => "wrong",
            Self::Right => "right",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
        }
    }
}

impl By {
    /// In a few words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "a person",
            Self::Fired => "a guard that fired",
            Self::Looked => "a guard that looked",
            Self::Seen => "a detector",
            Self::Check => "a check",
        }
    }
}

/// What fails in a class, in a few words; empty for classes that are not built in.
pub fn failure(class: &str) -> &'static str {
    let known = about::GUARDS.iter().find(|guard| guard.name == class);
    known.map_or("", |guard| guard.failure)
}

/// Puts the failures of a tape into classes. Questions help where they are at hand.
pub fn inventory(recording: &Recording, questions: &[Question], labels: &Labels) -> Inventory {
    let by_id: HashMap<&str, &Question> = questions.iter().map(|one| (&*one.id, one)).collect();
    let mut cases = Vec::new();
    for row in &recording.rows {
        match labels.of(&row.id, row.turn) {
            Some(label) => cases.extend(label.classes.iter().map(|class| Case {
                class: class.clone(),
                id: row.id.clone(),
                turn: row.turn,
                by: By::Person,
                outcome: Outcome::of(row),
                spot: suggest::spot(row, class),
                note: label.note.clone(),
            })),
            None => cases.extend(suggest::cases(row, by_id.get(&*row.id).copied())),
        }
    }
    Inventory {
        tape: recording.name.clone(),
        model: recording
            .rows
            .first()
            .map(|row| row.receipt.model.clone())
            .unwrap_or_default(),
        turns: recording.rows.len(),
        cases,
        validation: validations(&recording.rows),
    }
}

impl Inventory {
    /// The cases by class: the built-in classes in their order, then others by name, [`OTHER`] last.
    pub fn by_class(&self) -> Vec<(&str, Vec<&Case>)> {
        let mut classes: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
        for case in &self.cases {
            classes.entry(&case.class).or_default().push(case);
        }
        let place = |class: &str| {
            let known = about::GUARDS.iter().position(|guard| guard.name == class);
            known.unwrap_or(about::GUARDS.len() + usize::from(class == OTHER))
        };
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(class, _)| place(class));
        classes
    }
}
