//! Numbers and bounds in words: "no more than twenty-five", "300+", "5 or fewer", "between 40 and 60".
//!
//! [`amounts`] reads every number of a prompt once, [`Noun`] keeps those before one noun; [`times`] reads a bound
//! before "times", or "once" and "twice", at the start of a text. Both know negation: "not more than 5" is at most 5.
use super::{
    pattern::{MOST_MATCHES, pattern, patterns},
    prompt::Prompt,
    rule::{Bound, Relation},
};
use regex::{Captures, Regex};
use std::{ops::Range, sync::LazyLock};

/// The number of a text that `{number}` matches.
pub(super) fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.replace(',', "");
    if let Ok(value) = digits.parse() {
        return Some(value);
    }
    let mut sum = 0_u64;
    for word in text
        .split([' ', '-', '\t', '\n'])
        .filter(|word| !word.is_empty())
    {
        sum = match word {
            "a" => 1,
            "hundred" => sum.max(1) * 100,
            "thousand" => sum.max(1) * 1000,
            "dozen" => sum.max(1) * 12,
            word => sum + small(word)?,
        };
    }
    (sum > 0).then_some(sum)
}

fn small(word: &str) -> Option<u64> {
    const ONES: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
                        fifteen sixteen seventeen eighteen nineteen";
    const TENS: &str = "twenty thirty forty fifty sixty seventy eighty ninety";
    let place = |names: &str| names.split(' ').position(|name| name == word);
    let ten = place(TENS).map(|index| index * 10 + 20);
    place(ONES).or(ten).map(|value| value as u64)
}

/// The number that an ordinal names: "second", "3rd", "8-th"; 0 is "last".
pub(super) fn ordinal(text: &str) -> Option<u64> {
    const NAMES: [&str; 13] = [
        "last", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth",
        "ninth", "tenth", "eleventh", "twelfth",
    ];
    let text = text.trim();
    let named = NAMES.iter().position(|name| *name == text);
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    named
        .map(|index| index as u64)
        .or_else(|| digits.parse().ok())
}

/// A bound, or two of them, stated about a noun.
#[derive(Debug)]
pub(super) struct Stated {
    /// The words of the bound and its noun.
    pub(super) span: Range<usize>,
    /// One bound, or the two ends of a range.
    pub(super) bounds: Vec<Bound>,
    /// Whether a word of comparison was there, or only the number.
    pub(super) explicit: bool,
    /// Whether the number stands before its noun like an adjective: "a 500-word essay".
    pub(super) hyphenated: bool,
}

/// A number in a prompt with the words of comparison before and behind it.
#[derive(Debug)]
pub(super) struct Amount {
    start: usize,
    /// Where the noun may begin.
    end: usize,
    low: u64,
    high: Option<u64>,
    /// The relation of the words before the number, negation applied, or of those right behind it.
    word: Option<Relation>,
    hyphenated: bool,
}

/// Every number of a prompt that stands before a word.
pub(super) fn amounts(prompt: &Prompt<'_>) -> Vec<Amount> {
    let amount = |captures: Captures<'_>| {
        let whole = captures.get(0)?;
        let text = |name: &str| captures.name(name).map(|part| part.as_str());
        Some(Amount {
            start: whole.start(),
            end: whole.end(),
            low: number(text("low")?)?,
            high: text("high").and_then(number),
            word: relation(
                prompt,
                whole.start(),
                text("before"),
                text("after").or(text("plus")),
            ),
            hyphenated: text("gap")?.contains('-'),
        })
    };
    let all = AMOUNT.captures_iter(&prompt.open).take(MOST_MATCHES);
    all.filter_map(amount).collect()
}

/// Finds bounds on one noun.
pub(super) struct Noun {
    noun: Regex,
}

