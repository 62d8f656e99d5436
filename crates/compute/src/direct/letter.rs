//! Letters and words: how many letters, which letter, backwards, vowels, words in a sentence.
//!
//! These frames look at the question as written: the word is data, and may be anything in quotes or a single word.

use super::{Computed, number_word, ratio::whole, show, spelling, text::Reading};
use crate::pattern::regex;
use regex::{Captures, Regex};
use std::sync::LazyLock;

const WORD: &str = r#"["'“‘]?(?P<word>[\p{L}\-]+)["'”’]?"#;

/// One letter, perhaps in quotes or as a plural: e, "e", e's.
const LETTER: &str = r#"["']?(?P<letter>\p{L})["']?(?:['’]?s)?"#;

/// What a question about letters comes to.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    let text = asked(&reading.original);
    letter_count(reading, &text)
        .or_else(|| lengths(reading, &text))
        .or_else(|| backwards(&text))
        .or_else(|| nth_letter(&text))
        .or_else(|| words(reading, &text))
        .or_else(|| palindrome(&text))
}

/// Without politeness and final marks.
fn asked(original: &str) -> String {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?i)^
              (?:
                (?:please|hey|hi|ok|so|can you|could you|tell me|quick question|calculate)
                [,:!]?\s+
              )*",
        )
    });
    let text = LEAD.replace(original.trim(), "");
    spelling::without_thanks(&text).to_owned()
}

fn find<'t>(text: &'t str, patterns: &'static LazyLock<Vec<Regex>>) -> Option<Captures<'t>> {
    patterns.iter().find_map(|pattern| pattern.captures(text))
}

fn patterns(rows: &[&str]) -> Vec<Regex> {
    let compiled = |row: &&str| {
        let row = row.replace("WORD", WORD).replace("LETTER", LETTER);
        regex(&format!("(?i)^(?:{row})$"))
    };
    rows.iter().map(compiled).collect()
}

/// Letters of an article are no word: "how many letters does a have" is open.
fn usable(word: &str) -> bool {
    word.chars().count() >= 2
        && ![
            "the", "word", "this", "that", "it", "english", "alphabet", "german", "name", "my",
        ]
        .contains(&word.to_lowercase().as_str())
}

fn letter_count(reading: &Reading, text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        patterns(&[
            r#"how many times (?:does|do|is|did) (?:the )?(?:letter )?LETTER (?:
                 appear|occur|show up|used|come up|in|appears|found
               ) ?(?:in |there in )?(?:the )?(?:word |name )?WORD"#,
            r#"(?:what is |what's )?
               (?:how many|the number of|number of|count (?:of )?(?:the )?|how often)? ?(?:the )?
               (?:letters? )?LETTER
               (?: letters?)? (?:are|is|are there|do you (?:see|find)|does)?\s?(?:there )?
               (?:in|are in|of) (?:the )?(?:word |name )?WORD"#,
            r#"how many (?:letters? )?LETTER (?:does|do) (?:the )?
               (?:word |name )?WORD (?:have|contain|has)"#,
            r#"count (?:the )?(?:letter )?LETTER ?(?:in|:) (?:the )?(?:word )?WORD"#,
            r#"how often (?:does|is) (?:the )?(?:letter )?LETTER (?:appear |occur |used )?in (?:the )?
               (?:word )?WORD"#,
            // The word first: "cheese - count of letter e".
            r#"(?:the )?(?:word )?WORD\s*[-–—,:]\s*
               (?:how many|number of|count of(?: the)?|count the) (?:letters? )?LETTER
               (?: letters?)?(?: in it| does it have| are there)?"#,
        ])
    });
    // In all words of a quotation: how many times a letter appears in "a banana".
    static QUOTED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        patterns(&[
            r#"(?:how many |number of )?times (?:does )?(?:the )?(?:letter )?LETTER (?:
                 appears?|occurs?|is|shows? up
               )(?: used)? in (?:the )?
               (?:phrase |sentence |text |words )?["“](?P<word>[^"”]+)["”]"#,
            r#"(?:how many|number of|count (?:of )?(?:the )?) ?(?:letter )?LETTER
               (?: are)?(?: there)? in (?:the )?
               (?:phrase |sentence |text |words )?["“'‘](?P<word>[^"”]+ [^"”]+)["”'’]"#,
        ])
    });
    let found = find(text, &QUOTED).or_else(|| find(text, &PATTERNS))?;
    let (letter, word) = (found["letter"].to_lowercase(), found["word"].to_lowercase());
    let lower = text.to_lowercase();
    let counts = ["how", "count", "letter", "times"]
        .iter()
        .any(|start| lower.starts_with(start))
        || ["number of", "how many", "count of", "count the"]
            .iter()
            .any(|words| lower.contains(words));
    if !usable(&word) || !counts {
        return None;
    }
    let count = word.matches(letter.as_str()).count();
    show::number(reading, count, format!("letter {letter} in {word}"))
}

