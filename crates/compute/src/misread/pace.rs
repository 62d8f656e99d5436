//! Misreadings of speeds and of shared work: means of speeds, times that are added, more hands that take longer.
//!
//! Called by `misreading`, with the question in lower case and its number words as digits.

use super::{Misreading, integer, values};
use crate::pattern::regex;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// The misreadings of this file.
pub(super) fn find(text: &str, value: &BigRational) -> Option<Misreading> {
    mean_of_speeds(text, value)
        .or_else(|| times_added(text, value))
        .or_else(|| more_hands(text, value))
}

/// "There at 60 mph, back at 30 mph. What is the average speed?": 40, not 45.
fn mean_of_speeds(text: &str, value: &BigRational) -> Option<Misreading> {
    static SPEED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"([0-9][0-9,.]*)\s*(?:mph|km/h|kmh|kph|m/s|miles per hour|miles an hour|(?:kilometers|kilometres|km|knots) (?:per|an) hour)",
        )
    });
    // Who rides equal times at two speeds rides at their mean.
    static LASTS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\b(?:[0-9][0-9,.]*|an?|half an|the same)\s*(?:hours?|minutes?|min|time)\b")
    });
    if !text.contains("average speed") {
        return None;
    }
    let speeds: Vec<BigRational> = SPEED
        .captures_iter(text)
        .filter_map(|found| values(&found[1]).pop())
        .collect();
    let [a, b] = &speeds[..] else { return None };
    let untimed = SPEED.replace_all(text, "");
    let is_mean = value * integer(2) == a + b && a != b && !LASTS.is_match(&untimed);
    is_mean.then_some(Misreading {
        why: "the slower part takes longer, so the mean of two speeds is not the average speed",
        other: None,
    })
}

/// "One hose fills it in 4 hours, another in 6. How long do both take?": less than either.
fn times_added(text: &str, value: &BigRational) -> Option<Misreading> {
    static WORK: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:fill|paint|mow|clean|build|finish|empt|dig|harvest|complet|drain|plow|do the|wash|pick|type|print)[a-z]*\b",
        )
    });
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bhow (?:long|many (?:hours|minutes|days))\b[^.?!]*\b(?:do|does|will|would|take|need)\b",
        )
    });
    let both = ["together", "both", "at the same time", "at once"];
    let asked = ASKED.find(text)?.as_str();
    let is_both = both.iter().any(|word| text.contains(word));
    let all = values(text);
    let [a, b] = &all[..] else { return None };
    let sum = a + b;
    if !is_both || asked.contains("did") || !WORK.is_match(text) || sum.is_zero() {
        return None;
    }
    let wrong = [sum.clone(), &sum / integer(2), (a - b).abs()];
    let meant = a * b / sum;
    (wrong.contains(value) && *value != meant).then_some(Misreading {
        why: "two that share the work need less time than either",
        other: Some(meant),
    })
}

/// "5 workers need 6 hours. How long do 3 need?": longer. "5 machines make 5 parts in 5 minutes; how long do 100 need for
/// 100?": as long.
fn more_hands(text: &str, value: &BigRational) -> Option<Misreading> {
    static HANDS: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b([0-9]+)\s+(?:[a-z]+\s+)?
              (workers?|man|men|women|people|persons?|friends|students?
              |painters?|builders?|masons?|gardeners?|cleaners?|bakers?|farmers?|carpenters?|diggers?
              |machines?|robots?|pumps?|taps?|pipes?|printers?|tractors?|ovens?|hens?|cats?)\b",
        )
    });
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bhow (?:long|much time|many (?:hours|minutes|days|weeks))\b[^?]*\?")
    });
    ASKED.find(text)?;
    let mut hands = HANDS.captures_iter(text);
    let (one, two) = (hands.next()?, hands.next()?);
    if one[2].trim_end_matches('s') != two[2].trim_end_matches('s') {
        return None;
    }
    let (n, m) = (values(&one[1]).pop()?, values(&two[1]).pop()?);
    let mut rest = values(text);
    for number in [&n, &m] {
        rest.remove(rest.iter().position(|other| other == number)?);
    }
    if n.is_zero() || m.is_zero() {
        return None;
    }
    let (wrong, meant) = match &rest[..] {
        [time] => (*value == time * &m / &n, time * &n / &m),
        // Parts, time and parts, or time, parts and parts: all three are the same number in this old trap.
        [a, b, c] if a == b && *a == n && *c == m => (*value == m, a.clone()),
        _ => return None,
    };
    (wrong && *value != meant).then_some(Misreading {
        why: "more hands need less time for the same work",
        other: Some(meant),
    })
}
