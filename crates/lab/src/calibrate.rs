//! Calibration of marks: of the answers that carry one, how many are right, with an interval, for all, by kind and by the
//! share of votes.
//!
//! Reads tapes; called by `lab calibrate` and `lab report`. A mark is a claim about the text that shipped, so it is held against what the task's own checks say of
//! that text, never against what a guard found. Answers whose rightness nobody knows are counted and left out.

use crate::Row;
use reckon::{Mark, MarkState};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use std::collections::BTreeMap;

/// Two standard errors of a normal distribution, for 95 %.
const Z: f64 = 1.96;

/// Right ones among those with a mark. In JSON with the share and its interval, so that no reader has to redo them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Share", 5)?;
        fields.serialize_field("right", &self.right)?;
        fields.serialize_field("of", &self.of)?;
        fields.serialize_field("unknown", &self.unknown)?;
        fields.serialize_field("share", &self.share())?;
        fields.serialize_field("interval", &self.interval())?;
        fields.end()
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

/// Answers of any mark whose votes agreed about equally.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bin {
    /// The share of votes in tenths, rounded, from 0 to 10.
    pub tenth: usize,
    /// The mean share of votes that agreed, of the answers whose rightness is known.
    pub agreed: f64,
    /// How many of them are right.
    pub right: Share,
}

/// What the marks of these rows are worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// Verified first.
    pub marks: Vec<Line>,
    /// By the share of votes that agreed, over all marks; only shares that occur and where something is known.
    pub reliability: Vec<Bin>,
    /// How far the share of right answers is from the share of votes, over the bins and weighted by their size; none
    /// where there was no jury.
    pub distance: Option<f64>,
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
    let mut bins = [(0.0, Share::default()); 11];
    for row in rows {
        let mark = row.receipt.mark.as_ref();
        let state = mark.map(|mark| mark.state);
        let line = &mut lines[place(state)];
        line.all.add(row.right);
        if let Some(kind) = &row.category {
            line.kinds.entry(kind.clone()).or_default().add(row.right);
        }
        if let Some(agreed) = mark.and_then(agreed) {
            let tenth = (10.0 * agreed).round() as usize;
            line.votes.entry(tenth).or_default().add(row.right);
            let (sum, share) = &mut bins[tenth];
            *sum += row.right.map_or(0.0, |_| agreed);
            share.add(row.right);
        }
        raw.add(row.raw_right);
        shipped.add(row.right);
        let warned = matches!(state, Some(MarkState::Doubtful | MarkState::Unchecked));
        silent.add(row.right.map(|right| !right && !warned));
    }
    let reliability = reliability(&bins);
    Calibration {
        marks: lines.into(),
        distance: distance(&reliability),
        reliability,
        raw,
        shipped,
        silent_wrong: silent,
    }
}

impl Calibration {
    /// Whether the rightness of any answer with a mark is known.
    pub fn is_known(&self) -> bool {
        let mut marked = self.marks.iter().filter(|line| line.mark != "none");
        marked.any(|line| line.all.of > 0)
    }
}

/// The share of votes for the value that stands. One vote alone agrees with itself and says nothing. A tape may hold any
/// numbers, so the share is kept within 0 and 1.
fn agreed(mark: &Mark) -> Option<f64> {
    let (votes, cast) = mark.votes.zip(mark.cast)?;
    (cast > 1).then(|| (votes as f64 / cast as f64).min(1.0))
}

fn reliability(bins: &[(f64, Share)]) -> Vec<Bin> {
    let known = bins
        .iter()
        .enumerate()
        .filter(|(_, (_, right))| right.of > 0);
    let bin = |(tenth, (sum, right)): (usize, &(f64, Share))| Bin {
        tenth,
        agreed: sum / right.of as f64,
        right: *right,
    };
    known.map(bin).collect()
}

fn distance(bins: &[Bin]) -> Option<f64> {
    let all: usize = bins.iter().map(|bin| bin.right.of).sum();
    let off = |bin: &Bin| (bin.right.right as f64 - bin.agreed * bin.right.of as f64).abs();
    (all > 0).then(|| bins.iter().map(off).sum::<f64>() / all as f64)
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

    #[test]
    fn numbers_that_no_jury_could_have_cast_break_nothing() {
        let mark = |votes, cast| Mark::new(MarkState::Verified, "").votes(votes, cast);
        assert_eq!(agreed(&mark(usize::MAX, 2)), Some(1.0));
        assert_eq!(agreed(&mark(usize::MAX, usize::MAX)), Some(1.0));
        assert_eq!(agreed(&mark(0, usize::MAX)), Some(0.0));
        assert_eq!(agreed(&mark(1, 1)), None);
        assert_eq!(agreed(&mark(3, 0)), None);
    }
}
