//! Blind grading of answers of several systems: scores go to one append-only file, names are joined only at the end.
//!
//! `reckon lab grade` drives it from a terminal and from a page; both see the same [`Grading`]. Before the first item
//! is shown, the [`Plan`] (which item is which system's, in which order, with the sha256 of every text) is written to
//! a seal file beside the grades. The sha256 of that file is the commitment that every row of grades carries, so that
//! neither the plan nor the texts can change unnoticed. Rows are only ever appended: an undo is a row too.
//!
//! Files are read and written here; keys, pages, clocks and chance are the caller's. A kill at any moment loses
//! nothing that was acknowledged, and what was stored is never stored again: an act names the row that it will be.

mod ledger;
mod plan;
mod reveal;

pub use ledger::{Act, Pick, Progress};
pub use plan::{Item, Plan, Setup, Side};
pub use reveal::{Graded, Mean, Record, Revealed};

use crate::{Error, Journal, Line, Question, Result, fastchat::Answers};
use ledger::Ledger;
use reckon::models::{sha256_of, write_atomically};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
};

/// Largest seal that is read: more than the largest plan.
const SEAL: u64 = 256 << 20;

/// A grading under way.
#[derive(Debug)]
pub struct Grading {
    plan: Plan,
    /// Sha256 of the seal file.
    seal: String,
    systems: Vec<Answers>,
    questions: HashMap<String, Question>,
    journal: Journal,
    ledger: Ledger,
    /// A row may be half written: nothing more may follow it.
    broken: bool,
}

/// A row of the file of grades.
#[derive(Debug, Serialize, Deserialize)]
struct GradeRow {
    seal: String,
    row: usize,
    #[serde(flatten)]
    act: Act,
    /// Seconds since 1970, as the caller's clock has it.
    tstamp: f64,
}

/// What is graded now; nothing in it tells whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Show<'a> {
    /// Its place in the plan, from 0.
    pub item: usize,
    /// What kind of question it is.
    pub category: Option<&'a str>,
    /// What was asked, turn by turn, up to the one that is graded.
    pub asked: &'a [String],
    /// What was answered to each: one system's turns, or two of them, left and right.
    pub sides: Vec<&'a [String]>,
    /// References of those turns.
    pub references: Vec<Option<&'a str>>,
    /// What was noted.
    pub comment: Option<&'a str>,
}

impl Grading {
    /// Begins a grading and seals it, or goes on with the one in `path`.
    ///
    /// `chance` is the seed of a new one for which none was asked.
    pub fn open(
        path: &Path,
        mut systems: Vec<Answers>,
        questions: Vec<Question>,
        setup: &Setup,
        chance: u64,
    ) -> Result<Self> {
        systems.sort_by(|a, b| a.model.cmp(&b.model));
        let sealed = seal_path(path);
        let (journal, lines) = Journal::open(path)?;
        let bytes = match read_seal(&sealed)? {
            Some(bytes) => bytes,
            None if lines.is_empty() => {
                let seed = setup.seed.unwrap_or(chance);
                let plan = Plan::new(&systems, &questions, setup.pairs, seed, setup.sample)?;
                let bytes = plan.bytes();
                write_atomically(&sealed, &bytes).map_err(Error::file(&sealed))?;
                bytes
            }
            None => return Err(refused(&sealed, "the seal of these grades is not there")),
        };
        let seal = sha256_of(&bytes);
        let rows = rows(lines, path, &sealed, &seal)?;
        let plan = Plan::parse(&bytes).map_err(|why| refused(&sealed, &why))?;
        if let Some(why) = plan.differs(&systems, &questions, setup)? {
            return Err(refused(&sealed, &why));
        }
        Ok(Self {
            ledger: replay(&plan, rows, path)?,
            plan,
            seal,
            systems,
            questions: questions.into_iter().map(|q| (q.id.clone(), q)).collect(),
            journal,
            broken: false,
        })
    }

    /// The commitment: what `sha256sum` says of the seal file.
    pub fn seal(&self) -> &str {
        &self.seal
    }

