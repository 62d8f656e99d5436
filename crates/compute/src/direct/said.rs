//! Whether the text of an answer says a computed value.
//!
//! What counts is what the answer gives as its result: numbers that the question already has do not, and where an
//! answer names several results, or rounds more coarsely than anybody asked for, this says neither yes nor no.

use super::{
    Computed, Outcome,
    ratio::{Ratio, decimal, float, whole},
    show::asked_places,
    text::{Item, Reading},
    unit::{Dimension, Unit, convert},
};
use crate::number::{self, Found, Value};
use crate::pattern::regex;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// See [`Computed::is_said`].
pub(super) fn is_said(computed: &Computed, question: &str, answer: &str) -> Option<bool> {
    let plain = cleaned(answer);
    match as_result(computed, question, &plain) {
        Some(true) if is_echo(&plain) => None,
        said => said,
    }
}

/// Whether the only numbers of an answer are those of a sum that it repeats without saying what it comes to: "0 + 0 is
/// an old question" does not say that it is 0.
fn is_echo(plain: &str) -> bool {
    static SUM: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\d[\d.,]*(?:\s*[+*×·]\s*\d[\d.,]*|\s+[-÷]\s+\d[\d.,]*)+(\s*(?:=|≈|is\s+\d|equals|gives|makes|comes))?",
        )
    });
    let mut is_repeated = false;
    let rest = SUM.replace_all(plain, |found: &regex::Captures<'_>| {
        is_repeated |= found.get(1).is_none();
        // What is said to come to something stays, and with it the result.
        match found.get(1) {
            Some(_) => "1",
            None => "",
        }
    });
    is_repeated && !rest.contains(|c: char| c.is_ascii_digit())
}

fn as_result(computed: &Computed, question: &str, plain: &str) -> Option<bool> {
    match &computed.value {
        Outcome::Number { value, unit } => match amount(value, unit, question, plain) {
            Some(true) => Some(true),
            other => in_parts(value, unit, question, plain).or(other),
        },
        Outcome::Money { value, currency } if currency == "cents" => {
            amount(value, "", question, plain)
        }
        Outcome::Money { value, .. } => amount(value, "money", question, plain),
        Outcome::Percent(value) => share(value, question, plain, false),
        Outcome::Probability(value) => share(value, question, plain, true),
        Outcome::Clock { minutes, .. } => clock(*minutes, question, plain),
        Outcome::Date { year, month, day } => date(*year, *month, *day, question, plain),
        Outcome::Weekday(name) => weekday(name, question, plain),
        Outcome::Duration(value) => duration(value, question, plain),
        Outcome::List(values) => list(values, plain),
        Outcome::Solutions(values) => solutions(values, question, plain),
        Outcome::YesNo(yes) => yes_no(*yes, plain),
        Outcome::Word(word) => written(word, plain),
        Outcome::Choice { chosen, others } => choice(computed, chosen, others, plain),
    }
}

/// Without marks of layout and without the 100 of "l/100 km".
fn cleaned(answer: &str) -> String {
    static RATE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"(?i)\b(l|lit(?:er|re)s?)\s*(/|per)\s*100\s*(km|kilomet(?:er|re)s?)")
    });
    static TEX: LazyLock<Regex> = LazyLock::new(|| regex(r"\\frac\{(\d+)\}\{(\d+)\}"));
    let text: String = answer.chars().take(20_000).collect();
    let text = RATE.replace_all(&text, "l/hkm");
    let text = TEX.replace_all(&text, "$1/$2");
    let text = text
        .replace("\\$", "$")
        .replace("\\,", "")
        .replace("\\%", "%")
        .replace("\\text{", " ")
        .replace('−', "-");
    text.replace(['\u{202f}', '\u{a0}'], " ")
}

/// Many claims: all right, all wrong, or neither.
fn verdict(claims: &[Option<bool>]) -> Option<bool> {
    if claims.is_empty() {
        return None;
    }
    if claims.iter().all(|claim| *claim == Some(true)) {
        return Some(true);
    }
    claims
        .iter()
        .all(|claim| *claim == Some(false))
        .then_some(false)
}

