//! The hours of the day in which a worker works, as `--hours 22-7` has them.
//!
//! All of it is arithmetic on minutes since midnight; only [`local_minute`] asks a clock. Since that is asked anew each
//! time, a change to summer time needs no care.
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

const DAY: u32 = 24 * 60;

/// A part of each day. It may cross midnight; its end is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hours {
    /// Minutes since midnight.
    from: u32,
    to: u32,
}

impl Hours {
    /// Reads `22-7`, `22:30-6:15` or `9-17`. From an hour to the same hour is the whole day.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::Invalid("hours are written as 22-7 or 22:30-6:15".into());
        let (from, to) = text.split_once('-').ok_or_else(wrong)?;
        let from = minute(from).ok_or_else(wrong)?;
        let to = minute(to).ok_or_else(wrong)?;
        Ok(Self { from, to })
    }

    /// Whether a minute of the day is among them.
    pub fn contains(self, minute: u32) -> bool {
        let minute = minute % DAY;
        if self.from < self.to {
            (self.from..self.to).contains(&minute)
        } else {
            minute >= self.from || minute < self.to
        }
    }

    /// Minutes until they begin; 0 if they have.
    pub fn next(self, minute: u32) -> u32 {
        let minute = minute % DAY;
        if self.contains(minute) {
            return 0;
        }
        (self.from + DAY - minute) % DAY
    }
}

impl FromStr for Hours {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from, self.to);
        write!(
            f,
            "{}:{:02}-{}:{:02}",
            from / 60,
            from % 60,
            to / 60,
            to % 60
        )
    }
}

/// `7`, `07`, `7:30`; 24 is midnight.
fn minute(text: &str) -> Option<u32> {
    let number = |text: &str| {
        let digits =
            (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u32>().ok()).flatten()
    };
    let (hour, minute) = text.trim().split_once(':').unwrap_or((text.trim(), "0"));
    let (hour, minute) = (number(hour)?, number(minute)?);
    let total = hour * 60 + minute;
    (minute < 60 && total <= DAY).then_some(total % DAY)
}

/// Minutes since midnight, where this machine is.
pub(crate) fn local_minute() -> u32 {
    let now = jiff::Zoned::now();
    u32::from(now.hour().unsigned_abs()) * 60 + u32::from(now.minute().unsigned_abs())
}
