//! Counts the parts of a text: words, sentences, paragraphs, lines, marks.

use regex::Regex;
use std::ops::Range;

/// What is counted in a whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    Words,
    Sentences,
    Paragraphs,
    Lines,
    /// Parts between `***`.
    StarredParts,
    Bullets,
    Highlights,
    /// This word with a number behind it.
    Sections(String),
    Placeholders,
    CapitalWords,
    Letter(char),
    Keyword(String),
}

impl Counted {
    /// How many there are; nothing if a part between two marks is empty, which no number of parts allows.
    pub(super) fn of(&self, text: &str) -> Option<u64> {
        let n = match self {
            Self::Words => words(text).count(),
            Self::Sentences => sentences(text).len(),
            Self::Paragraphs => paragraphs(text).len(),
            Self::Lines => lines(text).count(),
            Self::StarredParts => starred(text)?,
            Self::Bullets => text.lines().filter(|line| is_bullet(line)).count(),
            Self::Highlights => highlights(text),
            Self::Sections(word) => sections(text, word),
            Self::Placeholders => PLACEHOLDER.find_iter(text).count(),
            Self::CapitalWords => capitals(text),
            Self::Letter(letter) => text.to_lowercase().chars().filter(|c| c == letter).count(),
            Self::Keyword(word) if word.is_empty() => 0,
            Self::Keyword(word) => text.to_lowercase().matches(&word.to_lowercase()).count(),
        };
        Some(n as u64)
    }

    /// How many paragraphs or lines there are without a title or a lead-in; nothing if there is neither.
    pub(super) fn without_heading(&self, text: &str) -> Option<u64> {
        let parts = match self {
            Self::Paragraphs => paragraphs(text),
            Self::Lines => lines(text).collect(),
            _ => return None,
        };
        let is_heading = |part: &&str| {
            part.starts_with(['#', '*', '<']) || part.ends_with(':') || words(part).count() <= 6
        };
        let first = parts.first().filter(|part| is_heading(part));
        first.map(|_| parts.len() as u64 - 1)
    }

    /// Whether a bound on it is one on the length of the text.
    pub(super) fn is_length(&self) -> bool {
        matches!(
            self,
            Self::Words
                | Self::Sentences
                | Self::Paragraphs
                | Self::Lines
                | Self::StarredParts
                | Self::Bullets
        )
    }
}

/// A part of an answer that something must hold for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Word,
    Sentence,
    Line,
    Paragraph,
}

impl Unit {
    /// By its name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "word" => Self::Word,
            "sentence" => Self::Sentence,
            "line" => Self::Line,
            "paragraph" => Self::Paragraph,
            _ => return None,
        })
    }

    /// The parts that have a letter or a digit.
    pub(super) fn parts(self, text: &str) -> Vec<&str> {
        let mut parts: Vec<&str> = match self {
            Self::Word => text.split_whitespace().collect(),
            Self::Sentence => sentences(text).into_iter().map(|at| &text[at]).collect(),
            Self::Line => lines(text).collect(),
            Self::Paragraph => paragraphs(text),
        };
        parts.retain(|part| part.contains(char::is_alphanumeric));
        parts
    }
}

/// Runs of letters, digits and underscores.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    WORD.find_iter(text).map(|found| found.as_str())
}

/// Words as a person counts them in a sentence: "don't" is one.
pub(super) fn spoken(text: &str) -> u64 {
    let words = text.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count() as u64
}