impl Noun {
    /// For a noun and the words that may stand between the number and it, both patterns.
    pub(super) fn new(between: &str, noun: &str) -> Self {
        Self {
            noun: pattern(&format!(
                r"^({between})(?<noun>{noun})\b(\s*\(?(?<after>{{after}})\b)?"
            )),
        }
    }

    /// Every bound on the noun in the open text of the prompt.
    pub(super) fn all(&self, prompt: &Prompt<'_>) -> Vec<Stated> {
        prompt
            .amounts
            .iter()
            .filter_map(|amount| self.stated(prompt, amount))
            .collect()
    }

    fn stated(&self, prompt: &Prompt<'_>, amount: &Amount) -> Option<Stated> {
        let rest = &prompt.open[amount.end..];
        let rest = &rest[..rest.floor_char_boundary(NOUN_WINDOW)];
        let captures = self.noun.captures(rest)?;
        let noun = captures.name("noun")?.as_str();
        let behind = captures.name("after").map(|after| trailing(after.as_str()));
        let word = match (amount.word, behind) {
            (None | Some(Relation::Exactly | Relation::About), Some(behind)) => Some(behind),
            (word, _) => word,
        };
        let bounds = bounds(amount.low, amount.high, word);
        Some(Stated {
            span: amount.start..amount.end + captures.get(0)?.end(),
            explicit: word.is_some() || bounds.len() > 1,
            hyphenated: amount.hyphenated || noun.ends_with("word") && amount.low > 1,
            bounds,
        })
    }
}

/// The bounds that stand alone: "less than 5", "40 to 60". The noun that they lack is lent to them.
pub(super) fn bounds_of(value: &str) -> Vec<Bound> {
    static UNITS: LazyLock<Noun> = LazyLock::new(|| Noun::new("", "units"));
    let lent = format!("Use {value} units");
    let stated = UNITS.all(&Prompt::new(&lent)).into_iter().next();
    stated.map_or(Vec::new(), |stated| stated.bounds)
}

/// How far behind a number its noun may end.
const NOUN_WINDOW: usize = 160;

/// One bound, or the two of a range.
fn bounds(low: u64, high: Option<u64>, word: Option<Relation>) -> Vec<Bound> {
    match high {
        Some(high) if high >= low => range(low, high, word),
        _ => vec![Bound::new(word.unwrap_or(Relation::Exactly), low)],
    }
}

/// The bounds of "40 to 60"; a word of comparison before it narrows nothing but "about".
fn range(low: u64, high: u64, word: Option<Relation>) -> Vec<Bound> {
    match word {
        Some(Relation::About) => vec![Bound::new(Relation::About, low.midpoint(high))],
        Some(relation @ (Relation::LessThan | Relation::AtMost)) => {
            vec![Bound::new(relation, high)]
        }
        _ => vec![
            Bound::new(Relation::AtLeast, low),
            Bound::new(Relation::AtMost, high),
        ],
    }
}

/// The relation of the words around a number, negation applied.
fn relation(
    prompt: &Prompt<'_>,
    start: usize,
    before: Option<&str>,
    after: Option<&str>,
) -> Option<Relation> {
    let trailing = after.map(trailing);
    let leading = before.map(leading);
    match (leading, trailing) {
        // "no more than 5 or so" does not occur; "exactly 5 or more" would be read as its second half.
        (None | Some(Relation::Exactly | Relation::About), Some(trailing)) => Some(trailing),
        (None, None) => LIMITED
            .is_match(prompt.before(start))
            .then_some(Relation::AtMost),
        (Some(relation), _) => {
            let said_no = before.is_some_and(|words| SAYS_NO.is_match(words));
            let negated = !said_no && NEGATION.is_match(prompt.before(start));
            Some(if negated {
                opposite(relation)
            } else {
                relation
            })
        }
    }
}

/// The relation of words behind a number.
fn trailing(words: &str) -> Relation {
    let up = [
        "more", "greater", "above", "longer", "higher", "min", "least", "+",
    ];
    if up.iter().any(|word| words.contains(word)) {
        Relation::AtLeast
    } else {
        Relation::AtMost
    }
}

