//! Whether an answer says that the documents do not have it.
//!
//! Models say so in many ways. The phrases here are anchored: they deny that something is said, not something in the
//! world ("the text gives no information about the price", but not "you will get no information").

/// Whether the answer says that it is not there.
pub(crate) fn declines(answer: &str) -> bool {
    let text = answer
        .to_lowercase()
        .replace(['’', '`', '*', '"', '“', '”'], "'");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let begins = BEGINNINGS
        .iter()
        .any(|beginning| text.trim_start_matches('\'').starts_with(beginning));
    begins || PHRASES.iter().any(|phrase| text.contains(phrase)) || denies(&text)
}

/// "is not explicitly mentioned", "was not stated": a denial and, within two words, a verb of saying.
fn denies(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let is_denial = |word: &str| {
        matches!(
            word,
            "not" | "doesn't" | "don't" | "isn't" | "aren't" | "wasn't" | "weren't"
        )
    };
    let says = |word: &&str| SAYING.contains(word);
    words
        .iter()
        .enumerate()
        .any(|(i, word)| is_denial(word) && words[i + 1..].iter().take(2).any(says))
}

const BEGINNINGS: [&str; 8] = [
    "not found",
    "no information",
    "no mention",
    "i'm sorry",
    "i am sorry",
    "i don't know",
    "unknown",
    "n/a",
];

const PHRASES: [&str; 14] = [
    "'not found'",
    "answer is not found",
    "answer: not found",
    "not found in the text",
    "not found in the document",
    "not in the text",
    "not in the document",
    "not in the passage",
    "no information about",
    "no information on",
    "no information regarding",
    "there is no mention",
    "makes no mention",
    "cannot be determined",
];

const SAYING: [&str; 24] = [
    "mention",
    "mentioned",
    "mentions",
    "specify",
    "specified",
    "specifies",
    "state",
    "stated",
    "provide",
    "provided",
    "include",
    "included",
    "contain",
    "contained",
    "say",
    "said",
    "indicate",
    "indicated",
    "disclosed",
    "given",
    "available",
    "described",
    "discuss",
    "discussed",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_denies_that_it_is_said() {
        for text in [
            "Not found",
            "**not found**",
            "The price is not explicitly mentioned in the text.",
            "The text doesn’t provide the phone number.",
            "There is no mention of tyres.",
            "I'm sorry, but the document gives no answer.",
        ] {
            assert!(declines(text), "{text}");
        }
    }

    #[test]
    fn what_denies_something_in_the_world() {
        for text in [
            "You will get no information.",
            "They are not fond of rules.",
            "Errors should never pass silently.",
            "It does not cost anything.",
        ] {
            assert!(!declines(text), "{text}");
        }
    }
}
