//! The canaries: questions and texts whose outcome is known, for every guard, and everyday ones for none.
//!
//! Two kinds. A *scripted* one needs no model: a script says the first answer and, when a guard asks, the second, and what
//! must ship is known; tools are real. Its control looks like a case for its guard and is none. An *asked* one goes to
//! the model, and its answer is scored without a judge; answers are short, because one that is cut is judged by no guard.
//!
//! The built-in set is data, `canary/canaries.jsonl`, ours sentence by sentence: rows of a question file whose `category` is
//! a guard or `control`; a row with a `script` is scripted and says which `outcome` its guard must have (none: it stays
//! quiet) and a part of the text that `ships`. Its `checks`, if it has any, say what would be right: a mark is held against
//! them, because what must ship may be wrong. [`read_canaries`] takes other questions for the asked part.

use crate::{
    Check, Question, Result, check, jsonl,
    lock::{CanaryMark, CanaryResult},
    questions::{parse_question, read_questions},
    requirement,
};
use reckon::assistant::{
    Ask, CheckLevel, Event, OnEvent, Pipeline, Receipt, TextModel, Tools,
    detect::{persona, qualifier},
};
use reckon::engine::{Finish, Generation, Message, Sampling};
use reckon::models::sha256_of;
use serde::{Deserialize, Serialize};
use std::{ops::ControlFlow, path::Path};

/// One canary.
#[derive(Clone, Debug)]
pub struct Canary {
    /// Names it in `reckon.lock`.
    pub id: String,
    /// The guard that it is made for; nothing is a control.
    pub guard: Option<String>,
    /// Who answers, and what must come of it.
    pub trial: Trial,
}

/// Who answers a canary.
#[derive(Clone, Debug)]
pub enum Trial {
    /// A script.
    Scripted(Script),
    /// The model.
    Asked(Question),
}

/// A conversation that a script plays.
#[derive(Clone, Debug, Deserialize)]
pub struct Script {
    /// What is asked.
    pub prompt: String,
    /// What the script says first, and what it says when a guard asks.
    pub script: Vec<String>,
    /// What the guard must come to, as receipts call it; nothing if it must stay quiet.
    pub outcome: Option<String>,
    /// Part of the text that must ship.
    pub ships: String,
    /// What a right answer fulfils, whatever must ship.
    #[serde(skip)]
    pub checks: Vec<Check>,
}

impl Canary {
    /// What is asked.
    pub fn prompt(&self) -> &str {
        match &self.trial {
            Trial::Scripted(script) => &script.prompt,
            Trial::Asked(question) => question.turns.first().map_or("", String::as_str),
        }
    }

    /// Whether a script answers.
    pub fn is_scripted(&self) -> bool {
        matches!(self.trial, Trial::Scripted(_))
    }

    /// Whether a text is what it must be, as far as reading can tell.
    pub fn is_right(&self, text: &str, tools: &mut dyn Tools) -> Option<bool> {
        self.grade(text, text, tools).1
    }

    /// Whether the model's own text is what it must be, and what shipped in its place.
    fn grade(&self, raw: &str, text: &str, tools: &mut dyn Tools) -> (Option<bool>, Option<bool>) {
        match &self.trial {
            Trial::Scripted(script) => {
                let ships = |text: &str| Some(text.contains(&script.ships));
                (ships(raw), ships(text))
            }
            Trial::Asked(question) if question.graded_by(1).is_some() => {
                question.grade(1, raw, text, tools)
            }
            Trial::Asked(_) => (self.detected_right(raw), self.detected_right(text)),
        }
    }

    /// Whether nobody but the guard's own detector says what is right: a gain of that guard is then booked by itself.
    pub fn is_self_graded(&self) -> bool {
        match &self.trial {
            Trial::Scripted(_) => false,
            Trial::Asked(question) => {
                question.graded_by(1).is_none() && self.detected_right("").is_some()
            }
        }
    }

    /// What the guard's own detector says of a text.
    fn detected_right(&self, text: &str) -> Option<bool> {
        let prompt = self.prompt();
        match self.guard.as_deref()? {
            "persona" => Some(persona::look(prompt, text).is_none()),
            "qualifier" => Some(qualifier::look(prompt, text).is_none()),
            _ => None,
        }
    }

    /// The result for the lock: what the model said, what shipped, what the guards did.
    pub fn result(
        &self,
        raw: &str,
        text: &str,
        receipt: &Receipt,
        tools: &mut dyn Tools,
    ) -> CanaryResult {
        let acted = receipt
            .guards
            .iter()
            .filter(|one| !one.outcome.is_idle())
            .map(|one| (one.guard.clone(), word(&one.outcome)));
        // Enough of a digest to tell two answers apart.
        let short = |text: &str| sha256_of(text)[..16].to_owned();
        let (raw_right, right) = self.grade(raw, text, tools);
        CanaryResult {
            acted: acted.collect(),
            raw_right,
            right,
            raw: short(raw),
            text: short(text),
            mark: receipt.mark.as_ref().map(|mark| CanaryMark {
                state: mark.state,
                right: self.is_true(text, tools),
            }),
        }
    }

