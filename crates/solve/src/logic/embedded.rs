//! The embedded solver: finite-domain search, made complete by a bound on what must be searched.
//!
//! Quantifiers are written out (`ground.rs`), integers without bounds get them from a small-model theorem (`reach.rs`),
//! terms become a graph (`compile.rs`) whose domains are cut by propagation (`propagate.rs`) and searched (`search.rs`).
//! "No model" is said only where the search was complete; a model only if the exact check of `value.rs` accepts it.
//!
//! Tried and left: gates for a SAT solver beside a simplex took 1,000 lines more; of the recorded programs they decided
//! five with linear reals that this leaves to `z3`, and not one that this decides (docs/logic.md).
mod compile;
mod domain;
mod ground;
mod propagate;
mod reach;
mod search;

use super::{
    budget::NoVerdict,
    problem::Problem,
    term::{Op, Sort, TermId},
    value::{Meant, Model, Value, Valuer, default_value},
};
use compile::Compiled;
use domain::{Domain, INFINITY};
use ground::{Ground, Universe};
use num_rational::BigRational;
use std::collections::{BTreeMap, BTreeSet};

/// How far unknown integers are looked for before the bound that makes the search complete.
const REACHES: [i64; 4] = [8, 60, 1000, 100_000];
/// Sizes of free sorts that are tried where no finite set of instances decides.
const UNIVERSES: std::ops::RangeInclusive<u32> = 1..=6;
/// Propagation steps for each node before the search; bounds that creep towards infinity end here.
const ROOT_STEPS: usize = 30;

/// A model, or `None` if there is none.
pub(super) fn solve(problem: &Problem) -> Result<Option<Model>, NoVerdict> {
    if problem.objectives > 0 {
        return Err(NoVerdict::new(
            "finding a largest or smallest value is left to z3",
        ));
    }
    // First over the terms themselves: what their instances refute is refuted in every universe.
    let ground = ground::ground(problem, Universe::Terms)?;
    let doubt = match decide(problem, &ground) {
        Ok(decided) => return Ok(decided),
        Err(doubt) => doubt,
    };
    if problem.free.is_empty() {
        return Err(doubt);
    }
    for size in UNIVERSES {
        let ground = ground::ground(problem, Universe::Size(size))?;
        // Another size may do where this one does not; only a model counts.
        if let Ok(Some(model)) = decide(problem, &ground) {
            return Ok(Some(model));
        }
        problem.budget.check()?;
    }
    Err(doubt)
}

/// Decides ground assertions: widens the ranges of integers until there is a model or the search was complete.
fn decide(problem: &Problem, ground: &Ground) -> Result<Option<Model>, NoVerdict> {
    let mut compiled = compile::compile(&ground.problem, &ground.asserted, &ground.sizes)?;
    let steps = compiled.graph.nodes.len().saturating_mul(ROOT_STEPS);
    if compiled.graph.propagate(steps)?.is_err() {
        return Ok(None);
    }
    let root = compiled.graph.mark();
    for (reach, complete) in reaches(&compiled, &ground.problem) {
        if restrict(&mut compiled, &ground.problem, reach, complete) {
            compiled.graph.enqueue_all();
            if search::search(&ground.problem, &mut compiled)? {
                let model = extract(ground, &compiled)?;
                return accept(problem, ground, model).map(Some);
            }
        }
        if complete {
            return Ok(None);
        }
        compiled.graph.undo(root);
    }
    Err(NoVerdict::new(
        "integers without limits, and no small solution; z3 may decide it",
    ))
}

/// Unknown integers of a problem, as nodes.
fn integers(compiled: &Compiled, problem: &Problem) -> Vec<usize> {
    let is_int = |(id, _): &(&TermId, &usize)| problem.terms.sort(**id) == Sort::Int;
    let unknowns = compiled.unknowns.iter();
    unknowns.filter(is_int).map(|(_, node)| *node).collect()
}

/// How far to look, and whether finding nothing there means that there is nothing.
fn reaches(compiled: &Compiled, problem: &Problem) -> Vec<(i64, bool)> {
    let bounded = |node: &usize| compiled.graph.domains[*node].is_bounded();
    if integers(compiled, problem).iter().all(bounded) {
        return vec![(0, true)];
    }
    let mut reaches: Vec<_> = REACHES.iter().map(|reach| (*reach, false)).collect();
    if let Some(bound) = reach::reach(&compiled.graph) {
        reaches.retain(|(reach, _)| *reach < bound);
        reaches.push((bound, true));
    }
    reaches
}

