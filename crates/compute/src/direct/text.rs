//! A question as frames read it: one spelling for signs, contractions and number words, and values as typed marks.
//!
//! [`Reading::plain`] is the lower-case text with digits for number words; [`Reading::canon`] has each value replaced
//! by a letter for its kind and its index: "What's an 18% tip on a $64.50 bill?" becomes `? P0 tip on M1 bill`.
//! Kinds: N number, P percent, M money, O ordinal, C clock time, D date, H month of a year, Z offset from UTC, and
//! the letters of [`Dimension`]. Articles and politeness are dropped; everything else stays, so that a frame has to
//! account for it.

use super::{
    date::{self, Day},
    polish::polish,
    ratio::{Ratio, decimal, whole},
    show::asked_places,
    spelling,
    unit::{Dimension, Unit},
};
use crate::pattern::regex;
use num_traits::Zero;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Longer questions are texts with a question in them, not a computation.
const MOST_CHARS: usize = 2000;
const MOST_ITEMS: usize = 200;

/// A value of the question.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its letter in the canonical text.
    pub(super) kind: char,
    /// In its unit; minutes since midnight for a clock time, minutes for an offset, 12.5 for 12.5 %.
    pub(super) value: Ratio,
    /// The unit of a quantity.
    pub(super) unit: Option<&'static Unit>,
    /// The sign or name of a currency.
    pub(super) currency: Option<&'static str>,
    /// A date or month.
    pub(super) day: Option<Day>,
    /// Whether a clock time says am or pm, or can only be read in one way.
    pub(super) sure: bool,
    /// As the question writes it.
    pub(super) written: String,
}

impl Item {
    /// The quantity in base units (m, g, l, s …); other values as they are.
    pub(super) fn base(&self) -> Ratio {
        match self.unit {
            Some(unit) if !unit.size().is_zero() => &self.value * unit.size(),
            _ => self.value.clone(),
        }
    }

    fn new(kind: char, value: Ratio, written: &str) -> Self {
        let written = written.to_owned();
        Self {
            kind,
            value,
            unit: None,
            currency: None,
            day: None,
            sure: true,
            written,
        }
    }
}

/// A question, read.
#[derive(Debug)]
pub(super) struct Reading {
    /// As the person wrote it.
    pub(super) original: String,
    /// In lower case, with digits for number words.
    pub(super) plain: String,
    /// With marks for values.
    pub(super) canon: String,
    /// The values by index.
    pub(super) items: Vec<Item>,
    /// How many decimals the result is to have, if the question says so.
    pub(super) places: Option<usize>,
}

impl Reading {
    /// Reads a question; nothing where it is too long.
    pub(super) fn new(question: &str) -> Option<Self> {
        if question.chars().count() > MOST_CHARS {
            return None;
        }
        let plain = spelling::plain(question);
        let (canon, items) = marked(&plain)?;
        Some(Self {
            original: question.trim().to_owned(),
            places: asked_places(&plain),
            plain,
            canon,
            items,
        })
    }

    /// The same without the words that say how many decimals are wanted, which `places` keeps; nothing where there are
    /// none.
    pub(super) fn without_precision(&self) -> Option<Self> {
        let plain = spelling::without_precision(&self.plain)?;
        let (canon, items) = marked(plain)?;
        Some(Self {
            original: self.original.clone(),
            plain: plain.to_owned(),
            canon,
            items,
            places: self.places,
        })
    }

    /// The value of a mark such as `N3`.
    pub(super) fn item(&self, mark: &str) -> Option<&Item> {
        self.items.get(mark.get(1..)?.parse::<usize>().ok()?)
    }

    /// The one currency that the question uses, if any.
    pub(super) fn currency(&self) -> Option<&'static str> {
        self.items.iter().find_map(|item| item.currency)
    }
}

/// The canonical text of a plain one, and its values; nothing where they are too many.
fn marked(plain: &str) -> Option<(String, Vec<Item>)> {
    let mut items = Vec::new();
    let dated = with_times(&date::with_dates(plain, &mut items), &mut items);
    let canon = canonical(&dated, &mut items);
    (items.len() <= MOST_ITEMS).then_some((canon, items))
}

