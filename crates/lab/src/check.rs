//! Whether a text is right, decided by reading or running and by nobody's opinion.
//!
//! The same reading is used for every system that is compared. In a task file a check is an object of one field:
//! `{"number": 3}` (as the last number that is claimed), `{"near": [3.14, 0.01]}` (the same, at most so far off),
//! `{"exact": "…"}` (the whole text, blanks at its ends aside),
//! `{"regex": "…"}` (somewhere in the text), `{"word": "yes"}` (as the last of yes and no, or true and false),
//! `{"choice": "B"}` (of the options in the prompt), `{"constraints": true}` (everything that the prompt asks for in
//! countable words), `{"constraints": […]}` (IFEval's `id` and `kwargs`), `{"program": "…"}` (Python over `response`
//! whose value is `True` or `False`), `{"any": […]}`, `{"not": …}`. All checks of a turn must hold.
//!
//! Requirements are graded by `requirement.rs`, never by the functions that the constraints guard itself acts on.

use crate::{
    ifeval,
    questions::lettered,
    requirement::{self, GRADER, Requirement},
};
use reckon::assistant::{
    Tools,
    choice::{Choice, chosen, last_word},
    number::claimed,
};
use regex::Regex;
use serde_json::Value;

/// Something that a right answer fulfils.
#[derive(Clone, Debug)]
pub enum Check {
    /// This number, as the last one that is claimed.
    Number(f64),
    /// A number at most so far from this one, as the last that is claimed.
    Near {
        /// The middle.
        value: f64,
        /// How far.
        within: f64,
    },
    /// This option.
    Choice {
        /// Its letter.
        letter: char,
        /// All options.
        options: Vec<Choice>,
    },
    /// One of a few words, in lower case, as the last of them: the right one, then all.
    Word(String, &'static [&'static str]),
    /// This text and nothing else.
    Exact(String),
    /// A match somewhere.
    Pattern(Regex),
    /// All of these requirements, as the lab itself counts them.
    Constraints(Vec<Requirement>),
    /// A Python program that says so.
    Program(String),
    /// One of these.
    Any(Vec<Self>),
    /// Not this one.
    Not(Box<Self>),
}

/// Longest pattern and program.
const LONGEST: usize = 1 << 16;

/// Deepest nesting of `any` and `not`.
const DEEPEST: usize = 8;

impl Check {
    /// The one of two words that is right: `yes` or `no`, `true` or `false`.
    pub(crate) fn word(right: &str) -> Result<Self, String> {
        let right = right.to_ascii_lowercase();
        let words: &'static [&'static str] = match right.as_str() {
            "yes" | "no" => &["yes", "no"],
            "true" | "false" => &["true", "false"],
            _ => return Err(format!("cannot score the word {right:?}")),
        };
        Ok(Self::Word(right, words))
    }

    /// The checks of a JSON list, as question files have them; `prompt` is what requirements are looked for in.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn parse(list: &[Value], prompt: &str) -> Result<Vec<Self>, String> {
        list.iter().map(|value| one(value, prompt, 0)).collect()
    }

    /// Whether a text fulfils it; nothing if that cannot be said.
    pub fn holds(&self, text: &str, tools: &mut dyn Tools) -> Option<bool> {
        Some(match self {
            Self::Number(value) => claimed(text).is_some_and(|found| found.is(*value)),
            Self::Near { value, within } => {
                claimed(text).is_some_and(|found| found.is_near(*value, *within))
            }
            Self::Choice { letter, options } => chosen(text, options) == Some(*letter),
            Self::Word(right, words) => last_word(text, words).is_some_and(|word| word == *right),
            Self::Exact(right) => text.trim() == right.trim(),
            Self::Pattern(pattern) => pattern.is_match(text),
            Self::Constraints(asked) => return met(asked, text),
            Self::Program(program) => return said_by(program, text, tools),
            Self::Any(checks) => return any(checks, text, tools),
            Self::Not(check) => !check.holds(text, tools)?,
        })
    }
}

impl Check {
    /// What decides, in a word or two.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Number(_) | Self::Near { .. } => "number",
            Self::Choice { .. } => "choice",
            Self::Word(..) => "word",
            Self::Exact(_) => "exact text",
            Self::Pattern(_) => "pattern",
            Self::Constraints(_) => GRADER,
            Self::Program(_) => "program",
            Self::Any(checks) => checks.first().map_or("nothing", Self::name),
            Self::Not(check) => check.name(),
        }
    }

    /// The requirements in it.
    pub(crate) fn requirements(&self) -> Vec<&Requirement> {
        match self {
            Self::Constraints(asked) => asked.iter().collect(),
            Self::Any(checks) => checks.iter().flat_map(Self::requirements).collect(),
            Self::Not(check) => check.requirements(),
            _ => Vec::new(),
        }
    }
}

