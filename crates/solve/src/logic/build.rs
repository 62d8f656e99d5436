//! Terms made from other terms, folded where that is cheap: sums, products, comparisons, bit-vectors.
//!
//! Called by the parser and by the grounding of the embedded solver, so that a quantifier's instances fold too.
use super::term::{BvOp, Op, Sort, TermId, Terms};
use num_bigint::BigUint;
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
                Op::Number(value) => constant += value,
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
                Op::Number(value) => constant *= value,
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
            (Some(n), Some(value)) if n > 0 && n <= 4096 => {
                let value = num_traits::pow(value.clone(), n as usize);
                self.number(value, sort)
            }
            (Some(n), None) if (1..=64).contains(&n) => self.product(vec![a; n as usize]),
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

    fn width(&self, id: TermId) -> u32 {
        match self.sort(id) {
            Sort::Bits(width) => width,
            _ => 0,
        }
    }

    pub(super) fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let op = Op::Bv(BvOp::Extract(high, low));
        self.make(op, vec![a], Sort::Bits(high - low + 1))
    }

    pub(super) fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let width = self.width(high) + self.width(low);
        self.make(Op::Bv(BvOp::Concat), vec![high, low], Sort::Bits(width))
    }

    fn bv(&mut self, op: BvOp, args: &[TermId]) -> TermId {
        let sort = self.sort(args[0]);
        self.make(Op::Bv(op), args.to_vec(), sort)
    }

    fn bv_compare(&mut self, op: BvOp, a: TermId, b: TermId) -> TermId {
        self.make(Op::Bv(op), vec![a, b], Sort::Bool)
    }

    fn bv_neg(&mut self, a: TermId) -> TermId {
        let one = self.make(Op::Bits(BigUint::one()), Vec::new(), self.sort(a));
        let not = self.bv(BvOp::Not, &[a]);
        self.bv(BvOp::Add, &[not, one])
    }

    fn is_negative(&mut self, a: TermId) -> TermId {
        let top = self.width(a) - 1;
        let sign = self.extract(a, top, top);
        let one = self.make(Op::Bits(BigUint::one()), Vec::new(), Sort::Bits(1));
        self.eq(sign, one)
    }

    /// The bit-vector with its sign bit turned: signed order becomes unsigned order.
    fn shifted_sign(&mut self, a: TermId) -> TermId {
        let sort = self.sort(a);
        let top = BigUint::one() << (self.width(a) - 1);
        let top = self.make(Op::Bits(top), Vec::new(), sort);
        self.bv(BvOp::Xor, &[a, top])
    }

    fn bv_abs(&mut self, a: TermId) -> TermId {
        let negative = self.is_negative(a);
        let minus = self.bv_neg(a);
        self.ite(negative, minus, a)
    }

    /// A bit-vector operator by SMT-LIB's word; arguments have been checked.
    pub(super) fn bit_operator(&mut self, word: &str, args: &[TermId]) -> Option<TermId> {
        let fold = |terms: &mut Self, op: BvOp| {
            args[1..]
                .iter()
                .fold(args[0], |all, arg| terms.bv(op, &[all, *arg]))
        };
        Some(match (word, args) {
            ("bvadd", _) => fold(self, BvOp::Add),
            ("bvmul", _) => fold(self, BvOp::Mul),
            ("bvand", _) => fold(self, BvOp::And),
            ("bvor", _) => fold(self, BvOp::Or),
            ("bvxor", _) => fold(self, BvOp::Xor),
            ("concat", [first, rest @ ..]) => {
                rest.iter().fold(*first, |all, arg| self.concat(all, *arg))
            }
            ("bvnot", [_]) => self.bv(BvOp::Not, args),
            ("bvneg", [a]) => self.bv_neg(*a),
            ("bv2nat" | "ubv_to_int", [a]) => self.make(Op::Bv(BvOp::ToNat), vec![*a], Sort::Int),
            ("bvsub", [a, b]) => {
                let minus = self.bv_neg(*b);
                self.bv(BvOp::Add, &[*a, minus])
            }
            ("bvudiv", [_, _]) => self.bv(BvOp::Udiv, args),
            ("bvurem", [_, _]) => self.bv(BvOp::Urem, args),
            ("bvshl", [_, _]) => self.bv(BvOp::Shl, args),
            ("bvlshr", [_, _]) => self.bv(BvOp::Lshr, args),
            ("bvashr", [_, _]) => self.bv(BvOp::Ashr, args),
            ("bvule", [a, b]) => self.bv_compare(BvOp::Ule, *a, *b),
            ("bvult", [a, b]) => self.bv_compare(BvOp::Ult, *a, *b),
            ("bvuge", [a, b]) => self.bv_compare(BvOp::Ule, *b, *a),
            ("bvugt", [a, b]) => self.bv_compare(BvOp::Ult, *b, *a),
            ("bvsle" | "bvslt" | "bvsge" | "bvsgt", [a, b]) => {
                let (a, b) = (self.shifted_sign(*a), self.shifted_sign(*b));
                let unsigned = word.replace("bvs", "bvu");
                return self.bit_operator(&unsigned, &[a, b]);
            }
            ("bvsdiv" | "bvsrem" | "bvsmod", [a, b]) => self.signed_division(word, *a, *b),
            _ => return None,
        })
    }

    fn signed_division(&mut self, word: &str, a: TermId, b: TermId) -> TermId {
        let (negative_a, negative_b) = (self.is_negative(a), self.is_negative(b));
        let (x, y) = (self.bv_abs(a), self.bv_abs(b));
        if word == "bvsdiv" {
            let quotient = self.bv(BvOp::Udiv, &[x, y]);
            let minus = self.bv_neg(quotient);
            let same = self.eq(negative_a, negative_b);
            return self.ite(same, quotient, minus);
        }
        let remainder = self.bv(BvOp::Urem, &[x, y]);
        let minus = self.bv_neg(remainder);
        let remainder_a = self.ite(negative_a, minus, remainder);
        if word == "bvsrem" {
            return remainder_a;
        }
        // The sign of the divisor: add it where the signs differ and something remains.
        let zero = self.make(Op::Bits(BigUint::zero()), Vec::new(), self.sort(a));
        let nothing = self.eq(remainder, zero);
        let same = self.eq(negative_a, negative_b);
        let added = self.bv(BvOp::Add, &[remainder_a, b]);
        let other = self.ite(same, remainder_a, added);
        self.ite(nothing, zero, other)
    }
}
