//! The values of literals: numbers, texts and bytes with their escapes, and the joining of neighbours.
//!
//! Left out on purpose: a text with half of a surrogate pair (`'\ud800'`) is refused, for a text here is Unicode; of the names
//! in `\N{…}` only those in `names` are known.
use super::names::named_character;
use super::{Parsed, Parser, node};
use crate::ast::{Expr, ExprKind, Piece};
use crate::lexer::{Token, TokenKind};
use num_bigint::BigInt;
use std::rc::Rc;

/// So many decimal digits and no more may a literal have, as in CPython: reading them takes quadratic time.
const DECIMAL_DIGITS: usize = 4300;

/// A literal without its prefix and quotes.
struct Literal<'a> {
    body: &'a str,
    /// Where the body begins in the text of the program.
    start: usize,
    raw: bool,
    bytes: bool,
    formatted: bool,
}

/// What neighbouring literals have in common.
#[derive(Default)]
struct Joint {
    bytes: Option<bool>,
    formatted: bool,
    content: Vec<u8>,
    pieces: Vec<Piece>,
}

impl<'a> Parser<'a> {
    pub(super) fn number(&mut self) -> Parsed<ExprKind> {
        let token = self.token();
        let digits = self.spelling(token).replace('_', "").to_ascii_lowercase();
        let kind = self.number_value(&digits)?;
        self.advance();
        Ok(kind)
    }

    fn number_value(&self, digits: &str) -> Parsed<ExprKind> {
        let radix = match digits.get(..2) {
            Some("0x") => 16,
            Some("0o") => 8,
            Some("0b") => 2,
            _ => 10,
        };
        let bad = || self.failure("invalid decimal literal");
        if radix != 10 {
            let value = BigInt::parse_bytes(&digits.as_bytes()[2..], radix);
            return value.map(ExprKind::Int).ok_or_else(bad);
        }
        if let Some(imaginary) = digits.strip_suffix('j') {
            return imaginary
                .parse()
                .map(ExprKind::Imaginary)
                .map_err(|_| bad());
        }
        if digits.contains(['.', 'e']) {
            return digits.parse().map(ExprKind::Float).map_err(|_| bad());
        }
        if digits.len() > DECIMAL_DIGITS {
            return Err(self.failure(format!(
                "Exceeds the limit ({DECIMAL_DIGITS} digits) for integer string conversion: value has {} digits; use \
                 sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid \
                 decimal conversion limits.",
                digits.len()
            )));
        }
        BigInt::parse_bytes(digits.as_bytes(), 10)
            .map(ExprKind::Int)
            .ok_or_else(bad)
    }

    /// Neighbouring literals, joined.
    pub(super) fn strings(&mut self) -> Parsed<Expr> {
        let line = self.line();
        let mut joint = Joint::default();
        while self.kind() == TokenKind::Text {
            let literal = self.literal(self.token());
            if *joint.bytes.get_or_insert(literal.bytes) != literal.bytes {
                return Err(self.failure("cannot mix bytes and nonbytes literals"));
            }
            joint.formatted |= literal.formatted;
            self.join(&mut joint, &literal)?;
            self.advance();
        }
        if joint.formatted {
            self.grow(1)?;
            return Ok(node(line, ExprKind::Joined(merged(joint.pieces))));
        }
        let kind = if joint.bytes == Some(true) {
            ExprKind::Bytes(joint.content.into())
        } else {
            ExprKind::Str(merged_text(&joint.pieces))
        };
        Ok(node(line, kind))
    }

    fn literal(&self, token: Token) -> Literal<'a> {
        let spelling = self.spelling(token);
        let prefix = spelling.find(['"', '\'']).unwrap_or(0);
        let (letters, quoted) = spelling.split_at(prefix);
        let size = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") {
            3
        } else {
            1
        };
        Literal {
            body: quoted.get(size..quoted.len() - size).unwrap_or(""),
            start: token.start + prefix + size,
            raw: letters.contains(['r', 'R']),
            bytes: letters.contains(['b', 'B']),
            formatted: letters.contains(['f', 'F']),
        }
    }

    fn join(&mut self, joint: &mut Joint, literal: &Literal<'_>) -> Parsed<()> {
        let Literal { start, raw, .. } = *literal;
        if literal.bytes {
            let bytes = bytes_value(literal.body, raw).map_err(|message| self.failure(message))?;
            joint.content.extend(bytes);
        } else if literal.formatted {
            let end = start + literal.body.len();
            joint
                .pieces
                .extend(self.deeper(|parser| parser.formatted(start..end, raw))?);
        } else {
            let text = text_value(literal.body, raw).map_err(|message| self.failure(message))?;
            joint.pieces.push(Piece::Text(text.into()));
        }
        Ok(())
    }
}

/// Neighbouring texts become one, and empty ones vanish.
pub(super) fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged = Vec::new();
    let mut texts = Vec::new();
    for piece in pieces {
        if let Piece::Value { .. } = piece {
            merged.extend(one_text(&mut texts));
            merged.push(piece);
        } else {
            texts.push(piece);
        }
    }
    merged.extend(one_text(&mut texts));
    merged
}

fn one_text(texts: &mut Vec<Piece>) -> Option<Piece> {
    let text = merged_text(texts);
    texts.clear();
    (!text.is_empty()).then_some(Piece::Text(text))
}

fn merged_text(pieces: &[Piece]) -> Rc<str> {
    if let [Piece::Text(only)] = pieces {
        return only.clone();
    }
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => &**text,
        Piece::Value { .. } => "",
    });
    texts.collect::<String>().into()
}

