//! What a prompt asks of the form of an answer, and whether an answer has it: the lab's own grader.
//!
//! Shares no code with `reckon_assistant::check`, on purpose. The constraints guard accepts a second answer because its
//! checks say that more requirements hold; graded by the same checks every such answer would be a gain, its mistakes
//! included. So words, sentences and paragraphs are counted here once more, as plainly as possible, after the description
//! of IFEval's checkers. `ifeval.rs` makes requirements of ids and arguments, `requirement/ask.rs` of a prompt's words.
//!
//! An answer that fulfils a requirement because it no longer says anything is no gain either: `requirement/content.rs`.
//!
//! A verdict is yes, no or, where plain counting cannot tell, nothing. An empty answer fulfils nothing.

/// A fixed pattern, compiled once.
macro_rules! pattern {
    ($name:ident, $($text:literal),+) => {
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new(concat!($($text),+)).expect("fixed"));
    };
}

mod ask;
mod content;
mod count;
mod language;

pub(crate) use ask::asked;
pub(crate) use content::has_lost;
pub(crate) use count::{Counted, Unit};

use regex::RegexBuilder;

/// How the lab's own grader is called in reports.
pub const GRADER: &str = "requirements, counted by the lab";

/// One requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// IFEval's id where it has one, else one of the same form.
    pub id: String,
    pub(crate) rule: Rule,
}

/// A bound on a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Below(u64),
    AtMost(u64),
    Exactly(u64),
    AtLeast(u64),
    Above(u64),
}

impl Bound {
    fn holds(self, n: u64) -> bool {
        match self {
            Self::Below(most) => n < most,
            Self::AtMost(most) => n <= most,
            Self::Exactly(wanted) => n == wanted,
            Self::AtLeast(least) => n >= least,
            Self::Above(least) => n > least,
        }
    }

    /// Whether so many are too many.
    fn is_exceeded_by(self, n: u64) -> bool {
        match self {
            Self::Below(most) => n >= most,
            Self::AtMost(most) | Self::Exactly(most) => n > most,
            Self::AtLeast(_) | Self::Above(_) => false,
        }
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Count(Counted, Bound),
    /// Every part has so many words.
    EachWords(Unit, Bound),
    /// Every part begins with this letter.
    EachLetter(Unit, char),
    /// The parts begin with this letter and those that follow it.
    Alphabet(Unit, char),
    /// All of these are there, also inside longer words.
    Has(Vec<String>),
    /// None of these words is there.
    Lacks(Vec<String>),
    Language(String),
    /// So many paragraphs, and this one, from 1, begins with this word.
    ParagraphStart(u64, u64, String),
    Postscript(String),
    Options(Vec<String>),
    Json,
    Title,
    TwoResponses,
    Repeats(String),
    EndsWith(String),
    Quoted,
    Upper,
    Lower,
    NoComma,
    /// Asked for, but not to be told by counting.
    Undecided,
}

impl Requirement {
    pub(crate) fn new(id: impl Into<String>, rule: Rule) -> Self {
        let id = id.into();
        Self { id, rule }
    }

    /// Whether an answer fulfils it; nothing if that cannot be told.
    pub fn holds(&self, text: &str) -> Option<bool> {
        match &self.rule {
            Rule::Undecided => None,
            _ if text.trim().is_empty() => Some(false),
            Rule::Language(code) => language::is_in(text, code),
            Rule::Count(what, bound) if what.of(text).is_some_and(|n| !bound.holds(n)) => {
                // Whether a title or a lead-in counts is for the reader to say, not for us.
                let n = what.without_heading(text);
                let is_open = n.is_some_and(|n| bound.holds(n));
                (!is_open).then_some(false)
            }
            rule => Some(rule.holds(text)),
        }
    }

