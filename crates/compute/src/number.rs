//! Numbers in running text: which one an answer claims, and whether a text states a value.
//!
//! Used by the guards that compute and by the lab's scores. A number is digits with optional sign, thousands separators
//! and decimals, or a fraction of two whole numbers; currency signs, units and percent signs around it do not matter.
//!
//! Values are exact fractions: whole numbers of any size are equal only digit by digit, because a wrong number that is
//! called confirmed is the worst this program can do. Only a program's float carries rounding noise, and only a float
//! gets a tolerance ([`Value::Float`]).

use crate::pattern::regex;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Longer runs of digits are data, not numbers that somebody claims; the limit keeps exact arithmetic cheap.
const MOST_DIGITS: usize = 400;
/// Nobody writes so many decimals; programs do.
const FLOAT_DECIMALS: usize = 9;
/// Whole numbers up to here are exact in a float (2^53).
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// A number and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its value.
    pub value: BigRational,
    /// Digits after the point, as written.
    pub decimals: usize,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// What a program came to, or what a task expects.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Known to the last digit.
    Exact(BigRational),
    /// Right up to the rounding noise of a float.
    Float(f64),
}

impl From<f64> for Value {
    /// A float that is a whole number without lost digits is exact.
    fn from(float: f64) -> Self {
        let whole = float == float.trunc() && float.abs() < EXACT_FLOAT;
        match BigRational::from_float(float).filter(|_| whole) {
            Some(exact) => Self::Exact(exact),
            None => Self::Float(float),
        }
    }
}

impl Value {
    /// A number as Python prints it: `12`, `-3.5`, `1e-05`. Nothing for what is not finite, and nothing for floats so
    /// large that they may have lost digits.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.trim().replace('_', "");
        if plain.len() <= MOST_DIGITS
            && let Ok(whole) = plain.parse::<BigInt>()
        {
            return Some(Self::Exact(whole.into()));
        }
        let float: f64 = plain.parse().ok()?;
        (float.abs() < EXACT_FLOAT).then(|| float.into())
    }

    /// So many times as much.
    #[must_use]
    pub fn times(&self, factor: u32) -> Self {
        match self {
            Self::Exact(exact) => Self::Exact(exact * BigInt::from(factor)),
            Self::Float(float) => Self::Float(float * f64::from(factor)),
        }
    }

    /// Whether two computed values are one, up to the noise of floats.
    pub fn same(a: &Self, b: &Self) -> bool {
        let (Some((a, noise)), Some((b, other))) = (a.with_noise(), b.with_noise()) else {
            return false;
        };
        (a - b).abs() <= noise + other
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Exact(exact) => exact.is_integer(),
            Self::Float(float) => *float == float.trunc(),
        }
    }

    /// Whether it is more than nothing.
    pub fn is_positive(&self) -> bool {
        match self {
            Self::Exact(exact) => exact.is_positive(),
            Self::Float(float) => *float > 0.0,
        }
    }

    /// The value as a fraction, and how far a float's noise may have carried it.
    fn with_noise(&self) -> Option<(BigRational, BigRational)> {
        match self {
            Self::Exact(exact) => Some((exact.clone(), BigRational::zero())),
            Self::Float(float) => {
                // A few thousand roundings of a double; never enough to reach the next whole number.
                let noise = (1e-12 * float.abs().max(1.0)).min(1e-3);
                BigRational::from_float(*float).zip(BigRational::from_float(noise))
            }
        }
    }
}

/// All numbers of a text, in order.
pub fn numbers(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let (number, end) = number_at(text, at);
        // Digits inside a word or an identifier (`x2`, `H2O`) name something and count nothing.
        found.extend(number.filter(|_| !glued(text, at)));
        at = end;
    }
    mixed(text, fractions(text, found))
}

/// The number that an answer ends on: the last one that is boxed or stands behind `####`, else the last of all.
pub fn claimed(text: &str) -> Option<Found> {
    let behind = |mark: &str| {
        let at = text.rfind(mark)? + mark.len();
        let found = numbers(&text[at..]).into_iter().next()?;
        Some(Found {
            span: found.span.start + at..found.span.end + at,
            ..found
        })
    };
    behind("\\boxed{")
        .or_else(|| behind("####"))
        .or_else(|| numbers(text).pop())
}

