//! Whether a text says what was expected, decided by reading and by nobody's opinion.
//!
//! The same reading is used for every system that is compared.

use crate::Expected;
use reckon_assistant::{
    choice::{chosen, last_word},
    number::claimed,
};

/// Whether `text` gives the expected answer.
pub(crate) fn is_right(expected: &Expected, text: &str) -> bool {
    match expected {
        Expected::Number(value) => claimed(text).is_some_and(|found| found.is(*value)),
        Expected::Choice { letter, options } => chosen(text, options) == Some(*letter),
        Expected::Word(right, words) => last_word(text, words).is_some_and(|word| word == *right),
    }
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
}
