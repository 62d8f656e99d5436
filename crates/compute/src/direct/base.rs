//! Notations: hexadecimal, binary, octal and any base, Roman numerals, decimals as fractions.

use super::{
    Computed,
    ratio::{Ratio, decimal},
    show, spelling,
    text::Reading,
};
use crate::pattern::{first, regex};
use num_bigint::BigInt;
use num_traits::{Num, One, ToPrimitive, Zero};
use regex::Regex;
use std::sync::LazyLock;

/// A number in another notation.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^
              (?:
                (?:
                  please|hey|hi|ok|so|can you|could you|tell me|convert|write|express|give me|
                  show me|translate|change|what does|what is|what's|whats|what would|what number is|
                  which number is|how do you write|how do i write|how is|how much is|value of|
                  decimal value of|decimal equivalent of|decimal form of|the|number|calculate
                )[,:!]?\s+
              )*",
        )
    });
    let lower = reading.original.to_lowercase().replace('’', "'");
    let text = LEAD.replace(lower.trim(), "");
    let text = spelling::without_thanks(&text)
        .replace('→', " to ")
        .replace("->", " to ");
    let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
    let asks_number = lower.contains("what number is")
        || lower.contains("which number is")
        || lower.contains("what does");
    roman_sum(text)
        .or_else(|| roman(reading, text, asks_number))
        .or_else(|| inscription(reading, text))
        .or_else(|| to_roman(reading, text))
        .or_else(|| from_base(reading, text))
        .or_else(|| to_base(text))
        .or_else(|| to_fraction(text))
        .or_else(|| mixed(text))
}

const DIGITS: [(u32, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// The Roman numeral of 1 to 3999.
fn to_numeral(mut value: u32) -> Option<String> {
    if !(1..4000).contains(&value) {
        return None;
    }
    let mut out = String::new();
    for (size, sign) in DIGITS {
        while value >= size {
            out.push_str(sign);
            value -= size;
        }
    }
    Some(out)
}

/// The value of a Roman numeral in its one right spelling.
fn from_numeral(text: &str) -> Option<u32> {
    let upper = text.to_uppercase();
    let mut rest = upper.as_str();
    let mut value = 0;
    for (size, sign) in DIGITS {
        while let Some(next) = rest.strip_prefix(sign) {
            value += size;
            rest = next;
        }
    }
    (rest.is_empty() && to_numeral(value)? == upper).then_some(value)
}

/// "XIX plus XXIV in roman numerals"
fn roman_sum(text: &str) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^([ivxlcdm]+) ?(plus|\+|minus|-|times|x|\*|×) ?([ivxlcdm]+)
              (?: (?:in|as) roman(?: numerals?| numbers?)?)$",
        )
    });
    let found = PATTERN.captures(text)?;
    let (a, b) = (from_numeral(&found[1])?, from_numeral(&found[3])?);
    let value = match &found[2] {
        "plus" | "+" => a.checked_add(b)?,
        "minus" | "-" => a.checked_sub(b)?,
        _ => a.checked_mul(b)?,
    };
    show::word(to_numeral(value)?, format!("{a} {} {b}", &found[2]))
}

fn roman(reading: &Reading, text: &str, asks_number: bool) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:(?:the )?roman numerals? )?([ivxlcdm]+)
              (?: (?:in|to|as|into|from roman(?: numerals?)? to|stand for|mean)? ?(?:an? |the )?
                (?:
                  arabic|decimal|numbers?|digits|normal numbers?|regular numbers?|
                  arabic numerals?|arabic numbers?|a number|modern numbers?|ordinary numbers?|
                  roman numerals?
                )?(?: numerals?)?
              )?$",
        )
    });
    let found = PATTERN.captures(text)?;
    let numeral = &found[1];
    let value = from_numeral(numeral)?;
    // "mix" and "I" are words: a numeral alone needs its own words or capitals.
    let named = text.contains("roman")
        || asks_number
        || text.contains("number")
        || text.contains("arabic")
        || text.contains("decimal")
        || text.contains("digits");
    let capitals = reading.original.contains(&numeral.to_uppercase()) && numeral.len() >= 3;
    if !(named && (numeral.len() >= 2 || text.contains("roman")) || capitals) {
        return None;
    }
    show::number(
        reading,
        BigInt::from(value),
        format!("{} in Roman numerals", numeral.to_uppercase()),
    )
}

/// "There's MDCCXLIV carved over the door, what year is that?": so many letters in capitals are no word.
fn inscription(reading: &Reading, text: &str) -> Option<Computed> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:what|which) (?:year|number) (?:is|was|does|would) (?:that|this|it)
              (?: be| mean| stand for| represent| say)?$",
        )
    });
    let words = reading
        .original
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() >= 4 && word.chars().all(|c| "IVXLCDM".contains(c)));
    let [numeral] = words.collect::<Vec<_>>()[..] else {
        return None;
    };
    if !ASKED.is_match(text) || reading.original.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let how = format!("{numeral} in Roman numerals");
    show::number(reading, BigInt::from(from_numeral(numeral)?), how)
}

fn to_roman(reading: &Reading, text: &str) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^
              (?:
                (?:the )?(?:year |number )?(\d{1,4}|\d,\d{3})
                  (?: (?:in|to|as|into|using|with) (?:a )?roman(?: numerals?| numbers?| digits)?)|
                (?:the )?roman (?:numerals?|numbers?) (?:for|of) (?:the )?(?:year |number )?
                  (\d{1,4}|\d,\d{3})
              )$",
        )
    });
    let _ = reading;
    let found = PATTERN.captures(text)?;
    let digits = found
        .get(1)
        .or_else(|| found.get(2))?
        .as_str()
        .replace(',', "");
    let value = digits.parse().ok()?;
    show::word(to_numeral(value)?, format!("{value} in Roman numerals"))
}

