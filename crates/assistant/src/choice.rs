//! Options in a question, and the one that a text settles on.
//!
//! Used by the logic guard and by the lab's scores, so that both read an answer alike. What counts is the conclusion:
//! what is boxed or announced as the answer, what a text begins with, what its last sentence comes to. A mention is no
//! answer, nor is what is denied ("not Ben") or left open ("Ben or Anna", "unclear"): a guard must not confirm what
//! nobody said.

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

/// Longer texts are no answers to a puzzle; names are compared pairwise.
const LONGEST: usize = 1 << 16;

/// The options of a question: at least two lines `(A) …`, `A) …` or `A. …`, in order from A; or `(A) … (B) …` within a
/// line.
pub fn options(question: &str) -> Vec<Choice> {
    let lines = in_order(question.lines().filter_map(|line| option(line.trim())));
    if lines.len() >= 2 {
        return lines;
    }
    let inline = in_order(question.lines().flat_map(inline));
    if inline.len() >= 2 {
        inline
    } else {
        Vec::new()
    }
}

/// Options from A on; another A begins anew.
fn in_order(options: impl Iterator<Item = Choice>) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    for choice in options {
        let next = ('A'..='Z').nth(found.len());
        if next == Some(choice.letter) {
            found.push(choice);
        } else if choice.letter == 'A' {
            found = vec![choice];
        }
    }
    found
}

/// `(A) tea (B) milk` or `A) tea, B) milk` within a line.
fn inline(line: &str) -> Vec<Choice> {
    static MARK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:^|[\s,;:])\(?([A-H])\)\s+").expect("fixed"));
    let marks: Vec<(char, Range<usize>)> = MARK
        .captures_iter(line)
        .filter_map(|found| Some((found[1].chars().next()?, found.get(0)?.range())))
        .collect();
    let text = |place: usize, start: usize| {
        let end = marks.get(place + 1).map_or(line.len(), |next| next.1.start);
        let words = line[start..end].trim();
        // "(A) red or (B) blue?": the joints are none of the options' words.
        let words = words
            .strip_suffix(" or")
            .or_else(|| words.strip_suffix(" and"));
        let words = words.unwrap_or(line[start..end].trim());
        words.trim_end_matches([',', ';', '?', ' ']).to_owned()
    };
    let options = marks
        .iter()
        .enumerate()
        .map(|(place, (letter, mark))| Choice {
            letter: *letter,
            text: text(place, mark.end),
        });
    options.filter(|one| !one.text.is_empty()).collect()
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

/// The option that a text settles on: the last letter in `\boxed{}`, else the one that it announces as the answer, else
/// the only one in brackets of its last sentence with any, else a letter that it begins with, else the option whose words
/// it repeats last. What is denied or left open does not count.
pub fn chosen(text: &str, options: &[Choice]) -> Option<char> {
    let is_option = |c: &char| options.iter().any(|option| option.letter == *c);
    boxed(text)
        .filter(is_option)
        .or_else(|| announced(text).filter(is_option))
        .or_else(|| match bracketed(text) {
            Bracketed::One(letter) => Some(letter).filter(is_option),
            Bracketed::None => alone(text)
                .filter(is_option)
                .or_else(|| repeated(text, options)),
            Bracketed::Several => None,
        })
}

/// The last of these words in a text, in lower case.
pub fn last_word(text: &str, words: &[&str]) -> Option<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .rfind(|word| words.contains(word))
        .map(str::to_owned)
}

