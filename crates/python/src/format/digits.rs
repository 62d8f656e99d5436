//! Floats to decimal text with any precision: the exact binary value, rounded half to even.
//!
//! Everything that writes a float with a precision comes through here.

/// More digits than any float has; behind them are only zeros.
const MOST_DIGITS: usize = 1100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `e`: so many digits after the point.
    Exponent(usize),
    /// `f`: so many digits after the point.
    Fixed(usize),
    /// `g`: so many digits in all.
    General(usize),
    /// `repr`: as many digits as it takes.
    Shortest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatStyle {
    pub(crate) notation: Notation,
    /// Keeps the point and, in general notation, zeros at the end.
    pub(crate) alternate: bool,
    /// Writes a whole number with `.0`.
    pub(crate) point_zero: bool,
    pub(crate) upper: bool,
    pub(crate) no_negative_zero: bool,
}

impl FloatStyle {
    pub(crate) const fn new(notation: Notation) -> Self {
        Self {
            notation,
            alternate: false,
            point_zero: false,
            upper: false,
            no_negative_zero: false,
        }
    }

    /// How long the text may become, about.
    pub(super) fn length(&self) -> usize {
        match self.notation {
            Notation::Exponent(precision) | Notation::Fixed(precision) => precision,
            Notation::General(precision) if self.alternate => precision,
            _ => 0,
        }
    }
}

/// Significant digits without zeros at the end, and how many of them stand before the point.
struct Decimal {
    digits: String,
    point: i64,
}

impl Decimal {
    fn of(size: f64, notation: Notation) -> Self {
        let decimal = match notation {
            Notation::Shortest => Self::scientific(&crate::number::shortest_digits(size)),
            Notation::Exponent(precision) => Self::with_digits(size, precision.saturating_add(1)),
            Notation::General(precision) => Self::with_digits(size, precision.max(1)),
            Notation::Fixed(precision) => {
                Self::plain(&format!("{size:.*}", precision.min(MOST_DIGITS)))
            }
        };
        let digits = decimal.digits.trim_end_matches('0');
        if digits.is_empty() {
            return Self {
                digits: "0".to_owned(),
                point: 1,
            };
        }
        Self {
            digits: digits.to_owned(),
            point: decimal.point,
        }
    }

    fn with_digits(size: f64, digits: usize) -> Self {
        Self::scientific(&format!("{size:.*e}", digits.min(MOST_DIGITS) - 1))
    }

    fn scientific(text: &str) -> Self {
        let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let exponent: i64 = exponent.parse().unwrap_or(0);
        Self {
            digits: digits.replace('.', ""),
            point: exponent + 1,
        }
    }

    fn plain(text: &str) -> Self {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let zeros = all.len() - digits.len();
        Self {
            digits: digits.to_owned(),
            point: whole.len() as i64 - zeros as i64,
        }
    }

    fn is_zero(&self) -> bool {
        self.digits == "0"
    }
}

/// A float in the style, with a minus if it is negative.
pub(crate) fn float_text(x: f64, style: FloatStyle) -> String {
    let text = if x.is_finite() {
        finite(x, style)
    } else if x.is_nan() {
        "nan".to_owned()
    } else if x > 0.0 {
        "inf".to_owned()
    } else {
        "-inf".to_owned()
    };
    if style.upper {
        text.to_ascii_uppercase()
    } else {
        text
    }
}

fn finite(x: f64, style: FloatStyle) -> String {
    let decimal = Decimal::of(x.abs(), style.notation);
    let mut text = String::new();
    if x.is_sign_negative() && !(style.no_negative_zero && decimal.is_zero()) {
        text.push('-');
    }
    let length = decimal.digits.len();
    // How many digits are written, counted from the first significant one, and whether with an exponent.
    let (end, exponent) = match style.notation {
        Notation::Exponent(precision) => (count(precision) + 1, true),
        Notation::Fixed(precision) => (decimal.point.saturating_add(count(precision)), false),
        Notation::General(precision) => {
            let precision = count(precision.max(1));
            let end = if style.alternate {
                precision
            } else {
                count(length)
            };
            let most = precision - i64::from(style.point_zero);
            (end, decimal.point <= -4 || decimal.point > most)
        }
        Notation::Shortest => (count(length), decimal.point <= -4 || decimal.point > 16),
    };
    let point = if exponent { 1 } else { decimal.point };
    let least = if style.point_zero && !exponent {
        point + 1
    } else {
        point
    };
    write_digits(&mut text, &decimal.digits, point, end.max(least));
    if text.ends_with('.') && !style.alternate {
        text.pop();
    }
    if exponent {
        let power = decimal.point - 1;
        let sign = if power < 0 { '-' } else { '+' };
        text.push_str(&format!("e{sign}{:02}", power.unsigned_abs()));
    }
    text
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX - 1)
}

/// The digits from the first to `end`, with the point before the digit at `point`.
fn write_digits(text: &mut String, digits: &str, point: i64, end: i64) {
    let known = |from: i64, to: i64| {
        let at = |n: i64| usize::try_from(n).unwrap_or(0).min(digits.len());
        digits.get(at(from)..at(to)).unwrap_or("")
    };
    let zeros = |text: &mut String, n: i64| {
        text.extend(std::iter::repeat_n('0', usize::try_from(n).unwrap_or(0)));
    };
    let whole = known(0, point);
    text.push_str(whole);
    if point <= 0 {
        text.push('0');
    } else {
        zeros(text, point - count(whole.len()));
    }
    text.push('.');
    zeros(text, (-point).min(end - point));
    let fraction = known(point, end);
    text.push_str(fraction);
    let written = count(fraction.len());
    zeros(text, end - point.max(0) - written);
}
