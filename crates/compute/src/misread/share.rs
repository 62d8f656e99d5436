//! Misreadings of shares: percentages that are added, a share of the rest taken of the whole, a percentage of what it is
//! already in, a difference taken off a sum, somebody who shares with others and is not counted.
//!
//! Called by `misreading`, with the question in lower case and its number words as digits.

use super::{Misreading, integer, values};
use crate::pattern::regex;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// More shares and numbers than this are a table, not a question.
const MOST: usize = 12;

/// The misreadings of this file.
pub(super) fn find(text: &str, value: &BigRational) -> Option<Misreading> {
    percent_after_percent(text, value)
        .or_else(|| of_the_rest(text, value))
        .or_else(|| already_in(text, value))
        .or_else(|| difference_off_a_sum(text, value))
        .or_else(|| half_the_age(text, value))
        .or_else(|| with_others(text, value))
}

/// "It falls by 20 % and then rises by 25 %": the second is a share of something else than the first.
fn percent_after_percent(text: &str, value: &BigRational) -> Option<Misreading> {
    static THEN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:then|again|another|additional|additionally|further|afterwards|later|next|followed|second|extra|on top|reduced price|sale price)\b",
        )
    });
    let percents = percents(text);
    let (Some(p), Some(q), true) = (percents.first(), percents.get(1), percents.len() == 2) else {
        return None;
    };
    if !THEN.is_match(text) || text.contains("percentage point") {
        return None;
    }
    let (mut is_sum, mut is_chain) = (false, false);
    let numbers = values(text);
    for (p, q) in [
        (p.clone(), q.clone()),
        (-p, -q),
        (p.clone(), -q),
        (-p, q.clone()),
    ] {
        let one = BigRational::one();
        let (sum, chain) = (&p + &q, (&one + &p) * (&one + &q) - &one);
        let says = |change: &BigRational| {
            let percent = change * integer(100);
            let grown = |number: &BigRational| number * (&one + change);
            *value == percent.abs()
                || *value == &percent + integer(100)
                || numbers
                    .iter()
                    .take(MOST)
                    .any(|number| *value == grown(number))
        };
        is_sum |= says(&sum);
        is_chain |= says(&chain);
    }
    (is_sum && !is_chain).then_some(Misreading {
        why: "one percentage after another may have been added, though each is of another amount",
        other: None,
    })
}

/// "A third are red, half of the rest is blue": half of two thirds.
fn of_the_rest(text: &str, value: &BigRational) -> Option<Misreading> {
    static REST: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bof\s+(?:the\s+|those\s+|what\s+(?:is|was|are|remained|remains)\s*)?(?:rest|remainder|remaining|left|leftover)\b
              |\bof\s+what(?:'|’)s\s+left\b",
        )
    });
    let rest = REST.find(text)?;
    let before: Vec<BigRational> = shares(&text[..rest.start()]);
    let [.., p, q] = &before[..] else { return None };
    let one = BigRational::one();
    let kept = &one - p;
    let numbers = values(text);
    let wholes = || numbers.iter().take(MOST).filter(|number| **number > one);
    let wrong = |total: &BigRational| *value == total * (&kept - q) || *value == total * q;
    let right = |total: &BigRational| {
        let part = total * &kept * q;
        *value == part || *value == total * &kept - part || *value == total * (&one - &kept * q)
    };
    (wholes().any(wrong) && !wholes().any(right) && !value.is_zero()).then_some(Misreading {
        why: "a share of the rest may have been taken of the whole",
        other: None,
    })
}

