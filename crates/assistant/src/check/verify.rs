//! Holds an answer against one rule: a verdict, and what it rests on.
//!
//! `count` and `unit` count, `shape` parses, this file compares texts. Strict meaning throughout: what IFEval's checkers
//! accept passes, everything else fails, and what cannot be decided is unknown. An answer without text fails everything.
mod count;
mod shape;
mod unit;

use super::{
    Compliance, Examined, Language,
    describe::listed,
    rule::{Case, Rule},
    token::{is_lower, is_upper, is_word},
};

pub(super) fn examine(rule: &Rule, response: &str) -> Examined {
    if response.trim().is_empty() {
        let verdict = if matches!(rule, Rule::Unverifiable(_)) {
            Compliance::Unknown
        } else {
            Compliance::Fail
        };
        return finding(verdict, "the answer is empty");
    }
    match rule {
        Rule::Count { what, bound } => count::examine(what, *bound, response),
        Rule::Each { unit, each } => unit::each(*unit, each, response),
        Rule::ConsecutiveLetters { unit, from, to } => {
            unit::consecutive(*unit, *from, *to, response)
        }
        Rule::GrowingSentences(more) => unit::growing(*more, response),
        Rule::NoSharedInitials => unit::initials(response),
        Rule::WordRepeats(most) => unit::repeats(*most, response),
        Rule::Contains(words) => contains(words, response),
        Rule::Forbids(words) => forbids(words, response),
        Rule::NoComma => {
            let commas = response.matches(',').count();
            said(commas == 0, || format!("it has {commas}"))
        }
        Rule::NoWhitespace => said(!response.trim().contains(char::is_whitespace), || {
            "it has some".into()
        }),
        Rule::Case { case } => cased(*case, response),
        Rule::Language(language) => {
            finding(language.verdict(response), "it reads like another language")
        }
        Rule::Shape(shape) => shape::examine(*shape, response),
        Rule::StartsWith(words) => starts(words, response),
        Rule::EndsWith(words) => ends(words, response),
        Rule::Quoted => {
            let text = response.trim();
            said(
                text.len() > 1 && text.starts_with('"') && text.ends_with('"'),
                || "it does not".into(),
            )
        }
        Rule::Title => said(titled(response), || "there is none".into()),
        Rule::Postscript(marker) => said(postscript(marker, response), || "there is none".into()),
        Rule::Repeats(text) => {
            let begins = response
                .trim()
                .to_lowercase()
                .starts_with(&text.trim().to_lowercase());
            said(begins, || "it begins otherwise".into())
        }
        Rule::Parts { separator, number } => parts(separator, *number, response),
        Rule::Options(options) => {
            let one = options.iter().any(|option| is_given(option, response));
            said(one, || "it has none of them".into())
        }
        Rule::ParagraphStart {
            paragraphs,
            nth,
            word,
        } => unit::paragraph_start(*paragraphs, *nth, word, response),
        Rule::Unverifiable(_) => finding(Compliance::Unknown, ""),
    }
}

/// A finding; evidence is kept only for what did not pass.
fn finding(verdict: Compliance, evidence: &str) -> Examined {
    let evidence = if verdict == Compliance::Pass {
        ""
    } else {
        evidence
    };
    Examined {
        verdict,
        evidence: evidence.to_owned(),
    }
}

fn said(holds: bool, evidence: impl FnOnce() -> String) -> Examined {
    let evidence = if holds { String::new() } else { evidence() };
    Examined {
        verdict: Compliance::of(holds),
        evidence,
    }
}

/// All words are inside, case aside, also as parts of longer words.
fn contains(words: &[String], response: &str) -> Examined {
    let text = response.to_lowercase();
    let missing: Vec<String> = words
        .iter()
        .filter(|word| !text.contains(&word.to_lowercase()))
        .map(|word| format!("{word:?}"))
        .collect();
    said(missing.is_empty(), || {
        format!(
            "{} {} missing",
            listed(&missing, "and"),
            is_or_are(&missing)
        )
    })
}

