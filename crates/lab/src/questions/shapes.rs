//! Reads one row of a question file. The shapes, told apart by their fields:
//!
//! - FastChat: `question_id`, `category`, `turns`, perhaps `reference` and `required_temperature`;
//! - IFEval: `key`, `prompt`, `instruction_id_list`, `kwargs`;
//! - multiple choice: `context`, `question`, `options`, `answer`;
//! - `input` with `target`;
//! - GSM8K and its kin: `question`, `answer`, a number;
//! - plain: `prompt` or `turns`, with `category`, `checks`, `references`, `answer`, `temperature` where they are known.

use super::Question;
use crate::{Check, check, ifeval, mt_bench, tape::MOST_TURNS};
use reckon::assistant::choice;
use serde_json::Value;

type Refused<T> = std::result::Result<T, String>;

/// FastChat's temperatures, by category.
const TEMPERATURES: [(&str, f32); 8] = [
    ("writing", 0.7),
    ("roleplay", 0.7),
    ("extraction", 0.0),
    ("math", 0.0),
    ("coding", 0.0),
    ("reasoning", 0.0),
    ("stem", 0.1),
    ("humanities", 0.1),
];

/// FastChat's temperature of every other category.
const TEMPERATURE: f32 = 0.7;

/// The question of a row.
pub(crate) fn parse_question(row: &Value, line: usize) -> Refused<Question> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let id = id(row, line)?;
    let mut found = if row.get("turns").is_some() {
        turns(row, id)?
    } else if row.get("instruction_id_list").is_some() {
        instructions(row, id)?
    } else if let Some(input) = text("input") {
        with_checks(id, input.to_owned(), target(input, text("target"))?)
    } else if let (Some(question), Some(options)) = (text("question"), row.get("options")) {
        choices(id, text("context"), question, options, text("answer"))?
    } else if let Some(prompt) = text("question").or_else(|| text("prompt")) {
        with_checks(id, prompt.to_owned(), number(row.get("answer"))?)
    } else {
        return Err("no `question`, `prompt`, `turns` or `input`".into());
    };
    found.category = found
        .category
        .or_else(|| text("category").map(str::to_owned));
    add_known(&mut found)?;
    if let Some(checks) = row.get("checks") {
        let read = check::read(checks, &found.turns)?;
        found.checks.resize(found.turns.len(), Vec::new());
        for (of_turn, more) in found.checks.iter_mut().zip(read) {
            of_turn.extend(more);
        }
    }
    if let Some(value) = row
        .get("temperature")
        .or_else(|| row.get("required_temperature"))
    {
        found.temperature = Some(temperature(value)?);
    }
    Ok(found)
}

/// MT-Bench's own turns have checks of ours.
fn add_known(question: &mut Question) -> Refused<()> {
    if !question.fastchat {
        return Ok(());
    }
    for (at, text) in question.turns.iter().enumerate() {
        let known = mt_bench::known(&question.id, at + 1, text);
        if let Some(check) = known.and_then(|known| known.check.as_ref()) {
            question.checks[at].push(check::one(check, text, 0)?);
        }
    }
    Ok(())
}

fn id(row: &Value, line: usize) -> Refused<String> {
    let names = ["id", "question_id", "key"];
    match names.iter().find_map(|name| row.get(*name)) {
        Some(Value::String(id)) => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        Some(_) => Err("the id is neither a text nor a number".into()),
        None => Ok(format!("line-{line}")),
    }
}

fn temperature(value: &Value) -> Refused<f32> {
    match value.as_f64() {
        Some(value) if (0.0..=100.0).contains(&value) => Ok(value as f32),
        _ => Err("the temperature is not a number from 0".into()),
    }
}

fn with_checks(id: String, prompt: String, checks: Vec<Check>) -> Question {
    Question {
        checks: vec![checks],
        ..Question::plain(id, prompt)
    }
}

/// FastChat's, and plain ones of several turns.
fn turns(row: &Value, id: String) -> Refused<Question> {
    let turns = texts(row.get("turns")).ok_or("`turns` is not a list of texts")?;
    if turns.is_empty() || turns.len() > MOST_TURNS {
        return Err(format!("{} turns; 1 to {MOST_TURNS} are read", turns.len()));
    }
    let category = row.get("category").and_then(Value::as_str);
    let fastchat = row.get("question_id").is_some() && category.is_some();
    let references = match row.get("references").or_else(|| row.get("reference")) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(one)) => vec![Some(one.clone())],
        Some(Value::Array(all)) => all
            .iter()
            .map(|one| one.as_str().map(str::to_owned))
            .collect(),
        Some(_) => return Err("`references` is not a list".into()),
    };
    let of_category = |name: &str| {
        let known = TEMPERATURES.iter().find(|(category, _)| *category == name);
        known.map_or(TEMPERATURE, |(_, temperature)| *temperature)
    };
    Ok(Question {
        id,
        category: category.map(str::to_owned),
        checks: vec![Vec::new(); turns.len()],
        turns,
        references,
        temperature: category.filter(|_| fastchat).map(of_category),
        fastchat,
    })
}

fn texts(list: Option<&Value>) -> Option<Vec<String>> {
    let list = list?.as_array()?.iter();
    list.map(|one| Some(one.as_str()?.to_owned())).collect()
}

/// IFEval's: what is asked for is in the row, as data.
fn instructions(row: &Value, id: String) -> Refused<Question> {
    let prompt = row.get("prompt").and_then(Value::as_str);
    let prompt = prompt.ok_or("no `prompt`")?;
    let check = ifeval::check(row, prompt)?;
    Ok(with_checks(id, prompt.to_owned(), vec![check]))
}

/// `18`, `18.0` or a solution that ends in `#### 18`.
fn number(answer: Option<&Value>) -> Refused<Vec<Check>> {
    let value = match answer {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => {
            let last = text.rsplit("####").next().unwrap_or(text);
            last.trim().replace([',', '$'], "").parse().ok()
        }
        Some(_) => None,
    };
    match value {
        Some(value) if f64::is_finite(value) => Ok(vec![Check::Number(value)]),
        _ => Err("`answer` is not a number".into()),
    }
}

fn choices(
    id: String,
    context: Option<&str>,
    question: &str,
    options: &Value,
    answer: Option<&str>,
) -> Refused<Question> {
    let options = texts(Some(options)).ok_or("`options` is not a list of texts")?;
    let mut prompt = String::new();
    if let Some(context) = context {
        prompt = format!("{context}\n\n");
    }
    prompt += question;
    prompt += "\nOptions:";
    for option in &options {
        prompt += &format!("\n{option}");
    }
    let checks = match answer {
        Some(answer) => vec![lettered(answer, &prompt)?],
        None => Vec::new(),
    };
    Ok(with_checks(id, prompt, checks))
}

/// `(B)`, with the options in the text, or a word.
fn target(input: &str, target: Option<&str>) -> Refused<Vec<Check>> {
    match target {
        None => Ok(Vec::new()),
        Some(target) if target.starts_with('(') => Ok(vec![lettered(target, input)?]),
        Some(target) => Ok(vec![Check::word(target)?]),
    }
}

/// The option of `prompt` that `answer` names.
pub(crate) fn lettered(answer: &str, prompt: &str) -> Refused<Check> {
    let options = choice::options(prompt);
    let letter = answer.trim_matches(['(', ')', ' ', '.']).chars().next();
    match letter {
        Some(letter) if options.iter().any(|option| option.letter == letter) => {
            Ok(Check::Choice { letter, options })
        }
        _ => Err(format!("{answer:?} is not the letter of an option")),
    }
}
