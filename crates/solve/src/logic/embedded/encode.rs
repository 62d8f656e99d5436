//! Ground terms → gates: integers as two's complement of the width their range needs, elements as binary numbers.
//!
//! Every sum has the width of its interval, so nothing overflows: within the ranges the encoding is exact. Function
//! values are unknowns of their own; equal arguments give equal values (Ackermann). Comparisons of reals are literals
//! whose meaning `real.rs` keeps.
use super::{
    super::{
        problem::{Problem, Unsupported},
        term::{Op, Sort, TermId},
    },
    bounds::Interval,
    gates::Gates,
    integer::integer,
    linear::Linear,
    real::Reals,
};
use batsat::Lit;
use num_rational::BigRational;
use num_traits::Zero;
use std::collections::{BTreeMap, HashMap};

/// Pairs of applications of one function.
const MOST_PAIRS: usize = 200_000;

/// An integer: its bits, lowest first, the last one the sign; and its range.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) bits: Vec<Lit>,
    pub(super) low: i128,
    pub(super) high: i128,
}

/// What a term became.
#[derive(Clone, Debug)]
pub(super) enum Code {
    Truth(Lit),
    Number(Number),
    /// A bit-vector, or the index of an element.
    Bits(Vec<Lit>),
    /// A real: known to `Reals` as this term.
    Real,
}

/// Encodes one problem.
pub(super) struct Encoder<'a> {
    pub(super) problem: &'a mut Problem,
    pub(super) gates: Gates,
    pub(super) reals: Reals,
    pub(super) codes: HashMap<TermId, Code>,
    pub(super) ranges: BTreeMap<TermId, Interval>,
    pub(super) sizes: &'a [u32],
    pub(super) applications: Vec<TermId>,
    /// How many applications have been compared with those before them.
    compared: usize,
}

impl<'a> Encoder<'a> {
    pub(super) fn new(
        problem: &'a mut Problem,
        gates: Gates,
        sizes: &'a [u32],
        ranges: BTreeMap<TermId, Interval>,
    ) -> Self {
        Self {
            problem,
            gates,
            reals: Reals::default(),
            codes: HashMap::new(),
            ranges,
            sizes,
            applications: Vec::new(),
            compared: 0,
        }
    }

    /// Asserts a ground Bool.
    pub(super) fn assert(&mut self, id: TermId) -> Result<(), Unsupported> {
        if *self.problem.terms.op(id) == Op::And {
            for arg in self.problem.terms.args(id).to_vec() {
                self.assert(arg)?;
            }
            return Ok(());
        }
        let lits = match self.problem.terms.op(id) {
            Op::Or => {
                let args = self.problem.terms.args(id).to_vec();
                args.iter()
                    .map(|arg| self.truth(*arg))
                    .collect::<Result<Vec<_>, _>>()?
            }
            _ => vec![self.truth(id)?],
        };
        self.gates.clause(&lits);
        self.gates.full()
    }

    /// The literal of a ground Bool.
    pub(super) fn truth(&mut self, id: TermId) -> Result<Lit, Unsupported> {
        match self.code(id)? {
            Code::Truth(lit) => Ok(lit),
            _ => Err(Unsupported("a Bool that is none".into())),
        }
    }

    pub(super) fn bits(&mut self, id: TermId) -> Result<Vec<Lit>, Unsupported> {
        match self.code(id)? {
            Code::Bits(bits) => Ok(bits),
            _ => Err(Unsupported("bits that are none".into())),
        }
    }

    pub(super) fn code(&mut self, id: TermId) -> Result<Code, Unsupported> {
        if let Some(code) = self.codes.get(&id) {
            return Ok(code.clone());
        }
        self.gates.full()?;
        let code = match self.problem.terms.sort(id) {
            Sort::Bool => Code::Truth(self.boolean(id)?),
            Sort::Int => Code::Number(self.number(id)?),
            Sort::Real => {
                self.real(id)?;
                Code::Real
            }
            Sort::Bits(width) => Code::Bits(self.bit_vector(id, width)?),
            sort @ (Sort::Enum(_) | Sort::Free(_)) => Code::Bits(self.element(id, sort)?),
        };
        self.codes.insert(id, code.clone());
        Ok(code)
    }

    fn boolean(&mut self, id: TermId) -> Result<Lit, Unsupported> {
        let args = self.problem.terms.args(id).to_vec();
        match self.problem.terms.op(id).clone() {
            Op::True => Ok(self.gates.constant(true)),
            Op::False => Ok(self.gates.constant(false)),
            Op::Not => Ok(!self.truth(args[0])?),
            op @ (Op::And | Op::Or) => {
                let lits = args
                    .iter()
                    .map(|arg| self.truth(*arg))
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(if op == Op::And {
                    self.gates.all(&lits)
                } else {
                    self.gates.any(&lits)
                })
            }
            Op::Ite => {
                let (c, a, b) = (
                    self.truth(args[0])?,
                    self.truth(args[1])?,
                    self.truth(args[2])?,
                );
                Ok(self.gates.mux(c, a, b))
            }
            Op::Eq => self.equal(args[0], args[1]),
            op @ (Op::Le | Op::Lt) => self.compare(args[0], args[1], op == Op::Lt),
            Op::Apply(_) => {
                self.application(id)?;
                Ok(self.gates.fresh())
            }
            Op::Bv(op) => self.bit_compare(op, &args),
            _ => Err(Unsupported("this kind of Bool".into())),
        }
    }

