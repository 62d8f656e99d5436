//! A number's parts put together: sign, prefix, grouped digits and the rest, padded to the width.
//!
//! With zeros as filling after the sign the digits themselves are lengthened, and the new ones are grouped too.
use super::{
    FormatError, MOST_BYTES,
    spec::{Align, Sign, Spec},
};

pub(super) struct Parts<'a> {
    pub(super) negative: bool,
    /// `0x` and the like.
    pub(super) prefix: &'a str,
    /// What is grouped; may be empty.
    pub(super) digits: &'a str,
    /// The point, what follows it, or all of what has no digits.
    pub(super) rest: &'a str,
}

/// As a size in memory, if it is allowed.
pub(super) fn limited(length: u64) -> Result<usize, FormatError> {
    usize::try_from(length)
        .ok()
        .filter(|&length| length <= MOST_BYTES)
        .ok_or(FormatError::Memory)
}

pub(super) fn sign_text(negative: bool, sign: Option<Sign>) -> &'static str {
    match sign {
        _ if negative => "-",
        Some(Sign::Plus) => "+",
        Some(Sign::Space) => " ",
        Some(Sign::Minus) | None => "",
    }
}

pub(super) fn assembled(spec: &Spec, parts: &Parts<'_>) -> Result<String, FormatError> {
    let width = limited(spec.width.unwrap_or(0))?;
    let align = spec.number_align();
    let sign = sign_text(parts.negative, spec.sign);
    let fixed = sign.len() + parts.prefix.len() + parts.rest.chars().count();
    let least = if spec.fill == '0' && align == Align::AfterSign {
        width.saturating_sub(fixed)
    } else {
        0
    };
    let digits = if parts.digits.is_empty() {
        String::new()
    } else {
        grouped(parts.digits, least, spec.grouping)
    };
    let padding = width.saturating_sub(fixed + digits.len());
    let head = format!("{sign}{}", parts.prefix);
    let body = format!("{digits}{}", parts.rest);
    if align == Align::AfterSign {
        filled(spec.fill, padding, 0, &head, &body)
    } else {
        padded(spec.fill, align, padding, &(head + &body))
    }
}

/// So many characters of filling around a text.
pub(super) fn padded(
    fill: char,
    align: Align,
    padding: usize,
    text: &str,
) -> Result<String, FormatError> {
    let left = match align {
        Align::Left => 0,
        Align::Right | Align::AfterSign => padding,
        Align::Center => padding / 2,
    };
    // Filling on the left comes between nothing and the text.
    filled(fill, left, padding - left, "", text)
}

fn filled(
    fill: char,
    before: usize,
    after: usize,
    head: &str,
    body: &str,
) -> Result<String, FormatError> {
    let filling = before.saturating_add(after).saturating_mul(fill.len_utf8());
    let length = filling
        .saturating_add(head.len())
        .saturating_add(body.len());
    limited(length as u64)?;
    let mut text = String::with_capacity(length);
    text.push_str(head);
    text.extend(std::iter::repeat_n(fill, before));
    text.push_str(body);
    text.extend(std::iter::repeat_n(fill, after));
    Ok(text)
}

/// Digits with separators, and with zeros in front to the least length.
pub(super) fn grouped(digits: &str, least: usize, grouping: Option<(char, usize)>) -> String {
    let Some((separator, size)) = grouping else {
        return format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
    };
    let plain = digits.len();
    let separators = |digits: usize| digits.saturating_sub(1) / size;
    // A length that a separator would have to begin takes one digit more.
    let mut count = plain;
    if plain + separators(plain) < least {
        let (groups, over) = (least / (size + 1), least % (size + 1));
        count = groups * size + over.max(1);
    }
    let digits = format!("{}{digits}", "0".repeat(count - plain));
    let mut text = String::with_capacity(count + separators(count));
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (count - at).is_multiple_of(size) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}
