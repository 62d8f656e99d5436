//! What a pattern says, as a tree, and what can be wrong with it.
//!
//! Characters are code points, because a pattern may name a surrogate, which no text holds. Flags of groups stay in the tree;
//! they are worked in when the program is made.

pub(super) const IGNORECASE: u32 = 2;
pub(super) const LOCALE: u32 = 4;
pub(super) const MULTILINE: u32 = 8;
pub(super) const DOTALL: u32 = 16;
pub(super) const UNICODE: u32 = 32;
pub(super) const VERBOSE: u32 = 64;
pub(super) const ASCII: u32 = 256;
/// Of these there is one at a time.
pub(super) const KINDS: u32 = ASCII | LOCALE | UNICODE;

/// As a number of repetitions: without end.
pub(super) const ENDLESS: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// `re.error`.
    Pattern,
    Overflow,
    Recursion,
    Value,
    /// `IndexError`, of templates.
    Index,
}

/// Why a pattern or a template is none.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    pub(super) position: Option<usize>,
}

pub(super) type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub(super) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            position: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    Digit,
    Space,
    Word,
}

#[derive(Clone, Debug)]
pub(super) enum Member {
    /// From the first to the last code.
    Range(u32, u32),
    /// Of the category, or not of it.
    Category(Category, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `^`
    Start,
    /// `\A`
    TextStart,
    /// `$`
    End,
    /// `\Z`
    TextEnd,
    /// `\b`
    Boundary,
    /// `\B`
    Inside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

pub(super) type Sequence = Vec<Node>;

#[derive(Debug)]
pub(super) enum Node {
    Literal(u32),
    Any,
    Set {
        negated: bool,
        members: Vec<Member>,
    },
    Place(Place),
    Choice(Vec<Sequence>),
    Group {
        number: Option<u32>,
        added: u32,
        removed: u32,
        body: Sequence,
    },
    Repeat {
        least: u32,
        most: u32,
        greed: Greed,
        body: Sequence,
    },
    Reference(u32),
    Condition {
        group: u32,
        yes: Sequence,
        no: Sequence,
    },
    Look {
        behind: bool,
        negated: bool,
        body: Sequence,
    },
    Atomic(Sequence),
}

/// The least and the greatest number of characters that something takes.
pub(super) type Width = (u64, u64);

/// `groups` has the widths of groups by number; those that are open have none.
pub(super) fn width(sequence: &[Node], groups: &[Option<Width>]) -> Width {
    let mut total: Width = (0, 0);
    for node in sequence {
        let (least, most) = node_width(node, groups);
        total = (
            total.0.saturating_add(least),
            total.1.saturating_add(most).min(1 << 40),
        );
    }
    total
}

fn node_width(node: &Node, groups: &[Option<Width>]) -> Width {
    match node {
        Node::Literal(_) | Node::Any | Node::Set { .. } => (1, 1),
        Node::Place(_) | Node::Look { .. } => (0, 0),
        Node::Choice(choices) => {
            let widths = choices.iter().map(|choice| width(choice, groups));
            widths
                .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
                .unwrap_or((0, 0))
        }
        // What a group takes is known when it has been closed, which spares asking its body again at every level.
        Node::Group {
            number: Some(number),
            body,
            ..
        } => group_width(*number, groups).unwrap_or_else(|| width(body, groups)),
        Node::Group { body, .. } | Node::Atomic(body) => width(body, groups),
        Node::Repeat {
            least, most, body, ..
        } => {
            let (shortest, longest) = width(body, groups);
            let (least, most) = (u64::from(*least), u64::from(*most));
            (
                shortest.saturating_mul(least).min(1 << 40),
                longest.saturating_mul(most).min(1 << 40),
            )
        }
        Node::Reference(number) => group_width(*number, groups).unwrap_or((0, 0)),
        Node::Condition { yes, no, .. } => {
            let (yes, no) = (width(yes, groups), width(no, groups));
            (yes.0.min(no.0), yes.1.max(no.1))
        }
    }
}

fn group_width(number: u32, groups: &[Option<Width>]) -> Option<Width> {
    groups.get(number as usize).copied().flatten()
}
