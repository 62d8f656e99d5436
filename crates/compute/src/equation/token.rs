//! Splits an answer into the tokens that equations are made of.
//!
//! Answers mix plain text, markdown and LaTeX; all three become the same tokens here, so that the parser
//! (`expression`) knows one notation. Every token keeps its bytes of the answer. What is not known becomes
//! [`Kind::Unknown`], which no expression contains: a root or a dropped sign would make a right equation look wrong.

use num_bigint::BigInt;
use num_rational::BigRational;
use std::ops::Range;

/// Longer runs of digits are data; the limit keeps exact arithmetic cheap.
const MOST_DIGITS: usize = 60;

/// A sign between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Plus,
    Minus,
    Times,
    Divide,
    Power,
    Modulo,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number {
        value: BigRational,
        decimals: usize,
    },
    Op(Op),
    Open,
    Close,
    Percent,
    Exclamation,
    Currency,
    /// `=` or, if it only says "about", `≈`.
    Relation {
        approximate: bool,
    },
    /// In lower case; the flag says that it stands right behind a digit, like the `x` of `2x`.
    Word(String, bool),
    Newline,
    /// Ends a part of a sentence: no expression goes on behind it.
    Stop,
    Unknown,
}

/// A piece of an answer.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Bytes of the answer.
    pub(super) span: Range<usize>,
    /// Nothing stands between it and the token before.
    pub(super) glued: bool,
}

/// What closes with a brace.
#[derive(Clone, Copy)]
enum Brace {
    Group,
    Text,
    Numerator,
    Denominator,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    braces: Vec<Brace>,
    /// What the next `{` opens, set by the command before it.
    next: Option<Brace>,
    /// Where the last token ended, or nothing if white space followed.
    touching: Option<usize>,
}

