//! Images before they are encoded: the size that a budget of soft tokens allows, resizing to it, and pixels as floats.
//!
//! `target_size` is Gemma 4's rule: as many pixels as the budget has room for, small images enlarged too, both sides
//! whole multiples of 48. `resize` is Pillow's bicubic filter with its antialiasing and its 8-bit rounding, bit for bit,
//! because that is what the encoder was trained on and what others compare with. All in integers and IEEE arithmetic:
//! the same bytes everywhere.

use crate::{Error, Result};

/// Pixels along a side of a patch.
pub(super) const PATCH: usize = 16;

/// Pixels along a side of what becomes one soft token: 3 × 3 patches.
pub(super) const SIDE: usize = 48;

/// Soft tokens that an image gets if nobody asks for another number.
pub const IMAGE_BUDGET: usize = 280;

/// Fewest and most soft tokens that an image may be given.
const BUDGETS: std::ops::RangeInclusive<usize> = 70..=1120;

/// Most pixels of an image that is resized: more than any camera makes.
const MOST_PIXELS: usize = 1 << 28;

/// The height and width that an image is resized to for a budget of 70 to 1120 soft tokens.
pub fn target_size(height: usize, width: usize, budget: usize) -> Result<(usize, usize)> {
    if !BUDGETS.contains(&budget) {
        return Err(Error::Media(format!(
            "{budget} soft tokens for an image, allowed are 70 to 1120"
        )));
    }
    check_pixels(width, height)?;
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are far below 2^53"
    )]
    let fit = |side: usize| {
        let factor = ((budget * SIDE * SIDE) as f64 / (height * width) as f64).sqrt();
        (factor * side as f64 / SIDE as f64).floor() as usize
    };
    // A side too short for a single soft token gets one, and the other what its proportion asks for.
    let long = |long: usize, short: usize| (long / short).min(budget);
    let (rows, columns) = match (fit(height), fit(width)) {
        (0, 0) => {
            return Err(Error::Media(format!(
                "an image of {width} × {height} pixels has no size that fits"
            )));
        }
        (0, _) => (1, long(width, height)),
        (_, 0) => (long(height, width), 1),
        both => both,
    };
    Ok((rows * SIDE, columns * SIDE))
}

/// An image of a size that can be encoded: red, green and blue from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    height: usize,
    width: usize,
    data: Vec<f32>,
}

impl Pixels {
    /// `data` is `[3][height][width]`; both sides are multiples of 48.
    pub fn new(height: usize, width: usize, data: Vec<f32>) -> Result<Self> {
        let whole = |side: usize| side > 0 && side.is_multiple_of(SIDE);
        let tokens = (height / SIDE).saturating_mul(width / SIDE);
        if !whole(height) || !whole(width) || tokens > *BUDGETS.end() {
            return Err(Error::Media(format!(
                "an image of {width} × {height} pixels cannot be encoded"
            )));
        }
        if data.len() != 3 * height * width || data.iter().any(|x| !(0.0..=1.0).contains(x)) {
            return Err(Error::Media(
                "pixels must be three planes of numbers from 0 to 1".into(),
            ));
        }
        Ok(Self {
            height,
            width,
            data,
        })
    }

    /// An image of bytes, `[height][width][3]`, resized for a budget of soft tokens.
    pub fn from_rgb(rgb: &[u8], height: usize, width: usize, budget: usize) -> Result<Self> {
        let (rows, columns) = target_size(height, width, budget)?;
        let bytes = resize(rgb, (width, height), (columns, rows))?;
        let plane = |colour: usize| bytes[colour..].iter().step_by(3);
        let data = (0..3).flat_map(plane).map(|&b| f32::from(b) / 255.0);
        Self::new(rows, columns, data.collect())
    }

    /// Rows of pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Columns of pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// `[3][height][width]`.
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// Soft tokens that it becomes.
    pub fn soft_tokens(&self) -> usize {
        (self.height / SIDE) * (self.width / SIDE)
    }

    /// The numbers of a patch, `[3][16][16]`.
    pub(super) fn patch(&self, column: usize, row: usize, out: &mut [f32]) {
        for (line, out) in out.chunks_exact_mut(PATCH).enumerate() {
            let (colour, y) = (line / PATCH, row * PATCH + line % PATCH);
            let at = (colour * self.height + y) * self.width + column * PATCH;
            out.copy_from_slice(&self.data[at..][..PATCH]);
        }
    }
}

