//! Numbers as people read them: shares in per cent, points with two digits, differences with a sign.

use crate::statistics::{Estimate, Paired, Scale};

/// A mean.
pub fn mean(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Share => format!("{:.1} %", value * 100.0),
        Scale::Points => format!("{value:.2}"),
    }
}

/// A mean with its interval.
pub fn estimate(found: &Estimate, scale: Scale) -> String {
    format!(
        "{} {}",
        mean(found.mean, scale),
        interval(found.interval, scale)
    )
}

/// The two ends of an interval.
pub fn interval(found: Option<(f64, f64)>, scale: Scale) -> String {
    match (found, scale) {
        (None, _) => "(too few questions for an interval)".into(),
        (Some((low, high)), Scale::Share) => {
            format!("[{:.1}, {:.1}]", low * 100.0, high * 100.0)
        }
        (Some((low, high)), Scale::Points) => format!("[{low:.2}, {high:.2}]"),
    }
}

/// A difference, with a sign; what rounds to nothing has a plus.
pub fn difference(value: f64, scale: Scale) -> String {
    let text = match scale {
        Scale::Share => format!("{:+.1}", value * 100.0),
        Scale::Points => format!("{value:+.2}"),
    };
    match text.as_str() {
        "-0.0" | "-0.00" => text.replace('-', "+"),
        _ => text,
    }
}

/// A difference with its interval.
pub fn signed(value: f64, found: Option<(f64, f64)>, scale: Scale) -> String {
    let ends = match found {
        None => "(too few questions for an interval)".into(),
        Some((low, high)) => format!("[{}, {}]", difference(low, scale), difference(high, scale)),
    };
    format!("{} {ends}", difference(value, scale))
}

/// A difference of two systems with its interval.
pub fn paired(found: &Paired, scale: Scale) -> String {
    signed(found.difference, found.interval, scale)
}

/// How often chance does that.
pub fn chance(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".into()
    } else {
        format!("{p:.3}")
    }
}

/// `1 question`, `2 questions`.
pub fn count(n: usize, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {what}{ending}", thousands(n))
}

/// With commas.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
