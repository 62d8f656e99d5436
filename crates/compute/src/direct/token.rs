//! The words and signs of an expression: "plus", "square root of", "15%", "log base 2 of".

use super::{
    function::Function,
    number_word,
    ratio::{Ratio, decimal, whole},
};
use crate::pattern::regex;
use num_traits::One;
use regex::Regex;
use std::sync::LazyLock;

/// Longer expressions are not read.
pub(super) const MOST_TOKENS: usize = 400;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(Ratio),
    Open,
    Close,
    Plus,
    Minus,
    Times,
    Over,
    Power,
    Mod,
    Percent,
    Factorial,
    /// "of" behind a percentage or fraction.
    Of,
    /// "20% off 80".
    Off,
    /// "20% more than 50".
    More,
    /// "3 less than 10", "20% less than 50".
    LessThan,
    Raised(i64),
    Degrees,
    Call(Function, bool),
}

/// Words and signs. `Call(_, true)` is a function in words, whose argument ends where the order is open.
pub(super) fn lex(source: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = source.trim();
    while !rest.is_empty() {
        let (token, used) = word_token(rest)
            .or_else(|| number_token(rest))
            .or_else(|| sign_token(rest))?;
        tokens.extend(token);
        rest = rest[used..].trim_start();
        if tokens.len() > MOST_TOKENS {
            return None;
        }
    }
    Some(tokens)
}

fn number_token(rest: &str) -> Option<(Vec<Token>, usize)> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^[$€£]?\s?((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)
              (?:
                \s?(k|thousand|million|billion|trillion)\b|
                \s?(?:usd|dollars?|euros?|eur)\b|
                \s?[€£]
              )?",
        )
    });
    let found = NUMBER.captures(rest)?;
    if found[1].len() > 400 {
        return None;
    }
    let mut value = decimal(&found[1].replace(',', ""));
    value *= match found.get(2).map(|scale| scale.as_str()) {
        Some("k" | "thousand") => whole(1_000),
        Some("million") => whole(1_000_000),
        Some("billion") => whole(1_000_000_000i64),
        Some("trillion") => whole(1_000_000_000_000i64),
        _ => Ratio::one(),
    };
    let mut used = found[0].len();
    // "1 1/2": a whole number and a fraction.
    static MIXED: LazyLock<Regex> = LazyLock::new(|| regex(r"^ (\d{1,4})/(\d{1,4})\b"));
    if value.is_integer()
        && let Some(mixed) = MIXED.captures(&rest[used..])
    {
        let (above, below) = (decimal(&mixed[1]), decimal(&mixed[2]));
        if above < below {
            value += above / below;
            used += mixed[0].len();
        }
    }
    Some((vec![Token::Number(value)], used))
}

fn sign_token(rest: &str) -> Option<(Vec<Token>, usize)> {
    if rest.starts_with("**") {
        return Some((vec![Token::Power], 2));
    }
    let token = match rest.chars().next()? {
        '(' | '[' => Token::Open,
        ')' | ']' => Token::Close,
        '+' => Token::Plus,
        '-' => Token::Minus,
        '*' => Token::Times,
        '/' => Token::Over,
        '^' => Token::Power,
        '%' => Token::Percent,
        '!' => Token::Factorial,
        'x' if rest[1..].starts_with([' ', '(', '-'])
            || rest[1..].starts_with(|next: char| next.is_ascii_digit()) =>
        {
            Token::Times
        }
        _ => return None,
    };
    Some((vec![token], 1))
}

