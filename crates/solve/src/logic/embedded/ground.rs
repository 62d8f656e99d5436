//! Assertions with quantifiers → assertions without, and congruence: equal arguments give equal values.
//!
//! A quantifier over a finite sort or a short range is written out; "something exists" becomes a new constant; "for all"
//! over a free sort or over all integers is kept at the terms that the problem names. The result follows from the
//! assertions, always: if it cannot hold, they cannot. Over terms that is all of Herbrand's theorem that a finite
//! number of instances gives; constants found on the way make more instances, for a few rounds.
use super::super::{
    budget::{MOST_TERMS, NoVerdict},
    problem::Problem,
    range,
    term::{Op, Sort, TermId},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Rounds of instances over the terms that earlier instances brought.
const ROUNDS: usize = 4;
/// Most terms of one sort that a quantifier is written out for.
const MOST_SAMPLES: usize = 40;
/// Most instances of one quantifier over all numbers.
const MOST_INSTANCES: usize = 300;
/// Most pairs of applications of one function.
const MOST_PAIRS: usize = 40_000;

/// What variables of free sorts range over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Universe {
    /// The terms of the problem.
    Terms,
    /// This many elements.
    Size(u32),
}

/// What is left to solve.
pub(super) struct Ground {
    /// The problem with the constants that were made up.
    pub(super) problem: Problem,
    pub(super) asserted: Vec<TermId>,
    /// Do the assertions follow from these, too?
    pub(super) exact: bool,
    pub(super) universe: Universe,
    /// Elements of each free sort that are enough: one for each of its terms.
    pub(super) sizes: Vec<u32>,
}

/// Where a term stands: its truth helps, hurts, or both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Helps,
    Hurts,
    Both,
}

impl Side {
    fn turned(self) -> Self {
        match self {
            Self::Helps => Self::Hurts,
            Self::Hurts => Self::Helps,
            Self::Both => Self::Both,
        }
    }
}

/// Writes out the quantifiers of `problem`.
pub(super) fn ground(problem: &Problem, universe: Universe) -> Result<Ground, NoVerdict> {
    let mut grounder = Grounder {
        problem: problem.clone(),
        universe,
        bound: BTreeMap::new(),
        exact: true,
        samples: BTreeSet::new(),
        made_up: HashMap::new(),
    };
    grounder.sample(&problem.asserted, true);
    let mut asserted = Vec::new();
    for _ in 0..ROUNDS {
        grounder.exact = true;
        asserted.clear();
        for id in &problem.asserted {
            asserted.push(grounder.ground(*id, Side::Helps)?);
        }
        if grounder.exact || !grounder.sample(&asserted, false) {
            break;
        }
    }
    let sizes = match universe {
        Universe::Size(size) => vec![size; problem.free.len()],
        Universe::Terms => grounder.sizes(&asserted)?,
    };
    grounder.congruence(&mut asserted)?;
    Ok(Ground {
        problem: grounder.problem,
        asserted,
        exact: grounder.exact,
        universe,
        sizes,
    })
}

struct Grounder {
    problem: Problem,
    universe: Universe,
    bound: BTreeMap<u32, TermId>,
    exact: bool,
    /// Terms at which "for all" is tried where its variable has no finite range.
    samples: BTreeSet<TermId>,
    /// Constants for "something exists", by variable and what was bound around it.
    made_up: HashMap<(u32, BTreeMap<u32, TermId>), TermId>,
}

impl Grounder {
    /// Adds the closed terms below `roots` to the samples; true if there are more than before.
    fn sample(&mut self, roots: &[TermId], numbers: bool) -> bool {
        let before = self.samples.len();
        let terms = &self.problem.terms;
        for id in terms.below(roots) {
            let applied = matches!(terms.op(id), Op::Apply(_)) && !terms.is_open(id);
            let free = matches!(terms.sort(id), Sort::Free(_));
            let number = numbers && (applied || matches!(terms.op(id), Op::Number(_)));
            if free && applied || !free && number {
                self.samples.insert(id);
            }
        }
        if numbers {
            let ends = [0, 1].map(|n| self.problem.terms.int(n));
            self.samples.extend(ends);
        }
        self.samples.len() > before
    }

