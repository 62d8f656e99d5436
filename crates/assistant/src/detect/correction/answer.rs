//! The answer that a piece of text states, in a form that can be compared: "$276,000" and "276000.00" are one.
//!
//! Only explicit statements count ("the answer is …", `"answer": …`, a boxed value, "total = …"): a text that merely
//! ends in a number states nothing.
use super::super::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// The value of `answer` in a JSON block, fenced or not.
pub(super) fn of_block(block: &str) -> Option<String> {
    static FIELD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#""(?:final[_ ])?(?:answer|result|solution)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}\]]+)"#,
        )
    });
    FIELD
        .captures_iter(block)
        .last()
        .map(|found| plain(&found[1]))
}

/// The last answer stated in prose.
pub(super) fn last(text: &str) -> Option<String> {
    static STATED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"\\boxed\{(?P<boxed>[^{}]*)\}",
            r"|\b(?:answer|total|result|solution|sum|value|cost|price|number|amount)(?: (?:of|for|to|in|the|this
                |that|\w+)){0,6}? ?(?:is|are|was|=|equals|should be|would be|comes to)(?: actually| then
                | therefore)?[:\s]*(?P<said>[^\n;]{1,60})",
            r"|\banswer[*_]{0,2}\s*:[*_\s]*(?P<label>[^\n]{1,60})",
            r"|\b(?:therefore|thus|so|hence)[, ][^\n.=]{0,80}?(?:is|are|have|has|be|=|costs?|takes?|gets?|needs?
                |pays?|earns?|makes?) (?P<so>[^\n;]{1,60})",
        ))
    });
    // "12 times 12 is 144": a number that something is said to be.
    static SAID: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:is|are|equals|makes|gives|was)\b[\s*]*(?P<said>[$€£]?-?\d[\d,.]*)|=\s*(?P<sum>[$€£]?-?\d[\d,.]*)",
        )
    });
    let stated = STATED.captures_iter(text).last();
    stated
        .or_else(|| SAID.captures_iter(text).last())
        .map(|found| {
            let stated = found
                .iter()
                .skip(1)
                .flatten()
                .next()
                .map_or("", |part| part.as_str());
            plain(stated)
        })
}

/// The number in it, or its words: without quotes, currency, markup and separators.
pub(super) fn plain(stated: &str) -> String {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?"));
    let words = stated
        .trim()
        .trim_matches(['"', '\'', '*', '`', '\\', ' ', '.', '$', '(', ')']);
    match NUMBER.find(words) {
        Some(number) => number_of(number.as_str()),
        None => words.to_lowercase(),
    }
}

/// A number without separators and without zeros that say nothing.
pub(super) fn number_of(text: &str) -> String {
    let digits: String = text.chars().filter(|c| *c != ',').collect();
    match digits.split_once('.') {
        Some((whole, part)) => {
            let part = part.trim_end_matches('0');
            if part.is_empty() {
                whole.to_owned()
            } else {
                format!("{whole}.{part}")
            }
        }
        None => digits,
    }
}