/// The numbers that may be what an answer comes to. One where it is marked as the result; else all of the last sentence
/// with a number, without those that the question gives: in "12 apples in 3 days" the 3 is nobody's result.
pub fn candidates(question: &str, answer: &str) -> Vec<Found> {
    let part = result_part(answer);
    let all = numbers(part);
    // "48 - 5 = 43 apples on 2 days": what stands behind the last sign of equality.
    let equals = part.rfind('=').map(|at| at + 1);
    if let Some(result) = equals.and_then(|at| all.iter().find(|one| one.span.start >= at)) {
        return vec![result.clone()];
    }
    let given = numbers(question);
    let is_given = |one: &&Found| given.iter().any(|known| known.value == one.value);
    let new: Vec<Found> = all.iter().filter(|one| !is_given(one)).cloned().collect();
    if new.is_empty() { all } else { new }
}

/// The part of an answer that holds its result: boxed, behind `####`, announced or in bold, whichever is stronger;
/// else its last sentence with a number.
fn result_part(answer: &str) -> &str {
    static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
        let announced = r"(?i)\banswer(?:\s+is|\s*:)([^\n]*?)(?:[.!?](?:\s|$)|\n|$)";
        regex(&format!(r"{announced}|\*\*([^*\n]+)\*\*"))
    });
    let has_number = |part: &&str| !numbers(part).is_empty();
    for mark in ["\\boxed{", "####"] {
        if let Some(at) = answer.rfind(mark) {
            let part = boxed(&answer[at + mark.len()..]);
            if has_number(&part) {
                return part;
            }
        }
    }
    let parts = ANNOUNCED.captures_iter(answer).filter_map(|found| {
        let part = found.get(1).or_else(|| found.get(2))?;
        Some(part.as_str()).filter(has_number)
    });
    if let Some(part) = parts.last() {
        return part;
    }
    let sentences = answer
        .split('\n')
        .flat_map(|line| line.split_inclusive(". "));
    sentences.filter(has_number).last().unwrap_or("")
}

/// Where what the last `\boxed{…}` holds stands.
pub fn last_box(text: &str) -> Option<Range<usize>> {
    let start = text.rfind("\\boxed{")? + "\\boxed{".len();
    Some(start..start + boxed(&text[start..]).len())
}

/// What stands before the brace that closes a box, or before the end of the line: `\frac{9}{2}` has braces of its own.
fn boxed(rest: &str) -> &str {
    let mut open = 0_usize;
    for (at, one) in rest.char_indices() {
        match one {
            '{' => open += 1,
            '}' if open > 0 => open -= 1,
            '}' | '\n' => return &rest[..at],
            _ => {}
        }
    }
    rest
}

/// How many decimals a question asks for: "to the nearest cent", "to 3 decimal places".
pub fn decimals_asked(question: &str) -> Option<usize> {
    static ASKED: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)\b(?:nearest|rounded\s+to(?:\s+a|\s+the)?)\s+
                (?:
                  (whole|integer|dollar|euro|percent|year|day|hour|minute|degree|meter|mile)|
                  (tenth)|
                  (hundredth|cent)\b|
                  (thousandth)
                )|
              \b(one|two|three|four|five|six|[1-9][0-9]?)\s+
                (?:decimals?\b|places\b|digits\s+after\s+(?:the\s+)?(?:decimal\s+)?point\b)",
        )
    });
    let found = ASKED.captures(question)?;
    if let Some(places) = found.get(5) {
        let names = ["zero", "one", "two", "three", "four", "five", "six"];
        let word = places.as_str().to_ascii_lowercase();
        let named = names.iter().position(|name| *name == word);
        return named.or_else(|| word.parse().ok());
    }
    (1..5)
        .find(|group| found.get(*group).is_some())
        .map(|group| group - 1)
}

/// Whether the text states the value: one of its numbers is the value, as far as its decimals go.
pub fn states(text: &str, value: &Value) -> bool {
    numbers(text).iter().any(|found| found.is(value.clone()))
}

impl Found {
    /// Whether this is how one would write `value`.
    pub fn is(&self, value: impl Into<Value>) -> bool {
        self.is_to(&value.into(), None)
    }