/// "86.40 including 20 % VAT: how much of that is VAT?" and "69.30 after 30 % off: what was the original price?": the
/// percentage is of the amount before, which is not in the question.
fn already_in(text: &str, value: &BigRational) -> Option<Misreading> {
    static INCLUDED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:including|includes?|incl|inclusive\s+of)\b[^?!]{0,30}?(?:%|percent\b|per\s+cent\b)\s*
              (?:sales\s+)?(?:vat|tax|gst|service\s+charge|duty)\b
            |(?:%|percent\b|per\s+cent\b)\s*(?:sales\s+)?(?:vat|tax|gst|service\s+charge|duty)\s+(?:is\s+|was\s+)?included\b",
        )
    });
    static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bwhat\s+(?:is|was|were)\s+(?:the|its|his|her|their|my|our)\s+
                (?:original|initial|regular|old|previous|full|list|starting)\b
            |\b(?:originally|initially|before\s+(?:the\s+|that\s+)?
                (?:discount|sale|increase|raise|rise|reduction|markdown|cut))\s*\?",
        )
    });
    let shares = percents(text);
    let [share] = &shares[..] else { return None };
    let is_in = INCLUDED.is_match(text) && !text.contains("plus ");
    if !is_in && !BEFORE.is_match(text) {
        return None;
    }
    let one = BigRational::one();
    let near = |a: &BigRational, b: &BigRational| (a - b).abs() * integer(100) < one;
    let numbers = values(text);
    for amount in numbers.iter().take(MOST) {
        let grown = amount / (&one + share);
        let shrunk = (*share < one).then(|| amount / (&one - share));
        let tax = amount - &grown;
        let right = [&grown, &tax].into_iter().chain(&shrunk);
        if right.into_iter().any(|right| near(value, right)) {
            return None;
        }
        let wrong = match is_in {
            true => vec![(amount * share, tax), (amount * (&one - share), grown)],
            false => {
                let shrunk = shrunk.unwrap_or_else(|| grown.clone());
                vec![
                    (amount * (&one + share), shrunk),
                    (amount * (&one - share), grown),
                ]
            }
        };
        if let Some((_, meant)) = wrong.into_iter().find(|(wrong, _)| near(value, wrong)) {
            return Some(Misreading {
                why: "the percentage may have been taken of an amount that it is already in",
                other: Some(meant),
            });
        }
    }
    None
}

/// "Together 110, the one 100 more than the other": not 100 and 10.
fn difference_off_a_sum(text: &str, value: &BigRational) -> Option<Misreading> {
    static MORE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"([0-9][0-9,.]*)\s*(?:[a-z]+\s+){0,2}(?:more|fewer|less|longer|older|taller|heavier|shorter|younger|bigger)\b(?:\s+[a-z]+){0,2}\s+than\b",
        )
    });
    static TOTAL: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:together|in all|in total|altogether|total|sum|add up|between|both|combined|divide)\b",
        )
    });
    let difference = values(&MORE.captures(text)?[1]).pop()?;
    let all = values(text);
    let [a, b] = &all[..] else { return None };
    let total = if *a == difference { b } else { a };
    if !TOTAL.is_match(text) || total <= &difference {
        return None;
    }
    let meant = (total - &difference) / integer(2);
    let wrong = [total - &difference, total / integer(2) - &difference];
    let asks_total = text.contains("how many more") || text.contains("how much more");
    (wrong.contains(value) && *value != meant && !asks_total).then_some(Misreading {
        why: "a difference may have been taken off a sum that holds it only once",
        other: Some(meant),
    })
}

/// "When I was 6 she was half my age. Now I am 40. How old is she?": 37, not 20.
fn half_the_age(text: &str, value: &BigRational) -> Option<Misreading> {
    static HALF: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\bwhen\s+[a-z]+\s+was\s+([0-9]+)\b[^.?!]*\bhalf\b[^.?!]*\b(?:age|old)\b")
    });
    let then = values(&HALF.captures(text)?[1]).pop()?;
    let numbers = values(text);
    let now = numbers
        .iter()
        .find(|now| value * integer(2) == **now && **now != then)?;
    Some(Misreading {
        why: "a difference of ages stays, half an age does not",
        other: Some(now - then / integer(2)),
    })
}