fn amount(value: &Value, unit: &str, question: &str, answer: &str) -> Option<bool> {
    let asked = asked_places(question);
    let negative = match value {
        Value::Exact(exact) => exact.is_negative(),
        Value::Float(float) => *float < 0.0,
    };
    static LOSS: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)\b
              (?:
                loss|lose|lost|losing|overdrawn|overdraft|negative|minus|debt|owe|in the red|
                below zero|short|deficit
              )\b",
        )
    });
    let says_loss = LOSS.is_match(answer);
    let claims: Vec<Option<bool>> = number::candidates(question, answer)
        .iter()
        .map(|found| {
            let direct = claim(found, value, unit, answer, asked);
            if direct == Some(false) && negative && says_loss && found.value.is_positive() {
                return claim(
                    &Found {
                        value: -&found.value,
                        ..found.clone()
                    },
                    value,
                    unit,
                    answer,
                    asked,
                );
            }
            direct
        })
        .collect();
    verdict(&claims)
}

/// Whether one number is the value; in another unit of the same kind it is converted first.
fn claim(
    found: &Found,
    value: &Value,
    unit: &str,
    answer: &str,
    asked: Option<usize>,
) -> Option<bool> {
    let behind = answer.get(found.span.end..).unwrap_or("").trim_start();
    let word: String = behind
        .chars()
        .take_while(|c| c.is_alphanumeric() || "/²³°".contains(*c))
        .collect();
    if let (Some(own), Some(other)) = (
        Unit::symbol(unit),
        Unit::named(&word.to_lowercase().replace('²', "2").replace('³', "3")),
    ) && own.symbol != other.symbol
        && own.dimension == other.dimension
    {
        let Value::Exact(exact) = value else {
            return None;
        };
        let turned = Value::Exact(convert(exact, own, other)?);
        return stated(found, &turned, asked);
    }
    let cents = unit == "money"
        && ["cents", "cent", "¢", "pence"]
            .iter()
            .any(|name| behind.starts_with(name));
    match (cents, value) {
        (true, Value::Exact(exact)) => stated(found, &Value::Exact(exact * whole(100)), asked),
        _ => stated(found, value, asked),
    }
}

/// As exact as the value allows, as rounded as asked, or with three digits that count: yes. A coarser rounding:
/// unclear.
fn stated(found: &Found, value: &Value, asked: Option<usize>) -> Option<bool> {
    if found.is_to(value, asked) {
        return Some(true);
    }
    // A fraction is no rounding of anything.
    if found.decimals == 0 && !found.value.is_integer() {
        return Some(false);
    }
    let exact = match value {
        Value::Exact(exact) => exact.clone(),
        Value::Float(float) => Ratio::from_float(*float)?,
    };
    let ten = whole(BigInt::from(10).pow(u32::try_from(found.decimals.min(300)).ok()?));
    let half_step = Ratio::new(1.into(), 2.into()) / &ten;
    let rounding = (&found.value - &exact).abs() <= half_step;
    // A number that has few decimals is said in full or not at all.
    let short = (&exact * whole(100)).is_integer();
    let digits = (&found.value.abs() * &ten).to_integer().to_string().len();
    match (
        rounding,
        short,
        digits >= 3 && found.decimals >= 1 || digits >= 4,
    ) {
        (true, false, true) if asked.is_none() => Some(true),
        (true, ..) => None,
        // "about 2,300" for 2,318.55: nobody can tell whether that is meant as the result.
        _ => {
            let off = float(
                &((&found.value - &exact).abs()
                    / if exact.is_zero() {
                        Ratio::one()
                    } else {
                        exact.abs()
                    }),
            )?;
            if off < 0.02 && found.value.is_integer() && !short {
                None
            } else {
                Some(false)
            }
        }
    }
}

