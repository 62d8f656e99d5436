//! The sentences of the pages that an answer rests on.
//!
//! What is new in an answer, its words that the question does not have, must be on the page, every number of it, in at
//! most three units; and the question's own words must be near there. Words are weighted by how rare they are among the
//! passages. The limits below were set on the forty questions of `reckon`'s tests (docs/documents.md).
use crate::{
    Library, Result,
    library::Shown,
    words::{Term, all_terms, terms},
};
use std::collections::HashSet;

/// Units that are quoted at most.
const MOST_UNITS: usize = 3;
/// Part of what is new in the answer that the units must have.
const ANSWER: f64 = 0.5;
/// Part of the question that must be near the first unit.
const QUESTION: f64 = 0.18;
/// Part of the question that a unit must have where the answer adds nothing ("yes").
const RESTATED: f64 = 0.6;
/// Another unit must add this part of the answer.
const WORTH: f64 = 0.15;
/// Words of an answer that are looked at.
const MOST_TERMS: usize = 300;
/// Units before and after one that count as near: a row's heading, what "it" refers to.
const NEAR: usize = 3;

/// A unit of a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) passage: usize,
    pub(crate) unit: usize,
}

/// A unit with its words, and those around it.
struct Candidate {
    found: Found,
    has: HashSet<String>,
    near: HashSet<String>,
}

/// Terms with their weights.
struct Weighted {
    terms: Vec<(Term, f64)>,
    total: f64,
}

/// The units that carry the answer; none if the answer cannot be shown to be there.
pub(crate) fn evidence(
    library: &Library,
    shown: &Shown,
    question: &str,
    answer: &str,
) -> Result<Vec<Found>> {
    let asked = Weighted::new(library, unique(terms(question)))?;
    let known: HashSet<String> = all_terms(question)
        .into_iter()
        .map(|term| term.stem)
        .collect();
    let new = unique(terms(answer))
        .into_iter()
        .filter(|term| !known.contains(&term.stem))
        .collect();
    let new = Weighted::new(library, new)?;
    let candidates = candidates(library, shown);
    if new.terms.is_empty() {
        return Ok(restated(&candidates, &asked));
    }
    Ok(carried(&candidates, &asked, &new))
}

/// The unit with most of the question, for an answer that says nothing else.
fn restated(candidates: &[Candidate], asked: &Weighted) -> Vec<Found> {
    let part = |candidate: &&Candidate| asked.part(&candidate.has);
    let best = candidates
        .iter()
        .max_by(|a, b| part(a).total_cmp(&part(b)).then(b.order().cmp(&a.order())));
    best.filter(|best| part(best) >= RESTATED)
        .map(|best| best.found)
        .into_iter()
        .collect()
}

/// The units that have what is new in the answer, where the question is spoken of.
fn carried(candidates: &[Candidate], asked: &Weighted, new: &Weighted) -> Vec<Found> {
    let mut chosen: Vec<&Candidate> = Vec::new();
    let mut have: HashSet<String> = HashSet::new();
    while chosen.len() < MOST_UNITS {
        let before = new.part(&have);
        let gain = |one: &Candidate| {
            let with: HashSet<String> = have.union(&one.has).cloned().collect();
            new.part(&with) - before
        };
        // The first must speak of what was asked; what follows may be another row or item of the same list.
        let score = |one: &Candidate| {
            let speaks = asked.part(&one.has) + 0.5 * asked.part(&one.near);
            2.0 * gain(one) + speaks
        };
        let may = |one: &&Candidate| gain(one) >= WORTH && asked.part(&one.near) >= QUESTION;
        let best = candidates.iter().filter(may).max_by(|a, b| {
            score(a)
                .total_cmp(&score(b))
                .then(b.order().cmp(&a.order()))
        });
        let Some(best) = best else { break };
        have.extend(best.has.iter().cloned());
        chosen.push(best);
    }
    let mut numbers = new.terms.iter().filter(|(term, _)| term.is_number);
    let has_numbers = numbers.all(|(term, _)| have.contains(&term.stem));
    if !has_numbers || new.part(&have) < ANSWER {
        return Vec::new();
    }
    chosen.sort_by_key(|one| one.order());
    chosen.iter().map(|one| one.found).collect()
}

impl Candidate {
    fn order(&self) -> (usize, usize) {
        (self.found.passage, self.found.unit)
    }
}

impl Weighted {
    fn new(library: &Library, terms: Vec<Term>) -> Result<Self> {
        let weigh = |term: Term| {
            let weight = library.index().weight(&term)?;
            // What an answer is about is its numbers; the words around them are often the model's own.
            let weight = if term.is_number { 2.0 * weight } else { weight };
            Ok((term, weight))
        };
        let terms = terms.into_iter().map(weigh).collect::<Result<Vec<_>>>()?;
        let total = terms.iter().map(|(_, weight)| weight).sum();
        Ok(Self { terms, total })
    }

    /// Which part of the terms, by weight, is in a set.
    fn part(&self, set: &HashSet<String>) -> f64 {
        if self.total <= 0.0 {
            return 1.0;
        }
        let have = self
            .terms
            .iter()
            .filter(|(term, _)| set.contains(&term.stem));
        have.map(|(_, weight)| weight).sum::<f64>() / self.total
    }
}

fn candidates(library: &Library, shown: &Shown) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for &number in &shown.passages {
        let Some(passage) = library.passage(number) else {
            continue;
        };
        let units: Vec<HashSet<String>> = library
            .units(passage)
            .map(|(text, _)| all_terms(text).into_iter().map(|term| term.stem).collect())
            .collect();
        let rows: Vec<bool> = library.units(passage).map(|(_, is_row)| is_row).collect();
        for (unit, has) in units.iter().enumerate() {
            let near = near(&rows, unit);
            candidates.push(Candidate {
                found: Found {
                    passage: number,
                    unit,
                },
                has: has.clone(),
                near: units[near].iter().flatten().cloned().collect(),
            });
        }
    }
    candidates
}

/// The units around one; of a row the whole table above it, since its heading may be far.
fn near(rows: &[bool], unit: usize) -> std::ops::Range<usize> {
    let end = (unit + NEAR + 1).min(rows.len());
    if !rows[unit] {
        return unit.saturating_sub(NEAR)..end;
    }
    let above = rows[..unit]
        .iter()
        .rev()
        .take_while(|&&is_row| is_row)
        .count();
    (unit - above).saturating_sub(NEAR)..end
}

/// Each stem once, in order; of a very long text the first.
fn unique(terms: Vec<Term>) -> Vec<Term> {
    let mut seen = HashSet::new();
    terms
        .into_iter()
        .filter(|term| seen.insert(term.stem.clone()))
        .take(MOST_TERMS)
        .collect()
}
