//! Cuts long sound where it is quiet, into pieces that an audio encoder takes.
use crate::RATE;
use std::ops::Range;

/// Longest piece: what Gemma's audio encoder takes.
const LONGEST: usize = 30 * RATE as usize;
/// A cut lies in the last third of it, so that pieces stay long.
const EARLIEST: usize = 20 * RATE as usize;
/// A pause has about this length.
const PAUSE: usize = RATE as usize / 5;
/// Loudness is measured in steps of this length.
const STEP: usize = RATE as usize / 100;

/// Pieces of at most 30 seconds that cover all samples in order, cut at the quietest place of the last ten.
#[must_use]
pub fn windows(samples: &[f32]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    while samples.len() - begin > LONGEST {
        let end = begin + cut(&samples[begin..begin + LONGEST]);
        pieces.push(begin..end);
        begin = end;
    }
    if begin < samples.len() {
        pieces.push(begin..samples.len());
    }
    pieces
}

/// The middle of the quietest stretch of a pause's length; of several the last.
fn cut(window: &[f32]) -> usize {
    let energy = |step: &[f32]| step.iter().map(|s| f64::from(*s) * f64::from(*s)).sum();
    let steps: Vec<f64> = window[EARLIEST..].chunks(STEP).map(energy).collect();
    let stretches = steps
        .windows(PAUSE / STEP)
        .map(|steps| steps.iter().sum::<f64>());
    let quietest = stretches
        .enumerate()
        .min_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)))
        .map_or(0, |(i, _)| i);
    EARLIEST + quietest * STEP + PAUSE / 2
}
