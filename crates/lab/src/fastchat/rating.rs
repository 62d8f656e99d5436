//! Reads the score or the winner out of what a judge says, by FastChat's rules.

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use std::sync::LazyLock;

/// Who a judgment prefers, in the order in which the answers were shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Winner {
    /// The first model of the row.
    #[serde(rename = "model_1")]
    First,
    /// The second.
    #[serde(rename = "model_2")]
    Second,
    /// Neither.
    Tie,
    /// The judge did not say.
    Error,
}

impl Winner {
    /// The same, said of answers that were shown the other way round.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            other => other,
        }
    }
}

/// `[[7]]`, and what some judges write instead. Python's `\d` is any decimal digit; a score of others is none.
static RATING: LazyLock<[Option<Regex>; 2]> = LazyLock::new(|| {
    [r"\[\[(\d+\.?\d*)\]\]", r"\[(\d+\.?\d*)\]"].map(|pattern| Regex::new(pattern).ok())
});

/// The score that a judgment gives: the first number in double brackets, else the first in single ones, else -1.
/// A whole number stays one, as in Python.
pub fn rating(judgment: &str) -> Number {
    let found = RATING
        .iter()
        .flatten()
        .find_map(|pattern| pattern.captures(judgment));
    let text = found.as_ref().and_then(|found| found.get(1));
    text.and_then(|text| number(text.as_str()))
        .unwrap_or_else(|| Number::from(-1))
}

fn number(text: &str) -> Option<Number> {
    match text.parse::<u32>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => Number::from_f64(text.parse().ok()?),
    }
}

/// The winner that a judgment names, `[[A]]` before `[[B]]` before `[[C]]`, wherever they stand.
pub fn winner(judgment: &str) -> Winner {
    let marks = [
        ("[[A]]", Winner::First),
        ("[[B]]", Winner::Second),
        ("[[C]]", Winner::Tie),
    ];
    let found = marks.iter().find(|(mark, _)| judgment.contains(mark));
    found.map_or(Winner::Error, |(_, winner)| *winner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_by_both_patterns() {
        let read = |text: &str| rating(text).to_string();
        assert_eq!(read("Rating: [[7]]"), "7");
        assert_eq!(read("[3] then [[8.5]] then [[2]]"), "8.5");
        assert_eq!(read("Rating: [6.0]"), "6.0");
        assert_eq!(read("[[9.]]"), "9.0");
        assert_eq!(read("[[ 7 ]] [x]"), "-1");
        assert_eq!(read(""), "-1");
        let large = rating("[[99999999999999999999]]");
        assert_eq!(large.as_f64(), Some(1e20), "no whole number of ours");
    }

    #[test]
    fn winners_are_looked_for_in_order() {
        assert_eq!(winner("not [[B]] but [[A]]"), Winner::First);
        assert_eq!(winner("[[B]]"), Winner::Second);
        assert_eq!(winner("[[C]]"), Winner::Tie);
        assert_eq!(winner("[A]"), Winner::Error);
        assert_eq!(Winner::First.swapped(), Winner::Second);
        assert_eq!(Winner::Tie.swapped(), Winner::Tie);
    }
}
