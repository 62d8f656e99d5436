//! Sums of floats without loss: `fsum`, and the lengths of vectors.
//!
//! `fsum` keeps parts that do not overlap and so hold the exact sum. Lengths add the squares with what each rounding lost,
//! and correct the root once, in CPython 3.11's order of operations.
use super::Failure;

/// Splits a float into two of half the length.
const SPLITTER: f64 = 134_217_729.0;

/// The exact sum, rounded once.
pub(crate) fn fsum(numbers: &[f64]) -> Result<f64, Failure> {
    let mut parts: Vec<f64> = Vec::new();
    let (mut special, mut infinite) = (0.0_f64, 0.0_f64);
    for &number in numbers {
        let rest = add_part(&mut parts, number);
        if rest.is_finite() {
            if rest != 0.0 {
                parts.push(rest);
            }
            continue;
        }
        if number.is_finite() {
            return Err(Failure::SumTooLarge);
        }
        if number.is_infinite() {
            infinite += number;
        }
        special += number;
        parts.clear();
    }
    if special != 0.0 {
        return if infinite.is_nan() {
            Err(Failure::OppositeInfinities)
        } else {
            Ok(special)
        };
    }
    Ok(rounded(parts))
}

/// Leaves in the parts what the sums lost, and gives the last sum.
fn add_part(parts: &mut Vec<f64>, number: f64) -> f64 {
    let mut sum = number;
    parts.retain_mut(|part| {
        let (large, small) = if sum.abs() < part.abs() {
            (*part, sum)
        } else {
            (sum, *part)
        };
        sum = large + small;
        *part = small - (sum - large);
        *part != 0.0
    });
    sum
}

/// From the largest part down; the sum is half to even over all parts.
fn rounded(mut parts: Vec<f64>) -> f64 {
    let mut sum = parts.pop().unwrap_or(0.0);
    let mut lost = 0.0;
    while let Some(part) = parts.pop() {
        let large = sum;
        sum = large + part;
        lost = part - (sum - large);
        if lost != 0.0 {
            break;
        }
    }
    let same_side = parts
        .last()
        .is_some_and(|next| (lost < 0.0 && *next < 0.0) || (lost > 0.0 && *next > 0.0));
    if same_side {
        let double = lost * 2.0;
        let further = sum + double;
        if double == further - sum {
            return further;
        }
    }
    sum
}

/// The length of a vector.
pub(crate) fn hypot(numbers: &[f64]) -> f64 {
    let sizes: Vec<f64> = numbers.iter().map(|x| x.abs()).collect();
    norm(sizes)
}

/// The distance of two points of as many dimensions.
pub(crate) fn dist(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect())
}

fn norm(sizes: Vec<f64>) -> f64 {
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    if largest.is_infinite() {
        return largest;
    }
    if sizes.iter().any(|size| size.is_nan()) {
        return f64::NAN;
    }
    if largest == 0.0 || sizes.len() == 1 {
        return largest;
    }
    let (_, exponent) = super::frexp(largest);
    if exponent < -1023 {
        return by_largest(&sizes, largest);
    }
    let scale = super::ldexp(1.0, -exponent).unwrap_or(1.0);
    let mut squares = Squares::default();
    for size in sizes {
        squares.add(size * scale);
    }
    let root = squares.total().sqrt();
    squares.add_rest(root);
    (root + squares.total() / (2.0 * root)) / scale
}

/// Too small to be scaled by a power of two.
fn by_largest(sizes: &[f64], largest: f64) -> f64 {
    let (mut sum, mut lost) = (1.0, 0.0);
    for size in sizes {
        let ratio = size / largest;
        add(&mut sum, &mut lost, ratio * ratio);
    }
    largest * (sum - 1.0 + lost).sqrt()
}

fn add(sum: &mut f64, lost: &mut f64, number: f64) {
    let before = *sum;
    *sum += number;
    *lost += (before - *sum) + number;
}

fn split(x: f64) -> (f64, f64) {
    let wide = x * SPLITTER;
    let high = wide - (wide - x);
    (high, x - high)
}

/// A sum that began at one, and what each kind of term lost to rounding.
struct Squares {
    sum: f64,
    lost: [f64; 3],
}

impl Default for Squares {
    fn default() -> Self {
        Self {
            sum: 1.0,
            lost: [0.0; 3],
        }
    }
}

impl Squares {
    fn add(&mut self, x: f64) {
        let (high, low) = split(x);
        let [first, second, third] = &mut self.lost;
        add(&mut self.sum, first, high * high);
        add(&mut self.sum, second, 2.0 * high * low);
        *third += low * low;
    }

    /// Takes the square of the root away.
    fn add_rest(&mut self, root: f64) {
        let (high, low) = split(root);
        let [first, second, third] = &mut self.lost;
        add(&mut self.sum, first, -high * high);
        add(&mut self.sum, second, -2.0 * high * low);
        add(&mut self.sum, third, -low * low);
    }

    fn total(&self) -> f64 {
        let [first, second, third] = self.lost;
        self.sum - 1.0 + (first + second + third)
    }
}
