//! Pre-tokenizers: cut text into the words inside which byte-level BPE merges.
//!
//! Called by `bpe`. Each cutter is the hand-written equal of a published regular expression; reading the alternatives
//! top to bottom gives the order of the tests here. Hand-written, because `\s+(?!\S)` needs look-ahead and because a
//! backtracking engine is not linear on hostile text: here every character is looked at a bounded number of times.
//!
//! The words, put together, are the text again. `\p{L}` and `\p{N}` follow the Unicode version of our tables; characters
//! younger than a reference's tables may be cut differently there.
//! Source: the `pre_tokenizer` of each family's tokenizer.json, checked by `tests/reference/tokenizer.py`.
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// How text is cut into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// GPT-2: ``'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+``
    Gpt2,
    /// Every digit by itself first, then GPT-2 between them.
    DigitsThenGpt2,
    /// What llama.cpp does for files that do not say: runs of ``[\p{P}$+<=>^~|]`` first, GPT-2 between them, then numbers
    /// by themselves, and of those every three ASCII digits.
    Default,
    /// Llama 3 and Qwen 2:
    /// ``(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+``
    Cl100k {
        /// Most digits in one word.
        digits: usize,
        /// Whether marks (`\p{M}`) count as letters, but for what may open a word: Qwen 3.5.
        marks: bool,
    },
    /// Words end where a small letter is followed by a capital; U is ``[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]``, L is
    /// ``[\p{Ll}\p{Lm}\p{Lo}\p{M}]``:
    /// ``[^\r\n\p{L}\p{N}]?U*L+|[^\r\n\p{L}\p{N}]?U+L*|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+``
    CamelCase {
        /// Most digits in one word.
        digits: usize,
        /// Whether ``(?i:'s|'t|'re|'ve|'m|'ll|'d)?`` belongs to the word before it.
        contractions: bool,
    },
}

impl Cut {
    /// Mistral's Tekken.
    pub(super) const TEKKEN: Self = Self::CamelCase {
        digits: 1,
        contractions: false,
    };
    /// GPT-4o, which Phi 4 mini has.
    pub(super) const GPT4O: Self = Self::CamelCase {
        digits: 3,
        contractions: true,
    };

    /// Llama 3 (three digits) and Qwen 2 (one).
    pub(super) const fn cl100k(digits: usize) -> Self {
        Self::Cl100k {
            digits,
            marks: false,
        }
    }

    /// Qwen 3.5.
    pub(super) const QWEN35: Self = Self::Cl100k {
        digits: 1,
        marks: true,
    };

    /// The words of `text`, in order, nothing left out.
    pub(super) fn words(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (word, tail) = rest.split_at(self.first_word(rest));
            rest = tail;
            Some(word)
        })
    }

    /// Length of the first word of a text that is not empty.
    fn first_word(self, text: &str) -> usize {
        match self {
            Self::Gpt2 => gpt2(text),
            Self::Default => default(text),
            Self::DigitsThenGpt2 => digits_then_gpt2(text),
            Self::Cl100k {
                digits,
                marks: false,
            } => cl100k(text, digits, class),
            Self::Cl100k { digits, .. } => cl100k(text, digits, class_with_marks),
            Self::CamelCase {
                digits,
                contractions,
            } => camel_case(text, digits, contractions),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Letter,
    Number,
    Space,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Number,
            // Rust and the regular expressions agree: tab, line feed, vertical tab, form feed, carriage return, space.
            '\t'..='\r' | ' ' => Class::Space,
            _ => Class::Other,
        };
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter => Class::Letter,
        GeneralCategoryGroup::Number => Class::Number,
        _ if c.is_whitespace() => Class::Space,
        _ => Class::Other,
    }
}

/// `class`, with marks as letters.
fn class_with_marks(c: char) -> Class {
    match c.is_ascii() || c.general_category_group() != GeneralCategoryGroup::Mark {
        true => class(c),
        false => Class::Letter,
    }
}

