//! Counts over a whole answer.
use super::finding;
use crate::check::{
    Compliance, Examined,
    rule::{Bound, What},
    sentence::sentences,
    token::{is_upper, item, paragraphs, tokens, words},
};
use regex::Regex;
use std::{collections::HashSet, sync::LazyLock};

pub(super) fn examine(what: &What, bound: Bound, response: &str) -> Examined {
    let Some(actual) = count(what, response) else {
        return finding(Compliance::Fail, "a part between *** is empty");
    };
    let verdict = bound
        .holds(actual)
        .map_or(Compliance::Unknown, Compliance::of);
    if verdict == Compliance::Fail && matches!(what, What::Lines | What::Paragraphs) {
        // A title or a lead-in is not part of the text that was asked for; who counts it decides the verdict.
        let body = actual.saturating_sub(extra(what, response));
        let lenient = (body..actual).any(|count| bound.holds(count) == Some(true));
        if lenient {
            return finding(
                Compliance::Unknown,
                &format!("it has {actual}, title and lead-in counted"),
            );
        }
    }
    finding(verdict, &format!("it has {actual}"))
}

fn count(what: &What, text: &str) -> Option<u64> {
    let number = match what {
        What::Words => words(text).count(),
        What::UniqueWords => words(&text.to_lowercase()).collect::<HashSet<_>>().len(),
        What::Sentences => sentences(text).len(),
        What::Lines => text.lines().filter(|line| !line.trim().is_empty()).count(),
        What::Paragraphs => paragraphs(text).len(),
        What::StarredParts => starred(text)?,
        What::Bullets => text.lines().filter(|line| is_bullet(line)).count(),
        What::Items => text.lines().filter(|line| item(line).is_some()).count(),
        What::Highlights => highlights(text),
        What::Sections(mark) => sections(mark, text),
        What::Placeholders => PLACEHOLDER.find_iter(text).count(),
        What::CapitalWords => tokens(text).iter().filter(|word| is_upper(word)).count(),
        What::Letter(letter) => text.to_lowercase().chars().filter(|c| c == letter).count(),
        What::Keyword(word) => occurrences(&text.to_lowercase(), &word.trim().to_lowercase()),
        What::Characters => text.trim().chars().count(),
        What::Numbers => NUMBER.find_iter(text).count(),
    };
    Some(number as u64)
}

/// Lines or paragraphs that look like a title or a lead-in.
fn extra(what: &What, text: &str) -> u64 {
    let is_extra = |part: &&str| {
        let part = part.trim();
        part.starts_with('#')
            || part.starts_with("**")
            || part.starts_with("<<")
            || part.starts_with("Title")
            || part.ends_with(':')
            || words(part).count() <= 6
    };
    match what {
        What::Paragraphs => paragraphs(text)
            .iter()
            .filter(|part| is_extra(part))
            .count() as u64,
        _ => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .enumerate()
            .filter(|(index, line)| {
                let line = line.trim();
                *index == 0
                    || line.starts_with('#')
                    || line.starts_with("**")
                    || line.ends_with(':')
            })
            .count() as u64,
    }
}

/// Parts between runs of three asterisks; none when an inner part is empty.
fn starred(text: &str) -> Option<usize> {
    let pieces: Vec<&str> = text.split("***").collect();
    let last = pieces.len() - 1;
    let empty = |index: usize| pieces[index].trim().is_empty();
    if (1..last).any(empty) {
        return None;
    }
    let full = (0..pieces.len()).filter(|index| !empty(*index)).count();
    Some(full)
}

/// A line that begins with `-`, or with one `*` and something else.
fn is_bullet(line: &str) -> bool {
    let line = line.trim_start();
    if line.starts_with('-') {
        return true;
    }
    line.strip_prefix('*')
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('*'))
}

/// `*text*`, and `**text**` once more, as IFEval counts them.
fn highlights(text: &str) -> usize {
    let inside = |found: &str, marks: usize| {
        let inner = found
            .get(marks..found.len().saturating_sub(marks))
            .unwrap_or_default();
        !inner.trim_matches('*').trim().is_empty()
    };
    let single = SINGLE
        .find_iter(text)
        .filter(|found| inside(found.as_str(), 1))
        .count();
    let double = DOUBLE
        .find_iter(text)
        .filter(|found| inside(found.as_str(), 2))
        .count();
    single + double
}

/// Places where the mark is followed by a number.
fn sections(mark: &str, text: &str) -> usize {
    text.match_indices(mark)
        .filter(|(at, _)| {
            let rest = &text[at + mark.len()..];
            let mut rest = rest.chars();
            let first = rest.next();
            let digit = if first.is_some_and(char::is_whitespace) {
                rest.next()
            } else {
                first
            };
            digit.is_some_and(|c| c.is_numeric())
        })
        .count()
}

/// Occurrences that do not overlap.
fn occurrences(text: &str, word: &str) -> usize {
    if word.is_empty() {
        0
    } else {
        text.matches(word).count()
    }
}

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[[^\]\n]*\]").expect("fixed"));
static SINGLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\*[^\n*]*\*").expect("fixed"));
static DOUBLE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\*\*[^\n*]*\*\*").expect("fixed"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d+").expect("fixed"));