    fn ground(&mut self, id: TermId, side: Side) -> Result<TermId, NoVerdict> {
        if !self.problem.terms.is_open(id) {
            return Ok(id);
        }
        self.problem.budget.spend()?;
        if self.problem.terms.len() > MOST_TERMS {
            return Err(NoVerdict::new(
                "quantifiers with too many cases to write out",
            ));
        }
        let args = self.problem.terms.args(id).to_vec();
        match self.problem.terms.op(id).clone() {
            Op::Var(var) => {
                let bound = self.bound.get(&var).copied();
                bound.ok_or_else(|| NoVerdict::new("a variable that nothing binds"))
            }
            Op::Forall(vars) => self.quantifier(&vars, args[0], side, true),
            Op::Exists(vars) => self.quantifier(&vars, args[0], side, false),
            Op::Eq
                if args
                    .iter()
                    .any(|arg| self.problem.terms.is_quantified(*arg))
                    && self.problem.terms.sort(args[0]) == Sort::Bool =>
            {
                // As two implications each part has a side, so quantifiers in it can be written out.
                let positive = [self.ground(args[0], side)?, self.ground(args[1], side)?];
                let (p, q) = (
                    self.ground(args[0], side.turned())?,
                    self.ground(args[1], side.turned())?,
                );
                let terms = &mut self.problem.terms;
                if [p, q] == positive {
                    return Ok(terms.eq(p, q));
                }
                let (not_p, not_q) = (terms.not(p), terms.not(q));
                let parts = vec![
                    terms.or(vec![not_p, positive[1]]),
                    terms.or(vec![not_q, positive[0]]),
                ];
                Ok(terms.and(parts))
            }
            op => {
                let mut grounded = Vec::with_capacity(args.len());
                for (at, arg) in args.into_iter().enumerate() {
                    let inner = match op {
                        Op::Not => side.turned(),
                        Op::And | Op::Or => side,
                        Op::Ite if at > 0 => side,
                        _ => Side::Both,
                    };
                    grounded.push(self.ground(arg, inner)?);
                }
                Ok(self.problem.terms.rebuilt(id, grounded))
            }
        }
    }

    fn quantifier(
        &mut self,
        vars: &[u32],
        body: TermId,
        side: Side,
        all: bool,
    ) -> Result<TermId, NoVerdict> {
        let Some((var, rest)) = vars.split_first() else {
            return self.ground(body, side);
        };
        let sort = self.problem.terms.vars[*var as usize];
        let values = match self.values(*var, sort, body, all) {
            Some(values) => values,
            None if side == (if all { Side::Hurts } else { Side::Helps }) => {
                vec![self.made_up(*var, sort)]
            }
            None if side == (if all { Side::Helps } else { Side::Hurts }) => {
                self.exact = false;
                let most = match sort {
                    Sort::Free(_) => MOST_SAMPLES,
                    _ => (MOST_INSTANCES as f64).powf(1.0 / vars.len() as f64) as usize,
                };
                let of_sort = |id: &&TermId| self.problem.terms.sort(**id) == sort;
                let samples = self.samples.iter().filter(of_sort).copied();
                let samples: Vec<_> = samples.take(most.max(1)).collect();
                // Every sort has an element, even if no term names one.
                if samples.is_empty() {
                    vec![self.made_up(*var, sort)]
                } else {
                    samples
                }
            }
            None => {
                let why = "a quantifier inside an arithmetic term is left to z3";
                return Err(NoVerdict::new(why));
            }
        };
        let mut cases = Vec::with_capacity(values.len());
        for value in values {
            let before = self.bound.insert(*var, value);
            let case = self.quantifier(rest, body, side, all);
            match before {
                Some(before) => self.bound.insert(*var, before),
                None => self.bound.remove(var),
            };
            cases.push(case?);
        }
        let terms = &mut self.problem.terms;
        Ok(if all {
            terms.and(cases)
        } else {
            terms.or(cases)
        })
    }

