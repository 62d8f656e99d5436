//! Whether a quotation is in a text, and where: spaces, broken words and the shape of quotation marks aside.
//!
//! Nothing else is forgiven: another word, another case or another number is another text.
use std::ops::Range;

/// Where the quotation stands in the text, in bytes.
pub(crate) fn find(text: &str, quotation: &str) -> Option<Range<usize>> {
    // A hyphen at the end of a line may belong to the word or not: the page does not say.
    [Hyphen::Keep, Hyphen::Join].into_iter().find_map(|hyphen| {
        let (plain, places) = plain(text, hyphen);
        let (wanted, _) = self::plain(quotation, hyphen);
        let wanted = wanted.trim().trim_end_matches('…').trim_end();
        if wanted.is_empty() {
            return None;
        }
        let start = plain.find(wanted)?;
        let end = start + wanted.len();
        Some(places[start]..places.get(end).copied().unwrap_or(text.len()))
    })
}

/// As it is shown to a person: lines joined, nothing else changed; cut between words if it is long.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let mut line = String::with_capacity(text.len());
    let mut chars = text.trim().char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '-' if breaks_line(text.trim(), at) => {
                line.push(c);
                skip_break(&mut chars);
            }
            _ if c.is_whitespace() => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            _ => line.push(c),
        }
    }
    if let Some((end, _)) = line.char_indices().nth(most) {
        let cut = line[..end].rfind(' ').unwrap_or(end);
        line.truncate(cut);
        line.push('…');
    }
    line
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hyphen {
    Keep,
    Join,
}

/// The text with single spaces and plain marks, and for each of its bytes the place in the original.
fn plain(text: &str, hyphen: Hyphen) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len());
    let mut push = |c: char, at: usize, out: &mut String| {
        out.push(c);
        places.resize(out.len(), at);
    };
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\u{ad}' => skip_break(&mut chars),
            '-' if breaks_line(text, at) => {
                if hyphen == Hyphen::Keep {
                    push(c, at, &mut out);
                }
                skip_break(&mut chars);
            }
            _ if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    push(' ', at, &mut out);
                }
            }
            '“' | '”' | '„' | '«' | '»' | '‟' => push('"', at, &mut out),
            '‘' | '’' | '‚' | 'ʼ' => push('\'', at, &mut out),
            _ => push(c, at, &mut out),
        }
    }
    (out, places)
}

/// Whether the hyphen at `at` stands between a letter and the end of a line that another letter follows.
fn breaks_line(text: &str, at: usize) -> bool {
    let before = text[..at]
        .chars()
        .next_back()
        .is_some_and(char::is_alphabetic);
    let after = text[at + 1..].trim_start_matches([' ', '\t', '\r']);
    let next = after.strip_prefix('\n').map(str::trim_start);
    before && next.is_some_and(|next| next.starts_with(char::is_alphabetic))
}

fn skip_break(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>) {
    while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_hyphens_and_marks_make_no_difference() {
        let page = "He said “stop-\nand-go driving\n  costs fuel” and accel-\neration.";
        for quotation in [
            "\"stop-and-go driving costs fuel\"",
            "and acceleration.",
            "costs   fuel” and accel-\neration",
        ] {
            assert!(find(page, quotation).is_some(), "{quotation}");
        }
        let range = find(page, "driving costs fuel").expect("there");
        assert_eq!(&page[range], "driving\n  costs fuel");
    }

    #[test]
    fn another_word_number_or_case_is_another_text() {
        let page = "Set the cruising speed to 40 mph.";
        for quotation in [
            "speed to 45 mph",
            "set the cruising",
            "the speed",
            "",
            " ",
            "…",
        ] {
            assert_eq!(find(page, quotation), None, "{quotation:?}");
        }
        assert_eq!(find(page, page), Some(0..page.len()));
    }

    #[test]
    fn what_is_shown_is_found_again() {
        let page = "A long sen-\ntence über\nmany lines, with 3.5 % in it.";
        for most in 1..40 {
            assert!(
                find(page, &shown(page, most)).is_some(),
                "{most}: {}",
                shown(page, most)
            );
        }
    }
}
