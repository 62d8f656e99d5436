//! Integers: division, powers and rounding with Python's signs.
//!
//! Powers that would be larger than `MOST_BITS` are `None` before anything is computed.
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::MOST_BITS;

/// Why `pow(a, b, c)` has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModPowError {
    ZeroModulus,
    NotInvertible,
}

impl ModPowError {
    /// What the `ValueError` says.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::ZeroModulus => "pow() 3rd argument cannot be 0",
            Self::NotInvertible => "base is not invertible for the given modulus",
        }
    }
}

/// Floor of the quotient and the remainder with the divisor's sign; `None` by zero, or if the quotient is no `i64`.
pub(crate) fn floor_mod_i64(a: i64, b: i64) -> Option<(i64, i64)> {
    let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
    if rest != 0 && (rest < 0) != (b < 0) {
        Some((quotient - 1, rest + b))
    } else {
        Some((quotient, rest))
    }
}

/// As for `i64`; `None` only by zero.
pub(crate) fn floor_mod_int(a: &BigInt, b: &BigInt) -> Option<(BigInt, BigInt)> {
    (!b.is_zero()).then(|| a.div_mod_floor(b))
}

/// `base ** exponent`, or `None` if that were too large.
pub(crate) fn int_pow(base: &BigInt, exponent: u64) -> Option<BigInt> {
    if exponent == 0 {
        return Some(BigInt::one());
    }
    let magnitude = base.magnitude();
    if magnitude.bits() <= 1 {
        let negative = base.is_negative() && exponent % 2 == 1;
        return Some(if negative { base.clone() } else { base.abs() });
    }
    if (magnitude.bits() - 1).checked_mul(exponent)? >= MOST_BITS {
        return None;
    }
    let zeros = magnitude.trailing_zeros().unwrap_or(0);
    let odd = (magnitude >> zeros).pow(u32::try_from(exponent).ok()?);
    let power = odd << (zeros * exponent);
    let negative = base.is_negative() && exponent % 2 == 1;
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    (power.bits() <= MOST_BITS).then(|| BigInt::from_biguint(sign, power))
}

/// `pow(base, exponent, modulus)`: the result has the sign of the modulus.
pub(crate) fn mod_pow(
    base: &BigInt,
    exponent: &BigInt,
    modulus: &BigInt,
) -> Result<BigInt, ModPowError> {
    if modulus.is_zero() {
        return Err(ModPowError::ZeroModulus);
    }
    let size = modulus.magnitude();
    if size.is_one() {
        return Ok(BigInt::zero());
    }
    let positive = BigInt::from(size.clone());
    let base = base.mod_floor(&positive);
    let base = if exponent.is_negative() {
        inverse(&base, &positive).ok_or(ModPowError::NotInvertible)?
    } else {
        base
    };
    let power: BigUint = base.magnitude().modpow(exponent.magnitude(), size);
    let power = BigInt::from(power);
    Ok(if modulus.is_negative() && !power.is_zero() {
        power - positive
    } else {
        power
    })
}

/// By Euclid, from numbers that are not negative.
fn inverse(a: &BigInt, modulus: &BigInt) -> Option<BigInt> {
    let (mut large, mut small) = (modulus.clone(), a.clone());
    let (mut before, mut factor) = (BigInt::zero(), BigInt::one());
    while !small.is_zero() {
        let (quotient, rest) = large.div_rem(&small);
        large = std::mem::replace(&mut small, rest);
        let next = before - quotient * &factor;
        before = std::mem::replace(&mut factor, next);
    }
    large.is_one().then(|| before.mod_floor(modulus))
}

/// `round(n, digits)`: to a multiple of a power of ten, half to even.
pub(crate) fn round_int(n: &BigInt, digits: i64) -> BigInt {
    if digits >= 0 {
        return n.clone();
    }
    // More than three bits to a digit: such a unit is over twice the number, and is not worked out.
    let zeros = digits.unsigned_abs();
    if zeros > n.bits() / 3 + 1 {
        return BigInt::zero();
    }
    let unit = BigInt::from(10).pow(u32::try_from(zeros).unwrap_or(u32::MAX));
    let (quotient, rest) = n.div_mod_floor(&unit);
    let up = match (&rest * 2_u8).cmp(&unit) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => quotient.is_odd(),
        std::cmp::Ordering::Greater => true,
    };
    let below = n - rest;
    if up { below + unit } else { below }
}