    /// Whether it is at most so far from `value`.
    pub fn is_near(&self, value: f64, within: f64) -> bool {
        // Of 3.14 and 3.15 the distance as a float is a little more than 0.01.
        let noise = 1e-12 * value.abs().max(1.0);
        let said = self.value.to_f64();
        said.is_some_and(|said| (said - value).abs() <= within + noise)
    }

    /// Like [`Self::is`], rounded to so many decimals. Where nobody says how many, a value with more decimals may be
    /// written rounded to at least two of them: 0.4 is not 0.
    pub fn is_to(&self, value: &Value, decimals: Option<usize>) -> bool {
        let Some((exact, noise)) = value.with_noise() else {
            return false;
        };
        let off = (&self.value - exact).abs();
        // So many decimals are the digits of a float, with its noise.
        let is_float = self.decimals >= FLOAT_DECIMALS;
        let own =
            BigRational::new(BigInt::one(), ten_to(11)) * (BigRational::one() + self.value.abs());
        if off <= noise || is_float && off <= own {
            return true;
        }
        let decimals = match decimals {
            Some(asked) => asked.max(self.decimals),
            None if self.decimals >= 2 => self.decimals,
            None => return false,
        };
        let half_step = BigRational::new(BigInt::one(), BigInt::from(2) * ten_to(decimals));
        off <= half_step + noise
    }
}

fn ten_to(power: usize) -> BigInt {
    BigInt::from(10).pow(u32::try_from(power.min(MOST_DIGITS)).unwrap_or(0))
}

/// How a value is written for a person: whole numbers without a point, others with at most six decimals.
pub fn format_number(value: &Value) -> String {
    let text = match value {
        Value::Exact(exact) if exact.is_integer() => exact.to_integer().to_string(),
        Value::Exact(exact) => format!("{:.6}", exact.to_f64().unwrap_or(f64::NAN)),
        Value::Float(float) => format!("{float:.6}"),
    };
    let Some((whole, rest)) = text.split_once('.') else {
        return grouped(&text);
    };
    match rest.trim_end_matches('0') {
        "" => grouped(whole),
        rest => format!("{}.{rest}", grouped(whole)),
    }
}

/// Commas between thousands, from five digits on.
fn grouped(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let mut out = String::from(sign);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The number whose first digit is at `start`, if it is not too long to be one, and where it ends.
fn number_at(text: &str, start: usize) -> (Option<Found>, usize) {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes[from.min(bytes.len())..].iter();
        rest.take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = start + digits(start);
    let mut plain = text[start..end].to_owned();
    // Thousands: a comma and exactly three digits, as often as that goes on.
    if plain.len() <= 3 {
        while matches!(bytes.get(end), Some(b',')) && digits(end + 1) == 3 {
            plain.push_str(&text[end + 1..end + 4]);
            end += 4;
        }
    }
    let mut decimals = 0;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        decimals = digits(end + 1);
        plain.push_str(&text[end + 1..end + 1 + decimals]);
        end += 1 + decimals;
    }
    let digits = plain.parse::<BigInt>().ok();
    let number = digits.filter(|_| plain.len() <= MOST_DIGITS).map(|digits| {
        let value = BigRational::new(digits, ten_to(decimals));
        let signed = start > 0 && is_sign(text, start);
        Found {
            value: if signed { -value } else { value },
            decimals,
            span: start..end,
        }
    });
    (number, end)
}

/// A minus before a number is a sign only if nothing that it could be taken from stands before it.
fn is_sign(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches(['$', '€', '£']);
    let minus = before
        .strip_suffix('-')
        .or_else(|| before.strip_suffix('−'));
    let Some(before) = minus else {
        return false;
    };
    match before.chars().next_back() {
        None => true,
        Some(last) => {
            last.is_whitespace() && !ends_in_operand(before) || "([{=*$:~≈".contains(last)
        }
    }
}

/// `7 -2` is a difference; `is -2` is a sign.
fn ends_in_operand(before: &str) -> bool {
    let before = before.trim_end();
    before.ends_with(|last: char| last.is_ascii_digit() || last == ')')
}

fn glued(text: &str, start: usize) -> bool {
    let last = text[..start].chars().next_back();
    last.is_some_and(|last| last.is_alphabetic() || last == '_')
}

