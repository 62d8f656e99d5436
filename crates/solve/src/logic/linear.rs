//! Integer and real terms as sums of multiples of parts that are no sums.
//!
//! Shared by the ranges of quantifiers and by the propagation graph.
use super::{
    budget::fits,
    term::{Op, Sort, TermId, Terms},
};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// `constant + Σ factor · part`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) parts: BTreeMap<TermId, BigRational>,
    pub(super) constant: BigRational,
}

impl Linear {
    /// A term taken apart. Reals of integers are taken apart further: `to_real(x + 1)` is `x + 1`.
    pub(super) fn of(terms: &Terms, id: TermId) -> Self {
        Self::collect(terms, BTreeMap::from([(id, BigRational::one())]))
    }

    /// `a − b`.
    pub(super) fn difference(terms: &Terms, a: TermId, b: TermId) -> Self {
        let mut open = BTreeMap::from([(a, BigRational::one())]);
        *open.entry(b).or_default() -= BigRational::one();
        Self::collect(terms, open)
    }

    /// The latest term first: arguments are older than what uses them, so each term is taken apart once, however often
    /// it occurs. A factor that has grown too large stays so, and no search takes it.
    fn collect(terms: &Terms, mut open: BTreeMap<TermId, BigRational>) -> Self {
        let mut linear = Self::default();
        while let Some((id, factor)) = open.pop_last() {
            let args = terms.args(id);
            match terms.op(id) {
                _ if factor.is_zero() => {}
                Op::Number(value) if fits(&linear.constant) => linear.constant += factor * value,
                Op::Number(_) => {}
                Op::Add => {
                    for arg in args {
                        *open.entry(*arg).or_default() += &factor;
                    }
                }
                Op::Mul
                    if args.len() == 2 && fits(&factor) && terms.as_number(args[0]).is_some() =>
                {
                    let number = terms.as_number(args[0]).cloned().unwrap_or_default();
                    *open.entry(args[1]).or_default() += factor * number;
                }
                Op::ToReal => *open.entry(args[0]).or_default() += factor,
                _ => {
                    linear.parts.insert(id, factor);
                }
            }
        }
        linear
    }

    /// Are all parts integers?
    pub(super) fn is_integral(&self, terms: &Terms) -> bool {
        self.parts.keys().all(|id| terms.sort(*id) == Sort::Int)
    }

    /// Multiplied by what makes all factors and the constant whole.
    pub(super) fn scaled_to_integers(mut self) -> Self {
        let mut scale = BigRational::one();
        for number in self.parts.values().chain([&self.constant]) {
            if !fits(&scale) {
                break;
            }
            let lcm = num_integer::Integer::lcm(scale.numer(), number.denom());
            scale = BigRational::from_integer(lcm);
        }
        for factor in self.parts.values_mut() {
            *factor *= &scale;
        }
        self.constant *= scale;
        self
    }
}
