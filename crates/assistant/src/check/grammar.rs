//! Makes a decoding grammar of requirements, in Lark's notation: what cannot be written cannot be wrong.
//!
//! The constraints guard generates its second answer under it. Each requirement becomes a regular expression over the whole
//! answer, and the grammar is all of them at once (`&`), on top of a *form* (`form`): plain sentences, lines, a list, or
//! any text. Forms keep to characters that make units unmistakable: in sentences a full stop ends a sentence and nothing
//! else. So every text of the grammar passes `verify` for each requirement that it was made of; the converse is not
//! wanted. Left out of the grammar, and up to the model, are the language of the answer and what nobody can verify.
//!
//! Nothing comes of requirements that need more than that (JSON, titles, different parts), that are too large, or that
//! ask for nothing regular at all. A count of few words bounds the whole text; the length of any other is bounded by the
//! tokens that the guard allows. Whether all of them together leave any text is for the engine to find out.
mod form;
mod units;

use super::{
    Language, Requirement,
    rule::{Bound, Case, Relation, Rule, Unit, What},
};
use form::Form;
use std::fmt::Write as _;

/// Larger numbers in requirements make no grammar: every count is a chain of states.
const MOST_WORDS: u64 = 600;
const MOST_UNITS: u64 = 60;
const MOST_LETTERS: u64 = 200;
/// Below this many words every word and every gap is bounded; above it the states would be too many.
const FEW_WORDS: u64 = 60;
/// More words that must or must not be there make too many states.
const MOST_PHRASES: usize = 4;
/// Longest phrase, in bytes.
const MOST_PHRASE: usize = 2000;

// What follows goes into brackets. Classes of all letters there are make grammars that take several times as long: of thirty
// words a tenth of a second.

/// Letters and digits that words are made of.
const LATIN: &str = "A-Za-zÀ-ÖØ-öø-ÿ0-9_";
/// What may stand between words: signs, blanks and pictures.
const BETWEEN: &str = r"\n\x20-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7e¡-©«-±×÷\x{2010}-\x{2060}€\x{2190}-\x{23ff}\x{2600}-\x{2775}\x{1f300}-\x{1faff}";
/// Letters of one case.
const CAPITALS: &str = "A-ZÀ-ÖØ-ÞΑ-ΡΣ-ΩЁА-Я";
const SMALL: &str = "a-zß-öø-ÿα-ωа-яё";
/// Digits, and scripts that have no cases.
const NO_CASE: &str = r"0-9_\x{590}-\x{109f}\x{3000}-\x{a63f}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}";

/// Anything.
const ALL: &str = r"(?s:.*)";

/// A grammar whose texts meet the requirements, or nothing if there is none that is simple enough.
pub fn grammar(requirements: &[Requirement]) -> Option<String> {
    let rules: Vec<&Rule> = requirements
        .iter()
        .map(|one| &one.rule)
        .filter(|rule| !is_left_out(rule))
        .collect();
    if rules.is_empty() {
        return None;
    }
    let form = Form::of(&rules)?;
    let mut text = String::from("start: ANSWER\nANSWER: FORM");
    for rule in &rules {
        for term in terms_of(rule, &form)? {
            let not = if term.is_not { "~" } else { "" };
            write!(text, " & {not}{}", slashed(&term.regex)).ok()?;
        }
    }
    write!(text, "\n{}", form.terminals()?).ok()?;
    Some(text)
}

/// A regular expression as Lark writes it.
fn slashed(regex: &str) -> String {
    format!("/{}/", regex.replace('/', r"\/"))
}

/// A regular expression that a whole answer matches, or must not match.
struct Term {
    regex: String,
    is_not: bool,
}

impl Term {
    fn is(regex: impl Into<String>) -> Self {
        Self {
            regex: regex.into(),
            is_not: false,
        }
    }

    fn is_not(regex: impl Into<String>) -> Self {
        Self {
            regex: regex.into(),
            is_not: true,
        }
    }
}

