//! Numbers as Python has them, without any Python object: conversions between text, big integers and floats, and the
//! arithmetic of each that Rust's own operators would answer differently.
//!
//! Every result is CPython's to the last bit. What could grow without bound is refused with `None` beyond `MOST_BITS`. The
//! limit of 4300 digits for text is left to callers, who know whether it applies.
mod bits;
mod complex;
mod convert;
mod counting;
mod float;
mod hexadecimal;
mod integer;
mod parse;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use bits::{bit_count, bit_length, from_bytes, shift_left, shift_right, to_bytes};
pub(crate) use complex::{Complex, ComplexError};
pub(crate) use convert::{
    as_integer_ratio, compare_int_float, float_to_int, frexp_int, int_to_f64, scaled_to_f64,
    true_divide,
};
pub(crate) use counting::{comb, factorial, gcd, isqrt, lcm, perm};
pub(crate) use float::{
    PowError, float_floor_mod, float_pow, hash_float, hash_int, round_float, round_half_even,
};
pub(crate) use hexadecimal::{FromHexError, float_from_hex, float_hex};
pub(crate) use integer::{floor_mod_i64, floor_mod_int, int_pow, mod_pow, round_int};
pub(crate) use parse::{count_digits, decimal_digit, parse_float, parse_int};
pub(crate) use write::{decimal_digits_exceed, float_repr, int_to_string, shortest_digits};

/// No integer may have more bits than this: eight mebibytes.
pub(crate) const MOST_BITS: u64 = 1 << 26;
