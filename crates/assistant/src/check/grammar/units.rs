//! Regular expressions over whole answers, made of what holds for each unit.
//!
//! Written for texts of `form`: words are what stands between white space, `.`, `!` and `?` end sentences and stand
//! nowhere else, lines are not blank, and a paragraph is lines without an empty one between them.
use super::{MOST_UNITS, MOST_WORDS, Times, either_case, escaped, times};
use crate::check::rule::{Each, Unit};

/// What a unit is made of.
struct UnitParts {
    /// Between two units.
    gap: &'static str,
    /// What a unit begins with before its text.
    mark: &'static str,
    /// A character inside.
    inner: &'static str,
    /// A word inside, and what is between two.
    word: &'static str,
    space: &'static str,
    /// What ends a unit.
    end: &'static str,
}

fn parts(unit: Unit) -> UnitParts {
    match unit {
        Unit::Word => UnitParts {
            gap: r"[\x20\n]+",
            mark: "",
            inner: r"[^\x20\n]",
            word: r"[^\x20\n]+",
            space: "",
            end: "",
        },
        Unit::Sentence => UnitParts {
            gap: r"[\x20\n]+",
            mark: "",
            inner: "[^.!?]",
            word: r"[^.!?\x20\n]+",
            space: r"[\x20\n]+",
            end: "[.!?]",
        },
        Unit::Line => UnitParts {
            gap: r"\n+",
            mark: "",
            inner: r"[^\n]",
            word: r"[^\x20\n]+",
            space: r"\x20",
            end: "",
        },
        Unit::Paragraph => UnitParts {
            gap: r"\n\n+",
            mark: "",
            inner: r"([^\n]|\n[^\n])",
            word: r"[^\x20\n]+",
            space: r"[\x20\n]",
            end: "",
        },
        Unit::Item => UnitParts {
            gap: r"\n+",
            mark: r"[*\-]\x20",
            inner: r"[^\n]",
            word: r"[^\x20\n]+",
            space: r"\x20",
            end: "",
        },
    }
}

/// So many units.
pub(super) fn number(unit: Unit, count: Times) -> String {
    let UnitParts {
        gap,
        mark,
        inner,
        end,
        ..
    } = parts(unit);
    repeated(&format!("{mark}{inner}+{end}"), gap, count)
}

/// Every unit is so; nothing if that cannot be said.
pub(super) fn each(unit: Unit, each: &Each) -> Option<String> {
    let p = parts(unit);
    let (mark, inner, end) = (p.mark, p.inner, p.end);
    let one = match each {
        Each::Words(bound) if unit != Unit::Word => {
            let count = times(*bound, 1, MOST_WORDS)?;
            format!("{mark}{}{end}", repeated(p.word, p.space, count))
        }
        Each::Sentences(bound) if matches!(unit, Unit::Line | Unit::Paragraph) => {
            let count = times(*bound, 1, MOST_UNITS)?;
            let sentence = r"[^.!?\n]+[.!?]";
            repeated(sentence, p.space, count)
        }
        Each::Characters(bound) if unit != Unit::Paragraph => {
            let Times { least, most } = times(*bound, 2, MOST_WORDS)?;
            let without_end = |n: u64| n - u64::from(!end.is_empty());
            let count = Times {
                least: without_end(least),
                most: most.map(without_end),
            };
            format!("{mark}{inner}{count}{end}")
        }
        Each::StartsWithLetter(letter) => begun(&p, &either_case(*letter)?.0),
        Each::StartsWith(text) => begun(&p, &format!("(?i:{})", plain(unit, text)?)),
        Each::EndsWith(text) => {
            let text = text.trim();
            let body = text.strip_suffix(['.', '!', '?']).unwrap_or(text);
            let ended = unit != Unit::Sentence || body.len() < text.len();
            let whole = escaped(text).filter(|_| ended && is_plain(unit, body))?;
            format!("{mark}{inner}*(?i:{whole})")
        }
        Each::Contains(text) => {
            let text = plain(unit, text)?;
            format!("{mark}{inner}*(?i:{text}){inner}*{end}")
        }
        _ => return None,
    };
    let any = Times {
        least: 1,
        most: None,
    };
    Some(repeated(&one, p.gap, any))
}

/// The units begin with these letters, one after the other.
pub(super) fn consecutive(unit: Unit, from: char, to: Option<char>) -> Option<String> {
    let p = parts(unit);
    let (first, last) = (
        from.to_ascii_uppercase(),
        to.unwrap_or('Z').to_ascii_uppercase(),
    );
    if !first.is_ascii_uppercase() || !last.is_ascii_uppercase() || first > last {
        return None;
    }
    let units = (first..=last)
        .map(|letter| Some(begun(&p, &either_case(letter)?.0)))
        .collect::<Option<Vec<_>>>()?;
    if to.is_some() {
        return Some(units.join(p.gap));
    }
    // No last letter is named: the answer may end anywhere.
    let tail = units.iter().rev().fold(String::new(), |tail, unit| {
        let tail = if tail.is_empty() {
            tail
        } else {
            format!("({}{tail})?", p.gap)
        };
        format!("{unit}{tail}")
    });
    Some(tail)
}

/// Sentences, each with so many words more than the one before.
pub(super) fn growing(more: u64) -> Option<String> {
    let UnitParts {
        gap,
        word,
        space,
        end,
        ..
    } = parts(Unit::Sentence);
    if more == 0 || more > 10 {
        return None;
    }
    let row = |first: u64| {
        let sentence = |i: u64| {
            let n = Some(first + i * more);
            let count = Times {
                least: first + i * more,
                most: n,
            };
            repeated(word, space, count) + end
        };
        let tail = (1..6).rev().fold(String::new(), |tail, i| {
            let optional = if i == 1 { "" } else { "?" };
            format!("({gap}{}{tail}){optional}", sentence(i))
        });
        sentence(0) + &tail
    };
    Some((2..=6).map(row).collect::<Vec<_>>().join("|"))
}

/// So many paragraphs, one of which begins with this word.
pub(super) fn paragraph_start(number: u64, nth: u64, word: &str) -> Option<String> {
    let nth = if nth == 0 { number } else { nth };
    if number == 0 || number > MOST_UNITS || nth > number {
        return None;
    }
    let p = parts(Unit::Paragraph);
    let word = plain(Unit::Word, word)?;
    let one = |n: u64| match n == nth {
        true => format!("(?i:{word})([.,!?\\x20\\n]{}*)?", p.inner),
        false => format!("{}+", p.inner),
    };
    Some((1..=number).map(one).collect::<Vec<_>>().join(r"\n\n"))
}

/// A unit that begins with this, whatever follows inside it.
fn begun(p: &UnitParts, start: &str) -> String {
    format!("{}{start}{}*{}", p.mark, p.inner, p.end)
}

/// A phrase that lies inside one unit.
fn plain(unit: Unit, text: &str) -> Option<String> {
    escaped(text).filter(|_| is_plain(unit, text))
}

fn is_plain(unit: Unit, text: &str) -> bool {
    let odd: &[char] = match unit {
        Unit::Sentence => &['.', '!', '?', '\n'],
        Unit::Word => &[' ', '\n', '.', '!', '?'],
        _ => &['\n'],
    };
    !text.contains(odd)
}

fn repeated(one: &str, gap: &str, count: Times) -> String {
    let more = Times {
        least: count.least.saturating_sub(1),
        most: count.most.map(|most| most.saturating_sub(1)),
    };
    format!("({one})({gap}({one})){more}")
}
