//! The operator `%` on texts: a format split into texts and conversions, and values laid out by a conversion.
//!
//! Pieces come one by one, since Python finds an error in the format only after it has converted what stands before it.
//! Fetching arguments, and turning them into numbers or texts, is the caller's.
use num_bigint::{BigInt, Sign};

use super::{
    FormatError,
    digits::{FloatStyle, Notation, float_text},
    layout::limited,
    number::{char_of, in_base},
    text::cut,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment<'a> {
    Text(&'a str),
    Conversion(Conversion<'a>),
}

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    Given(u64),
    /// `*`: the next argument.
    Argument,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversion<'a> {
    /// What stands in parentheses.
    pub(crate) key: Option<&'a str>,
    pub(crate) width: Option<Amount>,
    pub(crate) precision: Option<Amount>,
    pub(crate) kind: char,
    flags: Flags,
    /// Where the kind stands, in characters.
    at: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
}

/// A conversion whose width and precision are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    flags: Flags,
    width: usize,
    precision: Option<usize>,
}

/// Splits a format; ends after an error.
pub(crate) struct Percent<'a> {
    rest: &'a str,
    at: usize,
    mapping: bool,
}

impl<'a> Percent<'a> {
    /// `mapping` is whether the right side is one, from which keys can be taken.
    pub(crate) fn new(format: &'a str, mapping: bool) -> Self {
        Self {
            rest: format,
            at: 0,
            mapping,
        }
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let first = chars.next()?;
        self.rest = chars.as_str();
        self.at += 1;
        Some(first)
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.rest.starts_with(wanted);
        if found {
            self.take();
        }
        found
    }

    fn text(&mut self, bytes: usize) -> &'a str {
        let (text, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.at += text.chars().count();
        text
    }

    /// Behind the percent sign.
    fn conversion(&mut self) -> Result<Conversion<'a>, FormatError> {
        let key = self.key()?;
        let flags = self.flags();
        let width = self.amount("width too big", isize::MAX as u64)?;
        let precision = if self.accept('.') {
            let given = self.amount("precision too big", i32::MAX as u64)?;
            Some(given.unwrap_or(Amount::Given(0)))
        } else {
            None
        };
        if self.rest.starts_with(['h', 'l', 'L']) {
            self.take();
        }
        let at = self.at;
        let kind = self
            .take()
            .ok_or_else(|| FormatError::value("incomplete format"))?;
        Ok(Conversion {
            key,
            width,
            precision,
            kind,
            flags,
            at,
        })
    }

    fn key(&mut self) -> Result<Option<&'a str>, FormatError> {
        if !self.accept('(') {
            return Ok(None);
        }
        if !self.mapping {
            return Err(FormatError::Type("format requires a mapping"));
        }
        let mut open = 1_usize;
        let end = self.rest.find(|c| {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            open == 0
        });
        let end = end.ok_or_else(|| FormatError::value("incomplete format key"))?;
        let key = self.text(end);
        self.take();
        Ok(Some(key))
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            let flag = match self.rest.as_bytes().first() {
                Some(b'-') => &mut flags.left,
                Some(b'+') => &mut flags.plus,
                Some(b' ') => &mut flags.space,
                Some(b'#') => &mut flags.alternate,
                Some(b'0') => &mut flags.zero,
                _ => return flags,
            };
            *flag = true;
            self.take();
        }
    }

    fn amount(&mut self, too_big: &str, most: u64) -> Result<Option<Amount>, FormatError> {
        if self.accept('*') {
            return Ok(Some(Amount::Argument));
        }
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Ok(None);
        }
        let amount = self
            .text(count)
            .parse()
            .ok()
            .filter(|&amount| amount <= most);
        match amount {
            Some(amount) => Ok(Some(Amount::Given(amount))),
            None => Err(FormatError::value(too_big)),
        }
    }
}

impl<'a> Iterator for Percent<'a> {
    type Item = Result<Segment<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        if !self.accept('%') {
            let end = self.rest.find('%').unwrap_or(self.rest.len());
            return Some(Ok(Segment::Text(self.text(end))));
        }
        if self.rest.starts_with('%') {
            return Some(Ok(Segment::Text(self.text(1))));
        }
        let conversion = self.conversion();
        if conversion.is_err() {
            self.rest = "";
        }
        Some(conversion.map(Segment::Conversion))
    }
}

