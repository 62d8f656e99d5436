//! The quantities that a prompt gives, and lists of things to count.
use super::super::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// How many quantities the prompt gives.
pub(super) struct Given {
    pub(super) all: usize,
    /// Those written in digits.
    pub(super) digits: usize,
}

pub(super) fn quantities(prompt: &str) -> Given {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(concat!(
            r"(?m)^[ \t]*\(?\d{1,2}[.)]\s",
            r"|\b(?:in|since|until|from|by|of|year|between) (?:1[5-9]|20)\d\d\b(?:\D|$)",
            r"|\b\d+\+? ?-?(?:words?|sentences?|paragraphs?|bullets?|bullet points?|sections?|placeholders?
                |characters?|examples?)\b",
            r"|\b(?:two|three|four|five|six|seven|eight|nine|ten) (?:words?|sentences?|paragraphs?|bullets?
                |bullet points?|sections?|placeholders?|examples?|different (?:answers|responses))\b",
            r"|(?P<one>[$€£]? ?\d[\d,]*(?:\.\d+)?(?:/\d+)?|\.\d+|\b(?:zero|two|three|four|five|six|seven|eight
                |nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty
                |forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|halves|third|thirds|quarter
                |quarters|fourths?|fifths?|double|doubles|doubled|triple|triples|tripled|twice|thrice|dozen|dozens
                |one|once|pair|couple|week|daily|weekly|monthly|average|both|each|every|square|rectang\w+
                |equilateral)\b)",
        ))
    });
    static DIGIT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\d|zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|twenty|thirty|forty|fifty
                |sixty|seventy|eighty|ninety|hundred|thousand|half|third|quarter|double|triple|twice|thrice|dozen
                |pair|one",
        )
    });
    let found: Vec<_> = NUMBER
        .captures_iter(prompt)
        .filter_map(|found| found.name("one").map(|one| one.as_str()))
        .collect();
    // Words like "each" help a number along; alone they are none.
    let numbers = found.iter().any(|one| DIGIT.is_match(one));
    Given {
        all: if numbers { found.len() } else { 0 },
        digits: found
            .iter()
            .filter(|one| one.contains(|c: char| c.is_ascii_digit()))
            .count(),
    }
}

/// Whether any quantity is given.
pub(super) fn any(text: &str) -> bool {
    quantities(text).all > 0
}

/// Whether something is given to arrange: a quantity, or a word whose letters are.
pub(super) fn any_or_letters(text: &str) -> bool {
    static LETTERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bletters (?:of|in)\b"));
    any(text) || LETTERS.is_match(text)
}

/// "I have a lamp, two chairs and an oven. How many objects do I have?": things in a row, and a question for their count.
pub(super) fn counts_objects(premise: &str, question: &str) -> bool {
    static THINGS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?:[,:]|\band\b|\b(?:have|has|had|are|is|see|saw|own|bought|got|buy|pack\w*|hold\w*|contain\w*|with
                |keeps?|took|take|brought|found|ate)\b) (?:and )?(?:an?|one|two|three|four|five|six|seven|eight
                |nine|ten|eleven|twelve|\d+) (?:[\w-]+ ?){1,4}",
        )
    });
    static COUNT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bhow many (?:\w+ ){0,4}?(?:do|did|does|have|has|are|were|is|can)\b(?: there)?
                |\bhow many \w+(?: \w+)? in (?:total|all)\b",
        )
    });
    COUNT.is_match(question) && THINGS.find_iter(premise).take(2).count() == 2
}
