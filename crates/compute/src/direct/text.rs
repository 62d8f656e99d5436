//! A question as frames read it: one spelling for signs, contractions and number words, and values as typed marks.
//!
//! [`Reading::plain`] is the lower-case text with digits for number words; [`Reading::canon`] has each value replaced by a
//! letter for its kind and its index: "What's an 18% tip on a $64.50 bill?" becomes `? P0 tip on M1 bill`. Kinds: N number,
//! P percent, M money, O ordinal, C clock time, D date, H month of a year, Z offset from UTC, and the letters of
//! [`Dimension`]. Articles and politeness are dropped; everything else stays, so that a frame has to account for it.

use super::{
    date::{self, Day},
    number_word,
    ratio::{Ratio, decimal, whole},
    unit::{Dimension, Unit},
};
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
}

impl Reading {
    /// Reads a question; nothing where it is too long.
    pub(super) fn new(question: &str) -> Option<Self> {
        if question.chars().count() > MOST_CHARS {
            return None;
        }
        let plain = plain(question);
        let mut items = Vec::new();
        let dated = with_times(&date::with_dates(&plain, &mut items), &mut items);
        let canon = canonical(&dated, &mut items);
        (items.len() <= MOST_ITEMS).then(|| Self {
            original: question.trim().to_owned(),
            plain,
            canon,
            items,
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

/// Signs and spellings that mean the same. Order matters: later rows see what earlier ones wrote.
#[rustfmt::skip]
static SPELLINGS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let rows = [
        (r"what's|whats\b", "what is"), (r"how's", "how is"), (r"that's", "that is"), (r"it's", "it is"), (r"there's", "there is"),
        (r"\bi'm\b", "i am"), (r"\bi've\b", "i have"), (r"\bi'd\b", "i would"), (r"\bi'll\b", "i will"), (r"\bwe're\b", "we are"),
        (r"\bwe've\b", "we have"), (r"when's", "when is"), (r"who's", "who is"), (r"\bwe'll\b", "we will"),
        (r"(\d+)\s?'\s?(\d+)(?:''|\x22)?", "$1 feet $2 inches"), (r"(\d+)\x22", "$1 inches"),
        (r"\bper\s?cent(?:age)?\b|\bpct\b", "percent"), (r"\bpercentage\b", "percent"), (r"(\d)\s*percent\b", "$1%"),
        (r"\bus\s?\$", "$"), (r"\bdegrees?\s+(celsius|centigrade|fahrenheit|kelvin)", "$1"),
        (r"°\s?c\b", " degc"), (r"°\s?f\b", " degf"), (r"°", " degrees"),
        (r"\bdegrees\s+([cf])\b", "deg$1"),
        (r"(\d)\s?([cf])\s+(in|to|into|as)\s+([cf])\b", "$1 deg$2 $3 deg$4"),
        (r"(\d)\s?([cf])\s+(in|to|into|as)\s+(celsius|fahrenheit|kelvin|degc|degf)", "$1 deg$2 $3 $4"),
        (r"(degc|degf|celsius|fahrenheit|kelvin)\s+(in|to|into|as)\s+([cf])\b", "$1 $2 deg$3"),
        (r"(\d)\s?f\b(\s+(?:oven|weather))?", "$1 degf$2"),
        (r"\b(?:square|sq\.?)\s+(?:kilomet(?:er|re)s?|km)\b|\bkm²|\bkm\^2", "km2"),
        (r"\b(?:square|sq\.?)\s+(?:centimet(?:er|re)s?|cm)\b|\bcm²|\bcm\^2", "cm2"),
        (r"\b(?:square|sq\.?)\s+(?:millimet(?:er|re)s?|mm)\b|\bmm²|\bmm\^2", "mm2"),
        (r"\b(?:square|sq\.?)\s+(?:met(?:er|re)s?|m)\b|\bm²|\bm\^2|\bsqm\b", "m2"),
        (r"(\d)m²", "$1 m2"), (r"(\d)cm²", "$1 cm2"),
        (r"\b(?:square|sq\.?)\s+(?:feet|foot|ft)\b|\bft²|\bft\^2|\bsqft\b", "ft2"), (r"\b(?:square|sq\.?)\s+(?:inch(?:es)?|in)\b", "in2"),
        (r"\b(?:square|sq\.?)\s+(?:yards?|yd)\b", "yd2"), (r"\b(?:square|sq\.?)\s+(?:miles?|mi)\b", "mi2"),
        (r"\bcubic\s+(?:centimet(?:er|re)s?|cm)\b|\bcm³|\bcm\^3", "cm3"), (r"\bcubic\s+(?:met(?:er|re)s?|m)\b|\bm³|\bm\^3", "m3"),
        (r"\bcubic\s+(?:decimet(?:er|re)s?|dm)\b|\bdm³", "dm3"),
        (r"\bcubic\s+(?:feet|foot|ft)\b|\bft³", "ft3"), (r"\bcubic\s+(?:inch(?:es)?|in)\b", "in3"),
        (r"\b(?:us\s+)?(?:fluid|fl\.?)\s*(?:ounces?|oz)\b", "floz"), (r"\bnautical\s+mile", "nautical_mile"),
        (r"\b(?:uk|imperial|british)\s+(gallon|pint|mpg)", "uk_$1"), (r"\bus\s+(gallon|pint|quart|cup|tsp|tbsp|teaspoon|tablespoon|mpg|fluid)", "$1"),
        (r"\b(gallons?|cups?|pints?|mpg)\s*\(us\)", "$1"), (r"\b(gallons?|pints?|mpg)\s*\((?:uk|imperial)\)", "uk_$1"),
        (r"\bmetric\s+ton", "metric_ton"), (r"\b(us|short)\s+ton", "us_ton"), (r"\bwatt[- ]hour", "watt_hour"), (r"\bkilowatt[- ]hour", "kilowatt_hour"),
        (r"\b(?:l|lit(?:er|re)s?)\s*(?:/|per|for|on|every)\s*(?:each\s+)?(?:100|a hundred|one hundred)\s*(?:km|kilomet(?:er|re)s?)\b", "l/100km"),
        (r"\bmiles?\s+(?:per|a|to\s+the)\s+(?:us\s+)?gallon\b(?:\s*\(us\))?", "mpg"), (r"\bmiles?\s+(?:per|an)\s+hour\b|\bmi/h\b", "mph"),
        (r"\b(?:km|kilomet(?:er|re)s?)\s*(?:/|per|an)\s*(?:h|hr|hour)\b|\bkm/hr\b", "km/h"), (r"\b(?:m|met(?:er|re)s?)\s*(?:/|per|a)\s*(?:s|sec|second)\b", "m/s"),
        (r"\b(?:km|kilomet(?:er|re)s?)\s*(?:/|per)\s*(?:l|lit(?:er|re))\b", "km/l"), (r"\b(?:feet|foot|ft)\s*(?:/|per|a)\s*(?:s|sec|second)\b", "ft/s"),
        (r"\bhalf\s+an\s+hour\b", "30 minutes"), (r"\b(?:a\s+)?quarter\s+of\s+an\s+hour\b", "15 minutes"),
        (r"\b(?:an|one)\s+hour\s+and\s+a\s+half\b|\b(?:one|1)\s+and\s+a\s+half\s+hours?\b", "90 minutes"),
        (r"\ban\s+hour\s+and\s+a\s+quarter\b", "75 minutes"),
        (r"\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten)\s+and\s+a\s+half\b", "$1 1/2"),
        (r"\b(?:an|one)\s+hour\s+and\s+(\d+)", "1 hour and $1"),
        (r"\bthree[- ]quarters\s+(?:of\s+)?(?:a|an)\s+", "3/4 "), (r"\bthree[- ]quarters\b", "3/4"), (r"\btwo[- ]thirds\b", "2/3"), (r"\bone[- ]half\b", "1/2"), (r"\b(?:a|one)[- ]third\b", "1/3"),
        (r"\b(?:a|one)[- ]quarter\b", "1/4"), (r"\bone[- ]fourth\b", "1/4"), (r"\bone[- ]fifth\b", "1/5"), (r"\bthree[- ]fourths\b", "3/4"),
        (r"consumption\s+(?:per|(?:in\s+)?(?:l|lit(?:er|re)s?)\s+per)\s+100\s?(?:km|kilomet(?:er|re)s?)\b", "consumption in l/100km"), (r"\bhalf\s+(?:a|an)\s+", "1/2 "), (r"(\d)h(\d{1,2})(?:\s?m(?:ins?)?)?\b", "$1 hours $2 minutes"), (r"(\d)\s?h\s(\d{1,2})\s?m\b", "$1 hours $2 minutes"), (r"\bp\.\s?p\.|\bpp\b", "per person"), (r"\bincl\b\.?", "including"), (r"\bexcl\b\.?", "excluding"),
        (r"\b(?:swedish|japanese|swiss|indian|mexican|norwegian|danish|american|chinese|us)\s+(kron\w+|yen|francs?|rupees?|pesos?|dollars?|yuan)", "$1"), (r"\b(?:british\s+pounds?|pounds?\s+sterling)\b", "gbp"), (r"\bcanadian\s+dollars?", "cad"), (r"\baustralian\s+dollars?", "aud"), (r"\bapprox\.?", "approximately"), (r"\bvs\.?\b", "or"), (r"\bo'?clock\b", "oclock"),
    ];
    rows.iter().map(|(pattern, with)| (Regex::new(pattern).expect("fixed"), *with)).collect()
});

/// The lower-case text in one spelling, number words as digits.
fn plain(question: &str) -> String {
    let mut text = String::with_capacity(question.len());
    for c in question.chars() {
        match c {
            '×' | '✕' | '⋅' | '·' => text.push_str(" * "),
            '÷' => text.push_str(" / "),
            '−' | '–' | '—' => text.push('-'),
            '’' | '‘' | '′' => text.push('\''),
            '“' | '”' | '„' | '″' => text.push('"'),
            '½' => text.push_str(" 1/2"),
            '¼' => text.push_str(" 1/4"),
            '¾' => text.push_str(" 3/4"),
            '⅓' => text.push_str(" 1/3"),
            '⅔' => text.push_str(" 2/3"),
            '√' => text.push_str(" sqrt "),
            'π' => text.push_str(" pi "),
            '\u{a0}' | '\u{202f}' => text.push(' '),
            _ => text.extend(c.to_lowercase()),
        }
    }
    for (pattern, with) in SPELLINGS.iter() {
        text = pattern.replace_all(&text, *with).into_owned();
    }
    // Next to other currencies a pound is money.
    static POUND: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bpounds?\b").expect("fixed"));
    static MONEY: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"dollar|usd|euro|\beur\b|[$€]|\byen\b").expect("fixed"));
    static MASS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bkg|gram|ounce|\boz\b|weigh|\blbs?\b|\bper pound|\ba pound\b|heavy")
            .expect("fixed")
    });
    if POUND.is_match(&text) && MONEY.is_match(&text) && !MASS.is_match(&text) {
        text = POUND.replace_all(&text, "gbp").into_owned();
    }
    let text = text.replace('²', "^2").replace('³', "^3");
    number_word::to_digits(&text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Clock times, times of a stopwatch and offsets from UTC become marks.
fn with_times(text: &str, items: &mut Vec<Item>) -> String {
    static TIME: LazyLock<Regex> = LazyLock::new(|| {
        let half = r"\s?(am|pm|a\.m\.?|p\.m\.?)\b\.?";
        let pattern = format!(
            r"\b(?:utc|gmt)\s?(?:([+-])\s?(\d{{1,2}})(?::?(\d{{2}}))?\b)?|\b(\d{{1,3}}):(\d{{2}})(?::(\d{{2}}))?\b(?:{half})?(?:\s?h\b)?|\b(\d{{1,2}})(?:\.(\d{{2}}))?{half}|\b(\d{{1,2}}) oclock(?:{half})?|\b(noon|midnight)\b"
        );
        Regex::new(&pattern).expect("fixed")
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
        Regex::new(r"[A-Z]\d+|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+|l/100km|km/h|m/s|ft/s|km/l|[\p{L}_]+(?:'[\p{L}]+)?\d?(?:\d*[\p{L}_]+)*|\S").expect("fixed")
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
    matches!(&tokens[at - 1], Token::Word(word) if ["is", "was", "of", "to", "from", "at", "and", "or", "are", "were", "by", "than", "with", "has", "had"].contains(&word.as_str()))
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

/// Articles and politeness go, "a" between a number and a unit is "per", and what only asks becomes `?`.
fn polish(text: &str) -> String {
    #[rustfmt::skip]
    static ROWS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
        let rows = [
            (r"\s+", " "),
            (r"[()\x22`{}\[\]]", " "),
            (r"\s+", " "),
            (r"([NMTLWV]\d+(?: (?:gross|net|dollars|off|each|rent|kwh|points|pages|words|steps))?) (?:a|an|each|every|/) (hour|day|week|month|year|annum|night|person|head|piece|kg|kilo|lit(?:er|re)|l|gallon|pound|lb|share|ticket|minute|second|bottle|box|unit|item|km|kilometer|kilometre|mile|m2|m|meter|metre|liter|litre|cup|egg|can|pack|gram|g|oz|shift|quarter|dozen|kwh)\b", "$1 per $2"),
            (r" / ([a-z]+)\b", " per $1"),
            (r"\b(that|it|this|earn|make|get|pay|save|spend|cost|much) (?:a|an|each|every) (hour|day|week|month|year)\b", "$1 per $2"),
            (r"\b(?:please|pls|kindly|thanks|thank you|the|my|our|your|his|their|an|a)\b", " "),
            (r"\s+", " "),
            (r"^(?: ?(?:hey|hi|hello|ok|okay|so|well|quick question|question|quickly|just) [,.:!]*)+", " "),
            (r"\b(?:can|could|would|will) you (?:tell me|calculate|compute|work out|figure out|find|give me|convert|help me calculate|help me figure out|show me)\b", " ? "),
            (r"\b(?:i want to know|i need to know|i would like to know|do you know|any idea|i wonder|i am wondering|let me know)\b", " ? "),
            (r"(^|[.?] ?|, ?)\s*(?:calculate|compute|work out|figure out|find out|find|determine|evaluate|tell me|give me|show me)(?: for me)?\b", "$1 ? "),
            (r"\b(?:what is|what are|what was|what were|what will be|what would be|what would|how much is|how much are|how much was|how much would be|how much will be|what will)\b", " ? "),
            (r"\? (?:value of|result of|answer to|answer for|answer of|exact value of)\b", " ? "),
            (r"[?!]+\s*$", " "),
            (r"(?: ?[.,!;=:]| \?| equals?| equal to| is what| is how much| is equal to| makes what)+\s*$", ""),
            (r"\?(?: \?)+", "?"),
            (r"\s+", " "),
        ];
        rows.iter().map(|(pattern, with)| (Regex::new(pattern).expect("fixed"), *with)).collect()
    });
    let mut text = text.to_owned();
    for (pattern, with) in ROWS.iter() {
        text = pattern.replace_all(&text, *with).into_owned();
    }
    text.trim().to_owned()
}