    fn equal(&mut self, a: TermId, b: TermId) -> Result<Lit, Unsupported> {
        match self.problem.terms.sort(a) {
            Sort::Bool => {
                let (x, y) = (self.truth(a)?, self.truth(b)?);
                Ok(self.gates.iff(x, y))
            }
            Sort::Int | Sort::Real => {
                let linear = Linear::difference(&self.problem.terms, a, b);
                if linear.is_integral(&self.problem.terms) {
                    return self.is_zero(linear.scaled_to_integers());
                }
                let (below, above) = (self.compare(a, b, false)?, self.compare(b, a, false)?);
                Ok(self.gates.and(below, above))
            }
            _ => {
                let (x, y) = (self.bits(a)?, self.bits(b)?);
                Ok(self.gates.equal(&x, &y))
            }
        }
    }

    /// `a <= b` or `a < b`.
    fn compare(&mut self, a: TermId, b: TermId, strict: bool) -> Result<Lit, Unsupported> {
        let linear = Linear::difference(&self.problem.terms, a, b);
        if !linear.is_integral(&self.problem.terms) {
            return self.compare_reals(linear, strict);
        }
        let mut linear = linear.scaled_to_integers();
        if strict {
            linear.constant += BigRational::from_integer(1.into());
        }
        // Σ <= −constant.
        let limit = integer(&-&linear.constant)?;
        linear.constant = BigRational::zero();
        let sum = self.sum(&linear)?;
        Ok(self.at_most(&sum, limit))
    }

    fn compare_reals(&mut self, linear: Linear, strict: bool) -> Result<Lit, Unsupported> {
        for part in linear.parts.keys() {
            if self.problem.terms.sort(*part) == Sort::Int {
                return Err(Unsupported("integers and reals in one sum".into()));
            }
            self.code(*part)?;
        }
        Ok(self.reals.atom(&mut self.gates, linear, strict))
    }

    fn real(&mut self, id: TermId) -> Result<(), Unsupported> {
        match self.problem.terms.op(id) {
            Op::Apply(_) => self.application(id),
            Op::Ite => {
                // A new real that equals one branch or the other.
                let args = self.problem.terms.args(id).to_vec();
                self.codes.insert(id, Code::Real);
                let c = self.truth(args[0])?;
                let (a, b) = (self.equal(id, args[1])?, self.equal(id, args[2])?);
                self.gates.clause(&[!c, a]);
                self.gates.clause(&[c, b]);
                Ok(())
            }
            _ => Err(Unsupported("products of reals".into())),
        }
    }

    fn element(&mut self, id: TermId, sort: Sort) -> Result<Vec<Lit>, Unsupported> {
        let size = match sort {
            Sort::Enum(index) => self.problem.enums[index as usize].1.len() as u32,
            Sort::Free(index) => self.sizes[index as usize],
            _ => return Err(Unsupported("an element of no sort".into())),
        };
        let width = (32 - (size.max(2) - 1).leading_zeros()) as usize;
        match self.problem.terms.op(id).clone() {
            Op::Element(index) => Ok((0..width)
                .map(|at| self.gates.constant(index >> at & 1 == 1))
                .collect()),
            Op::Ite => self.chosen(id),
            Op::Apply(_) => {
                self.application(id)?;
                let bits = self.gates.fresh_bits(width);
                let last: Vec<_> = (0..width)
                    .map(|at| self.gates.constant((size - 1) >> at & 1 == 1))
                    .collect();
                let within = self.gates.at_most(&bits, &last);
                self.gates.clause(&[within]);
                Ok(bits)
            }
            _ => Err(Unsupported("this kind of element".into())),
        }
    }

    pub(super) fn chosen(&mut self, id: TermId) -> Result<Vec<Lit>, Unsupported> {
        let args = self.problem.terms.args(id).to_vec();
        let (c, a, b) = (
            self.truth(args[0])?,
            self.bits(args[1])?,
            self.bits(args[2])?,
        );
        Ok(self.gates.choose(c, &a, &b))
    }

    /// Notes a function value; its arguments are encoded first.
    pub(super) fn application(&mut self, id: TermId) -> Result<(), Unsupported> {
        for arg in self.problem.terms.args(id).to_vec() {
            if self.problem.terms.sort(arg) == Sort::Real {
                let linear = Linear::of(&self.problem.terms, arg);
                for part in linear.parts.into_keys() {
                    self.code(part)?;
                }
            } else {
                self.code(arg)?;
            }
        }
        self.applications.push(id);
        Ok(())
    }

    /// Equal arguments, equal values: for all applications that were noted since the last call.
    pub(super) fn congruence(&mut self) -> Result<(), Unsupported> {
        let mut pairs = 0;
        while self.compared < self.applications.len() {
            let a = self.applications[self.compared];
            self.compared += 1;
            for at in 0..self.compared - 1 {
                let b = self.applications[at];
                if self.problem.terms.op(a) == self.problem.terms.op(b) {
                    pairs += 1;
                    if pairs > MOST_PAIRS {
                        return Err(Unsupported("a function used that often".into()));
                    }
                    self.same_value(a, b)?;
                }
            }
        }
        Ok(())
    }

    fn same_value(&mut self, a: TermId, b: TermId) -> Result<(), Unsupported> {
        let args: Vec<_> = {
            let terms = &self.problem.terms;
            terms
                .args(a)
                .iter()
                .copied()
                .zip(terms.args(b).iter().copied())
                .collect()
        };
        let terms = &self.problem.terms;
        if args
            .iter()
            .any(|(x, y)| x != y && terms.is_value(*x) && terms.is_value(*y))
        {
            return Ok(());
        }
        let mut lits = Vec::new();
        for (x, y) in args.into_iter().filter(|(x, y)| x != y) {
            lits.push(!self.equal(x, y)?);
        }
        lits.push(self.equal(a, b)?);
        self.gates.clause(&lits);
        Ok(())
    }
}
