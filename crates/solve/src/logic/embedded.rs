//! The embedded solver: finite search, made complete by bounds.
//!
//! Quantifiers are written out over finite sorts (`ground.rs`), integers get ranges (`bounds.rs`), all of it becomes
//! gates for a SAT solver (`encode.rs`), reals go to a simplex (`real.rs`). `unsat` is said only where the search is
//! complete; `sat` only with a model that the exact check of `value.rs` accepts; `unknown` is honest.
mod bits;
mod bounds;
mod encode;
mod extract;
mod gates;
mod ground;
mod integer;
mod linear;
mod optimum;
mod real;
mod universe;

use super::{
    problem::{Problem, Unsupported},
    term::TermId,
    value::{Model, Valuer},
};
use bounds::{Bounds, Interval};
use encode::Encoder;
use gates::Gates;
use ground::Ground;
use real::Checked;
use std::{collections::BTreeMap, time::Instant};

/// How far unknown integers are looked for before the bound that makes the search complete.
const REACHES: [i128; 4] = [8, 60, 1000, 100_000];
/// Most models of the SAT solver that the reals refuse.
const MOST_CONFLICTS: usize = 20_000;

/// The verdict.
#[derive(Debug)]
pub(super) enum Outcome {
    Sat(Box<Model>),
    Unsat,
    Unknown(String),
}

/// Solves `problem` before `deadline`.
pub(super) fn solve(problem: &Problem, deadline: Instant) -> Outcome {
    let searched = if problem.objectives.is_empty() && problem.soft.is_empty() {
        search(problem, deadline)
    } else {
        optimum::search(problem, deadline)
    };
    searched.unwrap_or_else(|Unsupported(what)| Outcome::Unknown(format!("not supported: {what}")))
}

/// Tries universes from small to large.
fn search(problem: &Problem, deadline: Instant) -> Result<Outcome, Unsupported> {
    let plan = universe::plan(problem);
    let mut doubt = (!plan.complete).then(|| "no bound on the size of a sort".to_owned());
    for sizes in &plan.sizes {
        let mut working = problem.clone();
        let ground = ground::ground(&mut working, sizes)?;
        match search_ground(&mut working, problem, &ground, sizes, deadline)? {
            Outcome::Sat(model) => return Ok(Outcome::Sat(model)),
            Outcome::Unsat => {}
            Outcome::Unknown(reason) => doubt = Some(reason),
        }
        if Instant::now() > deadline {
            return Ok(Outcome::Unknown("out of time".into()));
        }
    }
    Ok(doubt.map_or(Outcome::Unsat, Outcome::Unknown))
}

/// Widens the ranges until there is a model or the search was complete.
fn search_ground(
    working: &mut Problem,
    problem: &Problem,
    ground: &Ground,
    sizes: &[u32],
    deadline: Instant,
) -> Result<Outcome, Unsupported> {
    let bounds = Bounds::new(working, &ground.asserted);
    let mut doubt = "no bound on the integers".to_owned();
    for (ranges, complete) in ranges(&bounds) {
        let found = attempt(working, &ground.asserted, sizes, ranges, deadline)?;
        match found {
            Attempt::Model(mut model) => {
                if accepted(working, problem, ground, &model) {
                    finish(problem, &mut model);
                    return Ok(Outcome::Sat(model));
                }
                // What was left out of the quantifiers would have mattered.
                return Ok(Outcome::Unknown("a model that does not hold".into()));
            }
            Attempt::Nothing if complete => return Ok(Outcome::Unsat),
            Attempt::Nothing => {}
            Attempt::Late => {
                doubt = "out of time".into();
                break;
            }
        }
    }
    Ok(Outcome::Unknown(doubt))
}

/// The ranges to try, and whether finding nothing there means that there is nothing.
fn ranges(bounds: &Bounds) -> Vec<(BTreeMap<TermId, Interval>, bool)> {
    let closed = |(low, high): &Interval| low.is_some() && high.is_some();
    if bounds.unknowns.values().all(closed) {
        return vec![(bounds.unknowns.clone(), true)];
    }
    let mut reaches: Vec<(i128, bool)> = REACHES.iter().map(|reach| (*reach, false)).collect();
    if let Some(bound) = bounds.reach {
        reaches.retain(|(reach, _)| *reach < bound);
        reaches.push((bound, true));
    }
    let within = |interval: Interval, reach: i128, complete: bool| match interval {
        (Some(low), Some(high)) => (Some(low), Some(high)),
        // The bound counts from zero; a shorter look counts from what is known.
        (Some(low), None) if complete => (Some(low), Some(reach.max(low))),
        (None, Some(high)) if complete => (Some((-reach).min(high)), Some(high)),
        (Some(low), None) => (Some(low), Some(low + reach)),
        (None, Some(high)) => (Some(high - reach), Some(high)),
        (None, None) => (Some(-reach), Some(reach)),
    };
    let range = |(reach, complete): (i128, bool)| {
        let all = bounds
            .unknowns
            .iter()
            .map(|(id, known)| (*id, within(*known, reach, complete)));
        (all.collect(), complete)
    };
    reaches.into_iter().map(range).collect()
}

enum Attempt {
    Model(Box<Model>),
    Nothing,
    Late,
}

/// One search within fixed ranges.
fn attempt(
    working: &mut Problem,
    asserted: &[TermId],
    sizes: &[u32],
    ranges: BTreeMap<TermId, Interval>,
    deadline: Instant,
) -> Result<Attempt, Unsupported> {
    let mut encoder = Encoder::new(working, Gates::new(deadline), sizes, ranges);
    for id in asserted {
        encoder.assert(*id)?;
        if Instant::now() > deadline {
            return Ok(Attempt::Late);
        }
    }
    encoder.congruence()?;
    run(&mut encoder, deadline)
}

/// SAT solver and simplex in turn.
fn run(encoder: &mut Encoder<'_>, deadline: Instant) -> Result<Attempt, Unsupported> {
    for _ in 0..MOST_CONFLICTS {
        match encoder.gates.solve() {
            None => return Ok(Attempt::Late),
            Some(false) => return Ok(Attempt::Nothing),
            Some(true) => {}
        }
        if encoder.reals.is_empty() {
            return Ok(Attempt::Model(Box::new(encoder.model()?)));
        }
        match encoder.reals.check(&encoder.gates, deadline) {
            Checked::Fine => return Ok(Attempt::Model(Box::new(encoder.model()?))),
            Checked::Late => return Ok(Attempt::Late),
            Checked::Conflict(lits) => {
                let clause: Vec<_> = lits.iter().map(|lit| !*lit).collect();
                encoder.gates.clause(&clause);
            }
        }
    }
    Ok(Attempt::Late)
}

/// The exact check: of the assertions themselves, or, where they quantify over all numbers, of what follows from them
/// and implies them.
fn accepted(working: &Problem, problem: &Problem, ground: &Ground, model: &Model) -> bool {
    match Valuer::new(problem, model).holds() {
        Some(holds) => holds,
        None if ground.exact => {
            let mut written = working.clone();
            written.asserted = ground.asserted.clone();
            Valuer::new(&written, model).holds() == Some(true)
        }
        None => false,
    }
}

/// Drops what was made up on the way and puts constants before functions.
fn finish(problem: &Problem, model: &mut Model) {
    model.symbols.truncate(problem.symbols.len());
    let mut order: Vec<u32> = (0..problem.symbols.len() as u32)
        .filter(|index| model.symbols[*index as usize].is_some())
        .collect();
    order.sort_by_key(|index| !problem.symbols[*index as usize].args.is_empty());
    model.order = order;
}
