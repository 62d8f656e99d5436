//! What stands in parentheses: groups, flags, assertions, conditions, comments.
use super::{
    parse::Parser,
    source::{Token, group_number, is_identifier},
    tree::{ASCII, DOTALL, IGNORECASE, KINDS, LOCALE, MULTILINE, Node, Outcome, UNICODE, VERBOSE},
};
use crate::text::quoted;

/// No group has this number or one above.
const MOST_GROUPS: u32 = 1_073_741_823;
/// `(?t)`, which means nothing.
const TEMPLATE: u32 = 1;

/// How a group that has a body begins.
struct Opening {
    start: usize,
    captures: bool,
    atomic: bool,
    name: Option<String>,
    added: u32,
    removed: u32,
}

impl Parser {
    /// Behind `(`. `first` tells that flags may stand here. Comments and flags are no node.
    pub(super) fn group(
        &mut self,
        verbose: &mut bool,
        depth: usize,
        first: bool,
    ) -> Outcome<Option<Node>> {
        let mut opening = Opening {
            start: self.source.tell() - 1,
            captures: true,
            atomic: false,
            name: None,
            added: 0,
            removed: 0,
        };
        if !self.source.accept('?')? {
            return self.body(opening, *verbose, depth).map(Some);
        }
        let sign = self.expected()?;
        if sign.escaped {
            return Err(self.source.error(
                format!("unknown extension ?{}", sign.text()),
                sign.len() + 1,
            ));
        }
        opening.captures = false;
        match sign.c {
            'P' if self.source.accept('<')? => {
                let name = self.name('>')?;
                opening.captures = true;
                opening.name = Some(name);
            }
            'P' => return self.reference().map(Some),
            ':' => {}
            '#' => return self.comment(opening.start).map(|()| None),
            '=' | '!' => {
                return self
                    .look(opening.start, sign.c == '!', false, *verbose, depth)
                    .map(Some);
            }
            '<' => {
                let sign = self.expected()?;
                if !(sign.is('=') || sign.is('!')) {
                    let message = format!("unknown extension ?<{}", sign.text());
                    return Err(self.source.error(message, sign.len() + 2));
                }
                return self
                    .look(opening.start, sign.c == '!', true, *verbose, depth)
                    .map(Some);
            }
            '(' => return self.condition(opening.start, *verbose, depth).map(Some),
            '>' => opening.atomic = true,
            c if c == '-' || flag(c).is_some() => match self.flags(sign.c)? {
                Some(flags) => (opening.added, opening.removed) = flags,
                None if first => {
                    *verbose = self.flags & VERBOSE != 0;
                    return Ok(None);
                }
                None => {
                    let back = self.source.tell() - opening.start;
                    let message = "global flags not at the start of the expression";
                    return Err(self.source.error(message, back));
                }
            },
            c => return Err(self.source.error(format!("unknown extension ?{c}"), 2)),
        }
        self.body(opening, *verbose, depth).map(Some)
    }

    fn expected(&mut self) -> Outcome<Token> {
        match self.source.get()? {
            Some(token) => Ok(token),
            None => Err(self.source.error("unexpected end of pattern", 0)),
        }
    }

    fn name(&mut self, end: char) -> Outcome<String> {
        let name = self.source.until(end, "group name")?;
        match is_identifier(&name) {
            true => Ok(name),
            false => Err(self.source.bad_name(&name)),
        }
    }

    fn known(&self, name: &str) -> Outcome<u32> {
        match self.names.iter().find(|(known, _)| known == name) {
            Some((_, group)) => Ok(*group),
            None => {
                let message = format!("unknown group name {}", quoted(name));
                Err(self.source.error(message, name.chars().count() + 1))
            }
        }
    }

    fn body(&mut self, opening: Opening, verbose: bool, depth: usize) -> Outcome<Node> {
        let Opening {
            start,
            captures,
            atomic,
            name,
            added,
            removed,
        } = opening;
        let number = match captures {
            true => Some(self.open_group(name)?),
            false => None,
        };
        let verbose = (verbose || added & VERBOSE != 0) && removed & VERBOSE == 0;
        let body = self.choices(verbose, depth + 1)?;
        self.closing(start)?;
        if let Some(number) = number {
            self.close_group(number, &body);
        }
        Ok(match atomic {
            true => Node::Atomic(body),
            false => Node::Group {
                number,
                added,
                removed,
                body,
            },
        })
    }

    fn closing(&mut self, start: usize) -> Outcome<()> {
        if self.source.accept(')')? {
            return Ok(());
        }
        let back = self.source.tell() - start;
        Err(self
            .source
            .error("missing ), unterminated subpattern", back))
    }

    /// Behind `(?P`: `=name)`.
    fn reference(&mut self) -> Outcome<Node> {
        if !self.source.accept('=')? {
            let sign = self.expected()?;
            let message = format!("unknown extension ?P{}", sign.text());
            return Err(self.source.error(message, sign.len() + 2));
        }
        let name = self.name(')')?;
        let group = self.known(&name)?;
        if !self.is_closed(group) {
            let message = "cannot refer to an open group";
            return Err(self.source.error(message, name.chars().count() + 1));
        }
        self.check_behind(group)?;
        Ok(Node::Reference(group))
    }

