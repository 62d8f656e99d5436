//! Assertions with quantifiers → assertions without.
//!
//! A quantifier over a finite sort is written out; one that only asserts that something exists gets a new constant; one
//! over all integers is kept only at some of them. The result follows from the assertions, always: if it cannot hold,
//! they cannot. If [`Ground::exact`], the assertions follow from it as well.
use super::super::{
    problem::{Problem, Unsupported},
    range,
    term::{Op, Sort, TermId},
};
use num_rational::BigRational;
use std::collections::{BTreeSet, HashMap};

/// Most terms after writing out.
const MOST_TERMS: usize = 1_000_000;
/// Most instances of a quantifier over an infinite sort.
const MOST_INSTANCES: usize = 300;

/// What is left to solve.
pub(super) struct Ground {
    pub(super) asserted: Vec<TermId>,
    /// Do the assertions follow from these, too?
    pub(super) exact: bool,
}

/// Where a term stands: its truth helps, hurts, or both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Helps,
    Hurts,
    Both,
}

impl Side {
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Helps => Self::Hurts,
            Self::Hurts => Self::Helps,
            Self::Both => Self::Both,
        }
    }
}

/// Writes out `problem` for universes of these sizes. New constants are declared in `problem`.
pub(super) fn ground(problem: &mut Problem, sizes: &[u32]) -> Result<Ground, Unsupported> {
    let mut grounder = Grounder {
        sizes,
        bound: HashMap::new(),
        exact: true,
        samples: samples(problem),
        start: problem.terms.len(),
        problem,
    };
    let mut asserted = Vec::new();
    for id in grounder.problem.asserted.clone() {
        let id = grounder.ground(id, Side::Helps)?;
        asserted.push(id);
    }
    let exact = grounder.exact;
    Ok(Ground { asserted, exact })
}

struct Grounder<'a> {
    problem: &'a mut Problem,
    sizes: &'a [u32],
    bound: HashMap<u32, TermId>,
    exact: bool,
    samples: Vec<TermId>,
    start: usize,
}

impl Grounder<'_> {
    fn ground(&mut self, id: TermId, side: Side) -> Result<TermId, Unsupported> {
        if !self.problem.terms.is_open(id) {
            return Ok(id);
        }
        if self.problem.terms.len() - self.start > MOST_TERMS {
            return Err(Unsupported("quantifiers with that many cases".into()));
        }
        let args = self.problem.terms.args(id).to_vec();
        let inner = |at: usize, op: &Op| match op {
            Op::Not => side.turned(),
            Op::And | Op::Or => side,
            Op::Ite if at > 0 => side,
            _ => Side::Both,
        };
        match self.problem.terms.op(id).clone() {
            Op::Var(var) => match self.bound.get(&var) {
                Some(value) => Ok(*value),
                None => Err(Unsupported("a variable that nothing binds".into())),
            },
            Op::Forall(vars) => self.quantifier(&vars, args[0], side, true),
            Op::Exists(vars) => self.quantifier(&vars, args[0], side, false),
            op => {
                let mut grounded = Vec::with_capacity(args.len());
                for (at, arg) in args.into_iter().enumerate() {
                    grounded.push(self.ground(arg, inner(at, &op))?);
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
    ) -> Result<TermId, Unsupported> {
        let Some((var, rest)) = vars.split_first() else {
            return self.ground(body, side);
        };
        let sort = self.problem.terms.vars[*var as usize];
        let values = match self.values(*var, sort, body, all) {
            Some(values) => values,
            // "Something exists" is a new constant; each instance of what is around it gets its own.
            None if side == (if all { Side::Hurts } else { Side::Helps }) => {
                let name = format!("exists!{}", self.problem.symbols.len());
                let symbol = self.problem.declare(&name, Vec::new(), sort);
                vec![self.problem.terms.make(Op::Apply(symbol), Vec::new(), sort)]
            }
            None if side == (if all { Side::Helps } else { Side::Hurts }) => {
                self.exact = false;
                let of_sort = |id: &TermId| self.problem.terms.sort(*id) == sort;
                let most = (MOST_INSTANCES as f64).powf(1.0 / vars.len() as f64) as usize;
                self.samples
                    .iter()
                    .copied()
                    .filter(of_sort)
                    .take(most.max(1))
                    .collect()
            }
            None => {
                return Err(Unsupported(
                    "a quantifier on both sides of an equality".into(),
                ));
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

    /// All values of a variable of a finite sort, or of one whose range is short.
    fn values(&mut self, var: u32, sort: Sort, body: TermId, all: bool) -> Option<Vec<TermId>> {
        let count = match sort {
            Sort::Bool => {
                let terms = &mut self.problem.terms;
                return Some(vec![terms.bool(false), terms.bool(true)]);
            }
            Sort::Enum(index) => self.problem.enums[index as usize].1.len() as u32,
            Sort::Free(index) => self.sizes[index as usize],
            Sort::Int => {
                let range = range::of(&self.problem.terms, var, body, all)?;
                return Some(range.map(|n| self.problem.terms.int(n)).collect());
            }
            Sort::Bits(width) if width <= 8 => {
                let bits = |n: u32| Op::Bits(n.into());
                let terms = &mut self.problem.terms;
                return Some(
                    (0..1 << width)
                        .map(|n| terms.make(bits(n), Vec::new(), sort))
                        .collect(),
                );
            }
            Sort::Real | Sort::Bits(_) => return None,
        };
        let terms = &mut self.problem.terms;
        Some(
            (0..count)
                .map(|n| terms.make(Op::Element(n), Vec::new(), sort))
                .collect(),
        )
    }
}

/// Numbers and constants of a problem: where quantifiers over all numbers are tried.
fn samples(problem: &mut Problem) -> Vec<TermId> {
    let mut numbers: BTreeSet<BigRational> = BTreeSet::new();
    numbers.insert(BigRational::from_integer(0.into()));
    numbers.insert(BigRational::from_integer(1.into()));
    let mut found = Vec::new();
    for at in 0..problem.terms.len() {
        let id = TermId(at as u32);
        match problem.terms.op(id) {
            Op::Number(value) if numbers.len() < 40 => {
                numbers.insert(value.clone());
            }
            Op::Apply(_) if !problem.terms.is_open(id) && found.len() < 40 => found.push(id),
            _ => {}
        }
    }
    for number in numbers {
        if number.is_integer() {
            found.push(problem.terms.number(number.clone(), Sort::Int));
        }
        found.push(problem.terms.number(number, Sort::Real));
    }
    found
}
