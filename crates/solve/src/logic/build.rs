//! Terms made from other terms, folded where that is cheap: sums, products, powers, comparisons.
//!
//! Called by the parser and by the grounding of the embedded solver, so that a quantifier's instances fold too. A number
//! is folded only while it stays small ([`fits`]): a text of a hundred bytes can ask for one of a million digits.
use super::{
    budget::fits,
    term::{Op, Sort, TermId, Terms},
};
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

impl Terms {
    /// A sum; numbers are added up.
    pub(super) fn sum(&mut self, args: Vec<TermId>) -> TermId {
        let sort = self.sort(args[0]);
        let mut constant = BigRational::zero();
        let mut rest = Vec::new();
        for arg in args {
            match self.op(arg) {
                Op::Number(value) if fits(&constant) => constant += value,
                _ => rest.push(arg),
            }
        }
        if !constant.is_zero() || rest.is_empty() {
            let number = self.number(constant, sort);
            rest.push(number);
        }
        match rest.len() {
            1 => rest[0],
            _ => self.make(Op::Add, rest, sort),
        }
    }

    /// A whole multiple.
    pub(super) fn scaled(&mut self, a: TermId, factor: i64) -> TermId {
        let factor = self.number(BigRational::from_integer(factor.into()), self.sort(a));
        self.product(vec![factor, a])
    }

    /// A product; numbers are multiplied.
    pub(super) fn product(&mut self, args: Vec<TermId>) -> TermId {
        let sort = self.sort(args[0]);
        let mut constant = BigRational::one();
        let mut rest = Vec::new();
        for arg in args {
            match self.op(arg) {
                Op::Number(value) if fits(&constant) => constant *= value,
                _ => rest.push(arg),
            }
        }
        if constant.is_zero() || rest.is_empty() {
            return self.number(constant, sort);
        }
        if !constant.is_one() {
            let number = self.number(constant, sort);
            rest.insert(0, number);
        }
        match rest.len() {
            1 => rest[0],
            _ => self.make(Op::Mul, rest, sort),
        }
    }

    /// A real quotient; by a number it is a product.
    pub(super) fn quotient(&mut self, a: TermId, b: TermId) -> TermId {
        match self.as_number(b) {
            Some(value) if !value.is_zero() => {
                let inverse = self.number(value.recip(), Sort::Real);
                self.product(vec![inverse, a])
            }
            _ => self.make(Op::Divide, vec![a, b], Sort::Real),
        }
    }

    /// A power; small whole exponents are products.
    pub(super) fn power(&mut self, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        let exponent = self
            .as_number(b)
            .filter(|b| b.is_integer())
            .and_then(|b| b.to_i32());
        match (exponent, self.as_number(a)) {
            (Some(n @ 1..=64), base) if base.is_none_or(fits) => self.product(vec![a; n as usize]),
            _ => self.make(Op::Power, vec![a, b], sort),
        }
    }

    /// `<=`, `<`, `>=` or `>`.
    pub(super) fn compare(&mut self, word: &str, a: TermId, b: TermId) -> TermId {
        let (op, a, b) = match word {
            "<=" => (Op::Le, a, b),
            "<" => (Op::Lt, a, b),
            ">=" => (Op::Le, b, a),
            _ => (Op::Lt, b, a),
        };
        if let (Some(x), Some(y)) = (self.as_number(a), self.as_number(b)) {
            let holds = if op == Op::Le { x <= y } else { x < y };
            return self.bool(holds);
        }
        if a == b {
            return self.bool(op == Op::Le);
        }
        self.make(op, vec![a, b], Sort::Bool)
    }

    /// A term of the same operator over other arguments, folded.
    pub(super) fn rebuilt(&mut self, id: TermId, args: Vec<TermId>) -> TermId {
        if self.args(id) == args {
            return id;
        }
        let (op, sort) = (self.op(id).clone(), self.sort(id));
        match op {
            Op::Not => self.not(args[0]),
            Op::And => self.and(args),
            Op::Or => self.or(args),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Add => self.sum(args),
            Op::Mul => self.product(args),
            Op::Divide => self.quotient(args[0], args[1]),
            Op::Power => self.power(args[0], args[1]),
            Op::Le => self.compare("<=", args[0], args[1]),
            Op::Lt => self.compare("<", args[0], args[1]),
            Op::ToReal => match self.as_number(args[0]).cloned() {
                Some(value) => self.number(value, Sort::Real),
                None => self.make(op, args, sort),
            },
            Op::Div | Op::Mod => self.whole_division(&op, &args),
            _ => self.make(op, args, sort),
        }
    }

    fn whole_division(&mut self, op: &Op, args: &[TermId]) -> TermId {
        if let (Some(a), Some(b)) = (self.as_number(args[0]), self.as_number(args[1]))
            && !b.is_zero()
        {
            let quotient = (a / b.abs()).floor();
            let value = match op {
                Op::Mod => a - &quotient * b.abs(),
                _ => quotient * b.signum(),
            };
            return self.number(value, Sort::Int);
        }
        self.make(op.clone(), args.to_vec(), Sort::Int)
    }
}