fn lengths(reading: &Reading, text: &str) -> Option<Computed> {
    static LETTERS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        patterns(&[
            r"how many (letters|vowels|consonants|characters|syllables) (?:
                does|do|has|are in|are there in|is in|in
              ) (?:the )?(?:word |name )?WORD(?: have| has| contain)?",
            r#"how many (letters|vowels) (?:\(a, ?e, ?i, ?o,?(?: and)? u\) )?
              (?:are in|are there in|in) (?:the )?(?:phrase |sentence |text |words )?
              ["“'‘](?P<word>[^"”]+ [^"”]+)["”'’](?:[?.,;]* \(?count (?:the )?capitals? too\)?)?"#,
            r"(?:what is |what's )?(?:the )?
              number of (letters|vowels|consonants|characters) in (?:the )?(?:word |name )?WORD",
            r"how (long) is the word WORD(?: \(?(?:in )?letters\)?)?",
            r"(?:count )?(?:the )?(letters|vowels|consonants) in (?:the word )?WORD",
            r"count (?:the )?(letters|vowels|consonants): WORD",
            r"(length) of (?:the )?word WORD",
            r"(letter)(?:s)? count (?:of|in|for) (?:the )?(?:word )?WORD",
            r"(?:how many )?
              (different|unique|distinct) letters (?:does|are in|are there in|in) (?:the )?
              (?:word )?WORD(?: have| contain)?",
        ])
    });
    let found = find(text, &LETTERS)?;
    let (what, word) = (found[1].to_lowercase(), found[2].to_lowercase());
    if !usable(&word) {
        return None;
    }
    let letters = word.chars().filter(|c| c.is_alphabetic());
    let count = match what.as_str() {
        "letters" | "letter" | "long" | "characters" | "length" => letters.count(),
        "vowels" => letters.filter(|c| "aeiou".contains(*c)).count(),
        // Whether y is one depends on the word.
        "consonants" if !word.contains('y') => letters.filter(|c| !"aeiou".contains(*c)).count(),
        "different" | "unique" | "distinct" => {
            let mut all: Vec<char> = letters.collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        }
        _ => return None,
    };
    if what == "vowels" && word.contains('y') {
        return None;
    }
    show::number(reading, count, format!("{what} in {word}"))
}

fn backwards(text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        patterns(&[
            r"(?:spell|write|say|type|print|reverse|give me) (?:out )?(?:the )?(?:word )?
              WORD (?:
                backwards?|in reverse|reversed|back to front|from back to front|in reverse order
              )",
            r"reverse (?:the )?(?:letters (?:of|in) )?(?:the )?(?:word |string )?WORD",
            r"(?:what is|what's|how do you (?:spell|write)|how is|spell) (?:the )?(?:word )?
              WORD (?:backwards?|reversed|in reverse|spelled backwards?|written backwards?)",
            r"WORD (?:backwards?|reversed|spelled backwards?|in reverse)",
        ])
    });
    let found = find(text, &PATTERNS)?;
    let word = &found[1];
    if !usable(word) {
        return None;
    }
    let reversed: String = word.to_lowercase().chars().rev().collect();
    show::word(reversed, format!("{word} backwards"))
}

