//! Judge prompts: fills a prompt file with a question and answers, byte for byte as FastChat does.
//!
//! Which prompt a turn gets follows from its category and number; the file may hold more. The asymmetry of FastChat is
//! kept: in the first turn of a single judgment the instruction is in the user's message, elsewhere in the system's.

use super::Template;
use crate::{
    Result,
    jsonl::{Line, lines},
    read_lines,
};
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
    prompts(read_lines(path)?, path)
}

/// Our own rubric, for questions that bring none: the points have a meaning each, and being right comes first.
pub fn rubric() -> Result<Prompts> {
    let path = Path::new("rubric.jsonl");
    prompts(lines(include_bytes!("rubric.jsonl"), path)?, path)
}

fn prompts(lines: Vec<Line>, path: &Path) -> Result<Prompts> {
    let mut prompts = BTreeMap::new();
    for line in lines {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rubric_has_a_prompt_for_every_kind_of_judgment() {
        let rubric = rubric().expect("it is part of the program");
        let turns = |text: &str| vec![format!("{text} 1"), format!("{text} 2")];
        let (question, answer) = (turns("q"), turns("a"));
        let (reference, other) = (turns("r"), turns("b"));
        for (reference, second) in [
            (&[][..], &[][..]),
            (&reference[..], &[][..]),
            (&[][..], &other[..]),
            (&reference[..], &other[..]),
        ] {
            for turn in [1, 2] {
                let fields = Fields {
                    question: &question,
                    reference,
                    first: &answer,
                    second,
                };
                let asked = rubric.ask(turn, &fields).expect("a prompt");
                let text = asked.system + &asked.user;
                assert!(text.contains(&format!("a {turn}")), "{text}");
                assert_eq!(text.contains(&format!("r {turn}")), !reference.is_empty());
                assert_eq!(text.contains(&format!("b {turn}")), !second.is_empty());
                let form = if second.is_empty() { "[[5]]" } else { "[[C]]" };
                assert!(text.contains(form), "{text}");
            }
        }
    }
}
