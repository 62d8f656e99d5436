//! Watches an answer for the place from which a grammar holds.
//!
//! Used by `walk` while the model is free; nothing of what it writes is changed until then.

use crate::tool_call::Trigger;

/// Longest beginning of an answer that may still become a call, in bytes.
const MAX_HEAD: usize = 512;

/// The end of what was written, as far as a trigger may have begun in it.
#[derive(Debug, Default)]
pub(super) struct Watch {
    text: String,
    /// The trigger can no longer come.
    is_over: bool,
}

impl Watch {
    /// Takes more of the answer; gives what the grammar is to begin with, if it is to begin.
    pub(super) fn push(&mut self, trigger: &Trigger, new: &str) -> Option<String> {
        if self.is_over {
            return None;
        }
        self.text.push_str(new);
        match trigger {
            Trigger::Tag(tag) => {
                let begun = self
                    .text
                    .find(tag)
                    .map(|at| self.text.split_off(at + tag.len()));
                if begun.is_some() {
                    self.text.clear();
                }
                let mut keep = self.text.len().saturating_sub(tag.len());
                while !self.text.is_char_boundary(keep) {
                    keep += 1;
                }
                self.text.drain(..keep);
                begun
            }
            Trigger::Name(names) => {
                let head = self.text.trim_start();
                match names.iter().map(|name| begins(head, name)).max() {
                    Some(Begins::Whole) => {
                        self.is_over = true;
                        Some(head.to_owned())
                    }
                    Some(Begins::Partly) if head.len() <= MAX_HEAD => None,
                    _ => {
                        self.is_over = true;
                        None
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Begins {
    Otherwise,
    Partly,
    Whole,
}

/// Whether a text begins with `{"name": "f"`, whatever the spaces, or may yet.
fn begins(text: &str, name: &str) -> Begins {
    let quoted = format!("\"{name}\"");
    let mut rest = text;
    for part in ["{", "\"name\"", ":", &quoted] {
        rest = rest.trim_start();
        match rest.strip_prefix(part) {
            Some(tail) => rest = tail,
            None if part.starts_with(rest) => return Begins::Partly,
            None => return Begins::Otherwise,
        }
    }
    Begins::Whole
}
