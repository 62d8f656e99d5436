//! What a backslash and a character mean in a pattern.
use super::{
    parse::Parser,
    source::Token,
    tree::{Category, Member, Node, Outcome, Place},
};

/// `\n` and the like: the same in patterns, sets and templates.
pub(super) fn control(c: char) -> Option<u32> {
    Some(match c {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        '\\' => 92,
        _ => return None,
    })
}

fn category(c: char) -> Option<Member> {
    let kind = match c.to_ascii_lowercase() {
        'd' => Category::Digit,
        's' => Category::Space,
        'w' => Category::Word,
        _ => return None,
    };
    Some(Member::Category(kind, c.is_ascii_lowercase()))
}

fn place(c: char) -> Option<Place> {
    Some(match c {
        'A' => Place::TextStart,
        'Z' => Place::TextEnd,
        'b' => Place::Boundary,
        'B' => Place::Inside,
        _ => return None,
    })
}

impl Parser {
    /// Inside of a set: a character, as a range of one, or a category.
    pub(super) fn escape_in_set(&mut self, token: Token) -> Outcome<Member> {
        let c = token.c;
        if let Some(code) = control(c) {
            return Ok(Member::Range(code, code));
        }
        if let Some(category) = category(c) {
            return Ok(category);
        }
        if c.is_digit(8) {
            let mut digits = c.to_string();
            digits.push_str(&self.source.digits(2, 8)?);
            let code = self.octal(&digits)?;
            return Ok(Member::Range(code, code));
        }
        let code = self.escaped_code(c)?;
        Ok(Member::Range(code, code))
    }

    pub(super) fn escape(&mut self, token: Token) -> Outcome<Node> {
        let c = token.c;
        if let Some(place) = place(c) {
            return Ok(Node::Place(place));
        }
        if let Some(category) = category(c) {
            return Ok(Node::Set {
                negated: false,
                members: vec![category],
            });
        }
        if let Some(code) = control(c) {
            return Ok(Node::Literal(code));
        }
        match c {
            '0' => {
                let digits = self.source.digits(2, 8)?;
                Ok(Node::Literal(u32::from_str_radix(&digits, 8).unwrap_or(0)))
            }
            '1'..='9' => self.numbered(c),
            _ => Ok(Node::Literal(self.escaped_code(c)?)),
        }
    }

    fn octal(&self, digits: &str) -> Outcome<u32> {
        let code = u32::from_str_radix(digits, 8).unwrap_or(u32::MAX);
        if code > 0o377 {
            let message = format!("octal escape value \\{digits} outside of range 0-0o377");
            return Err(self.source.error(message, digits.len() + 1));
        }
        Ok(code)
    }

    /// An octal escape of three digits or a reference to a group.
    fn numbered(&mut self, first: char) -> Outcome<Node> {
        let mut digits = first.to_string();
        if let Some(second) = self.source.digit(10) {
            digits.push(second);
            self.source.get()?;
            let octal = first.is_digit(8) && second.is_digit(8);
            if let (true, Some(third)) = (octal, self.source.digit(8)) {
                digits.push(third);
                self.source.get()?;
                return Ok(Node::Literal(self.octal(&digits)?));
            }
        }
        let group: u32 = digits.parse().unwrap_or(u32::MAX);
        if group as usize >= self.groups.len() {
            let message = format!("invalid group reference {group}");
            return Err(self.source.error(message, digits.len()));
        }
        if !self.is_closed(group) {
            let message = "cannot refer to an open group";
            return Err(self.source.error(message, digits.len() + 1));
        }
        self.check_behind(group)?;
        Ok(Node::Reference(group))
    }

    /// `\x41`, `\u0041`, `\U00000041` and characters that mean themselves.
    fn escaped_code(&mut self, c: char) -> Outcome<u32> {
        let wanted = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'N' => return self.named(),
            c if c.is_ascii_alphanumeric() => {
                return Err(self.source.error(format!("bad escape \\{c}"), 2));
            }
            c => return Ok(u32::from(c)),
        };
        let digits = self.source.digits(wanted, 16)?;
        let back = digits.len() + 2;
        if digits.len() != wanted {
            let message = format!("incomplete escape \\{c}{digits}");
            return Err(self.source.error(message, back));
        }
        match u32::from_str_radix(&digits, 16) {
            Ok(code) if code <= 0x10_ffff => Ok(code),
            _ => {
                let message = format!("bad escape \\{c}{digits}");
                Err(self.source.error(message, back))
            }
        }
    }

    /// Names of characters are not known here.
    fn named(&mut self) -> Outcome<u32> {
        if !self.source.accept('{')? {
            return Err(self.source.error("missing {", 0));
        }
        let name = self.source.until('}', "character name")?;
        let message = format!("undefined character name {}", crate::text::quoted(&name));
        Err(self.source.error(message, name.chars().count() + 4))
    }
}