/// The first letter or digit, small.
pub(super) fn initial(part: &str) -> Option<char> {
    let first = part.chars().find(|c| c.is_alphanumeric())?;
    first.to_lowercase().next()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Between blank lines.
fn paragraphs(text: &str) -> Vec<&str> {
    let parts = BLANK.split(text).map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// Forms that a full stop belongs to.
const SHORT: [&str; 26] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "inc", "ltd", "co", "corp", "vs", "etc",
    "e.g", "i.e", "no", "fig", "approx", "jan", "feb", "aug", "sept", "oct", "nov", "dec",
];

/// A sentence ends with `.`, `!` or `?` and what closes it, before white space or the end. A line break alone ends none, a
/// short form or a single letter none either.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for mark in END.find_iter(text) {
        let before = text[start..mark.start()].rsplit(char::is_whitespace).next();
        let word = before.unwrap_or_default().trim_start_matches(OPENING);
        let is_stop = mark.as_str().starts_with('.');
        let letters = word.chars().count();
        let is_initial = letters == 1 && word.chars().all(char::is_uppercase);
        if is_stop && (is_initial || SHORT.contains(&&*word.to_lowercase())) {
            continue;
        }
        found.push(start..mark.end());
        start = mark.end();
    }
    found.push(start..text.len());
    let trimmed = |at: Range<usize>| {
        let part = &text[at.clone()];
        let begin = at.start + (part.len() - part.trim_start().len());
        begin..begin + part.trim().len()
    };
    let parts = found.into_iter().map(trimmed);
    parts
        .filter(|at| text[at.clone()].contains(char::is_alphanumeric))
        .collect()
}

const OPENING: [char; 8] = ['(', '[', '{', '"', '\'', '“', '‘', '*'];

/// An empty part at either end is no part; one inside is a mistake.
fn starred(text: &str) -> Option<usize> {
    let parts: Vec<bool> = text
        .split("***")
        .map(|part| part.trim().is_empty())
        .collect();
    let inner = parts.get(1..parts.len() - 1).unwrap_or_default();
    let full = parts.iter().filter(|is_empty| !**is_empty).count();
    (!inner.contains(&true)).then_some(full)
}

/// `- item` or `* item`; `**bold**` is none.
fn is_bullet(line: &str) -> bool {
    let line = line.trim_start();
    let starred = line.strip_prefix('*');
    line.starts_with('-') || starred.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('*'))
}

/// `*text*` and, once more, `**text**`.
fn highlights(text: &str) -> usize {
    let full = |pattern: &Regex| {
        let found = pattern.find_iter(text);
        found
            .filter(|one| !one.as_str().trim_matches(['*', ' ']).is_empty())
            .count()
    };
    full(&STAR) + full(&STARS)
}

fn sections(text: &str, word: &str) -> usize {
    let pattern = format!(r"{}\s?\d", regex::escape(word));
    Regex::new(&pattern).map_or(0, |found| found.find_iter(text).count())
}

/// Words in capitals. A hyphen keeps a word together, "DON'T" is "DO" and "N'T".
fn capitals(text: &str) -> usize {
    let capital =
        |word: &&str| word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase);
    let is_cut = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let words = text.split(is_cut).flat_map(|word| word.split("--"));
    words.filter(capital).count()
}

/// Paragraphs between two line breaks, and the first word of one of them without the marks around it.
pub(super) fn paragraph_starts(text: &str, wanted: u64, nth: u64, word: &str) -> bool {
    let parts: Vec<&str> = text.split("\n\n").collect();
    let full = parts.iter().filter(|part| !part.trim().is_empty()).count() as u64;
    let at = nth.checked_sub(1).and_then(|at| usize::try_from(at).ok());
    let Some(part) = at.filter(|_| nth <= full).and_then(|at| parts.get(at)) else {
        return false;
    };
    let first = part.split_whitespace().next().unwrap_or_default();
    let first = first.trim_start_matches(['\'', '"']);
    let end = first
        .find(['.', ',', '?', '!', '\'', '"'])
        .unwrap_or(first.len());
    full == wanted && first[..end].to_lowercase() == word.to_lowercase()
}

pattern!(WORD, r"\w+");
pattern!(BLANK, r"\n\s*\n");
pattern!(END, r#"[.!?]+["'”’)\]}*]*(?:\s|$)"#);
pattern!(PLACEHOLDER, r"\[[^\]\n]*\]");
pattern!(STAR, r"\*[^\n*]*\*");
pattern!(STARS, r"\*\*[^\n*]*\*\*");