fn forbids(words: &[String], response: &str) -> Examined {
    let text = response.to_lowercase();
    let there: Vec<String> = words
        .iter()
        .filter(|word| stands_in_lower(&word.to_lowercase(), &text))
        .map(|word| format!("{word:?}"))
        .collect();
    said(there.is_empty(), || {
        format!("{} {} there", listed(&there, "and"), is_or_are(&there))
    })
}

fn is_or_are(words: &[String]) -> &'static str {
    if words.len() == 1 { "is" } else { "are" }
}

/// Whether an option stands in a text: a phrase as it is written, a single word in any case.
fn is_given(option: &str, text: &str) -> bool {
    if option.split_whitespace().count() > 1 {
        return text.contains(option);
    }
    stands_in_lower(&option.to_lowercase(), &text.to_lowercase())
}

fn stands_in_lower(phrase: &str, text: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    let edge = |inner: Option<char>, outer: Option<char>| {
        // A boundary is between a word character and anything else.
        inner.is_some_and(is_word) != outer.is_some_and(is_word) || !inner.is_some_and(is_word)
    };
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        edge(phrase.chars().next(), before) && edge(phrase.chars().next_back(), after)
    })
}

fn cased(case: Case, response: &str) -> Examined {
    let (holds, wrong): (bool, fn(char) -> bool) = match case {
        Case::Lower => (is_lower(response), char::is_uppercase),
        Case::Upper => (is_upper(response), char::is_lowercase),
    };
    if !holds {
        let words: Vec<String> = response
            .split_whitespace()
            .filter(|word| word.contains(wrong))
            .take(3)
            .map(|word| format!("{word:?}"))
            .collect();
        return finding(
            Compliance::Fail,
            &format!("{} {} not", listed(&words, "and"), is_or_are(&words)),
        );
    }
    match Language::ENGLISH.verdict(response) {
        Compliance::Fail => finding(Compliance::Fail, "it is not in English"),
        _ => finding(Compliance::Pass, ""),
    }
}

/// The first line that is not a heading begins with the words, or any line does.
fn starts(words: &str, response: &str) -> Examined {
    let begins = response
        .lines()
        .any(|line| line.trim_start().starts_with(words));
    let first = response.trim_start();
    let head: String = first.chars().take(40).collect();
    let very_first = first
        .trim_start_matches(['"', '*', '#', ' '])
        .starts_with(words.trim_matches('"'));
    said(begins || very_first, || format!("it starts with {head:?}"))
}

fn ends(words: &str, response: &str) -> Examined {
    let text = response.trim().trim_matches('"').to_lowercase();
    let holds = text.ends_with(&words.trim().to_lowercase());
    said(holds, || {
        let tail: Vec<char> = response.trim().chars().rev().take(60).collect();
        format!(
            "it ends with {:?}",
            tail.into_iter().rev().collect::<String>()
        )
    })
}

/// `<<text>>` on one line.
fn titled(response: &str) -> bool {
    response.lines().any(|line| {
        let Some(open) = line.find("<<") else {
            return false;
        };
        let Some(close) = line.rfind(">>") else {
            return false;
        };
        close > open + 2
            && !line[open..close + 2]
                .trim_matches(['<', '>'])
                .trim()
                .is_empty()
    })
}

/// The marker, its letters perhaps with a space between them.
fn postscript(marker: &str, response: &str) -> bool {
    let text = response.to_lowercase();
    let marks: &[&str] = if marker == "P.P.S" {
        &["p.p.s", "p. p.s", "p.p. s", "p. p. s"]
    } else {
        &["p.s.", "p. s."]
    };
    marks.iter().any(|mark| text.contains(mark))
}

fn parts(separator: &str, number: u64, response: &str) -> Examined {
    let pieces: Vec<&str> = response.split(separator).collect();
    let inner_empty = pieces
        .iter()
        .enumerate()
        .any(|(index, piece)| piece.trim().is_empty() && index != 0 && index != pieces.len() - 1);
    let full: Vec<&str> = pieces
        .iter()
        .map(|piece| piece.trim())
        .filter(|piece| !piece.is_empty())
        .collect();
    let mut different = full.clone();
    different.sort_unstable();
    different.dedup();
    let holds = !inner_empty && full.len() as u64 == number && different.len() == full.len();
    said(holds, || {
        format!(
            "it has {} parts, {} of them different",
            full.len(),
            different.len()
        )
    })
}
