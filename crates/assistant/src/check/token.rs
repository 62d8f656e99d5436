//! Words, lines, paragraphs and list items of an answer.
//!
//! [`words`] are runs of letters, digits and underscores, as IFEval counts them; [`spoken`] words keep apostrophes and
//! hyphens inside, as a person counts them in a sentence; [`tokens`] follow the Penn Treebank as far as capital words go.
use super::{rule::Unit, sentence::sentences};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Runs of letters, digits and underscores.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
}

/// Combining marks belong to no word, as in Python's `\w`.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || (c.is_alphanumeric() && !is_mark(c))
}

/// Vowel signs and other marks that Unicode calls alphabetic, yet Python's `\w` does not.
fn is_mark(c: char) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[\pL\pN]$").expect("fixed"));
    if c.is_ascii() {
        return false;
    }
    let mut buffer = [0; 4];
    !WORD.is_match(c.encode_utf8(&mut buffer))
}

/// Words as a person counts them: between white space, with a letter or digit inside.
pub(super) fn spoken(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '—' | '–'));
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .collect()
}

/// Tokens as the Penn Treebank cuts them, for counting capital words.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for chunk in text.split_whitespace() {
        let is_cut = |c: char| "()[]{}<>?!;@#$%&\"“”«»…,:".contains(c);
        for piece in chunk.split(is_cut).flat_map(|piece| piece.split("--")) {
            let piece = piece.trim_end_matches('\'').trim_start_matches('`');
            let piece = if piece.matches('.').count() == 1 {
                piece.trim_end_matches('.')
            } else {
                piece
            };
            found.extend(
                contraction(piece)
                    .into_iter()
                    .filter(|part| !part.is_empty()),
            );
        }
    }
    found
}

/// "DON'T" is "DO" and "N'T", "I'M" is "I" and "'M".
fn contraction(word: &str) -> [&str; 2] {
    let Some(mark) = word.rfind(['\'', '’']) else {
        return [word, ""];
    };
    let tail = word[mark..]
        .trim_start_matches(['\'', '’'])
        .to_ascii_lowercase();
    let cut = match tail.as_str() {
        "t" if word[..mark].ends_with(['n', 'N']) => mark - 1,
        "s" | "m" | "d" | "re" | "ve" | "ll" => mark,
        _ => return [word, ""],
    };
    [&word[..cut], &word[cut..]]
}

/// Whether a word has a cased letter and none in the other case, as Python's `isupper` says.
pub(super) fn is_upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

/// The opposite of [`is_upper`].
pub(super) fn is_lower(text: &str) -> bool {
    text.chars().any(char::is_lowercase) && !text.chars().any(char::is_uppercase)
}

/// Paragraphs between blank lines.
pub(super) fn paragraphs(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match (line.trim().is_empty(), start) {
            (true, Some(first)) => {
                found.push(text[first..at].trim());
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        at += line.len();
    }
    if let Some(first) = start {
        found.push(text[first..].trim());
    }
    found
}

/// Whether a line is a list item, and its text.
pub(super) fn item(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix(['*', '-', '•', '+']) {
        return rest.starts_with(char::is_whitespace).then(|| rest.trim());
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    (digits > 0 && rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// The units of an answer, for rules about each of them.
pub(super) fn units(text: &str, unit: Unit) -> Vec<&str> {
    let kept = |range: Range<usize>| &text[range];
    match unit {
        Unit::Word => spoken(text),
        Unit::Sentence => sentences(text)
            .into_iter()
            .map(kept)
            .filter(|part| part.contains(char::is_alphanumeric))
            .collect(),
        Unit::Line => text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect(),
        Unit::Paragraph => paragraphs(text),
        Unit::Item => text.lines().filter_map(item).collect(),
    }
}