    /// A new constant; what stands in other instances of the quantifiers around it gets its own.
    fn made_up(&mut self, var: u32, sort: Sort) -> TermId {
        let key = (var, self.bound.clone());
        if let Some(id) = self.made_up.get(&key) {
            return *id;
        }
        let name = format!("exists!{}", self.problem.symbols.len());
        let symbol = self.problem.declare(&name, Vec::new(), sort);
        let id = self.problem.terms.make(Op::Apply(symbol), Vec::new(), sort);
        self.made_up.insert(key, id);
        id
    }

    /// All values of a variable of a finite sort, or of one whose range is short.
    fn values(&mut self, var: u32, sort: Sort, body: TermId, all: bool) -> Option<Vec<TermId>> {
        let terms = &mut self.problem.terms;
        let count = match (sort, self.universe) {
            (Sort::Bool, _) => return Some(vec![terms.bool(false), terms.bool(true)]),
            (Sort::Int, _) => {
                let range = range::of(terms, var, body, all)?;
                return Some(range.map(|n| terms.int(n)).collect());
            }
            (Sort::Enum(index), _) => self.problem.enums[index as usize].1.len() as u32,
            (Sort::Free(_), Universe::Size(size)) => size,
            (Sort::Free(_), Universe::Terms) | (Sort::Real, _) => return None,
        };
        let element = |n| terms.make(Op::Element(n), Vec::new(), sort);
        Some((0..count).map(element).collect())
    }

    /// One element for each term of a free sort is enough: further ones are not named by anything.
    fn sizes(&self, asserted: &[TermId]) -> Result<Vec<u32>, NoVerdict> {
        let terms = &self.problem.terms;
        let mut sizes = vec![0; self.problem.free.len()];
        for id in terms.below(asserted) {
            if let (Op::Apply(_), Sort::Free(sort)) = (terms.op(id), terms.sort(id)) {
                sizes[sort as usize] += 1;
            }
        }
        if sizes.iter().any(|size| *size > 64) {
            return Err(NoVerdict::new(
                "more than 64 terms of one sort are left to z3",
            ));
        }
        Ok(sizes.into_iter().map(|size: u32| size.max(1)).collect())
    }

    /// For every two applications of a function: arguments that are equal give values that are.
    fn congruence(&mut self, asserted: &mut Vec<TermId>) -> Result<(), NoVerdict> {
        let mut applied: BTreeMap<u32, Vec<TermId>> = BTreeMap::new();
        for id in self.problem.terms.below(asserted) {
            match self.problem.terms.op(id) {
                Op::Apply(symbol) if !self.problem.terms.args(id).is_empty() => {
                    applied.entry(*symbol).or_default().push(id);
                }
                _ => {}
            }
        }
        let mut pairs = 0;
        for applications in applied.values() {
            for (at, a) in applications.iter().enumerate() {
                for b in &applications[..at] {
                    self.problem.budget.spend()?;
                    let implied = self.same_value(*a, *b);
                    if *self.problem.terms.op(implied) == Op::True {
                        continue;
                    }
                    pairs += 1;
                    if pairs > MOST_PAIRS {
                        return Err(NoVerdict::new(
                            "a function used too often; z3 may decide it",
                        ));
                    }
                    asserted.push(implied);
                }
            }
        }
        Ok(())
    }

    fn same_value(&mut self, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.problem.terms;
        let pairs: Vec<_> = terms
            .args(a)
            .iter()
            .copied()
            .zip(terms.args(b).iter().copied())
            .collect();
        let mut parts = vec![terms.eq(a, b)];
        for (x, y) in pairs {
            let equal = terms.eq(x, y);
            parts.push(terms.not(equal));
        }
        terms.or(parts)
    }
}
