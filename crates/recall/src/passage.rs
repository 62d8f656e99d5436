//! Cuts pages into passages: what is indexed, and what a model is shown.
//!
//! A passage is a run of units of one page, some two hundred words: enough to hold an answer with what it refers to, and
//! small enough that a small model can be shown several. A table stays whole, with the line before it, since a row
//! means nothing without its heading. A short last sentence is repeated at the beginning of the next passage.
use crate::sentence::Unit;
use std::ops::Range;

/// Words of a passage, about.
const WORDS: usize = 220;
/// Words of a table that still stays whole.
const TABLE: usize = 600;
/// Words of a unit that is repeated.
const OVERLAP: usize = 40;

/// A run of units of one page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Which document.
    pub(crate) document: usize,
    /// Which of its pages, from 0.
    pub(crate) page: usize,
    /// Which units of the page.
    pub(crate) units: Range<usize>,
}

/// The passages of a page, as runs of its units.
pub(crate) fn cut(text: &str, units: &[Unit]) -> Vec<Range<usize>> {
    let mut passages = Vec::new();
    let (mut start, mut size, mut at) = (0, 0, 0);
    while at < units.len() {
        let (end, more) = block(text, units, at);
        if size > 0 && size + more > WORDS {
            passages.push(start..at);
            let last = &units[at - 1];
            let repeats = !last.is_row && at - 1 > start && words(text, last) <= OVERLAP;
            start = if repeats { at - 1 } else { at };
            size = units[start..at].iter().map(|unit| words(text, unit)).sum();
        }
        size += more;
        at = end;
    }
    if start < units.len() {
        passages.push(start..units.len());
    }
    passages
}

/// Where the block that begins at `at` ends, and its words: one unit, or the rows of a table.
fn block(text: &str, units: &[Unit], at: usize) -> (usize, usize) {
    let (mut end, mut size) = (at + 1, words(text, &units[at]));
    while units[at].is_row && units.get(end).is_some_and(|unit| unit.is_row) && size < TABLE {
        size += words(text, &units[end]);
        end += 1;
    }
    (end, size)
}

/// Words of a unit; languages without spaces have a word every eight bytes.
fn words(text: &str, unit: &Unit) -> usize {
    let text = &text[unit.range.clone()];
    text.split_whitespace().count().max(text.len() / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::units;

    #[test]
    fn every_unit_is_in_a_passage_and_tables_stay_whole() {
        let mut text = String::new();
        for i in 0..60 {
            text += &format!(
                "Sentence number {i} has some words that mean nothing at all to anybody.\n\n"
            );
        }
        text += "Table 1. Prices\n";
        for i in 0..80 {
            text += &format!("thing {i} | {i} euros\n");
        }
        let units = units(&text);
        let passages = cut(&text, &units);
        for (i, unit) in units.iter().enumerate() {
            assert!(
                passages.iter().any(|passage| passage.contains(&i)),
                "{unit:?}"
            );
        }
        let rows = |passage: &Range<usize>| passage.clone().filter(|&i| units[i].is_row).count();
        assert_eq!(passages.iter().map(rows).max(), Some(80));
        let table = passages
            .iter()
            .find(|passage| rows(passage) > 0)
            .expect("the table");
        assert_eq!(&text[units[table.start].range.clone()], "Table 1. Prices");
    }
}
