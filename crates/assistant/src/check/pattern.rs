//! The notation of the patterns, and the vocabulary that they are made of.
//!
//! A pattern is a regular expression over a prompt in small letters ([`super::prompt::Prompt::open`]), written so that a
//! person can read it: a blank is any white space, `(…)` groups without capturing, `(?<name>…)` captures, a line break
//! with the blanks behind it is nothing, and `{name}` is a piece of [`PIECES`]. `\b`, `\s`, `\d` and `\w` are ASCII:
//! Unicode classes would make patterns many times larger and slower, and requests are in English words.
use super::Language;
use regex::Regex;

/// A pattern that matches more often than this in one prompt is not a request any more.
pub(super) const MOST_MATCHES: usize = 200;

/// Words that patterns share, by name; a piece may use those above it.
const PIECES: &[(&str, &str)] = &[
    ("ones", "one|two|three|four|five|six|seven|eight|nine"),
    ("teens", "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"),
    ("tens", "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"),
    // In digits or words, up to thousands.
    (
        "number",
        r"(\d{1,3}(,\d{3})+|\d{1,7}|({tens})[\s-]({ones})\b|(({ones}|a) )?(hundred|thousand|dozen)\b
          |({ones}|{teens}|{tens})\b)",
    ),
    ("ordinal", "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"),
    // A negation is a word, or the end of an auxiliary verb: "want", "elephant" and "restaurant" deny nothing.
    (
        "not",
        r"\b(not|never|cannot|(do|does|did|is|are|was|were|has|have|had|ca|wo|sha|could|would|should|must|need|might
          |may)n['’]?t)\b",
    ),
    // Words before a number that say how to compare, and those behind a number or its noun.
    (
        "before",
        r"((less|lesser|fewer|smaller|shorter) than|under|below|(no|not) (more|longer|greater) than|at (the )?most
          |up to|(a )?max(imum)?( of)?|within|limit(ed)? (of|to)|{not} exceed(ing)?|without exceeding
          |exceed(ing|s)?|at (the )?least|at minimum|(no|not) (less|fewer|shorter) than|(a )?min(imum)?( of)?
          |(more|greater|longer) than|over|above|exactly|precisely|strictly|only|just|around|about|approximately
          |approx\.?|roughly|some|nearly|almost|close to|~)",
    ),
    (
        "after",
        r"(or (more|greater|above|longer|higher)|and (more|above)|or (less|fewer|under|below|shorter|lower)
          |(at )?(the )?(minimum|least)|(at )?(the )?(maximum|max|most)|tops)",
    ),
    ("must", "should|must|shall|has to|have to|needs to|need to"),
    ("answer", "response|answer|reply|output"),
    // What people ask to be written.
    (
        "work",
        "response|answer|reply|output|text|essay|poem|letter|story|email|e-mail|article|blog post|blog|post|song
          |lyrics|summary|rap|resume|itinerary|riddle|limerick|haiku|joke|tweet|proposal|description|template
          |document|list|dialogue|conversation|script|ad|pitch|rubric|speech|review|report|paragraph|explanation
          |plan|advertisement|announcement|translation|message",
    ),
    ("unit", "sentences?|lines?|paragraphs?|words?|bullet points?|bullets?|list items?|items?"),
    ("capitals", r"(all[\s-]+)?(capital(s|i[sz]ed)?( letters?)?|caps|upper[\s-]?cased?( letters?)?)"),
    ("quote", r#"["'“‘]"#),
    ("either", r#"["'“‘]?"#),
    ("the_language", r"(the )?({language})\b"),
    ("ends", r"( language\b|\s*[.,;:?!)\n]|\s*$| (only|and|with|no|please|using|but)\b)"),
];

/// Compiles a pattern of the program: a wrong one is a bug that the first test of its row finds.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(&expanded(text)).expect("patterns are fixed and tested")
}

/// Patterns with names, compiled when they are first needed.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $text:expr;)*) => {$(
        $(#[$doc])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| $crate::check::pattern::pattern($text));
    )*};
}
pub(super) use patterns;

/// The notation as a regular expression.
fn expanded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut class = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                let escaped = rest.next().unwrap_or_default();
                match escaped {
                    'b' => out.push_str(r"(?-u:\b)"),
                    's' => out.push_str(r"[\t\n\r ]"),
                    'S' => out.push_str(r"[^\t\n\r ]"),
                    'd' => out.push_str("[0-9]"),
                    'w' => out.push_str("[0-9A-Za-z_]"),
                    'W' => out.push_str("[^0-9A-Za-z_]"),
                    other => out.extend(['\\', other]),
                }
            }
            '\n' => while rest.next_if_eq(&' ').is_some() {},
            '[' if !class => {
                class = true;
                out.push(c);
            }
            ']' if class => {
                class = false;
                out.push(c);
            }
            _ if class => out.push(c),
            ' ' => out.push_str(r"[\t\n\r ]+"),
            '(' if rest.peek() != Some(&'?') => out.push_str("(?:"),
            '{' if rest.peek().is_some_and(char::is_ascii_alphabetic) => {
                let name: String = rest.by_ref().take_while(|c| *c != '}').collect();
                out.push_str(&piece(&name));
            }
            other => out.push(other),
        }
    }
    out
}

/// A piece by its name; `{language}` is any language that can be told from others.
fn piece(name: &str) -> String {
    if name == "language" {
        return Language::NAMES
            .map(|(name, _)| name.to_ascii_lowercase())
            .join("|");
    }
    let piece = PIECES.iter().find(|(known, _)| *known == name);
    expanded(piece.expect("patterns use pieces that there are").1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_what_it_says() {
        assert_eq!(expanded("(a|b) c"), r"(?:a|b)[\t\n\r ]+c");
        assert_eq!(expanded("[a-z ]{1,2}\n    (?<n>x)"), "[a-z ]{1,2}(?<n>x)");
        assert_eq!(expanded(r"\((\d+)"), r"\((?:[0-9]+)");
        assert_eq!(expanded("{quote}"), r#"["'“‘]"#);
    }

    #[test]
    fn only_words_deny() {
        let not = pattern("{not}");
        for word in [
            "not",
            "don't",
            "dont",
            "doesn’t",
            "cannot",
            "can't",
            "must not",
            "shouldn't",
        ] {
            assert!(not.is_match(word), "{word}");
        }
        for word in [
            "want",
            "elephant",
            "restaurant",
            "present",
            "important",
            "ant",
            "content",
            "account",
            "apartment",
            "different",
            "note",
            "knot",
            "another",
        ] {
            assert!(!not.is_match(word), "{word}");
        }
    }
}