    /// Whether this draft had to lose words to fulfil it: it is too long, or it must be said in another way altogether.
    fn takes_words(&self, draft: &str) -> bool {
        match &self.rule {
            Rule::Count(what, bound) => {
                what.is_length() && what.of(draft).is_some_and(|n| bound.is_exceeded_by(n))
            }
            Rule::EachWords(unit, bound) => {
                let mut parts = unit.parts(draft).into_iter();
                parts.any(|part| bound.is_exceeded_by(count::spoken(part)))
            }
            Rule::Language(_) | Rule::Options(_) => true,
            _ => false,
        }
    }
}

impl Rule {
    fn holds(&self, text: &str) -> bool {
        let lower = || text.to_lowercase();
        let whole = text.trim();
        match self {
            Self::Count(what, bound) => what.of(text).is_some_and(|n| bound.holds(n)),
            Self::EachWords(unit, bound) => {
                let parts = unit.parts(text);
                let holds = |part: &&str| bound.holds(count::spoken(part));
                !parts.is_empty() && parts.iter().all(holds)
            }
            Self::EachLetter(unit, letter) => {
                let parts = unit.parts(text);
                let holds = |part: &&str| count::initial(part) == Some(*letter);
                !parts.is_empty() && parts.iter().all(holds)
            }
            Self::Alphabet(unit, from) => is_alphabet(&unit.parts(text), *from),
            Self::Has(words) => words
                .iter()
                .all(|word| lower().contains(&word.to_lowercase())),
            Self::Lacks(words) => !words.iter().any(|word| has_word(text, word)),
            Self::ParagraphStart(paragraphs, nth, word) => {
                count::paragraph_starts(text, *paragraphs, *nth, word)
            }
            Self::Postscript(marker) => has_postscript(&lower(), marker),
            Self::Options(options) => options.iter().any(|option| text.contains(option)),
            Self::Json => serde_json::from_str::<serde::de::IgnoredAny>(unfenced(whole)).is_ok(),
            Self::Title => text.lines().any(has_title),
            Self::TwoResponses => are_two(text),
            Self::Repeats(words) => whole
                .to_lowercase()
                .starts_with(&words.trim().to_lowercase()),
            Self::EndsWith(words) => {
                let end = whole.trim_matches('"').to_lowercase();
                end.ends_with(&words.trim().to_lowercase())
            }
            Self::Quoted => whole.len() > 1 && whole.starts_with('"') && whole.ends_with('"'),
            Self::Upper => {
                !text.chars().any(char::is_lowercase) && text.chars().any(char::is_uppercase)
            }
            Self::Lower => {
                !text.chars().any(char::is_uppercase) && text.chars().any(char::is_lowercase)
            }
            Self::NoComma => !text.contains(','),
            Self::Language(_) | Self::Undecided => false,
        }
    }
}

/// Behind `z` comes `a`.
fn is_alphabet(parts: &[&str], from: char) -> bool {
    let letters = ('a'..='z').cycle().skip_while(|letter| *letter != from);
    let mut pairs = parts.iter().zip(letters);
    !parts.is_empty()
        && from.is_ascii_lowercase()
        && pairs.all(|(part, letter)| count::initial(part) == Some(letter))
}

/// As a whole word, in any case.
fn has_word(text: &str, word: &str) -> bool {
    let pattern = format!(r"\b{}\b", regex::escape(word.trim()));
    let found = RegexBuilder::new(&pattern).case_insensitive(true).build();
    found.is_ok_and(|found| found.is_match(text))
}

/// The marker as it is usually spaced.
fn has_postscript(lower: &str, marker: &str) -> bool {
    let close: String = lower.split(' ').collect();
    let wanted = match marker {
        "P.P.S" => "p.p.s".to_owned(),
        "P.S." => "p.s.".to_owned(),
        other => other.to_lowercase().split(' ').collect(),
    };
    close.contains(&wanted)
}

/// Without a code fence around it.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").unwrap_or(text);
    let inner = inner.strip_suffix("```").unwrap_or(inner);
    let names = ["json", "Json", "JSON"];
    let named = names.iter().find_map(|name| inner.strip_prefix(name));
    named.unwrap_or(inner).trim()
}

/// `<<text>>` on this line.
fn has_title(line: &str) -> bool {
    let Some((_, rest)) = line.split_once("<<") else {
        return false;
    };
    let inside = rest.rsplit_once(">>").map(|(inside, _)| inside);
    inside.is_some_and(|inside| !inside.trim_matches(['<', '>', ' ']).is_empty())
}

/// Two different answers with six asterisks between them.
fn are_two(text: &str) -> bool {
    let parts: Vec<&str> = text.split("******").map(str::trim).collect();
    let last = parts.len() - 1;
    let inner_empty = (1..last).any(|at| parts[at].is_empty());
    let full: Vec<&&str> = parts.iter().filter(|part| !part.is_empty()).collect();
    !inner_empty && matches!(full[..], [one, other] if one != other)
}
