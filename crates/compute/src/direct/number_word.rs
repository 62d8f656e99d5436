//! Numbers in words: "twenty-five", "a hundred", "two dozen", and ordinals such as "third".

/// The text with number words as digits. "One" stays a word where it may stand for a thing ("which one", "the one").
pub(crate) fn to_digits(text: &str) -> String {
    let spaced = separate_hyphens(text);
    let words: Vec<&str> = spaced.split(' ').collect();
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        // "3 dozen"
        if bare(words[at]) == "dozen"
            && let Some(count) = out.last().and_then(|last| last.parse::<u32>().ok())
        {
            out.pop();
            out.push(format!("{}{}", u64::from(count) * 12, tail_of(words[at])));
            at += 1;
            continue;
        }
        match spoken(&words[at..], before) {
            Some((value, used)) => {
                let tail = tail_of(words[at + used - 1]);
                if matches!(out.last().map(String::as_str), Some("a" | "an")) {
                    out.pop();
                }
                out.push(format!("{value}{tail}"));
                at += used;
            }
            None => {
                out.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    out.join(" ")
}

/// Hyphens inside "twenty-five" and "30-day" separate words; those of "UTC-7" and "5-2" do not.
fn separate_hyphens(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (i, c) in chars.iter().enumerate() {
        let before = i
            .checked_sub(1)
            .and_then(|i| chars.get(i))
            .copied()
            .unwrap_or(' ');
        let after = chars.get(i + 1).copied().unwrap_or(' ');
        // "x-5" is a difference, "30-day" and "mon-fri" are compounds.
        let long = i >= 2 && chars[i - 2].is_alphabetic() || before.is_ascii_digit();
        let compound = *c == '-' && before.is_alphanumeric() && after.is_alphabetic() && long;
        out.push(if compound { ' ' } else { *c });
    }
    out
}

fn bare(word: &str) -> &str {
    word.trim_end_matches([',', '.', '?', '!', ';', ':', ')', '%', '\''])
}

fn tail_of(word: &str) -> &str {
    &word[bare(word).len()..]
}

/// The number that the words begin with, and how many words it takes.
fn spoken(words: &[&str], before: &str) -> Option<(u64, usize)> {
    let first = bare(words[0]);
    if first == "one" {
        let next = words.get(1).map_or("", |next| bare(next));
        let counted = super::unit::Unit::named(next).is_some()
            || super::text::currency_named(next).is_some()
            || [
                "plus", "minus", "times", "hundred", "thousand", "million", "dozen", "+", "-", "*",
                "/",
            ]
            .contains(&next)
            || ["plus", "minus", "times", "+", "-", "*", "/"].contains(&before);
        if !counted || ["which", "the", "each", "this", "that"].contains(&before) {
            return None;
        }
    } else if simple(first).is_none() && !matches!(first, "dozen" | "hundred" | "thousand") {
        return None;
    }
    let (mut total, mut group, mut used) = (0u64, 0u64, 0usize);
    let mut last_small = u64::MAX;
    while let Some(word) = words.get(used) {
        let plain = bare(word);
        let joined = plain == "and"
            && group >= 100
            && group % 100 == 0
            && words
                .get(used + 1)
                .is_some_and(|next| simple(bare(next)).is_some());
        if joined {
            used += 1;
            continue;
        }
        match (simple(plain), plain) {
            (Some(small), _)
                if last_small == u64::MAX
                    || (20..100).contains(&last_small) && small < 10 && small > 0 =>
            {
                group += small;
                last_small = small;
            }
            (None, "hundred") if group < 100 => {
                group = group.max(1) * 100;
                last_small = u64::MAX;
            }
            (None, "thousand") if total == 0 => {
                total = group.max(1) * 1000;
                group = 0;
                last_small = u64::MAX;
            }
            (None, "dozen") if group < 1000 => {
                let count = group.max(1) * 12;
                return Some((total + count, used + 1));
            }
            _ => break,
        }
        used += 1;
        // "five, six" are two numbers.
        if !tail_of(word).is_empty() {
            break;
        }
    }
    (used > 0).then_some((total + group, used))
}

/// Whether a word says how many, as "one", "twelve" and "hundred" do.
pub fn is_number_word(word: &str) -> bool {
    const MANY: [&str; 5] = ["dozen", "hundred", "thousand", "million", "billion"];
    simple(word).is_some() || MANY.contains(&word)
}

fn simple(word: &str) -> Option<u64> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 8] = [
        "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    ];
    let index = |names: &[&str]| names.iter().position(|name| *name == word);
    let small = index(&SMALL).map(|index| index as u64);
    small.or_else(|| index(&TENS).map(|index| index as u64 * 10 + 20))
}

/// The place that a word names: first, second, third …
pub(super) fn ordinal(word: &str) -> Option<usize> {
    const NAMES: [&str; 12] = [
        "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
        "tenth", "eleventh", "twelfth",
    ];
    NAMES
        .iter()
        .position(|name| *name == word)
        .map(|index| index + 1)
}
