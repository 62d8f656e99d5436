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

<<<<<<< HEAD
=======
    fn is_zero(&mut self, mut linear: Linear) -> Result<Lit, Unsupported> {
        let target = integer(&-&linear.constant)?;
        linear.constant = BigRational::zero();
        // x = y is cheaper bit by bit than by a difference.
        if let [(a, p), (b, q)] = linear.parts.iter().collect::<Vec<_>>().as_slice()
            && (*p + *q).is_zero()
            && target.is_zero()
        {
            let (x, y) = (self.number_of(**a)?, self.number_of(**b)?);
            let width = x.bits.len().max(y.bits.len());
            let (x, y) = (extended(&x.bits, width), extended(&y.bits, width));
            return Ok(self.gates.equal(&x, &y));
        }
        let sum = self.sum(&linear)?;
        Ok(self.equals(&sum, target))
    }

    fn equals(&mut self, number: &Number, value: i128) -> Lit {
        if value < number.low || value > number.high {
            return self.gates.constant(false);
        }
        let bits = self.constant_bits(value, number.bits.len());
        self.gates.equal(&number.bits, &bits)
    }

    fn at_most(&mut self, number: &Number, limit: i128) -> Lit {
        if limit >= number.high {
            return self.gates.constant(true);
        }
        if limit < number.low {
            return self.gates.constant(false);
        }
        // With the sign turned, two's complement is in unsigned order.
        let turned = |bits: &[Lit]| {
            let mut bits = bits.to_vec();
            let last = bits.len() - 1;
            bits[last] = !bits[last];
            bits
        };
        let limit = self.constant_bits(limit, number.bits.len());
        self.gates.at_most(&turned(&number.bits), &turned(&limit))
    }

    fn constant_bits(&self, value: i128, width: usize) -> Vec<Lit> {
        (0..width)
            .map(|at| self.gates.constant(value >> at.min(127) & 1 == 1))
            .collect()
    }

    pub(super) fn number_of(&mut self, id: TermId) -> Result<Number, Unsupported> {
        match self.code(id)? {
            Code::Number(number) => Ok(number),
            _ => Err(Unsupported("an integer that is none".into())),
        }
    }

    /// An integer term.
    fn number(&mut self, id: TermId) -> Result<Number, Unsupported> {
        let args = self.problem.terms.args(id).to_vec();
        match self.problem.terms.op(id).clone() {
            Op::Number(value) => Ok(self.constant(integer(&value)?)),
            Op::Add => {
                let linear = Linear::of(&self.problem.terms, id);
                self.sum(&linear)
            }
            Op::Mul if self.problem.terms.as_number(args[0]).is_some() && args.len() == 2 => {
                let linear = Linear::of(&self.problem.terms, id);
                self.sum(&linear)
            }
            Op::Mul => {
                let mut product = self.number_of(args[0])?;
                for arg in &args[1..] {
                    let factor = self.number_of(*arg)?;
                    product = self.product(&product, &factor)?;
                }
                Ok(product)
            }
            Op::Ite => {
                let c = self.truth(args[0])?;
                let (a, b) = (self.number_of(args[1])?, self.number_of(args[2])?);
                let width = a.bits.len().max(b.bits.len());
                Ok(Number {
                    bits: self.gates.choose(
                        c,
                        &extended(&a.bits, width),
                        &extended(&b.bits, width),
                    ),
                    low: a.low.min(b.low),
                    high: a.high.max(b.high),
                })
            }
            Op::Div | Op::Mod => self.division(id, &args),
            Op::Apply(_) => {
                self.application(id)?;
                let Some((Some(low), Some(high))) = self.ranges.get(&id).copied() else {
                    return Err(Unsupported("an integer without a range".into()));
                };
                Ok(self.unknown(low, high))
            }
            Op::Bv(op) => self.natural(op, &args),
            _ => Err(Unsupported("this kind of integer".into())),
        }
    }

    pub(super) fn constant(&self, value: i128) -> Number {
        Number {
            bits: self.constant_bits(value, width_of(value, value)),
            low: value,
            high: value,
        }
    }

    /// A new integer between two values.
    pub(super) fn unknown(&mut self, low: i128, high: i128) -> Number {
        if low > high {
            // Nothing is in between: the assertions cannot hold.
            self.gates.clause(&[]);
            return self.constant(low);
        }
        if low == high {
            return self.constant(low);
        }
        let mut bits = self.gates.fresh_bits(width_of(low, high));
        if low >= 0 {
            let last = bits.len() - 1;
            bits[last] = self.gates.constant(false);
        }
        let whole = Number {
            low: -(1 << (bits.len() - 1)),
            high: (1 << (bits.len() - 1)) - 1,
            bits,
        };
        let within = self.at_most(&whole, high);
        let below = self.at_most(&whole, low - 1);
        self.gates.clause(&[within]);
        self.gates.clause(&[!below]);
        Number { low, high, ..whole }
    }

    /// A weighted sum; shortest parts are added first.
    pub(super) fn sum(&mut self, linear: &Linear) -> Result<Number, Unsupported> {
        let mut parts = Vec::new();
        for (part, factor) in &linear.parts {
            let number = self.number_of(*part)?;
            parts.push(self.scaled(&number, integer(factor)?)?);
        }
        if !linear.constant.is_zero() || parts.is_empty() {
            parts.push(self.constant(integer(&linear.constant)?));
        }
        let mut parts: std::collections::VecDeque<_> = parts.into();
        parts.make_contiguous().sort_by_key(|part| part.bits.len());
        while parts.len() > 1 {
            let (a, b) = (
                parts.pop_front().expect("two"),
                parts.pop_front().expect("two"),
            );
            let sum = self.plus(&a, &b)?;
            let at = parts
                .iter()
                .position(|p| p.bits.len() > sum.bits.len())
                .unwrap_or(parts.len());
            parts.insert(at, sum);
        }
        parts
            .pop_front()
            .ok_or_else(|| Unsupported("an empty sum".into()))
    }

    fn plus(&mut self, a: &Number, b: &Number) -> Result<Number, Unsupported> {
        let (low, high) = (
            checked(a.low.checked_add(b.low))?,
            checked(a.high.checked_add(b.high))?,
        );
        let width = width_of(low, high);
        let no = self.gates.constant(false);
        let bits = self
            .gates
            .add(&extended(&a.bits, width), &extended(&b.bits, width), no);
        Ok(Number { bits, low, high })
    }

    fn scaled(&mut self, number: &Number, factor: i128) -> Result<Number, Unsupported> {
        if factor == 1 {
            return Ok(number.clone());
        }
        let factor = self.constant(factor);
        self.product(number, &factor)
    }

    pub(super) fn product(&mut self, a: &Number, b: &Number) -> Result<Number, Unsupported> {
        let ends = [
            (a.low, b.low),
            (a.low, b.high),
            (a.high, b.low),
            (a.high, b.high),
        ];
        let ends = ends
            .iter()
            .map(|(x, y)| checked(x.checked_mul(*y)))
            .collect::<Result<Vec<_>, _>>()?;
        let (low, high) = (
            *ends.iter().min().expect("four of them"),
            *ends.iter().max().expect("four of them"),
        );
        let width = width_of(low, high);
        // The one with more constant bits steers: each bit of it that is 0 costs nothing.
        let constants = |n: &Number| {
            n.bits
                .iter()
                .filter(|bit| self.gates.fixed(**bit).is_some())
                .count()
        };
        let (a, b) = if constants(a) > constants(b) {
            (b, a)
        } else {
            (a, b)
        };
        if b.low < 0 && b.low == b.high {
            let positive = self.constant(-b.low);
            let bits = self
                .gates
                .multiply(&extended(&a.bits, width), &extended(&positive.bits, width));
            return Ok(Number {
                bits: self.gates.negate(&bits),
                low,
                high,
            });
        }
        let bits = self
            .gates
            .multiply(&extended(&a.bits, width), &extended(&b.bits, width));
        Ok(Number { bits, low, high })
    }

    /// `x = n·q + r` with `0 <= r < |n|`.
    fn division(&mut self, id: TermId, args: &[TermId]) -> Result<Number, Unsupported> {
        let x = self.number_of(args[0])?;
        let n = self.number_of(args[1])?;
        if n.low <= 0 && n.high >= 0 {
            return Err(Unsupported("a division by what may be zero".into()));
        }
        let most = x.low.abs().max(x.high.abs()) + 1;
        let quotient = self.unknown(-most, most);
        let remainder = self.unknown(0, n.low.abs().max(n.high.abs()) - 1);
        let product = self.product(&quotient, &n)?;
        let whole = self.plus(&product, &remainder)?;
        let width = whole.bits.len().max(x.bits.len());
        let same = self
            .gates
            .equal(&extended(&whole.bits, width), &extended(&x.bits, width));
        self.gates.clause(&[same]);
        // r − |n| < 0, where the sign of n is known.
        let size = if n.low > 0 {
            self.scaled(&n, -1)?
        } else {
            n.clone()
        };
        let below = self.plus(&remainder, &size)?;
        let below = self.at_most(&below, -1);
        self.gates.clause(&[below]);
        let is_div = *self.problem.terms.op(id) == Op::Div;
        let terms = &mut self.problem.terms;
        let other = terms.make(
            if is_div { Op::Mod } else { Op::Div },
            args.to_vec(),
            Sort::Int,
        );
        let (found, twin) = if is_div {
            (quotient, remainder)
        } else {
            (remainder, quotient)
        };
        self.codes.entry(other).or_insert(Code::Number(twin));
        Ok(found)
    }

