//! Questions that small models misread in the same way every time they are asked.
//!
//! Answers and programs of one model agree on such a misreading, so agreement proves nothing there. Each rule names a
//! form of question and the number that its misreading leads to; where an answer has that number, it is not verified,
//! whatever the votes say. Found on questions that were marked verified and were wrong.

use crate::{direct::to_digits, number, pattern::regex};
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// Longer questions are not looked at.
const MOST_BYTES: usize = 4_000;

/// Why an answer may be a misreading, and what the question comes to if it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Misreading {
    /// In words that follow "doubtful: ".
    pub why: &'static str,
    /// The other reading, where the rule can compute it.
    pub other: Option<BigRational>,
}

/// Whether this answer to this question is what a misreading of it leads to.
pub fn misreading(question: &str, value: &BigRational) -> Option<Misreading> {
    if question.len() > MOST_BYTES {
        return None;
    }
    let text = to_digits(&question.to_lowercase());
    taken_away(&text, value)
        .or_else(|| compared(&text, value))
        .or_else(|| other_things(&text, value))
        .or_else(|| all_but(&text, value))
}

/// "She had 20 hens. All but 8 flew off. How many are left?": 8, not 12.
fn all_but(text: &str, value: &BigRational) -> Option<Misreading> {
    static ALL_BUT: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\ball (?:but|except(?: for)?) ([0-9][0-9,.]*)\b"));
    let kept = values(&ALL_BUT.captures(text)?[1]).pop()?;
    let all = values(text);
    let is_rest = all.iter().any(|one| *value == one - &kept) && *value != kept;
    let is_left = [" left", "remain", "still", "alive", "survive"];
    (is_rest && is_left.iter().any(|word| text.contains(word))).then_some(Misreading {
        why: "\"all but\" says what is left, not what is gone",
        other: Some(kept),
    })
}

/// "Ben had 9 cards. Ida bought 4 of Ben's cards. How many does Ben have now?": what another takes is gone.
fn taken_away(text: &str, value: &BigRational) -> Option<Misreading> {
    static TAKEN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:bought|buys|took|takes|borrowed|borrows|received|got|won|stole)\s+
              ([0-9][0-9,.]*)\s+of\s+([a-z]+)\s?['’]s?\s",
        )
    });
    let taken = TAKEN.captures(text)?;
    let (amount, owner) = (values(&taken[1]), &taken[2]);
    let asked = text.rsplit("how many").next()?;
    let is_asked = asked.split_whitespace().any(|word| word == owner);
    let all = values(text);
    let (first, amount) = (all.first()?, amount.first()?);
    let is_more = is_asked && text.contains("how many") && value >= first && first != amount;
    is_more.then(|| Misreading {
        why: "what somebody else took away may have been added",
        other: (all.len() == 2).then(|| first - amount),
    })
}

/// "She found 7 on Monday and 12 on Tuesday. How many more did she find on Tuesday than on Monday?": not 12.
fn compared(text: &str, value: &BigRational) -> Option<Misreading> {
    static MORE_THAN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"\bhow (?:many|much) (?:more|fewer|less)\b[^.?!]*\bthan\b"));
    let all = values(text);
    let is_repeated = all.len() >= 2 && all.contains(value) && MORE_THAN.is_match(text);
    is_repeated.then(|| Misreading {
        why: "a difference is asked for, and this is a number of the question itself",
        other: match &all[..] {
            [a, b] if a != b => Some((a - b).abs()),
            _ => None,
        },
    })
}

/// "Ann has 3 pens, Bob 4 pens, and Cid 5 books. How many pens do they have in all?": books are no pens.
fn other_things(text: &str, value: &BigRational) -> Option<Misreading> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bhow many ([a-z]{3,})\b[^.?!]*\b(?:in all|in total|altogether|total)\b")
    });
    static THING: LazyLock<Regex> = LazyLock::new(|| regex(r"([0-9][0-9,.]*)\s+([a-z]{3,}s)\b"));
    let asked = ASKED.captures(text)?;
    let all = values(text);
    let things: Vec<(BigRational, bool)> = THING
        .captures_iter(text)
        .filter_map(|found| Some((values(&found[1]).pop()?, found[2] == asked[1])))
        .collect();
    // A number without a thing of its own may belong to any of them.
    if things.len() != all.len() {
        return None;
    }
    let sum = |only: bool| {
        let counted = things.iter().filter(|(_, own)| *own || !only);
        counted.fold(BigRational::zero(), |sum, (number, _)| sum + number)
    };
    let own = things.iter().filter(|(_, own)| *own).count();
    let (every, meant) = (sum(false), sum(true));
    (own >= 2 && every != meant && *value == every).then_some(Misreading {
        why: "things that nobody asked for may have been counted",
        other: Some(meant),
    })
}

/// The numbers of a text, in their order.
fn values(text: &str) -> Vec<BigRational> {
    let found = number::numbers(text).into_iter();
    found.map(|found| found.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    fn other(question: &str, value: i64) -> Option<Option<i64>> {
        let whole = |number: BigRational| i64::try_from(number.to_integer()).ok();
        let found = misreading(question, &BigRational::from(BigInt::from(value)))?;
        Some(found.other.and_then(whole))
    }

    #[test]
    fn what_another_takes_is_gone() {
        let question =
            "Ben had 9 stamps. Ida bought four of Ben's stamps. How many stamps does Ben have now?";
        assert_eq!(other(question, 13), Some(Some(5)));
        assert_eq!(other(question, 5), None);
        let more = "Ben had 90 stamps, 3 of them old. Ida took 40 of Ben 's stamps . How many does Ben have ?";
        assert_eq!(other(more, 127), Some(None));
        let ida =
            "Ben had 9 stamps. Ida bought 4 of Ben's stamps. How many stamps does Ida have now?";
        assert_eq!(other(ida, 13), None);
    }

    #[test]
    fn a_difference_is_no_number_of_the_question() {
        let question = "Lea ran 7 laps on Monday and 12 laps on Tuesday. How many more laps did she run on Tuesday than on Monday?";
        assert_eq!(other(question, 12), Some(Some(5)));
        assert_eq!(other(question, 5), None);
        let needed = "Lea wants 12 laps and has run 6. How many more does she need?";
        assert_eq!(other(needed, 6), None);
    }

    #[test]
    fn all_but_some_are_those_that_stay() {
        let question = "Ida had 20 hens. All but 8 flew away. How many hens are left?";
        assert_eq!(other(question, 12), Some(Some(8)));
        assert_eq!(other(question, 8), None);
        let gone = "Ida had 20 hens. All but 8 flew away. How many hens flew away?";
        assert_eq!(other(gone, 12), None);
    }

    #[test]
    fn other_things_are_not_counted() {
        let question = "Ann picked 17 pears, Bob picked 10 pears and Cid picked 35 plums. How many pears were picked in all?";
        assert_eq!(other(question, 62), Some(Some(27)));
        assert_eq!(other(question, 27), None);
        let all =
            "Ann picked 17 pears and Bob picked 10 plums. How many fruits were picked in all?";
        assert_eq!(other(all, 27), None);
        let red = "Ann has 3 red pens, Bob has 4 blue pens. How many pens do they have in total?";
        assert_eq!(other(red, 7), None);
    }
}