impl Conversion<'_> {
    /// What to raise for a kind that does not exist, once its argument was fetched.
    pub(crate) fn unsupported(&self) -> FormatError {
        let shown = if matches!(self.kind, '\x1f'..='~') {
            self.kind
        } else {
            '?'
        };
        FormatError::Value(format!(
            "unsupported format character '{shown}' (0x{:x}) at index {}",
            u32::from(self.kind),
            self.at
        ))
    }

    /// With the arguments for the stars, which are not looked at where there is no star.
    pub(crate) fn layout(&self, width: i64, precision: i64) -> Result<Layout, FormatError> {
        let mut flags = self.flags;
        let width = match self.width {
            None => 0,
            Some(Amount::Given(width)) => width,
            Some(Amount::Argument) => {
                flags.left |= width < 0;
                width.unsigned_abs()
            }
        };
        let precision = match self.precision {
            None => None,
            Some(Amount::Given(precision)) => Some(precision),
            Some(Amount::Argument) => Some(u64::try_from(precision).unwrap_or(0)),
        };
        let precision = precision.map(|precision| precision as usize);
        Ok(Layout {
            flags,
            width: limited(width)?,
            precision,
        })
    }
}

/// For `%d`, `%i`, `%u`, `%x`, `%X` and `%o`.
pub(crate) fn percent_int(n: &BigInt, kind: char, layout: &Layout) -> Result<String, FormatError> {
    let (digits, prefix) = in_base(n, kind);
    let precision = limited(layout.precision.unwrap_or(0) as u64)?;
    let zeros = "0".repeat(precision.saturating_sub(digits.len()));
    let prefix = if layout.flags.alternate { prefix } else { "" };
    laid_out(
        layout,
        Some(n.sign() == Sign::Minus),
        prefix,
        &(zeros + &digits),
    )
}

/// For `%e`, `%f`, `%g` and their capitals.
pub(crate) fn percent_float(x: f64, kind: char, layout: &Layout) -> Result<String, FormatError> {
    let precision = layout.precision.unwrap_or(6);
    let notation = match kind {
        'e' | 'E' => Notation::Exponent(precision),
        'f' | 'F' => Notation::Fixed(precision),
        _ => Notation::General(precision),
    };
    let style = FloatStyle {
        alternate: layout.flags.alternate,
        upper: kind.is_ascii_uppercase(),
        ..FloatStyle::new(notation)
    };
    limited(style.length() as u64)?;
    let text = float_text(x, style);
    match text.strip_prefix('-') {
        Some(size) => laid_out(layout, Some(true), "", size),
        None => laid_out(layout, Some(false), "", &text),
    }
}

/// For `%s`, `%r` and `%a`.
pub(crate) fn percent_text(text: &str, layout: &Layout) -> Result<String, FormatError> {
    let text = cut(text, layout.precision.map(|precision| precision as u64));
    laid_out(layout, None, "", text)
}

/// For `%c` with a text of one character.
pub(crate) fn percent_char(c: char, layout: &Layout) -> Result<String, FormatError> {
    laid_out(layout, None, "", c.encode_utf8(&mut [0; 4]))
}

/// For `%c` with an integer.
pub(crate) fn percent_code(code: i64, layout: &Layout) -> Result<String, FormatError> {
    let c = char_of(code).ok_or(FormatError::Overflow("%c arg not in range(0x110000)"))?;
    percent_char(c, layout)
}

/// `negative` is for numbers only: what has no sign is never filled with zeros.
fn laid_out(
    layout: &Layout,
    negative: Option<bool>,
    prefix: &str,
    body: &str,
) -> Result<String, FormatError> {
    let flags = layout.flags;
    let sign = match negative {
        Some(true) => "-",
        Some(false) if flags.plus => "+",
        Some(false) if flags.space => " ",
        _ => "",
    };
    let length = sign.len() + prefix.len() + body.chars().count();
    let padding = layout.width.saturating_sub(length);
    limited(body.len().saturating_add(padding) as u64)?;
    let zeros = negative.is_some() && flags.zero && !flags.left;
    let fill = if zeros { "0" } else { " " }.repeat(padding);
    Ok(if flags.left {
        format!("{sign}{prefix}{body}{fill}")
    } else if zeros {
        format!("{sign}{prefix}{fill}{body}")
    } else {
        format!("{fill}{sign}{prefix}{body}")
    })
}
