//! Whether a second answer still says what the first one said.
//!
//! A requirement is easily fulfilled by an answer that says nothing: an empty one has no commas, a line said over and over
//! has as many sentences as anybody likes. Such an answer is no gain, whatever is counted in it.

use super::Requirement;
use std::collections::{HashMap, HashSet};

/// Whether this text, in the place of that draft, is no longer an answer: it is empty, says one line three times or more,
/// or has less than half of the draft's content words although no requirement made it shorter.
pub(crate) fn has_lost(asked: &[&Requirement], draft: &str, text: &str) -> bool {
    if text.trim().is_empty() || says_again(text) {
        return true;
    }
    if asked.iter().any(|one| one.takes_words(draft)) {
        return false;
    }
    let (before, after) = (content(draft), content(text));
    let kept = before.iter().filter(|word| after.contains(*word)).count();
    2 * kept < before.len()
}

/// The same line three times. Code repeats lines with good reason, so what stands in a fence is not looked at.
fn says_again(text: &str) -> bool {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut is_code = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && line.contains(char::is_alphabetic) {
            let times = seen.entry(line.to_lowercase()).or_default();
            *times += 1;
            if *times == 3 {
                return true;
            }
        }
    }
    false
}

/// Letters by which two forms of a word are the same: "sailor" and "sailors".
const STEM: usize = 6;

/// The words that carry the content: four letters or more, without those that hold any sentence together.
fn content(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphabetic());
    let lower = words.map(str::to_lowercase);
    lower
        .filter(|word| word.chars().count() > 3 && !COMMON.contains(&word.as_str()))
        .map(|word| word.chars().take(STEM).collect())
        .collect()
}

const COMMON: [&str; 52] = [
    "about", "above", "after", "again", "also", "although", "because", "been", "before", "being",
    "below", "between", "both", "could", "does", "doing", "down", "during", "each", "either",
    "from", "have", "having", "here", "into", "just", "like", "more", "most", "much", "must",
    "only", "other", "over", "same", "should", "some", "such", "than", "that", "their", "them",
    "then", "there", "these", "they", "this", "very", "were", "which", "with", "would",
];
