//! Arithmetic in signs and words: "12 x 34 =", "80 minus 15%", "square root of 2 to 4 places", "sin(30 degrees)".
//!
//! A recursive parser over exact fractions. Only a text that it reads to the last character has a value, and words that
//! leave the order open ("square root of 16 plus 9") have none.

use super::{
    Computed,
    function::{
        Function, add, applied, divide, factorial_of, hundredth, multiply, negated, remainder,
    },
    ratio::{Ratio, power, whole},
    show,
    text::Reading,
    token::{MOST_TOKENS, Token, lex},
};
use crate::number::Value;
use crate::pattern::{Rewriting, regex};
use num_traits::One;
use regex::{Captures, Regex};
use std::sync::LazyLock;

const MOST_DEPTH: usize = 40;

/// The value of a question that is an expression.
pub(super) fn compute(reading: &Reading) -> Option<Computed> {
    // "Is 50% more than 1/3?" asks for yes or no.
    if reading.plain.starts_with("is ") && reading.plain.contains(" than ") {
        return None;
    }
    let source = stripped(reading)?;
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
fn stripped(reading: &Reading) -> Option<String> {
    static ASKING: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^
              (?:
                (?:
                    hey|hi|hello|ok|okay|so|and|now|please|quick question|question|math question|
                    can you|can you do|could you|could you do|would you|do|will you|do you know|
                    tell me|give me|show me|
                    i need to know|i want to know|calculate|compute|work out|figure out|find|
                    determine|evaluate|solve|simplify|what does|what do|what is|what are|
                    what will be|what would be|how much is|how much are|how much does|how much do|
                    how many is|is|the|decimal (?:form|value) of|value of|result of|answer to|
                    answer for|sum|exact value of|
                    product|quickly|just|for me|what
                  )[,:!]*\s+|
                (?:sum|total|calculate|compute|solve|question)\s*:\s*
              )+",
        )
    });
    static ENDING: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"(?:
                \s*(?:,|=|\?|\.|;|:)|
                \s+
                  (?:
                    please|pls|thanks|thank you|equals?|equal to|is equal to|is what|is how much|is|
                    exactly|make|makes|be|come to|now|in total|altogether|total|as a fraction|
                    as a decimal|as fraction|as decimal|in lowest terms|lowest terms|
                    in simplest form|simplest form|in python|gives?|
                    comes out as|comes out to|comes to|works out to|works out as|simplified|reduced|for me
                  )|
                ,?\s*\(?(?:rounded\s+|correct\s+|accurate\s+|round\s+)?(?:off\s+)?to\s+the\s+nearest\s+
                  (?:whole\s+number|whole|integer|tenth|hundredth|thousandth|cent)\)?
              )+$",
        )
    });
    // There 2^3 is 1, and % and ! are no percentage and no factorial.
    if reading.plain.contains("in python") && reading.plain.contains(['^', '%', '!']) {
        return None;
    }
    let text = ASKING.replace(reading.plain.trim(), "");
    // The ending may say "exactly, please?": repeatedly.
    let mut text = text.into_owned();
    for _ in 0..4 {
        text = ENDING.replace(&text, "").into_owned();
    }
    text = stepwise(text);
    text = commanded(&text).unwrap_or(text);
    text = in_signs(&text);
    static LOG: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^log(?:arithm)? (?:of )?([\d.,]+),? (?:to )?(?:the )?base (\d+)$")
    });
    text = LOG.replace(&text, "log base $2 of $1").into_owned();
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\d+[/-]\d+$|\d{4}-\d{2}-\d{2}|^\d{3}-\d{3}-\d{4}$|^\+?\d+(?:-\d+){2,}$")
    });
    static RUN: LazyLock<Regex> = LazyLock::new(|| regex(r"^\d+(?:-\d+){2,}$"));
    if RUN.is_match(&text) {
        return None;
    }
    // Nobody asks for the decimals of a name.
    let is_bare = text.len() == reading.plain.len() && reading.places.is_none();
    if NAME.is_match(&text)
        && (is_bare || ["24/7", "9/11", "50/50", "80/20"].contains(&text.as_str()))
    {
        return None;
    }
    with_fractions(&text)
}

