//! Lists everything that is to be judged about questions and answers, in a fixed order.
//!
//! Called by `lab judge`. A contest is one turn of one question: one answer, or two that are shown in both orders. On the
//! corrected track a wrong official reference is replaced by ours; whether a check decides a contest is for the caller to
//! find out, who has the tools to run it. A model that has not answered a question is not judged on it.

use super::{Answers, Asked, Fields, Prompts, wants_reference};
use crate::{
    Question,
    mt_bench::{self, Decides},
};
use std::collections::HashSet;

/// How answers are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode<'a> {
    /// One at a time.
    Single,
    /// Two at a time: each model against the baseline, or against every other one.
    Pair {
        /// The name of a model.
        baseline: Option<&'a str>,
    },
}

/// What there is to judge.
#[derive(Clone, Copy, Debug)]
pub struct Entries<'a> {
    /// What was asked.
    pub questions: &'a [Question],
    /// What each model answered.
    pub answers: &'a [Answers],
    /// The official references.
    pub references: Option<&'a Answers>,
    /// FastChat's prompts.
    pub prompts: &'a Prompts,
    /// One at a time, or two.
    pub mode: Mode<'a>,
    /// Whether wrong references are replaced.
    pub corrected: bool,
}

/// One turn of one question, with one answer or two.
#[derive(Clone, Debug)]
pub struct Contest<'a> {
    /// The question.
    pub question: &'a Question,
    /// Which turn, from 1.
    pub turn: usize,
    /// Who answered; of two, who is shown first in the first game.
    pub first: &'a Answers,
    /// Who else.
    pub second: Option<&'a Answers>,
    /// What the judge is asked: once, or in both orders.
    pub asked: Vec<Asked>,
    /// Whether the checks of this turn settle it, so that no judge is needed where they come to a verdict.
    pub decisive: bool,
}

impl Contest<'_> {
    /// The answers to this turn.
    pub fn texts(&self) -> Vec<&str> {
        [Some(self.first), self.second]
            .into_iter()
            .flatten()
            .filter_map(|answers| answers.turns.get(&self.question.id)?.get(self.turn - 1))
            .map(String::as_str)
            .collect()
    }
}

/// Everything that is to be judged, question by question; why not, if something is missing.
pub fn contests<'a>(entries: &Entries<'a>) -> Result<Vec<Contest<'a>>, String> {
    let mut names = HashSet::new();
    for answers in entries.answers {
        if !names.insert(&answers.model) {
            return Err(format!("two files are called {}", answers.model));
        }
    }
    let pairs = pairs(entries)?;
    let mut all = Vec::new();
    for question in entries.questions {
        for turn in 1..=question.turns.len().min(2) {
            let references = references(entries, question, turn)?;
            for (first, second) in &pairs {
                let answered = |answers: &Answers| {
                    let turns = answers.turns.get(&question.id);
                    turns.is_some_and(|turns| turns.len() >= turn)
                };
                if answered(first) && second.is_none_or(answered) {
                    all.push(contest(
                        entries,
                        question,
                        turn,
                        &references,
                        (first, *second),
                    )?);
                }
            }
        }
    }
    Ok(all)
}

type Sides<'a> = (&'a Answers, Option<&'a Answers>);

/// Who meets whom.
fn pairs<'a>(entries: &Entries<'a>) -> Result<Vec<Sides<'a>>, String> {
    let answers = entries.answers;
    Ok(match entries.mode {
        Mode::Single => answers.iter().map(|one| (one, None)).collect(),
        Mode::Pair { baseline: None } => {
            let others = |i: usize| answers[i + 1..].iter().map(Some);
            let meets = |(i, one)| others(i).map(move |other| (one, other));
            answers.iter().enumerate().flat_map(meets).collect()
        }
        Mode::Pair {
            baseline: Some(name),
        } => {
            let is_baseline = |one: &&Answers| one.model == name;
            let baseline = answers.iter().find(is_baseline);
            let baseline = baseline.ok_or_else(|| format!("nobody is called {name}"))?;
            let others = answers.iter().filter(|one| !is_baseline(one));
            others.map(|one| (one, Some(baseline))).collect()
        }
    })
}

/// The reference's turns, up to this one, if the judge is to see one.
fn references(
    entries: &Entries<'_>,
    question: &Question,
    turn: usize,
) -> Result<Vec<String>, String> {
    if !question.category.as_deref().is_some_and(wants_reference) {
        return Ok(Vec::new());
    }
    let official = entries
        .references
        .and_then(|all| all.turns.get(&question.id));
    let mut turns: Vec<String> = official.cloned().unwrap_or_default();
    if turns.len() < turn {
        return Err(format!(
            "there is no reference for turn {turn} of question {}",
            question.id
        ));
    }
    if entries.corrected {
        for (at, (official, text)) in turns.iter_mut().zip(&question.turns).enumerate() {
            let known = mt_bench::known(&question.id, at + 1, text);
            if let Some(reference) = known.and_then(|known| known.reference.as_ref()) {
                official.clone_from(reference);
            }
        }
    }
    Ok(turns)
}

fn contest<'a>(
    entries: &Entries<'a>,
    question: &'a Question,
    turn: usize,
    reference: &[String],
    (first, second): Sides<'a>,
) -> Result<Contest<'a>, String> {
    let of = |answers: &'a Answers| {
        answers
            .turns
            .get(&question.id)
            .map_or(&[][..], Vec::as_slice)
    };
    let games = match second {
        None => vec![(of(first), &[][..])],
        Some(second) => vec![(of(first), of(second)), (of(second), of(first))],
    };
    let ask = |(first, second)| {
        let fields = Fields {
            question: &question.turns,
            reference,
            first,
            second,
        };
        entries.prompts.ask(turn, &fields)
    };
    let text = &question.turns[turn - 1];
    let known = mt_bench::known(&question.id, turn, text).and_then(|known| known.decides);
    let checks = question
        .checks
        .get(turn - 1)
        .is_some_and(|checks| !checks.is_empty());
    Ok(Contest {
        question,
        turn,
        first,
        second,
        asked: games.into_iter().map(ask).collect::<Result<_, _>>()?,
        decisive: entries.corrected && checks && known != Some(Decides::Form),
    })
}
