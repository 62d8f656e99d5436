//! Whether the marks of the canaries are true, and as often as was accepted.
//!
//! A wrong number that is called verified is the worst this program can do, so one such canary fails the gate: a share
//! over eight canaries would forgive it. Only a person can accept it (`lab gate --accept`); then that canary is known, and
//! the next false mark on another one fails again. Counts are compared as they are. Canaries are few, and an interval
//! around seven of eight would let nearly everything pass.

use super::Failures;
use crate::{
    Canary,
    lock::{CanaryMark, CanaryMarks, CanaryResults, MarkCount},
};
use reckon::MarkState;
use serde::Serialize;
use std::{cmp::Ordering, fmt};

/// How often a mark is true, now and as it was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MarkTrend {
    /// Which mark.
    pub mark: MarkState,
    /// On the canaries of this run.
    pub now: MarkCount,
    /// On the same canaries when they were accepted; nothing if marks never were.
    pub accepted: Option<MarkCount>,
    /// What became of it.
    pub trend: Option<Trend>,
}

/// What became of the share of right answers under a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trend {
    /// A larger share is right, or the same share of more.
    Better,
    /// Nothing.
    Same,
    /// The same share of fewer, or none has this mark any more.
    Fewer,
    /// A smaller share is right.
    Worse,
}

impl Trend {
    fn of(was: MarkCount, is: MarkCount) -> Self {
        let size = is.of.cmp(&was.of);
        let share = match was.of.min(is.of) {
            0 => Ordering::Equal,
            _ => (is.right * was.of).cmp(&(was.right * is.of)),
        };
        match share.then(size) {
            Ordering::Greater => Self::Better,
            Ordering::Equal => Self::Same,
            Ordering::Less if share == Ordering::Equal => Self::Fewer,
            Ordering::Less => Self::Worse,
        }
    }
}

/// Holds the marks of a run against what was accepted, of the same canaries.
pub(super) fn trends(accepted: Option<&CanaryResults>, now: &CanaryResults) -> Vec<MarkTrend> {
    let known = accepted.filter(|one| one.marks.is_some());
    let was = known.map(|one| {
        // A run without a model has the scripted canaries only.
        let answers = one.answers.iter();
        let both = answers.filter(|(id, _)| now.answers.contains_key(*id));
        let both = both.map(|(id, result)| (id.clone(), result.clone()));
        CanaryMarks::count(&both.collect()).each()
    });
    let is = CanaryMarks::count(&now.answers).each();
    let trend = |(at, (mark, now)): (usize, (MarkState, MarkCount))| {
        let accepted = was.map(|was| was[at].1);
        MarkTrend {
            mark,
            now,
            accepted,
            trend: accepted.map(|was| Trend::of(was, now)),
        }
    };
    is.into_iter().enumerate().map(trend).collect()
}

/// One failure for each mark that is not true, with the canaries that show it.
pub(super) fn must_be_true(
    set: &[Canary],
    accepted: Option<&CanaryResults>,
    now: &CanaryResults,
    failures: &mut Failures,
) {
    let mark = |results: &CanaryResults, id: &str| -> Option<CanaryMark> {
        let mark = results.answers.get(id)?.mark?;
        mark.is_false().then_some(mark)
    };
    for trend in trends(accepted, now) {
        let is_wrong = |id: &&String| mark(now, id).is_some_and(|one| one.state == trend.mark);
        let wrong: Vec<&String> = set.iter().map(|one| &one.id).filter(is_wrong).collect();
        let is_new = |id: &&&String| accepted.and_then(|was| mark(was, id)) != mark(now, id);
        let new: Vec<&String> = wrong.iter().filter(is_new).copied().collect();
        let what = match (new.len(), trend.trend) {
            (0, Some(Trend::Worse)) => trend.to_string(),
            (0, _) => continue,
            (1, _) => format!("a wrong answer has this mark; {trend}"),
            (n, _) => format!("{n} wrong answers have this mark; {trend}"),
        };
        let shown = if new.is_empty() { wrong } else { new };
        failures.add_mark(trend.mark, what, shown.into_iter().cloned().collect());
    }
}

impl fmt::Display for MarkTrend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MarkCount { right, of } = self.now;
        write!(f, "right on {right} of {of} canaries")?;
        match self.accepted {
            Some(MarkCount { right, of }) => write!(f, ", accepted {right} of {of}"),
            None => Ok(()),
        }
    }
}

impl MarkTrend {
    /// Whether there is anything to say.
    pub(super) fn is_there(&self) -> bool {
        self.now.of + self.accepted.map_or(0, |was| was.of) > 0
    }

    /// What a person should know of the trend; nothing if it is the same.
    pub(super) fn remark(&self) -> &'static str {
        match self.trend {
            Some(Trend::Better) => ": better; `--accept` keeps it",
            Some(Trend::Fewer) => ": fewer than accepted",
            Some(Trend::Worse) => ": worse",
            Some(Trend::Same) | None => "",
        }
    }
}