fn first(text: &str) -> Option<(char, Class)> {
    text.chars().next().map(|c| (c, class(c)))
}

/// Length of the leading run of one class.
fn run(text: &str, of: Class) -> usize {
    run_by(text, of, class)
}

fn run_by(text: &str, of: Class, class: impl Fn(char) -> Class) -> usize {
    text.char_indices()
        .find(|&(_, c)| class(c) != of)
        .map_or(text.len(), |(i, _)| i)
}

fn digits_then_gpt2(text: &str) -> usize {
    let Some((c, Class::Number)) = first(text) else {
        // The word ends at the next digit at the latest, and the look-ahead sees the end of the text there. Only
        // whitespace and "other" words can reach a digit at all, so finding the end of the run is enough.
        return gpt2_until_number(text);
    };
    c.len_utf8()
}

/// GPT-2's first word in the part of `text` before its first digit.
fn gpt2_until_number(text: &str) -> usize {
    let len = gpt2_word(text, |tail| {
        first(tail).is_none_or(|(_, class)| class == Class::Number)
    });
    debug_assert!(len > 0);
    len
}

fn gpt2(text: &str) -> usize {
    gpt2_word(text, str::is_empty)
}

/// `ends` tells whether the text is over where this tail begins.
fn gpt2_word(text: &str, ends: impl Fn(&str) -> bool) -> usize {
    if let Some(len) = contraction(text, false) {
        return len;
    }
    let skip = usize::from(text.starts_with(' '));
    if let Some((_, class)) = first(&text[skip..])
        && class != Class::Space
        && !ends(&text[skip..])
    {
        return skip + run(&text[skip..], class);
    }
    spaces(text, ends)
}

fn default(text: &str) -> usize {
    let Some((c, class)) = first(text) else {
        return 0;
    };
    let while_so = |text: &str, is_so: &dyn Fn(char) -> bool| {
        let end = text.char_indices().find(|&(_, c)| !is_so(c));
        end.map_or(text.len(), |(i, _)| i)
    };
    if is_mark(c) {
        return while_so(text, &is_mark);
    }
    if class == Class::Number {
        return threes(text);
    }
    let skip = usize::from(c == ' ');
    match first(&text[skip..]) {
        // GPT-2 takes the space along, but numbers are cut off again.
        Some((_, Class::Number)) => return skip,
        Some((next, class)) if class != Class::Space && !is_mark(next) => {
            let is_same = |c| self::class(c) == class && !is_mark(c);
            return skip + while_so(&text[skip..], &is_same);
        }
        _ => {}
    }
    spaces(text, |tail| first(tail).is_none_or(|(c, _)| is_mark(c)))
}

/// `[\p{P}$+<=>^~|]`.
fn is_mark(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_punctuation() && c != '`',
        false => c.general_category_group() == GeneralCategoryGroup::Punctuation,
    }
}

/// The first word of a run of numbers: three ASCII digits, or what stands before the first three.
fn threes(text: &str) -> usize {
    let mut digits = 0;
    for (i, c) in text.char_indices() {
        if class(c) != Class::Number {
            return i;
        }
        digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
        if digits == 3 {
            let start = i + 1 - 3;
            return if start == 0 { 3 } else { start };
        }
    }
    text.len()
}

fn cl100k(text: &str, digits: usize, class: impl Fn(char) -> Class + Copy) -> usize {
    if let Some(len) = contraction(text, true) {
        return len;
    }
    let Some(c) = text.chars().next() else {
        return 0;
    };
    let tail = &text[c.len_utf8()..];
    match (class(c), tail.chars().next().map(class)) {
        (Class::Letter, _) => return run_by(text, Class::Letter, class),
        (Class::Number, _) => return number(text, digits),
        (_, Some(Class::Letter)) if !matches!(c, '\r' | '\n') => {
            return c.len_utf8() + run_by(tail, Class::Letter, class);
        }
        _ => {}
    }
    others_or_spaces(text, &['\r', '\n'], class)
}

