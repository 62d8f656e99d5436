//! Sound before it is encoded: the log-mel spectrogram, 128 bands every 10 ms.
//!
//! Frames of 20 ms under a Hann window, 512 points of Fourier transform, magnitudes (not powers) summed in 128
//! triangles that are evenly spaced on the HTK mel scale up to 8 kHz, and log(x + 0.001). The window is applied in single
//! precision, all else is in double, with our own FFT and a pure Rust maths library, so that every platform gets the
//! same bits.

use crate::{Error, Result};
use std::f64::consts::PI;
use std::sync::OnceLock;

/// Samples of a second.
pub const SAMPLE_RATE: usize = 16_000;

/// Most samples that are encoded at once: 30 seconds.
pub const MAX_SAMPLES: usize = 30 * SAMPLE_RATE;

/// Bands of a frame.
pub(super) const BANDS: usize = 128;

const FRAME: usize = 320;
const HOP: usize = 160;
const POINTS: usize = 512;
const BINS: usize = POINTS / 2 + 1;
/// Silence before the first sample.
const LEAD: usize = 160;
const FLOOR: f64 = 0.001;

/// A log-mel spectrogram.
#[derive(Clone, Debug, PartialEq)]
pub struct Mel {
    frames: usize,
    data: Vec<f32>,
}

impl Mel {
    /// Frames, 10 ms each.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Bands of a frame.
    pub fn bands(&self) -> usize {
        BANDS
    }

    /// `[frames][bands]`.
    pub fn data(&self) -> &[f32] {
        &self.data
    }

    /// Soft tokens that it becomes: two halvings.
    pub fn soft_tokens(&self) -> usize {
        self.frames.div_ceil(2).div_ceil(2)
    }
}

/// The spectrogram of samples at 16 kHz, one channel, from 161 of them to 30 seconds.
pub fn mel(samples: &[f32]) -> Result<Mel> {
    // A frame takes one sample more than it uses, as the reference does.
    let least = FRAME + 1 - LEAD;
    if !(least..=MAX_SAMPLES).contains(&samples.len()) {
        return Err(Error::Media(format!(
            "{} samples of sound, {least} to {MAX_SAMPLES} can be encoded at once",
            samples.len()
        )));
    }
    if samples.iter().any(|x| !x.is_finite()) {
        return Err(Error::Media("a sample of sound is not a number".into()));
    }
    let tables = TABLES.get_or_init(Tables::new);
    let frames = (samples.len() - least) / HOP + 1;
    let mut data = Vec::with_capacity(frames * BANDS);
    let mut space = vec![(0.0, 0.0); POINTS];
    for frame in 0..frames {
        space.fill((0.0, 0.0));
        for (i, place) in space.iter_mut().take(FRAME).enumerate() {
            let at = (frame * HOP + i).checked_sub(LEAD);
            let sample = at.map_or(0.0, |at| samples[at]);
            // Rounded here as the reference does: quiet bands hear the rounding.
            place.0 = f64::from(sample * tables.window[i]);
        }
        tables.transform(&mut space);
        let magnitude = |&(re, im): &(f64, f64)| (re * re + im * im).sqrt();
        let magnitudes: Vec<f64> = space.iter().take(BINS).map(magnitude).collect();
        for band in &tables.bands {
            let bins = magnitudes[band.first..].iter().zip(&band.weights);
            let sum: f64 = bins.map(|(magnitude, weight)| magnitude * weight).sum();
            #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
            data.push(libm::log(sum + FLOOR) as f32);
        }
    }
    Ok(Mel { frames, data })
}

static TABLES: OnceLock<Tables> = OnceLock::new();

/// What every frame needs.
struct Tables {
    window: Vec<f32>,
    /// e^(-2πi k / 512) for k below 256.
    turns: Vec<(f64, f64)>,
    bands: Vec<Band>,
}

/// A triangle over some bins.
struct Band {
    first: usize,
    weights: Vec<f64>,
}

#[expect(clippy::cast_precision_loss, reason = "all of it is small")]
impl Tables {
    fn new() -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "rounded on purpose")]
        let window = |i: usize| (0.5 - 0.5 * libm::cos(2.0 * PI * i as f64 / FRAME as f64)) as f32;
        let turn = |k: usize| {
            let (sin, cos) = libm::sincos(-2.0 * PI * k as f64 / POINTS as f64);
            (cos, sin)
        };
        Self {
            window: (0..FRAME).map(window).collect(),
            turns: (0..POINTS / 2).map(turn).collect(),
            bands: bands(),
        }
    }

    /// The discrete Fourier transform, in place: radix 2, decimation in time.
    fn transform(&self, x: &mut [(f64, f64)]) {
        for i in 0..POINTS {
            let j = i.reverse_bits() >> (usize::BITS - POINTS.ilog2());
            if i < j {
                x.swap(i, j);
            }
        }
        let mut half = 1;
        while half < POINTS {
            for start in (0..POINTS).step_by(2 * half) {
                for k in 0..half {
                    let (cos, sin) = self.turns[k * (POINTS / 2 / half)];
                    let (a, b) = (x[start + k], x[start + k + half]);
                    let b = (b.0 * cos - b.1 * sin, b.0 * sin + b.1 * cos);
                    x[start + k] = (a.0 + b.0, a.1 + b.1);
                    x[start + k + half] = (a.0 - b.0, a.1 - b.1);
                }
            }
            half *= 2;
        }
    }
}

/// The triangles: each rises from the peak before its own and falls to the one after.
#[expect(clippy::cast_precision_loss, reason = "all of it is small")]
fn bands() -> Vec<Band> {
    let top = SAMPLE_RATE as f64 / 2.0;
    let most = 2595.0 * libm::log10(1.0 + top / 700.0);
    let peak = |i: usize| {
        let mel = most * i as f64 / (BANDS + 1) as f64;
        700.0 * (libm::pow(10.0, mel / 2595.0) - 1.0)
    };
    let band = |i: usize| {
        let (low, middle, high) = (peak(i), peak(i + 1), peak(i + 2));
        let weight = |bin: usize| {
            let frequency = top * bin as f64 / (BINS - 1) as f64;
            let (up, down) = (
                (frequency - low) / (middle - low),
                (high - frequency) / (high - middle),
            );
            up.min(down).max(0.0)
        };
        // Narrow triangles may lie between two bins and hear nothing.
        let heard = |&bin: &usize| weight(bin) > 0.0;
        let first = (0..BINS).find(heard).unwrap_or(0);
        Band {
            first,
            weights: (first..BINS).map(weight).take_while(|w| *w > 0.0).collect(),
        }
    };
    (0..BANDS).map(band).collect()
}