/// Bounds the integers that have none; false if nothing is left of one.
fn restrict(compiled: &mut Compiled, problem: &Problem, reach: i64, complete: bool) -> bool {
    integers(compiled, problem).into_iter().all(|node| {
        let Domain { lo, hi, .. } = compiled.graph.domains[node];
        let range = match (lo > -INFINITY, hi < INFINITY) {
            (true, true) => return true,
            // The bound counts from zero; a shorter look counts from what is known.
            (true, false) if complete => Domain::new(lo, reach.max(lo)),
            (false, true) if complete => Domain::new((-reach).min(hi), hi),
            (true, false) => Domain::new(lo, (lo + reach).min(INFINITY - 1)),
            (false, true) => Domain::new((hi - reach).max(1 - INFINITY), hi),
            (false, false) => Domain::new(-reach, reach),
        };
        compiled.graph.restrict(node, range)
    })
}

/// The exact check: of the assertions themselves, or, where they quantify over all numbers, of what follows from them
/// and implies them.
fn accept(problem: &Problem, ground: &Ground, mut model: Model) -> Result<Model, NoVerdict> {
    let holds = match Valuer::new(problem, &model).holds() {
        None if ground.exact => {
            let mut written_out = ground.problem.clone();
            written_out.asserted = ground.asserted.clone();
            Valuer::new(&written_out, &model).holds()
        }
        holds => holds,
    };
    problem.budget.check()?;
    if holds != Some(true) {
        return Err(NoVerdict::new(match ground.exact {
            true => "a division by zero is left to z3",
            false => "a model of some instances of a quantifier, not of all; z3 may decide it",
        }));
    }
    // Constants that stand for "something exists" are ours; constants come before functions.
    model.symbols.truncate(problem.symbols.len());
    let mut order: Vec<u32> = (0..problem.symbols.len() as u32)
        .filter(|index| model.symbols[*index as usize].is_some())
        .collect();
    order.sort_by_key(|index| !problem.symbols[*index as usize].args.is_empty());
    model.order = order;
    Ok(model)
}

/// The model that the domains hold after a search.
fn extract(ground: &Ground, compiled: &Compiled) -> Result<Model, NoVerdict> {
    let problem = &ground.problem;
    let value_of = |id: &TermId| {
        let node = compiled.nodes.get(id).copied();
        let value = node.and_then(|node| compiled.graph.domains[node].fixed());
        value.ok_or_else(|| NoVerdict::new("a division by what may be zero is left to z3"))
    };
    // Elements that no term has are no part of the universe: quantifiers were not written out for them.
    let mut used: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); problem.free.len()];
    if let Universe::Size(size) = ground.universe {
        used.fill((0..i64::from(size)).collect());
    }
    for (id, node) in &compiled.nodes {
        if let Sort::Free(sort) = problem.terms.sort(*id) {
            used[sort as usize].extend(compiled.graph.domains[*node].fixed());
        }
    }
    let typed = |value: i64, sort: Sort| match sort {
        Sort::Bool => Value::Bool(value != 0),
        Sort::Int | Sort::Real => Value::Number(BigRational::from_integer(value.into())),
        Sort::Enum(_) => Value::Element(value as u32),
        Sort::Free(sort) => Value::Element(
            used[sort as usize]
                .iter()
                .take_while(|v| **v < value)
                .count() as u32,
        ),
    };
    let names = |(index, name): (usize, &String)| {
        let count = used[index].len().max(1);
        (0..count).map(|n| format!("{name}!val!{n}")).collect()
    };
    let mut model = Model {
        universes: problem.free.iter().enumerate().map(names).collect(),
        symbols: vec![None; problem.symbols.len()],
        ..Model::default()
    };
    for id in compiled.unknowns.keys() {
        let Op::Apply(symbol) = problem.terms.op(*id) else {
            continue;
        };
        let declared = &problem.symbols[*symbol as usize];
        let mut args = Vec::new();
        for (arg, sort) in problem.terms.args(*id).iter().zip(&declared.args) {
            args.push(typed(value_of(arg)?, *sort));
        }
        let value = typed(value_of(id)?, declared.sort);
        let slot = &mut model.symbols[*symbol as usize];
        let other = || Meant::Table(BTreeMap::new(), value.clone());
        if let Meant::Table(entries, _) = slot.get_or_insert_with(other) {
            entries.insert(args, value);
        }
    }
    for (declared, slot) in problem.symbols.iter().zip(&mut model.symbols) {
        if !declared.args.is_empty() && slot.is_none() {
            *slot = Some(Meant::Table(BTreeMap::new(), default_value(declared.sort)));
        }
    }
    Ok(model)
}