/// Which of these names a text gives as its answer: the one that it boxes or announces, else the one of its conclusion
/// ("So Noah came third."), else the one that it begins with, puts in bold, or that is alone in its first and last
/// sentence with any. Nothing where these differ, where several are named in one breath, or where it is denied or doubted.
pub fn named<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    if text.len() > LONGEST {
        return None;
    }
    static MARKED: LazyLock<Regex> = LazyLock::new(|| {
        let announced = r"(?i)\banswer(?:\s+is|\s*:)(?<said>[^.!?\n]*)";
        Regex::new(&format!(r"{announced}|\\boxed\{{(?<boxed>[^}}\n]*)")).expect("fixed")
    });
    static BOLD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\*\*([^*\n]+)\*\*").expect("fixed"));
    static CONCLUDES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)^\W*(?:so|therefore|thus|hence|in conclusion|this means|that means|consequently",
            r"|finally|it follows|which means|we conclude)\b",
        ))
        .expect("fixed")
    });
    let only = |part: &str| match mentioned(part, names).as_slice() {
        [one] if !doubted(part, names) => Some(*one),
        _ => None,
    };
    let marked = MARKED.captures_iter(text).filter_map(|found| {
        let part = found.name("said").or_else(|| found.name("boxed"))?;
        // "The answer is" may stand before a line break and a name in bold.
        (!mentioned(part.as_str(), names).is_empty()).then(|| only(part.as_str()))
    });
    if let Some(answer) = marked.last() {
        return answer;
    }
    let sentences = || {
        let all = text.split(['.', '!', '?', '\n']);
        all.filter(|part| !mentioned(part, names).is_empty())
    };
    let last = sentences().next_back();
    if let Some(part) = last.filter(|part| CONCLUDES.is_match(part)) {
        let bold = BOLD
            .captures_iter(part)
            .filter_map(|found| only(found.get(1)?.as_str()));
        return only(part).or_else(|| bold.last());
    }
    let bold: Vec<&str> = BOLD
        .captures_iter(text)
        .flat_map(|found| found.get(1).map(|part| mentioned(part.as_str(), names)))
        .flatten()
        .collect();
    let emphasised = bold
        .first()
        .filter(|first| bold.iter().all(|name| name == *first))
        .copied();
    let last_said = last.and_then(only);
    let found = [
        begun(text, names),
        emphasised,
        sentences().next().and_then(only),
        last_said,
    ];
    // A last word that takes back what came before leaves nothing.
    if last.is_some_and(|part| doubted(part, names)) && begun(text, names).is_none() {
        return None;
    }
    let mut said = found.into_iter().flatten();
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

/// The name that a text begins with, as an answer: "Ben.", "Yes, because …".
fn begun<'a>(text: &str, names: &[&'a str]) -> Option<&'a str> {
    let head = text.trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '"');
    let starts = |text: &str, name: &str| {
        text.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let begins = |name: &&&str| {
        let Some(rest) = head.get(name.len()..).filter(|_| starts(head, name)) else {
            return false;
        };
        let ends = rest.starts_with([',', '.', ':', ';', '!', '\n', '*', '"']);
        // "Carl, Anna, Ben" is a row of names and no answer.
        let next = rest.trim_start_matches([',', ' ']);
        let row = rest.starts_with(',') && names.iter().any(|other| starts(next, other));
        rest.is_empty() || ends && !row
    };
    names.iter().find(begins).copied()
}