/// Whether a text fulfils all checks; nothing without checks, or if none fails and one cannot be decided.
pub(crate) fn all(checks: &[Check], text: &str, tools: &mut dyn Tools) -> Option<bool> {
    let mut verdict = (!checks.is_empty()).then_some(true);
    for check in checks {
        match check.holds(text, tools) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => verdict = None,
        }
    }
    verdict
}

fn any(checks: &[Check], text: &str, tools: &mut dyn Tools) -> Option<bool> {
    let mut verdict = Some(false);
    for check in checks {
        match check.holds(text, tools) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => verdict = None,
        }
    }
    verdict
}

/// One that fails decides; else one that nobody can decide leaves it open.
fn met(asked: &[Requirement], text: &str) -> Option<bool> {
    let verdicts: Vec<Option<bool>> = asked.iter().map(|one| one.holds(text)).collect();
    if verdicts.contains(&Some(false)) {
        return Some(false);
    }
    (!verdicts.is_empty() && !verdicts.contains(&None)).then_some(true)
}

/// The value of a program over the text. A program that has none, or another one, decides nothing.
fn said_by(program: &str, text: &str, tools: &mut dyn Tools) -> Option<bool> {
    let quoted = serde_json::to_string(text).ok()?;
    let whole = format!(
        "import json\nresponse = json.loads({})\n{program}",
        python(&quoted)
    );
    match tools.python(&whole).value.as_deref() {
        Some("True") => Some(true),
        Some("False") => Some(false),
        _ => None,
    }
}

/// A text as a Python literal: a JSON string is one, but for characters outside of its first plane.
fn python(json: &str) -> String {
    let mut literal = String::from("\"");
    for c in json.chars() {
        match c {
            '"' | '\\' => {
                literal.push('\\');
                literal.push(c);
            }
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// The checks of each turn: a list of lists, or one list for the only turn.
pub(crate) fn read(value: &Value, turns: &[String]) -> Result<Vec<Vec<Check>>, String> {
    let lists = value.as_array().ok_or("`checks` is not a list")?;
    let nested = lists.iter().all(Value::is_array);
    if !nested && turns.len() != 1 {
        return Err("`checks` needs one list a turn".into());
    }
    let of_turn = |checks: &[Value], prompt: &str| {
        let read = checks.iter().map(|check| one(check, prompt, 0));
        read.collect::<Result<Vec<Check>, String>>()
    };
    if !nested {
        return Ok(vec![of_turn(lists, &turns[0])?]);
    }
    if lists.len() > turns.len() {
        return Err(format!(
            "checks for {} turns of {}",
            lists.len(),
            turns.len()
        ));
    }
    let lists = lists
        .iter()
        .map(|list| list.as_array().map_or(&[][..], Vec::as_slice));
    lists
        .zip(turns)
        .map(|(checks, prompt)| of_turn(checks, prompt))
        .collect()
}

/// One check of a file, for a prompt.
pub(crate) fn one(value: &Value, prompt: &str, depth: usize) -> Result<Check, String> {
    let wrong = || format!("not a check: {}", short(value));
    let fields = value.as_object().ok_or_else(wrong)?;
    let Some((name, value)) = fields.iter().next().filter(|_| fields.len() == 1) else {
        return Err(wrong());
    };
    if depth > DEEPEST {
        return Err("checks are nested too deep".into());
    }
    let text = || {
        value
            .as_str()
            .filter(|text| text.len() <= LONGEST)
            .ok_or_else(wrong)
    };
    Ok(match name.as_str() {
        "number" => Check::Number(value.as_f64().ok_or_else(wrong)?),
        "near" => {
            let pair = value.as_array().ok_or_else(wrong)?;
            let pair: Option<Vec<f64>> = pair.iter().map(Value::as_f64).collect();
            match pair.as_deref() {
                Some(&[value, within]) if within >= 0.0 => Check::Near { value, within },
                _ => return Err(wrong()),
            }
        }
        "exact" => Check::Exact(text()?.to_owned()),
        "regex" => {
            let pattern = regex::RegexBuilder::new(text()?)
                .size_limit(1 << 22)
                .build();
            Check::Pattern(pattern.map_err(|error| last_line(&error.to_string()))?)
        }
        "word" => Check::word(text()?)?,
        "choice" => lettered(text()?, prompt)?,
        "program" => Check::Program(text()?.to_owned()),
        "constraints" if *value == Value::Bool(true) => {
            Check::Constraints(requirement::asked(prompt))
        }
        "constraints" => Check::Constraints(ifeval::requirements(value, prompt)?),
        "any" => {
            let checks = value.as_array().ok_or_else(wrong)?.iter();
            let read = checks.map(|check| one(check, prompt, depth + 1));
            Check::Any(read.collect::<Result<_, _>>()?)
        }
        "not" => Check::Not(Box::new(one(value, prompt, depth + 1)?)),
        _ => return Err(format!("there is no check {name:?}")),
    })
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

/// What a pattern's error is about: its last line says so.
fn last_line(error: &str) -> String {
    error.lines().last().unwrap_or(error).trim().to_owned()
}