/// Bits behind the point of a weight.
const BITS: u32 = 22;

/// Resizes an image of bytes, `[height][width][3]`, from (width, height) to another size.
pub fn resize(rgb: &[u8], from: (usize, usize), to: (usize, usize)) -> Result<Vec<u8>> {
    check_pixels(from.0, from.1)?;
    check_pixels(to.0, to.1)?;
    // What lies between the two passes is as wide as the result and as high as the source.
    check_pixels(to.0, from.1)?;
    if rgb.len() != 3 * from.0 * from.1 {
        return Err(Error::Media(format!(
            "{} bytes for an image of {} × {} pixels",
            rgb.len(),
            from.0,
            from.1
        )));
    }
    let wide = if from.0 == to.0 {
        rgb.to_vec()
    } else {
        resize_rows(rgb, from.0, to.0)
    };
    Ok(if from.1 == to.1 {
        wide
    } else {
        resize_columns(&wide, 3 * to.0, from.1, to.1)
    })
}

fn check_pixels(width: usize, height: usize) -> Result<()> {
    match width.checked_mul(height) {
        Some(1..=MOST_PIXELS) => Ok(()),
        _ => Err(Error::Media(format!(
            "an image of {width} × {height} pixels"
        ))),
    }
}

fn resize_rows(rgb: &[u8], from: usize, to: usize) -> Vec<u8> {
    let taps = taps(from, to);
    let mut out = Vec::with_capacity(rgb.len() / from * to);
    for row in rgb.chunks_exact(3 * from) {
        for tap in &taps {
            let mut sums = [1 << (BITS - 1); 3];
            let pixels = row[3 * tap.first..].chunks_exact(3);
            for (pixel, weight) in pixels.zip(&tap.weights) {
                for (sum, &value) in sums.iter_mut().zip(pixel) {
                    *sum += i32::from(value) * weight;
                }
            }
            out.extend(sums.map(byte));
        }
    }
    out
}

/// `width` bytes make a row.
fn resize_columns(bytes: &[u8], width: usize, from: usize, to: usize) -> Vec<u8> {
    let taps = taps(from, to);
    let mut out = Vec::with_capacity(width * to);
    let mut sums = vec![0; width];
    for tap in &taps {
        sums.fill(1 << (BITS - 1));
        let rows = bytes[width * tap.first..].chunks_exact(width);
        for (row, weight) in rows.zip(&tap.weights) {
            for (sum, &value) in sums.iter_mut().zip(row) {
                *sum += i32::from(value) * weight;
            }
        }
        out.extend(sums.iter().map(|&sum| byte(sum)));
    }
    out
}

/// A sum of weighted bytes, rounded.
fn byte(sum: i32) -> u8 {
    (sum >> BITS).clamp(0, 255) as u8
}

/// Which source pixels make one of the result, and how much of each.
struct Tap {
    first: usize,
    /// Whole numbers of 2^-22; they sum to about 1, so that no sum of bytes leaves 32 bits.
    weights: Vec<i32>,
}

/// The taps of each pixel of a side.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides are far below 2^31 and truncated as Pillow does"
)]
fn taps(from: usize, to: usize) -> Vec<Tap> {
    let step = from as f64 / to as f64;
    // Where an image is made smaller the filter grows with the step: that is the antialiasing.
    let stretch = step.max(1.0);
    let support = 2.0 * stretch;
    let tap = |i: usize| {
        let centre = (i as f64 + 0.5) * step;
        let first = (centre - support + 0.5).max(0.0) as usize;
        let end = ((centre + support + 0.5) as usize).min(from);
        let weight = |x: usize| bicubic((x as f64 - centre + 0.5) * (1.0 / stretch));
        let weights: Vec<f64> = (first..end).map(weight).collect();
        let total: f64 = weights.iter().sum();
        let whole = |w: &f64| {
            let w = w / total * f64::from(1 << BITS);
            (if w < 0.0 { w - 0.5 } else { w + 0.5 }) as i32
        };
        Tap {
            first,
            weights: weights.iter().map(whole).collect(),
        }
    };
    (0..to).map(tap).collect()
}

/// Keys' cubic convolution with a = -1/2.
fn bicubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    let x = x.abs();
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}