/// Whether a part of a text denies or leaves open what it names. A word that is itself one of the names does neither.
fn doubted(part: &str, names: &[&str]) -> bool {
    const DOUBTS: [&str; 26] = [
        "not",
        "never",
        "neither",
        "nor",
        "cannot",
        "isn",
        "wasn",
        "doesn",
        "didn",
        "can",
        "unclear",
        "undetermined",
        "either",
        "or",
        "maybe",
        "perhaps",
        "possibly",
        "might",
        "may",
        "unless",
        "unknown",
        "impossible",
        "incorrect",
        "wrong",
        "false",
        "except",
    ];
    let is_name = |word: &str| names.iter().any(|name| name.eq_ignore_ascii_case(word));
    let lower = part.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).peekable();
    while let Some(word) = words.next() {
        // "can't" is "can" and "t"; a plain "can" doubts nothing.
        let doubt = DOUBTS.contains(&word) && (word != "can" || words.peek() == Some(&"t"));
        if doubt && !is_name(word) {
            return true;
        }
    }
    false
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
    // "There is no other way" says nothing; "No.", "no, she lies" and "no because" do.
    let answers = |rest: &str| {
        let because = [" because", " since", " as "];
        phrase != "no"
            || !rest.starts_with(' ')
            || because.iter().any(|word| rest.starts_with(word))
    };
    let found = text.match_indices(phrase).filter(|(at, _)| {
        let rest = &text[at + phrase.len()..];
        !inner(text[..*at].chars().next_back()) && !inner(rest.chars().next()) && answers(rest)
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

/// The letters in brackets of the last sentence that has any.
enum Bracketed {
    None,
    One(char),
    /// It names several, or denies the one that it names.
    Several,
}

/// The `(B)` of the last sentence with such a letter.
fn bracketed(text: &str) -> Bracketed {
    let letters = |part: &str| -> Vec<char> {
        let at = |rest: &str| {
            let mut chars = rest.chars();
            let letter = chars.next()?;
            (letter.is_ascii_uppercase() && chars.next() == Some(')')).then_some(letter)
        };
        let marks = part.match_indices('(');
        marks.filter_map(|(i, _)| at(&part[i + 1..])).collect()
    };
    let sentences = text.split_inclusive(['\n', '!', '?']);
    let sentences = sentences.flat_map(|line| line.split(". "));
    let Some((part, found)) = sentences
        .map(|part| (part, letters(part)))
        .filter(|(_, found)| !found.is_empty())
        .last()
    else {
        return Bracketed::None;
    };
    match found.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            // "(B) Ben is not the last": an option may deny; "not (B)" and "(B) is wrong" deny the option.
            if denies(part) {
                Bracketed::Several
            } else {
                Bracketed::One(*first)
            }
        }
        _ => Bracketed::Several,
    }
}

/// "not (B)", "(B) is wrong", "(B) cannot be".
fn denies(part: &str) -> bool {
    static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b(?:not|neither|nor|except|than|rule out|eliminate|exclude)(?: \w+)? \(?(?-i:[A-Z])\)",
            r"|\((?-i:[A-Z])\)(?: [^.,]{0,30}?)? (?:is|are|was|would be) (?:\w+ )?(?:not (?:correct|right|true|possible)",
            r"|wrong|incorrect|false|impossible|out|ruled)\b|\((?-i:[A-Z])\) (?:cannot|can['’]t|isn['’]t|is not)\b",
        ))
        .expect("fixed")
    });
    DENIAL.is_match(part)
}

