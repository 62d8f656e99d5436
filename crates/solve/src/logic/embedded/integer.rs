//! Integers as gates: sums, products, quotients and comparisons of the width that their ranges need.
use super::{
    super::{
        problem::Unsupported,
        term::{Op, Sort, TermId},
    },
    encode::{Code, Encoder, Number},
    linear::Linear,
};
use batsat::Lit;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

impl Encoder<'_> {
    pub(super) fn is_zero(&mut self, mut linear: Linear) -> Result<Lit, Unsupported> {
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

    pub(super) fn equals(&mut self, number: &Number, value: i128) -> Lit {
        if value < number.low || value > number.high {
            return self.gates.constant(false);
        }
        let bits = self.constant_bits(value, number.bits.len());
        self.gates.equal(&number.bits, &bits)
    }

    pub(super) fn at_most(&mut self, number: &Number, limit: i128) -> Lit {
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

    pub(super) fn constant_bits(&self, value: i128, width: usize) -> Vec<Lit> {
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
    pub(super) fn number(&mut self, id: TermId) -> Result<Number, Unsupported> {
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

    pub(super) fn plus(&mut self, a: &Number, b: &Number) -> Result<Number, Unsupported> {
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

    pub(super) fn scaled(&mut self, number: &Number, factor: i128) -> Result<Number, Unsupported> {
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
    pub(super) fn division(&mut self, id: TermId, args: &[TermId]) -> Result<Number, Unsupported> {
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

pub(super) fn integer(value: &BigRational) -> Result<i128, Unsupported> {
    let fits = |n: &i128| n.abs() < 1 << 100;
    value
        .to_i128()
        .filter(fits)
        .filter(|_| value.is_integer())
        .ok_or_else(too_large)
}

pub(super) fn checked(value: Option<i128>) -> Result<i128, Unsupported> {
    value.filter(|n| n.abs() < 1 << 120).ok_or_else(too_large)
}

fn too_large() -> Unsupported {
    Unsupported("numbers that large".into())
}
