//! Sentences of a text, by its full stops and line breaks: for detectors that ask what stands beside what.
//!
//! Plain on purpose: a stop between digits, after a single letter or after a common abbreviation ends nothing, a line
//! break always does. Offsets are bytes of the text that was given.
use std::ops::Range;

/// Words before a full stop that do not end a sentence.
const SHORT: [&str; 14] = [
    "mr", "mrs", "ms", "dr", "st", "vs", "etc", "e.g", "i.e", "no", "prof", "jr", "sr", "approx",
];

/// All sentences that hold a word, in order, blanks trimmed.
pub(super) fn split(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let ends = match byte {
            b'\n' => true,
            b'!' | b'?' => bytes
                .get(at + 1)
                .is_none_or(|next| !matches!(next, b'!' | b'?')),
            b'.' => stops(text, start, at),
            _ => false,
        };
        if ends {
            push(text, start..at + 1, &mut found);
            start = at + 1;
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

/// The sentence that holds `at`.
pub(super) fn around(text: &str, at: usize) -> Range<usize> {
    // Far enough for any sentence; a window keeps a text of one line from being read again for every match.
    const FAR: usize = 1000;
    let mut from = at.saturating_sub(FAR);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut until = (at + FAR).min(text.len());
    while !text.is_char_boundary(until) {
        until += 1;
    }
    split(&text[from..until])
        .into_iter()
        .map(|found| from + found.start..from + found.end)
        .find(|found| found.start <= at && at < found.end)
        .unwrap_or(at..until)
}

/// Whether the full stop at `at` ends the sentence that began at `start`.
fn stops(text: &str, start: usize, at: usize) -> bool {
    let bytes = text.as_bytes();
    // "suggestions.However": a stop that a capital follows ends a sentence too.
    let next = bytes.get(at + 1);
    let glued = at > start && bytes[at - 1].is_ascii_lowercase();
    let parts = |next: &u8| {
        next.is_ascii_whitespace()
            || b"\"')*_".contains(next)
            || *next >= 0x80
            || glued && next.is_ascii_uppercase()
    };
    if !next.is_none_or(parts) {
        return false;
    }
    let word = text[start..at]
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or("");
    // An initial: "J. Krishnamurti"; but "is I." and "by 3." end.
    let initial = word.len() == 1
        && word.as_bytes()[0].is_ascii_uppercase()
        && word != "I"
        && next.is_some_and(|next| *next == b' ');
    let listed = at > start
        && text[start..at]
            .trim()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
    !initial && !listed && !SHORT.iter().any(|short| word.eq_ignore_ascii_case(short))
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let words = &text[range.clone()];
    let start = range.start + (words.len() - words.trim_start().len());
    let end = range.start + words.trim_end().len();
    if start < end {
        found.push(start..end);
    }
}