/// The relation of words before a number.
fn leading(words: &str) -> Relation {
    let words: Vec<&str> = words.split_whitespace().collect();
    let joined = words.join(" ");
    let starts = |list: &[&str]| list.iter().any(|one| joined.starts_with(one));
    if starts(&["less", "fewer", "smaller", "shorter", "under", "below"]) {
        Relation::LessThan
    } else if starts(&[
        "no less",
        "not less",
        "no fewer",
        "not fewer",
        "no shorter",
        "at least",
        "at the least",
    ]) || starts(&["at minimum", "a min", "min"])
    {
        Relation::AtLeast
    } else if starts(&["more", "greater", "longer", "over", "above", "exceed"]) {
        Relation::MoreThan
    } else if starts(&["exactly", "precisely", "strictly", "only", "just"]) {
        Relation::Exactly
    } else if starts(&[
        "around", "about", "approx", "roughly", "nearly", "almost", "close", "~", "some",
    ]) {
        Relation::About
    } else {
        Relation::AtMost
    }
}

fn opposite(relation: Relation) -> Relation {
    match relation {
        Relation::LessThan => Relation::AtLeast,
        Relation::AtMost => Relation::MoreThan,
        Relation::AtLeast => Relation::LessThan,
        Relation::MoreThan => Relation::AtMost,
        other => other,
    }
}

/// A bound before "times" at the start of a text, and how many bytes it takes.
pub(super) fn times(prompt: &Prompt<'_>, at: usize) -> Option<(Vec<Bound>, usize)> {
    let rest = prompt.after(at);
    let captures = TIMES.captures(rest)?;
    let text = |name: &str| captures.name(name).map(|part| part.as_str());
    let low = match text("low")? {
        "once" => 1,
        "twice" => 2,
        "thrice" => 3,
        words => text("times").and_then(|_| number(words))?,
    };
    let after = text("mid").or(text("plus")).or(text("after"));
    let start = at + captures.name("start").map_or(0, |part| part.end());
    let word = relation(prompt, start, text("before"), after);
    let bounds = bounds(low, text("high").and_then(number), word);
    Some((bounds, captures.get(0)?.end()))
}

patterns! {
    AMOUNT = r"(\b(?<before>{before})\s*)?((a |the )?(grand )?(total|number|range|set|sum|length) of |(the|a|between|from) )*
        (\b|\()(?<low>{number})(\s?(?<plus>\+)| (?<after>{after}))?(\s*(-|–|—|to|and|or)\s*(?<high>{number}))?(?<gap>[\s-]+)";
    TIMES = r"^(?<start>[\s,(]*((for|to|a total of|a|in your ([a-z]+ )?({answer})|in the ([a-z]+ )?[a-z]+|in it) )*)
        ((?<before>{before})\s*)?(between )?(?<low>once\b|twice\b|thrice\b|{number})(\s?(?<plus>\+)| (?<mid>{after}))?
        (\s*(-|–|to|and|or)\s*(?<high>{number}))?(?<times> (different |separate )?(times?|occurrences?)\b)?
        (\s*\(?(?<after>{after})\b)?";
    /// A negation that governs what follows: only small words stand between.
    NEGATION = r"({not}|\b(without|avoid|refrain from|nothing|no)) ((be|being|have|having|use|using|contain|containing|include
        |including|want|write|writing|go|going|exceed|it|to|is|the|any|anything|response|answer|your|that|appear|appearing
        |be used|used|mention|mentioning|more|get|make|take) ){0,5}$";
    SAYS_NO = r"^(no\b|without\b|{not})";
    /// "Limit your response to", "keep it to".
    LIMITED = r"\b(limit|limited|keep|restrict|cap)\b[^.?!,;\n]{0,40}\b(to|at) $";
}