    fn comment(&mut self, start: usize) -> Outcome<()> {
        loop {
            if self.source.next.is_none() {
                let back = self.source.tell() - start;
                return Err(self.source.error("missing ), unterminated comment", back));
            }
            if self.source.get()?.is_some_and(|token| token.is(')')) {
                return Ok(());
            }
        }
    }

    fn look(
        &mut self,
        start: usize,
        negated: bool,
        behind: bool,
        verbose: bool,
        depth: usize,
    ) -> Outcome<Node> {
        let outer = self.behind;
        if behind && outer.is_none() {
            self.behind = Some(self.groups.len());
        }
        let body = self.choices(verbose, depth + 1)?;
        self.behind = outer;
        self.closing(start)?;
        Ok(Node::Look {
            behind,
            negated,
            body,
        })
    }

    /// Behind `(?(`.
    fn condition(&mut self, start: usize, verbose: bool, depth: usize) -> Outcome<Node> {
        let name = self.source.until(')', "group name")?;
        let back = name.chars().count() + 1;
        let group = if is_identifier(&name) {
            self.known(&name)?
        } else {
            match group_number(&name) {
                None => return Err(self.source.bad_name(&name)),
                Some(0) => return Err(self.source.error("bad group number", back)),
                Some(group @ MOST_GROUPS..) => {
                    let group = if group == u32::MAX {
                        name.trim()
                    } else {
                        &group.to_string()
                    };
                    return Err(self
                        .source
                        .error(format!("invalid group reference {group}"), back));
                }
                Some(group) => {
                    self.asked.push((group, self.source.tell() - back));
                    group
                }
            }
        };
        self.check_behind(group)?;
        if depth >= super::parse::DEEPEST {
            return Err(super::parse::too_deep());
        }
        let yes = self.sequence(verbose, depth + 1, false)?;
        let mut no = Vec::new();
        if self.source.accept('|')? {
            no = self.sequence(verbose, depth + 1, false)?;
            if self.source.next_is('|') {
                let message = "conditional backref with more than two branches";
                return Err(self.source.error(message, 0));
            }
        }
        self.closing(start)?;
        Ok(Node::Condition { group, yes, no })
    }

    /// Behind the first letter of flags: those that are added and removed in a group, or `None` if they are for all.
    fn flags(&mut self, first: char) -> Outcome<Option<(u32, u32)>> {
        let mut added = 0;
        let mut sign = first;
        if first != '-' {
            sign = self.added_flags(first, &mut added)?;
        }
        if sign == ')' {
            self.flags |= added;
            return Ok(None);
        }
        if added & TEMPLATE != 0 {
            return Err(self
                .source
                .error("bad inline flags: cannot turn on global flag", 1));
        }
        let removed = match sign {
            '-' => self.removed_flags()?,
            _ => 0,
        };
        if removed & TEMPLATE != 0 {
            return Err(self
                .source
                .error("bad inline flags: cannot turn off global flag", 1));
        }
        if added & removed != 0 {
            return Err(self
                .source
                .error("bad inline flags: flag turned on and off", 1));
        }
        Ok(Some((added, removed)))
    }

    /// Returns the character that ends them.
    fn added_flags(&mut self, first: char, added: &mut u32) -> Outcome<char> {
        let mut c = first;
        loop {
            let this = flag(c).unwrap_or(0);
            if this == LOCALE {
                let message = "bad inline flags: cannot use 'L' flag with a str pattern";
                return Err(self.source.error(message, 0));
            }
            *added |= this;
            if this & KINDS != 0 && *added & KINDS != this {
                let message = "bad inline flags: flags 'a', 'u' and 'L' are incompatible";
                return Err(self.source.error(message, 0));
            }
            let Some(token) = self.source.get()? else {
                return Err(self.source.error("missing -, : or )", 0));
            };
            c = token.c;
            match token.escaped {
                false if matches!(c, ')' | '-' | ':') => return Ok(c),
                false if flag(c).is_some() => {}
                _ => return Err(self.unknown_flag(token, "missing -, : or )")),
            }
        }
    }

    fn removed_flags(&mut self) -> Outcome<u32> {
        let mut removed = 0;
        let mut missing = "missing flag";
        loop {
            let Some(token) = self.source.get()? else {
                return Err(self.source.error(missing, 0));
            };
            if token.is(':') && removed != 0 {
                return Ok(removed);
            }
            let Some(this) = flag(token.c).filter(|_| !token.escaped) else {
                return Err(self.unknown_flag(token, missing));
            };
            if this & KINDS != 0 {
                let message = "bad inline flags: cannot turn off flags 'a', 'u' and 'L'";
                return Err(self.source.error(message, 0));
            }
            removed |= this;
            missing = "missing :";
        }
    }

    fn unknown_flag(&self, token: Token, missing: &str) -> super::tree::Failure {
        let message = match !token.escaped && token.c.is_alphabetic() {
            true => "unknown flag",
            false => missing,
        };
        self.source.error(message, token.len())
    }
}

fn flag(c: char) -> Option<u32> {
    Some(match c {
        'i' => IGNORECASE,
        'L' => LOCALE,
        'm' => MULTILINE,
        's' => DOTALL,
        'x' => VERBOSE,
        'a' => ASCII,
        't' => TEMPLATE,
        'u' => UNICODE,
        _ => return None,
    })
}
