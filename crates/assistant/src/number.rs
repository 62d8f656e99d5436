//! Numbers in running text: which one an answer claims, and whether a text states a value.
//!
//! Used by the guards that compute. A number is digits with optional sign, thousands separators and decimals, or a
//! fraction of two whole numbers; currency signs, units and percent signs around it do not matter.

use std::ops::Range;

/// A number and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its value.
    pub value: f64,
    /// Digits after the point, as written.
    pub decimals: usize,
    /// Bytes of the text.
    pub span: Range<usize>,
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
        let number = number_at(text, at);
        at = number.span.end;
        // Digits inside a word or an identifier (`x2`, `H2O`) name something and count nothing.
        if !glued(text, number.span.start) {
            found.push(number);
        }
    }
    fractions(text, found)
}

/// The number that an answer ends on: a boxed one, else the last one of the last sentence that says it is the answer,
/// else the last of all.
pub fn claimed(text: &str) -> Option<Found> {
    let boxed = text.rfind("\\boxed{").and_then(|at| {
        let found = numbers(&text[at..]).into_iter().next()?;
        Some(Found {
            span: found.span.start + at..found.span.end + at,
            ..found
        })
    });
    boxed.or_else(|| numbers(text).pop())
}

/// Whether the text states the value: one of its numbers is the value, as far as its decimals go.
pub fn states(text: &str, value: f64) -> bool {
    numbers(text).iter().any(|found| found.is(value))
}

impl Found {
    /// Whether this is how one would write `value`.
    pub fn is(&self, value: f64) -> bool {
        let scale = 1f64.max(value.abs());
        if (self.value - value).abs() <= 1e-9 * scale {
            return true;
        }
        // A value with more decimals may be written rounded, but not to nothing: 0.4 is not 0.
        let step = 0.1f64.powi(i32::try_from(self.decimals).unwrap_or(i32::MAX));
        self.decimals >= 2 && (self.value - value).abs() <= 0.5 * step * (1.0 + 1e-9)
    }
}

/// How a value is written for a person: whole numbers without a point, others with at most six decimals.
pub fn written(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        return grouped(&format!("{value:.0}"));
    }
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text.split_once('.') {
        Some((whole, rest)) => format!("{}.{rest}", grouped(whole)),
        None => grouped(text),
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

/// The number whose first digit is at `start`.
fn number_at(text: &str, start: usize) -> Found {
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
        plain.push_str(&text[end..end + 1 + decimals]);
        end += 1 + decimals;
    }
    let signed = start > 0 && is_sign(text, start);
    let value: f64 = plain.parse().unwrap_or(f64::INFINITY);
    Found {
        value: if signed { -value } else { value },
        decimals,
        span: start..end,
    }
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

/// `3/4` is one number; `3/4/2020` is a date and stays three.
fn fractions(text: &str, found: Vec<Found>) -> Vec<Found> {
    let mut out: Vec<Found> = Vec::with_capacity(found.len());
    let mut i = 0;
    while i < found.len() {
        let joined = |i: usize| {
            let (a, b) = (found.get(i)?, found.get(i + 1)?);
            let whole = a.decimals == 0 && b.decimals == 0 && b.value != 0.0;
            (whole && &text[a.span.end..b.span.start] == "/").then_some((a, b))
        };
        match joined(i) {
            Some((a, b)) if joined(i + 1).is_none() => {
                out.push(Found {
                    value: a.value / b.value,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        numbers(text).iter().map(|found| found.value).collect()
    }

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(values("$1,234.50 and 7, 8"), [1234.5, 7.0, 8.0]);
        assert_eq!(values("-3 degrees, from 5-2 = 3"), [-3.0, 5.0, 2.0, 3.0]);
        assert_eq!(values("x2 = H2O 40%"), [40.0]);
        assert_eq!(values("3/4 of it on 3/4/2020"), [0.75, 3.0, 4.0, 2020.0]);
        assert_eq!(values("It is 42."), [42.0]);
        assert_eq!(values("1,23 and 12,345,678"), [1.0, 23.0, 12_345_678.0]);
        assert_eq!(values("no number"), [0.0; 0]);
    }

    #[test]
    fn the_claim_is_the_last_or_the_boxed_number() {
        let value = |text| claimed(text).map(|found| found.value);
        assert_eq!(value("2 + 3 = 5, so the answer is 5 apples."), Some(5.0));
        assert_eq!(value("so \\boxed{12} as in step 3"), Some(12.0));
        assert_eq!(value("none"), None);
    }

    #[test]
    fn a_value_is_stated_exactly_or_rounded_to_cents() {
        assert!(states("it costs $3.33 each", 10.0 / 3.0));
        assert!(!states("it costs $3 each", 10.0 / 3.0));
        assert!(states("280 dollars", 280.0));
        assert!(!states("281 dollars", 280.0));
        assert!(!states("0 left", 0.4));
    }

    #[test]
    fn values_are_written_for_people() {
        assert_eq!(written(280.0), "280");
        assert_eq!(written(-12345.0), "-12,345");
        assert_eq!(written(10.0 / 3.0), "3.333333");
        assert_eq!(written(0.5), "0.5");
        assert_eq!(written(70_000.25), "70,000.25");
    }
}