/// Clock times, times of a stopwatch and offsets from UTC become marks.
fn with_times(text: &str, items: &mut Vec<Item>) -> String {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        let half = r"\s?(am|pm|a\.m\.?|p\.m\.?)\b\.?";
        let pattern = format!(
            r"\b(?:utc|gmt)\s?(?:([+-])\s?(\d{{1,2}})(?::?(\d{{2}}))?\b)?|
              \b(\d{{1,3}}):(\d{{2}})(?::(\d{{2}}))?(?:{half}|\b)(?:\s?h\b)?|
              \b(\d{{1,2}})(?:\.(\d{{2}}))?{half}|
              \b(\d{{1,2}}) oclock(?:{half})?|
              \b(noon|midnight)\b"
        );
        regex(&pattern)
    });
    let mut mark = |found: &Captures<'_>| {
        let number = |group: usize| {
            found
                .get(group)
                .and_then(|part| part.as_str().parse::<i64>().ok())
        };
        let written = &found[0];
        let item = if written.starts_with("utc") || written.starts_with("gmt") {
            let sign = if found.get(1).is_some_and(|sign| sign.as_str() == "-") {
                -1
            } else {
                1
            };
            let minutes = number(2).unwrap_or(0) * 60 + number(3).unwrap_or(0);
            Some(Item::new('Z', whole(sign * minutes), written))
        } else if written == "noon" || written == "midnight" {
            Some(Item::new(
                'C',
                whole(if written == "noon" { 720 } else { 0 }),
                written,
            ))
        } else if let (Some(first), Some(second)) = (number(4), number(5)) {
            clock_or_stopwatch(
                first,
                second,
                number(6),
                found.get(7).map(|half| half.as_str()),
                written,
            )
        } else {
            let hour = number(8).or_else(|| number(11)).unwrap_or(99);
            let half = found
                .get(10)
                .or_else(|| found.get(12))
                .map(|half| half.as_str());
            clock_or_stopwatch(hour, number(9).unwrap_or(0), None, half, written)
        };
        match item {
            Some(item) => push(items, item),
            None => written.to_owned(),
        }
    };
    TIME.replace_all(text, |found: &Captures<'_>| mark(found))
        .into_owned()
}

/// `14:30`, `2:30 pm` or, where that is no time of a day, minutes and seconds.
fn clock_or_stopwatch(
    first: i64,
    second: i64,
    third: Option<i64>,
    half: Option<&str>,
    written: &str,
) -> Option<Item> {
    if second > 59 || third.is_some_and(|third| third > 59) {
        return None;
    }
    if half.is_none() && (third.is_some() || first > 24) {
        let seconds = match third {
            Some(third) => first * 3600 + second * 60 + third,
            None => first * 60 + second,
        };
        let mut item = Item::new('T', whole(seconds), written);
        item.unit = Unit::named("second");
        return Some(item);
    }
    let hour = match half.map(|half| half.starts_with('p')) {
        _ if first > 24 => return None,
        Some(_) if first > 12 || first == 0 => return None,
        Some(true) => first % 12 + 12,
        Some(false) => first % 12,
        None => first % 24,
    };
    let mut item = Item::new('C', whole(hour * 60 + second), written);
    item.sure = half.is_some() || first > 12 || written.starts_with('0');
    Some(item)
}

/// Stores a value and returns its mark.
pub(super) fn push(items: &mut Vec<Item>, item: Item) -> String {
    let mark = format!(" {}{} ", item.kind, items.len());
    items.push(item);
    mark
}

/// A mark for a date.
pub(super) fn push_day(items: &mut Vec<Item>, kind: char, day: Day, written: &str) -> String {
    let mut item = Item::new(kind, Ratio::zero(), written);
    item.day = Some(day);
    push(items, item)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Mark(String),
    Word(String),
    Number {
        value: Ratio,
        written: String,
        glued: bool,
    },
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"[A-Z]\d+|
              (?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|
              \.\d+|l/100km|km/h|m/s|ft/s|km/l|
              [\p{L}_]+(?:'[\p{L}]+)?\d?(?:\d*[\p{L}_]+)*|
              \S",
        )
    });
    let mut out = Vec::new();
    let mut end = usize::MAX;
    for found in TOKEN.find_iter(text) {
        let piece = found.as_str();
        let first = piece.chars().next().unwrap_or(' ');
        let token = if first.is_ascii_uppercase() {
            Token::Mark(piece.to_owned())
        } else if first.is_ascii_digit() || first == '.' && piece.len() > 1 {
            let digits = piece.replace(',', "");
            Token::Number {
                value: decimal(&digits),
                written: piece.to_owned(),
                glued: end == found.start(),
            }
        } else if first.is_alphabetic() || first == '_' {
            Token::Word(piece.to_owned())
        } else {
            Token::Sign(first)
        };
        end = found.end();
        out.push(token);
    }
    out
}