/// `\p{N}{1,n}` of a text that begins with a number.
fn number(text: &str, digits: usize) -> usize {
    let n = text.char_indices().take(digits);
    let len = n
        .take_while(|&(_, c)| class(c) == Class::Number)
        .map(|(i, c)| i + c.len_utf8());
    len.last().unwrap_or_default()
}

/// ` ?[^\s\p{L}\p{N}]+[after]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
fn others_or_spaces(text: &str, after: &[char], class: impl Fn(char) -> Class) -> usize {
    let skip = usize::from(text.starts_with(' '));
    let other = run_by(&text[skip..], Class::Other, class);
    if other > 0 {
        let (len, rest) = (skip + other, &text[skip + other..]);
        return len + rest.find(|c| !after.contains(&c)).unwrap_or(rest.len());
    }
    let all = run(text, Class::Space);
    if let Some(i) = text[..all].rfind(['\r', '\n']) {
        return i + 1;
    }
    spaces(text, str::is_empty)
}

fn camel_case(text: &str, digits: usize, contractions: bool) -> usize {
    let Some((c, class)) = first(text) else {
        return 0;
    };
    // Any character but letters, numbers and line ends may open a word, marks among them.
    let opener = match class {
        Class::Letter | Class::Number => 0,
        _ if matches!(c, '\r' | '\n') => 0,
        _ => c.len_utf8(),
    };
    let lower = |start: usize| lower_word(&text[start..]).map(|len| start + len);
    let upper = |start: usize| match while_upper(&text[start..]) {
        0 => None,
        len => Some(start + len),
    };
    // The opener is optional and is tried first, in both alternatives.
    let word = lower(opener)
        .or_else(|| lower(0))
        .or_else(|| upper(opener))
        .or_else(|| upper(0));
    match word {
        Some(len) if contractions => len + contraction(&text[len..], true).unwrap_or_default(),
        Some(len) => len,
        None if class == Class::Number => number(text, digits),
        None => others_or_spaces(text, &['\r', '\n', '/'], self::class),
    }
}

/// `U*L+`. Where no L follows the run of U, a backtracking engine gives back what is in both, to the last of them.
fn lower_word(text: &str) -> Option<usize> {
    let upper = while_upper(text);
    let tail = &text[upper..];
    let lower = tail.find(|c| !is_lower(c)).unwrap_or(tail.len());
    if lower > 0 {
        return Some(upper + lower);
    }
    let (i, c) = text[..upper].char_indices().rfind(|&(_, c)| is_lower(c))?;
    Some(i + c.len_utf8())
}

/// Length of the leading run of U.
fn while_upper(text: &str) -> usize {
    text.find(|c| !is_upper(c)).unwrap_or(text.len())
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
fn is_upper(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_uppercase(),
        false => {
            is_caseless(c)
                || matches!(
                    c.general_category(),
                    GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter
                )
        }
    }
}

/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
fn is_lower(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_lowercase(),
        false => is_caseless(c) || c.general_category() == GeneralCategory::LowercaseLetter,
    }
}

/// `[\p{Lm}\p{Lo}\p{M}]`.
fn is_caseless(c: char) -> bool {
    matches!(
        c.general_category(),
        GeneralCategory::ModifierLetter | GeneralCategory::OtherLetter
    ) || c.general_category_group() == GeneralCategoryGroup::Mark
}

/// `\s+(?!\S)|\s+`: a run of whitespace, without its last character if something else follows and there are several.
fn spaces(text: &str, ends: impl Fn(&str) -> bool) -> usize {
    let all = run(text, Class::Space);
    if ends(&text[all..]) {
        return all;
    }
    let last = text[..all].chars().next_back().map_or(0, char::len_utf8);
    if last == all { all } else { all - last }
}