/// What the body of a literal stands for.
pub(super) fn text_value(body: &str, raw: bool) -> Result<String, String> {
    if raw || !body.contains('\\') {
        return Ok(body.to_owned());
    }
    let mut escapes = Escapes {
        rest: body,
        offset: 0,
        text: String::with_capacity(body.len()),
    };
    while !escapes.rest.is_empty() {
        escapes.step()?;
    }
    Ok(escapes.text)
}

struct Escapes<'a> {
    rest: &'a str,
    /// Where `rest` begins, as CPython counts: ten for each character that is not ASCII.
    offset: usize,
    text: String,
}

impl Escapes<'_> {
    /// Past one character or escape.
    fn step(&mut self) -> Result<(), String> {
        let Some(character) = self.take() else {
            return Ok(());
        };
        if character != '\\' {
            self.text.push(character);
            return Ok(());
        }
        let start = self.offset - 1;
        let Some(escape) = self.take() else {
            self.text.push('\\');
            return Ok(());
        };
        match escape {
            '\n' => {}
            'x' => self.coded(2, start, r"truncated \xXX escape")?,
            'u' => self.coded(4, start, r"truncated \uXXXX escape")?,
            'U' => self.coded(8, start, r"truncated \UXXXXXXXX escape")?,
            'N' => self.named(start)?,
            '0'..='7' => self.octal(escape),
            _ => match plain_escape(escape) {
                Some(byte) => self.text.push(char::from(byte)),
                None => {
                    // A backslash before a character that is not ASCII is itself rewritten as an escape of six.
                    self.offset += if escape.is_ascii() { 0 } else { 5 };
                    self.text.extend(['\\', escape]);
                }
            },
        }
        Ok(())
    }

    fn take(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next()?;
        self.rest = characters.as_str();
        self.offset += if character.is_ascii() { 1 } else { 10 };
        Some(character)
    }

    fn coded(&mut self, digits: usize, start: usize, truncated: &str) -> Result<(), String> {
        let mut code = 0;
        for _ in 0..digits {
            let Some(digit) = self
                .rest
                .chars()
                .next()
                .and_then(|digit| digit.to_digit(16))
            else {
                return Err(self.undecodable(start, truncated));
            };
            self.take();
            code = code * 16 + digit;
        }
        match char::from_u32(code) {
            Some(character) => self.text.push(character),
            None if (0xd800..0xe000).contains(&code) => {
                return Err(self.undecodable(start, "surrogates are not supported"));
            }
            None => return Err(self.undecodable(start, "illegal Unicode character")),
        }
        Ok(())
    }

    fn octal(&mut self, first: char) {
        let mut code = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.rest.chars().next().and_then(|digit| digit.to_digit(8)) else {
                break;
            };
            self.take();
            code = code * 8 + digit;
        }
        self.text.extend(char::from_u32(code));
    }

    fn named(&mut self, start: usize) -> Result<(), String> {
        let malformed = r"malformed \N character escape";
        if !self.rest.starts_with('{') {
            return Err(self.undecodable(start, malformed));
        }
        self.take();
        let before = self.rest;
        while !self.rest.is_empty() && !self.rest.starts_with('}') {
            self.take();
        }
        let name = &before[..before.len() - self.rest.len()];
        if name.is_empty() || self.rest.is_empty() {
            return Err(self.undecodable(start, malformed));
        }
        self.take();
        match named_character(name) {
            Some(character) => self.text.push(character),
            None => return Err(self.undecodable(start, "unknown Unicode character name")),
        }
        Ok(())
    }

    fn undecodable(&self, start: usize, why: &str) -> String {
        let end = self.offset.saturating_sub(1);
        format!(
            "(unicode error) 'unicodeescape' codec can't decode bytes in position {start}-{end}: {why}"
        )
    }
}

/// An escape of one letter that means the same in texts and bytes.
const fn plain_escape(letter: char) -> Option<u8> {
    Some(match letter {
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        _ => return None,
    })
}

fn bytes_value(body: &str, raw: bool) -> Result<Vec<u8>, String> {
    if !body.is_ascii() {
        return Err("bytes can only contain ASCII literal characters".to_owned());
    }
    let body = body.as_bytes();
    if raw {
        return Ok(body.to_vec());
    }
    let mut value = Vec::with_capacity(body.len());
    let mut position = 0;
    while let Some(&byte) = body.get(position) {
        position += 1;
        if byte == b'\\' {
            position += bytes_escape(body, position, &mut value)?;
        } else {
            value.push(byte);
        }
    }
    Ok(value)
}

/// Appends what the escape behind a backslash stands for: how long it is.
fn bytes_escape(body: &[u8], position: usize, value: &mut Vec<u8>) -> Result<usize, String> {
    let rest = body.get(position..).unwrap_or_default();
    let digits = |from: usize, most: usize, radix: u32| {
        let digits = rest
            .iter()
            .skip(from)
            .take(most)
            .map_while(|byte| char::from(*byte).to_digit(radix));
        digits.fold((0_u32, 0), |(code, length), digit| {
            (code * radix + digit, length + 1)
        })
    };
    let Some(&escape) = rest.first() else {
        value.push(b'\\');
        return Ok(0);
    };
    match escape {
        b'\n' => {}
        b'x' => {
            let (code, length) = digits(1, 2, 16);
            if length < 2 {
                let place = position - 1;
                return Err(format!(
                    r"(value error) invalid \x escape at position {place}"
                ));
            }
            value.push(code.to_le_bytes()[0]);
            return Ok(3);
        }
        b'0'..=b'7' => {
            let (code, length) = digits(0, 3, 8);
            value.push(code.to_le_bytes()[0]);
            return Ok(length);
        }
        _ => match plain_escape(char::from(escape)) {
            Some(byte) => value.push(byte),
            None => value.extend([b'\\', escape]),
        },
    }
    Ok(1)
}