/// The canonical text: values become marks, articles go.
fn canonical(text: &str, items: &mut Vec<Item>) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < tokens.len() && items.len() <= MOST_ITEMS {
        if let Some((item, next)) = quantity(&tokens, at) {
            out.push_str(&push(items, item));
            at = next;
            continue;
        }
        match &tokens[at] {
            Token::Mark(mark) => out.push_str(&format!(" {mark} ")),
            Token::Word(word) => out.push_str(&format!(" {word} ")),
            Token::Sign(sign) => out.push_str(&format!(" {sign} ")),
            Token::Number { written, .. } => out.push_str(&format!(" {written} ")),
        }
        at += 1;
    }
    polish(&out)
}

/// A value that begins at `at`, and the token behind it.
fn quantity(tokens: &[Token], at: usize) -> Option<(Item, usize)> {
    let sign = |i: usize, wanted: char| tokens.get(i) == Some(&Token::Sign(wanted));
    let mut i = at;
    let negative = sign(i, '-')
        && (at == 0
            || !matches!(
                tokens[at - 1],
                Token::Number { .. } | Token::Mark(_) | Token::Word(_)
            )
            || follows_word(tokens, at));
    if negative {
        i += 1;
    }
    let mut currency = None;
    if let Some(Token::Sign(symbol)) = tokens.get(i) {
        currency = Some(match symbol {
            '$' => "$",
            '€' => "€",
            '£' => "£",
            '¥' => "¥",
            _ => return amount(tokens, at, i, negative, None),
        });
        i += 1;
    }
    amount(tokens, at, i, negative, currency)
}

/// `is -5`: a sign, not a difference.
fn follows_word(tokens: &[Token], at: usize) -> bool {
    const WORDS: &str = "is was of to from at and or are were by than with has had";
    matches!(&tokens[at - 1], Token::Word(word) if WORDS.split(' ').any(|known| known == word))
}

fn amount(
    tokens: &[Token],
    start: usize,
    at: usize,
    negative: bool,
    currency: Option<&'static str>,
) -> Option<(Item, usize)> {
    let Some(Token::Number { value, written, .. }) = tokens.get(at) else {
        return None;
    };
    let mut value = value.clone();
    let mut written = written.clone();
    let mut next = at + 1;
    // `3/4` and `1 1/2`.
    if let Some((below, end)) = below(tokens, next) {
        value /= below.0;
        written = format!("{written}/{}", below.1);
        next = end;
    } else if value.is_integer()
        && let Some(Token::Number {
            value: above,
            written: shown,
            ..
        }) = tokens.get(next)
        && let Some((below, end)) = below(tokens, next + 1)
        && above < &below.0
    {
        value += above / &below.0;
        written = format!("{written} {shown}/{}", below.1);
        next = end;
    }
    let word = |i: usize| match tokens.get(i) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    let scale = match word(next) {
        "k" | "thousand" => Some(1_000i64),
        "million" | "mio" => Some(1_000_000),
        "billion" => Some(1_000_000_000),
        _ => None,
    };
    if let Some(scale) = scale {
        value *= whole(scale);
        written = format!("{written} {}", word(next));
        next += 1;
    }
    if negative {
        value = -value;
        written.insert(0, '-');
    }
    let mut item = Item::new('N', value, &written);
    if currency.is_some() {
        item.kind = 'M';
        item.currency = currency;
        // "$5 dollars", "$5 USD".
        let again = currency_named(word(next)).is_some() as usize;
        return Some((item, next + again));
    }
    let _ = start;
    Some(with_unit(tokens, item, next))
}

