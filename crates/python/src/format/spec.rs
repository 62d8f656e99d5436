//! The format specification: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
//!
//! What a type does with each part is decided where it is applied.
use super::{FormatError, shown};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    Center,
    /// Between the sign and the digits.
    AfterSign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
    Space,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec {
    pub(super) fill: char,
    pub(super) align: Option<Align>,
    pub(super) sign: Option<Sign>,
    /// `z`: no minus before what was rounded to zero.
    pub(super) no_negative_zero: bool,
    pub(super) alternate: bool,
    /// A zero before the width, where no fill was given.
    pub(super) zero_padded: bool,
    pub(super) width: Option<u64>,
    /// The separator and how many digits are between two.
    pub(super) grouping: Option<(char, usize)>,
    pub(super) precision: Option<u64>,
    pub(super) kind: Option<char>,
}

/// What is left of a specification.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn peek(&self) -> Option<char> {
        self.0.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.0.chars();
        let first = chars.next();
        self.0 = chars.as_str();
        first
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.take();
        }
        found
    }

    fn integer(&mut self) -> Result<Option<u64>, FormatError> {
        let mut value = None;
        while let Some(digit) = self.peek().and_then(crate::number::decimal_digit) {
            let next = value.unwrap_or(0_i64).checked_mul(10);
            let next = next.and_then(|next| next.checked_add(i64::from(digit)));
            value =
                Some(next.ok_or_else(|| {
                    FormatError::value("Too many decimal digits in format string")
                })?);
            self.take();
        }
        Ok(value.map(i64::unsigned_abs))
    }

    fn fill_and_align(&mut self) -> (Option<char>, Option<Align>) {
        let mut chars = self.0.chars();
        let (first, second) = (chars.next(), chars.next());
        if let Some(align) = second.and_then(alignment) {
            self.0 = chars.as_str();
            return (first, Some(align));
        }
        let align = first.and_then(alignment);
        if align.is_some() {
            self.take();
        }
        (None, align)
    }

    fn sign(&mut self) -> Option<Sign> {
        let sign = match self.peek()? {
            '+' => Sign::Plus,
            '-' => Sign::Minus,
            ' ' => Sign::Space,
            _ => return None,
        };
        self.take();
        Some(sign)
    }

    fn grouping(&mut self) -> Result<Option<char>, FormatError> {
        let both = || FormatError::value("Cannot specify both ',' and '_'.");
        let comma = self.accept(',');
        let underscore = self.accept('_');
        if underscore && (comma || self.peek() == Some(',')) {
            return Err(both());
        }
        Ok(if comma {
            Some(',')
        } else {
            underscore.then_some('_')
        })
    }
}

fn alignment(c: char) -> Option<Align> {
    Some(match c {
        '<' => Align::Left,
        '>' => Align::Right,
        '^' => Align::Center,
        '=' => Align::AfterSign,
        _ => return None,
    })
}

impl Spec {
    /// The type's name is for errors.
    pub(crate) fn parse(text: &str, type_name: &str) -> Result<Self, FormatError> {
        let mut rest = Rest(text);
        let (fill, align) = rest.fill_and_align();
        let sign = rest.sign();
        let no_negative_zero = rest.accept('z');
        let alternate = rest.accept('#');
        let zero_padded = fill.is_none() && rest.accept('0');
        let width = rest.integer()?;
        let separator = rest.grouping()?;
        let mut precision = None;
        if rest.accept('.') {
            precision = rest.integer()?;
            if precision.is_none() {
                return Err(FormatError::value("Format specifier missing precision"));
            }
        }
        let kind = rest.take();
        if rest.peek().is_some() {
            return Err(FormatError::Value(format!(
                "Invalid format specifier '{text}' for object of type '{type_name}'"
            )));
        }
        Ok(Self {
            fill: fill.unwrap_or(if zero_padded { '0' } else { ' ' }),
            align,
            sign,
            no_negative_zero,
            alternate,
            zero_padded,
            width,
            grouping: separator
                .map(|separator| group(separator, kind))
                .transpose()?,
            precision,
            kind,
        })
    }

    /// For numbers, which a zero before the width fills after the sign.
    pub(super) fn number_align(&self) -> Align {
        let usual = if self.zero_padded {
            Align::AfterSign
        } else {
            Align::Right
        };
        self.align.unwrap_or(usual)
    }
}

fn group(separator: char, kind: Option<char>) -> Result<(char, usize), FormatError> {
    match kind {
        None | Some('d' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F') => Ok((separator, 3)),
        Some('b' | 'o' | 'x' | 'X') if separator == '_' => Ok((separator, 4)),
        Some(kind) => Err(FormatError::Value(format!(
            "Cannot specify '{separator}' with '{}'.",
            shown(kind)
        ))),
    }
}
