//! The words of a text as they are compared: folded, numbers normalised, endings cut.
//!
//! Sentences of a page and of an answer are compared by these terms. The stemmer is cruder than Porter's, which FTS5
//! applies to passages: it only has to bring together what one person would write in a question, a page and an answer.
//! A false match costs little, since the quotation that is shown is read by a person.
use std::{collections::HashSet, sync::LazyLock};

/// A word that carries meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term {
    /// What is compared.
    pub(crate) stem: String,
    /// As it was written, folded; what FTS5 is asked for.
    pub(crate) word: String,
    /// Whether it has a digit in it. Numbers of an answer must be on the page.
    pub(crate) is_number: bool,
}

/// Text in lower case, with ligatures of PDFs taken apart and typographic marks made plain.
pub(crate) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => out.push_str("ff"),
            'ﬁ' => out.push_str("fi"),
            'ﬂ' => out.push_str("fl"),
            'ﬃ' => out.push_str("ffi"),
            'ﬄ' => out.push_str("ffl"),
            // A soft hyphen says where a word may be broken, and is no letter.
            '\u{ad}' => {}
            '’' | '‘' | 'ʼ' => out.push('\''),
            _ => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// The terms of a text in order, without words that every text has; weak words only if there are no others.
pub(crate) fn terms(text: &str) -> Vec<Term> {
    let all = all_terms(text);
    let is_strong = |term: &Term| !WEAK.contains(term.word.as_str());
    match all.iter().any(is_strong) {
        true => all.into_iter().filter(is_strong).collect(),
        false => all,
    }
}

/// The terms of a text with its weak words: what a page has.
pub(crate) fn all_terms(text: &str) -> Vec<Term> {
    let folded = fold(text);
    split(&folded)
        .into_iter()
        .filter_map(|word| term(&word))
        .collect()
}

/// Words of folded text: letters and digits; a point or a comma belongs to a number between its digits.
fn split(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let is_digit = |at: Option<usize>| {
            at.and_then(|at| chars.get(at))
                .is_some_and(char::is_ascii_digit)
        };
        let between = is_digit(i.checked_sub(1)) && is_digit(Some(i + 1));
        match c {
            _ if c.is_alphanumeric() => word.push(c),
            '_' if !word.is_empty() => word.push(c),
            '.' if between => word.push(c),
            ',' if between => {}
            // "can't" and "cant" are one word.
            '\'' => {}
            _ if !word.is_empty() => words.push(std::mem::take(&mut word)),
            _ => {}
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn term(word: &str) -> Option<Term> {
    // As apostrophes are left out, "can't" has come to this already.
    let word = if word == "cannot" { "cant" } else { word };
    let is_number = word.chars().any(|c| c.is_ascii_digit());
    if is_number {
        return Some(Term {
            stem: plain_number(word),
            word: word.to_owned(),
            is_number,
        });
    }
    if let Some(digits) = NUMBERS.iter().position(|&name| name == word) {
        return Some(Term {
            stem: digits.to_string(),
            word: word.to_owned(),
            // "one" is a pronoun as often as a number, and "first" is no count.
            is_number: digits > 1,
        });
    }
    if word.chars().count() < 2 || STOP.contains(word) {
        return None;
    }
    Some(Term {
        stem: stem(word),
        word: word.to_owned(),
        is_number,
    })
}

/// "3.30" and "3.3" are one number; a word with digits in it stays as it is.
fn plain_number(word: &str) -> String {
    let plain = word.chars().all(|c| c.is_ascii_digit() || c == '.');
    match plain && word.matches('.').count() == 1 {
        true => word
            .trim_end_matches('0')
            .trim_end_matches('.')
            .trim_start_matches('0')
            .to_owned(),
        false => word.to_owned(),
    }
}

/// Cuts endings off, as long as four letters stay.
fn stem(word: &str) -> String {
    let mut stem = word;
    for ending in ENDINGS {
        if let Some(rest) = stem.strip_suffix(ending)
            && rest.chars().count() >= 4
        {
            stem = rest;
            break;
        }
    }
    // "stops", "stop"; "cases", "case" lose the same.
    let stem = stem
        .strip_suffix('s')
        .filter(|rest| rest.chars().count() >= 3)
        .unwrap_or(stem);
    let stem = stem
        .strip_suffix(['e', 'y'])
        .filter(|rest| rest.chars().count() >= 3)
        .unwrap_or(stem);
    // "stopped" and "stop".
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(a), Some(b)) if a == b && stem.chars().count() > 3 && a != 's' => {
            stem[..stem.len() - a.len_utf8()].to_owned()
        }
        _ => stem.to_owned(),
    }
}

/// The longest first.
const ENDINGS: [&str; 16] = [
    "ations", "ation", "ments", "ingly", "ating", "ment", "ions", "ated", "ates", "ing", "ion",
    "ies", "ate", "ed", "es", "ly",
];

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// Words without meaning of their own, and those by which questions and answers speak of documents.
static STOP: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

const STOP_WORDS: &str = "
    about above according again also although am an and answer any are arent as asked at based be
    because been being both but by called can could describe described describes did do document
    documents does doesnt doing done dont down during either else few file files find following for
    found from further had has have having he her here hers him his how however if in indicate
    indicated indicates into is isnt it its itself just may me mean means mention mentioned mentions
    might must my no nor not of off on or our out over page pages paper passage passages pdf please
    provided provides question quote refer refers report said say says section see she should show
    shown shows so some specified state stated states such tell text than that the their them then
    there these they this those through to too under until up upon us very was we were what when
    where which while who whom whose why will with within would yes you";

/// Words that mean little or name the kind of answer, and count only where a text has no others.
static WEAK: LazyLock<HashSet<&str>> = LazyLock::new(|| WEAK_WORDS.split_whitespace().collect());

const WEAK_WORDS: &str = "
    after all amount before below between cant contain contains date day each every exactly form get
    give given gives go kind known like list made make many month more most much name named number
    numbers only other own people percent percentage person place same specific thing things title
    type use used value values year years";

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        terms(text).into_iter().map(|term| term.stem).collect()
    }

    #[test]
    fn forms_of_a_word_are_one() {
        for forms in [
            ["acceleration", "accelerating", "accelerate", "accelerated"],
            ["stop", "stops", "stopped", "stopping"],
            ["cycle", "cycles", "cycled", "cycling"],
            ["improvement", "improve", "improved", "improvements"],
        ] {
            let first = stems(forms[0]);
            assert!(
                forms.iter().all(|form| stems(form) == first),
                "{forms:?}: {:?}",
                forms.map(stems)
            );
        }
    }

    #[test]
    fn numbers_have_one_form() {
        assert_eq!(
            stems("3.30 1,300 five 2012_2 30%–40%"),
            ["3.3", "1300", "5", "2012_2", "30", "40"]
        );
        assert!(terms("one").iter().all(|term| !term.is_number));
    }

    #[test]
    fn ligatures_and_apostrophes_make_no_difference() {
        assert_eq!(stems("The misﬁts"), stems("the misfits"));
        assert_eq!(stems("you’ve"), stems("you've"));
    }
}
