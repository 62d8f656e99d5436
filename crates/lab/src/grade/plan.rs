//! Plans a blind grading: which answer is shown when, sealed before anything is.
//!
//! An item is one answer, or two side by side. Systems that said the same, in this turn and all before it, share an
//! item, so a text is graded once and counts for all of them. Order, sides and sample follow from sha256 over the seed
//! and the item: the order of files and rows does not matter, and the same seed gives the same plan everywhere.

use crate::{Error, Question, Result, fastchat::Answers};
use reckon::models::sha256_of;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Most items of a plan: more than anybody grades.
const ITEMS: usize = 100_000;
/// The form of the plan.
const VERSION: u32 = 1;

/// What a person asks for; a grading that is gone on with must agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Two answers side by side instead of scores.
    pub pairs: bool,
    /// Seed of the order.
    pub seed: Option<u64>,
    /// Grade only so many questions.
    pub sample: Option<usize>,
}

/// Which item is whose, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The form of this plan.
    pub version: u32,
    /// Whether two answers are shown side by side.
    pub pairs: bool,
    /// What the order follows from.
    pub seed: u64,
    /// Questions that were drawn, if not all.
    pub sample: Option<usize>,
    /// Names, by number.
    pub systems: Vec<String>,
    /// In their order.
    pub items: Vec<Item>,
    /// Turns to which systems said the same: for pairs these are ties that nobody need look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<Item>,
}

/// One thing to grade.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Id of the question.
    pub question: String,
    /// Its turn, from 1.
    pub turn: usize,
    /// Sha256 of what was asked up to this turn, as a JSON list.
    pub asked: String,
    /// One answer, or the left and the right one.
    pub sides: Vec<Side>,
}

/// An answer and who gave it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Sha256 of the answers up to this turn, as a JSON list.
    pub sha256: String,
    /// Numbers of the systems that gave it.
    pub systems: Vec<usize>,
}

impl Plan {
    /// The plan for these systems; questions that not every system has answered are left out.
    pub fn new(
        systems: &[Answers],
        questions: &[Question],
        pairs: bool,
        seed: u64,
        sample: Option<usize>,
    ) -> Result<Self> {
        let systems_known = check(systems, questions, pairs);
        systems_known.map_err(Error::Plan)?;
        let mut common: Vec<(&Question, usize)> = questions
            .iter()
            .map(|question| (question, turns(systems, question)))
            .filter(|(_, turns)| *turns > 0)
            .collect();
        if let Some(sample) = sample {
            common.sort_by_cached_key(|(question, _)| key(&(seed, "sample", &question.id)));
            common.truncate(sample);
        }
        let mut plan = Self {
            version: VERSION,
            pairs,
            seed,
            sample,
            systems: systems.iter().map(|system| system.model.clone()).collect(),
            items: Vec::new(),
            same: Vec::new(),
        };
        for (question, turns) in common {
            for turn in 1..=turns {
                plan.add(systems, question, turn);
            }
            if plan.items.len() > ITEMS {
                let why = format!("more than {ITEMS} items: take a --sample");
                return Err(Error::Plan(why));
            }
        }
        if plan.items.is_empty() && plan.same.is_empty() {
            let why = "no question that every system has answered";
            return Err(Error::Plan(why.into()));
        }
        plan.order();
        Ok(plan)
    }

    /// The plan as it is sealed.
    pub fn bytes(&self) -> Vec<u8> {
        json(self)
    }

    /// A sealed plan; what is wrong with it otherwise.
    pub(super) fn parse(bytes: &[u8]) -> std::result::Result<Self, String> {
        let plan: Self =
            serde_json::from_slice(bytes).map_err(|error| format!("not a seal: {error}"))?;
        if plan.version != VERSION {
            return Err(format!("a seal of version {}", plan.version));
        }
        let sides = if plan.pairs { 2 } else { 1 };
        let fits = |item: &Item| {
            let known = |side: &Side| {
                let inside = side.systems.iter().all(|&at| at < plan.systems.len());
                inside && !side.systems.is_empty()
            };
            item.sides.iter().all(known)
        };
        let whole = plan.items.len() <= ITEMS
            && plan.items.iter().all(|item| item.sides.len() == sides)
            && plan.items.iter().chain(&plan.same).all(fits);
        whole.then_some(plan).ok_or("not a seal".into())
    }

