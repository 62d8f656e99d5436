//! Regular expressions as they are written here: over several lines, one group of words after the other.
//!
//! A line break and the indent behind it are no part of a pattern. A break may therefore stand only where no space
//! touches it: in front of a bracket or a bar, or behind them.

use regex::{Captures, Regex};

/// A pattern in one line, with classes of Latin letters and digits: those of all scripts take most of the time that patterns
/// take to compile, and what is looked for is English.
pub fn spelled(source: &str) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some('d')) => out.push_str("[0-9]"),
            ('\\', Some('w')) => out.push_str("[0-9A-Za-zÀ-ÖØ-öø-ɏ_]"),
            ('\\', Some('W')) => out.push_str("[^0-9A-Za-zÀ-ÖØ-öø-ɏ_]"),
            ('\\', Some(&other)) => out.extend([c, other]),
            ('\n', _) => {
                while rest.next_if(|c| c.is_whitespace()).is_some() {}
                continue;
            }
            _ => {
                out.push(c);
                continue;
            }
        }
        rest.next();
    }
    out
}

/// The compiled form of a pattern that is part of the program.
pub(crate) fn regex(pattern: &str) -> Regex {
    Regex::new(&spelled(pattern)).expect("fixed")
}

/// The first of some patterns that a text has, by its place among them.
pub(crate) fn first<'t, 'p>(
    patterns: impl IntoIterator<Item = &'p Regex>,
    text: &'t str,
) -> Option<(usize, Captures<'t>)> {
    let mut patterns = patterns.into_iter().enumerate();
    patterns.find_map(|(place, pattern)| Some((place, pattern.captures(text)?)))
}

/// Replacements that are made one after the other: later ones see what earlier ones wrote.
pub(crate) struct Rewriting(Vec<(Regex, &'static str)>);

impl Rewriting {
    /// Rows of a pattern and what takes its place, with `$1` for its first group.
    pub(crate) fn new(rows: &[(&str, &'static str)]) -> Self {
        let compiled = |(pattern, with): &(&str, &'static str)| (regex(pattern), *with);
        Self(rows.iter().map(compiled).collect())
    }

    /// The text with all replacements made.
    pub(crate) fn apply(&self, text: &str) -> String {
        let rows = self.0.iter();
        rows.fold(text.to_owned(), |text, (pattern, with)| {
            pattern.replace_all(&text, *with).into_owned()
        })
    }
}
