//! Counts votes and decides: verified, corrected, doubtful, or nothing to say.
//!
//! The thresholds are what `reckon lab calibrate` and docs/guard-prompts.md rest on; a change of them is a change of the
//! guard. Two of them matter most: programs alone never overrule an answer that other answers repeat, and an answer is
//! verified only by programs.

use super::{Juror, Number};
use crate::{CheckLevel, number::Value};

/// What a jury comes to. Places are those of the ballots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// So many of so many votes say what the answer says.
    Verified {
        /// Votes for it.
        votes: usize,
        /// Votes that count.
        cast: usize,
    },
    /// They agree on something else.
    Corrected {
        /// Ballots that say so, the answers first.
        by: Vec<usize>,
        /// Votes that count.
        cast: usize,
    },
    /// No agreement: the strongest other value has these ballots.
    Doubtful {
        /// Ballots that say something else, the programs first.
        by: Vec<usize>,
        /// Votes for the answer itself.
        votes: usize,
        /// Votes that count.
        cast: usize,
    },
    /// Too few came to a number.
    Silent {
        /// Votes for the answer.
        votes: usize,
        /// Votes that count.
        cast: usize,
    },
}

/// A vote that counts.
pub(super) struct Weighed<'a> {
    pub(super) at: usize,
    pub(super) juror: Juror,
    pub(super) value: &'a Number,
}

/// Votes that are not in yet.
#[derive(Clone, Copy)]
pub(super) struct Out {
    pub(super) drafts: usize,
    pub(super) programs: usize,
}

/// Votes for one value.
#[derive(Clone, Debug, Default)]
struct Group {
    drafts: Vec<usize>,
    programs: Vec<usize>,
}

impl Group {
    fn len(&self) -> usize {
        self.drafts.len() + self.programs.len()
    }
}

/// All votes by value. The first group is that of the answer.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    groups: Vec<Group>,
    /// Whether the answer says one number at all.
    has_own: bool,
}

impl Tally {
    pub(super) fn new<'a>(
        own: Option<&'a Number>,
        votes: impl Iterator<Item = Weighed<'a>>,
        decimals: Option<usize>,
    ) -> Self {
        let mut values: Vec<Option<&Number>> = vec![own];
        let mut groups = vec![Group::default()];
        for vote in votes {
            let is_same =
                |value: &Option<&Number>| value.is_some_and(|one| same(one, vote.value, decimals));
            let place = values.iter().position(is_same).unwrap_or_else(|| {
                values.push(Some(vote.value));
                groups.push(Group::default());
                groups.len() - 1
            });
            match vote.juror {
                Juror::Draft => groups[place].drafts.push(vote.at),
                Juror::Program => groups[place].programs.push(vote.at),
            }
        }
        Self {
            groups,
            has_own: own.is_some(),
        }
    }

    fn cast(&self) -> usize {
        self.groups.iter().map(Group::len).sum()
    }

    pub(super) fn outcome(&self, level: CheckLevel) -> Outcome {
        let (own, others) = (&self.groups[0], &self.groups[1..]);
        let (votes, cast) = (own.len(), self.cast());
        if self.has_own && is_verified(own, others, level) {
            return Outcome::Verified { votes, cast };
        }
        let scattered = self.groups.iter().all(|group| group.drafts.len() <= 1);
        let best = others
            .iter()
            .filter(|group| group.len() > 0)
            .max_by_key(|group| (group.len(), group.programs.len()));
        if let Some(best) = best {
            // Whoever says yes, or says no number, is not answered with a number.
            if self.has_own && level == CheckLevel::Full && is_broad(best, own, scattered) {
                let by = best.drafts.iter().chain(&best.programs).copied().collect();
                return Outcome::Corrected { by, cast };
            }
            if self.has_own {
                let by = best.programs.iter().chain(&best.drafts).copied().collect();
                return Outcome::Doubtful { by, votes, cast };
            }
        }
        Outcome::Silent { votes, cast }
    }

    /// Whether a quick check would verify the answer if so many programs more agreed with it.
    pub(super) fn may_be_verified(&self, programs: usize) -> bool {
        let mut tally = self.clone();
        let more = vec![usize::MAX; programs];
        tally.groups[0].programs.extend(more);
        matches!(tally.outcome(CheckLevel::Quick), Outcome::Verified { .. })
    }

    /// Whether the votes that are out leave the outcome what it is, however they fall. Tried are the ways that could
    /// matter: those of a kind all for one value, be it the answer's, another's or a new one, or none that counts.
    pub(super) fn is_settled(&self, level: CheckLevel, out: Out) -> bool {
        let now = state(&self.outcome(level));
        let places = || (0..=self.groups.len()).map(Some).chain([None]);
        places().all(|drafts| {
            places().all(|programs| {
                let mut tally = self.clone();
                tally.groups.push(Group::default());
                if let Some(place) = drafts {
                    let more = vec![usize::MAX; out.drafts];
                    tally.groups[place].drafts.extend(more);
                }
                if let Some(place) = programs {
                    let more = vec![usize::MAX; out.programs];
                    tally.groups[place].programs.extend(more);
                }
                state(&tally.outcome(level)) == now
            })
        })
    }
}

