//! Class 2, logic variance: a puzzle of people, objects and positions is stated as a program and decided by a solver.
//!
//! The model has answered; now it states each fact of the puzzle as a line of code and each possible answer as a
//! condition (`options`). What must hold is not the model's business: our own lines behind its program ask the solver
//! for each option whether its opposite contradicts the facts. Accepted only if the facts do not contradict each other
//! and exactly one option is forced; else the raw answer stands.
//!
//! The kind of puzzle chooses the examples that the model sees (`PuzzleKind`): one set for all kinds made a small model copy
//! the wrong form. What else was tried: docs/guard-prompts.md.

use super::{program, question};
use crate::{
    Action, CheckLevel, Guard, GuardBudget, Mark, MarkState, Outcome, Program, Turn, Verdict,
    choice::{Choice, chosen, mentions, named, options},
    detect::{Finding, logic},
};
use reckon_engine::Message;
use regex::Regex;
use std::{collections::BTreeSet, sync::LazyLock};

/// What is run behind the model's program.
const CHECK: &str = include_str!("prompts/logic-check.py");

/// States puzzles to a solver.
#[derive(Clone, Copy, Debug)]
pub struct Logic;

impl Guard for Logic {
    fn name(&self) -> &str {
        "logic"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        logic::look(turn.question(), "")
    }

    fn may_revise(&self, messages: &[Message]) -> bool {
        logic::look(question(messages), "").is_some()
    }

    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action {
        if budget.level() < CheckLevel::Quick {
            return unchecked("a puzzle is solved with `--check quick` or `full`");
        }
        let kind = PuzzleKind::of(turn.question());
        let shown = program::with_examples(kind.examples(), turn.messages);
        let Some(text) = program::generate_program(budget, shown, kind.beginning()) else {
            return unchecked("no program states the puzzle");
        };
        let text = format!("{}{text}", kind.beginning());
        if kind == PuzzleKind::Lies && !lies_are_denied(&text) {
            return unchecked("the program takes a lie for the truth");
        }
        let outcome = budget.logic(&format!("{text}\n\n{CHECK}"));
        let (verdict, mark) = verdict(turn, &text, &outcome);
        Action::plain(verdict)
            .program(Program { text, outcome })
            .mark(mark)
    }
}

/// The answer stands, and nobody knows better.
fn unchecked(why: &str) -> Action {
    Action::kept(why).mark(Mark::unchecked(why))
}

/// What a puzzle is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PuzzleKind {
    /// Who says what of whom.
    Lies,
    /// Things change hands.
    Swap,
    /// Things stand in an order.
    Order,
}

impl PuzzleKind {
    fn of(question: &str) -> Self {
        let lower = question.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&[" says "]) && has(&[" lies", " lying", "tells the truth", "tell the truth"]) {
            Self::Lies
        } else if has(&[" swap", " trade", " switch", " exchange"]) {
            Self::Swap
        } else {
            Self::Order
        }
    }

    fn examples(self) -> &'static str {
        match self {
            Self::Lies => include_str!("prompts/logic-lies.txt"),
            Self::Swap => include_str!("prompts/logic-swap.txt"),
            Self::Order => include_str!("prompts/logic-order.txt"),
        }
    }

    /// How the program begins, whatever the model would like.
    fn beginning(self) -> &'static str {
        match self {
            Self::Order => "from z3 import *\ns = Solver()\n# Position 1 is",
            Self::Lies | Self::Swap => "",
        }
    }
}

/// Whether each line behind a comment about a lie denies something. A small model forgets it now and then.
fn lies_are_denied(program: &str) -> bool {
    let mut lines = program.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let about_a_lie =
            line.starts_with('#') && (line.ends_with("lies.") || line.ends_with("lies"));
        if about_a_lie
            && !lines
                .next()
                .is_some_and(|code| code.contains("False") || code.contains("not "))
        {
            return false;
        }
    }
    true
}

fn verdict(turn: &Turn<'_>, program: &str, outcome: &Outcome) -> (Verdict, Mark) {
    let unchecked = |why: String| (Verdict::Kept(why.clone()), Mark::unchecked(why));
    if let Some(error) = &outcome.error {
        return unchecked(format!("the program failed: {error}"));
    }
    let choices = options(turn.question());
    let printed = match choices.is_empty() {
        true => by_name(turn.question(), program, &outcome.stdout),
        false => outcome.stdout.clone(),
    };
    let holds: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.strip_prefix("@holds "))
        .collect();
    let [one] = holds.as_slice() else {
        return unchecked(format!("{} options follow from the facts", holds.len()));
    };
    let Some(solution) = Solution::new(one.trim(), turn.question(), &choices) else {
        return unchecked(format!("{one:?} is none of the possible answers"));
    };
    let answer = solution.to_string();
    match solution.is_said(turn, &choices, &printed) {
        Some(true) => {
            let why = format!("a solver finds {answer} and nothing else");
            let mark = Mark::new(MarkState::Verified, why.clone());
            (Verdict::Confirmed(why), mark.value(answer).votes(1, 1))
        }
        None => {
            let why =
                format!("a solver finds {answer}; it is not clear whether the answer says so");
            let mark = Mark::new(MarkState::Doubtful, why.clone());
            (Verdict::Flagged(why), mark.other(answer))
        }
        Some(false) => {
            let reason = format!("a solver finds {answer} and nothing else");
            let mark = Mark::new(MarkState::Corrected, reason.clone());
            let text = composed(&answer, program);
            let mark = mark.value(answer).votes(1, 1);
            (Verdict::Revised { text, reason }, mark)
        }
    }
}