/// The tokens of an answer without its code blocks.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        braces: Vec::new(),
        next: None,
        touching: None,
    };
    while let Some(next) = lexer.rest().chars().next() {
        lexer.step(next);
    }
    lexer.tokens
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let span = self.at..self.at + length;
        let glued = self.touching == Some(self.at);
        self.at = span.end;
        self.touching = Some(span.end);
        self.tokens.push(Token { kind, span, glued });
    }

    /// Passes over bytes that mean nothing; what stands on both sides still touches.
    fn skip(&mut self, length: usize) {
        if self.touching == Some(self.at) {
            self.touching = Some(self.at + length);
        }
        self.at += length;
    }

    fn last(&self) -> Option<&Kind> {
        self.tokens.last().map(|token| &token.kind)
    }

    fn step(&mut self, next: char) {
        let length = next.len_utf8();
        match next {
            '\n' => self.push(Kind::Newline, length),
            _ if next.is_whitespace() => self.at += length,
            '0'..='9' => self.number(),
            '.' => self.point(),
            '*' => self.star(),
            '\\' => self.command(),
            '{' => self.open_brace(),
            '}' => self.close_brace(),
            '`' if self.rest().starts_with("```") => self.fence(),
            '`' | '"' | '“' | '”' | '&' | '_' => self.skip(length),
            '=' | '<' | '>' | '!' | '≠' | '≤' | '≥' => self.comparison(next),
            '≈' | '≅' | '≃' => self.push(Kind::Relation { approximate: true }, length),
            ':' => self.colon(),
            '-' if self.rest().starts_with("->") || self.rest().starts_with("--") => {
                self.push(Kind::Stop, 2);
            }
            '$' if self.rest().starts_with("$$") => self.push(Kind::Newline, 2),
            '$' | '€' | '£' | '₹' | '¥' => self.push(Kind::Currency, length),
            '²' | '³' => self.superscript(next),
            _ if next.is_alphabetic() => self.word(),
            _ => self.push(sign(next), length),
        }
    }

    fn number(&mut self) {
        let bytes = self.text.as_bytes();
        let digits = |from: usize| {
            let rest = bytes.get(from..).unwrap_or_default().iter();
            rest.take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut end = self.at + digits(self.at);
        let mut plain = self.text[self.at..end].to_owned();
        if plain.len() <= 3 {
            // Thousands: `1,200`, in LaTeX also `1{,}200` and `1,\!200`.
            while let Some(comma) = [",\\!", "{,}", ","]
                .into_iter()
                .find(|comma| self.text[end..].starts_with(comma))
                && digits(end + comma.len()) == 3
            {
                let start = end + comma.len();
                plain.push_str(&self.text[start..start + 3]);
                end = start + 3;
            }
        }
        let mut decimals = 0;
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            decimals = digits(end + 1);
            plain.push_str(&self.text[end + 1..end + 1 + decimals]);
            end += 1 + decimals;
        }
        let length = end - self.at;
        let version = bytes.get(end) == Some(&b'.') && digits(end + 1) > 0;
        let short = plain.len() <= MOST_DIGITS && !version;
        let kind = match short.then(|| plain.parse::<BigInt>()) {
            Some(Ok(digits)) => Kind::Number {
                value: BigRational::new(digits, BigInt::from(10).pow(decimals as u32)),
                decimals,
            },
            _ => Kind::Unknown,
        };
        self.push(kind, length);
        self.letters_behind_digits();
    }

    /// `5km`, `2nd`, `5-pound`, `1e6`, `3x4`.
    fn letters_behind_digits(&mut self) {
        let rest = self.rest();
        let hyphen = usize::from(rest.starts_with('-'));
        let letters: String = rest[hyphen..]
            .chars()
            .take_while(|one| one.is_alphabetic() || (hyphen == 1 && *one == '-'))
            .collect();
        if letters.is_empty() {
            return;
        }
        let length = hyphen + letters.len();
        let lower = letters.to_lowercase();
        let behind = rest[length..].chars().next();
        let digit_behind = behind.is_some_and(|one| one.is_ascii_digit());
        if hyphen == 0 && lower == "x" && (digit_behind || behind == Some('$')) {
            return self.push(Kind::Op(Op::Times), length);
        }
        if hyphen == 0 && (digit_behind || ["st", "nd", "rd", "th"].contains(&lower.as_str())) {
            // An ordinal counts nothing, and `1e6` is not read.
            if let Some(token) = self.tokens.last_mut() {
                token.kind = if digit_behind {
                    Kind::Unknown
                } else {
                    Kind::Word(lower, false)
                };
            }
            return self.skip(length);
        }
        self.push(Kind::Word(lower, hyphen == 0), length);
    }

    fn point(&mut self) {
        let rest = self.rest();
        if rest.starts_with("..") {
            let length = rest.len() - rest.trim_start_matches('.').len();
            return self.push(Kind::Unknown, length);
        }
        let digits: String = rest[1..].chars().take_while(char::is_ascii_digit).collect();
        let operand_before = matches!(
            self.last(),
            Some(Kind::Number { .. } | Kind::Word(..) | Kind::Close)
        );
        if digits.is_empty()
            || digits.len() > MOST_DIGITS
            || (operand_before && self.touching == Some(self.at))
        {
            return self.push(Kind::Stop, 1);
        }
        let scale = BigInt::from(10).pow(digits.len() as u32);
        let numerator = digits.parse::<BigInt>().unwrap_or_default();
        let kind = Kind::Number {
            value: BigRational::new(numerator, scale),
            decimals: digits.len(),
        };
        self.push(kind, 1 + digits.len());
    }

    /// Multiplication, power, bullet, bold or italics.
    fn star(&mut self) {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start_matches('*').len();
        let behind = rest[length..].chars().next();
        let space_behind = behind.is_none_or(char::is_whitespace);
        let space_before = self.touching != Some(self.at);
        let operand_before = matches!(
            self.last(),
            Some(
                Kind::Number { .. } | Kind::Word(..) | Kind::Close | Kind::Percent | Kind::Currency
            )
        );
        let operand_behind =
            behind.is_some_and(|one| "($€£.\\".contains(one) || one.is_ascii_digit());
        let between = operand_before && space_before == space_behind;
        match length {
            1 if operand_before && (between || operand_behind) => {
                self.push(Kind::Op(Op::Times), 1);
            }
            2 if between && (operand_behind || space_behind) => self.push(Kind::Op(Op::Power), 2),
            _ => self.skip(length),
        }
    }

    fn comparison(&mut self, first: char) {
        let rest = self.rest();
        let length = rest
            .chars()
            .take_while(|one| "=<>!≠≤≥".contains(*one))
            .map(char::len_utf8)
            .sum();
        let kind = match (&rest[..length], first) {
            ("=", _) => Kind::Relation { approximate: false },
            ("!", _) => Kind::Exclamation,
            ("=>" | "<<" | ">>" | "==>", _) => Kind::Stop,
            _ => Kind::Unknown,
        };
        self.push(kind, length);
    }

    /// `2:30` is a time or a ratio; else a colon announces what follows.
    fn colon(&mut self) {
        let digit = |one: Option<char>| one.is_some_and(|one| one.is_ascii_digit());
        let between = digit(self.text[..self.at].chars().next_back())
            && digit(self.text[self.at + 1..].chars().next());
        self.push(if between { Kind::Unknown } else { Kind::Stop }, 1);
    }

    fn superscript(&mut self, sign: char) {
        // Behind a unit it belongs to the unit (`m²`), behind a number it is a power.
        if matches!(self.last(), Some(Kind::Number { .. } | Kind::Close)) {
            let power = if sign == '²' { 2 } else { 3 };
            self.push(Kind::Op(Op::Power), 0);
            let value = BigInt::from(power).into();
            let decimals = 0;
            self.push(Kind::Number { value, decimals }, sign.len_utf8());
        } else {
            self.skip(sign.len_utf8());
        }
    }

    fn word(&mut self) {
        let mut length = 0;
        let rest = self.rest();
        for (at, one) in rest.char_indices() {
            let inner = "'’-_".contains(one)
                && rest[at + one.len_utf8()..].starts_with(char::is_alphanumeric);
            if !(one.is_alphanumeric() || inner) {
                break;
            }
            length = at + one.len_utf8();
        }
        let word = rest[..length].to_lowercase();
        self.push(Kind::Word(word, false), length);
    }

    /// A fenced block: computing inside it is code, its result is stated elsewhere.
    fn fence(&mut self) {
        let rest = &self.rest()[3..];
        let language = rest.lines().next().unwrap_or("").trim();
        let close = rest.find("```");
        if language.is_empty() || language == "math" || language == "text" {
            // Hidden quotes of a block that is text; its lines are read like all others.
            return self.push(Kind::Newline, 3 + language.len().min(rest.len()));
        }
        let length = close.map_or(self.rest().len(), |close| close + 6);
        self.push(Kind::Newline, length);
    }

    fn open_brace(&mut self) {
        let brace = self.next.take().unwrap_or(Brace::Group);
        self.braces.push(brace);
        match brace {
            Brace::Text => self.skip(1),
            Brace::Group | Brace::Denominator => self.push(Kind::Open, 1),
            Brace::Numerator => {
                self.push(Kind::Open, 0);
                // The fraction begins with its command, which was passed over.
                let command = self.text[..self.at].rfind('\\');
                if let Some((token, start)) = self.tokens.last_mut().zip(command) {
                    token.span.start = start;
                }
                self.push(Kind::Open, 1);
            }
        }
    }

    fn close_brace(&mut self) {
        match self.braces.pop() {
            None => self.push(Kind::Stop, 1),
            Some(Brace::Text) => self.skip(1),
            Some(Brace::Group) => self.push(Kind::Close, 1),
            Some(Brace::Numerator) => {
                self.push(Kind::Close, 1);
                self.push(Kind::Op(Op::Divide), 0);
                self.next = Some(Brace::Denominator);
            }
            Some(Brace::Denominator) => {
                self.push(Kind::Close, 1);
                self.push(Kind::Close, 0);
            }
        }
    }

    fn command(&mut self) {
        let rest = &self.rest()[1..];
        let letters = rest.len()
            - rest
                .trim_start_matches(|one: char| one.is_ascii_alphabetic())
                .len();
        if letters == 0 {
            let next = rest.chars().next();
            let length = 1 + next.map_or(0, char::len_utf8);
            match next {
                Some('$') => self.push(Kind::Currency, length),
                Some('%') => self.push(Kind::Percent, length),
                Some('\\' | '[' | ']') => self.push(Kind::Newline, length),
                Some(next) if next.is_alphanumeric() => self.skip(1),
                // `\(` may stand in the middle of an expression whose units are outside it.
                _ => self.skip(length),
            }
            return;
        }
        let length = 1 + letters;
        match &rest[..letters] {
            "times" | "cdot" | "ast" => self.push(Kind::Op(Op::Times), length),
            "div" => self.push(Kind::Op(Op::Divide), length),
            "approx" | "simeq" | "sim" => self.push(Kind::Relation { approximate: true }, length),
            "frac" | "dfrac" | "tfrac" => {
                self.next = Some(Brace::Numerator);
                self.skip(length);
            }
            "text" | "textbf" | "textit" | "mathrm" | "mathbf" | "mbox" | "textrm" => {
                self.next = Some(Brace::Text);
                self.skip(length);
            }
            "left" | "right" | "quad" | "qquad" | "boxed" | "displaystyle" | "big" | "Big" => {
                self.at += length;
            }
            "begin" | "end" => {
                let mut name = rest[letters..].bytes().take(20);
                let name = name.position(|byte| byte == b'}');
                self.push(Kind::Newline, length + name.map_or(0, |end| end + 1));
            }
            "rightarrow" | "Rightarrow" | "implies" | "therefore" | "to" => {
                self.push(Kind::Stop, length);
            }
            _ => self.push(Kind::Unknown, length),
        }
    }
}

/// Signs that mean the same wherever they stand.
fn sign(sign: char) -> Kind {
    match sign {
        '+' => Kind::Op(Op::Plus),
        '-' | '−' | '–' => Kind::Op(Op::Minus),
        '×' | '✕' | '✖' | '⋅' | '·' | '∙' => Kind::Op(Op::Times),
        '/' | '÷' | '⁄' | '∕' => Kind::Op(Op::Divide),
        '^' => Kind::Op(Op::Power),
        '(' | '[' => Kind::Open,
        ')' | ']' => Kind::Close,
        '%' => Kind::Percent,
        ',' | ';' | '?' | '|' | '→' | '⇒' | '—' | '#' | '•' => Kind::Stop,
        _ => Kind::Unknown,
    }
}
