//! What stands for a match in `sub` and `expand`: text with references to groups.
use super::{
    escape::control,
    source::{Source, Token, group_number, is_identifier},
    tree::{Failure, FailureKind, Outcome},
};
use crate::text::quoted;

const MOST_GROUPS: u32 = 1_073_741_823;

pub(super) enum Piece {
    Text(String),
    Group(u32),
}

struct Template<'a> {
    source: Source,
    groups: u32,
    known: &'a dyn Fn(&str) -> Option<u32>,
    pieces: Vec<Piece>,
}

/// `groups` is the number of groups, `known` tells the number of one that has a name.
pub(super) fn parse(
    text: &str,
    groups: u32,
    known: impl Fn(&str) -> Option<u32>,
) -> Outcome<Vec<Piece>> {
    let mut template = Template {
        source: Source::new(text)?,
        groups,
        known: &known,
        pieces: Vec::new(),
    };
    while let Some(token) = template.source.get()? {
        template.token(token)?;
    }
    Ok(template.pieces)
}

impl Template<'_> {
    fn push(&mut self, c: char) {
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(c),
            _ => self.pieces.push(Piece::Text(c.to_string())),
        }
    }

    /// Adds a reference that was named so many characters before.
    fn refer(&mut self, group: u32, back: usize) -> Outcome<()> {
        if group > self.groups {
            let message = format!("invalid group reference {group}");
            return Err(self.source.error(message, back));
        }
        self.pieces.push(Piece::Group(group));
        Ok(())
    }

    fn token(&mut self, Token { escaped, c }: Token) -> Outcome<()> {
        if !escaped {
            self.push(c);
            return Ok(());
        }
        match c {
            'g' => self.named(),
            '0' => {
                let digits = self.source.digits(2, 8)?;
                self.push_code(u32::from_str_radix(&digits, 8).unwrap_or(0));
                Ok(())
            }
            '1'..='9' => self.numbered(c),
            c => {
                match control(c) {
                    Some(code) => self.push_code(code),
                    None if c.is_ascii_alphabetic() => {
                        return Err(self.source.error(format!("bad escape \\{c}"), 2));
                    }
                    None => {
                        self.push('\\');
                        self.push(c);
                    }
                }
                Ok(())
            }
        }
    }

    fn push_code(&mut self, code: u32) {
        // Octal numbers of two digits may be more than a byte in a pattern, but are cut to one here.
        self.push(char::from_u32(code & 0xff).unwrap_or('\0'));
    }

    fn numbered(&mut self, first: char) -> Outcome<()> {
        let mut digits = first.to_string();
        if let Some(second) = self.source.digit(10) {
            digits.push(second);
            self.source.get()?;
            let octal = first.is_digit(8) && second.is_digit(8);
            if let (true, Some(third)) = (octal, self.source.digit(8)) {
                digits.push(third);
                self.source.get()?;
                return self.octal(&digits);
            }
        }
        let group = digits.parse().unwrap_or(u32::MAX);
        self.refer(group, digits.len())
    }

    fn octal(&mut self, digits: &str) -> Outcome<()> {
        let code = u32::from_str_radix(digits, 8).unwrap_or(u32::MAX);
        if code > 0o377 {
            let message = format!("octal escape value \\{digits} outside of range 0-0o377");
            return Err(self.source.error(message, digits.len() + 1));
        }
        self.push_code(code);
        Ok(())
    }

    /// Behind `\g`.
    fn named(&mut self) -> Outcome<()> {
        if !self.source.accept('<')? {
            return Err(self.source.error("missing <", 0));
        }
        let name = self.source.until('>', "group name")?;
        let back = name.chars().count() + 1;
        if is_identifier(&name) {
            return match (self.known)(&name) {
                Some(group) => self.refer(group, back),
                None => {
                    let message = format!("unknown group name {}", quoted(&name));
                    Err(Failure::new(FailureKind::Index, message))
                }
            };
        }
        match group_number(&name) {
            None => Err(self.source.bad_name(&name)),
            Some(group @ MOST_GROUPS..) => {
                let group = if group == u32::MAX {
                    name.trim()
                } else {
                    &group.to_string()
                };
                Err(self
                    .source
                    .error(format!("invalid group reference {group}"), back))
            }
            Some(group) => self.refer(group, back),
        }
    }
}
