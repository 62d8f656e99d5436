//! Question files in, questions with their expected answers out.
//!
//! Shapes, told apart by their fields: GSM8K and its kin (`question`, `answer`), multiple choice (`context`,
//! `question`, `options`, `answer`), `input` with `target`, and plain `prompt` with an optional `answer`. Ids are the
//! file's own, else the line.

use crate::{Error, Result, read_lines, score};
use reckon_assistant::choice::{self, Choice};
use serde_json::Value;
use std::{collections::HashSet, path::Path};

/// One question.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Names it on the tape.
    pub id: String,
    /// What is asked.
    pub prompt: String,
    /// What a right answer says, if that is known.
    pub expected: Option<Expected>,
}

/// What a right answer says.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This number, as the last one.
    Number(f64),
    /// This option.
    Choice {
        /// Its letter.
        letter: char,
        /// All options.
        options: Vec<Choice>,
    },
    /// One of a few words, in lower case (`yes`, `false`), as the last of them: the right one, then all.
    Word(String, &'static [&'static str]),
}

impl Question {
    /// Whether a text answers it rightly; nothing if that is not known.
    pub fn is_right(&self, text: &str) -> Option<bool> {
        self.expected
            .as_ref()
            .map(|expected| score::is_right(expected, text))
    }
}

/// The questions of a file, in order.
pub fn read_questions(path: &Path) -> Result<Vec<Question>> {
    let mut seen = HashSet::new();
    let mut questions = Vec::new();
    for line in read_lines(path)? {
        let refuse = |why: String| Error::Line {
            path: path.to_owned(),
            line: line.number,
            why,
        };
        let question = question(&line.value, line.number).map_err(refuse)?;
        if !seen.insert(question.id.clone()) {
            return Err(refuse(format!("the id {} is there twice", question.id)));
        }
        questions.push(question);
    }
    Ok(questions)
}

fn question(row: &Value, line: usize) -> std::result::Result<Question, String> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let id = match row.get("id").or_else(|| row.get("question_id")) {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        Some(_) => return Err("`id` is neither a text nor a number".into()),
        None => format!("line-{line}"),
    };
    let (prompt, expected) = if let Some(input) = text("input") {
        (input.to_owned(), target(input, text("target"))?)
    } else if let (Some(question), Some(options)) = (text("question"), row.get("options")) {
        choice(text("context"), question, options, text("answer"))?
    } else if let Some(prompt) = text("question").or_else(|| text("prompt")) {
        (prompt.to_owned(), number(row.get("answer"))?)
    } else {
        return Err("no `question`, `prompt` or `input`".into());
    };
    Ok(Question {
        id,
        prompt,
        expected,
    })
}

/// `18`, `18.0` or a solution that ends in `#### 18`.
fn number(answer: Option<&Value>) -> std::result::Result<Option<Expected>, String> {
    let value = match answer {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => {
            let last = text.rsplit("####").next().unwrap_or(text);
            last.trim().replace([',', '$'], "").parse().ok()
        }
        Some(_) => None,
    };
    match value {
        Some(value) if f64::is_finite(value) => Ok(Some(Expected::Number(value))),
        _ => Err("`answer` is not a number".into()),
    }
}

fn choice(
    context: Option<&str>,
    question: &str,
    options: &Value,
    answer: Option<&str>,
) -> std::result::Result<(String, Option<Expected>), String> {
    let options: Vec<&str> = options
        .as_array()
        .map(|options| options.iter().filter_map(Value::as_str).collect())
        .ok_or("`options` is not a list")?;
    let mut prompt = String::new();
    if let Some(context) = context {
        prompt = format!("{context}\n\n");
    }
    prompt += question;
    prompt += "\nOptions:";
    for option in &options {
        prompt += &format!("\n{option}");
    }
    let expected = answer.map(|answer| lettered(answer, &prompt)).transpose()?;
    Ok((prompt, expected))
}

/// `(B)`, with the options in the text, or a word.
fn target(input: &str, target: Option<&str>) -> std::result::Result<Option<Expected>, String> {
    let Some(target) = target else {
        return Ok(None);
    };
    if target.starts_with('(') {
        return lettered(target, input).map(Some);
    }
    let words: &'static [&'static str] = match target.to_ascii_lowercase().as_str() {
        "yes" | "no" => &["yes", "no"],
        "true" | "false" => &["true", "false"],
        _ => return Err(format!("cannot score the target {target:?}")),
    };
    Ok(Some(Expected::Word(target.to_ascii_lowercase(), words)))
}

/// The option of `prompt` that `answer` names.
fn lettered(answer: &str, prompt: &str) -> std::result::Result<Expected, String> {
    let options = choice::options(prompt);
    let letter = answer.trim_matches(['(', ')', ' ', '.']).chars().next();
    match letter {
        Some(letter) if options.iter().any(|option| option.letter == letter) => {
            Ok(Expected::Choice { letter, options })
        }
        _ => Err(format!("{answer:?} is not the letter of an option")),
    }
}
