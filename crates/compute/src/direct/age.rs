//! Ages: so many times as old, so many years older, and how old two people are together.

use super::{
    Computed,
    frame::whole,
    ratio::{Ratio, part, whole as number},
    show,
    text::Reading,
};
use num_traits::Signed;

/// What a question about ages comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    if !reading.canon.contains("how old") {
        return None;
    }
    times_as_old(reading)
        .or_else(|| older(reading))
        .or_else(|| together(reading))
}

/// Whether a question names the person that `other` is: by name, or as "he" or "she".
fn means(asked: &str, other: &str, first: &str) -> bool {
    asked == other || ["she", "he"].contains(&asked) && first != asked
}

/// Whether what somebody is compared with is the first person, and no third one.
fn compares(with: Option<&str>, first: &str) -> bool {
    with.is_none_or(|with| with == first || ["him", "her", "me"].contains(&with))
}

/// "Tom is 12, his sister is twice as old. How old is she?", "dad is 3 times my age and I am 14".
fn times_as_old(reading: &Reading) -> Option<Computed> {
    let (known, factor, asked) = if let Some(found) = whole(
        reading,
        r"([a-z]+) (?:is|am) N(?: years?)?(?: old)?(?: ,| [.]| and)+ (?:her )?
          ([a-z]+) is (twice|half|double|N times)(?: as old| age)
          (?: as ([a-z]+))? ?[.,]? ?how old is ([a-z]+)",
    ) {
        let (first, other, asked) = (found.word(1)?, found.word(3)?, found.word(7)?);
        if !means(asked, other, first) || !compares(found.word(6), first) {
            return None;
        }
        let factor = match found.word(4)? {
            "half" => part(1, 2),
            "twice" | "double" => number(2),
            _ => found.value(5)?,
        };
        (found.value(2)?, factor, found.item(2)?)
    } else {
        let found = whole(
            reading,
            r"([a-z]+) is (twice|half|double|N times)
              (?: age| as old as (?:me|i am|i)) (?:and|,|[.]) i am N(?: years?)?
              (?: old)? ?[.,]? ?how old is ([a-z]+)",
        )?;
        if found.word(1)? != found.word(5)? {
            return None;
        }
        let factor = match found.word(2)? {
            "half" => part(1, 2),
            "twice" | "double" => number(2),
            _ => found.value(3)?,
        };
        (found.value(4)?, factor, found.item(4)?)
    };
    let how = format!("{} × {}", asked.written, show::exact_text(&factor));
    whole_years(reading, known * factor, how)
}

/// "Anna is 30, her brother is 4 years younger. How old is he?"
fn older(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"([a-z]+) (?:is|am) N(?: years?)?(?: old)?(?: ,| [.]| and)+ (?:her )?
          ([a-z]+) is N(?: years?)? (older|younger)
          (?: than ([a-z]+))? ?[.,]? ?how old is ([a-z]+)",
    )?;
    let first = found.word(1)?;
    if !means(found.word(7)?, found.word(3)?, first) || !compares(found.word(6), first) {
        return None;
    }
    let (known, gap) = (found.value(2)?, found.value(4)?);
    let (value, sign) = match found.word(5)? {
        "older" => (&known + &gap, '+'),
        _ => (&known - &gap, '-'),
    };
    let how = format!(
        "{} {sign} {}",
        show::exact_text(&known),
        show::exact_text(&gap)
    );
    whole_years(reading, value, how)
}

/// "Anna is 5 years older than Ben, together they are 31. How old is Ben?"
fn together(reading: &Reading) -> Option<Computed> {
    let found = whole(
        reading,
        r"([a-z]+) is N(?: years?)? (older|younger) than ([a-z]+)(?: ,| [.]| and)+ (?:
            together they are|they are together|ages add up to|sum of ages is
          ) N(?: years?)?(?: old)?(?: together)? ?[.,]? ?how old is ([a-z]+)",
    )?;
    let (one, other, asked) = (found.word(1)?, found.word(4)?, found.word(6)?);
    let (gap, sum) = (found.value(2)?, found.value(5)?);
    let asks_older = match (asked == one, asked == other) {
        (true, false) => found.word(3)? == "older",
        (false, true) => found.word(3)? == "younger",
        _ => return None,
    };
    let value = if asks_older { &sum + &gap } else { &sum - &gap } / number(2);
    let how = format!(
        "({} {} {}) / 2",
        show::exact_text(&sum),
        if asks_older { '+' } else { '-' },
        show::exact_text(&gap)
    );
    whole_years(reading, value, how)
}

/// An age that a person can have; anything else means that the question was read wrongly.
fn whole_years(reading: &Reading, value: Ratio, how: String) -> Option<Computed> {
    (value.is_integer() && value.is_positive() && value < number(150))
        .then(|| show::quantity(reading, value, "years", how))?
}