fn state(outcome: &Outcome) -> (u8, Option<usize>) {
    match outcome {
        Outcome::Verified { .. } => (0, None),
        Outcome::Corrected { by, .. } => (1, by.first().copied()),
        Outcome::Doubtful { .. } => (2, None),
        Outcome::Silent { .. } => (3, None),
    }
}

/// An answer is verified by programs none of which differs, whatever the level: where one did and the others of a full check
/// outvoted it, the answer was right in 3 of 5. Where programs came to nothing, a full check wants three or a second answer more.
fn is_verified(own: &Group, others: &[Group], level: CheckLevel) -> bool {
    let programs = own.programs.len();
    let rivals: usize = others.iter().map(Group::len).sum();
    let is_enough = match level {
        CheckLevel::Full => {
            // Five of six programs say enough beside the answer itself; fewer need a second answer that says the same.
            let drafts = if programs >= 5 { 1 } else { 2 };
            programs >= 3 && own.drafts.len() >= drafts && own.len() > rivals
        }
        _ => programs >= 2,
    };
    is_enough && others.iter().all(|group| group.programs.is_empty())
}

/// Whether another value has an agreement that overrules the answer.
fn is_broad(best: &Group, own: &Group, scattered: bool) -> bool {
    // Eight are always of both kinds: there are six programs, and five answers beside the one in question.
    let both_kinds = best.len() >= 8;
    let more = best.drafts.len() > own.drafts.len().max(2);
    let answers = more && !best.programs.is_empty() && own.programs.is_empty();
    // Answers that all say something else know nothing; only then programs are believed by themselves.
    let programs = best.programs.len() >= 6 && scattered && own.programs.is_empty();
    both_kinds || answers || programs
}

/// Whether two numbers are the same, each read as what it is: digits of a program, or what an answer rounded.
fn same(a: &Number, b: &Number, decimals: Option<usize>) -> bool {
    let scaled = |number: &Number| Number {
        value: number.value.times(100),
        found: None,
        percent: true,
    };
    // A share of 0.25 and 25 % are one.
    match (a.percent, b.percent) {
        (true, false) if b.found.is_none() => {
            agree(a, &scaled(b), decimals) || agree(a, b, decimals)
        }
        (false, true) if a.found.is_none() => {
            agree(&scaled(a), b, decimals) || agree(a, b, decimals)
        }
        _ => agree(a, b, decimals),
    }
}

fn agree(a: &Number, b: &Number, decimals: Option<usize>) -> bool {
    match (&a.found, &b.found) {
        (Some(found), _) if found.is_to(&b.value, decimals) => true,
        (_, Some(found)) if found.is_to(&a.value, decimals) => true,
        (None, None) => Value::same(&a.value, &b.value),
        _ => false,
    }
}
