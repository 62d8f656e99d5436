//! Changes the rate of mono sound to 16 kHz: a windowed sinc, one table of weights for each phase.
//!
//! The rate is `down / up` times 16 kHz in lowest terms, so output `n` lies at input `n * down / up`, and its phase is the
//! remainder. Positions are counted from the beginning of the file: a piece in the middle gives the bits that the whole would.
//!
//! Ours because results must have the same bits on every CPU: no vector instructions chosen at run time, sums in a fixed
//! order, sines of a pure Rust library.
use crate::RATE;

/// Zero crossings of the sinc on each side.
const CROSSINGS: f64 = 32.0;
/// Where the filter falls, as a part of the lower of both Nyquist frequencies.
const ROLLOFF: f64 = 0.945;
/// Shape of the Kaiser window: 90 dB down.
const BETA: f64 = 9.0;
/// Most weights of all phases together; rates that share no factor with 16 kHz need many.
const MOST_WEIGHTS: usize = 16 << 20;
/// Sums run in this many lanes, then lane by lane.
const LANES: usize = 8;

pub(super) struct Resampler {
    up: u64,
    down: u64,
    /// Inputs on each side of an output.
    half: usize,
    /// `2 * half` for each of `up` phases.
    weights: Vec<f32>,
}

impl Resampler {
    pub(super) fn new(rate: u32) -> Result<Self, String> {
        let refuse = || format!("a sample rate of {rate} Hz");
        if !(1000..=768_000).contains(&rate) {
            return Err(refuse());
        }
        let shared = gcd(rate, RATE);
        let (up, down) = (RATE / shared, rate / shared);
        if up == down {
            return Ok(Self {
                up: 1,
                down: 1,
                half: 0,
                weights: Vec::new(),
            });
        }
        let scale = (f64::from(RATE) / f64::from(rate)).min(1.0);
        let half = (CROSSINGS / scale).ceil() as usize;
        // Whole lanes, so that no sum has a rest.
        let half = half.next_multiple_of(LANES / 2);
        if up as usize * half * 2 > MOST_WEIGHTS {
            return Err(refuse());
        }
        let phases = (0..up).flat_map(|phase| {
            let at = f64::from(phase) / f64::from(up);
            phase_weights(at, half, scale)
        });
        Ok(Self {
            weights: phases.collect(),
            up: u64::from(up),
            down: u64::from(down),
            half,
        })
    }

    /// Inputs that are needed on each side of a stretch.
    pub(super) fn margin(&self) -> usize {
        self.half
    }

    /// Outputs `first` to `first + n`; `input` begins at position `from`, and all around it is silence.
    pub(super) fn run(&self, input: &[f32], from: u64, first: u64, n: usize) -> Vec<f32> {
        if self.half == 0 {
            let begin = usize::try_from(first - from).unwrap_or(usize::MAX);
            let mut output = input.get(begin..).unwrap_or_default().to_vec();
            output.resize(n, 0.0);
            return output;
        }
        // Silence on both sides: no sum looks over an edge.
        let mut padded = vec![0.0; self.half];
        padded.extend_from_slice(input);
        padded.resize(padded.len() + 2 * self.half, 0.0);
        (first..first + n as u64)
            .map(|n| self.output(&padded, from, n))
            .collect()
    }

    fn output(&self, padded: &[f32], from: u64, n: u64) -> f32 {
        let taps = 2 * self.half;
        let (at, phase) = (n * self.down / self.up, n * self.down % self.up);
        // The first input of the sum is `at - half + 1`; the padding moves all of them up by `half`.
        let begin = usize::try_from((at + 1).saturating_sub(from)).unwrap_or(usize::MAX);
        let Some(inputs) = padded.get(begin..).and_then(|rest| rest.get(..taps)) else {
            return 0.0;
        };
        let weights = &self.weights[phase as usize * taps..][..taps];
        let mut lanes = [0.0_f32; LANES];
        let pairs = inputs.as_chunks::<LANES>().0.iter();
        for (inputs, weights) in pairs.zip(weights.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                lanes[lane] += inputs[lane] * weights[lane];
            }
        }
        lanes.iter().sum()
    }
}