>>>>>>> python
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
<<<<<<< HEAD
}
=======

    /// The model that the gates and the reals hold now.
    pub(super) fn model(&mut self) -> Result<Model, Unsupported> {
        let symbols = self.problem.symbols.len();
        let universe = |(index, name): (usize, &String)| {
            (0..self.sizes[index])
                .map(|n| format!("{name}!val!{n}"))
                .collect()
        };
        let mut model = Model {
            universes: self.problem.free.iter().enumerate().map(universe).collect(),
            symbols: vec![None; symbols],
            ..Model::default()
        };
        for id in self.applications.clone() {
            let Op::Apply(symbol) = *self.problem.terms.op(id) else {
                continue;
            };
            let args = self.problem.terms.args(id).to_vec();
            let args = args
                .iter()
                .map(|arg| self.value(*arg))
                .collect::<Result<Vec<_>, _>>()?;
            let value = self.value(id)?;
            let slot = &mut model.symbols[symbol as usize];
            let other = || Meant::Table(BTreeMap::new(), value.clone());
            if let Meant::Table(entries, _) = slot.get_or_insert_with(other) {
                entries.insert(args, value);
            }
        }
        for index in 0..symbols {
            let sort = self.problem.symbols[index].sort;
            if !self.problem.symbols[index].args.is_empty() && model.symbols[index].is_none() {
                model.symbols[index] = Some(Meant::Table(BTreeMap::new(), default_value(sort)));
            }
        }
        Ok(model)
    }

    fn value(&mut self, id: TermId) -> Result<Value, Unsupported> {
        if self.problem.terms.sort(id) == Sort::Real {
            let linear = Linear::of(&self.problem.terms, id);
            let mut sum = linear.constant.clone();
            for (part, factor) in &linear.parts {
                let value = match self.problem.terms.sort(*part) {
                    Sort::Real => self.reals.value(*part),
                    _ => match self.value(*part)? {
                        Value::Number(number) => number,
                        _ => return Err(Unsupported("a number that is none".into())),
                    },
                };
                sum += factor * value;
            }
            return Ok(Value::Number(sum));
        }
        Ok(match self.code(id)? {
            Code::Truth(lit) => Value::Bool(self.gates.value(lit)),
            Code::Number(number) => {
                let mut value = BigInt::zero();
                let last = number.bits.len() - 1;
                for (at, bit) in number.bits.iter().enumerate() {
                    if self.gates.value(*bit) {
                        let weight = BigInt::from(1) << at;
                        value += if at == last { -weight } else { weight };
                    }
                }
                Value::Number(BigRational::from_integer(value))
            }
            Code::Bits(bits) => {
                let mut value = BigUint::zero();
                for (at, bit) in bits.iter().enumerate() {
                    value.set_bit(at as u64, self.gates.value(*bit));
                }
                match self.problem.terms.sort(id) {
                    Sort::Bits(_) => Value::Bits(value),
                    _ => Value::Element(value.to_u32().unwrap_or(0)),
                }
            }
            Code::Real => return Err(Unsupported("a real in another place".into())),
        })
    }
}

pub(super) fn extended(bits: &[Lit], width: usize) -> Vec<Lit> {
    let mut bits = bits.to_vec();
    let sign = *bits.last().expect("a number has a sign");
    bits.resize(width.max(1), sign);
    bits
}

/// Bits that hold both in two's complement.
pub(super) fn width_of(low: i128, high: i128) -> usize {
    let bits = |value: i128| {
        if value < 0 {
            129 - (!value).leading_zeros()
        } else {
            129 - value.leading_zeros()
        }
    };
    bits(low).max(bits(high)) as usize
}

fn integer(value: &BigRational) -> Result<i128, Unsupported> {
    let fits = |n: &i128| n.abs() < 1 << 100;
    value
        .to_i128()
        .filter(fits)
        .filter(|_| value.is_integer())
        .ok_or_else(too_large)
}

fn checked(value: Option<i128>) -> Result<i128, Unsupported> {
    value.filter(|n| n.abs() < 1 << 120).ok_or_else(too_large)
}

fn too_large() -> Unsupported {
    Unsupported("numbers that large".into())
}
>>>>>>> python
