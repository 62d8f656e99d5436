//! What may remain of a corrected answer: does it derive its answer, is it finished, does it speak of what is gone?
//!
//! Every question is asked so that doubt keeps the raw answer.
use super::{
    super::{Mask, pattern},
    answer,
};
use regex::Regex;
use std::sync::LazyLock;

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"-?\d[\d,]*(?:\.\d+)?(?:/\d+)?"));

/// Whether the text arrives at the answer: states it, with at least one calculation or two other numbers before.
/// An answer in words needs two sentences around it.
pub(super) fn derives(text: &str, given: &str) -> bool {
    if !given.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return text.split_whitespace().count() >= 25;
    }
    let others = NUMBER
        .find_iter(text)
        .filter(|found| answer::number_of(found.as_str()) != given)
        .count();
    states(text, given) && others >= 2
}

/// Whether the value stands in the text.
pub(super) fn states(text: &str, given: &str) -> bool {
    if given.is_empty() {
        return false;
    }
    NUMBER
        .find_iter(text)
        .any(|found| answer::number_of(found.as_str()) == given)
        || text.to_lowercase().contains(given)
}

/// Whether the old value is still spoken of.
pub(super) fn mentions(text: &str, old: &str) -> bool {
    NUMBER
        .find_iter(text)
        .any(|found| answer::number_of(found.as_str()) == old)
}

/// Whether a text takes something back itself: then it is no clean derivation.
pub(super) fn takes_back(text: &str) -> bool {
    static TALK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:however|mistak\w*|errors?|incorrect\w*|wrong|correction|corrected|miscalculat\w*|overlook\w*
                |initial(?:ly)?|confusion|apolog\w*|re-?check\w*|actually|wait|contradict\w*|discrepanc\w*)\b",
        )
    });
    TALK.is_match(text)
}

/// Whether a text leans on something that was cut.
pub(super) fn refers_back(text: &str) -> bool {
    static BACK: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:as (?:described|explained|shown|stated|mentioned|discussed|calculated|before|above|noted)|above
                |earlier|previous(?:ly)?|initial (?:answer|calculation|explanation|response|mistake)|same as before
                |the rest|(?:steps?|parts?) \d+ (?:remain|is|are) (?:the same|unchanged|correct)
                |remain(?:s)? (?:the same|unchanged)|(?:this|my|the) correction)\b",
        )
    });
    BACK.is_match(text)
}

/// Whether the restatement can stand for the draft: not much shorter, and with as many numbered parts.
pub(super) fn covers(draft: &str, restated: &str) -> bool {
    static PART: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"(?m)^[ \t]*(?:#{1,6} |\d{1,2}[.)] |\(?[a-h]\) )"));
    let (before, after) = (words(draft), words(restated));
    let parts = PART.find_iter(restated).count() >= PART.find_iter(draft).count();
    parts && after >= 4 && after * 2 >= before
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// Whether a text ends as finished texts do, with everything closed that it opened.
pub(super) fn complete(text: &str) -> bool {
    let text = text.trim_end();
    let fences = text
        .lines()
        .filter(|line| line.trim_start().starts_with("```"))
        .count();
    let closed =
        |open: &str, close: &str| text.matches(open).count() == text.matches(close).count();
    let ended = text.ends_with(['.', '!', '?', '`', '}', ')', ']', '*', '"', '”', '$', '%'])
        || text.ends_with(|c: char| c.is_ascii_digit());
    ended
        && words(text) >= 3
        && fences.is_multiple_of(2)
        && closed("\\[", "\\]")
        && closed("\\(", "\\)")
}

/// The corrected derivation inside a middle that takes things back: what follows its last "Corrected reasoning:".
pub(super) fn corrected_derivation(middle: &str) -> Option<&str> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)^[ \t]*(?:#{1,6} |[*_]{1,3})*corrected (?:reasoning|explanation|calculation|derivation|steps)[ \t]*(?:[*_]{1,3})?:",
        )
    });
    let found = LABEL.find_iter(middle).last()?;
    (!takes_back(&middle[found.end()..])).then(|| &middle[found.start()..])
}

/// A text without the closing paragraphs that only speak of the mistake.
pub(super) fn without_apology(text: &str) -> &str {
    static APOLOGY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^[\s*_#-]*(?:note[*_:\s]+[^\n]*?(?:initial|incorrect|mistake|error)|(?:my )?apologi|sorry|(?:I
                |we) apologi|the (?:initial|previous|first) (?:answer|calculation|explanation|response)
                |this (?:correction|corrected answer))",
        )
    });
    let mut text = text.trim_end();
    while let Some(at) = text.rfind("\n\n") {
        let last = &text[at..];
        if last.contains("```") || !APOLOGY.is_match(last) {
            break;
        }
        text = text[..at].trim_end();
    }
    text
}

/// Labels without the word that announces a correction: "**Corrected Answer:**" becomes "**Answer:**". Not in code.
pub(super) fn unlabelled(text: &str) -> String {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?m)^[ \t]*(?:#{1,6} |[*_]{1,3}|- )*(?:final )?(?P<word>(?:corrected|revised|updated
                |amended) )(?P<noun>(?:final )?(?:answer|solution|response|result|calculation|reasoning|explanation
                |derivation|steps))[ \t]*(?:[*_]{1,3})?[ \t]*(?::|\r?$)",
        )
    });
    let masked = Mask::new(text).blank(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for found in WORD.captures_iter(&masked) {
        out.push_str(&text[at..found.name("word").map_or(at, |word| word.start())]);
        out.push_str(&capitalised(&found["noun"]));
        at = found.name("noun").map_or(at, |noun| noun.end());
    }
    out.push_str(&text[at..]);
    out
}

/// The same text, beginning with a capital.
pub(super) fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(rest).collect()
    })
}