/// Percentages and probabilities: 0.25, 25 %, 1/4, 1 in 4.
fn share(value: &Value, question: &str, answer: &str, probability: bool) -> Option<bool> {
    let exact = match value {
        Value::Exact(exact) => exact.clone(),
        Value::Float(float) => Ratio::from_float(*float)?,
    };
    let hundredfold = match value {
        Value::Exact(exact) => Value::Exact(exact * whole(100)),
        Value::Float(float) => Value::Float(float * 100.0),
    };
    static ONE_IN: LazyLock<Regex> = LazyLock::new(|| regex(r"\b1 (?:in|out of|to) ([\d,]+)"));
    if probability && let Some(found) = ONE_IN.captures_iter(answer).last() {
        let below: BigInt = found[1].replace(',', "").parse().ok()?;
        return Some(exact == Ratio::new(1.into(), below));
    }
    let asked = asked_places(question);
    let places = asked.or(Some(1));
    let claims: Vec<Option<bool>> = number::candidates(question, answer)
        .iter()
        .map(|found| {
            let behind = answer.get(found.span.end..).unwrap_or("").trim_start();
            let percent = behind.starts_with('%')
                || behind.to_lowercase().starts_with("percent")
                || behind.starts_with("per cent");
            if percent || !probability {
                let one = found.is_to(&hundredfold, asked)
                    || found.decimals >= 1
                        && found.is_to(
                            &hundredfold,
                            places.map(|places| places.min(found.decimals)),
                        );
                // A plain number next to a percentage asked for: 0.25 for 25 %.
                let plain = !percent && found.is_to(value, None);
                return if one || plain {
                    Some(true)
                } else {
                    stated(found, &hundredfold, asked)
                };
            }
            let good = found.is_to(value, None)
                || found.decimals >= 3 && found.is_to(value, Some(found.decimals));
            if good {
                Some(true)
            } else {
                stated(found, value, None)
            }
        })
        .collect();
    verdict(&claims)
}

/// Values of a kind that the answer has and the question has not.
fn new_items(question: &str, answer: &str, kinds: &str) -> Vec<Item> {
    let given = Reading::new(question).map_or_else(Vec::new, |reading| reading.items);
    let short: String = answer
        .chars()
        .rev()
        .take(1900)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let Some(reading) = Reading::new(&short) else {
        return Vec::new();
    };
    let kept: Vec<Item> = reading
        .items
        .into_iter()
        .filter(|item| kinds.contains(item.kind))
        .collect();
    let known = |item: &Item| {
        given.iter().any(|other| {
            other.kind == item.kind && other.base() == item.base() && other.day == item.day
        })
    };
    let new: Vec<Item> = kept.iter().filter(|item| !known(item)).cloned().collect();
    // An answer may only repeat a value of the question: then that is its result.
    if new.is_empty() { kept } else { new }
}

fn clock(minutes: u16, question: &str, answer: &str) -> Option<bool> {
    let items = new_items(question, answer, "C");
    let lower = answer.to_lowercase();
    let half = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let claims: Vec<Option<bool>> = items
        .iter()
        .map(|item| {
            if item.value == whole(minutes) {
                return Some(true);
            }
            let later = &item.value + whole(720);
            if !item.sure && later == whole(minutes) {
                return half(&["afternoon", "evening", "p.m", " pm", "night"]).then_some(true);
            }
            Some(false)
        })
        .collect();
    verdict(&claims)
}

fn date(year: Option<i16>, month: u8, day: u8, question: &str, answer: &str) -> Option<bool> {
    let items = new_items(question, answer, "D");
    let claims: Vec<Option<bool>> = items
        .iter()
        .map(|item| item.day.map(|found| found.is(year, month, day)))
        .collect();
    verdict(&claims)
}

fn weekday(name: &str, question: &str, answer: &str) -> Option<bool> {
    const ALL: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let (lower, asked) = (answer.to_lowercase(), question.to_lowercase());
    let named: Vec<&str> = ALL
        .into_iter()
        .filter(|day| lower.contains(day) && !asked.contains(day))
        .collect();
    match named.as_slice() {
        [one] => Some(one.eq_ignore_ascii_case(name)),
        [] if lower.contains(&name.to_lowercase()) => None,
        _ => None,
    }
}