/// "Ana has 4 roommates. They split a bill of 100 equally. What does each pay?": five of them pay.
fn with_others(text: &str, value: &BigRational) -> Option<Misreading> {
    static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:has|have|and(?:\s+(?:her|his|their|my|our))?|with(?:\s+(?:her|his|their|my|our))?)\s+([0-9]+)\s+(?:other\s+)?
              (?:roommates|housemates|flatmates|friends|siblings|brothers|sisters|cousins|coworkers|colleagues|classmates)\b",
        )
    });
    static EQUALLY: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:split|splits|splitting|divide|divides|divided|share|shares|shared|sharing)\b[^.?!]*\b(?:equally|evenly|equal)\b
            | \b(?:equally|evenly)\s+(?:split|divide[sd]?|share[sd]?)\b",
        )
    });
    // Whoever gives all away is no sharer, nor is a family that has three brothers.
    static AWAY: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:among|amongst|between|to\s+each|gives?|gave|inherit\w*|left\s+them|group|team|famil(?:y|ies)|house|apartment|flat|company|class)\b",
        )
    });
    if !EQUALLY.is_match(text) || AWAY.is_match(text) {
        return None;
    }
    let others = values(&OTHERS.captures(text)?[1]).pop()?;
    let all = &others + BigRational::one();
    let numbers = values(text);
    let given: Vec<&BigRational> = numbers.iter().filter(|one| **one != others).collect();
    if given.is_empty() || given.len() > MOST {
        return None;
    }
    let mut totals = vec![given.iter().copied().sum(), given.iter().copied().product()];
    totals.extend(given.into_iter().cloned());
    // A month's bill, asked for by the year.
    let by_year: Vec<BigRational> = totals.iter().map(|one| one * integer(12)).collect();
    totals.extend(by_year);
    let is_right = totals.iter().any(|total| *value == total / &all);
    let total = totals.iter().find(|total| **total == value * &others)?;
    (!is_right && !value.is_zero()).then(|| Misreading {
        why: "whoever shares with others may have been left out",
        other: Some(total / &all),
    })
}

/// The percentages of a text, as shares.
fn percents(text: &str) -> Vec<BigRational> {
    static PERCENT: LazyLock<Regex> =
        LazyLock::new(|| regex(r"([0-9][0-9,.]*)\s*(?:%|percent\b|per cent\b)"));
    let found = PERCENT.captures_iter(text).take(MOST);
    let found = found.filter_map(|found| values(&found[1]).pop());
    found.map(|percent| percent / integer(100)).collect()
}

/// Percentages, fractions and their words, in their order.
fn shares(text: &str) -> Vec<BigRational> {
    static SHARE: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"([0-9][0-9,.]*)\s*(?:%|percent\b|per cent\b)|\b([0-9]{1,3})/([0-9]{1,3})\b
              |\b(?:([0-9]{1,2})\s+)?(hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)\b",
        )
    });
    let share = |found: regex::Captures<'_>| {
        if let Some(percent) = found.get(1) {
            return Some(values(percent.as_str()).pop()? / integer(100));
        }
        if let Some(above) = found.get(2) {
            let (above, below) = (above.as_str().parse().ok()?, found[3].parse::<i64>().ok()?);
            return (below != 0).then(|| integer(above) / integer(below));
        }
        let name = found[5].trim_end_matches('s');
        let names = [
            "half", "third", "quarter", "fifth", "sixth", "eighth", "tenth",
        ];
        let parts = [2, 3, 4, 5, 6, 8, 10];
        let below = match name {
            "halve" => 2,
            "fourth" => 4,
            _ => parts[names.iter().position(|one| *one == name)?],
        };
        let above = found
            .get(4)
            .map_or(Some(1), |above| above.as_str().parse().ok())?;
        Some(integer(above) / integer(below))
    };
    let found = SHARE.captures_iter(text).take(MOST);
    found
        .filter_map(share)
        .filter(|share| *share < BigRational::one())
        .collect()
}
