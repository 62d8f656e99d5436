//! Small and capital letters: `lower`, `upper`, `title`, `capitalize`, `swapcase`, `casefold`.
//!
//! Mappings that give several characters are followed, and a sigma at the end of a word has its own small letter.
use super::{
    characters::{is_cased, is_title, titled},
    simple,
};
use crate::{value::Value, vm::Vm};

pub(super) fn install(vm: &Vm) {
    simple(vm, "lower", |_, text| Ok(Value::str(text.to_lowercase())));
    simple(vm, "upper", |_, text| Ok(Value::str(text.to_uppercase())));
    simple(vm, "casefold", |_, text| Ok(Value::str(folded(text))));
    simple(vm, "capitalize", |_, text| {
        Ok(Value::str(capitalized(text)))
    });
    simple(vm, "title", |_, text| Ok(Value::str(in_title_case(text))));
    simple(vm, "swapcase", |_, text| Ok(Value::str(swapped(text))));
}

fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Cherokee folds to its capitals, which are older.
            '\u{13a0}'..='\u{13f5}' => out.push(c),
            '\u{13f8}'..='\u{13fd}' | '\u{ab70}'..='\u{abbf}' => out.extend(c.to_uppercase()),
            'ẞ' => out.push_str("ss"),
            'ı' => out.push(c),
            c => out.extend(c.to_uppercase().flat_map(char::to_lowercase)),
        }
    }
    out
}

fn capitalized(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match at {
            0 => out.push_str(&titled(c)),
            at => push_lower(text, at, c, &mut out),
        }
    }
    out
}

fn in_title_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for (at, c) in text.char_indices() {
        match inside {
            true => push_lower(text, at, c, &mut out),
            false => out.push_str(&titled(c)),
        }
        inside = is_cased(c);
    }
    out
}

fn swapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c.is_uppercase() {
            push_lower(text, at, c, &mut out);
        } else if c.is_lowercase() && !is_title(c) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

/// The small letter of a character that stands at this byte.
fn push_lower(text: &str, at: usize, c: char, out: &mut String) {
    match c {
        'Σ' if ends_word(text, at) => out.push('ς'),
        c if c.is_ascii() => out.push(c.to_ascii_lowercase()),
        c => out.extend(c.to_lowercase()),
    }
}

/// Whether letters stand before the sigma at this byte and none behind it, where marks do not count.
fn ends_word(text: &str, at: usize) -> bool {
    let (before, from) = text.split_at_checked(at).unwrap_or((text, ""));
    let mut behind = from.chars();
    behind.next();
    let cased = |c: Option<char>| c.is_some_and(is_cased);
    cased(before.chars().rev().find(|c| !is_mark(*c))) && !cased(behind.find(|c| !is_mark(*c)))
}

/// The commonest characters that are passed over in a word.
fn is_mark(c: char) -> bool {
    matches!(c,
        '\'' | '.' | ':' | '^' | '`' | '¨' | '\u{ad}' | '¯' | '´' | '·' | '¸' | '’' | '\u{2b0}'..='\u{36f}'
        | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{200b}'..='\u{200f}' | '\u{20d0}'..='\u{20f0}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}