fn duration(value: &Value, question: &str, answer: &str) -> Option<bool> {
    let Value::Exact(seconds) = value else {
        return None;
    };
    let claims: Vec<Option<bool>> = new_items(question, answer, "TC")
        .iter()
        .map(|item| {
            if item.kind == 'C' {
                // "7:55" for 7 h 55 min, "5:15" for 5 min 15 s.
                return Some(&item.value * whole(60) == *seconds || &item.value == seconds);
            }
            let off = (item.base() - seconds).abs();
            if off.is_zero() {
                return Some(true);
            }
            let first = item.written.split(' ').next().unwrap_or("");
            let decimals = first.split_once('.').map_or(0, |(_, after)| after.len());
            let step = item.unit.map_or_else(Ratio::one, Unit::size)
                / whole(BigInt::from(10).pow(u32::try_from(decimals.min(20)).unwrap_or(0)));
            let close = off <= step / whole(2);
            match (close, decimals >= 2 || !seconds.is_integer()) {
                (true, true) => Some(true),
                (true, false) => None,
                _ => Some(false),
            }
        })
        .collect();
    if claims.is_empty() {
        return bare_duration(seconds, question, answer);
    }
    verdict(&claims)
}

/// "6 hours and 35 minutes" where so many hours were asked for: true if every time that the answer names is this one.
fn in_parts(value: &Value, unit: &str, question: &str, answer: &str) -> Option<bool> {
    let unit = Unit::symbol(unit).filter(|unit| unit.dimension == Dimension::Time)?;
    let Value::Exact(exact) = value else {
        return None;
    };
    let seconds = exact * unit.size();
    let named = new_items(question, answer, "TC");
    let same = |item: &Item| item.kind == 'T' && item.base() == seconds;
    if named.is_empty() || !named.iter().all(same) {
        return None;
    }
    // No other number may be the result: only the hours, minutes and seconds of this time.
    let (hour, minute) = (whole(3600), whole(60));
    let hours = (&seconds / &hour).floor();
    let rest = &seconds - &hours * hour;
    let minutes = (&rest / &minute).floor();
    let parts = [hours, minutes.clone(), rest - minutes * minute];
    let claims = number::candidates(question, answer);
    let inside = |found: &Found| parts.contains(&found.value);
    claims.iter().all(inside).then_some(true)
}

/// "3.5" for three and a half hours: a number without a unit is one of the usual units, or wrong.
fn bare_duration(seconds: &Ratio, question: &str, answer: &str) -> Option<bool> {
    let claims: Vec<Option<bool>> = number::candidates(question, answer)
        .iter()
        .map(|found| {
            let mut units = [1, 60, 3600, 86_400].into_iter();
            let is_it = |unit: i32| found.is(Value::Exact(seconds / whole(unit)));
            Some(units.any(is_it))
        })
        .collect();
    verdict(&claims)
}

fn list(values: &[Value], answer: &str) -> Option<bool> {
    let found = number::numbers(answer);
    let last = found.get(found.len().checked_sub(values.len())?..)?;
    if last
        .iter()
        .zip(values)
        .all(|(found, value)| found.is_to(value, None))
    {
        return Some(true);
    }
    let all_there = values
        .iter()
        .all(|value| last.iter().any(|found| found.is_to(value, None)));
    all_there.then_some(false)
}

fn solutions(values: &[Value], question: &str, answer: &str) -> Option<bool> {
    let given = number::numbers(question);
    let tail = answer
        .lines()
        .rev()
        .find(|line| !number::numbers(line).is_empty())?;
    let found = number::numbers(tail);
    let hits = |value: &Value| found.iter().any(|one| one.is_to(value, None));
    let right = |one: &Found| values.iter().any(|value| one.is_to(value, None));
    let foreign = found
        .iter()
        .filter(|one| !right(one) && !given.iter().any(|known| known.value == one.value))
        .count();
    match (values.iter().all(hits), foreign) {
        (true, 0) => Some(true),
        (false, 1..) if found.len() >= values.len() && !values.iter().any(hits) => Some(false),
        _ => None,
    }
}

