//! Number theory and counting of `math`: roots, divisors, factorials, choices.
//!
//! Products are multiplied in halves, so that their factors stay of equal size. `None`: the result, or what has to be
//! computed on the way, would be larger than `MOST_BITS`.
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::MOST_BITS;
use crate::real::elementary;

/// The whole root; `None` for negative numbers.
pub(crate) fn isqrt(n: &BigInt) -> Option<BigInt> {
    (!n.is_negative()).then(|| BigInt::from(n.magnitude().sqrt()))
}

/// Never negative; of two zeros zero.
pub(crate) fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    match (small(a.magnitude()), small(b.magnitude())) {
        (Some(a), Some(b)) => BigInt::from(a.gcd(&b)),
        _ => BigInt::from(a.magnitude().gcd(b.magnitude())),
    }
}

/// Never negative; zero if one of them is.
pub(crate) fn lcm(a: &BigInt, b: &BigInt) -> Option<BigInt> {
    if a.is_zero() || b.is_zero() {
        return Some(BigInt::zero());
    }
    if a.bits() + b.bits() > 2 * MOST_BITS {
        return None;
    }
    let multiple = (a / gcd(a, b) * b).abs();
    (multiple.bits() <= MOST_BITS).then_some(multiple)
}

fn small(n: &BigUint) -> Option<u64> {
    n.to_u64()
}

/// `n!`
pub(crate) fn factorial(n: u64) -> Option<BigInt> {
    if n < 2 {
        return Some(BigInt::one());
    }
    // From Stirling: n! is at least (n / e) ** n.
    let least = n as f64 * (elementary::log2(n as f64) - std::f64::consts::LOG2_E);
    if least > MOST_BITS as f64 {
        return None;
    }
    let product = product(&BigUint::zero(), 2, n);
    (product.bits() <= MOST_BITS).then(|| BigInt::from(product))
}

/// Ways to choose `k` of `n`; neither is negative.
pub(crate) fn comb(n: &BigInt, k: &BigInt) -> Option<BigInt> {
    let other = n - k;
    if other.is_negative() {
        return Some(BigInt::zero());
    }
    let k = (&other).min(k).to_u64()?;
    if let Some(n) = n.to_u64()
        && let Some(few) = few_choices(n, k)
    {
        return Some(BigInt::from(few));
    }
    let ways = falling(n.magnitude(), k)? / product(&BigUint::zero(), 2, k);
    (ways.bits() <= MOST_BITS).then(|| BigInt::from(ways))
}

/// While it fits into a machine's word.
fn few_choices(n: u64, k: u64) -> Option<u64> {
    let mut ways = 1_u64;
    for i in 0..k {
        let next = u128::from(ways) * u128::from(n - i) / u128::from(i + 1);
        ways = u64::try_from(next).ok()?;
    }
    Some(ways)
}

/// Ways to line up `k` of `n`; neither is negative.
pub(crate) fn perm(n: &BigInt, k: &BigInt) -> Option<BigInt> {
    if k > n {
        return Some(BigInt::zero());
    }
    let ways = falling(n.magnitude(), k.to_u64()?)?;
    (ways.bits() <= MOST_BITS).then(|| BigInt::from(ways))
}

/// `n * (n - 1) * …`, so many factors.
fn falling(n: &BigUint, factors: u64) -> Option<BigUint> {
    if factors == 0 {
        return Some(BigUint::one());
    }
    if factors.checked_mul(n.bits())? > 2 * MOST_BITS {
        return None;
    }
    let below = n - (factors.min(n.to_u64().unwrap_or(u64::MAX)));
    Some(product(&below, 1, factors))
}

/// `(base + first) * … * (base + last)`
fn product(base: &BigUint, first: u64, last: u64) -> BigUint {
    if first > last {
        return BigUint::one();
    }
    if last - first < 8 {
        return words(base, first, last);
    }
    let middle = first + (last - first) / 2;
    product(base, first, middle) * product(base, middle + 1, last)
}

fn words(base: &BigUint, first: u64, last: u64) -> BigUint {
    let mut all = BigUint::one();
    let mut word = 1_u64;
    let small = small(base);
    for i in first..=last {
        match small.and_then(|base| base.checked_add(i)) {
            Some(factor) => match word.checked_mul(factor) {
                Some(both) => word = both,
                None => {
                    all *= word;
                    word = factor;
                }
            },
            None => all *= base + i,
        }
    }
    all * word
}
