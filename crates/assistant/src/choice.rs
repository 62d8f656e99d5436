//! Options in a question, and the one that a text settles on.
//!
//! Used by the logic guard and by the lab's scores, so that both read an answer alike. Of several lettered options a
//! text says the one it ends on. Of several names it says one only where that is plain ([`named`]): a name somewhere in
//! a text is no answer, and a guard must not confirm what nobody said.

use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// An option of a multiple-choice question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// `A`, `B` …
    pub letter: char,
    /// What it says.
    pub text: String,
}

/// The options of a question: at least two lines `(A) …`, `A) …` or `A. …`, in order from A.
pub fn options(question: &str) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    for line in question.lines() {
        let Some(choice) = option(line.trim()) else {
            continue;
        };
        let next = ('A'..='Z').nth(found.len());
        if next == Some(choice.letter) {
            found.push(choice);
        } else if choice.letter == 'A' {
            found = vec![choice];
        }
    }
    if found.len() < 2 {
        found.clear();
    }
    found
}

/// `(B) a cat`, `B) a cat`, `B. a cat`
fn option(line: &str) -> Option<Choice> {
    let open = line.starts_with('(');
    let mut rest = line.trim_start_matches('(').chars();
    let letter = rest.next().filter(char::is_ascii_uppercase)?;
    let mark = rest.next()?;
    let marked = mark == ')' || (mark == '.' && !open);
    let text = rest.as_str().trim();
    (marked && !text.is_empty()).then(|| Choice {
        letter,
        text: text.to_owned(),
    })
}

/// The option that a text settles on: the last letter in `\boxed{}`, else in brackets, else the one that it announces as
/// the answer, else a letter that it begins with, else the last option whose words it repeats.
pub fn chosen(text: &str, options: &[Choice]) -> Option<char> {
    let is_option = |c: &char| options.iter().any(|option| option.letter == *c);
    boxed(text)
        .filter(is_option)
        .or_else(|| bracketed(text).filter(is_option))
        .or_else(|| announced(text).filter(is_option))
        .or_else(|| alone(text).filter(is_option))
        .or_else(|| repeated(text, options))
}

/// The last of these words in a text, in lower case.
pub fn last_word(text: &str, words: &[&str]) -> Option<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .rfind(|word| words.contains(word))
        .map(str::to_owned)
}

/// Which of these names a text gives as its answer: the one that it announces, boxes or puts in bold, else the one that
/// it begins with, else the only one of its first or of its last sentence that has any. Nothing where several are named
/// and none is singled out.
pub fn named<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    static MARKED: LazyLock<Regex> = LazyLock::new(|| {
        let announced = r"(?i)\banswer(?:\s+is|\s*:)(?<said>[^.!?\n]*)";
        Regex::new(&format!(
            r"{announced}|\*\*(?<bold>[^*\n]+)\*\*|\\boxed\{{(?<boxed>[^}}\n]*)"
        ))
        .expect("fixed")
    });
    let only = |part: &str| match mentioned(part, names).as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    let marked = MARKED.captures_iter(text).filter_map(|found| {
        let part = ["said", "bold", "boxed"]
            .iter()
            .find_map(|name| found.name(name))?;
        only(part.as_str())
    });
    if let Some(name) = marked.last() {
        return Some(name);
    }
    let head = text.trim_start();
    let begins = |name: &&&str| {
        let ends = |at: usize| head[at..].starts_with([',', '.', ':', ';', '!', '\n']);
        let same = head
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name));
        same && (head.len() == name.len() || ends(name.len()))
    };
    if let Some(name) = names.iter().find(begins) {
        return Some(name);
    }
    let sentences = || {
        let all = text.split(['.', '!', '?', '\n']);
        all.filter(|part| !mentioned(part, names).is_empty())
    };
    let first = sentences().next().and_then(only);
    let last = sentences().next_back().and_then(only);
    match (first, last) {
        (Some(first), Some(last)) if first != last => None,
        (first, last) => last.or(first),
    }
}

/// Whether a text mentions a name as a word of its own, case aside.
pub fn mentions(text: &str, name: &str) -> bool {
    !places(&text.to_lowercase(), &name.to_lowercase()).is_empty()
}

/// The names in a text, each once; "the red bus" is not also "bus".
fn mentioned<'a>(text: &str, names: &[&'a str]) -> Vec<&'a str> {
    let lower = text.to_lowercase();
    let all: Vec<(&str, Vec<Range<usize>>)> = names
        .iter()
        .map(|name| (*name, places(&lower, &name.to_lowercase())))
        .collect();
    let free = |name: &str, place: &Range<usize>| {
        let inside = |outer: &Range<usize>| {
            outer.len() > place.len() && outer.start <= place.start && place.end <= outer.end
        };
        !all.iter()
            .any(|(other, places)| *other != name && places.iter().any(inside))
    };
    all.iter()
        .filter(|(name, places)| places.iter().any(|place| free(name, place)))
        .map(|(name, _)| *name)
        .collect()
}

/// Where a phrase stands in a text as words of its own; both in lower case.
fn places(text: &str, phrase: &str) -> Vec<Range<usize>> {
    let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let found = text.match_indices(phrase).filter(|(at, _)| {
        !inner(text[..*at].chars().next_back()) && !inner(text[at + phrase.len()..].chars().next())
    });
    let ranges = found.map(|(at, _)| at..at + phrase.len());
    ranges.filter(|range| !range.is_empty()).collect()
}

