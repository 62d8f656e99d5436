//! Which characters a single place of a pattern takes.
//!
//! Without regard to case, two characters are the same if the capitals of their small letters are; only single characters
//! count as such. That is what CPython's tables say but for a few rare ligatures.
use super::tree::{Category, Member};
use crate::{builtins::is_alphanumeric, number::decimal_digit};

/// What takes one character.
#[derive(Clone, Debug)]
pub(super) enum Single {
    Code(u32),
    /// A character of whatever case, by its [`folded`] form.
    Folded(u32, Case),
    Set(Box<Set>),
    /// All but the end of a line.
    Any,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Matters,
    /// Only ASCII letters have two cases.
    Ascii,
    Unicode,
}

#[derive(Clone, Debug)]
pub(super) struct Set {
    negated: bool,
    members: Vec<Member>,
    case: Case,
    ascii: bool,
    /// The answer for each of the first 128 characters.
    table: u128,
}

impl Single {
    pub(super) fn takes(&self, code: u32) -> bool {
        match self {
            Self::Code(wanted) => *wanted == code,
            Self::Folded(wanted, case) => folded(code, *case) == *wanted,
            Self::Set(set) => set.takes(code),
            Self::Any => code != 10,
            Self::All => true,
        }
    }
}

impl Set {
    pub(super) fn new(negated: bool, members: &[Member], case: Case, ascii: bool) -> Self {
        let mut set = Self {
            negated,
            members: members.to_vec(),
            case,
            ascii,
            table: 0,
        };
        for code in 0..128 {
            if set.decide(code) {
                set.table |= 1 << code;
            }
        }
        set
    }

    fn takes(&self, code: u32) -> bool {
        match code {
            0..128 => self.table >> code & 1 == 1,
            _ => self.decide(code),
        }
    }

    fn decide(&self, code: u32) -> bool {
        self.members.iter().any(|member| self.fits(member, code)) != self.negated
    }

    fn fits(&self, member: &Member, code: u32) -> bool {
        match member {
            Member::Category(category, wanted) => is_of(*category, code, self.ascii) == *wanted,
            Member::Range(first, last) => {
                let inside = |code: u32| (*first..=*last).contains(&code);
                inside(code)
                    || (self.case != Case::Matters && variants(code, self.case).any(inside))
            }
        }
    }
}

pub(super) fn is_of(category: Category, code: u32, ascii: bool) -> bool {
    let Some(c) = char::from_u32(code) else {
        return false;
    };
    if ascii || c.is_ascii() {
        return match category {
            Category::Digit => c.is_ascii_digit(),
            Category::Space => {
                matches!(c, ' ' | '\t'..='\r') || (!ascii && matches!(c, '\x1c'..='\x1f'))
            }
            Category::Word => c.is_ascii_alphanumeric() || c == '_',
        };
    }
    match category {
        Category::Digit => decimal_digit(c).is_some(),
        Category::Space => c.is_whitespace(),
        Category::Word => is_alphanumeric(c),
    }
}

/// One form for all cases of a character.
pub(super) fn folded(code: u32, case: Case) -> u32 {
    match (case, char::from_u32(code)) {
        (Case::Ascii, Some(c)) => u32::from(c.to_ascii_uppercase()),
        (Case::Unicode, Some(c)) if c.is_ascii() => u32::from(c.to_ascii_uppercase()),
        (Case::Unicode, Some(c)) => u32::from(upper(lower(c))),
        _ => code,
    }
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// The capital, unless it is several characters.
fn upper(c: char) -> char {
    let mut capitals = c.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(capital), None) => capital,
        _ => c,
    }
}

/// Characters that differ from this one in case only.
fn variants(code: u32, case: Case) -> impl Iterator<Item = u32> {
    let folded = folded(code, case);
    let small = char::from_u32(folded).map_or(folded, |c| match case {
        Case::Ascii => u32::from(c.to_ascii_lowercase()),
        _ => u32::from(lower(c)),
    });
    // Those that are neither the usual capital nor the usual small letter.
    let others: &[u32] = match (case, folded) {
        (Case::Unicode, 0x49) => &[0x130, 0x131],
        (Case::Unicode, 0x4b) => &[0x212a],
        (Case::Unicode, 0x53) => &[0x17f],
        (Case::Unicode, 0xc5) => &[0x212b],
        (Case::Unicode, 0x392) => &[0x3d0],
        (Case::Unicode, 0x395) => &[0x3f5],
        (Case::Unicode, 0x398) => &[0x3d1, 0x3f4],
        (Case::Unicode, 0x39c) => &[0xb5],
        (Case::Unicode, 0x3a0) => &[0x3d6],
        (Case::Unicode, 0x3a1) => &[0x3f1],
        (Case::Unicode, 0x3a3) => &[0x3c2],
        (Case::Unicode, 0x3a6) => &[0x3d5],
        (Case::Unicode, 0x3a9) => &[0x2126],
        _ => &[],
    };
    [folded, small].into_iter().chain(others.iter().copied())
}