fn yes_no(yes: bool, answer: &str) -> Option<bool> {
    let first = answer
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    let word: String = first.chars().take_while(|c| c.is_alphabetic()).collect();
    match word.as_str() {
        "yes" | "yep" | "yeah" | "correct" => Some(yes),
        "no" | "nope" => Some(!yes),
        _ => None,
    }
}

/// Whether an answer ends in this fraction or mixed number. The same value in other terms, 6/16 for 3/8, is unclear.
fn fraction(wanted: &str, answer: &str) -> Option<bool> {
    static FRACTION: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?:\b(\d{1,9}) )?\b(\d{1,9})/(\d{1,9})\b"));
    let value = |found: &Captures<'_>| {
        let part = |group: usize| {
            let digits = found.get(group).map_or("0", |part| part.as_str());
            decimal(digits)
        };
        (!part(3).is_zero()).then(|| part(1) + part(2) / part(3))
    };
    let last = FRACTION.captures_iter(answer).last()?;
    if &last[0] == wanted {
        return Some(true);
    }
    let same = value(&last) == value(&FRACTION.captures(wanted)?);
    (!same).then_some(false)
}

fn written(word: &str, answer: &str) -> Option<bool> {
    if word.contains('/') {
        return fraction(word, answer);
    }
    let wanted = word.to_lowercase();
    let lower = answer.to_lowercase();
    let tokens: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(str::to_owned)
        .collect();
    let same = |token: &String| {
        *token == wanted
            || token
                .trim_start_matches("0x")
                .trim_start_matches("0b")
                .trim_start_matches("0o")
                .trim_start_matches('0')
                == wanted
    };
    // Letter by letter: "p-o-p-i".
    let mut spelled = String::new();
    for token in &tokens {
        if token.chars().count() == 1 {
            spelled.push_str(token);
        } else {
            spelled.push(' ');
        }
    }
    let letters = wanted.chars().count() > 1 && spelled.split(' ').any(|run| run == wanted);
    if tokens.iter().any(same) || letters {
        return Some(true);
    }
    (tokens.len() <= 8 && wanted.chars().count() > 1).then_some(false)
}

fn choice(computed: &Computed, chosen: &str, others: &[String], answer: &str) -> Option<bool> {
    const UP: &[&str] = &[
        "larger", "bigger", "greater", "higher", "more", "longer", "heavier", "faster", "hotter",
    ];
    const DOWN: &[&str] = &[
        "smaller", "less", "lower", "shorter", "lighter", "slower", "colder",
    ];
    const CHEAP: &[&str] = &["cheaper", "better", "best", "lower"];
    let words = if computed.text.contains("cheaper") {
        CHEAP
    } else if DOWN.iter().any(|word| computed.text.contains(word)) {
        DOWN
    } else if UP.iter().any(|word| computed.text.contains(word)) {
        UP
    } else {
        return None;
    };
    let squeezed = |text: &str| text.to_lowercase().replace([' ', '*', '$', '\u{a0}'], "");
    let (chosen, others): (String, Vec<String>) = (
        squeezed(chosen),
        others.iter().map(|other| squeezed(other)).collect(),
    );
    let mut claims = Vec::new();
    for sentence in answer.split(['\n', ';']).flat_map(|line| line.split(". ")) {
        if !words
            .iter()
            .any(|word| sentence.to_lowercase().contains(word))
            || sentence.to_lowercase().contains("not ")
        {
            continue;
        }
        let text = squeezed(sentence);
        let first = text.find(chosen.as_str());
        let other = others
            .iter()
            .filter_map(|other| text.find(other.as_str()))
            .min();
        claims.push(match (first, other) {
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            (Some(first), Some(other)) if text.contains("than") => Some(first < other),
            _ => None,
        });
    }
    verdict(&claims)
}
