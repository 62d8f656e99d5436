//! Text to numbers, as `int()` and `float()` read it.
//!
//! Blanks around are dropped, one underscore between digits is passed over, and the decimal digits of every script count.
//! Long integers are read in halves, so that the time grows less than with the square of the length.
use num_bigint::{BigInt, BigUint};
use num_traits::Zero;

/// The zeros of Unicode 14 beyond ASCII; each begins a row of ten digits.
const ZEROS: [u32; 65] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6,
    0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50,
    0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650,
    0x116c0, 0x11730, 0x118e0, 0x11950, 0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50,
    0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// So many digits are read in one go.
const CHUNK: usize = 512;

/// The value of a decimal digit of any script.
pub(crate) fn decimal_digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let code = u32::from(c);
    let row = ZEROS.partition_point(|&zero| zero <= code);
    let value = code - ZEROS.get(row.checked_sub(1)?)?;
    (value < 10).then_some(value)
}

/// Digits and blanks of other scripts become ASCII; `None` if anything else is not ASCII.
fn ascii(text: &str) -> Option<String> {
    if text.is_ascii() {
        return Some(text.to_owned());
    }
    text.chars()
        .map(|c| match c {
            c if c.is_ascii() => Some(c),
            c if c.is_whitespace() => Some(' '),
            c => char::from_digit(decimal_digit(c)?, 10),
        })
        .collect()
}

/// C's blanks, which are fewer than those of `str.strip`.
fn stripped(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r'])
}

/// Takes out underscores; `None` if one is not between two digits.
fn without_underscores(text: &str, digit: impl Fn(u8) -> bool) -> Option<String> {
    let bytes = text.as_bytes();
    let lone = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        let after = bytes.get(at + 1);
        !(before.is_some_and(|&b| digit(b)) && after.is_some_and(|&b| digit(b)))
    };
    let misplaced = bytes
        .iter()
        .enumerate()
        .any(|(at, &b)| b == b'_' && lone(at));
    (!misplaced).then(|| text.replace('_', ""))
}

/// What `float()` makes of a text.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let text = ascii(text)?;
    let text = stripped(&text);
    if text.contains('_') {
        return without_underscores(text, |b| b.is_ascii_digit())?
            .parse()
            .ok();
    }
    text.parse().ok()
}

/// What `int()` makes of a text in a base from 2 to 36, or 0 for that of the prefix.
pub(crate) fn parse_int(text: &str, base: u32) -> Option<BigInt> {
    let text = ascii(text)?;
    let text = stripped(&text);
    let (negative, text) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (base, digits, only_zeros) = based(text, base)?;
    let digit = |b: u8| char::from(b).is_digit(base);
    let digits = if digits.contains('_') {
        without_underscores(digits, digit)?
    } else {
        digits.to_owned()
    };
    if digits.is_empty() || !digits.bytes().all(digit) {
        return None;
    }
    let value = magnitude(digits.as_bytes(), base)?;
    if only_zeros && !value.is_zero() {
        return None;
    }
    let value = BigInt::from(value);
    Some(if negative { -value } else { value })
}

/// The base, what follows the prefix, and whether it may only be zero: `010` is refused where the prefix decides.
fn based(text: &str, base: u32) -> Option<(u32, &str, bool)> {
    let prefixed = match text.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ => 0,
    };
    if prefixed != 0 && (base == 0 || base == prefixed) {
        let rest = text.get(2..)?;
        return Some((prefixed, rest.strip_prefix('_').unwrap_or(rest), false));
    }
    match base {
        0 => Some((10, text, text.starts_with('0'))),
        2..=36 => Some((base, text, false)),
        _ => None,
    }
}

/// From valid digits, highest first.
fn magnitude(digits: &[u8], base: u32) -> Option<BigUint> {
    if digits.len() <= CHUNK || base.is_power_of_two() {
        return BigUint::parse_bytes(digits, base);
    }
    // powers[i] is the base to the power of CHUNK << i.
    let mut powers = vec![BigUint::from(base).pow(CHUNK as u32)];
    while (CHUNK << powers.len()) < digits.len() {
        let last = powers.last()?;
        powers.push(last * last);
    }
    halves(digits, base, &powers)
}

fn halves(digits: &[u8], base: u32, powers: &[BigUint]) -> Option<BigUint> {
    let Some((power, smaller)) = powers.split_last() else {
        return if digits.is_empty() {
            Some(BigUint::zero())
        } else {
            BigUint::parse_bytes(digits, base)
        };
    };
    let low = CHUNK << smaller.len();
    match digits.len().checked_sub(low) {
        None | Some(0) => halves(digits, base, smaller),
        Some(high) => {
            let (high, low) = digits.split_at(high);
            Some(halves(high, base, smaller)? * power + halves(low, base, smaller)?)
        }
    }
}

/// How many digits of a text count for the limit on long ones: all but blanks, signs and underscores.
pub(crate) fn count_digits(text: &str) -> usize {
    text.chars().filter(|&c| decimal_digit(c).is_some()).count()
}
