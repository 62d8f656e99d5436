//! Values as a person writes them.

use super::{
    Computed, Outcome,
    ratio::{Ratio, float, whole},
    text::Reading,
};
use crate::number::{Value, decimals_asked, format_number};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// A plain number.
pub(super) fn number(
    reading: &Reading,
    value: impl Into<Num>,
    how: impl Into<String>,
) -> Option<Computed> {
    quantity(reading, value, "", how)
}

/// A number with a unit.
pub(super) fn quantity(
    reading: &Reading,
    value: impl Into<Num>,
    unit: &str,
    how: impl Into<String>,
) -> Option<Computed> {
    let value = value.into().0;
    let shown = written(reading, &value);
    let text = match unit {
        "" => shown,
        "%" => format!("{shown} %"),
        unit => format!("{shown} {unit}"),
    };
    let value = match unit {
        "%" => Outcome::Percent(match value {
            Value::Exact(exact) => Value::Exact(exact / whole(100)),
            Value::Float(float) => Value::Float(float / 100.0),
        }),
        unit => Outcome::Number {
            value,
            unit: unit.to_owned(),
        },
    };
    Some(Computed {
        value,
        text,
        how: how.into(),
    })
}

/// An amount of money, in the currency of the question.
pub(super) fn money(
    reading: &Reading,
    value: impl Into<Num>,
    how: impl Into<String>,
) -> Option<Computed> {
    money_in(value, reading.currency().unwrap_or(""), how)
}

/// An amount of money in a given currency.
pub(super) fn money_in(
    value: impl Into<Num>,
    currency: &str,
    how: impl Into<String>,
) -> Option<Computed> {
    let value = value.into().0;
    Some(Computed {
        text: money_text(&value, currency),
        value: Outcome::Money {
            value,
            currency: currency.to_owned(),
        },
        how: how.into(),
    })
}

/// Either an amount of money, where the question has a currency, or a plain number.
pub(super) fn amount(
    reading: &Reading,
    value: impl Into<Num>,
    how: impl Into<String>,
) -> Option<Computed> {
    match reading.currency() {
        Some(currency) => money_in(value, currency, how),
        None => number(reading, value, how),
    }
}

fn money_text(value: &Value, currency: &str) -> String {
    let rounded = rounded_text(value, 2);
    let rounded = rounded.strip_suffix(".00").unwrap_or(&rounded).to_owned();
    let (sign, size) = match rounded.strip_prefix('-') {
        Some(size) => ("-", size),
        None => ("", rounded.as_str()),
    };
    match currency {
        "" => rounded.clone(),
        "$" | "€" | "£" | "¥" | "₹" => format!("{sign}{currency}{size}"),
        other => format!("{rounded} {other}"),
    }
}

/// A probability: as a fraction where it is a simple one, as a decimal and in percent.
pub(super) fn probability(value: impl Into<Num>, how: impl Into<String>) -> Option<Computed> {
    let value = value.into().0;
    let plain = super::ratio::value_float(&value)?;
    if !(0.0..=1.0).contains(&plain) {
        return None;
    }
    let percent = trimmed(&format!("{:.2}", plain * 100.0));
    let text = match &value {
        Value::Exact(exact) if exact.is_integer() => {
            format!("{} ({percent} %)", exact.to_integer())
        }
        Value::Exact(exact) if exact.denom() < &BigInt::from(100_000) => {
            format!(
                "{}/{} ≈ {} ({percent} %)",
                exact.numer(),
                exact.denom(),
                trimmed(&format!("{plain:.4}"))
            )
        }
        _ => format!("{} ({percent} %)", trimmed(&format!("{plain:.4}"))),
    };
    Some(Computed {
        value: Outcome::Probability(value),
        text,
        how: how.into(),
    })
}

/// Yes or no, with the reason.
pub(super) fn yes_no(yes: bool, how: impl Into<String>) -> Option<Computed> {
    let how = how.into();
    let text = if yes { "Yes" } else { "No" };
    Some(Computed {
        value: Outcome::YesNo(yes),
        text: format!("{text}: {how}"),
        how,
    })
}

/// A word or notation.
pub(super) fn word(text: impl Into<String>, how: impl Into<String>) -> Option<Computed> {
    let text = text.into();
    Some(Computed {
        value: Outcome::Word(text.clone()),
        text,
        how: how.into(),
    })
}

/// Numbers in their order.
pub(super) fn list(values: &[Ratio], how: impl Into<String>) -> Option<Computed> {
    let shown: Vec<String> = values.iter().map(exact_text).collect();
    let values = values.iter().cloned().map(Value::Exact).collect();
    Some(Computed {
        value: Outcome::List(values),
        text: shown.join(", "),
        how: how.into(),
    })
}

/// A length of time in seconds: "3 h 30 min".
pub(super) fn duration(seconds: &Ratio, how: impl Into<String>) -> Option<Computed> {
    let text = duration_text(seconds)?;
    let value = Outcome::Duration(Value::Exact(seconds.clone()));
    Some(Computed {
        value,
        text,
        how: how.into(),
    })
}

