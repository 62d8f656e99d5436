//! Takes out of an answer what would give a result away: sentences with a number or a calculation that the input does
//! not have.
//!
//! A tutor is told not to give the answer, and a small model gives it all the same. What is left of its answer names only
//! numbers that the pupil wrote, so the result can be in it only if it stands in the homework already. Results that are
//! words are not seen.
use reckon_compute::direct::is_number_word;
use std::collections::HashSet;

/// Words before a number that is a place and no result: "step 3".
const PLACES: [&str; 10] = [
    "step", "steps", "line", "lines", "part", "question", "problem", "exercise", "task", "number",
];
/// What Markdown and LaTeX put around a calculation.
const MARKS: [&str; 3] = ["**", "\\(", "\\)"];
const OPERATORS: [char; 11] = ['+', '-', '−', '*', '/', '=', '×', '÷', '^', '<', '>'];

/// What an answer may say.
#[derive(Debug)]
pub(crate) struct Withhold {
    /// The lines of the input as [`bare`] has them.
    known: String,
    numbers: HashSet<String>,
    words: HashSet<String>,
}

impl Withhold {
    /// For answers about this input.
    pub(crate) fn new(input: &str) -> Self {
        let lower = input.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        Self {
            known: lower
                .lines()
                .map(|line| bare(after_marker(line).1) + "\n")
                .collect(),
            numbers: numbers(&lower).map(|(_, number)| number).collect(),
            words: words.map(str::to_owned).collect(),
        }
    }

    /// The answer without the sentences that say more, and how many those are.
    pub(crate) fn apply(&self, answer: &str) -> (String, usize) {
        let (mut kept, mut left_out): (Vec<String>, usize) = (Vec::new(), 0);
        for line in answer.lines() {
            let (marker, rest) = after_marker(line);
            let all = sentences(rest);
            let fine = all.iter().filter(|one| !self.says_more(one));
            let fine: Vec<&str> = fine.map(String::as_str).collect();
            left_out += all.len() - fine.len();
            let is_gap = all.is_empty() && kept.last().is_none_or(String::is_empty);
            if !is_gap && (all.is_empty() || !fine.is_empty()) {
                kept.push(format!("{marker}{}", fine.join(" ")));
            }
            // "The step should be:" leads to nothing now.
            let leads = |line: &String| line.trim_end_matches('*').ends_with(':');
            let last = kept.iter().rposition(|line| !line.is_empty());
            if let Some(last) = last.filter(|&last| leads(&kept[last]) && fine.len() < all.len()) {
                kept.truncate(last);
            }
        }
        (kept.join("\n").trim().to_owned(), left_out)
    }

    /// Whether a sentence has a number or a calculation that the input does not have.
    fn says_more(&self, sentence: &str) -> bool {
        let lower = sentence.to_lowercase();
        let is_new = |at: usize, number: &str| {
            let before = lower[..at].trim_end_matches(|c: char| !c.is_alphanumeric());
            let word = before.rsplit(|c: char| !c.is_alphabetic()).next();
            !self.numbers.contains(number) && !word.is_some_and(|word| PLACES.contains(&word))
        };
        if numbers(&lower).any(|(at, number)| is_new(at, &number)) {
            return true;
        }
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        // "One" is more often an article than a number.
        words.any(|word| word != "one" && is_number_word(word) && !self.words.contains(word))
            || calculations(&lower).iter().any(|one| {
                // A sentence may put in brackets what the input has without.
                let inner = one.strip_prefix('(').and_then(|one| one.strip_suffix(')'));
                !self.has(one) && !inner.is_some_and(|inner| self.has(inner))
            })
    }

    /// Whether a calculation stands in the input, with whole numbers: `x=2` is not in `x=29`.
    fn has(&self, calculation: &str) -> bool {
        let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
        let mut found = self.known.match_indices(calculation);
        found.any(|(at, _)| {
            let (before, after) = (&self.known[..at], &self.known[at + calculation.len()..]);
            let (first, last) = (calculation.chars().next(), calculation.chars().next_back());
            let joins = |a, b| is_digit(a) && is_digit(b);
            !joins(before.chars().next_back(), first) && !joins(last, after.chars().next())
        })
    }
}

/// Numbers with their places: `29/3` is two, `4,200.5` is one.
fn numbers(text: &str) -> impl Iterator<Item = (usize, String)> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(char::is_numeric)?;
        let (mut end, mut rest) = (start, text[start..].char_indices().peekable());
        while let Some((at, c)) = rest.next() {
            let joins = matches!(c, '.' | ',') && rest.peek().is_some_and(|(_, c)| c.is_numeric());
            if !c.is_numeric() && !joins {
                break;
            }
            end = start + at + c.len_utf8();
        }
        from = end;
        Some((start, text[start..end].to_owned()))
    })
}

/// Runs of tokens that are no words and have an operator, as [`bare`] has them. A mark of a sentence ends a run.
fn calculations(text: &str) -> Vec<String> {
    let (mut found, mut run) = (Vec::new(), String::new());
    // The empty token ends the last run.
    for token in text.split_whitespace().chain([""]) {
        let is_part = is_mathematical(token);
        if is_part {
            run.push_str(token);
        }
        let end = token.trim_end_matches(['*', '`', ')']);
        if is_part && !end.ends_with([',', ';', ':', '.', '?', '!']) {
            continue;
        }
        let one = bare(&std::mem::take(&mut run));
        let one = one.trim_matches(|c: char| OPERATORS.contains(&c));
        if one.contains(OPERATORS) {
            found.push(one.to_owned());
        }
    }
    found
}

/// `3x`, `(x`, `=`, `**x**`: something, and no two letters beside each other.
fn is_mathematical(token: &str) -> bool {
    let letters: Vec<bool> = token.chars().map(char::is_alphabetic).collect();
    !token.is_empty() && !letters.windows(2).any(|pair| pair == [true, true])
}

/// Without white space and the marks of sentences, Markdown and LaTeX, which do not make another calculation.
fn bare(text: &str) -> String {
    let chars: Vec<char> = MARKS
        .iter()
        .fold(text.to_owned(), |text, mark| text.replace(mark, ""))
        .chars()
        .collect();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| chars.get(at))
            .is_some_and(|c| c.is_numeric())
    };
    let stays = |at: usize, c: char| match c {
        '.' | ',' => is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1)),
        c => c.is_alphanumeric() || matches!(c, '(' | ')') || OPERATORS.contains(&c),
    };
    let kept = chars.iter().enumerate().filter(|(at, c)| stays(*at, **c));
    kept.map(|(_, c)| c).collect()
}

/// The mark of a list with what stands before it, and the rest of the line.
fn after_marker(line: &str) -> (&str, &str) {
    let start = line.len() - line.trim_start().len();
    let text = &line[start..];
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length = match digits {
        0 => ["- ", "* ", "• "]
            .iter()
            .find(|mark| text.starts_with(**mark))
            .map(|mark| mark.len()),
        n => [". ", ") "]
            .iter()
            .find(|mark| text[n..].starts_with(**mark))
            .map(|mark| n + mark.len()),
    };
    line.split_at(start + length.unwrap_or_default())
}

/// A line cut behind each full stop, question and exclamation mark that white space follows.
fn sentences(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    for word in line.split_whitespace() {
        match all.last_mut().filter(|_| is_open) {
            Some(sentence) => {
                sentence.push(' ');
                sentence.push_str(word);
            }
            None => all.push(word.to_owned()),
        }
        is_open = !word
            .trim_end_matches(['*', '"', ')', '”'])
            .ends_with(['.', '?', '!']);
    }
    all
}
