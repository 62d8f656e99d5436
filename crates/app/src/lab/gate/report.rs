//! What the gate found, for people and as JSON, and the exit code that follows from it.
use crate::{Failure, drift};
use reckon_lab::{Canary, Change, Gate, Played, Trial, Trouble, rates};
use serde_json::json;
use std::{
    collections::BTreeSet,
    io::{self, Write},
};

/// All that was found.
pub(super) struct Report<'a> {
    /// The model as the lock calls it; nothing if none was run.
    pub(super) name: Option<String>,
    /// As it was asked for.
    pub(super) model: String,
    /// What it was compared with.
    pub(super) from: Option<&'static str>,
    /// There is a lock without it; the nearest in it.
    pub(super) unlisted: Option<String>,
    pub(super) changes: Vec<Change>,
    pub(super) affected: BTreeSet<String>,
    pub(super) set: &'a [Canary],
    pub(super) gate: &'a Gate,
    pub(super) troubles: Vec<Trouble>,
}

impl Report<'_> {
    /// Prints it and says how the command ends.
    pub(super) fn end(&self, json: bool) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        match json {
            true => writeln!(out, "{}", self.row())?,
            false => self.print(&mut out)?,
        }
        match self.failure() {
            Some(failure) => Err(failure.into()),
            None => Ok(()),
        }
    }

    fn row(&self) -> serde_json::Value {
        let (fixed, right) = self.fixed();
        let (control, same, looked) = self.control();
        json!({
            "model": self.name, "ok": self.failure().is_none(), "held": self.troubles.is_empty(),
            "compared_with": self.from, "in_lock": self.from == Some("reckon.lock") && self.unlisted.is_none(),
            "changes": self.changes, "affected": self.affected, "troubles": self.troubles,
            "fixed": { "n": fixed, "right": right },
            "control": { "n": control, "same_bytes": same, "looked": looked },
            "guards": rates(self.set, self.gate),
        })
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let (fixed, right) = self.fixed();
        writeln!(out, "fixed texts  {right} of {fixed} as they must be")?;
        for (guard, rate) in rates(self.set, self.gate) {
            writeln!(
                out,
                "{guard:12} looks at {} of {} questions; right: {} of the model, {} shipped",
                rate.looked, rate.triggered, rate.raw_right, rate.right
            )?;
        }
        let (control, same, looked) = self.control();
        if control > 0 {
            writeln!(
                out,
                "control      {control} answers, {same} the same bytes with and without guards, {looked} looked at"
            )?;
        }
        if let Some(from) = self.from.filter(|_| !self.changes.is_empty()) {
            writeln!(
                out,
                "changed      since {from}: {}",
                drift::parts(&self.changes)
            )?;
            let affected: Vec<&str> = self.affected.iter().map(String::as_str).collect();
            writeln!(out, "affected     {}", affected.join(", "))?;
        }
        for trouble in &self.troubles {
            let guard = trouble.guard.as_deref().unwrap_or("model");
            writeln!(
                out,
                "FAILED       {guard}: {}{}",
                trouble.what,
                shown(trouble)
            )?;
        }
        Ok(())
    }

    /// Why the gate does not pass, in one line.
    fn failure(&self) -> Option<Failure> {
        let mut why: Vec<String> = Vec::new();
        let from = self.from.unwrap_or("before");
        let name = self.name.as_deref().unwrap_or("the guards");
        match &self.unlisted {
            Some(nearest) if self.changes.is_empty() => {
                why.push(format!(
                    "{name} is not in reckon.lock; it is {nearest} under another name"
                ));
            }
            Some(nearest) => {
                let parts = drift::parts(&self.changes);
                why.push(format!(
                    "{name} is not in reckon.lock; of {nearest} differ {parts}"
                ));
            }
            None if !self.changes.is_empty() => {
                let parts = drift::parts(&self.changes);
                why.push(format!("{parts} of {name} changed since {from}"));
            }
            None => {}
        }
        for trouble in &self.troubles {
            let guard = trouble.guard.as_deref().unwrap_or("model");
            why.push(format!("{guard}: {}", trouble.what));
        }
        if why.is_empty() {
            return None;
        }
        let failure = Failure::failed(format!("the gate does not pass: {}", why.join("; ")));
        Some(match (&self.name, self.troubles.is_empty()) {
            (Some(_), true) => failure.hint(format!(
                "all canaries hold: `reckon models lock {}` accepts this state",
                self.model
            )),
            (Some(_), false) => failure.hint("`reckon models verify` shows what changed"),
            (None, _) => failure.hint("`reckon lab gate --model M` tries it with a model"),
        })
    }

    /// How many fixed canaries there are, and how many without trouble.
    fn fixed(&self) -> (usize, usize) {
        let fixed = self
            .set
            .iter()
            .filter(|one| matches!(one.trial, Trial::Fixed(_)));
        let ids: Vec<&String> = fixed.map(|one| &one.id).collect();
        let bad = |id: &&&String| self.troubles.iter().any(|one| one.canaries.contains(id));
        (ids.len(), ids.len() - ids.iter().filter(bad).count())
    }

    /// Control questions: how many, how many with the same bytes, how many that a guard looked at.
    fn control(&self) -> (usize, usize, usize) {
        let control = self.set.iter().filter(|one| one.guard.is_none());
        let played: Vec<&Played> = control
            .filter_map(|one| self.gate.answers.get(&one.id))
            .collect();
        let same = played.iter().filter(|one| one.raw == one.text).count();
        let looked = played.iter().filter(|one| !one.acted.is_empty()).count();
        (played.len(), same, looked)
    }
}

fn shown(trouble: &Trouble) -> String {
    match trouble.canaries.is_empty() {
        true => String::new(),
        false => format!(" ({})", trouble.canaries.join(", ")),
    }
}
