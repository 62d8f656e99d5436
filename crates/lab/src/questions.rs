//! Reads question files: questions with their turns, checks and references.
//!
//! `questions/shapes.rs` tells the shapes of rows apart by their fields. Ids are the file's own, else the line. A folder
//! is all its `.jsonl` files, by name.

mod shapes;

pub(crate) use shapes::{lettered, parse_question};

use crate::{
    Check, Error, Result, Row, check, read_lines,
    requirement::{self, Requirement},
};
use reckon::assistant::Tools;
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

/// One question, of one turn or more.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Names it on the tape.
    pub id: String,
    /// What kind of question it is.
    pub category: Option<String>,
    /// What is asked, turn by turn.
    pub turns: Vec<String>,
    /// What a right answer to each turn fulfils; a turn without checks cannot be scored mechanically.
    pub checks: Vec<Vec<Check>>,
    /// What a good answer to each turn says, for judges.
    pub references: Vec<Option<String>>,
    /// At which temperature it is to be answered, if the file or its benchmark says so.
    pub temperature: Option<f32>,
    /// Whether the row is one of FastChat's.
    pub fastchat: bool,
}

impl Question {
    /// A question of one turn that nothing is known about.
    pub(crate) fn plain(id: String, prompt: String) -> Self {
        Self {
            id,
            turns: vec![prompt],
            ..Self::default()
        }
    }

    /// Whether a text is a right answer to a turn, counted from 1; nothing if that is not known.
    pub fn is_right(&self, turn: usize, text: &str, tools: &mut dyn Tools) -> Option<bool> {
        check::all(self.checks_of(turn), text, tools)
    }

    /// Whether the model's own text and what shipped in its place are right. Where requirements were asked for, an answer
    /// that fulfils them and has lost its content is wrong: nobody asked for that.
    pub fn grade(
        &self,
        turn: usize,
        raw: &str,
        text: &str,
        tools: &mut dyn Tools,
    ) -> (Option<bool>, Option<bool>) {
        let raw_right = self.is_right(turn, raw, tools);
        if text == raw {
            return (raw_right, raw_right);
        }
        let right = self.is_right(turn, text, tools);
        let asked: Vec<&Requirement> = self
            .checks_of(turn)
            .iter()
            .flat_map(Check::requirements)
            .collect();
        let is_lost = || !asked.is_empty() && requirement::has_lost(&asked, raw, text);
        match right {
            Some(true) if is_lost() => (raw_right, Some(false)),
            right => (raw_right, right),
        }
    }

    /// What decides about a turn, for reports; nothing without checks.
    pub fn graded_by(&self, turn: usize) -> Option<String> {
        let mut names: Vec<&str> = self.checks_of(turn).iter().map(Check::name).collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(" and "))
    }

    fn checks_of(&self, turn: usize) -> &[Check] {
        let at = turn.checked_sub(1);
        at.and_then(|at| self.checks.get(at))
            .map_or(&[], Vec::as_slice)
    }
}

/// The questions of a file or a folder, in order.
pub fn read_questions(path: &Path) -> Result<Vec<Question>> {
    let mut seen = HashSet::new();
    let mut questions = Vec::new();
    for file in files(path)? {
        for line in read_lines(&file)? {
            let refuse = |why: String| Error::line(&file, line.number, why);
            let question = parse_question(&line.value, line.number).map_err(refuse)?;
            if !seen.insert(question.id.clone()) {
                return Err(refuse(format!("the id {} is there twice", question.id)));
            }
            questions.push(question);
        }
    }
    Ok(questions)
}

fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failed = Error::file(path);
    let mut files = Vec::new();
    for entry in path.read_dir().map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        if file.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(failed(std::io::Error::other("no .jsonl file in it")));
    }
    Ok(files)
}

/// Scores rows again by the checks of these questions; rows of other questions stay as they are.
pub fn rescore(rows: &mut [Row], questions: &[Question], tools: &mut dyn Tools) {
    let by_id: HashMap<&str, &Question> = questions.iter().map(|one| (&*one.id, one)).collect();
    for row in rows {
        if let Some(question) = by_id.get(&*row.id) {
            (row.raw_right, row.right) = question.grade(row.turn, &row.raw, &row.text, tools);
            row.graded = question.graded_by(row.turn);
            row.category = row.category.take().or_else(|| question.category.clone());
        }
    }
}
