//! The canaries: questions and texts whose outcome is known by reading, for every guard, and everyday ones for none.
//!
//! Two kinds. A *fixed* one needs no model: a script says the answer and, when a guard asks again, the second one, and
//! what must ship is known; tools are real. An *asked* one goes to the model; its answer is scored without a judge. Both
//! come triggered (made for a guard) and control (no guard's business). The built-in set is ours, sentence by
//! sentence; [`read_canaries`] takes another one for the asked part.

mod asked;
mod fixed;
mod script;

use crate::{Played, Question, Result, digest::sha256, read_questions};
use reckon_assistant::{
    Ask, Pipeline, Tools, check,
    detect::{persona, qualifier},
};
use reckon_engine::{Message, Role, Sampling};
use std::{ops::ControlFlow, path::Path};

pub use fixed::Fixed;

/// One canary.
#[derive(Clone, Debug)]
pub struct Canary {
    /// Names it in `reckon.lock`.
    pub id: String,
    /// The guard that it is made for; nothing is a control.
    pub guard: Option<String>,
    /// What happens.
    pub trial: Trial,
}

/// What happens to a canary.
#[derive(Clone, Debug)]
pub enum Trial {
    /// A script answers.
    Fixed(Fixed),
    /// The model answers.
    Asked(Question),
}

impl Canary {
    /// What is asked.
    pub fn prompt(&self) -> &str {
        match &self.trial {
            Trial::Fixed(fixed) => &fixed.prompt,
            Trial::Asked(question) => question.turns.first().map_or("", String::as_str),
        }
    }

    /// Whether a text is what it must be, as far as reading can tell.
    pub fn is_right(&self, text: &str, tools: &mut dyn Tools) -> Option<bool> {
        match &self.trial {
            Trial::Fixed(fixed) => Some(text.contains(&fixed.ships)),
            Trial::Asked(question) => question
                .is_right(1, text, tools)
                .or_else(|| self.holds(text)),
        }
    }

    /// What the guard's own eyes say of a text.
    fn holds(&self, text: &str) -> Option<bool> {
        let prompt = self.prompt();
        match self.guard.as_deref()? {
            "constraints" => {
                let found = check::find(prompt);
                let holds = |one: &check::Requirement| one.verify(text) == check::Compliance::Pass;
                (!found.is_empty()).then(|| found.iter().all(holds))
            }
            "persona" => Some(persona::look(prompt, text).is_none()),
            "qualifier" => Some(qualifier::look(prompt, text).is_none()),
            _ => None,
        }
    }
}

/// The built-in set, fixed ones first.
pub fn canaries() -> Vec<Canary> {
    let mut all = fixed::canaries();
    all.extend(asked::canaries());
    all
}

/// The fixed ones, and the questions of a file as the asked ones: a question's category is the guard that it is made
/// for; `control`, or none, is a control. Only first turns are asked.
pub fn read_canaries(path: &Path) -> Result<Vec<Canary>> {
    let mut all = fixed::canaries();
    for question in read_questions(path)? {
        all.push(Canary {
            id: question.id.clone(),
            guard: question.category.clone().filter(|name| name != "control"),
            trial: Trial::Asked(question),
        });
    }
    Ok(all)
}

/// Digest of a set: other sentences, other digest.
pub fn canary_digest(set: &[Canary]) -> String {
    let text = |canary: &Canary| {
        let Canary { id, guard, trial } = canary;
        match trial {
            Trial::Fixed(fixed) => format!("{id:?} {guard:?} {fixed:?}\n"),
            Trial::Asked(Question { turns, checks, .. }) => {
                format!("{id:?} {guard:?} {turns:?} {checks:?}\n")
            }
        }
    };
    sha256(set.iter().map(text).collect::<String>())
}

/// Replays the fixed ones on these guards and tools, in the order of the set.
pub fn replay_fixed(
    set: &[Canary],
    pipeline: &Pipeline,
    tools: &mut dyn Tools,
) -> Vec<(String, Played)> {
    let mut played = Vec::new();
    for canary in set {
        let Trial::Fixed(fixed) = &canary.trial else {
            continue;
        };
        let ask = Ask {
            messages: vec![Message {
                role: Role::User,
                content: fixed.prompt.clone(),
            }],
            prefix: String::new(),
            shape: None,
            sampling: Sampling {
                temperature: 0.0,
                ..Sampling::default()
            },
            max_tokens: None,
        };
        let mut model = script::Script::new([&fixed.answer, &fixed.second]);
        let go_on = &mut |_: reckon_assistant::Event<'_>| ControlFlow::Continue(());
        // A script does not fail; if the pipeline did, the canary counts as not played and is reported as missing.
        if let Ok(reply) = pipeline.answer(&mut model, tools, &ask, go_on) {
            let receipt = &reply.receipt;
            let row = Played::new(
                canary,
                &reply.generation.text,
                &reply.text,
                &receipt.guards,
                tools,
            );
            played.push((canary.id.clone(), row));
        }
    }
    played
}
