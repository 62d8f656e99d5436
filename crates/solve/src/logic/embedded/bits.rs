//! Bit-vector operators as gates.
use super::{
    super::{
        problem::Unsupported,
        term::{BvOp, Op, TermId},
    },
    encode::{Encoder, Number},
    integer::extended,
};
use batsat::Lit;

impl Encoder<'_> {
    /// A bit-vector term of this width.
    pub(super) fn bit_vector(&mut self, id: TermId, width: u32) -> Result<Vec<Lit>, Unsupported> {
        let args = self.problem.terms.args(id).to_vec();
        match self.problem.terms.op(id).clone() {
            Op::Bits(value) => Ok((0..width)
                .map(|at| self.gates.constant(value.bit(at.into())))
                .collect()),
            Op::Apply(_) => {
                self.application(id)?;
                Ok(self.gates.fresh_bits(width as usize))
            }
            Op::Ite => self.chosen(id),
            Op::Bv(BvOp::FromInt(width)) => {
                let number = self.number_of(args[0])?;
                Ok(extended(&number.bits, width as usize))
            }
            Op::Bv(op) => self.operation(op, &args),
            _ => Err(Unsupported("this kind of bit-vector".into())),
        }
    }

    fn operation(&mut self, op: BvOp, args: &[TermId]) -> Result<Vec<Lit>, Unsupported> {
        let a = self.bits(args[0])?;
        if let BvOp::Extract(high, low) = op {
            return Ok(a[low as usize..=high as usize].to_vec());
        }
        if op == BvOp::Not {
            return Ok(a.iter().map(|bit| !*bit).collect());
        }
        let b = self.bits(args[1])?;
        let no = self.gates.constant(false);
        let pairs = || a.iter().copied().zip(b.iter().copied());
        Ok(match op {
            BvOp::And => pairs().map(|(x, y)| self.gates.and(x, y)).collect(),
            BvOp::Or => pairs().map(|(x, y)| self.gates.or(x, y)).collect(),
            BvOp::Xor => pairs().map(|(x, y)| self.gates.xor(x, y)).collect(),
            BvOp::Add => self.gates.add(&a, &b, no),
            BvOp::Mul => self.gates.multiply(&a, &b),
            BvOp::Concat => [b, a].concat(),
            BvOp::Udiv => self.divided(&a, &b)?.0,
            BvOp::Urem => self.divided(&a, &b)?.1,
            BvOp::Shl => {
                let reversed: Vec<_> = a.iter().rev().copied().collect();
                let mut shifted = self.shifted(&reversed, &b, no);
                shifted.reverse();
                shifted
            }
            BvOp::Lshr => self.shifted(&a, &b, no),
            BvOp::Ashr => {
                let sign = *a.last().expect("a bit-vector has bits");
                self.shifted(&a, &b, sign)
            }
            _ => return Err(Unsupported("this kind of bit-vector".into())),
        })
    }

    /// `a` moved down by `by`, `fill` coming in from above.
    fn shifted(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Vec<Lit> {
        let mut out = a.to_vec();
        for (stage, bit) in by.iter().enumerate() {
            let step = 1usize.checked_shl(stage as u32).unwrap_or(usize::MAX);
            let moved: Vec<_> = (0..out.len())
                .map(|at| {
                    at.checked_add(step)
                        .and_then(|from| out.get(from))
                        .copied()
                        .unwrap_or(fill)
                })
                .collect();
            out = self.gates.choose(*bit, &moved, &out);
        }
        out
    }

    /// Quotient and remainder; SMT-LIB's for a divisor of zero.
    fn divided(&mut self, a: &[Lit], b: &[Lit]) -> Result<(Vec<Lit>, Vec<Lit>), Unsupported> {
        self.gates.full()?;
        let width = a.len();
        let no = self.gates.constant(false);
        let (quotient, remainder) = (self.gates.fresh_bits(width), self.gates.fresh_bits(width));
        let zero = {
            let inverse: Vec<_> = b.iter().map(|bit| !*bit).collect();
            self.gates.all(&inverse)
        };
        let wide = |bits: &[Lit]| [bits.to_vec(), vec![no; width]].concat();
        let product = self.gates.multiply(&wide(&quotient), &wide(b));
        let sum = self.gates.add(&product, &wide(&remainder), no);
        let whole = self.gates.equal(&sum, &wide(a));
        let below = !self.gates.at_most(b, &remainder);
        self.gates.clause(&[zero, whole]);
        self.gates.clause(&[zero, below]);
        let ones = self.gates.all(&quotient);
        let same = self.gates.equal(&remainder, a);
        self.gates.clause(&[!zero, ones]);
        self.gates.clause(&[!zero, same]);
        Ok((quotient, remainder))
    }

    /// An unsigned comparison.
    pub(super) fn bit_compare(&mut self, op: BvOp, args: &[TermId]) -> Result<Lit, Unsupported> {
        let (a, b) = (self.bits(args[0])?, self.bits(args[1])?);
        match op {
            BvOp::Ule => Ok(self.gates.at_most(&a, &b)),
            BvOp::Ult => Ok(!self.gates.at_most(&b, &a)),
            _ => Err(Unsupported("this kind of comparison".into())),
        }
    }

    /// The natural number that a bit-vector is.
    pub(super) fn natural(&mut self, op: BvOp, args: &[TermId]) -> Result<Number, Unsupported> {
        if op != BvOp::ToNat {
            return Err(Unsupported("this kind of integer".into()));
        }
        let mut bits = self.bits(args[0])?;
        if bits.len() > 90 {
            return Err(Unsupported("bit-vectors that wide as numbers".into()));
        }
        let high = (1i128 << bits.len()) - 1;
        bits.push(self.gates.constant(false));
        Ok(Number { bits, low: 0, high })
    }
}
