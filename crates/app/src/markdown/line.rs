//! The start of a line in, what kind of line it is out.
//!
//! Asked by the block renderer after every character until the answer is known, then once per line. Pure; looks
//! at one line only. `None` means that the next character decides.
use super::fence::{INFO, marker_len};

/// Longest table row waited for, in bytes.
pub(crate) const ROW: usize = 2000;

/// What a line is. `at` is where its text begins, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blank,
    Heading {
        level: usize,
        at: usize,
    },
    Item {
        at: usize,
    },
    Quote {
        at: usize,
    },
    /// Known only once the whole line is there, like the next two.
    Fence,
    Rule,
    Row,
    Text,
}

/// The kind of `line`, of which more may come unless it has `ended`.
pub(crate) fn kind(line: &str, ended: bool) -> Option<Kind> {
    let body = line.trim_start_matches([' ', '\t']);
    let indent = line.len() - body.len();
    let Some(first) = body.chars().next() else {
        return ended.then_some(Kind::Blank);
    };
    match first {
        '#' => heading(body, indent, ended),
        '`' | '~' => fence(body, first, ended),
        '>' => quote(body, indent, ended),
        '-' | '*' | '+' | '_' => rule_or_item(line, body, first, ended),
        '0'..='9' => numbered(line, body, ended),
        '|' => row(body, ended),
        _ => Some(Kind::Text),
    }
}

fn heading(body: &str, indent: usize, ended: bool) -> Option<Kind> {
    let rest = body.trim_start_matches('#');
    let level = body.len() - rest.len();
    match rest.chars().next() {
        None if level <= 6 && !ended => None,
        Some(' ' | '\t') if level <= 6 => {
            let text = rest.trim_start_matches([' ', '\t']);
            let at = indent + level + (rest.len() - text.len());
            match (text.is_empty(), ended) {
                (true, false) => None,
                (true, true) => Some(Kind::Text),
                _ => Some(Kind::Heading { level, at }),
            }
        }
        _ => Some(Kind::Text),
    }
}

fn fence(body: &str, mark: char, ended: bool) -> Option<Kind> {
    let info = body.trim_start_matches(mark);
    let len = body.len() - info.len();
    if info.is_empty() && !ended {
        return None;
    }
    if len < 3 || info.len() > INFO || (mark == '`' && info.contains('`')) {
        return Some(Kind::Text);
    }
    ended.then_some(Kind::Fence)
}

fn quote(body: &str, indent: usize, ended: bool) -> Option<Kind> {
    match body.as_bytes().get(1) {
        None if !ended => None,
        Some(b' ') => Some(Kind::Quote { at: indent + 2 }),
        _ => Some(Kind::Quote { at: indent + 1 }),
    }
}

fn rule_or_item(line: &str, body: &str, mark: char, ended: bool) -> Option<Kind> {
    let marks = body.matches(mark).count();
    let only_marks = body.chars().all(|c| c == mark || c == ' ' || c == '\t');
    match (only_marks, ended) {
        (true, false) => None,
        (true, true) if marks >= 3 && mark != '+' => Some(Kind::Rule),
        (true, true) => Some(Kind::Text),
        _ => Some(item(line)),
    }
}

fn numbered(line: &str, body: &str, ended: bool) -> Option<Kind> {
    let rest = body.trim_start_matches(|c: char| c.is_ascii_digit());
    let undecided = match rest.strip_prefix(['.', ')']) {
        None => rest.is_empty() && body.len() <= 9,
        Some(rest) => rest.trim_matches([' ', '\t']).is_empty(),
    };
    match (undecided, ended) {
        (true, false) => None,
        (true, true) => Some(Kind::Text),
        _ => Some(item(line)),
    }
}

fn item(line: &str) -> Kind {
    marker_len(line).map_or(Kind::Text, |at| Kind::Item { at })
}

fn row(body: &str, ended: bool) -> Option<Kind> {
    if body.len() > ROW {
        return Some(Kind::Text);
    }
    ended.then_some(Kind::Row)
}