    /// Whether a text comes to what is so, as the canary's own checks say; nothing without any.
    fn is_true(&self, text: &str, tools: &mut dyn Tools) -> Option<bool> {
        match &self.trial {
            Trial::Scripted(script) => check::all(&script.checks, text, tools),
            Trial::Asked(question) => question.is_right(1, text, tools),
        }
    }
}

/// An outcome as receipts call it.
fn word(outcome: &impl Serialize) -> String {
    let word = serde_json::to_value(outcome).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}

/// The built-in set, scripted ones first.
pub fn canaries() -> Vec<Canary> {
    let rows = include_bytes!("canary/canaries.jsonl");
    // The file is part of the program; that all of it is read is tested.
    let rows = jsonl::lines(rows, Path::new("canaries.jsonl")).unwrap_or_default();
    let canary = |row: jsonl::Line| {
        let question = parse_question(&row.value, row.number).ok()?;
        let mut canary = asked(question.clone());
        if row.value.get("script").is_some() {
            let script: Script = serde_json::from_value(row.value).ok()?;
            let checks = question.checks.into_iter().next().unwrap_or_default();
            canary.trial = Trial::Scripted(Script { checks, ..script });
        }
        Some(canary)
    };
    rows.into_iter().filter_map(canary).collect()
}

/// The scripted ones, and the questions of a file as the asked ones: a question's category is the guard that it is made
/// for; `control`, or none, is a control. Only first turns are asked.
pub fn read_canaries(path: &Path) -> Result<Vec<Canary>> {
    let scripted = canaries().into_iter().filter(Canary::is_scripted);
    Ok(scripted
        .chain(read_questions(path)?.into_iter().map(asked))
        .collect())
}

fn asked(mut question: Question) -> Canary {
    // What a canary of this guard asks for is read from its words if the file does not say it, and never by the guard.
    let unsaid = question.graded_by(1).is_none();
    if unsaid && question.category.as_deref() == Some("constraints") {
        let prompt = question.turns.first().map_or("", String::as_str);
        question.checks = vec![vec![Check::Constraints(requirement::asked(prompt))]];
    }
    Canary {
        id: question.id.clone(),
        guard: question.category.clone().filter(|name| name != "control"),
        trial: Trial::Asked(question),
    }
}

/// Digest of a set: other sentences, other digest.
pub fn canary_digest(set: &[Canary]) -> String {
    let text = |Canary { id, guard, trial }: &Canary| match trial {
        Trial::Scripted(Script {
            prompt,
            script,
            outcome,
            ships,
            checks,
        }) => {
            format!("{id:?} {guard:?} {prompt:?} {script:?} {outcome:?} {ships:?} {checks:?}\n")
        }
        Trial::Asked(Question { turns, checks, .. }) => {
            format!("{id:?} {guard:?} {turns:?} {checks:?}\n")
        }
    };
    sha256_of(set.iter().map(text).collect::<String>())
}

/// What a canary's prompt is asked as: greedy and with plain settings, so that the same file gives the same bytes.
pub fn canary_ask(prompt: &str, max_tokens: Option<usize>) -> Ask {
    Ask {
        messages: vec![Message::user(prompt)],
        sampling: Sampling {
            temperature: 0.0,
            ..Sampling::default()
        },
        max_tokens,
        check: CheckLevel::Quick,
        ..Ask::default()
    }
}

/// Replays the scripted ones on these guards and tools, in the order of the set.
pub fn replay_scripted(
    set: &[Canary],
    pipeline: &Pipeline,
    tools: &mut dyn Tools,
) -> Vec<(String, CanaryResult)> {
    let mut results = Vec::new();
    for canary in set {
        let Trial::Scripted(script) = &canary.trial else {
            continue;
        };
        let mut model = ScriptedModel {
            texts: &script.script,
            asked: 0,
        };
        let go_on = &mut |_: Event<'_>| ControlFlow::Continue(());
        // A script does not fail; if the pipeline did, the canary has no result and is reported as not replayed.
        let reply = pipeline.answer(&mut model, tools, &canary_ask(&script.prompt, None), go_on);
        if let Ok(reply) = reply {
            let receipt = &reply.receipt;
            let raw = &reply.generation.text;
            let result = canary.result(raw, &reply.text, receipt, tools);
            results.push((canary.id.clone(), result));
        }
    }
    results
}

/// A model that says one text after the other, the last one again and again.
struct ScriptedModel<'a> {
    texts: &'a [String],
    asked: usize,
}

impl TextModel for ScriptedModel<'_> {
    fn count(&self, messages: &[Message]) -> reckon::assistant::Result<usize> {
        Ok(messages.iter().map(|message| message.content.len()).sum())
    }

    fn generate(
        &mut self,
        _: &Ask,
        on_event: &mut OnEvent<'_>,
    ) -> reckon::assistant::Result<Generation> {
        let at = self.asked.min(self.texts.len().saturating_sub(1));
        self.asked += 1;
        let text = self.texts.get(at).cloned().unwrap_or_default();
        let stopped = on_event(reckon::engine::Event::Text(&text)).is_break();
        Ok(Generation {
            finish: if stopped {
                Finish::Cancelled
            } else {
                Finish::Stop
            },
            text,
            ..Generation::default()
        })
    }
}
