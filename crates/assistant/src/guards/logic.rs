//! Class 2, logic variance: a puzzle of people, objects and positions is stated as a program and decided by a solver.
//!
//! The model has answered; now it states each fact of the puzzle as a line of code and each possible answer as a
//! condition (`options`). What must hold is not the model's business: our own lines behind its program ask the solver
//! for each option whether its opposite contradicts the facts. Accepted only if the facts do not contradict each other
//! and exactly one option is forced; else the raw answer stands.
//!
//! The kind of puzzle chooses the examples that the model sees (`PuzzleKind`): one set for all kinds made a small model copy
//! the wrong form. What else was tried: docs/guard-prompts.md.

mod place;

use super::{program, question};
use crate::{
    Action, CheckLevel, Guard, GuardBudget, Mark, MarkState, Outcome, Program, Turn, Verdict,
    choice::{Choice, chosen, mentions, named, options},
    detect::{Finding, logic},
};
use reckon_engine::Message;

/// What is run behind the model's program: whether its facts hold together, then, where the question offers no options,
/// who stands where, then which of its own options must hold.
const CHECK: &str = include_str!("prompts/logic-check.py");
const PLACES: &str = include_str!("prompts/logic-places.py");
const OPTIONS: &str = include_str!("prompts/logic-options.py");

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
        if kind == PuzzleKind::Lies && says_who_is_right(&text) {
            return unchecked("the program takes for granted who tells the truth");
        }
        let places = match options(turn.question()).is_empty() {
            true => PLACES,
            false => "",
        };
        let outcome = budget.logic(&format!("{text}\n\n{CHECK}{places}{OPTIONS}"));
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
        if has(&[" says ", " says:"])
            && has(&[" lies", " lying", "tells the truth", "tell the truth"])
        {
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

/// Whether somebody's truth is made up: what they say is no reason to believe or to disbelieve them.
fn says_who_is_right(program: &str) -> bool {
    let mut is_said = false;
    program.lines().map(str::trim).any(|line| {
        if line.starts_with('#') {
            is_said = line.contains(" say");
        }
        is_said && (line.ends_with(" = True") || line.ends_with(" = False"))
    })
}

fn verdict(turn: &Turn<'_>, program: &str, outcome: &Outcome) -> (Verdict, Mark) {
    let unchecked = |why: String| (Verdict::Kept(why.clone()), Mark::unchecked(why));
    if is_foregone(program) {
        return unchecked("the program computes nothing".into());
    }
    let choices = options(turn.question());
    let placed = match choices.is_empty() {
        true => place::printed(turn.question(), program, &outcome.stdout),
        false => Ok(None),
    };
    let placed = match placed {
        Ok(placed) => placed,
        Err(why) => return unchecked(why.to_owned()),
    };
    // Who stands where was printed before the program's own options, which may be no conditions.
    if let (Some(error), None) = (&outcome.error, &placed) {
        return unchecked(format!("the program failed: {error}"));
    }
    let printed = placed.unwrap_or_else(|| outcome.stdout.clone());
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

/// Whether all options are given as true or false, which is what the model thinks and no program.
fn is_foregone(program: &str) -> bool {
    let at = program.rfind("options = {").map(|at| &program[at + 11..]);
    let options = at
        .and_then(|rest| rest.split('}').next())
        .unwrap_or_default();
    let mut values = options.split(',').filter_map(|one| one.rsplit_once(':'));
    !options.is_empty() && values.all(|(_, value)| ["True", "False"].contains(&value.trim()))
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