    /// The plan. It names the systems: nothing of it is for the eyes of who grades.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.ledger.progress()
    }

    /// The item to be graded now; none when all are, or the names are known.
    pub fn show(&self) -> Option<Show<'_>> {
        let item = self.ledger.current()?;
        let Item {
            question,
            turn,
            sides,
            ..
        } = self.plan.items.get(item)?;
        let question = self.questions.get(question)?;
        let answers = |side: &Side| {
            let system = self.systems.get(*side.systems.first()?)?;
            system.turns.get(&question.id)?.get(..*turn)
        };
        let reference = |at: usize| question.references.get(at)?.as_deref();
        Some(Show {
            item,
            category: question.category.as_deref(),
            asked: question.turns.get(..*turn)?,
            sides: sides.iter().map(answers).collect::<Option<_>>()?,
            references: (0..*turn).map(reference).collect(),
            comment: self.ledger.comment(item),
        })
    }

    /// Stores one act as row number `row`. If that row is there already, nothing happens and this is an error: the
    /// same act sent twice, or from two places, counts once.
    pub fn act(&mut self, row: usize, act: Act, tstamp: f64) -> Result<()> {
        self.ledger.check(row, &act).map_err(Error::Act)?;
        self.store(row, act, tstamp)
    }

    /// Takes the last score, choice or skip back, as row number `row`.
    pub fn undo(&mut self, row: usize, tstamp: f64) -> Result<()> {
        let undone = self.progress().undo;
        let undone = undone.ok_or_else(|| Error::Act("there is nothing to take back".into()))?;
        self.act(row, Act::Undo { undone }, tstamp)
    }

    /// Ends the grading and joins scores and names. What is not graded needs `partial`; nothing can be graded later.
    pub fn reveal(&mut self, partial: bool, tstamp: f64) -> Result<Revealed> {
        let Progress {
            row, left, graded, ..
        } = self.progress();
        if graded == 0 && !self.plan.items.is_empty() {
            return Err(Error::Act("nothing is graded yet".into()));
        }
        if !self.ledger.is_closed() {
            if left > 0 && !partial {
                let total = self.plan.items.len();
                let why = format!("{left} of {total} items are not graded yet");
                return Err(Error::Act(why));
            }
            self.store(row, Act::Reveal, tstamp)?;
        }
        Ok(reveal::join(&self.plan, &self.ledger))
    }

    fn store(&mut self, row: usize, act: Act, tstamp: f64) -> Result<()> {
        if self.broken {
            let why = "an earlier row could not be written: start again";
            return Err(Error::Act(why.into()));
        }
        let line = GradeRow {
            seal: self.seal.clone(),
            row,
            act,
            tstamp,
        };
        self.broken = true;
        self.journal.add(&line)?;
        self.broken = false;
        self.ledger.apply(line.act, tstamp);
        Ok(())
    }
}

/// The rows of a file of grades and their lines, all made under this seal.
fn rows(
    lines: Vec<Line>,
    path: &Path,
    sealed: &Path,
    seal: &str,
) -> Result<Vec<(usize, GradeRow)>> {
    let mut rows = Vec::new();
    for line in lines {
        let number = line.number;
        let row: GradeRow = line.parse(path)?;
        if row.seal != seal {
            let why = format!("not the seal that line {number} of the grades was made under");
            return Err(refused(sealed, &why));
        }
        rows.push((number, row));
    }
    Ok(rows)
}

/// What the rows come to; one that breaks a rule is refused.
fn replay(plan: &Plan, rows: Vec<(usize, GradeRow)>, path: &Path) -> Result<Ledger> {
    let mut ledger = Ledger::new(plan.items.len(), plan.pairs);
    for (line, row) in rows {
        let checked = ledger.check(row.row, &row.act);
        checked.map_err(|why| Error::line(path, line, why))?;
        ledger.apply(row.act, row.tstamp);
    }
    Ok(ledger)
}

/// Where the seal of a file of grades is: `g.jsonl` has `g.seal.json` beside it.
pub fn seal_path(grades: &Path) -> PathBuf {
    grades.with_extension("seal.json")
}

fn refused(seal: &Path, why: &str) -> Error {
    Error::Seal {
        path: seal.to_owned(),
        why: why.into(),
    }
}

fn read_seal(path: &Path) -> Result<Option<Vec<u8>>> {
    let failed = Error::file(path);
    match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
        Ok(metadata) if metadata.len() > SEAL => {
            Err(failed(io::Error::other("too large for a seal")))
        }
        Ok(_) => std::fs::read(path).map(Some).map_err(failed),
    }
}