/// What the check printed, with names for letters: where the question offers no letters, a model letters its options
/// all the same, and `"A": anna == 4, "B": ben == 4` are Anna and Ben. As it was if the options are not of this form.
fn by_name(question: &str, program: &str, stdout: &str) -> String {
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""([A-H])":\s*([A-Za-z]\w*)\s*==\s*(\d+|"[^"]*")\s*[,}]"#).expect("fixed")
    });
    let last = program.rfind("options = {").map_or("", |at| &program[at..]);
    let found: Vec<[&str; 3]> = OPTION
        .captures_iter(last)
        .map(|found| found.extract().1)
        .collect();
    let is_one_place = found.iter().all(|[_, _, place]| *place == found[0][2])
        && found
            .first()
            .is_some_and(|[_, _, place]| is_asked_for(question, program, place));
    let names: Vec<Option<&str>> = found
        .iter()
        .map(|[_, name, _]| as_written(question, name))
        .collect();
    let distinct: BTreeSet<_> = names.iter().collect();
    let listed = stdout.lines().filter(|line| line.starts_with("@option "));
    if !is_one_place || distinct.len() != found.len() || listed.count() != found.len() {
        return stdout.to_owned();
    }
    let named = |line: &str| {
        let (head, letter) = line.rsplit_once(' ')?;
        let at = found.iter().position(|[known, ..]| *known == letter)?;
        Some(format!("{head} {}", names[at]?))
    };
    let lines = stdout.lines();
    let lines = lines.map(|line| named(line).unwrap_or_else(|| line.to_owned()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether the last sentence asks for this place: a small model takes the middle of five for the second.
fn is_asked_for(question: &str, program: &str, place: &str) -> bool {
    static LAST: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"x <= (\d+)").expect("fixed"));
    static END: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:first|last|won|wins|winner|[a-z]{2,}est|[a-z]+most)\b").expect("fixed")
    });
    const ORDINALS: [&str; 5] = ["second", "third", "fourth", "fifth", "sixth"];
    if let Some(thing) = place.strip_prefix('"') {
        return mentions(question, thing.trim_end_matches('"'));
    }
    let lower = question.trim_end().to_lowercase();
    let asked = lower.rsplit(['.', '!', ':']).next().unwrap_or_default();
    let last = LAST
        .captures(program)
        .and_then(|found| found[1].parse::<usize>().ok());
    let (Ok(place), Some(last)) = (place.parse::<usize>(), last) else {
        return false;
    };
    let from_either_end = |wanted: usize| place == wanted || place + wanted == last + 1;
    let ordinal = ORDINALS.iter().position(|word| asked.contains(word));
    match ordinal {
        Some(at) => from_either_end(at + 2),
        None if asked.contains("middle") => 2 * place == last + 1,
        None => END.is_match(asked) && from_either_end(1),
    }
}

/// A word of the question that a program calls so: Anna for `anna`, map for `map_`.
fn as_written<'a>(question: &'a str, name: &str) -> Option<&'a str> {
    let name = name.trim_end_matches('_');
    let mut words = question.split(|c: char| !c.is_alphanumeric());
    words.find(|word| word.len() > 1 && word.eq_ignore_ascii_case(name))
}

/// The answer that must hold.
enum Solution {
    Option(Choice),
    Word(String),
    Name(String),
}

impl Solution {
    fn new(name: &str, question: &str, options: &[Choice]) -> Option<Self> {
        let lower = name.to_lowercase();
        if let Some(option) = options.iter().find(|one| one.letter.to_string() == name) {
            return Some(Self::Option(option.clone()));
        }
        if !options.is_empty() {
            return None;
        }
        if ["yes", "no", "true", "false"].contains(&lower.as_str()) {
            return Some(Self::Word(name.to_owned()));
        }
        // A name that the puzzle does not know was made up.
        let known = name.len() > 1 && mentions(question, name);
        known.then(|| Self::Name(name.to_owned()))
    }

    /// Whether an answer says so; nothing where it names this one among others and settles on none.
    fn is_said(&self, turn: &Turn<'_>, options: &[Choice], stdout: &str) -> Option<bool> {
        let (name, rivals): (&str, Vec<&str>) = match self {
            Self::Option(option) => {
                return Some(chosen(turn.answer, options) == Some(option.letter));
            }
            Self::Word(word) if ["yes", "no"].contains(&word.to_lowercase().as_str()) => {
                (word, vec!["yes", "no"])
            }
            Self::Word(word) => (word, vec!["true", "false"]),
            Self::Name(name) => (name, rivals(name, turn.question(), stdout)),
        };
        match named(turn.answer, &rivals) {
            Some(said) => Some(said.eq_ignore_ascii_case(name)),
            None if mentions(turn.answer, name) => None,
            None => Some(false),
        }
    }
}

impl std::fmt::Display for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(option) => write!(f, "({}) {}", option.letter, option.text),
            Self::Word(text) | Self::Name(text) => f.write_str(text),
        }
    }
}

/// The names that an answer could give: the program's options, and where it did not list them the question's own names.
fn rivals<'a>(name: &'a str, question: &'a str, stdout: &'a str) -> Vec<&'a str> {
    let mut names: Vec<&str> = stdout
        .lines()
        .filter_map(|line| line.strip_prefix("@option "))
        .map(str::trim)
        .collect();
    if names.len() < 2 {
        let words = question.split(|c: char| !c.is_alphanumeric());
        names = words
            .filter(|word| word.len() > 1 && word.starts_with(char::is_uppercase))
            .collect();
    }
    names.push(name);
    names.sort_unstable();
    names.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    names
}

/// The answer, and the facts that it follows from as the solver was given them.
fn composed(answer: &str, program: &str) -> String {
    let stated = program.trim_end();
    format!(
        "**{answer}**\n\nThis follows from the facts, and nothing else that was offered does. As stated to a solver:\n\n```python\n{stated}\n```\n\nThe answer is {answer}"
    )
}
