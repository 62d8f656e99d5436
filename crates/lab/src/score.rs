//! Whether a text says what was expected, decided by reading and by nobody's opinion.
//!
//! A text that names several options says the one it ends on, after "answer" where it uses that word. The same reading
//! is used for every system that is compared.

use crate::Expected;
use reckon_assistant::number::claimed;

/// Whether `text` gives the expected answer.
pub(crate) fn is_right(expected: &Expected, text: &str) -> bool {
    match expected {
        Expected::Number(value) => claimed(text).is_some_and(|found| found.is(*value)),
        Expected::Choice { letter, options } => chosen(text, options) == Some(*letter),
        Expected::Word(right, words) => last_word(text, words).is_some_and(|word| word == *right),
    }
}

/// The option that a text settles on: the last letter in brackets or behind "answer", else the last option whose words
/// it repeats.
fn chosen(text: &str, options: &[String]) -> Option<char> {
    let letters = letters(options.len());
    let is_option = |c: &char| letters.contains(c);
    bracketed(text)
        .filter(is_option)
        .or_else(|| announced(text).filter(is_option))
        .or_else(|| alone(text).filter(is_option))
        .or_else(|| repeated(text, options))
}

fn letters(n: usize) -> Vec<char> {
    ('A'..='Z').take(n).collect()
}

/// The last `(B)` of the last line that has one.
fn bracketed(text: &str) -> Option<char> {
    let at = |c: &str| {
        let mut chars = c.chars();
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
fn repeated(text: &str, options: &[String]) -> Option<char> {
    let lower = text.to_lowercase();
    let last = options.iter().enumerate().filter_map(|(i, option)| {
        let words = option.trim_end_matches('.').to_lowercase();
        let at = lower.rfind(words.as_str()).filter(|_| !words.is_empty())?;
        Some((at + words.len(), words.len(), i))
    });
    let (_, _, i) = last.max()?;
    letters(options.len()).get(i).copied()
}

/// The last of these words in a text.
fn last_word(text: &str, words: &[String]) -> Option<String> {
    let lower = text.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| words.iter().any(|one| one == word))
        .next_back()
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_where_the_text_ends() {
        let right = |text| is_right(&Expected::Number(280.0), text);
        assert!(right("100 + 90 + 90 = $280."));
        assert!(right("\\boxed{280}"));
        assert!(!right("280 - 35 = 245"));
        assert!(!right("two hundred and eighty"));
    }

    #[test]
    fn options_are_read_as_letters_or_words() {
        let options: Vec<String> = ["the bus", "the red bus", "the car"]
            .map(String::from)
            .to_vec();
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
        let expected = Expected::Word("no".into(), vec!["yes".into(), "no".into()]);
        assert!(is_right(&expected, "Yes? No: she lies. **No**."));
        assert!(!is_right(&expected, "No, wait. Yes"));
        assert!(!is_right(&expected, "nothing"));
    }
}
