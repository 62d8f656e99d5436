//! Replays grading actions into the current state; rejects invalid ones.
//!
//! `Grading` asks [`Ledger::check`] before a row is written and calls [`Ledger::apply`] after; reading a file of grades
//! does the same, so a file that breaks a rule is refused where it does. No IO.
//!
//! Items come in the order of the plan; one that is skipped comes again behind all others, once. An undo restores
//! exactly the moment before the last score, choice or skip, so any number of them can follow one another.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Longest comment, in bytes.
const COMMENT: usize = 4096;
/// How often an item is offered.
const PASSES: u8 = 2;

/// What a grader does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum Act {
    /// Gives 1 to 10.
    Score {
        /// Place in the plan, from 0.
        item: usize,
        /// The score.
        score: u8,
    },
    /// Prefers one of two.
    Pick {
        /// Place in the plan, from 0.
        item: usize,
        /// Which.
        pick: Pick,
    },
    /// Puts it off, or leaves it out.
    Skip {
        /// Place in the plan, from 0.
        item: usize,
    },
    /// Notes something; the last note of an item stands, an empty one is none.
    Comment {
        /// Place in the plan, from 0.
        item: usize,
        /// What.
        text: String,
    },
    /// Takes back the score, choice or skip of a row.
    Undo {
        /// Number of that row.
        undone: usize,
    },
    /// Ends the grading: names are known from here on.
    Reveal,
}

/// Which of two answers is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// Neither.
    Tie,
}

/// How far a grading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Number of the next row, from 1.
    pub row: usize,
    /// Items in all.
    pub total: usize,
    /// Items with a score or a choice.
    pub graded: usize,
    /// Items still to come, those put off among them.
    pub left: usize,
    /// Items put off, or left out for good.
    pub skipped: usize,
    /// Number of the row that an undo would take back.
    pub undo: Option<usize>,
}

/// What a grader thought of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    Score(u8),
    Pick(Pick),
}

/// All rows so far, and what of them stands.
#[derive(Debug)]
pub(super) struct Ledger {
    pairs: bool,
    total: usize,
    rows: usize,
    /// What is to come, by pass and place.
    queue: BTreeSet<(u8, usize)>,
    standing: Vec<StandingGrade>,
    comments: BTreeMap<usize, String>,
    closed: bool,
}

#[derive(Debug)]
pub(super) struct StandingGrade {
    row: usize,
    pass: u8,
    pub(super) item: usize,
    /// None for a skip.
    pub(super) grade: Option<Grade>,
    pub(super) tstamp: f64,
}

impl Ledger {
    pub(super) fn new(total: usize, pairs: bool) -> Self {
        Self {
            pairs,
            total,
            rows: 0,
            queue: (0..total).map(|item| (0, item)).collect(),
            standing: Vec::new(),
            comments: BTreeMap::new(),
            closed: false,
        }
    }

    /// The item to be graded now.
    pub(super) fn current(&self) -> Option<usize> {
        let open = !self.closed;
        self.queue.first().filter(|_| open).map(|&(_, item)| item)
    }

    /// Number of the row that an undo takes back.
    fn last(&self) -> Option<usize> {
        let last = self.standing.last().filter(|_| !self.closed);
        last.map(|standing| standing.row)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn comment(&self, item: usize) -> Option<&str> {
        self.comments.get(&item).map(String::as_str)
    }

    /// Scores, choices and skips that were not taken back.
    pub(super) fn standing(&self) -> &[StandingGrade] {
        &self.standing
    }

    pub(super) fn progress(&self) -> Progress {
        let graded = self.standing.iter().filter(|s| s.grade.is_some()).count();
        let put_off = self.queue.iter().filter(|(pass, _)| *pass > 0).count();
        let left = self.queue.len();
        Progress {
            row: self.rows + 1,
            total: self.total,
            graded,
            left,
            skipped: put_off + self.total - left - graded,
            undo: self.last(),
        }
    }

    /// Whether this may be the next row; if not, why.
    pub(super) fn check(&self, row: usize, act: &Act) -> Result<(), String> {
        let next = self.rows + 1;
        if row != next {
            return Err(format!("row {row} where row {next} is next"));
        }
        if self.closed {
            return Err("the names are known: nothing can be graded any more".into());
        }
        match act {
            Act::Score { item, score } => {
                if self.pairs || !(1..=10).contains(score) {
                    let wanted = if self.pairs { "a choice" } else { "1 to 10" };
                    return Err(format!("a score of {score} where {wanted} is asked"));
                }
                self.is_current(*item)
            }
            Act::Pick { item, .. } if self.pairs => self.is_current(*item),
            Act::Pick { .. } => Err("a choice where a score is asked".into()),
            Act::Skip { item } => self.is_current(*item),
            Act::Comment { item, text } => {
                if text.len() > COMMENT {
                    return Err(format!("a comment longer than {COMMENT} bytes"));
                }
                self.is_current(*item)
            }
            Act::Undo { undone } if self.last() == Some(*undone) => Ok(()),
            Act::Undo { undone } => Err(format!("row {undone} cannot be taken back")),
            Act::Reveal => Ok(()),
        }
    }

    fn is_current(&self, item: usize) -> Result<(), String> {
        match self.current() {
            Some(current) if current == item => Ok(()),
            Some(current) => Err(format!("item {item} where item {current} is shown")),
            None => Err(format!("item {item} where all are graded")),
        }
    }

    /// Takes in a row that was checked.
    pub(super) fn apply(&mut self, act: Act, tstamp: f64) {
        self.rows += 1;
        match act {
            Act::Score { score, .. } => self.stand(Some(Grade::Score(score)), tstamp),
            Act::Pick { pick, .. } => self.stand(Some(Grade::Pick(pick)), tstamp),
            Act::Skip { .. } => self.stand(None, tstamp),
            Act::Comment { item, text } if text.trim().is_empty() => {
                self.comments.remove(&item);
            }
            Act::Comment { item, text } => {
                self.comments.insert(item, text);
            }
            Act::Undo { .. } => self.take_back(),
            Act::Reveal => self.closed = true,
        }
    }

    fn stand(&mut self, grade: Option<Grade>, tstamp: f64) {
        let Some((pass, item)) = self.queue.pop_first() else {
            return;
        };
        if grade.is_none() && pass + 1 < PASSES {
            self.queue.insert((pass + 1, item));
        }
        self.standing.push(StandingGrade {
            row: self.rows,
            pass,
            item,
            grade,
            tstamp,
        });
    }

    fn take_back(&mut self) {
        if let Some(StandingGrade { pass, item, .. }) = self.standing.pop() {
            self.queue.remove(&(pass + 1, item));
            self.queue.insert((pass, item));
        }
    }
}