/// The lower half of a fraction of whole numbers, written without spaces or with them.
fn below(tokens: &[Token], slash: usize) -> Option<((Ratio, String), usize)> {
    if tokens.get(slash) != Some(&Token::Sign('/')) {
        return None;
    }
    match tokens.get(slash + 1) {
        Some(Token::Number {
            value,
            written,
            glued: true,
        }) if value.is_integer() && !value.is_zero() => {
            Some(((value.clone(), written.clone()), slash + 2))
        }
        _ => None,
    }
}

/// What stands behind a number: percent, unit, currency, ordinal.
fn with_unit(tokens: &[Token], mut item: Item, next: usize) -> (Item, usize) {
    let word = |i: usize| match tokens.get(i) {
        Some(Token::Word(word)) => word.as_str(),
        _ => "",
    };
    match tokens.get(next) {
        Some(Token::Sign('%')) => {
            item.kind = 'P';
            return (item, next + 1);
        }
        Some(Token::Sign(symbol @ ('€' | '£' | '$'))) => {
            item.kind = 'M';
            item.currency = Some(match symbol {
                '€' => "€",
                '£' => "£",
                _ => "$",
            });
            return (item, next + 1);
        }
        _ => {}
    }
    if ["st", "nd", "rd", "th"].contains(&word(next)) && item.value.is_integer() {
        item.kind = 'O';
        return (item, next + 1);
    }
    if let Some(currency) = currency_named(word(next)) {
        item.kind = 'M';
        item.currency = Some(currency);
        return (item, next + 1);
    }
    // "12 in": inches only where no unit or number follows that it could be turned into.
    let unit = Unit::named(word(next));
    let Some(unit) = unit else {
        return (item, next);
    };
    item.kind = unit.dimension.letter();
    item.unit = Some(unit);
    item.written = format!("{} {}", item.written, word(next));
    compound(tokens, item, next + 1)
}

/// "2 hours 30 minutes", "5 feet 11 inches", "2h50": one value in the smaller unit.
fn compound(tokens: &[Token], mut item: Item, mut next: usize) -> (Item, usize) {
    loop {
        let Some(unit) = item.unit else {
            return (item, next);
        };
        let skip = usize::from(tokens.get(next) == Some(&Token::Word("and".into())));
        let Some(Token::Number {
            value,
            written,
            glued,
        }) = tokens.get(next + skip)
        else {
            return (item, next);
        };
        let named = match tokens.get(next + skip + 1) {
            Some(Token::Word(word)) => Unit::named(word).map(|unit| (unit, 1)),
            _ => None,
        };
        let bare =
            (*glued && unit.symbol == "hours" && skip == 0).then(|| (Unit::named("minute"), 0));
        let (smaller, tail) = match (named, bare) {
            (Some(found), _) => found,
            (None, Some((Some(minute), tail))) => (minute, tail),
            _ => return (item, next),
        };
        let mixable = matches!(unit.dimension, Dimension::Time)
            || matches!(
                (unit.symbol, smaller.symbol),
                ("ft", "in") | ("lb", "oz") | ("st", "lb") | ("m", "cm") | ("kg", "g")
            );
        if smaller.dimension != unit.dimension || smaller.size() >= unit.size() || !mixable {
            return (item, next);
        }
        item.value = &item.value * unit.size() / smaller.size() + value;
        item.unit = Some(smaller);
        item.written = format!("{} {written} {}", item.written, smaller.symbol);
        next += skip + 1 + tail;
    }
}

/// The currency that a word names.
pub(super) fn currency_named(word: &str) -> Option<&'static str> {
    Some(match word {
        "dollar" | "dollars" | "usd" | "bucks" | "buck" => "$",
        "euro" | "euros" | "eur" => "€",
        "gbp" | "quid" => "£",
        "yen" | "jpy" => "¥",
        "chf" | "francs" | "franc" => "CHF",
        "cent" | "cents" | "pence" => "cents",
        "rupees" | "inr" | "rupee" => "₹",
        "pesos" | "peso" | "mxn" => "pesos",
        "czk" | "crowns" | "koruna" => "CZK",
        "sek" | "kronor" | "krona" => "SEK",
        "cad" => "CAD",
        "aud" => "AUD",
        "pln" | "zloty" => "PLN",
        "yuan" | "cny" | "rmb" => "CNY",
        "nok" | "kroner" => "NOK",
        "dkk" => "DKK",
        _ => return None,
    })
}
