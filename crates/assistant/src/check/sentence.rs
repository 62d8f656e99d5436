//! Cuts an answer into sentences the way the Punkt tokenizer for English does.
//!
//! IFEval counts sentences with NLTK's Punkt, so a count that must agree with it has to cut where Punkt cuts: after
//! `.`, `?` or `!` before white space or a closing mark, never at a line end alone, not after a short form or an
//! initial unless a word follows that opens sentences. "1." before a capital is a sentence to Punkt.
//! The list of short forms is ours; Punkt's tables of word frequencies are replaced by a list of common openers.
use std::ops::Range;

/// Short forms that a full stop belongs to; single letters and dotted letters are short forms too.
const SHORT: [&str; 62] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "gen", "col", "lt", "maj", "adm", "sen",
    "rep", "reps", "messrs", "inc", "corp", "co", "ltd", "bros", "cie", "cos", "vs", "ave", "ft",
    "yr", "mg", "jan", "feb", "aug", "sept", "sep", "oct", "nov", "dec", "tues", "wed", "fri",
    "calif", "conn", "fla", "ga", "ill", "kan", "ky", "mich", "minn", "nev", "okla", "ore", "pa",
    "tenn", "va", "vt", "wash", "wis", "ariz", "colo", "ph.d", "ok",
];
/// Words that usually open a sentence, so that a full stop before them ends one even after a short form.
const OPENERS: [&str; 48] = [
    "the", "it", "he", "she", "they", "this", "that", "these", "those", "in", "but", "however",
    "we", "i", "you", "there", "when", "if", "as", "at", "for", "on", "while", "after", "before",
    "since", "although", "because", "his", "her", "its", "their", "our", "my", "what", "how",
    "why", "so", "then", "also", "another", "some", "many", "most", "one", "with", "by", "to",
];

/// The sentences of a text as byte ranges, white space between them left out.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in breaks(text) {
        if end > start {
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..text.len());
    let trimmed = |range: Range<usize>| {
        let part = &text[range.clone()];
        let left = range.start + (part.len() - part.trim_start().len());
        left..left + part.trim().len()
    };
    found
        .into_iter()
        .map(trimmed)
        .filter(|range| !range.is_empty())
        .collect()
}

/// Where sentences end, closing marks included.
fn breaks(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let candidates = candidates(text);
    for (index, end) in candidates.iter().enumerate() {
        // Of several marks in one word only the last can end a sentence: "really?!", "etc.)."
        let next = candidates.get(index + 1);
        let same_word =
            next.is_some_and(|next| !text[end.at..next.at].contains(char::is_whitespace));
        if !same_word && ends_sentence(text, end) {
            found.push(closing(text, end.at + 1));
        }
    }
    found
}

/// A `.`, `?` or `!` that stands before white space or a mark that is no part of a word.
struct End {
    at: usize,
    mark: u8,
}

fn candidates(text: &str) -> Vec<End> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, mark) in bytes.iter().copied().enumerate() {
        if !matches!(mark, b'.' | b'?' | b'!') {
            continue;
        }
        let rest = &text[at + 1..];
        let Some(next) = rest.chars().next() else {
            continue;
        };
        let open = matches!(
            next,
            ')' | '"' | ';' | '}' | ']' | '*' | ':' | '@' | '\'' | '(' | '{' | '[' | '!' | '?'
        );
        if open || (next.is_whitespace() && !rest.trim_start().is_empty()) {
            found.push(End { at, mark });
        }
    }
    found
}

/// Whether the mark ends a sentence, by the word before it and the word behind it.
fn ends_sentence(text: &str, end: &End) -> bool {
    if end.mark != b'.' {
        return true;
    }
    let before = text[..end.at]
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let word = before
        .rsplit([
            '(', '"', '[', '*', '\'', '“', '‘', ':', ';', '{', '@', '!', '?',
        ])
        .next()
        .unwrap_or_default();
    let next = text[end.at + 1..].trim_start();
    let spaced = text[end.at + 1..].starts_with(char::is_whitespace);
    let next = if spaced { next } else { "" };
    let follower: String = next.chars().take_while(|c| c.is_alphanumeric()).collect();
    let lower = follower.chars().next().is_some_and(char::is_lowercase);
    // "..." goes on unless a word follows that opens sentences.
    if before.ends_with('.') {
        return opens(&follower);
    }
    let known = word.to_lowercase();
    let last_part = known.rsplit('-').next().unwrap_or_default();
    let dotted = known.len() > 1
        && known.split('.').all(|part| part.chars().count() == 1)
        && known.contains('.');
    if SHORT.contains(&last_part) || dotted {
        return opens(&follower);
    }
    let initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    if initial {
        return opens(&follower);
    }
    let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    !(number && lower)
}

fn opens(follower: &str) -> bool {
    let capital = follower.chars().next().is_some_and(char::is_uppercase);
    capital && OPENERS.contains(&follower.to_lowercase().as_str())
}

/// Closing quotes and brackets before white space belong to the sentence that they close.
fn closing(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let length = rest.len() - rest.trim_start_matches(['"', '\'', ')', ']', '}']).len();
    let after = &rest[length..];
    if length > 0 && (after.is_empty() || after.starts_with(char::is_whitespace)) {
        at + length
    } else {
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn marks_before_white_space_end_sentences() {
        assert_eq!(
            cut("One two. Three? Four!"),
            ["One two.", "Three?", "Four!"]
        );
        assert_eq!(cut("No mark at the end"), ["No mark at the end"]);
        assert_eq!(cut("a line\nand another"), ["a line\nand another"]);
        assert_eq!(
            cut("Version 1.5 is out. Yes"),
            ["Version 1.5 is out.", "Yes"]
        );
        assert_eq!(cut("  "), Vec::<&str>::new());
    }

    #[test]
    fn closing_marks_stay_with_their_sentence() {
        assert_eq!(
            cut("He said \"Go.\" She went."),
            ["He said \"Go.\"", "She went."]
        );
        assert_eq!(cut("Really?! Yes."), ["Really?!", "Yes."]);
        assert_eq!(cut("(It rained.) We left."), ["(It rained.)", "We left."]);
    }

    #[test]
    fn short_forms_and_initials_end_nothing() {
        assert_eq!(cut("Mr. Hill met Dr. Moss."), ["Mr. Hill met Dr. Moss."]);
        assert_eq!(cut("J. R. Hale wrote it."), ["J. R. Hale wrote it."]);
        assert_eq!(
            cut("They live in the U.S. The rest left."),
            ["They live in the U.S.", "The rest left."]
        );
        assert_eq!(cut("Wait... what"), ["Wait... what"]);
    }

    #[test]
    fn numbers_of_a_list_are_sentences_before_capitals_only() {
        assert_eq!(cut("1. Take it"), ["1.", "Take it"]);
        assert_eq!(cut("1. take it"), ["1. take it"]);
    }
}
