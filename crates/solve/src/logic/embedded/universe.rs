//! How many elements a free sort needs.
//!
//! A model can be cut down to the elements that constants, existential quantifiers and functions from finite sorts
//! name; it stays one. So the search over universes is complete, unless an element may depend on elements.
use super::{
    super::{
        problem::Problem,
        term::{Op, Sort, TermId},
    },
    ground::Side,
};

/// Most elements of a sort, and most universes to try.
const MOST_ELEMENTS: u32 = 40;
const MOST_TRIES: usize = 60;

/// The universes to try, in order; and whether no others need to be.
pub(super) struct Plan {
    pub(super) sizes: Vec<Vec<u32>>,
    pub(super) complete: bool,
}

pub(super) fn plan(problem: &Problem) -> Plan {
    let mut counter = Counter {
        problem,
        named: vec![0; problem.free.len()],
        sensitive: vec![false; problem.free.len()],
        complete: true,
        steps: 0,
    };
    for symbol in &problem.symbols {
        counter.symbol(&symbol.args, symbol.sort);
    }
    for id in &problem.asserted {
        counter.walk(*id, Side::Helps, 1, false);
    }
    let mut sizes: Vec<Vec<u32>> = vec![Vec::new()];
    let mut complete = counter.complete;
    for (index, named) in counter.named.iter().enumerate() {
        complete &= *named <= u64::from(MOST_ELEMENTS);
        let most = (*named).clamp(1, MOST_ELEMENTS.into()) as u32;
        // Where nothing counts elements, more than needed do no harm.
        let first = if counter.sensitive[index] { 1 } else { most };
        let longer = |size: &Vec<u32>| {
            let size = size.clone();
            (first..=most)
                .map(move |n| [size.clone(), vec![n]].concat())
                .collect::<Vec<_>>()
        };
        sizes = sizes.iter().flat_map(longer).collect();
        if sizes.len() > MOST_TRIES {
            // Large ones first: what is left out is small.
            sizes.reverse();
            sizes.truncate(MOST_TRIES);
            complete = false;
        }
    }
    Plan { sizes, complete }
}

struct Counter<'a> {
    problem: &'a Problem,
    named: Vec<u64>,
    /// Is a bound variable of this sort compared with anything?
    sensitive: Vec<bool>,
    complete: bool,
    steps: usize,
}

impl Counter<'_> {
    fn size(&self, sort: Sort) -> Option<u64> {
        match sort {
            Sort::Bool => Some(2),
            Sort::Enum(index) => Some(self.problem.enums[index as usize].1.len() as u64),
            Sort::Bits(width) if width <= 8 => Some(1 << width),
            _ => None,
        }
    }

    /// Elements that a declared symbol can name.
    fn symbol(&mut self, args: &[Sort], sort: Sort) {
        let Sort::Free(index) = sort else { return };
        let cases = args
            .iter()
            .map(|arg| self.size(*arg))
            .try_fold(1u64, |all, size| all.checked_mul(size?));
        match cases {
            Some(cases) => {
                self.named[index as usize] = self.named[index as usize].saturating_add(cases)
            }
            None => self.complete = false,
        }
    }

    /// Counts existential elements. `cases`: how often the term is written out; `inside`: below a universal element.
    fn walk(&mut self, id: TermId, side: Side, cases: u64, inside: bool) {
        let terms = &self.problem.terms;
        if !terms.is_open(id) {
            return;
        }
        self.steps += 1;
        if self.steps > 200_000 {
            self.complete = false;
            return;
        }
        let args = terms.args(id).to_vec();
        match terms.op(id).clone() {
            Op::Forall(vars) => self.quantifier(&vars, args[0], side, true, (cases, inside)),
            Op::Exists(vars) => self.quantifier(&vars, args[0], side, false, (cases, inside)),
            op => {
                if let (Op::Eq, Sort::Free(index)) =
                    (&op, terms.sort(args.first().copied().unwrap_or(id)))
                {
                    self.sensitive[index as usize] = true;
                }
                for (at, arg) in args.into_iter().enumerate() {
                    let inner = match op {
                        Op::Not => side.turned(),
                        Op::And | Op::Or => side,
                        Op::Ite if at > 0 => side,
                        _ => Side::Both,
                    };
                    self.walk(arg, inner, cases, inside);
                }
            }
        }
    }

    fn quantifier(
        &mut self,
        vars: &[u32],
        body: TermId,
        side: Side,
        all: bool,
        (mut cases, mut inside): (u64, bool),
    ) {
        let universal = side == Side::Both || all == (side == Side::Helps);
        let existential = side == Side::Both || all != (side == Side::Helps);
        for var in vars {
            let sort = self.problem.terms.vars[*var as usize];
            if existential && let Sort::Free(index) = sort {
                self.complete &= !(inside || universal && vars.len() > 1);
                self.named[index as usize] = self.named[index as usize].saturating_add(cases);
            }
        }
        if universal {
            for var in vars {
                match self.size(self.problem.terms.vars[*var as usize]) {
                    Some(size) => cases = cases.saturating_mul(size),
                    None => inside = true,
                }
            }
        }
        self.walk(body, side, cases, inside);
    }
}
