//! What a person wants of the files they attached: a fact, a summary, or something done with them.
//!
//! The default is to do what is asked with the text as it is. Only a question is answered with quotations, and only
//! where it asks for something that a page could say: "What is this about?" and "Can you translate this?" do not.
use crate::words::{self, terms};

/// What is wanted of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Intent {
    /// A fact that is in it.
    Question,
    /// What it says as a whole.
    Summary,
    /// Anything else.
    Task,
}

/// What a person's words ask for.
pub fn intent(text: &str) -> Intent {
    let folded = words::fold(text);
    let all: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    // "Can you translate this?" asks for work; "What did the board review?" for a fact.
    let asks_for_work = all.iter().enumerate().any(|(i, word)| {
        let before = i.checked_sub(1).map(|before| all[before]);
        WORK.contains(word) && before.is_none_or(|before| WISHING.contains(&before))
    });
    let line = all.join(" ");
    if SUMMARY.iter().any(|phrase| line.contains(phrase)) {
        return Intent::Summary;
    }
    let is_question =
        text.trim_end().ends_with('?') || all.first().is_some_and(|first| ASKING.contains(first));
    if !is_question || asks_for_work || terms(text).is_empty() {
        return Intent::Task;
    }
    Intent::Question
}

const SUMMARY: &[&str] = &[
    "summarize",
    "summarise",
    "summary",
    "sum up",
    "sum this up",
    "sum it up",
    "what is this about",
    "what is it about",
    "what's this about",
    "what's it about",
    "main points",
    "key points",
    "tl dr",
    "tldr",
    "zusammenfassung",
    "fasse",
    "worum geht es",
];

const ASKING: &[&str] = &[
    "who", "whom", "whose", "what", "when", "where", "which", "why", "how", "does", "did", "is",
    "are", "was", "were", "wer", "wen", "was", "wann", "wo", "wohin", "welche", "welcher",
    "welches", "warum", "wie", "wieviel",
];

const WISHING: &[&str] = &[
    "you", "please", "to", "and", "i", "we", "me", "bitte", "du", "ich",
];

const WORK: &[&str] = &[
    "translate",
    "rewrite",
    "rephrase",
    "reword",
    "paraphrase",
    "proofread",
    "correct",
    "fix",
    "improve",
    "shorten",
    "convert",
    "reformat",
    "draft",
    "compose",
    "review",
    "refactor",
    "implement",
    "write",
    "reply",
    "respond",
    "extract",
    "classify",
    "übersetze",
    "übersetzen",
    "schreibe",
    "korrigiere",
    "verbessere",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_summaries_and_work() {
        use Intent::{Question, Summary, Task};
        for (text, expected) in [
            ("What cruising speed was set?", Question),
            ("who translated it", Question),
            ("In which year were the data collected?", Question),
            ("Sum this up in three points.", Summary),
            ("What is this about?", Summary),
            ("Please summarise the report", Summary),
            ("What does this say?", Task),
            ("Can you translate this?", Task),
            ("What did the board review in May?", Question),
            ("Write a reply.", Task),
            ("Make it shorter", Task),
            ("", Task),
        ] {
            assert_eq!(intent(text), expected, "{text}");
        }
    }
}
