//! A pattern's text to a [`Tree`], with the complaints and positions of CPython.
//!
//! Warnings (sets inside of sets, odd numbers of groups) are left out.
use super::{
    source::{Source, Token},
    tree::{
        ASCII, ENDLESS, Failure, FailureKind, Greed, LOCALE, Member, Node, Outcome, Place,
        Sequence, UNICODE, VERBOSE, Width, width,
    },
};

/// Groups inside of groups. CPython stops about here too, at its limit of recursion.
pub(super) const DEEPEST: usize = 300;

pub(super) struct Tree {
    pub(super) body: Sequence,
    pub(super) flags: u32,
    /// Names of groups in the order in which they begin.
    pub(super) names: Vec<(String, u32)>,
    /// The width of each group, of which the first is the whole match and not known.
    pub(super) widths: Vec<Option<Width>>,
}

pub(super) struct Parser {
    pub(super) source: Source,
    pub(super) flags: u32,
    /// Widths of groups; those that are open have none.
    pub(super) groups: Vec<Option<Width>>,
    pub(super) names: Vec<(String, u32)>,
    /// How many groups there were where the outermost lookbehind began.
    pub(super) behind: Option<usize>,
    /// Groups that conditions ask for, and where; they may come later.
    pub(super) asked: Vec<(u32, usize)>,
}

pub(super) fn parse(pattern: &str, flags: u32) -> Outcome<Tree> {
    let mut parser = Parser {
        source: Source::new(pattern)?,
        flags,
        groups: vec![None],
        names: Vec::new(),
        behind: None,
        asked: Vec::new(),
    };
    let body = parser.choices(flags & VERBOSE != 0, 0)?;
    let flags = checked(parser.flags)?;
    if parser.source.next.is_some() {
        return Err(parser.source.error("unbalanced parenthesis", 0));
    }
    for (group, position) in &parser.asked {
        if *group as usize >= parser.groups.len() {
            let message = format!("invalid group reference {group}");
            let mut failure = Failure::new(FailureKind::Pattern, message);
            failure.position = Some(*position);
            return Err(failure);
        }
    }
    Ok(Tree {
        body,
        flags,
        names: parser.names,
        widths: parser.groups,
    })
}

/// The flags that hold, of those that were given and those that the pattern begins with.
fn checked(flags: u32) -> Outcome<u32> {
    let wrong = |message: &str| Err(Failure::new(FailureKind::Value, message));
    match flags {
        flags if flags & LOCALE != 0 => wrong("cannot use LOCALE flag with a str pattern"),
        flags if flags & ASCII == 0 => Ok(flags | UNICODE),
        flags if flags & UNICODE != 0 => wrong("ASCII and UNICODE flags are incompatible"),
        flags => Ok(flags),
    }
}

impl Parser {
    /// Everything up to the end or a closing parenthesis.
    pub(super) fn choices(&mut self, mut verbose: bool, depth: usize) -> Outcome<Sequence> {
        if depth > DEEPEST {
            return Err(too_deep());
        }
        let mut choices = Vec::new();
        loop {
            let first = depth == 0 && choices.is_empty();
            choices.push(self.sequence(verbose, depth, first)?);
            if !self.source.accept('|')? {
                break;
            }
            if depth == 0 {
                verbose = self.flags & VERBOSE != 0;
            }
        }
        match <[Sequence; 1]>::try_from(choices) {
            Ok([only]) => Ok(only),
            Err(choices) => Ok(vec![as_set(choices)]),
        }
    }

    /// One choice. `first` tells that flags for all of the pattern may stand at its beginning.
    pub(super) fn sequence(
        &mut self,
        mut verbose: bool,
        depth: usize,
        first: bool,
    ) -> Outcome<Sequence> {
        let mut nodes = Sequence::new();
        while let Some(this) = self.source.next {
            if this.is('|') || this.is(')') {
                break;
            }
            self.source.get()?;
            if verbose && self.is_skipped(this)? {
                continue;
            }
            match this {
                Token { escaped: true, .. } => nodes.push(self.escape(this)?),
                Token { c: '[', .. } => nodes.push(self.set()?),
                Token {
                    c: '*' | '+' | '?' | '{',
                    ..
                } => self.repeat(this.c, &mut nodes)?,
                Token { c: '.', .. } => nodes.push(Node::Any),
                Token { c: '(', .. } => {
                    let start = first && nodes.is_empty();
                    nodes.extend(self.group(&mut verbose, depth, start)?);
                }
                Token { c: '^', .. } => nodes.push(Node::Place(Place::Start)),
                Token { c: '$', .. } => nodes.push(Node::Place(Place::End)),
                Token { c, .. } => nodes.push(Node::Literal(u32::from(c))),
            }
        }
        Ok(nodes)
    }

    /// With the flag VERBOSE: whether it is a blank or begins a comment, which is taken.
    fn is_skipped(&mut self, token: Token) -> Outcome<bool> {
        if token.escaped {
            return Ok(false);
        }
        if token.c == '#' {
            while self.source.get()?.is_some_and(|token| !token.is('\n')) {}
            return Ok(true);
        }
        Ok(matches!(
            token.c,
            ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c'
        ))
    }

    /// Behind `[`.
    fn set(&mut self) -> Outcome<Node> {
        let here = self.source.tell() - 1;
        let negated = self.source.accept('^')?;
        let mut members = Vec::new();
        loop {
            let Some(this) = self.source.get()? else {
                return Err(self.unterminated_set(here));
            };
            if this.is(']') && !members.is_empty() {
                break;
            }
            let member = self.member(this)?;
            if !self.source.accept('-')? {
                members.push(member);
                continue;
            }
            let Some(that) = self.source.get()? else {
                return Err(self.unterminated_set(here));
            };
            if that.is(']') {
                members.push(member);
                members.push(Member::Range(45, 45));
                break;
            }
            members.push(self.range(this, &member, that)?);
        }
        Ok(Node::Set { negated, members })
    }