fn nth_letter(text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        patterns(&[r"(?:what is |what's |which is |give me )?(?:the )?
                     (
                       first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|
                       \d{1,2}(?:st|nd|rd|th)
                     ) letter (?:of|in) (?:the )?(?:word |name )?WORD"])
    });
    let found = find(text, &PATTERNS)?;
    let (place, word) = (found[1].to_lowercase(), found[2].to_lowercase());
    if !usable(&word) {
        return None;
    }
    let digits: String = place.chars().filter(char::is_ascii_digit).collect();
    let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
    let index = match place.as_str() {
        "last" => letters.len(),
        named => number_word::ordinal(named).or_else(|| digits.parse().ok())?,
    };
    let letter = letters.get(index.checked_sub(1)?)?;
    show::word(letter.to_string(), format!("{place} letter of {word}"))
}

fn words(reading: &Reading, text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        patterns(&[
            r#"how many (?P<what>words|letters|characters) (?:are|does|is|has|do)?\s?(?:there )?(?:in )?
               (?:the |this |my )?(?:following )?(?:sentence|phrase|text|title)?\s?(?:have)?
               [:,]?\s*["“](?P<text>[^"”]+)["”](?: have| contain)?"#,
            r#"how many (?P<what>words|letters) (?:are |are there )?in (?:the |this )?(?:following )?
               (?:sentence|phrase|text):\s*(?P<text>[^"]+)"#,
            r#"(?:how many |number of |count (?:the )?)(?P<what>words)(?: in)?:\s*(?P<text>[^"]+)"#,
            r#"(?P<what>word) count(?: of| in)?:\s*(?P<text>[^"]+)"#,
            r#"(?:how many |number of |count (?:the )?)?(?P<what>words|letters) (?:are )?(?:there )?in
               (?: the phrase| the sentence| this)?:? ["“'‘](?P<text>[^"”]+)["”'’]
               (?:,? (?:not counting|without|excluding|ignoring) (?:the |any )?spaces?)?"#,
            r#"(?:count (?:the )?|number of )(?P<what>words|letters) (?:in )?(?:the |this )?
               (?:sentence|phrase|text)?:?\s*["“](?P<text>[^"”]+)["”]"#,
            r#"(?:what is |what's )?(?:the )?(?P<what>word|letter) count (?:of|for|in):?\s*
               ["“](?P<text>[^"”]+)["”]"#,
            r#"["“'‘](?P<text>[^"”]+)["”'’]\s*[-–—,:]?\s*
               (?:how many|number of|count(?: of)?(?: the)?) (?P<what>words|letters)
               (?: is that| are there| in it| does it have)?"#,
        ])
    });
    let found = find(text, &PATTERNS)?;
    let (what, sentence) = (found["what"].to_lowercase(), &found["text"]);
    let count = match what.as_str() {
        "words" | "word" => sentence
            .split_whitespace()
            .filter(|word| word.chars().any(char::is_alphanumeric))
            .count(),
        "letters" | "letter" => sentence.chars().filter(|c| c.is_alphabetic()).count(),
        _ => return None,
    };
    show::number(reading, whole(count), format!("{what} in the sentence"))
}

fn palindrome(text: &str) -> Option<Computed> {
    static PATTERNS: LazyLock<Vec<Regex>> =
        LazyLock::new(|| patterns(&[r"is (?:the word )?WORD a palindrome"]));
    let found = find(text, &PATTERNS)?;
    let word = found[1].to_lowercase();
    let reversed: String = word.chars().rev().collect();
    show::yes_no(word == reversed, format!("backwards it is {reversed}"))
}
