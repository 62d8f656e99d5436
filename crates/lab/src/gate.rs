//! The gate: what the canaries came to, and whether that is what it was.
//!
//! `app` replays the [`Canary`] set and hands each outcome in as a [`Played`]; [`troubles`] holds them against what every
//! state must do (fixed texts come out as known, what is no guard's business stays as it is, no guard ships fewer
//! right answers than the model has alone) and against what was accepted before. Answers are greedy and the engine
//! gives the same bytes everywhere, so with the same file they are compared byte for byte; with another one, by rates
//! that may not get worse.

use crate::{Canary, Trial, digest::sha256};
use reckon_assistant::{Entry, GuardOutcome, Tools};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a replay of a canary set came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The version of Reckon.
    pub version: String,
    /// Digest of the set.
    pub canary: String,
    /// What became of each canary, by id.
    pub answers: BTreeMap<String, Played>,
}

/// What became of one canary: in a file, one line of four words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Played {
    /// The guards that had evidence, and what each came to.
    pub acted: BTreeMap<String, String>,
    /// Whether the model's own text is right, if that is known.
    pub raw_right: Option<bool>,
    /// Whether the text that shipped is.
    pub right: Option<bool>,
    /// Digest of the model's own text.
    pub raw: String,
    /// Digest of the text that shipped.
    pub text: String,
}

impl Played {
    /// Of an answer: what the model said, what shipped, what the guards did. `tools` are for checks that are programs.
    pub fn new(
        canary: &Canary,
        raw: &str,
        text: &str,
        guards: &[Entry],
        tools: &mut dyn Tools,
    ) -> Self {
        let acted = guards
            .iter()
            .filter(|one| one.outcome != GuardOutcome::Quiet);
        Self {
            acted: acted
                .map(|one| (one.guard.clone(), word(one.outcome).to_owned()))
                .collect(),
            raw_right: canary.is_right(raw, tools),
            right: canary.is_right(text, tools),
            raw: short(raw),
            text: short(text),
        }
    }
}

fn word(came: GuardOutcome) -> &'static str {
    match came {
        GuardOutcome::Quiet => "quiet",
        GuardOutcome::Kept => "kept",
        GuardOutcome::Confirmed => "confirmed",
        GuardOutcome::Revised => "revised",
        GuardOutcome::Flagged => "flagged",
    }
}

/// Enough of a digest to tell two answers apart.
fn short(text: &str) -> String {
    sha256(text)[..16].to_owned()
}

impl From<Played> for String {
    fn from(played: Played) -> Self {
        let right = |right| match right {
            Some(true) => "right",
            Some(false) => "wrong",
            None => "unknown",
        };
        let acted: Vec<Self> = played
            .acted
            .iter()
            .map(|(guard, came)| format!("{guard}:{came}"))
            .collect();
        let acted = match acted.is_empty() {
            true => "quiet".to_owned(),
            false => acted.join(","),
        };
        format!(
            "{acted} {}>{} {} {}",
            right(played.raw_right),
            right(played.right),
            played.raw,
            played.text
        )
    }
}

impl TryFrom<String> for Played {
    type Error = &'static str;

    fn try_from(line: String) -> Result<Self, Self::Error> {
        const FORM: &str = "not `guard:outcome,… raw>shipped digest digest`";
        let words: Vec<&str> = line.split(' ').collect();
        let [acted, rights, raw, text] = words[..] else {
            return Err(FORM);
        };
        let right = |word| match word {
            "right" => Ok(Some(true)),
            "wrong" => Ok(Some(false)),
            "unknown" => Ok(None),
            _ => Err(FORM),
        };
        let (raw_right, shipped) = rights.split_once('>').ok_or(FORM)?;
        let pair = |one: &str| -> Result<(String, String), Self::Error> {
            let (guard, came) = one.split_once(':').ok_or(FORM)?;
            Ok((guard.to_owned(), came.to_owned()))
        };
        Ok(Self {
            acted: match acted {
                "quiet" => BTreeMap::new(),
                _ => acted.split(',').map(pair).collect::<Result<_, _>>()?,
            },
            raw_right: right(raw_right)?,
            right: right(shipped)?,
            raw: raw.to_owned(),
            text: text.to_owned(),
        })
    }
}

