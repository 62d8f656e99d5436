//! Objectives by repeated questions: each answer says how far the next question may go.
//!
//! Only whole-numbered objectives; a search that is not complete ends in `unknown`, never in a value that may not be
//! the best.
use super::{
    super::{
        model,
        problem::{Objective, Problem, Unsupported},
        term::{Sort, TermId},
        value::{Model, Value, Valuer},
    },
    Outcome, search as solve,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::time::Instant;

/// Steps beyond this mean that there is no best value.
const LARGEST: u64 = 1 << 50;

/// Solves a problem with objectives, the first one first.
pub(super) fn search(problem: &Problem, deadline: Instant) -> Result<Outcome, Unsupported> {
    let mut working = problem.clone();
    let mut objectives = std::mem::take(&mut working.objectives);
    let asked = objectives.len();
    objectives.extend(wishes(&mut working)?);
    working.soft.clear();
    let mut found = match solve(&working, deadline)? {
        Outcome::Sat(model) => model,
        other => return Ok(other),
    };
    let mut values = Vec::new();
    for objective in objectives {
        if working.terms.sort(objective.term) != Sort::Int {
            return Err(Unsupported("an objective that is no integer".into()));
        }
        let (best, model) = match improve(&mut working, objective, *found, deadline)? {
            Ok(best) => best,
            Err(reason) => return Ok(Outcome::Unknown(reason)),
        };
        found = Box::new(model);
        let value = working.terms.number(best.clone(), Sort::Int);
        let equal = working.terms.eq(objective.term, value);
        working.asserted.push(equal);
        values.push(model::fraction(&best));
    }
    values.truncate(asked.max(1));
    found.objectives = values;
    Ok(Outcome::Sat(found))
}

type Best = Result<(BigRational, Model), String>;

/// The best value and a model that has it.
fn improve(
    working: &mut Problem,
    objective: Objective,
    mut model: Model,
    deadline: Instant,
) -> Result<Best, Unsupported> {
    let sign = if objective.maximize { 1 } else { -1 };
    let mut best = worth(working, &model, objective.term)?;
    let mut limit: Option<BigRational> = None;
    let mut step = BigInt::one();
    loop {
        let gap = match &limit {
            Some(limit) if *limit == best => return Ok(Ok((best, model))),
            Some(limit) => {
                let room = (limit - &best) * BigRational::from_integer(sign.into());
                (room.to_integer() + 1) / 2
            }
            None => step.clone(),
        };
        if gap > BigInt::from(LARGEST) {
            return Ok(Err("the objective has no best value".into()));
        }
        let target = &best + BigRational::from_integer(gap * sign);
        let number = working.terms.number(target.clone(), Sort::Int);
        let word = if objective.maximize { ">=" } else { "<=" };
        let wanted = working.terms.compare(word, objective.term, number);
        working.asserted.push(wanted);
        let outcome = solve(working, deadline);
        working.asserted.pop();
        match outcome? {
            Outcome::Sat(better) => {
                best = worth(working, &better, objective.term)?;
                model = *better;
                step *= 2;
            }
            Outcome::Unsat => limit = Some(target - BigRational::from_integer(sign.into())),
            Outcome::Unknown(reason) => return Ok(Err(reason)),
        }
    }
}

fn worth(problem: &Problem, model: &Model, term: TermId) -> Result<BigRational, Unsupported> {
    match Valuer::new(problem, model).value(term) {
        Ok(Value::Number(number)) => Ok(number),
        _ => Err(Unsupported("an objective without a value".into())),
    }
}

/// Soft assertions: as little weight as possible is broken.
fn wishes(working: &mut Problem) -> Result<Option<Objective>, Unsupported> {
    if working.soft.is_empty() {
        return Ok(None);
    }
    let mut scale = BigInt::one();
    for (_, weight) in &working.soft {
        scale = num_integer::Integer::lcm(&scale, weight.denom());
    }
    let scale = BigRational::from_integer(scale);
    let mut parts = Vec::new();
    for (term, weight) in working.soft.clone() {
        let weight = working.terms.number(weight * &scale, Sort::Int);
        let nothing = working.terms.number(BigRational::zero(), Sort::Int);
        parts.push(working.terms.ite(term, nothing, weight));
    }
    Ok(Some(Objective {
        maximize: false,
        term: working.terms.sum(parts),
    }))
}
