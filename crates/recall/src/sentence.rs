//! Cuts the text of a page into units that can be quoted: sentences, rows of tables, items of lists, headings.
//!
//! Units are byte ranges of the page, in order and without overlap, so that a quotation is a cut of the page by
//! construction. Lines of a paragraph are joined where they were only wrapped: a line much shorter than the page is wide
//! ends its paragraph, as headings and last lines do.
use std::ops::Range;

/// Longest unit in bytes; text without punctuation is cut between words.
const LONGEST: usize = 600;
/// A line shorter than this part of a wide one ends its paragraph.
const SHORT_LINE: f64 = 0.72;

/// A piece of a page that can be quoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Bytes of the page.
    pub(crate) range: Range<usize>,
    /// Whether it is a row of a table.
    pub(crate) is_row: bool,
}

/// The units of a text.
pub(crate) fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut paragraph: Option<Range<usize>> = None;
    let width = width(text) as f64 * SHORT_LINE;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = trimmed(text, at..at + line.len());
        at += line.len();
        let content = &text[range.clone()];
        let is_row = content.contains(" | ");
        if content.is_empty() || is_row || begins_item(content) {
            sentences(text, paragraph.take(), &mut units);
        }
        if is_row {
            pieces(text, range, true, &mut units);
            continue;
        }
        if content.is_empty() {
            continue;
        }
        let is_short = (content.chars().count() as f64) < width;
        let start = paragraph.take().map_or(range.start, |begun| begun.start);
        paragraph = Some(start..range.end);
        if is_short {
            sentences(text, paragraph.take(), &mut units);
        }
    }
    sentences(text, paragraph, &mut units);
    units
}

/// Characters of a wide line: nine of ten are not wider.
fn width(text: &str) -> usize {
    let mut lengths: Vec<usize> = text
        .lines()
        .map(|line| line.trim().chars().count())
        .filter(|&n| n > 0)
        .collect();
    let nine_of_ten = lengths.len() * 9 / 10;
    if lengths.is_empty() {
        return 0;
    }
    let at = nine_of_ten.min(lengths.len() - 1);
    *lengths.select_nth_unstable(at).1
}

/// Whether a line begins an item of a list.
fn begins_item(line: &str) -> bool {
    let Some((head, _)) = line.split_once(' ') else {
        return false;
    };
    let number = head.strip_suffix(['.', ')']).unwrap_or("");
    matches!(head, "-" | "*" | "•" | "–" | "·" | "◦")
        || ((1..=3).contains(&number.len()) && number.chars().all(|c| c.is_ascii_digit()))
}

fn sentences(text: &str, paragraph: Option<Range<usize>>, units: &mut Vec<Unit>) {
    let Some(paragraph) = paragraph else {
        return;
    };
    let mut start = paragraph.start;
    let body = &text[paragraph.clone()];
    for (i, c) in body.char_indices() {
        let at = paragraph.start + i;
        if at < start || !matches!(c, '.' | '!' | '?' | '。' | '！' | '？') {
            continue;
        }
        let rest = &text[at + c.len_utf8()..paragraph.end];
        let closing = rest.len()
            - rest
                .trim_start_matches(['"', '”', '’', '\'', ')', ']', '»'])
                .len();
        let after = &rest[closing..];
        if is_end(c, &text[start..at], after) {
            let end = at + c.len_utf8() + closing;
            pieces(text, start..end, false, units);
            start = end;
        }
    }
    pieces(text, start..paragraph.end, false, units);
}

/// Whether a sentence ends with this mark; `before` is the sentence so far.
fn is_end(mark: char, before: &str, after: &str) -> bool {
    if matches!(mark, '。' | '！' | '？') || after.is_empty() {
        return true;
    }
    if !after.starts_with(char::is_whitespace) {
        return false;
    }
    let next = after.trim_start().chars().next();
    if next.is_none_or(char::is_lowercase) {
        return false;
    }
    if mark != '.' {
        return true;
    }
    let word = before
        .rsplit(|c: char| c.is_whitespace() || c == '(')
        .next()
        .unwrap_or("");
    // "3. Set the rate", "Table 2-1. Prices", "J. Smith", "et al. 2010".
    let is_number = word.len() <= 5 && word.chars().all(|c| c.is_ascii_digit() || c == '-');
    let head = before.trim().strip_suffix(word).unwrap_or(before).trim();
    let begins = head.is_empty() || NUMBERED.contains(&head.to_lowercase().as_str());
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    !(is_number && begins || is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str()))
}

/// What a number with a point may follow at the beginning of a heading.
const NUMBERED: [&str; 8] = [
    "table",
    "figure",
    "fig.",
    "section",
    "chapter",
    "appendix",
    "tabelle",
    "abbildung",
];

const ABBREVIATIONS: [&str; 22] = [
    "al", "approx", "bzw", "ca", "cf", "dr", "e.g", "etc", "fig", "i.e", "mr", "mrs", "ms", "no",
    "nr", "p", "pp", "prof", "st", "tab", "vs", "z.b",
];

/// The range as one unit, or as several if it is long.
fn pieces(text: &str, range: Range<usize>, is_row: bool, units: &mut Vec<Unit>) {
    let mut rest = trimmed(text, range);
    while rest.len() > LONGEST {
        let mut limit = rest.start + LONGEST;
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        let cut = text[rest.start..limit].rfind(char::is_whitespace);
        let cut = cut
            .filter(|&cut| cut > 0)
            .map_or(limit, |cut| rest.start + cut);
        let range = trimmed(text, rest.start..cut);
        units.push(Unit { range, is_row });
        rest = trimmed(text, cut..rest.end);
    }
    if !rest.is_empty() {
        units.push(Unit {
            range: rest,
            is_row,
        });
    }
}

/// The range without the spaces at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let len = part.trim().len();
    start..start + len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        units(text)
            .into_iter()
            .map(|unit| &text[unit.range])
            .collect()
    }

    #[test]
    fn wrapped_lines_are_one_sentence_and_headings_stand_alone() {
        let text = "2.1 Fuel\nThe interim report (Gonder et al. 2010) had results of five\ncycles from Texas. They were\nselected.\n";
        assert_eq!(
            cut(text),
            [
                "2.1 Fuel",
                "The interim report (Gonder et al. 2010) had results of five\ncycles from Texas.",
                "They were",
                "selected."
            ]
        );
    }

    #[test]
    fn items_and_rows_are_units() {
        let text =
            "Steps:\n1. Calculate it.\n2. Set the rate to 3.5 mph/s.\n\na | b | c\n1 | 2 | 3\n";
        assert_eq!(
            cut(text),
            [
                "Steps:",
                "1. Calculate it.",
                "2. Set the rate to 3.5 mph/s.",
                "a | b | c",
                "1 | 2 | 3"
            ]
        );
        assert_eq!(units(text).iter().filter(|unit| unit.is_row).count(), 2);
    }

    #[test]
    fn text_without_an_end_is_bounded() {
        for text in ["x".repeat(5_000), "wörter ".repeat(1_000)] {
            let units = units(&text);
            assert!(units.len() > 5);
            assert!(units.iter().all(|unit| unit.range.len() <= LONGEST));
        }
        assert!(units(" \n\n ").is_empty());
    }
}