    /// How what is given now differs from what was sealed, if it does.
    pub(super) fn differs(
        &self,
        systems: &[Answers],
        questions: &[Question],
        setup: &Setup,
    ) -> Result<Option<String>> {
        let other_sample = setup.sample.is_some() && setup.sample != self.sample;
        let other_seed = setup.seed.is_some_and(|seed| seed != self.seed);
        if other_sample || other_seed || setup.pairs && !self.pairs {
            let why = "sealed with another --seed, --sample or --pairs";
            return Ok(Some(why.into()));
        }
        let names: Vec<&str> = systems.iter().map(|system| system.model.as_str()).collect();
        if names != self.systems {
            // The names are not said: who grades may be reading.
            return Ok(Some(
                "the files of answers are not those it was made from".into(),
            ));
        }
        let now = Self::new(systems, questions, self.pairs, self.seed, self.sample)?;
        if now == *self {
            return Ok(None);
        }
        let sealed: HashMap<_, _> = self.texts().collect();
        let changed = now
            .texts()
            .find(|(at, texts)| sealed.get(at) != Some(texts));
        Ok(Some(match changed {
            Some(((question, turn), _)) => {
                format!("question {question}, turn {turn}: not the text that was sealed")
            }
            None => "the plan is not the one that follows from these files".into(),
        }))
    }

    /// What was asked and answered, by question and turn, in no order of the plan.
    fn texts(&self) -> impl Iterator<Item = ((&str, usize), BTreeMap<&str, &str>)> {
        let mut texts: BTreeMap<(&str, usize), BTreeMap<&str, &str>> = BTreeMap::new();
        for item in self.items.iter().chain(&self.same) {
            let here = texts.entry((&item.question, item.turn)).or_default();
            here.insert("", &item.asked);
            for side in &item.sides {
                for &system in &side.systems {
                    here.insert(&self.systems[system], &side.sha256);
                }
            }
        }
        texts.into_iter()
    }

    fn add(&mut self, systems: &[Answers], question: &Question, turn: usize) {
        let asked = key(&&question.turns[..turn]);
        let mut said: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, system) in systems.iter().enumerate() {
            let texts = &system.turns[&question.id][..turn];
            said.entry(key(&texts)).or_default().push(at);
        }
        let sides = said
            .into_iter()
            .map(|(sha256, systems)| Side { sha256, systems });
        let sides: Vec<Side> = sides.collect();
        let item = |sides| Item {
            question: question.id.clone(),
            turn,
            asked: asked.clone(),
            sides,
        };
        if !self.pairs {
            self.items
                .extend(sides.into_iter().map(|side| item(vec![side])));
            return;
        }
        for (at, one) in sides.iter().enumerate() {
            for other in &sides[at + 1..] {
                let turned = key(&(self.seed, "side", &asked, &one.sha256, &other.sha256));
                let mut both = vec![one.clone(), other.clone()];
                if turned.as_bytes().last().is_some_and(|digit| digit % 2 == 1) {
                    both.reverse();
                }
                self.items.push(item(both));
            }
        }
        let same = sides.into_iter().filter(|side| side.systems.len() > 1);
        self.same.extend(same.map(|side| item(vec![side])));
    }

    fn order(&mut self) {
        let seed = self.seed;
        let place = |item: &Item| {
            let mut texts: Vec<&str> = item.sides.iter().map(|side| &*side.sha256).collect();
            texts.sort_unstable();
            key(&(seed, "order", &item.question, item.turn, texts))
        };
        self.items.sort_by_cached_key(place);
        self.same.sort_by_cached_key(place);
    }
}

/// Whether these systems can be graded on these questions.
fn check(
    systems: &[Answers],
    questions: &[Question],
    pairs: bool,
) -> std::result::Result<(), String> {
    if systems.is_empty() || pairs && systems.len() < 2 {
        return Err("too few systems".into());
    }
    if let Some(twice) = systems.windows(2).find(|two| two[0].model == two[1].model) {
        return Err(format!("two files give a system {}", twice[0].model));
    }
    let known: HashMap<&str, usize> = questions
        .iter()
        .map(|question| (question.id.as_str(), question.turns.len()))
        .collect();
    for system in systems {
        if system.turns.is_empty() {
            return Err(format!("{}: no answers", system.model));
        }
        for (id, answers) in &system.turns {
            match known.get(id.as_str()) {
                None => return Err(format!("an answer to question {id}, which is not there")),
                Some(turns) if answers.len() > *turns => {
                    let n = answers.len();
                    return Err(format!("{n} answers to the {turns} turns of question {id}"));
                }
                Some(_) => {}
            }
        }
    }
    Ok(())
}

/// Turns that every system has answered.
fn turns(systems: &[Answers], question: &Question) -> usize {
    let answered = |system: &Answers| system.turns.get(&question.id).map_or(0, Vec::len);
    systems.iter().map(answered).min().unwrap_or(0)
}

/// Sha256 of a value as JSON: fields cannot run into one another.
fn key(value: &impl Serialize) -> String {
    sha256_of(json(value))
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