    fn unterminated_set(&self, here: usize) -> Failure {
        let back = self.source.tell() - here;
        self.source.error("unterminated character set", back)
    }

    fn member(&mut self, token: Token) -> Outcome<Member> {
        match token.escaped {
            true => self.escape_in_set(token),
            false => Ok(Member::Range(u32::from(token.c), u32::from(token.c))),
        }
    }

    fn range(&mut self, this: Token, first: &Member, that: Token) -> Outcome<Member> {
        let last = self.member(that)?;
        if let (Member::Range(low, _), Member::Range(high, _)) = (first, &last)
            && low <= high
        {
            return Ok(Member::Range(*low, *high));
        }
        let message = format!("bad character range {}-{}", this.text(), that.text());
        Err(self.source.error(message, this.len() + 1 + that.len()))
    }

    /// Behind a character that says how often what stands before it comes.
    fn repeat(&mut self, sign: char, nodes: &mut Sequence) -> Outcome<()> {
        let here = self.source.tell();
        let (least, most) = match sign {
            '?' => (0, 1),
            '*' => (0, ENDLESS),
            '+' => (1, ENDLESS),
            _ => match self.counts(here)? {
                Some(counts) => counts,
                None => {
                    nodes.push(Node::Literal(u32::from(sign)));
                    return Ok(());
                }
            },
        };
        let back = self.source.tell() - here + 1;
        let body = match nodes.pop() {
            None | Some(Node::Place(_)) => {
                return Err(self.source.error("nothing to repeat", back));
            }
            Some(Node::Repeat { .. }) => return Err(self.source.error("multiple repeat", back)),
            Some(Node::Group {
                number: None,
                added: 0,
                removed: 0,
                body,
            }) => body,
            Some(other) => vec![other],
        };
        let greed = if self.source.accept('?')? {
            Greed::Lazy
        } else if self.source.accept('+')? {
            Greed::Possessive
        } else {
            Greed::Greedy
        };
        nodes.push(Node::Repeat {
            least,
            most,
            greed,
            body,
        });
        Ok(())
    }

    /// Behind `{`: two numbers, or `None` if it is an ordinary character.
    fn counts(&mut self, here: usize) -> Outcome<Option<(u32, u32)>> {
        if self.source.next_is('}') {
            return Ok(None);
        }
        let low = self.source.digits(usize::MAX, 10)?;
        let high = match self.source.accept(',')? {
            true => self.source.digits(usize::MAX, 10)?,
            false => low.clone(),
        };
        if !self.source.accept('}')? {
            self.source.seek(here)?;
            return Ok(None);
        }
        let count = |digits: &str, otherwise: u32| match digits {
            "" => Ok(otherwise),
            digits => digits
                .parse()
                .ok()
                .filter(|count| *count < ENDLESS)
                .ok_or_else(|| {
                    Failure::new(FailureKind::Overflow, "the repetition number is too large")
                }),
        };
        let (least, most) = (count(&low, 0)?, count(&high, ENDLESS)?);
        if most < least {
            let back = self.source.tell() - here;
            return Err(self
                .source
                .error("min repeat greater than max repeat", back));
        }
        Ok(Some((least, most)))
    }

    pub(super) fn open_group(&mut self, name: Option<String>) -> Outcome<u32> {
        let number = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        self.groups.push(None);
        if let Some(name) = name {
            if let Some((_, known)) = self.names.iter().find(|(known, _)| *known == name) {
                let quoted = crate::text::quoted(&name);
                let message = format!(
                    "redefinition of group name {quoted} as group {number}; was group {known}"
                );
                return Err(self.source.error(message, name.chars().count() + 1));
            }
            self.names.push((name, number));
        }
        Ok(number)
    }

    pub(super) fn close_group(&mut self, number: u32, body: &Sequence) {
        let width = width(body, &self.groups);
        if let Some(group) = self.groups.get_mut(number as usize) {
            *group = Some(width);
        }
    }

    pub(super) fn is_closed(&self, number: u32) -> bool {
        matches!(self.groups.get(number as usize), Some(Some(_)))
    }

    /// Inside of a lookbehind, only groups before it can be referred to.
    pub(super) fn check_behind(&self, number: u32) -> Outcome<()> {
        let Some(before) = self.behind else {
            return Ok(());
        };
        if !self.is_closed(number) {
            return Err(self.source.error("cannot refer to an open group", 0));
        }
        if number as usize >= before {
            let message = "cannot refer to group defined in the same lookbehind subpattern";
            return Err(self.source.error(message, 0));
        }
        Ok(())
    }
}

pub(super) fn too_deep() -> Failure {
    Failure::new(FailureKind::Recursion, "maximum recursion depth exceeded")
}

/// Choices between single characters are a set, which is faster.
fn as_set(choices: Vec<Sequence>) -> Node {
    let mut members = Vec::new();
    for choice in &choices {
        match choice.as_slice() {
            [Node::Literal(code)] => members.push(Member::Range(*code, *code)),
            [
                Node::Set {
                    negated: false,
                    members: more,
                },
            ] => members.extend(more.iter().cloned()),
            _ => return Node::Choice(choices),
        }
    }
    Node::Set {
        negated: false,
        members,
    }
}
