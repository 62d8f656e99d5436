//! Whether an answer comes to a result that a reader would take away: a number, a choice or a name.
//!
//! Called after generation, to decide whether an answer deserves a mark at all. Wide where the guards are narrow: a
//! question for a fact with a number as its answer has a result too, though nothing can be computed. What never has
//! one: essays, lists, code, explanations, stories with numbers in them.
//!
//! A question without any quantity of its own ("How many players are in a team?") gets no mark: there is nothing in it
//! that could have been computed with, and a mark on every fact would say nothing.
use super::{Mask, arithmetic, counting, logic, pattern, sentence};
use crate::choice;
use regex::Regex;
use std::sync::LazyLock;

/// What kind of result it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number, a date or a time.
    Number,
    /// One of the options that the question gives, yes and no among them.
    Choice,
    /// A person, a thing, a weekday.
    Name,
}

/// Longer questions are documents.
const LONGEST: usize = 6000;

/// The kind of result that an answer to this question states; nothing where there is none.
pub fn wants(question: &str, answer: &str) -> Option<Kind> {
    if question.len() > LONGEST || answer.trim().is_empty() {
        return None;
    }
    let mask = Mask::new(answer);
    let prose = mask.blank(answer);
    let Some(kind) = asked(question) else {
        let concluded = arithmetic::has_quantity(question) && concludes(&prose);
        return concluded.then_some(Kind::Number);
    };
    let options = choice::options(question);
    let stated = match kind {
        Kind::Choice if !options.is_empty() => choice::chosen(&prose, &options).is_some(),
        Kind::Choice => decides(&prose),
        Kind::Number => states_number(&prose),
        Kind::Name => !prose.trim().is_empty(),
    };
    stated.then_some(kind)
}

/// Whether a question is after a result, whatever its answer says.
pub fn asks(question: &str) -> bool {
    question.len() <= LONGEST && asked(question).is_some()
}

/// Whether an answer reckons its way to a number or a date: it boxes one, or its last sentence draws it as a conclusion.
/// That is a result even where the question was not understood as one for it.
fn concludes(prose: &str) -> bool {
    static BOXED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\\boxed\{[^}\n]*\d"));
    static DRAWN: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\W*(?:therefore|so|thus|hence|the (?:final )?answer)\b.*\d"));
    let last = sentence::split(prose).pop();
    BOXED.is_match(prose) || last.is_some_and(|span| DRAWN.is_match(&prose[span]))
}

/// The kind of result that a question wants.
fn asked(question: &str) -> Option<Kind> {
    let computed =
        arithmetic::look(question, "").is_some() || counting::look(question, "").is_some();
    let puzzle = logic::look(question, "").is_some();
    if (computed || puzzle) && !choice::options(question).is_empty() {
        return Some(Kind::Choice);
    }
    if computed || puzzle {
        return Some(form(question));
    }
    (arithmetic::asks_for_fact(question) || arithmetic::goes_on(question)).then_some(Kind::Number)
}

/// What the last question of a computation or puzzle is after.
fn form(question: &str) -> Kind {
    static YES_NO: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?:^|[,;:] |\bthen )(?:is|are|was|were|do|does|did|can|could|will|would|has|have|must|should
                |am)\b[^?]*\?\W*$
                |\b(?:true or false|true, false)\b",
        )
    });
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bhow (?:many|much|old|long|far|tall|fast|heavy|big|often|late|high)\b|\bwhat (?:time|date|year
                |percent\w*|number|age)\b",
        )
    });
    static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\bwhich (?:one |of |is |option |deal |offer )\b|\b(?:larger|bigger|cheaper|smaller|better deal)\b",
        )
    });
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:who|whose|whom)\b|\b(?:which|what) (?:day|weekday|person|\w+ (?:is|was|sits|came|won|did))\b",
        )
    });
    let sentences = sentence::split(question);
    let asks = |span: &&std::ops::Range<usize>| question[(*span).clone()].ends_with('?');
    let last = sentences.iter().rfind(asks).or(sentences.last());
    let words = last.map_or(question, |span| &question[span.clone()]);
    let puzzle = logic::look(question, "").is_some();
    if NUMBER.is_match(words) {
        Kind::Number
    } else if YES_NO.is_match(words) || CHOICE.is_match(words) {
        Kind::Choice
    } else if puzzle || NAME.is_match(words) {
        Kind::Name
    } else {
        Kind::Number
    }
}