fn base_named(word: &str) -> Option<u32> {
    match word {
        "hex" | "hexadecimal" | "0x" => Some(16),
        "binary" | "bin" | "0b" => Some(2),
        "octal" | "oct" | "0o" => Some(8),
        "decimal" | "denary" => Some(10),
        "base two" => Some(2),
        "base eight" => Some(8),
        "base ten" => Some(10),
        "base sixteen" => Some(16),
        // "Normal numbers", "an ordinary number".
        plain if plain.contains("number") => Some(10),
        other => other
            .strip_prefix("base ")?
            .trim()
            .parse()
            .ok()
            .filter(|base| (2..=36).contains(base)),
    }
}

const NAME: &str = r"
    (
      hex|hexadecimal|binary|bin|octal|oct|decimal|denary|
      (?:normal|ordinary|regular) numbers?|
      base (?:\d{1,2}|two|eight|ten|sixteen)
    )
    (?: number| system| notation| form| code)?";

fn from_base(reading: &Reading, text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<[Regex; 4]> = LazyLock::new(|| {
        [
            format!(
                r"^(?:the )?{NAME} (?:number |value )?(?:0[xbo])?([0-9a-z]+)
                  (?: (?:in|to|as|into) (?:a )?{NAME})?$"
            ),
            format!(
                r"^(?:the )?(?:number )?(?:0[xbo])?([0-9a-z]+) (?:in |from |\(?)?
                  {NAME}\)? (?:in|to|as|into) (?:a )?{NAME}$"
            ),
            format!(r"^(0[xbo])([0-9a-f]+)(?: (?:in|to|as|into) (?:a )?{NAME})?$"),
            r"^([01]{3,64}) (?:in|to|as|into) (decimal)(?: number| system| notation| form)?()$"
                .to_owned(),
        ]
        .map(|pattern| regex(&pattern))
    });
    let (which, found) = first(PATTERNS.iter(), text)?;
    let group = |i: usize| found.get(i).map_or("", |part| part.as_str());
    let (from, digits, to) = match which {
        0 | 2 => (base_named(group(1))?, group(2), group(3)),
        1 => (base_named(group(2))?, group(1), group(3)),
        _ => (2, group(1), "decimal"),
    };
    let to = if to.is_empty() { 10 } else { base_named(to)? };
    if digits.len() > 300 || from == to || from == 10 && which == 0 && to == 10 {
        return None;
    }
    let value = BigInt::from_str_radix(digits, from).ok()?;
    let how = format!("{} in base {from}", digits.to_uppercase());
    if to == 10 {
        return show::number(reading, value, how);
    }
    show::word(
        value.to_str_radix(to).to_uppercase(),
        format!("{how} as base {to}"),
    )
}

fn to_base(text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
        [
            format!(
                r"^(?:the )?(?:decimal )?(?:number )?([\d,]+)
                  (?: (?:decimal|in decimal|from decimal))? (?:in|to|as|into|using) (?:a |an )?
                  {NAME}(?: be| look like)?$"
            ),
            format!(
                r"^(?:the )?{NAME} (?:representation |form |value |equivalent )?
                  (?:of|for) (?:the )?(?:decimal )?(?:number )?([\d,]+)$"
            ),
        ]
        .map(|pattern| regex(&pattern))
    });
    let (which, found) = first(PATTERNS.iter(), text)?;
    let (digits, name) = if which == 0 {
        (&found[1], &found[2])
    } else {
        (&found[2], &found[1])
    };
    let base = base_named(name).filter(|base| *base != 10)?;
    let value = decimal(&digits.replace(',', "")).to_integer();
    if digits.len() > 300 || value.to_f64().is_none() {
        return None;
    }
    show::word(
        value.to_str_radix(base).to_uppercase(),
        format!("{value} in base {base}"),
    )
}

/// "29/6 as a mixed number", "2 3/4 as an improper fraction"
fn mixed(text: &str) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:the )?(?:improper )?(?:fraction )?(?:(\d{1,6}) )?(\d{1,9})/(\d{1,9})
              (?: is)? (?:in|to|as|into) (?:an? )?(mixed (?:number|fraction|numeral)|improper fraction)
              (?: form)?$",
        )
    });
    let found = PATTERN.captures(text)?;
    let number = |group: usize| decimal(found.get(group).map_or("0", |part| part.as_str()));
    if number(3).is_zero() {
        return None;
    }
    let value = number(1) + number(2) / number(3);
    let shown = match &found[4] {
        _ if value.is_integer() || value < Ratio::one() => value.to_string(),
        "improper fraction" => value.to_string(),
        _ => format!("{} {}", value.to_integer(), value.fract()),
    };
    show::word(shown, value.to_string())
}

/// "0.35 as a fraction"
fn to_fraction(text: &str) -> Option<Computed> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:the )?(?:decimal )?(\d{0,12}\.\d{1,12}) (?:in|to|as|into) (?:a |an )?
              (?:simplified |reduced |simple |common |proper )?fraction
              (?: in (?:its )?(?:lowest|simplest) (?:terms|form))?$",
        )
    });
    let digits = &PATTERN.captures(text)?[1];
    let value = decimal(digits);
    (!value.is_integer()).then(|| show::word(value.to_string(), format!("{digits} reduced")))?
}