/// Whether a requirement is none of the grammar's business.
fn is_left_out(rule: &Rule) -> bool {
    match rule {
        Rule::Unverifiable(_) => true,
        Rule::Language(language) => *language == Language::ENGLISH,
        _ => false,
    }
}

/// What a rule adds to the form; nothing at all if it cannot be said.
fn terms_of(rule: &Rule, form: &Form<'_>) -> Option<Vec<Term>> {
    Some(match rule {
        Rule::Count { what, bound } => vec![counted(what, *bound)?],
        Rule::Each { unit, each } => vec![Term::is(units::each(*unit, each)?)],
        Rule::ConsecutiveLetters { unit, from, to } => {
            vec![Term::is(units::consecutive(*unit, *from, *to)?)]
        }
        Rule::GrowingSentences(more) => vec![Term::is(units::growing(*more)?)],
        Rule::NoComma => vec![Term::is("[^,]*")],
        Rule::NoWhitespace => vec![Term::is(r"\S*")],
        Rule::Case { case: Case::Lower } => vec![Term::is(cased(SMALL))],
        Rule::Case { case: Case::Upper } => vec![Term::is(cased(CAPITALS))],
        Rule::Contains(phrases) => phrases_in(phrases, |phrase| {
            Term::is(format!("{ALL}(?i:{phrase}){ALL}"))
        })?,
        Rule::Forbids(phrases) => phrases_in(phrases, |phrase| {
            // A letter of another script beside it is none of its own: that forbids a little more than `verify` does.
            Term::is_not(format!("({ALL}[^{LATIN}])?(?i:{phrase})([^{LATIN}]{ALL})?"))
        })?,
        Rule::ParagraphStart {
            paragraphs: Some(number),
            nth,
            word,
        } => vec![Term::is(units::paragraph_start(*number, *nth, word)?)],
        // These are part of the form already.
        Rule::Options(_)
        | Rule::StartsWith(_)
        | Rule::EndsWith(_)
        | Rule::Repeats(_)
        | Rule::Quoted
            if form.holds(rule) =>
        {
            Vec::new()
        }
        _ => return None,
    })
}

fn phrases_in(phrases: &[String], term: impl Fn(String) -> Term) -> Option<Vec<Term>> {
    if phrases.len() > MOST_PHRASES {
        return None;
    }
    let quoted = phrases.iter().map(|phrase| escaped(phrase).map(&term));
    quoted.collect()
}

/// At least one letter of one case, none of the other.
fn cased(letters: &str) -> String {
    let any = format!("[{BETWEEN}{NO_CASE}{letters}]*");
    format!("{any}[{letters}]{any}")
}

/// How many of something the whole answer has.
fn counted(what: &What, bound: Bound) -> Option<Term> {
    let (parts, most) = match what {
        What::Words => (None, MOST_WORDS),
        What::Letter(_) | What::Keyword(_) => (None, MOST_LETTERS),
        What::Sentences => (Some(Unit::Sentence), MOST_UNITS),
        What::Lines => (Some(Unit::Line), MOST_UNITS),
        What::Paragraphs => (Some(Unit::Paragraph), MOST_UNITS),
        What::Bullets | What::Items => (Some(Unit::Item), MOST_UNITS),
        _ => return None,
    };
    if let Some(unit) = parts {
        let times = times(bound, 1, most)?;
        return Some(Term::is(units::number(unit, times)));
    }
    Some(match what {
        What::Words => {
            let Times { least, most } = times(bound, 1, most)?;
            let more = Times {
                least: least - 1,
                most: most.map(|most| most - 1),
            };
            // Where few words are allowed, a model that would like to go on is kept from the next word and writes dots,
            // blanks or letters without an end instead: so words and what stands between them have a length too.
            let few = most.is_some_and(|most| most < FEW_WORDS);
            let (word, gap, edge) = if few {
                ("{1,30}", "{1,6}", "{0,4}")
            } else {
                ("+", "+", "*")
            };
            let others = format!("([{BETWEEN}]{gap}[{LATIN}]{word}){more}");
            Term::is(format!(
                "[{BETWEEN}]{edge}[{LATIN}]{word}{others}[{BETWEEN}]{edge}"
            ))
        }
        What::Letter(letter) => {
            let (one, other) = either_case(*letter)?;
            let times = times(bound, 0, most)?;
            Term::is(format!("{other}*({one}{other}*){times}"))
        }
        What::Keyword(word) => {
            let word = escaped(word.trim())?;
            let Times { least, most } = times(bound, 0, most)?;
            match most {
                None => Term::is(format!("({ALL}(?i:{word})){{{least},}}{ALL}")),
                Some(most) if least == 0 => {
                    let more = most + 1;
                    Term::is_not(format!("({ALL}(?i:{word})){{{more},}}{ALL}"))
                }
                Some(_) => return None,
            }
        }
        _ => return None,
    })
}

