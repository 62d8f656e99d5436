//! Integer and real terms as sums of multiples of parts that are no sums.
//!
//! Shared by the search for ranges and by the encoding.
use super::super::term::{Op, Sort, TermId, Terms};
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
        let mut linear = Self::default();
        linear.collect(terms, id, &BigRational::one());
        linear
    }

    /// `a − b`.
    pub(super) fn difference(terms: &Terms, a: TermId, b: TermId) -> Self {
        let mut linear = Self::default();
        linear.collect(terms, a, &BigRational::one());
        linear.collect(terms, b, &-BigRational::one());
        linear
    }

    fn collect(&mut self, terms: &Terms, id: TermId, factor: &BigRational) {
        match terms.op(id) {
            Op::Number(value) => self.constant += factor * value,
            Op::Add => {
                for arg in terms.args(id) {
                    self.collect(terms, *arg, factor);
                }
            }
            Op::Mul
                if terms.args(id).len() == 2 && terms.as_number(terms.args(id)[0]).is_some() =>
            {
                let number = terms.as_number(terms.args(id)[0]).expect("just seen");
                self.collect(terms, terms.args(id)[1], &(factor * number));
            }
            Op::ToReal => self.collect(terms, terms.args(id)[0], factor),
            _ => {
                let sum = self.parts.entry(id).or_insert_with(BigRational::zero);
                *sum += factor;
                if sum.is_zero() {
                    self.parts.remove(&id);
                }
            }
        }
    }

    /// Are all parts integers?
    pub(super) fn is_integral(&self, terms: &Terms) -> bool {
        self.parts.keys().all(|id| terms.sort(*id) == Sort::Int)
    }

    /// Multiplied by what makes all factors and the constant whole.
    pub(super) fn scaled_to_integers(mut self) -> Self {
        let mut scale = BigRational::one();
        for number in self.parts.values().chain([&self.constant]) {
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
