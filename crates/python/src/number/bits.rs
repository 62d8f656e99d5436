//! Integers as bits and bytes: shifts, counts, and the byte strings of `to_bytes` and `from_bytes`.
//!
//! Negative numbers are in two's complement without end, as Python sees them.
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

use super::MOST_BITS;

/// Why an integer does not fit into so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntoBytesError {
    Negative,
    TooBig,
}

impl IntoBytesError {
    /// What the `OverflowError` says.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Negative => "can't convert negative int to unsigned",
            Self::TooBig => "int too big to convert",
        }
    }
}

/// `n << count` for a count that is not negative; `None` if that were too large.
pub(crate) fn shift_left(n: &BigInt, count: &BigInt) -> Option<BigInt> {
    if n.is_zero() {
        return Some(BigInt::zero());
    }
    let count = count.to_u64()?;
    (n.bits().checked_add(count)? <= MOST_BITS).then(|| n << count)
}

/// `n >> count` for a count that is not negative: the floor.
pub(crate) fn shift_right(n: &BigInt, count: &BigInt) -> BigInt {
    match count.to_u64() {
        Some(count) if count < n.bits() => n >> count,
        _ => BigInt::from(if n.is_negative() { -1 } else { 0 }),
    }
}

/// Bits of the magnitude.
pub(crate) fn bit_length(n: &BigInt) -> u64 {
    n.bits()
}

/// Ones in the magnitude.
pub(crate) fn bit_count(n: &BigInt) -> u64 {
    n.magnitude().count_ones()
}

/// Exactly so many bytes.
pub(crate) fn to_bytes(
    n: &BigInt,
    length: usize,
    little: bool,
    signed: bool,
) -> Result<Vec<u8>, IntoBytesError> {
    if n.is_negative() && !signed {
        return Err(IntoBytesError::Negative);
    }
    let (mut bytes, fill) = if n.is_zero() {
        (Vec::new(), 0)
    } else if signed {
        (
            n.to_signed_bytes_le(),
            if n.is_negative() { 0xff } else { 0 },
        )
    } else {
        (n.magnitude().to_bytes_le(), 0)
    };
    // As in CPython, minus one fits even into no bytes at all.
    let minus_one = signed && *n == BigInt::from(-1);
    if bytes.len() > length && !minus_one {
        return Err(IntoBytesError::TooBig);
    }
    bytes.resize(length, fill);
    if !little {
        bytes.reverse();
    }
    Ok(bytes)
}

/// The integer that the bytes spell.
pub(crate) fn from_bytes(bytes: &[u8], little: bool, signed: bool) -> BigInt {
    match (little, signed) {
        (true, true) => BigInt::from_signed_bytes_le(bytes),
        (false, true) => BigInt::from_signed_bytes_be(bytes),
        (true, false) => BigInt::from_bytes_le(Sign::Plus, bytes),
        (false, false) => BigInt::from_bytes_be(Sign::Plus, bytes),
    }
}