/// "7 h 55 min", "5 min 15 s", "2 days 3 h".
pub(super) fn duration_text(seconds: &Ratio) -> Option<String> {
    if seconds.is_negative() {
        return None;
    }
    let all = seconds.round().to_integer().to_u64()?;
    // From two days on nobody counts in hours.
    let days = if all >= 172_800 { all / 86_400 } else { 0 };
    let (hours, minutes, rest) = ((all - days * 86_400) / 3600, all / 60 % 60, all % 60);
    let mut parts = Vec::new();
    for (count, unit) in [(days, "days"), (hours, "h"), (minutes, "min"), (rest, "s")] {
        if count > 0 {
            parts.push(format!("{count} {unit}"));
        }
    }
    if parts.is_empty() {
        parts.push("0 min".to_owned());
    }
    let exact = seconds.is_integer();
    Some(format!(
        "{}{}",
        if exact { "" } else { "≈ " },
        parts.join(" ")
    ))
}

/// A number as the question wants it: rounded as it says, else exact, else with some four decimals.
pub(super) fn written(reading: &Reading, value: &Value) -> String {
    if let Some(places) = reading.places.filter(|places| is_known_to(value, *places)) {
        return rounded_text(value, places);
    }
    match value {
        Value::Exact(exact) => exact_text(exact),
        Value::Float(float) => approximate(*float),
    }
}

/// How many decimals the question asks for.
pub(super) fn asked_places(plain: &str) -> Option<usize> {
    decimals_asked(plain).filter(|places| *places <= 30)
}

/// Whether so many decimals are the value's own: a float has some 15 digits, and its last are noise.
fn is_known_to(value: &Value, places: usize) -> bool {
    match value {
        Value::Exact(_) => true,
        Value::Float(float) => float.abs().max(1.0).log10() + places as f64 <= 13.0,
    }
}

/// A fraction: all its decimals where they are few, else the fraction and its decimal.
pub(super) fn exact_text(exact: &Ratio) -> String {
    if exact.is_integer() || (exact * whole(1_000_000)).is_integer() {
        return decimal_text(exact, 6);
    }
    let near = approximate(float(exact).unwrap_or(f64::NAN));
    if exact.denom() < &BigInt::from(1000) && exact.numer().abs() < BigInt::from(100_000) {
        return format!("{}/{} {near}", exact.numer(), exact.denom());
    }
    near
}

fn approximate(value: f64) -> String {
    let size = value.abs();
    let places = if size >= 1.0 {
        4
    } else if size > 0.0 {
        // Four digits that count.
        (4.0 - size.log10().ceil()).clamp(4.0, 15.0) as usize
    } else {
        0
    };
    let text = format!("{value:.places$}");
    let text = trimmed(&text);
    match text.parse::<f64>() {
        Ok(same) if same == value => format_number(&Value::from(value)),
        _ => format!("≈ {}", grouped_decimal(&text)),
    }
}

fn trimmed(text: &str) -> String {
    if !text.contains('.') {
        return text.to_owned();
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn grouped_decimal(text: &str) -> String {
    let (before, after) = text.split_once('.').unwrap_or((text, ""));
    let negative = before.starts_with('-');
    let grouped = before.parse::<BigInt>().map_or_else(
        |_| before.to_owned(),
        |whole| format_number(&Value::Exact(whole.into())),
    );
    let sign = if negative && !grouped.starts_with('-') {
        "-"
    } else {
        ""
    };
    match after {
        "" => format!("{sign}{grouped}"),
        after => format!("{sign}{grouped}.{after}"),
    }
}

/// With exactly so many decimals.
pub(super) fn rounded_text(value: &Value, places: usize) -> String {
    let exact = match value {
        Value::Exact(exact) => exact.clone(),
        Value::Float(float) => match Ratio::from_float(*float) {
            Some(exact) => exact,
            None => return "?".to_owned(),
        },
    };
    let ten = BigInt::from(10).pow(u32::try_from(places).unwrap_or(0));
    let scaled = (exact.abs() * Ratio::from_integer(ten))
        .round()
        .to_integer();
    let digits = format!(
        "{scaled:0>width$}",
        scaled = scaled.to_string(),
        width = places + 1
    );
    let (before, after) = digits.split_at(digits.len() - places);
    let sign = if exact.is_negative() && !scaled.is_zero() {
        "-"
    } else {
        ""
    };
    let before = grouped_decimal(before);
    match after {
        "" => format!("{sign}{before}"),
        after => format!("{sign}{before}.{after}"),
    }
}

fn decimal_text(exact: &Ratio, places: usize) -> String {
    trimmed(&rounded_text(&Value::Exact(exact.clone()), places))
}

/// An exact or approximate number.
pub(super) struct Num(pub(super) Value);

impl From<Value> for Num {
    fn from(value: Value) -> Self {
        Self(value)
    }
}
impl From<Ratio> for Num {
    fn from(value: Ratio) -> Self {
        Self(Value::Exact(value))
    }
}
impl From<&Ratio> for Num {
    fn from(value: &Ratio) -> Self {
        Self(Value::Exact(value.clone()))
    }
}
impl From<BigInt> for Num {
    fn from(value: BigInt) -> Self {
        Self(Value::Exact(value.into()))
    }
}
impl From<usize> for Num {
    fn from(value: usize) -> Self {
        Self(Value::Exact(BigInt::from(value).into()))
    }
}
