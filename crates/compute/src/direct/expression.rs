//! Arithmetic in signs and words: "12 x 34 =", "80 minus 15%", "square root of 2 to 4 places", "sin(30 degrees)".
//!
//! A recursive parser over exact fractions. Only a text that it reads to the last character has a value, and words that
//! leave the order open ("square root of 16 plus 9") have none.

use super::{
    Computed,
    function::{
        Function, add, applied, divide, factorial_of, hundredth, multiply, negated, remainder,
    },
    number_word,
    ratio::{Ratio, decimal, power, whole},
    show,
    text::Reading,
};
use crate::number::Value;
use num_traits::One;
use regex::Regex;
use std::sync::LazyLock;

const MOST_DEPTH: usize = 40;
const MOST_TOKENS: usize = 400;

/// The value of a question that is an expression.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    let source = stripped(&reading.plain)?;
    // "What is 5 + 5!" may only be loud.
    let loud = source.ends_with('!')
        && source.matches('!').count() == 1
        && reading.original.ends_with('!');
    if loud
        && source
            .trim_end_matches('!')
            .contains(|c: char| !c.is_ascii_digit())
    {
        return None;
    }
    let value = evaluate(&source)?;
    let how = source.trim().to_owned();
    match reading.currency() {
        // "$12.50 * 4"
        Some(currency) => show::money_in(value, currency, how),
        None => show::number(reading, value, how),
    }
}

/// The value of an expression with at least one operation.
pub(super) fn evaluate(source: &str) -> Option<Value> {
    let tokens = lex(source)?;
    let operations = tokens
        .iter()
        .filter(|token| !matches!(token, Token::Number(_) | Token::Open | Token::Close))
        .count();
    if operations == 0 || tokens.len() > MOST_TOKENS {
        return None;
    }
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        depth: 0,
    };
    let term = parser.sum()?;
    (parser.at == tokens.len() && !term.percent).then_some(term.value)
}

/// The expression without the words that ask for it; nothing for numbers that are names ("24/7", "2024-05-01").
fn stripped(plain: &str) -> Option<String> {
    static ASKING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:(?:hey|hi|hello|ok|okay|so|and|now|please|quick question|question|math question|can you|could you|would you|will you|do you know|tell me|give me|show me|",
            r"i need to know|i want to know|calculate|compute|work out|figure out|find|determine|evaluate|solve|simplify|what does|what do|what is|what are|what will be|what would be|",
            r"how much is|how much are|how much does|how much do|how many is|is|the|value of|result of|answer to|answer for|sum|exact value of|product|quickly|just|for me|what)[,:!]*\s+|(?:sum|total|calculate|compute|solve|question)\s*:\s*)+"
        )).expect("fixed")
    });
    static ENDING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:\s*(?:,|=|\?|\.|;|:)|\s+(?:please|pls|thanks|thank you|equals?|equal to|is equal to|is what|is how much|is|exactly|make|makes|be|come to|now|in total|altogether|total|as a fraction|as a decimal|for me)|",
            r",?\s*\(?(?:rounded\s+|correct\s+|accurate\s+|round\s+)?(?:(?:off\s+)?to|with|give)\s+(?:the\s+nearest\s+(?:whole\s+number|whole|integer|tenth|hundredth|thousandth|cent)|(?:\d+|one)\s+(?:decimal(?:\s+place)?s?|decimal\s+places?|places?|dp|d\.p\.|digits\s+after\s+the\s+(?:decimal\s+)?point|decimals?))\)?)+$"
        )).expect("fixed")
    });
    let text = ASKING.replace(plain.trim(), "");
    // The ending may say "to 4 places please?": repeatedly.
    let mut text = text.into_owned();
    for _ in 0..4 {
        text = ENDING.replace(&text, "").into_owned();
    }
    text = commanded(&text).unwrap_or(text);
    static LOG: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^log(?:arithm)? (?:of )?([\d.,]+),? (?:to )?(?:the )?base (\d+)$")
            .expect("fixed")
    });
    text = LOG.replace(&text, "log base $2 of $1").into_owned();
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\d+[/-]\d+$|\d{4}-\d{2}-\d{2}|^\d{3}-\d{3}-\d{4}$|^\+?\d+(?:-\d+){2,}$")
            .expect("fixed")
    });
    static RUN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\d+(?:-\d+){2,}$").expect("fixed"));
    if RUN.is_match(&text) {
        return None;
    }
    if NAME.is_match(&text)
        && (text.len() == plain.len()
            || ["24/7", "9/11", "50/50", "80/20"].contains(&text.as_str()))
    {
        return None;
    }
    Some(text)
}