/// The last `\boxed{B}`, `\boxed{(B)}` or `\boxed{\text{B}}`.
fn boxed(text: &str) -> Option<char> {
    let at = text.rfind("\\boxed{")?;
    let inside = &text[at + "\\boxed{".len()..];
    let inside = inside
        .trim_start_matches("\\text{")
        .trim_start_matches(['(', ' ']);
    let mut chars = inside.chars();
    let letter = chars.next().filter(char::is_ascii_uppercase)?;
    let ends = chars.next().is_none_or(|next| !next.is_alphanumeric());
    ends.then_some(letter)
}

/// The last `(B)`.
fn bracketed(text: &str) -> Option<char> {
    let at = |rest: &str| {
        let mut chars = rest.chars();
        let letter = chars.next()?;
        (letter.is_ascii_uppercase() && chars.next() == Some(')')).then_some(letter)
    };
    text.match_indices('(')
        .filter_map(|(i, _)| at(&text[i + 1..]))
        .next_back()
}

/// `answer is B`, `Answer: **B`, `option B`.
fn announced(text: &str) -> Option<char> {
    let lower = text.to_ascii_lowercase();
    let marks = ["answer is", "answer:", "option"];
    let after = marks
        .iter()
        .filter_map(|mark| lower.rfind(mark).map(|at| at + mark.len()))
        .max()?;
    let rest = text[after..].trim_start_matches([' ', '*', ':', '"', '(', '\n']);
    let mut chars = rest.chars();
    let letter = chars.next().filter(char::is_ascii_uppercase)?;
    let ends = chars.next().is_none_or(|next| !next.is_alphanumeric());
    ends.then_some(letter)
}

/// A text that is a letter, or begins with one as a list does: `B`, `B) The bus`, `**B**`.
fn alone(text: &str) -> Option<char> {
    let text = text.trim().trim_start_matches('*');
    let mut chars = text.chars();
    let letter = chars.next().filter(char::is_ascii_uppercase)?;
    match chars.next() {
        None | Some(')' | '.' | '*' | ':') => Some(letter),
        _ => None,
    }
}

/// The option whose words come last; a longer one wins over one inside it.
fn repeated(text: &str, options: &[Choice]) -> Option<char> {
    let lower = text.to_lowercase();
    let last = options.iter().filter_map(|option| {
        let words = option.text.trim_end_matches('.').to_lowercase();
        let at = lower.rfind(words.as_str()).filter(|_| !words.is_empty())?;
        Some((at + words.len(), words.len(), option.letter))
    });
    last.max().map(|(_, _, letter)| letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "Which is it?\nOptions:\n(A) the bus\n(B) the red bus\n(C) the car";

    #[test]
    fn options_are_lines_with_letters_in_order() {
        let letters = |text| {
            options(text)
                .iter()
                .map(|one| one.letter)
                .collect::<String>()
        };
        assert_eq!(letters(QUESTION), "ABC");
        assert_eq!(letters("A) x\nB) y"), "AB");
        assert_eq!(letters("A. x\nB. y\nnote\nC. z"), "ABC");
        assert_eq!(letters("(A) only one"), "");
        assert_eq!(letters("I. Claudius\nA cat. (B) x"), "");
        assert_eq!(options(QUESTION)[1].text, "the red bus");
    }

    #[test]
    fn a_text_settles_on_a_letter_or_on_the_words_of_an_option() {
        let options = options(QUESTION);
        let chosen = |text| chosen(text, &options);
        assert_eq!(chosen("So (A) is wrong, the answer is (C)."), Some('C'));
        assert_eq!(chosen("The answer is B"), Some('B'));
        assert_eq!(chosen("**B**"), Some('B'));
        assert_eq!(chosen("C) the car"), Some('C'));
        assert_eq!(chosen("It must be the red bus."), Some('B'));
        assert_eq!(chosen("It is none of them (Z)."), None);
        assert_eq!(chosen("A dog"), None);
        assert_eq!(chosen("Not (A). \\boxed{C}"), Some('C'));
        assert_eq!(chosen("$\\boxed{\\text{B}}$"), Some('B'));
        assert_eq!(chosen("\\boxed{(A)}"), Some('A'));
    }

    #[test]
    fn a_name_is_said_only_where_it_is_singled_out() {
        let people = ["Anna", "Ben", "Carl"];
        let said = |text| named(text, &people);
        assert_eq!(said("Ben is in the middle."), Some("Ben"));
        assert_eq!(said("Anna is left of Ben. So it is Carl."), Some("Carl"));
        assert_eq!(
            said("Ben sits beside Anna and Carl, so **Ben**."),
            Some("Ben")
        );
        assert_eq!(
            said("The answer is Carl, not Ben"),
            None,
            "two in one breath"
        );
        assert_eq!(said("Anna is first. Then Ben. Last is Carl."), None);
        assert_eq!(said("Ben and Anna are possible."), None);
        assert_eq!(
            said("The bench is empty."),
            None,
            "by words, not by letters"
        );
        assert_eq!(said("\\boxed{Anna}"), Some("Anna"));
        let yes = |text| named(text, &["yes", "no"]);
        assert_eq!(yes("Yes, because there is no other way."), Some("yes"));
        assert_eq!(yes("There is no doubt: yes, or is it no?"), None);
        let cars = ["bus", "red bus"];
        assert_eq!(named("It must be the red bus.", &cars), Some("red bus"));
    }

    #[test]
    fn words_are_read_from_the_end() {
        let last = |text| last_word(text, &["yes", "no"]);
        assert_eq!(last("Yes? No: she lies. **No**."), Some("no".into()));
        assert_eq!(last("No, wait. Yes"), Some("yes".into()));
        assert_eq!(last("nothing"), None);
    }
}