/// How often something may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Times {
    least: u64,
    most: Option<u64>,
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.most {
            Some(most) => write!(f, "{{{},{most}}}", self.least),
            None => write!(f, "{{{},}}", self.least),
        }
    }
}

/// The numbers that a bound surely allows; nothing if there are none or they are too large.
fn times(bound: Bound, smallest: u64, largest: u64) -> Option<Times> {
    let n = bound.number;
    let (least, most) = match bound.relation {
        Relation::LessThan => (smallest, Some(n.checked_sub(1)?)),
        Relation::AtMost => (smallest, Some(n)),
        Relation::Exactly => (n, Some(n)),
        Relation::About => (n - n / 10, Some(n + n / 10)),
        Relation::AtLeast => (n.max(smallest), None),
        Relation::MoreThan => (n.saturating_add(1), None),
    };
    let fits = least >= smallest && least.max(most.unwrap_or(0)) <= largest;
    let is_empty = most.is_some_and(|most| most < least);
    (fits && !is_empty).then_some(Times { least, most })
}

/// A class of this letter in both cases, and one of everything else.
fn either_case(letter: char) -> Option<(String, String)> {
    let cases: String = letter.to_lowercase().chain(letter.to_uppercase()).collect();
    // "ß" has two letters as its capital; no class says that.
    let simple = letter.to_uppercase().count() == 1 && letter.to_lowercase().count() == 1;
    let cases = escaped(&cases).filter(|_| simple)?;
    Some((format!("[{cases}]"), format!("[^{cases}]")))
}

/// A phrase as a regular expression; nothing for phrases that are empty, too long or have control characters.
fn escaped(phrase: &str) -> Option<String> {
    let odd = |c: char| c.is_control() && c != '\n';
    if phrase.is_empty() || phrase.len() > MOST_PHRASE || phrase.contains(odd) {
        return None;
    }
    let mut out = String::with_capacity(phrase.len() * 2);
    for c in phrase.chars() {
        match c {
            '\n' => out.push_str(r"\n"),
            ' ' => out.push_str(r"\x20"),
            c if r"\.+*?()|[]{}^$#&-~".contains(c) => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_verify_says_of_each_letter() {
        let class = |of| regex::Regex::new(&format!("^[{of}]$")).expect("a class");
        let [latin, between] = [LATIN, BETWEEN].map(class);
        let [capitals, small, no_case] = [CAPITALS, SMALL, NO_CASE].map(class);
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let is_word = c.is_alphanumeric() || c == '_';
            assert!(!latin.is_match(&text) || is_word, "{c:?}");
            assert!(!between.is_match(&text) || !is_word, "{c:?}");
            assert!(!capitals.is_match(&text) || c.is_uppercase(), "{c:?}");
            assert!(!small.is_match(&text) || c.is_lowercase(), "{c:?}");
            let has_case = c.is_uppercase() || c.is_lowercase();
            let is_free = between.is_match(&text) || no_case.is_match(&text);
            assert!(!is_free || !has_case, "{c:?}");
        }
    }
}
