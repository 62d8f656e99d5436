//! Two integers divided to a float, and a float as two integers, both exact. See the manifest for why this package exists.
use malachite_base::rounding_modes::RoundingMode;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;
use std::cmp::Ordering;

/// A fraction, not in lowest terms.
#[derive(Clone, Debug)]
pub struct Rational {
    is_negative: bool,
    numerator: BigUint,
    denominator: BigUint,
}

impl Rational {
    /// # Panics
    /// If the denominator is zero, which RustPython refuses before it comes here.
    #[must_use]
    pub fn from_integers_ref(numerator: &BigInt, denominator: &BigInt) -> Self {
        assert!(!denominator.is_zero(), "a fraction has a denominator");
        Self {
            // Zero by a negative number too: Python's 0 / -5 is -0.0.
            is_negative: (numerator.sign() == Sign::Minus) != (denominator.sign() == Sign::Minus),
            numerator: numerator.magnitude().clone(),
            denominator: denominator.magnitude().clone(),
        }
    }

    #[must_use]
    pub fn into_numerator_and_denominator(self) -> (BigUint, BigUint) {
        (self.numerator, self.denominator)
    }

    /// The nearest float. The ordering is `Equal` unless the value is past the largest float: RustPython takes any other for
    /// an overflow.
    #[must_use]
    pub fn rounding_into(self, _: RoundingMode) -> (f64, Ordering) {
        let magnitude = nearest(&self.numerator, &self.denominator);
        match (magnitude, self.is_negative) {
            (Some(value), true) => (-value, Ordering::Equal),
            (Some(value), false) => (value, Ordering::Equal),
            (None, true) => (f64::MIN, Ordering::Greater),
            (None, false) => (f64::MAX, Ordering::Less),
        }
    }
}

/// The float nearest to the quotient, the even one of two; none above the largest.
fn nearest(numerator: &BigUint, denominator: &BigUint) -> Option<f64> {
    if numerator.is_zero() {
        return Some(0.0);
    }
    // The quotient in units of 2^-shift has 55 or 56 bits: the 53 of a float and at least two to round by.
    let shift = 55 + signed(denominator.bits()) - signed(numerator.bits());
    let up = usize::try_from(shift.max(0)).ok()?;
    let down = usize::try_from((-shift).max(0)).ok()?;
    let (quotient, rest) =
        num_integer::Integer::div_rem(&(numerator << up), &(denominator << down));
    let quotient = quotient.iter_u64_digits().next().unwrap_or(0);
    // The unit of the float's last bit is 2^unit, and no float has one below 2^-1074.
    let bits = 64 - i64::from(quotient.leading_zeros());
    let unit = (bits - 53 - shift).max(-1074);
    let Some(dropped) = u32::try_from(unit + shift)
        .ok()
        .filter(|&dropped| dropped < 64)
    else {
        return Some(0.0);
    };
    let kept = quotient >> dropped;
    let half = 1 << (dropped - 1);
    let lost = quotient & ((1 << dropped) - 1);
    let is_up = lost > half || lost == half && (!rest.is_zero() || kept & 1 == 1);
    // A carry out of the bits that are kept goes into the exponent, as it should.
    let exponent = u64::try_from(unit + 1074).ok()?;
    let float = f64::from_bits((exponent.min(2046) << 52) + kept + u64::from(is_up));
    (exponent < 2046 && float.is_finite()).then_some(float)
}

fn signed(bits: u64) -> i64 {
    i64::try_from(bits).expect("no integer has so many bits")
}

/// A float without a value as a fraction: infinite, or not a number.
#[derive(Clone, Copy, Debug)]
pub struct NotFinite;

impl TryFrom<f64> for Rational {
    type Error = NotFinite;

    /// The float in lowest terms.
    fn try_from(value: f64) -> Result<Self, NotFinite> {
        if !value.is_finite() {
            return Err(NotFinite);
        }
        let bits = value.abs().to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, unit) = match bits >> 52 {
            0 => (fraction, -1074),
            field => (fraction | 1 << 52, field as i64 - 1075),
        };
        // An odd number of larger units; zero stays zero.
        let zeros = mantissa.trailing_zeros() % 64;
        let odd = BigUint::from(mantissa >> zeros);
        let unit = unit + i64::from(zeros);
        let one = BigUint::from(1u8);
        let (numerator, denominator) = match unit {
            _ if mantissa == 0 => (odd, one),
            0.. => (odd << unit, one),
            _ => (odd, one << -unit),
        };
        let is_negative = value < 0.0;
        Ok(Self {
            is_negative,
            numerator,
            denominator,
        })
    }
}