/// Why the gate does not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// The guard that is to blame; nothing if it is the model.
    pub guard: Option<String>,
    /// What is wrong, as a fragment.
    pub what: String,
    /// The canaries that show it.
    pub canaries: Vec<String>,
}

/// How a guard did on the questions that were asked of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Questions made for it.
    pub triggered: usize,
    /// Of these, how many it had evidence in.
    pub looked: usize,
    /// Of these, how many answers the model had right by itself.
    pub raw_right: usize,
    /// How many were right when they shipped.
    pub right: usize,
    /// Control questions that it had evidence in.
    pub control: usize,
}

/// The rates of all guards that the set or the outcome names.
pub fn rates(set: &[Canary], gate: &Gate) -> BTreeMap<String, Rate> {
    let mut found: BTreeMap<String, Rate> = BTreeMap::new();
    let asked = set
        .iter()
        .filter(|one| matches!(one.trial, Trial::Asked(_)));
    for canary in asked {
        let Some(played) = gate.answers.get(&canary.id) else {
            continue;
        };
        let Some(guard) = &canary.guard else {
            for guard in played.acted.keys() {
                found.entry(guard.clone()).or_default().control += 1;
            }
            continue;
        };
        let rate = found.entry(guard.clone()).or_default();
        rate.triggered += 1;
        rate.looked += usize::from(played.acted.contains_key(guard));
        rate.raw_right += usize::from(played.raw_right == Some(true));
        rate.right += usize::from(played.right == Some(true));
    }
    found
}

/// What was accepted before, and how much of it still is the same.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// What the gate came to then.
    pub gate: &'a Gate,
    /// The file is the same: the model's own answers must be, too.
    pub same_file: bool,
    /// Everything is the same: so must everything be that comes of it.
    pub same_all: bool,
}

/// All that is wrong with an outcome; nothing is a pass. A question that was not asked is not judged.
pub fn troubles(set: &[Canary], before: Option<Before<'_>>, now: &Gate) -> Vec<Trouble> {
    let mut found = Troubles::default();
    for canary in set {
        match (now.answers.get(&canary.id), &canary.trial) {
            (Some(played), _) => absolute(canary, played, &mut found),
            (None, Trial::Fixed(_)) => found.add(
                canary.guard.as_deref(),
                "could not be replayed",
                Some(&canary.id),
            ),
            (None, Trial::Asked(_)) => {}
        }
    }
    worth(set, now, &mut found);
    // Another set has other rates; what must hold for any state was held above.
    if let Some(before) = before.filter(|before| before.gate.canary == now.canary) {
        compare_answers(set, before, now, &mut found);
        if !before.same_all {
            compare_rates(set, before.gate, now, &mut found);
        }
    }
    found.0
}

#[derive(Default)]
struct Troubles(Vec<Trouble>);

impl Troubles {
    /// One entry for each guard and kind of trouble, with all canaries that show it.
    fn add(&mut self, guard: Option<&str>, what: impl Into<String>, canary: Option<&str>) {
        let (guard, what) = (guard.map(str::to_owned), what.into());
        let canary = canary.map(str::to_owned);
        let same = |one: &&mut Trouble| one.guard == guard && one.what == what;
        match self.0.iter_mut().find(same) {
            Some(one) => one.canaries.extend(canary),
            None => self.0.push(Trouble {
                guard,
                what,
                canaries: canary.into_iter().collect(),
            }),
        }
    }
}