/// "The sum of 11 and 19", "to the minus 2": the same in signs.
fn in_signs(text: &str) -> String {
    static PHRASES: LazyLock<Rewriting> = LazyLock::new(|| {
        Rewriting::new(&[
            (
                r"\b(?:the )?sum of ([\d.,]*\d) (?:and|plus) ([\d.,]*\d)",
                "($1 + $2)",
            ),
            (
                r"\b(?:the )?product of ([\d.,]*\d) (?:and|times) ([\d.,]*\d)",
                "($1 * $2)",
            ),
            (
                r"\b(?:the )?difference (?:of|between) ([\d.,]*\d) and ([\d.,]*\d)",
                "abs($1 - $2)",
            ),
            (
                r"\b(?:the )?quotient of ([\d.,]*\d) and ([\d.,]*\d)",
                "($1 / $2)",
            ),
            (
                r"\b(?:raised )?to the (?:power (?:of )?)?(?:minus|negative) (\d+)(?: power)?\b",
                "^ -$1",
            ),
            (r"(\d) to the (\d{1,3})$", "$1 ^ $2"),
        ])
    });
    PHRASES.apply(text)
}

/// Fractions as people read them: "5/6 divided by 2/3" divides one by the other, and "2/3 squared" squares all of it.
/// Nothing where the signs say something else than the eye reads, as in "12 / 4/2".
fn with_fractions(text: &str) -> Option<String> {
    static FRACTION: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?:\d+ )?\d[\d.,]*(?:/\d[\d.,]*)+"));
    static PAIR: LazyLock<Regex> = LazyLock::new(|| regex(r"^\d+/\d+ / \d+/\d+$"));
    let in_words = text.contains(|c: char| c.is_ascii_alphabetic());
    let divides = text.contains(" / ");
    if !FRACTION.is_match(text) || !in_words && !divides {
        return Some(text.to_owned());
    }
    if divides && !PAIR.is_match(text) {
        return None;
    }
    let bracketed = |found: &Captures<'_>| {
        let start = found.get(0).map_or(0, |part| part.start());
        let is_one = found[0].matches('/').count() == 1;
        match is_one && !text[..start].trim_end().ends_with('^') {
            true => format!("({})", &found[0]),
            false => found[0].to_owned(),
        }
    };
    Some(FRACTION.replace_all(text, bracketed).into_owned())
}

/// "Double 76, then subtract 19", "12 plus 8, all times 3": what comes later takes all that stands before it.
fn stepwise(mut text: String) -> String {
    static STEP: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(.+?),? (?:and )?(?:then|all) (?:
                (add|plus)|(subtract|minus|take away|take off)|
                (multiply by|multiplied by|times)|(divide by|divided by)
              ) ([\d.,]*\d)(.*)$",
        )
    });
    while let Some(found) = STEP.captures(&text) {
        let sign = ["+", "-", "*", "/"]
            .iter()
            .zip(2..)
            .find(|(_, group)| found.get(*group).is_some());
        let Some((sign, _)) = sign else { break };
        let before = commanded(&found[1]).unwrap_or_else(|| found[1].to_owned());
        text = format!("({before}) {sign} {}{}", &found[6], &found[7]);
    }
    text
}

/// "Multiply 12 by 15", "what do I get if I subtract 17 from 50": the same in signs.
fn commanded(text: &str) -> Option<String> {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"^(?:(?:i|you|we|one) get (?:(?:if|when) (?:i|you|we|one) |by |from )?)?
              (?:
                (multiply|multiplying) (.+?) (?:by|with|and|times) (.+)|
                (divide|dividing) (.+?) by (.+)|
                (subtract|subtracting|take away|take|taking|deduct) (.+?)(?: away| off)? (?:from|away from) (.+)|
                (add|adding) (.+?) (?:to|and|plus) (.+)
              )$",
        )
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
