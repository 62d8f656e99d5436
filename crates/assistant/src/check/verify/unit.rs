//! Rules for each sentence, line, paragraph or word of an answer.
use super::{finding, said};
use crate::check::{
    Compliance, Examined,
    describe::listed,
    rule::{Each, Unit},
    sentence::sentences,
    token::{spoken, units, words},
};
use std::collections::HashMap;

/// Evidence names this many units at most.
const NAMED: usize = 5;

/// Every unit obeys; the evidence names those that do not.
pub(super) fn each(unit: Unit, rule: &Each, response: &str) -> Examined {
    let parts = units(response, unit);
    if parts.is_empty() {
        return finding(Compliance::Unknown, "there are none");
    }
    let mut open = false;
    let mut wrong = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        match holds(rule, part) {
            Some(true) => {}
            Some(false) => wrong.push(index + 1),
            None => open = true,
        }
    }
    if wrong.is_empty() && open {
        return finding(Compliance::Unknown, "some are only about so long");
    }
    said(wrong.is_empty(), || failing(unit, &wrong, parts.len()))
}

fn holds(rule: &Each, part: &str) -> Option<bool> {
    let lower = || part.to_lowercase();
    match rule {
        Each::Words(bound) => bound.holds(spoken(part).len() as u64),
        Each::Sentences(bound) => bound.holds(sentences(part).len() as u64),
        Each::Characters(bound) => bound.holds(part.chars().count() as u64),
        Each::StartsWithLetter(letter) => Some(initial(part) == Some(*letter)),
        Each::StartsWith(text) => Some(lower().starts_with(&text.to_lowercase())),
        Each::EndsWith(text) => Some(
            lower()
                .trim_end_matches(['"', '*', ' '])
                .ends_with(&text.to_lowercase()),
        ),
        Each::Contains(text) => Some(lower().contains(&text.to_lowercase())),
    }
}

/// The first letter, lower case, marks before it skipped.
fn initial(part: &str) -> Option<char> {
    let first = part.chars().find(|c| c.is_alphanumeric())?;
    first.to_lowercase().next()
}

fn failing(unit: Unit, wrong: &[usize], all: usize) -> String {
    let named: Vec<String> = wrong.iter().take(NAMED).map(usize::to_string).collect();
    let more = if wrong.len() > NAMED {
        format!(" and {} more", wrong.len() - NAMED)
    } else {
        String::new()
    };
    let (s, does) = if wrong.len() == 1 {
        ("", "does")
    } else {
        ("s", "do")
    };
    let numbers = if more.is_empty() {
        listed(&named, "and")
    } else {
        named.join(", ")
    };
    format!("{}{s} {numbers}{more} of {all} {does} not", unit.name())
}

/// Units begin with consecutive letters.
pub(super) fn consecutive(unit: Unit, from: char, to: Option<char>, response: &str) -> Examined {
    let parts = units(response, unit);
    let mut wanted = from.to_ascii_lowercase();
    for (index, part) in parts.iter().enumerate() {
        if initial(part) != Some(wanted) {
            let said = format!(
                "{} {} does not begin with {}",
                unit.name(),
                index + 1,
                wanted.to_ascii_uppercase()
            );
            return finding(Compliance::Fail, &said);
        }
        if to.is_some_and(|to| to.eq_ignore_ascii_case(&wanted)) && index + 1 < parts.len() {
            return finding(
                Compliance::Fail,
                &format!("there are {} {}s", parts.len(), unit.name()),
            );
        }
        wanted = if wanted == 'z' {
            'a'
        } else {
            char::from(wanted as u8 + 1)
        };
    }
    let last = to.map(|to| to.to_ascii_lowercase());
    let expected = last.map(|to| u64::from(to as u32 - from.to_ascii_lowercase() as u32) + 1);
    let complete = expected.is_none_or(|expected| parts.len() as u64 == expected);
    said(complete, || {
        format!("it stops after {} {}s", parts.len(), unit.name())
    })
}

/// Each sentence has so many words more than the one before.
pub(super) fn growing(more: u64, response: &str) -> Examined {
    let counts: Vec<u64> = units(response, Unit::Sentence)
        .iter()
        .map(|part| spoken(part).len() as u64)
        .collect();
    let wrong = counts.windows(2).position(|pair| pair[1] != pair[0] + more);
    match wrong {
        Some(at) => finding(
            Compliance::Fail,
            &format!(
                "sentence {} has {} words, sentence {} has {}",
                at + 1,
                counts[at],
                at + 2,
                counts[at + 1]
            ),
        ),
        None => finding(Compliance::Pass, ""),
    }
}

/// No two words in a row begin with the same letter.
pub(super) fn initials(response: &str) -> Examined {
    let all: Vec<&str> = words(response).collect();
    let same = all
        .windows(2)
        .find(|pair| initial(pair[0]).is_some() && initial(pair[0]) == initial(pair[1]));
    match same {
        Some(pair) => finding(
            Compliance::Fail,
            &format!("{:?} and {:?} do", pair[0], pair[1]),
        ),
        None => finding(Compliance::Pass, ""),
    }
}

/// No word more often than this.
pub(super) fn repeats(most: u64, response: &str) -> Examined {
    let text = response.to_lowercase();
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for word in words(&text) {
        *counts.entry(word).or_default() += 1;
    }
    let worst = counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
    match worst {
        Some((word, count)) if count > most => finding(
            Compliance::Fail,
            &format!("{word:?} is there {count} times"),
        ),
        _ => finding(Compliance::Pass, ""),
    }
}

/// Paragraphs between two line breaks, and the first word of one of them.
pub(super) fn paragraph_start(
    wanted: Option<u64>,
    nth: u64,
    word: &str,
    response: &str,
) -> Examined {
    let parts: Vec<&str> = response.split("\n\n").collect();
    let full = parts.iter().filter(|part| !part.trim().is_empty()).count() as u64;
    if wanted.is_some_and(|wanted| wanted != full) {
        return finding(Compliance::Fail, &format!("there are {full} paragraphs"));
    }
    let index = if nth == 0 { full } else { nth };
    if index == 0 || index > full {
        return finding(Compliance::Fail, &format!("there are {full} paragraphs"));
    }
    let paragraph = parts.get(index as usize - 1).map_or("", |part| part.trim());
    let first = paragraph.split_whitespace().next().unwrap_or_default();
    let first = first.trim_start_matches('\'').trim_start_matches('"');
    let first = first
        .split(['.', ',', '?', '!', '\'', '"'])
        .next()
        .unwrap_or_default()
        .to_lowercase();
    said(first == word, || {
        format!("paragraph {index} starts with {first:?}")
    })
}
