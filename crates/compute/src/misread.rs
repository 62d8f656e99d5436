//! Questions that small models misread in the same way every time they are asked.
//!
//! Answers and programs of one model agree on such a misreading, so agreement proves nothing there. Each rule names a
//! form of question and the number that its misreading leads to; where an answer has that number, it is not verified,
//! whatever the votes say. Found on questions that were marked verified and were wrong; those of `whole`, `pace` and
//! `share` are known traps of reading, which people fall into as well.

mod kind;
mod pace;
mod share;
mod whole;

use crate::{direct::to_digits, number, pattern::regex};
use num_bigint::BigInt;
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
        .or_else(|| still_counted(&text, value))
        .or_else(|| there_and_back(&text, value))
        .or_else(|| every_trip(&text, value))
        .or_else(|| in_pairs(&text))
        .or_else(|| kind::find(&text, value))
        .or_else(|| whole::find(&text, value))
        .or_else(|| pace::find(&text, value))
        .or_else(|| share::find(&text, value))
}

/// "Tim found 37 shells and Sally 13. 25 were cracked. How many did they find?": cracked ones were found, too. And what was
/// paid after a coupon was paid.
fn still_counted(text: &str, value: &BigRational) -> Option<Misreading> {
    static DAMAGED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b([0-9][0-9,.]*)\s+(?:[a-z]+\s+){0,3}(?:were|was|are|is)\s+
              (?:cracked|torn|broken|rotten|bruised|damaged|spoiled|scratched|chipped|rusty|stale|dirty|ripped|bent)\b
            | \bafter\s+(?:using\s+)?(?:a|an|the)\s+\$?\s?([0-9][0-9,.]*)\s+(?:[a-z]+\s+)?
              (?:coupon|discount|voucher|rebate)\b",
        )
    });
    static ONLY_GOOD: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:not|good|left|whole|still|usable|remain\w*|un[a-z]+ed|without|before|full|original|regular)\b",
        )
    });
    let found = DAMAGED.captures(text)?;
    let aside = found.get(1).or_else(|| found.get(2))?.as_str();
    let aside = values(aside).pop()?;
    let asked = text
        .rsplit(['.', '!'])
        .find(|part| part.contains("how m"))?;
    if ONLY_GOOD.is_match(asked) {
        return None;
    }
    let all = values(text)
        .iter()
        .fold(BigRational::zero(), |sum, one| sum + one);
    let meant = all - &aside;
    (*value == &meant - &aside).then_some(Misreading {
        why: "something may have been taken away that was only described",
        other: Some(meant),
    })
}

/// "He goes 5 hours west, turns around and goes 8 hours east at 18 mph. How far from home is he?": not 13 times 18.
fn there_and_back(text: &str, value: &BigRational) -> Option<Misreading> {
    static TURNS: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bturn(?:s|ed)?\s+(?:around|back)\b[\s\S]*\bhow\s+far\b[^.?!]*\bfrom\b")
    });
    if !TURNS.is_match(text) {
        return None;
    }
    let all = values(text);
    let (one, two, speed) = match &all[..] {
        [one, two] => (one, two, BigRational::from(BigInt::from(1))),
        [one, two, speed] => (one, two, speed.clone()),
        _ => return None,
    };
    (*value == (one + two) * &speed).then(|| Misreading {
        why: "the way back may have been added to the way there",
        other: Some((one - two).abs() * speed),
    })
}

/// "Twice a month he drives 2 hours there at 70 mph. How many miles a month, round trip?": both trips, both ways.
fn every_trip(text: &str, value: &BigRational) -> Option<Misreading> {
    static OFTEN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:twice|([0-9]+)\s+(?:times|days|trips))\s+(?:a|per|each|every)\s+(?:day|week|month|year)\b",
        )
    });
    let often = OFTEN
        .captures(text)
        .filter(|_| text.contains("round trip"))?;
    let two = || BigRational::from(BigInt::from(2));
    let (mut all, one) = (values(text), BigRational::from(BigInt::from(1)));
    if often.get(1).is_none() {
        // "Twice" is no digit.
        all.push(two());
    }
    let whole = all.iter().fold(two(), |product, one| product * one);
    let is_part = all.iter().any(|part| *part != one && value * part == whole);
    (is_part && *value != whole).then_some(Misreading {
        why: "one of several trips, or one way of two, may have been left out",
        other: Some(whole),
    })
}

/// "How many pairs of legs?" of animals that are given with their legs: models count legs.
fn in_pairs(text: &str) -> Option<Misreading> {
    let (before, _) = text.split_once("how many pairs")?;
    (!before.contains("pair")).then_some(Misreading {
        why: "pairs are asked for, and the question counts single ones",
        other: None,
    })
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

fn integer(number: i64) -> BigRational {
    BigRational::from(BigInt::from(number))
}

/// The numbers of a text, in their order.
fn values(text: &str) -> Vec<BigRational> {
    let found = number::numbers(text).into_iter();
    found.map(|found| found.value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_is_only_described_still_counts() {
        let torn = "Mara had 12 maps, and 5 were torn. Leo gave her 20 new maps. How many maps does Mara have now?";
        assert_eq!(other(torn, 27), Some(Some(32)));
        assert_eq!(other(torn, 32), None);
        let good =
            "Mara had 12 maps, and 5 were torn. Leo gave her 20. How many maps are not torn?";
        assert_eq!(other(good, 27), None);
        let coupon = "Ana paid 15 dollars for tea, after a 4 dollar coupon, and 10 for milk. How much did she spend?";
        assert_eq!(other(coupon, 21), Some(Some(25)));
    }

    #[test]
    fn trips_and_pairs() {
        let back = "Zoe walks north for 7 miles, then turns around and walks 3 miles. How far is she from the start?";
        assert_eq!(other(back, 10), Some(Some(4)));
        assert_eq!(other(back, 4), None);
        let trip = "Bo visits 3 times a month. The round trip is at 60 mph, 2 hours each way. How many miles a month?";
        assert_eq!(other(trip, 240), Some(Some(720)));
        assert_eq!(other(trip, 720), None);
        let twice = "Twice a month Bo drives 2 hours at 70 mph to see Al. How many miles a month, round trip?";
        assert_eq!(other(twice, 280), Some(Some(560)));
        assert_eq!(other(twice, 560), None);
        let legs = "A shed has 4 cows with 4 legs each. How many pairs of legs are in the shed?";
        assert_eq!(other(legs, 16), Some(None));
        let shoes = "A pair of shoes costs 20. How many pairs can she buy for 100?";
        assert_eq!(other(shoes, 5), None);
    }
}
