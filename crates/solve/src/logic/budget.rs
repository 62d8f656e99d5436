//! What one question may use: time, and the number of terms it may grow to.
//!
//! Every loop that input can make long calls [`Budget::spend`]; every number that is folded asks [`fits`]. So parsing,
//! grounding, search and checking all end by the same deadline, whatever the text says.
use num_rational::BigRational;
use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// Why there is no verdict, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoVerdict(pub(super) String);

impl NoVerdict {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Most terms of one problem, instances of quantifiers included: about 100 MB.
pub(super) const MOST_TERMS: usize = 300_000;
/// Most bits of a numerator or denominator: 1,200 digits.
const MOST_BITS: u64 = 4096;
/// Steps between two looks at the clock, which costs as much as a few hundred of them.
const STEPS: u32 = 512;

/// The deadline of one question, cheap to ask about.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    deadline: Instant,
    time: Duration,
    steps: Cell<u32>,
}

impl Budget {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            deadline: Instant::now() + time,
            time,
            steps: Cell::new(0),
        }
    }

    /// Counts one step; fails when the time is over.
    pub(super) fn spend(&self) -> Result<(), NoVerdict> {
        match self.steps.get().checked_sub(1) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => {
                self.steps.set(STEPS);
                self.check()
            }
        }
    }

    /// Looks at the clock now.
    pub(super) fn check(&self) -> Result<(), NoVerdict> {
        if Instant::now() < self.deadline {
            return Ok(());
        }
        let seconds = self.time.as_secs_f64();
        Err(NoVerdict(format!("out of time after {seconds:.1} s")))
    }
}

/// Is the number small enough to calculate with?
pub(super) fn fits(number: &BigRational) -> bool {
    number.numer().bits() <= MOST_BITS && number.denom().bits() <= MOST_BITS
}