/// `3/4` and `\frac{3}{4}` are one number; `3/4/2020` is a date and stays three.
fn fractions(text: &str, found: Vec<Found>) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::with_capacity(found.len());
    let mut i = 0;
    while i < found.len() {
        let joined = |i: usize| {
            let (a, b) = (found.get(i)?, found.get(i + 1)?);
            let whole = a.decimals == 0 && b.decimals == 0 && !b.value.is_zero();
            (whole && &text[a.span.end..b.span.start] == "/").then_some((a, b))
        };
        let typeset = found.get(i).zip(found.get(i + 1));
        if let Some(fraction) = typeset.and_then(|(a, b)| typeset_fraction(text, a, b)) {
            out.push(fraction);
            i += 2;
            continue;
        }
        match joined(i) {
            Some((a, b)) if joined(i + 1).is_none() => {
                out.push(Found {
                    value: &a.value / &b.value,
                    decimals: 0,
                    span: a.span.start..b.span.end,
                });
                i += 2;
            }
            Some(_) => {
                out.extend_from_slice(&found[i..(i + 3).min(found.len())]);
                i += 3;
            }
            None => {
                out.push(found[i].clone());
                i += 1;
            }
        }
    }
    out
}

/// `\frac{9}{2}`, with its sign; the span has all of it.
fn typeset_fraction(text: &str, a: &Found, b: &Found) -> Option<Found> {
    let braces = text.get(a.span.end..b.span.start) == Some("}{") && !b.value.is_zero();
    let before = text[..a.span.start].strip_suffix("frac{")?;
    let start = before
        .trim_end_matches(['d', 't'])
        .strip_suffix('\\')?
        .len();
    let closed = braces && text[b.span.end..].starts_with('}');
    let value = &a.value / &b.value;
    closed.then(|| Found {
        value: if is_sign(text, start) { -value } else { value },
        decimals: 0,
        span: start..b.span.end + 1,
    })
}

/// `1 1/2` is one and a half: a whole number and, one space behind it, a fraction below one.
fn mixed(text: &str, found: Vec<Found>) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        let is_typeset = text[next.span.clone()].starts_with('\\');
        let is_part = (is_typeset || text[next.span.clone()].contains('/'))
            && next.value.is_positive()
            && next.value < BigRational::one();
        match out.last_mut() {
            Some(whole)
                if is_part
                    && whole.value.is_integer()
                    && whole.decimals == 0
                    && !text[whole.span.clone()].contains(['/', '\\'])
                    && is_beside(&text[whole.span.end..next.span.start], is_typeset) =>
            {
                let part = if whole.value.is_negative() {
                    -next.value
                } else {
                    next.value
                };
                whole.value += part;
                whole.span.end = next.span.end;
            }
            _ => out.push(next),
        }
    }
    out
}