/// "Multiply 12 by 15", "what do I get if I subtract 17 from 50": the same in signs.
fn commanded(text: &str) -> Option<String> {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:i|you|we|one) get (?:if|when) (?:i|you|we|one) )?(?:(multiply) (.+?) (?:by|with|and|times) (.+)|(divide) (.+?) by (.+)|(subtract|take|deduct) (.+?) (?:from|away from) (.+)|(add) (.+?) (?:to|and|plus) (.+))$").expect("fixed")
    });
    let found = COMMAND.captures(text)?;
    let group = (1..13)
        .step_by(3)
        .find(|group| found.get(*group).is_some())?;
    let (a, b) = (&found[group + 1], &found[group + 2]);
    Some(match group {
        1 => format!("({a}) * ({b})"),
        4 => format!("({a}) / ({b})"),
        7 => format!("({b}) - ({a})"),
        _ => format!("({a}) + ({b})"),
    })
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
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
fn lex(source: &str) -> Option<Vec<Token>> {
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
        Regex::new(r"^[$€£]?\s?((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:\s?(k|thousand|million|billion|trillion)\b|\s?(?:usd|dollars?|euros?|eur)\b|\s?[€£])?").expect("fixed")
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
    static MIXED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^ (\d{1,4})/(\d{1,4})\b").expect("fixed"));
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

fn word_token(rest: &str) -> Option<(Vec<Token>, usize)> {
    use Function::{Abs, Cos, Factor, FactorialOf, Ln, Log, Root, Sin, Tan};
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:the |a |an )?(?:(plus|added to)\b|(minus|subtract)\b|(times|multiplied by|multiplied with|and then times)\b|(divided by|over)\b|",
            r"(to the power of|raised to the power of|raised to|power of)\b|(mod|modulo)\b|(percent of|percent|% of)\b|(of)\b|(off|off of)\b|",
            r"(squared)\b|(cubed)\b|(factorial of)\b|(factorial)\b|(degrees?|deg)\b|(square root of|square root|sqrt of|sqrt|root of)|(cube root of|cube root|cbrt)|",
            r"(\d+)(?:st|nd|rd|th) root of|(fourth|fifth|sixth|seventh|eighth|ninth|tenth) root of|(log base (\d+) of|log base (\d+)|log_?(\d+)(?: of)?|logarithm base (\d+) of|(?:base )?(\d+) log(?:arithm)? of|logarithm of|log of|log)|",
            r"(natural log(?:arithm)? of|ln of|ln)\b|(sine of|sine|sin of|sin)\b|(cosine of|cosine|cos of|cos)\b|(tangent of|tangent|tan of|tan)\b|(absolute value of|abs)\b|",
            r"(twice|double)\b|(triple|thrice)\b|(half of|half)\b|(third of)\b|(quarter of|fourth of)\b|(quadruple)\b|(less than)\b|(more than)\b|(pi)\b|(?:raised )?to (?:the )?(\d+)(?:st|nd|rd|th)(?: power)?|(?:(?:raised )?to (?:the )?)?(fourth|fifth|sixth|seventh|eighth|ninth|tenth) power)"
        )).expect("fixed")
    });
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
        15 => call(Root(2)),
        16 => call(Root(3)),
        17 => call(Root(number(17)?)),
        18 => call(Root(u32::try_from(number_word::ordinal(&found[18])?).ok()?)),
        19 => call(Log((20..25).find_map(number).unwrap_or(10))),
        25 => call(Ln),
        26 => call(Sin),
        27 => call(Cos),
        28 => call(Tan),
        29 => call(Abs),
        30 => call(Factor(2, 1)),
        31 => call(Factor(3, 1)),
        32 => call(Factor(1, 2)),
        33 => call(Factor(1, 3)),
        34 => call(Factor(1, 4)),
        35 => call(Factor(4, 1)),
        36 => vec![Token::LessThan],
        37 => vec![Token::More],
        38 => vec![Token::Number(Ratio::from_float(std::f64::consts::PI)?)],
        39 => vec![Token::Power, Token::Number(whole(number(39)?))],
        _ => vec![
            Token::Power,
            Token::Number(whole(
                i64::try_from(number_word::ordinal(&found[40])?).ok()?,
            )),
        ],
    };
    Some((tokens, found[0].len()))
}

/// A value and whether it is a bare percentage ("15%"), which means something only next to another value.
#[derive(Clone, Debug)]
struct Term {
    value: Value,
    percent: bool,
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn eat(&mut self, token: &Token) -> bool {
        let same = self.peek() == Some(token);
        self.at += usize::from(same);
        same
    }