const WORDS: &str = r"
    ^(?:the |a |an )?
    (?:
      (plus|added to)\b|
      (minus|subtract)\b|
      (times|multiplied by|multiplied with|and then times)\b|
      (divided by|over)\b|
      (to the power of|raised to the power of|raised to|power of)\b|
      (mod|modulo)\b|
      (percent of|percent|% of)\b|
      (of)\b|
      (off|off of)\b|
      (squared)\b|
      (cubed)\b|
      (factorial of)\b|
      (factorial)\b|
      (degrees?|deg)\b|
      (square of)\b|
      (cube of)\b|
      (square root of|square root|sqrt of|sqrt|root of)|
      (cube root of|cube root|cbrt)|
      (\d+)(?:st|nd|rd|th) root of|
      (fourth|fifth|sixth|seventh|eighth|ninth|tenth) root of|
      (
          log base (\d+) of|log base (\d+)|log_?(\d+)(?: of)?|logarithm base (\d+) of|
          (?:base )?(\d+) log(?:arithm)? of|logarithm of|log of|log
        )|
      (natural log(?:arithm)? of|ln of|ln)\b|
      (sine of|sine|sin of|sin)\b|
      (cosine of|cosine|cos of|cos)\b|
      (tangent of|tangent|tan of|tan)\b|
      (absolute value of|abs)\b|
      (twice|double)\b|
      (triple|thrice)\b|
      (half of|half)\b|
      (third of)\b|
      (quarter of|fourth of)\b|
      (quadruple)\b|
      (less than)\b|
      (more than)\b|
      (pi)\b|
      (?:raised )?to (?:the )?(\d+)(?:st|nd|rd|th)(?: power)?|
      (?:(?:raised )?to (?:the )?)?(fourth|fifth|sixth|seventh|eighth|ninth|tenth) power
    )";

fn word_token(rest: &str) -> Option<(Vec<Token>, usize)> {
    use Function::{Abs, Cos, Factor, FactorialOf, Ln, Log, Power, Root, Sin, Tan};
    static WORD: LazyLock<Regex> = LazyLock::new(|| regex(WORDS));
    let found = WORD.captures(rest)?;
    let number = |group: usize| {
        found
            .get(group)
            .and_then(|part| part.as_str().parse::<u32>().ok())
    };
    let group = (1..found.len()).find(|group| found.get(*group).is_some())?;
    let call = |function| vec![Token::Call(function, true)];
    let tokens = match group {
        1 => vec![Token::Plus],
        2 => vec![Token::Minus],
        3 => vec![Token::Times],
        4 => vec![Token::Over],
        5 => vec![Token::Power],
        6 => vec![Token::Mod],
        7 if found[7].ends_with("of") => vec![Token::Percent, Token::Of],
        7 => vec![Token::Percent],
        8 => vec![Token::Of],
        9 => vec![Token::Off],
        10 => vec![Token::Raised(2)],
        11 => vec![Token::Raised(3)],
        12 => call(FactorialOf),
        13 => vec![Token::Factorial],
        14 => vec![Token::Degrees],
        15 => call(Power(2)),
        16 => call(Power(3)),
        17 => call(Root(2)),
        18 => call(Root(3)),
        19 => call(Root(number(19)?)),
        20 => call(Root(u32::try_from(number_word::ordinal(&found[20])?).ok()?)),
        21 => call(Log((22..27).find_map(number).unwrap_or(10))),
        27 => call(Ln),
        28 => call(Sin),
        29 => call(Cos),
        30 => call(Tan),
        31 => call(Abs),
        32 => call(Factor(2, 1)),
        33 => call(Factor(3, 1)),
        34 => call(Factor(1, 2)),
        35 => call(Factor(1, 3)),
        36 => call(Factor(1, 4)),
        37 => call(Factor(4, 1)),
        38 => vec![Token::LessThan],
        39 => vec![Token::More],
        40 => vec![Token::Number(Ratio::from_float(std::f64::consts::PI)?)],
        41 => vec![Token::Power, Token::Number(whole(number(41)?))],
        _ => vec![
            Token::Power,
            Token::Number(whole(
                i64::try_from(number_word::ordinal(&found[42])?).ok()?,
            )),
        ],
    };
    Some((tokens, found[0].len()))
}