/// Whether a fraction so far behind a whole number belongs to it: `1 1/2`, `1\frac{1}{2}`.
fn is_beside(between: &str, is_typeset: bool) -> bool {
    between == " " || is_typeset && ["", "\\,", "\\ "].contains(&between)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        let value = |found: &Found| found.value.to_f64().unwrap_or(f64::NAN);
        numbers(text).iter().map(value).collect()
    }

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(values("$1,234.50 and 7, 8"), [1234.5, 7.0, 8.0]);
        assert_eq!(values("-3 degrees, from 5-2 = 3"), [-3.0, 5.0, 2.0, 3.0]);
        assert_eq!(values("x2 = H2O 40%"), [40.0]);
        assert_eq!(values("3/4 of it on 3/4/2020"), [0.75, 3.0, 4.0, 2020.0]);
        assert_eq!(values("It is 42."), [42.0]);
        assert_eq!(
            values("1 1/2 cups, 2 and 1/2, 3 5/2"),
            [1.5, 2.0, 0.5, 3.0, 2.5]
        );
        assert_eq!(
            values(r"\(\frac{9}{2}\) or 4 \dfrac{1}{2}, -\frac{1}{4}, \frac{2}{x}"),
            [4.5, 4.5, -0.25, 2.0]
        );
        assert_eq!(values("x ≈ -2.5, about -$3"), [-2.5, -3.0]);
        assert_eq!(values("1,23 and 12,345,678"), [1.0, 23.0, 12_345_678.0]);
        assert_eq!(values("no number"), [0.0; 0]);
        assert_eq!(values(&format!("{} and 5", "9".repeat(5000))), [5.0]);
    }

    #[test]
    fn the_claim_is_the_last_or_the_boxed_number() {
        let value = |text| claimed(text).and_then(|found| found.value.to_f64());
        assert_eq!(value("2 + 3 = 5, so the answer is 5 apples."), Some(5.0));
        assert_eq!(value("so \\boxed{12} as in step 3"), Some(12.0));
        assert_eq!(value("#### 1,200\n(see 3)"), Some(1200.0));
        assert_eq!(value("none"), None);
    }

    #[test]
    fn what_an_answer_comes_to_is_not_just_its_last_number() {
        let question = "Ann picks 4 apples a day for 3 days. How many does she have?";
        let of = |answer| {
            let all = candidates(question, answer);
            all.iter()
                .map(|one| one.value.to_integer().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("She has 12 apples after 3 days."), ["12"]);
        assert_eq!(of("That is 4 * 3 = 12 apples in 3 days."), ["12"]);
        assert_eq!(of("The answer is 13. It took 12 minutes."), ["13"]);
        assert_eq!(of("She has **14** apples.\n\nNote: see step 12."), ["14"]);
        assert_eq!(of("\\boxed{15}, after 12 steps"), ["15"]);
        assert_eq!(of("She has 11 or 12 apples."), ["11", "12"]);
        assert_eq!(of("She has 3."), ["3"], "given, but nothing else is said");
        assert_eq!(of("Many."), [""; 0]);
    }

    #[test]
    fn whole_numbers_are_equal_digit_by_digit() {
        let exact = |text: &str| Value::parse(text).expect("a number");
        assert!(!states("4420068969", &exact("4420068972")));
        assert!(states("4,420,068,972", &exact("4420068972")));
        // Neighbours that one float stands for.
        assert!(!states("9007199254740993", &exact("9007199254740992")));
        let large = "123456789012345678901234567890";
        assert!(states(large, &exact(large)));
        assert!(!states("123456789012345678901234567891", &exact(large)));
        assert_eq!(Value::parse("1e+20"), None, "a float that lost its digits");
        assert_eq!(Value::parse("nan"), None);
        assert_eq!(Value::parse("-inf"), None);
    }

    #[test]
    fn a_value_is_stated_exactly_or_rounded_to_cents() {
        let third = Value::from(10.0 / 3.0);
        assert!(states("it costs $3.33 each", &third));
        assert!(!states("it costs $3 each", &third));
        assert!(states("280 dollars", &280.0.into()));
        assert!(!states("281 dollars", &280.0.into()));
        assert!(!states("0 left", &0.4.into()));
        assert!(states("it is 0.3", &(0.1 + 0.2).into()), "noise of a float");
        let exact = Value::Exact(BigRational::new(10291.into(), 10.into()));
        assert!(
            states("1029.1000000000001", &exact),
            "the same, written out"
        );
        assert!(!states("1029.1000001", &exact));
        assert!(!states("33.99", &34.0.into()));
    }

    #[test]
    fn a_question_says_how_far_to_round() {
        for (question, decimals) in [
            ("Round to the nearest whole number.", Some(0)),
            ("to the nearest tenth", Some(1)),
            ("to the nearest cent?", Some(2)),
            ("Give three decimal places.", Some(3)),
            ("Give 4 decimals", Some(4)),
            ("square root of 2 to 4 places", Some(4)),
            ("1/7 to 12 digits after the point", Some(12)),
            ("What is the nearest city?", None),
        ] {
            assert_eq!(decimals_asked(question), decimals, "{question}");
        }
        let third = Value::from(10.0 / 3.0);
        let is_to = |text, decimals| claimed(text).is_some_and(|one| one.is_to(&third, decimals));
        assert!(is_to("3", Some(0)) && is_to("3.3", Some(1)) && is_to("3.333", Some(3)));
        assert!(!is_to("3.33", Some(3)) && !is_to("3.34", Some(1)) && !is_to("4", Some(0)));
    }

    #[test]
    fn values_are_written_for_people() {
        let format_number = |value: f64| super::format_number(&value.into());
        assert_eq!(format_number(280.0), "280");
        assert_eq!(format_number(-12345.0), "-12,345");
        assert_eq!(format_number(10.0 / 3.0), "3.333333");
        assert_eq!(format_number(0.5), "0.5");
        assert_eq!(format_number(70_000.25), "70,000.25");
    }
}