/// `'s|'t|'re|'ve|'m|'ll|'d`. The long s folds to s.
fn contraction(text: &str, fold: bool) -> Option<usize> {
    let tail = text.strip_prefix('\'')?;
    let lower = |c: char| match c {
        'ſ' if fold => 's',
        c if fold => c.to_ascii_lowercase(),
        c => c,
    };
    let mut chars = tail.chars();
    let a = chars.next()?;
    match (lower(a), chars.next().map(lower)) {
        ('s' | 't' | 'm' | 'd', _) => Some(1 + a.len_utf8()),
        ('r' | 'v', Some('e')) | ('l', Some('l')) => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Cut; 8] = [
        Cut::Gpt2,
        Cut::DigitsThenGpt2,
        Cut::cl100k(1),
        Cut::cl100k(3),
        Cut::Default,
        Cut::TEKKEN,
        Cut::GPT4O,
        Cut::QWEN35,
    ];

    #[test]
    fn marks_are_letters_for_qwen_35() {
        // Made with the `regex` module of Python from the two published expressions.
        for (text, qwen2, qwen35) in [
            ("e\u{301}e", "e|\u{301}e", "e\u{301}e"),
            ("हिन्दी में", "ह|िन|्द|ी| म|ें", "हिन्दी| में"),
            ("!\u{301}b", "!\u{301}|b", "!\u{301}b"),
            (" \u{301} x", " \u{301}| x", " \u{301}| x"),
            ("\n\u{301}a", "\n|\u{301}a", "\n|\u{301}a"),
            ("5\u{301}5", "5|\u{301}|5", "5|\u{301}|5"),
            ("?!\u{301}", "?!\u{301}", "?!|\u{301}"),
        ] {
            for (cut, want) in [(Cut::cl100k(1), qwen2), (Cut::QWEN35, qwen35)] {
                let words: Vec<&str> = cut.words(text).collect();
                assert_eq!(words.join("|"), want, "{cut:?} {text:?}");
            }
        }
    }

    #[test]
    fn words_of_files_that_do_not_say_are_those_of_llama_cpp() {
        // Worked out by hand from the four expressions of llama.cpp's `LLAMA_VOCAB_PRE_TYPE_DEFAULT`.
        for (text, want) in [
            ("Hello  world", "Hello| | world"),
            ("it's 12345!", "it|'|s| |123|45|!"),
            ("a (b) c", "a| |(|b|)| c"),
            ("x  (y", "x|  |(|y"),
            ("a\n\nb \t", "a|\n|\n|b| \t"),
            ("1½23 12½345", "1½23| |12½|345"),
            ("1234567½", "123|456|7½"),
            ("$5.99 `a` €7 <b>", "$|5|.|99| `|a|`| €|7| |<|b|>"),
            ("…“é”日本", "…“|é|”|日本"),
            ("  12", " | |12"),
        ] {
            let words: Vec<&str> = Cut::Default.words(text).collect();
            assert_eq!(words.join("|"), want, "{text:?}");
        }
        // Long runs are read once, not once for each word.
        assert_eq!(Cut::Default.words(&"7".repeat(300_000)).count(), 100_000);
    }

    #[test]
    fn words_end_before_a_capital() {
        // Tekken, GPT-4o. Made with the `regex` module of Python from the two published expressions.
        for (text, tekken, gpt4o) in CAMEL_CASE {
            for (cut, want) in [(Cut::TEKKEN, tekken), (Cut::GPT4O, gpt4o)] {
                let words: Vec<&str> = cut.words(text).collect();
                assert_eq!(words.join("|"), *want, "{cut:?} {text:?}");
            }
        }
        // Long runs are read a bounded number of times, not once for each word.
        let hostile = format!("ª{}", "A".repeat(300_000));
        assert_eq!(Cut::TEKKEN.words(&hostile).count(), 2);
        assert!(Cut::TEKKEN.words(&"\u{301}A".repeat(100_000)).count() > 1);
    }

    const CAMEL_CASE: &[(&str, &str, &str)] = &[
        (
            "HelloWorld fooBar",
            "Hello|World| foo|Bar",
            "Hello|World| foo|Bar",
        ),
        (
            "parseHTTPResponse",
            "parse|HTTPResponse",
            "parse|HTTPResponse",
        ),
        ("I'LL we'll x'S", "I|'LL| we|'ll| x|'S", "I'LL| we'll| x'S"),
        ("12345 6", "1|2|3|4|5| |6", "123|45| |6"),
        ("a/b//\n/c", "a|/b|//\n/|c", "a|/b|//\n/|c"),
        ("!\n/x", "!\n/|x", "!\n/|x"),
        ("  the  END", " | the| | END", " | the| | END"),
        ("日本語Text", "日本語Text", "日本語Text"),
        ("ªAAA b", "ª|AAA| b", "ª|AAA| b"),
        ("éÉcole", "é|École", "é|École"),
        (
            "\u{301}A \u{301}\u{301}a",
            "\u{301}|A| \u{301}\u{301}a",
            "\u{301}|A| \u{301}\u{301}a",
        ),
        (
            "A\u{301}b!\u{301}c",
            "A\u{301}b|!\u{301}c",
            "A\u{301}b|!\u{301}c",
        ),
        ("!!\u{301}", "!!\u{301}", "!!\u{301}"),
        ("ǅabc", "ǅabc", "ǅabc"),
        ("x\n\n  y", "x|\n\n| | y", "x|\n\n| | y"),
        ("\tTab", "\tTab", "\tTab"),
        ("ʰAB", "ʰ|AB", "ʰ|AB"),
        ("don'T  DON'T", "don|'T| | DON|'T", "don'T| | DON'T"),
    ];

    #[test]
    fn words_are_those_of_the_expressions() {
        // One row per text: GPT-2, digits first, Qwen 2, Llama 3; `|` marks the cuts.
        let table = [
            ("a  b", "a| | b", "a| | b", "a| | b", "a| | b"),
            (
                "a  1234",
                "a| | 1234",
                "a|  |1|2|3|4",
                "a| | |1|2|3|4",
                "a| | |123|4",
            ),
            (
                "a\n\n b",
                "a|\n\n| b",
                "a|\n\n| b",
                "a|\n\n| b",
                "a|\n\n| b",
            ),
            (
                "!!\n\nb",
                "!!|\n|\n|b",
                "!!|\n|\n|b",
                "!!\n\n|b",
                "!!\n\n|b",
            ),
            ("\tb \t", "\t|b| \t", "\t|b| \t", "\tb| \t", "\tb| \t"),
            (
                "I'LL we'll",
                "I|'|LL| we|'ll",
                "I|'|LL| we|'ll",
                "I|'LL| we|'ll",
                "I|'LL| we|'ll",
            ),
            ("x'ſ", "x|'|ſ", "x|'|ſ", "x|'ſ", "x|'ſ"),
            ("(b) c", "(|b|)| c", "(|b|)| c", "(b|)| c", "(b|)| c"),
            (
                " \n \n  a",
                " \n \n | a",
                " \n \n | a",
                " \n \n| | a",
                " \n \n| | a",
            ),
            ("Ⅷ½x", "Ⅷ½|x", "Ⅷ|½|x", "Ⅷ|½|x", "Ⅷ½|x"),
            (
                "e\u{301}e",
                "e|\u{301}|e",
                "e|\u{301}|e",
                "e|\u{301}e",
                "e|\u{301}e",
            ),
        ];
        for (text, gpt2, digits, qwen, llama) in table {
            for (cut, want) in ALL.into_iter().zip([gpt2, digits, qwen, llama]) {
                let words: Vec<&str> = cut.words(text).collect();
                assert_eq!(words.join("|"), want, "{cut:?} {text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn words_put_together_are_the_text(text in "([ \\n\\r\\t]|[a-z']|[0-9]|\\PC){0,40}") {
            for cut in ALL {
                prop_assert_eq!(cut.words(&text).collect::<String>(), text.clone());
                prop_assert!(cut.words(&text).all(|word| !word.is_empty()));
            }
        }
    }
}