/// Whether the first or one of the last sentences states a number, a date or a time; or a number is boxed or bold.
fn states_number(prose: &str) -> bool {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\d|\b(?:zero|none|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen
                |fifteen
                |sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred
                |thousand|million|half|noon|midnight|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
        )
    });
    static MARKED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\*\*[^*\n]*\d[^*\n]*\*\*|\\boxed\{[^}\n]*\d|####\s*-?\d"));
    let sentences = sentence::split(prose);
    let ends = sentences
        .iter()
        .take(1)
        .chain(sentences.iter().rev().take(2));
    MARKED.is_match(prose)
        || ends
            .into_iter()
            .any(|span| NUMBER.is_match(&prose[span.clone()]))
}

/// Whether an answer decides a question with two sides.
fn decides(prose: &str) -> bool {
    static SIDE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\b(?:yes|no|not|cannot|true|false|larger|bigger|greater|smaller|cheaper|better|more|less|equal|same
                |enough|can|is|are)\b|\d",
        )
    });
    let sentences = sentence::split(prose);
    let ends = sentences
        .iter()
        .take(1)
        .chain(sentences.iter().rev().take(2));
    ends.into_iter()
        .any(|span| SIDE.is_match(&prose[span.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_from_texts() {
        let table = [
            ("What is 12% of 50?", "It is 6.", Some(Kind::Number)),
            (
                "How long do I steam 3 dumplings?",
                "About 8 minutes.",
                Some(Kind::Number),
            ),
            (
                "How long do I steam 3 dumplings?",
                "That depends on their size.",
                None,
            ),
            (
                "And with 9 guests?",
                "Then it is 81 euros.",
                Some(Kind::Number),
            ),
            (
                "Is 51 divisible by 3?",
                "Yes, 3 times 17.",
                Some(Kind::Choice),
            ),
            (
                "Uma is taller than Vic. Vic is taller than Wim. Who is the tallest?",
                "Uma is the tallest.",
                Some(Kind::Name),
            ),
            (
                "Uma is taller than Vic. Vic is taller than Wim. Which is true?\n(A) Wim is the tallest\n(B) Uma is the tallest",
                "(B)",
                Some(Kind::Choice),
            ),
            (
                "Write a story about 3 bears.",
                "Once there were 3 bears.",
                None,
            ),
            ("How many legs does a spider have?", "Eight.", None),
            ("Who painted Guernica?", "Picasso, in 1937.", None),
            ("Name 3 rivers.", "1. Rhine 2. Po 3. Ebro", None),
            (
                "Explain the 5 stages of sleep.",
                "There are 5 stages.",
                None,
            ),
            ("What is 12% of 50?", "", None),
            (
                "I water the cactus every 9 days. I watered it on 6 November. On what date is the third watering?",
                "Add 27 days.\n\nTherefore, it is \\(\\boxed{29}\\).",
                Some(Kind::Number),
            ),
            (
                "The warranty is 18 months from 12 August 2022. In which month does it run out?",
                "Add them.\n\nTherefore, the warranty runs out in **June 2023**.",
                Some(Kind::Number),
            ),
            (
                "Write a story about 3 bears.",
                "They met 2 wolves.\n\nSo the 3 bears went home.",
                None,
            ),
        ];
        for (question, answer, expected) in table {
            assert_eq!(wants(question, answer), expected, "{question}");
        }
    }
}