    fn sum(&mut self) -> Option<Term> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        let mut left = self.product()?;
        loop {
            let minus = match self.peek() {
                Some(Token::Plus) => false,
                Some(Token::Minus) => true,
                _ => break,
            };
            self.at += 1;
            let right = self.product()?;
            if left.percent {
                return None;
            }
            let change = if right.percent {
                multiply(&left.value, &hundredth(&right.value)?)?
            } else {
                right.value
            };
            left = Term {
                value: if minus {
                    add(&left.value, &negated(&change))?
                } else {
                    add(&left.value, &change)?
                },
                percent: false,
            };
        }
        self.depth -= 1;
        Some(left)
    }

    fn product(&mut self) -> Option<Term> {
        let mut left = self.unary()?;
        loop {
            let joins = [
                Token::Times,
                Token::Over,
                Token::Mod,
                Token::Of,
                Token::Off,
                Token::More,
                Token::LessThan,
            ];
            let Some(token) = self.peek().filter(|token| joins.contains(token)).cloned() else {
                return Some(left);
            };
            self.at += 1;
            let right = self.unary()?;
            left = combined(&token, left, right)?;
        }
    }

    fn unary(&mut self) -> Option<Term> {
        if self.eat(&Token::Minus) {
            self.depth += 1;
            if self.depth > MOST_DEPTH {
                return None;
            }
            let term = self.unary()?;
            self.depth -= 1;
            return Some(Term {
                value: negated(&term.value),
                ..term
            });
        }
        let base = self.postfix()?;
        if self.eat(&Token::Power) {
            let exponent = self.unary()?;
            if base.percent || exponent.percent {
                return None;
            }
            let (Value::Exact(base), Value::Exact(exponent)) = (&base.value, &exponent.value)
            else {
                return None;
            };
            return Some(Term {
                value: power(base, exponent)?,
                percent: false,
            });
        }
        Some(base)
    }

    fn postfix(&mut self) -> Option<Term> {
        let mut term = self.primary()?;
        loop {
            term = match self.peek() {
                Some(Token::Percent) if !term.percent => {
                    self.at += 1;
                    // "17 % 5" in signs is a remainder only with a number right behind it: too open.
                    if matches!(self.peek(), Some(Token::Number(_) | Token::Open)) {
                        return None;
                    }
                    Term {
                        percent: true,
                        ..term
                    }
                }
                Some(Token::Factorial) => {
                    self.at += 1;
                    Term {
                        value: factorial_of(&term.value).filter(|_| !term.percent)?,
                        percent: false,
                    }
                }
                Some(Token::Raised(times)) => {
                    let Value::Exact(base) = &term.value else {
                        return None;
                    };
                    let value = power(base, &whole(*times))?;
                    self.at += 1;
                    Term {
                        value,
                        percent: false,
                    }
                }
                _ => return Some(term),
            };
        }
    }

    fn primary(&mut self) -> Option<Term> {
        match self.peek()?.clone() {
            Token::Number(value) => {
                self.at += 1;
                Some(Term {
                    value: Value::Exact(value),
                    percent: false,
                })
            }
            Token::Open => {
                self.at += 1;
                let inner = self.sum()?;
                self.eat(&Token::Close).then_some(inner)
            }
            Token::Call(function, _) => {
                self.at += 1;
                self.call(function)
            }
            _ => None,
        }
    }

    fn call(&mut self, function: Function) -> Option<Term> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        self.eat(&Token::Of);
        let bracketed = self.eat(&Token::Open);
        let argument = if bracketed {
            self.sum()?
        } else {
            self.postfix_or_call()?
        };
        let trig = matches!(function, Function::Sin | Function::Cos | Function::Tan);
        let degrees = trig && self.eat(&Token::Degrees);
        if bracketed && !self.eat(&Token::Close) {
            return None;
        }
        let degrees = degrees || trig && self.eat(&Token::Degrees);
        // "sin 30" may mean radians: only degrees, or zero, are certain. "root of 16 plus 9" is open.
        let factor = matches!(function, Function::Factor(..));
        if argument.percent
            || trig && !degrees
            || !bracketed
                && !factor
                && matches!(
                    self.peek(),
                    Some(Token::Plus | Token::Minus | Token::Times | Token::Over | Token::Power)
                )
        {
            return None;
        }
        self.depth -= 1;
        Some(Term {
            value: applied(function, &argument.value)?,
            percent: false,
        })
    }

    fn postfix_or_call(&mut self) -> Option<Term> {
        let negative = self.eat(&Token::Minus);
        let term = self.postfix()?;
        Some(Term {
            value: if negative {
                negated(&term.value)
            } else {
                term.value
            },
            ..term
        })
    }
}

fn combined(token: &Token, left: Term, right: Term) -> Option<Term> {
    let plain = |value| {
        Some(Term {
            value,
            percent: false,
        })
    };
    let both = left.percent && right.percent;
    let share = |term: &Term| {
        if term.percent {
            hundredth(&term.value)
        } else {
            Some(term.value.clone())
        }
    };
    match token {
        Token::Times if !both => plain(multiply(&share(&left)?, &share(&right)?)?),
        Token::Over if !both => plain(divide(&share(&left)?, &share(&right)?)?),
        Token::Mod if !left.percent && !right.percent => {
            plain(remainder(&left.value, &right.value)?)
        }
        // "of" needs a share: a percentage or a fraction below one.
        Token::Of => {
            let fraction = matches!(&left.value, Value::Exact(exact) if !exact.is_integer() && exact < &Ratio::one());
            if right.percent || !left.percent && !fraction {
                return None;
            }
            plain(multiply(&share(&left)?, &right.value)?)
        }
        Token::Off if left.percent && !right.percent => {
            let change = multiply(&hundredth(&left.value)?, &right.value)?;
            plain(add(&right.value, &negated(&change))?)
        }
        Token::More | Token::LessThan if !right.percent => {
            let change = if left.percent {
                multiply(&hundredth(&left.value)?, &right.value)?
            } else {
                left.value
            };
            let change = if *token == Token::More {
                change
            } else {
                negated(&change)
            };
            plain(add(&right.value, &change)?)
        }
        _ => None,
    }
}
