//! Calibration of marks: of the answers that carry one, how many are right, with an interval, for all and by kind.
//!
//! Reads tapes. A mark is a claim about the text that shipped, so it is held against what the task's own checks say of
//! that text, never against what a guard found. Answers whose rightness nobody knows are counted and left out.

use crate::Row;
use reckon::MarkState;
use serde::Serialize;
use std::collections::BTreeMap;

/// Two standard errors of a normal distribution, for 95 %.
const Z: f64 = 1.96;

/// Right ones among those with a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Answers that are right.
    pub right: usize,
    /// Answers whose rightness is known.
    pub of: usize,
    /// Answers whose rightness nobody knows.
    pub unknown: usize,
}

impl Share {
    /// The share that is right; none where nothing is known.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }

    /// Wilson's 95 % interval. It stays within 0 and 1 and is of use for few answers and for none wrong, where the
    /// usual one has no width.
    pub fn interval(self) -> Option<(f64, f64)> {
        let (share, n) = (self.share()?, self.of as f64);
        let middle = share + Z * Z / (2.0 * n);
        let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let low = (middle - spread) / scale;
        let high = (middle + spread) / scale;
        Some((low.max(0.0), high.min(1.0)))
    }

    fn add(&mut self, right: Option<bool>) {
        match right {
            Some(right) => {
                self.of += 1;
                self.right += usize::from(right);
            }
            None => self.unknown += 1,
        }
    }
}

/// One line: a mark, and how often it is true.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// `verified`, `corrected`, `doubtful`, `unchecked` or `none`.
    pub mark: &'static str,
    /// Of all kinds.
    pub all: Share,
    /// By kind of question, where the tape has more than one.
    pub kinds: BTreeMap<String, Share>,
    /// By the share of votes that the answer had, in tenths from 0 to 10, where there was a jury.
    pub votes: BTreeMap<usize, Share>,
}

/// What the marks of these rows are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Verified first.
    pub marks: Vec<Line>,
    /// Without guards.
    pub raw: Share,
    /// What shipped.
    pub shipped: Share,
    /// Wrong answers that shipped as verified, corrected, or without any mark, of all whose rightness is known.
    pub silent_wrong: Share,
}

const NAMES: [&str; 5] = ["verified", "corrected", "doubtful", "unchecked", "none"];

/// Counts.
pub fn calibrate(rows: &[Row]) -> Calibration {
    let mut lines = NAMES.map(|mark| Line {
        mark,
        all: Share::default(),
        kinds: BTreeMap::new(),
        votes: BTreeMap::new(),
    });
    let [mut raw, mut shipped, mut silent] = [Share::default(); 3];
    for row in rows {
        let mark = row.receipt.mark.as_ref();
        let state = mark.map(|mark| mark.state);
        let line = &mut lines[place(state)];
        line.all.add(row.right);
        if let Some(kind) = &row.category {
            line.kinds.entry(kind.clone()).or_default().add(row.right);
        }
        if let Some((votes, cast)) = mark.and_then(|mark| mark.votes.zip(mark.cast))
            && cast > 1
        {
            let tenth = (10 * votes + cast / 2) / cast;
            line.votes.entry(tenth).or_default().add(row.right);
        }
        raw.add(row.raw_right);
        shipped.add(row.right);
        let warned = matches!(state, Some(MarkState::Doubtful | MarkState::Unchecked));
        silent.add(row.right.map(|right| !right && !warned));
    }
    Calibration {
        marks: lines.into(),
        raw,
        shipped,
        silent_wrong: silent,
    }
}

fn place(state: Option<MarkState>) -> usize {
    match state {
        Some(MarkState::Verified) => 0,
        Some(MarkState::Corrected) => 1,
        Some(MarkState::Doubtful) => 2,
        Some(MarkState::Unchecked) => 3,
        None => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        let share = |right, of| Share {
            right,
            of,
            unknown: 0,
        };
        let rounded = |share: Share| {
            let (low, high) = share.interval().expect("some are known");
            ((low * 1e3).round() / 1e3, (high * 1e3).round() / 1e3)
        };
        // From the closed form, by hand: 10 of 10 is 1 / (1 + z²/n) and 1.
        assert_eq!(rounded(share(10, 10)), (0.722, 1.0));
        assert_eq!(rounded(share(0, 10)), (0.0, 0.278));
        assert_eq!(rounded(share(50, 100)), (0.404, 0.596));
        assert_eq!(share(0, 0).interval(), None);
    }
}
