//! Options in a question, and the one that a text settles on.
//!
//! Used by the logic guard and by the lab's scores, so that both read an answer alike. A text that names several
//! options says the one it ends on.

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

/// The option that a text settles on: the last letter in brackets, else the one that it announces as the answer, else
/// a letter that it begins with, else the last option whose words it repeats.
pub fn chosen(text: &str, options: &[Choice]) -> Option<char> {
    let is_option = |c: &char| options.iter().any(|option| option.letter == *c);
    bracketed(text)
        .filter(is_option)
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
    }

    #[test]
    fn words_are_read_from_the_end() {
        let last = |text| last_word(text, &["yes", "no"]);
        assert_eq!(last("Yes? No: she lies. **No**."), Some("no".into()));
        assert_eq!(last("No, wait. Yes"), Some("yes".into()));
        assert_eq!(last("nothing"), None);
    }
}
