//! Measured times of passes by their number of rows, from which speculation decides how many guesses pay.
//!
//! Fed by `runner` with the time of each pass whose rows are all tokens of answers; asked by `speculate`. Times fall
//! at once to a faster one and rise slowly, because what disturbs a pass only ever makes it longer. Row counts that
//! were never timed lie between their neighbours.

/// Passes of more rows than these are not timed.
const ROWS: usize = 64;

/// What a further row is thought to cost before it was ever timed, as a share of the first.
const GUESS: f64 = 0.08;

/// Seconds of passes by rows.
#[derive(Clone, Debug)]
pub(crate) struct PassTimes {
    /// By rows - 1; 0 was never timed.
    seconds: [f64; ROWS],
}

impl Default for PassTimes {
    fn default() -> Self {
        Self {
            seconds: [0.0; ROWS],
        }
    }
}

impl PassTimes {
    /// A pass of so many rows took so long.
    pub(crate) fn note(&mut self, rows: usize, seconds: f64) {
        let thought = self.seconds(rows);
        let first = self.seconds.iter().all(|known| *known == 0.0);
        let Some(known) = rows.checked_sub(1).and_then(|i| self.seconds.get_mut(i)) else {
            return;
        };
        if *known == 0.0 {
            // A disturbed first time would keep such passes from ever being tried again.
            *known = if first {
                seconds
            } else {
                seconds.min(2.0 * thought)
            };
            return;
        }
        // A faster time is news, a slower one mostly noise: another process, a page fault.
        let step = if seconds < *known { 0.5 } else { 0.1 };
        *known += step * (seconds.min(2.0 * *known) - *known);
    }

    /// What a pass of so many rows will take; in seconds once any was timed, else relative to one row.
    pub(crate) fn seconds(&self, rows: usize) -> f64 {
        let timed = |&i: &usize| self.seconds[i - 1] > 0.0;
        let below = (1..=rows.min(ROWS)).rev().find(timed);
        let above = (rows.max(1)..=ROWS).find(timed);
        let at = |i: usize| self.seconds[i - 1];
        match (below, above) {
            (Some(a), Some(b)) if a == b => at(a),
            (Some(a), Some(b)) => at(a) + (at(b) - at(a)) * ratio(rows - a, b - a),
            // Beyond what was timed: as a share of the nearest time.
            (Some(a), None) => at(a) * cost(rows) / cost(a),
            (None, Some(b)) => at(b) * cost(rows) / cost(b),
            (None, None) => cost(rows),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rows are few")]
fn cost(rows: usize) -> f64 {
    1.0 + GUESS * (rows as f64 - 1.0)
}

#[expect(clippy::cast_precision_loss, reason = "rows are few")]
fn ratio(a: usize, b: usize) -> f64 {
    a as f64 / b as f64
}

#[cfg(test)]
mod tests {
    use super::PassTimes;

    #[test]
    fn times_lie_between_their_neighbours() {
        let mut times = PassTimes::default();
        assert!(times.seconds(5) > times.seconds(1));
        times.note(1, 2.0);
        assert!(times.seconds(5) > 2.0);
        times.note(9, 5.0);
        assert_eq!(times.seconds(1), 2.0);
        assert_eq!(times.seconds(5), 3.5);
        assert_eq!(times.seconds(9), 5.0);
        assert!(times.seconds(100) > 5.0);
        times.note(0, 1.0);
        times.note(1000, 1.0);
    }

    #[test]
    fn a_disturbed_pass_counts_little() {
        let mut times = PassTimes::default();
        times.note(1, 1.0);
        times.note(1, 50.0);
        assert!(times.seconds(1) < 1.2);
        times.note(1, 0.5);
        assert!(times.seconds(1) < 0.9);
        times.note(2, 50.0);
        assert!(times.seconds(2) < 2.0);
    }
}