/// Weights of the inputs around an output that lies `at` after one of them. They add up to one: a constant stays.
fn phase_weights(at: f64, half: usize, scale: f64) -> Vec<f32> {
    let weight = |i: usize| {
        let x = at + (half as f64 - 1.0) - i as f64;
        sinc(x * scale * ROLLOFF) * kaiser(x / half as f64)
    };
    let weights: Vec<f64> = (0..2 * half).map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / sum) as f32).collect()
}

fn sinc(x: f64) -> f64 {
    let x = x * std::f64::consts::PI;
    if x.abs() < 1e-9 {
        1.0
    } else {
        libm::sin(x) / x
    }
}

fn kaiser(x: f64) -> f64 {
    if x.abs() >= 1.0 {
        return 0.0;
    }
    bessel(BETA * (1.0 - x * x).sqrt()) / bessel(BETA)
}

/// The modified Bessel function of order 0, by its series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..40 {
        let step = x / 2.0 / f64::from(k);
        term *= step * step;
        sum += term;
    }
    sum
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate: u32, hertz: f64, n: usize) -> Vec<f32> {
        let step = 2.0 * std::f64::consts::PI * hertz / f64::from(rate);
        (0..n).map(|i| (step * i as f64).sin() as f32).collect()
    }

    fn decibels(error: f64, of: f64) -> f64 {
        10.0 * (of / error.max(1e-30)).log10()
    }

    #[test]
    fn a_tone_stays_a_tone() {
        for rate in [8000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000, 12_345] {
            let input = tone(rate, 1000.0, rate as usize);
            let output = Resampler::new(rate).unwrap().run(&input, 0, 0, 16_000);
            let wanted = tone(RATE, 1000.0, 16_000);
            // Not at the edges: there the tone begins out of nothing.
            let middle = 1000..15_000;
            let pairs = || output[middle.clone()].iter().zip(&wanted[middle.clone()]);
            let error: f64 = pairs().map(|(a, b)| f64::from(a - b).powi(2)).sum();
            let level: f64 = pairs().map(|(_, b)| f64::from(*b).powi(2)).sum();
            let db = decibels(error, level);
            assert!(db > 80.0, "{rate}: {db} dB");
        }
    }

    #[test]
    fn what_16_khz_cannot_hold_does_not_come_back_as_something_else() {
        for hertz in [9000.0, 12_000.0, 15_000.0, 20_000.0] {
            let output =
                Resampler::new(48_000)
                    .unwrap()
                    .run(&tone(48_000, hertz, 48_000), 0, 0, 16_000);
            let level: f64 = output[1000..15_000]
                .iter()
                .map(|s| f64::from(*s).powi(2))
                .sum();
            let db = decibels(level, 7000.0);
            assert!(db > 80.0, "{hertz}: {db} dB");
        }
    }

    #[test]
    fn a_piece_in_the_middle_has_the_bits_of_the_whole() {
        for rate in [44_100, 48_000, 8000, 16_000] {
            let input = tone(rate, 440.0, rate as usize * 3);
            let resampler = Resampler::new(rate).unwrap();
            let whole = resampler.run(&input, 0, 0, 48_000);
            let margin = resampler.margin();
            let from = rate as usize - margin;
            let to = rate as usize * 2 + margin;
            let piece = resampler.run(&input[from..to], from as u64, 16_000, 16_000);
            assert_eq!(piece, whole[16_000..32_000], "{rate}");
        }
    }

    #[test]
    fn rates_that_nobody_has_are_refused() {
        for rate in [0, 1, 999, 767_999, 768_001, u32::MAX] {
            assert!(Resampler::new(rate).is_err(), "{rate}");
        }
        assert!(Resampler::new(192_001).is_ok());
    }
}