/// `answer is B`, `Answer: **B`; else `option B`, unless that is denied. The last one counts.
fn announced(text: &str) -> Option<char> {
    let lower = text.to_ascii_lowercase();
    let letter = |after: usize| {
        let rest = text[after..].trim_start_matches([' ', '*', ':', '"', '(', '\n']);
        let mut chars = rest.chars();
        let letter = chars.next().filter(char::is_ascii_uppercase)?;
        let ends = chars.next().is_none_or(|next| !next.is_alphanumeric());
        let denied = [
            " is wrong",
            " is incorrect",
            " is not",
            " is false",
            " cannot",
            " can't",
        ];
        let rest = rest[1..].trim_start_matches([')', '*']);
        (ends && !denied.iter().any(|words| rest.starts_with(words))).then_some(letter)
    };
    let last = |marks: &[&str]| {
        let ends = marks
            .iter()
            .flat_map(|mark| lower.match_indices(mark).map(|(at, mark)| at + mark.len()));
        let mut ends: Vec<usize> = ends.collect();
        ends.sort_unstable();
        ends.into_iter().rev().find_map(letter)
    };
    last(&["answer is", "answer:", "answer:**"]).or_else(|| last(&["option"]))
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

/// The option whose words come last; a longer one wins over one inside it. Nothing if that sentence repeats another
/// one too, or denies.
fn repeated(text: &str, options: &[Choice]) -> Option<char> {
    let lower = text.to_lowercase();
    let words = |option: &Choice| option.text.trim_end_matches('.').to_lowercase();
    let spans = |part: &str| -> Vec<(Range<usize>, char)> {
        let found = options.iter().filter_map(|option| {
            let words = words(option);
            let at = part.rfind(words.as_str()).filter(|_| !words.is_empty())?;
            Some((at..at + words.len(), option.letter))
        });
        found.collect()
    };
    let sentences = lower.split_inclusive(['\n', '!', '?']);
    let sentences = sentences.flat_map(|line| line.split_inclusive(". "));
    let (part, found) = sentences
        .map(|part| (part, spans(part)))
        .filter(|(_, found)| !found.is_empty())
        .last()?;
    let inside = |span: &Range<usize>| {
        found.iter().any(|(other, _)| {
            other.len() > span.len() && other.start <= span.start && span.end <= other.end
        })
    };
    let mut free = found.iter().filter(|(span, _)| !inside(span));
    let (span, letter) = free.next()?;
    let denied = doubted(&part[..span.start], &[]) || doubted(&part[span.end..], &[]);
    (free.next().is_none() && !denied).then_some(*letter)
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
        assert_eq!(letters("Which one? (A) tea (B) milk (C) juice"), "ABC");
        assert_eq!(letters("Is it A) tea or B) milk?"), "AB");
        assert_eq!(letters("Vitamin (A) is good for the eyes"), "");
        let inline = options("Pick: (A) green tea, (B) milk or (C) old juice?");
        let texts: Vec<_> = inline.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["green tea", "milk", "old juice"]);
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
        assert_eq!(chosen("(A) is out. Therefore (C)."), Some('C'));
        assert_eq!(chosen("It is either (A) or (B)."), None, "left open");
        assert_eq!(chosen("It is certainly not (B)."), None, "denied");
        assert_eq!(chosen("(C) is wrong."), None, "denied");
        assert_eq!(chosen("The answer is C. Option B is wrong."), Some('C'));
        assert_eq!(chosen("It is not the car."), None, "denied");
        assert_eq!(chosen("The car or the red bus."), None, "left open");
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
        assert_eq!(
            said("Anna is first. Ben is next. So Carl came third."),
            Some("Carl"),
            "the conclusion and not the first name"
        );
        assert_eq!(said("It is not Ben."), None, "denied");
        assert_eq!(said("The answer is not Ben."), None, "denied");
        assert_eq!(said("It is unclear whether Ben won."), None, "left open");
        assert_eq!(said("Maybe Ben. It cannot be determined."), None);
        assert_eq!(
            said("**Anna** is the oldest. The youngest is **Carl**."),
            None,
            "two in bold"
        );
        assert_eq!(said("**Carl**"), Some("Carl"));
        assert_eq!(said("Carl, Anna, Ben: so it is **Anna**."), Some("Anna"));
        assert_eq!(said("Carl, since Anna lies."), Some("Carl"));
        assert_eq!(
            said("Ben is left of Anna.\n\nTherefore, the answer is **Anna**."),
            Some("Anna")
        );
        assert_eq!(
            said("Carl lies, so Anna does not. Thus it must be Ben!"),
            Some("Ben")
        );
        let kinds = |text| named(text, &["knight", "knave"]);
        assert_eq!(
            kinds("If she were a knave, it would be true. Therefore, the answer is knight."),
            Some("knight")
        );
        assert_eq!(kinds("She is not a knave."), None);
        let yes = |text| named(text, &["yes", "no"]);
        assert_eq!(
            yes("There is no other way. So the answer is yes."),
            Some("yes")
        );
        assert_eq!(yes("No, she does not."), Some("no"));
        assert_eq!(yes("So the answer is no because she lies."), Some("no"));
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