/// What must hold whatever the model.
fn absolute(canary: &Canary, played: &Played, troubles: &mut Troubles) {
    let id = Some(canary.id.as_str());
    let guard = canary.guard.as_deref();
    match &canary.trial {
        Trial::Fixed(fixed) => {
            let came = guard.and_then(|guard| played.acted.get(guard));
            match fixed.comes_to {
                Some(wanted) if came.map(String::as_str) != Some(word(wanted)) => {
                    troubles.add(
                        guard,
                        format!("does not come to `{}` on a fixed text", word(wanted)),
                        id,
                    );
                }
                Some(_) if played.right == Some(false) => {
                    troubles.add(guard, "ships the wrong text for a fixed one", id);
                }
                None if came.is_some() => {
                    troubles.add(guard, "acts on a fixed text that is not its business", id);
                }
                None if played.raw != played.text => {
                    troubles.add(
                        None,
                        "a fixed text that is nobody's business was changed",
                        id,
                    );
                }
                _ => {}
            }
        }
        Trial::Asked(_) if guard.is_none() && played.raw != played.text => {
            let revised = |(_, came): &(&String, &String)| *came == word(GuardOutcome::Revised);
            let mut blamed = played.acted.iter().filter(revised).peekable();
            if blamed.peek().is_none() {
                troubles.add(None, "an answer that is nobody's business was changed", id);
            }
            for (guard, _) in blamed {
                let what = "changes an answer that is not its business";
                troubles.add(Some(guard), what, id);
            }
        }
        Trial::Asked(_) => {}
    }
}

/// A guard must be worth having: what ships may not be right less often than what the model said.
fn worth(set: &[Canary], now: &Gate, troubles: &mut Troubles) {
    for (guard, rate) in rates(set, now) {
        if rate.right >= rate.raw_right {
            continue;
        }
        let what = format!(
            "ships {} right answers of {}, the model alone has {}",
            rate.right, rate.triggered, rate.raw_right
        );
        for canary in set.iter().filter(|one| one.guard.as_ref() == Some(&guard)) {
            let played = now.answers.get(&canary.id);
            let is_spoilt = |one: &&Played| one.raw_right == Some(true) && one.right == Some(false);
            if played.filter(is_spoilt).is_some() && matches!(canary.trial, Trial::Asked(_)) {
                troubles.add(Some(&guard), what.clone(), Some(&canary.id));
            }
        }
    }
}

/// Canary by canary, where that must be the same.
fn compare_answers(set: &[Canary], before: Before<'_>, now: &Gate, troubles: &mut Troubles) {
    for canary in set {
        let id = canary.id.as_str();
        let (Some(was), Some(is)) = (before.gate.answers.get(id), now.answers.get(id)) else {
            continue;
        };
        let fixed = matches!(canary.trial, Trial::Fixed(_));
        if before.same_file && !fixed && was.raw != is.raw {
            troubles.add(None, "another answer of the same model file", Some(id));
            continue;
        }
        if !before.same_all && !fixed {
            continue;
        }
        let guards: BTreeSet<&String> = was.acted.keys().chain(is.acted.keys()).collect();
        let moved: Vec<&&String> = guards
            .iter()
            .filter(|guard| was.acted.get(**guard) != is.acted.get(**guard))
            .collect();
        for guard in &moved {
            troubles.add(Some(guard), "comes to something else than before", Some(id));
        }
        if moved.is_empty() && was.text != is.text {
            let guard = is.acted.keys().next().map(String::as_str);
            troubles.add(guard, "ships another text than before", Some(id));
        }
    }
}

/// Guard by guard, where answers may differ.
fn compare_rates(set: &[Canary], was: &Gate, now: &Gate, troubles: &mut Troubles) {
    let (was, is) = (rates(set, was), rates(set, now));
    for (guard, was) in &was {
        let Some(is) = is.get(guard) else { continue };
        let n = was.triggered;
        if is.looked < was.looked {
            let what = format!(
                "sees {} of {n} of its questions, {} before",
                is.looked, was.looked
            );
            troubles.add(Some(guard), what, None);
        }
        if is.right < was.right {
            let what = format!(
                "{} of {n} of its answers are right, {} before",
                is.right, was.right
            );
            troubles.add(Some(guard), what, None);
        }
    }
    for (guard, is) in &is {
        let was = was.get(guard).map_or(0, |was| was.control);
        if is.control > was {
            let what = format!("looks at {} control answers, {was} before", is.control);
            troubles.add(Some(guard), what, None);
        }
    }
}
