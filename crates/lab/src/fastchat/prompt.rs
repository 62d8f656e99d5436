//! Judge prompts: fills a prompt file with a question and answers, byte for byte as FastChat does.
//!
//! Which prompt a turn gets follows from its category and number; the file may hold more. The asymmetry of FastChat is
//! kept: in the first turn of a single judgment the instruction is in the user's message, elsewhere in the system's.

use super::Template;
use crate::{Result, read_lines};
use serde::Deserialize;
use std::{collections::BTreeMap, path::Path};

/// One prompt of the file.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What judgments call it.
    pub name: String,
    /// What the judge is told before.
    pub system: String,
    /// The user's message.
    pub template: Template,
}

/// The prompts of a file, by name.
#[derive(Clone, Debug)]
pub struct Prompts(BTreeMap<String, Prompt>);

/// What a judge is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The name of the prompt.
    pub name: String,
    /// The system's message.
    pub system: String,
    /// The user's.
    pub user: String,
}

/// What is put into a template, turn by turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields<'t> {
    /// The question's turns.
    pub question: &'t [String],
    /// The reference's, where one is shown.
    pub reference: &'t [String],
    /// The answer's, or those of the first of two.
    pub first: &'t [String],
    /// Those of the second of two.
    pub second: &'t [String],
}

#[derive(Deserialize)]
struct PromptRow {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    system_prompt: String,
    prompt_template: String,
    output_format: String,
}

/// Whether FastChat shows the judge a reference for this category.
pub fn wants_reference(category: &str) -> bool {
    matches!(category, "math" | "reasoning" | "coding" | "arena-hard-200")
}

/// The prompts of `judge_prompts.jsonl`. Of two with one name the last counts.
pub fn read_prompts(path: &Path) -> Result<Prompts> {
    let mut prompts = BTreeMap::new();
    for line in read_lines(path)? {
        let prompt = line.parse_by(path, prompt)?;
        prompts.insert(prompt.name.clone(), prompt);
    }
    Ok(Prompts(prompts))
}

fn prompt(row: PromptRow) -> std::result::Result<Prompt, String> {
    let (kind, output) = (row.kind.as_str(), row.output_format.as_str());
    if !matches!(
        (kind, output),
        ("single", "[[rating]]") | ("pairwise", "[[A]]")
    ) {
        return Err(format!(
            "a prompt of type {kind:?} with the output {output:?} is not known"
        ));
    }
    Ok(Prompt {
        name: row.name,
        system: row.system_prompt,
        template: Template::parse(&row.prompt_template)?,
    })
}

impl Prompts {
    /// The prompt of this name.
    pub fn named(&self, name: &str) -> Option<&Prompt> {
        self.0.get(name)
    }

    /// What is asked about a turn, counted from 1: with a second answer pairwise, with a reference guided by it.
    pub fn ask(&self, turn: usize, fields: &Fields<'_>) -> std::result::Result<Asked, String> {
        let pair = !fields.second.is_empty();
        let guided = !fields.reference.is_empty();
        let name = match (pair, guided) {
            (false, false) => "single-v1",
            (false, true) => "single-math-v1",
            (true, false) => "pair-v2",
            (true, true) => "pair-math-v1",
        };
        let name = match turn {
            1 => name.to_owned(),
            _ => format!("{name}-multi-turn"),
        };
        let prompt = self
            .named(&name)
            .ok_or_else(|| format!("there is no prompt {name}"))?;
        let user = prompt
            .template
            .fill(|field| place(field, fields).map(String::as_str))
            .map_err(|field| format!("there is no {field} for the prompt {name}"))?;
        Ok(Asked {
            name,
            system: prompt.system.clone(),
            user,
        })
    }
}

/// What stands at a place of a template.
fn place<'t>(name: &str, fields: &Fields<'t>) -> Option<&'t String> {
    let (base, turn) = match name.strip_suffix("_2") {
        Some(base) => (base, 1),
        None => (name.strip_suffix("_1").unwrap_or(name), 0),
    };
    let turns = match base {
        "question" => fields.question,
        "ref_answer" => fields.reference,
        "answer" | "answer_a" => fields.first,
        "answer_b" => fields.second,
        _ => return None,
    };
    turns.get(turn)
}
