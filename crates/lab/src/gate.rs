//! The gate: whether the canaries come to what they must, and to what was accepted before.
//!
//! Each [`Canary`] was replayed into a [`CanaryResult`]; [`gate_failures`] holds them against what every state must do
//! (scripted texts come out as known, what is no guard's business stays as it is, no guard ships fewer right answers than
//! the model has alone) and against what was accepted. Answers are greedy and the engine gives the same bytes everywhere,
//! so with the same file they are compared byte for byte; with another one, by rates that may not get worse. What marks
//! promise is held against right answers in `gate/marks.rs`.

mod marks;

pub use marks::{MarkTrend, Trend};

use crate::{
    Canary, Script, Trial,
    lock::{
        CanaryResult, CanaryResults, GateHistory, GuardVersions, Lock, LockDiff, LockedModel,
        ModelState, affected_guards, name_changes,
    },
};
use reckon::MarkState;
use serde::Serialize;
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Why the gate does not pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GateFailure {
    /// The guard that is to blame; nothing if it is the model, or a mark.
    pub guard: Option<String>,
    /// The mark that is not true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<MarkState>,
    /// What is wrong, as a fragment.
    pub what: String,
    /// The canaries that show it.
    pub canaries: Vec<String>,
    /// Whether a person may take it over with `lab gate --accept`: a mark or a rate that is worse than what was accepted,
    /// not a guard that is broken.
    pub acceptable: bool,
}

impl GateFailure {
    fn blamed(&self) -> &str {
        let mark = self.mark.map(MarkState::name);
        mark.or(self.guard.as_deref()).unwrap_or("model")
    }

    /// On one line: who is to blame, for what, and the first canaries that show it.
    fn line(&self) -> String {
        let named = self.canaries.iter().take(NAMED).map(String::as_str);
        let named: Vec<&str> = named.collect();
        let shown = match self.canaries.len() {
            0 => String::new(),
            n if n > NAMED => format!(" ({} and {} more)", named.join(", "), n - NAMED),
            _ => format!(" ({})", named.join(", ")),
        };
        format!("{}: {}{shown}", self.blamed(), self.what)
    }
}

/// Canaries that one line names; `--json` has all.
const NAMED: usize = 8;

/// How a guard did on the questions that were asked of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GuardRate {
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
    /// Questions whose answers only the guard's own detector calls right: no proof that it helps.
    pub self_graded: usize,
}

/// By guard.
type Rates = BTreeMap<String, GuardRate>;

/// The rates of all guards that the set or the results name.
pub fn guard_rates(set: &[Canary], results: &CanaryResults) -> Rates {
    let mut found = Rates::new();
    for canary in set.iter().filter(|one| !one.is_scripted()) {
        let Some(result) = results.answers.get(&canary.id) else {
            continue;
        };
        let Some(guard) = &canary.guard else {
            for guard in result.acted.keys() {
                found.entry(guard.clone()).or_default().control += 1;
            }
            continue;
        };
        let rate = found.entry(guard.clone()).or_default();
        rate.triggered += 1;
        rate.looked += usize::from(result.acted.contains_key(guard));
        rate.raw_right += usize::from(result.raw_right == Some(true));
        rate.right += usize::from(result.right == Some(true));
        rate.self_graded += usize::from(canary.is_self_graded());
    }
    found
}

/// What was accepted before, and how much of it still is the same.
#[derive(Clone, Copy, Debug)]
pub struct Accepted<'a> {
    /// What the canaries came to then.
    pub results: &'a CanaryResults,
    /// The file is the same: the model's own answers must be, too.
    pub same_file: bool,
    /// Everything is the same: so must everything be that comes of it.
    pub same_all: bool,
}

/// All that is wrong with these results; nothing is a pass. A question that was not asked is not judged.
pub fn gate_failures(
    set: &[Canary],
    accepted: Option<Accepted<'_>>,
    now: &CanaryResults,
) -> Vec<GateFailure> {
    let mut found = Failures::default();
    for canary in set {
        match now.answers.get(&canary.id) {
            Some(result) => must_hold(canary, result, &mut found),
            None if canary.is_scripted() => {
                found.add(canary.guard.as_deref(), "could not be replayed", &canary.id)
            }
            None => {}
        }
    }
    let rates = guard_rates(set, now);
    must_not_spoil(set, now, &rates, &mut found);
    let accepted = accepted.filter(|one| is_comparable(set, one.results, now));
    let results = accepted.map(|one| one.results);
    marks::must_be_true(set, results, now, &mut found);
    if let Some(accepted) = accepted {
        compare_answers(set, accepted, now, &mut found);
        if !accepted.same_all {
            compare_rates(&guard_rates(set, accepted.results), &rates, &mut found);
        }
    }
    found.0
}

/// Another set has other rates, but all have the same scripted canaries.
fn is_comparable(set: &[Canary], was: &CanaryResults, now: &CanaryResults) -> bool {
    let asked = |one: &Canary| !one.is_scripted() && now.answers.contains_key(&one.id);
    was.canary == now.canary || !set.iter().any(asked)
}

#[derive(Default)]
struct Failures(Vec<GateFailure>);

impl Failures {
    /// One entry for each guard and kind of failure, with all canaries that show it.
    fn add(&mut self, guard: Option<&str>, what: impl Into<String>, canary: &str) {
        let (guard, what) = (guard.map(str::to_owned), what.into());
        let same = |one: &&mut GateFailure| one.guard == guard && one.what == what;
        match self.0.iter_mut().find(same) {
            Some(one) => one.canaries.push(canary.to_owned()),
            None => self.0.push(GateFailure {
                guard,
                mark: None,
                what,
                canaries: vec![canary.to_owned()],
                acceptable: false,
            }),
        }
    }

    /// A guard does worse than was accepted, on whichever questions.
    fn add_rate(&mut self, guard: &str, what: String) {
        self.0.push(GateFailure {
            guard: Some(guard.to_owned()),
            mark: None,
            what,
            canaries: Vec::new(),
            acceptable: true,
        });
    }

    /// A mark is not true.
    fn add_mark(&mut self, mark: MarkState, what: String, canaries: Vec<String>) {
        self.0.push(GateFailure {
            guard: None,
            mark: Some(mark),
            what,
            canaries,
            acceptable: true,
        });
    }
}

/// What must hold whatever the model.
fn must_hold(canary: &Canary, result: &CanaryResult, failures: &mut Failures) {
    let guard = canary.guard.as_deref();
    let outcome = guard.and_then(|guard| result.acted.get(guard));
    let changed = result.raw != result.text;
    let mut fail = |guard: Option<&str>, what: &str| failures.add(guard, what, &canary.id);
    match &canary.trial {
        Trial::Scripted(Script {
            outcome: Some(wanted),
            ..
        }) => {
            if outcome != Some(wanted) {
                fail(
                    guard,
                    &format!("does not come to `{wanted}` on a fixed text"),
                );
            } else if result.right == Some(false) {
                fail(guard, "ships the wrong text for a fixed one");
            }
        }
        Trial::Scripted(_) if outcome.is_some() => {
            fail(guard, "acts on a fixed text that is not its business");
        }
        Trial::Scripted(_) if changed => {
            fail(None, "a fixed text that is nobody's business was changed");
        }
        Trial::Asked(_) if guard.is_none() && changed => {
            let acted = result.acted.iter();
            let revised = acted.filter(|(_, outcome)| *outcome == "revised");
            let mut guards = revised.map(|(guard, _)| guard).peekable();
            if guards.peek().is_none() {
                fail(None, "an answer that is nobody's business was changed");
            }
            for guard in guards {
                fail(Some(guard), "changes an answer that is not its business");
            }
        }
        _ => {}
    }
}

/// A guard must be worth having: what ships may not be right less often than what the model said.
fn must_not_spoil(set: &[Canary], now: &CanaryResults, rates: &Rates, failures: &mut Failures) {
    let spoilt = |one: &CanaryResult| one.raw_right == Some(true) && one.right == Some(false);
    for canary in set.iter().filter(|one| !one.is_scripted()) {
        let rate = canary.guard.as_ref().and_then(|guard| rates.get(guard));
        let Some(rate) = rate.filter(|rate| rate.right < rate.raw_right) else {
            continue;
        };
        if now.answers.get(&canary.id).is_some_and(spoilt) {
            let what = format!(
                "ships {} right answers of {}, the model alone has {}",
                rate.right, rate.triggered, rate.raw_right
            );
            failures.add(canary.guard.as_deref(), what, &canary.id);
        }
    }
}

/// Canary by canary, where that must be the same.
fn compare_answers(
    set: &[Canary],
    accepted: Accepted<'_>,
    now: &CanaryResults,
    failures: &mut Failures,
) {
    for canary in set {
        let id = &canary.id;
        let (Some(was), Some(is)) = (accepted.results.answers.get(id), now.answers.get(id)) else {
            continue;
        };
        let scripted = canary.is_scripted();
        if accepted.same_file && !scripted && was.raw != is.raw {
            failures.add(None, "another answer of the same model file", id);
            continue;
        }
        if !accepted.same_all && !scripted {
            continue;
        }
        let guards: BTreeSet<&String> = was.acted.keys().chain(is.acted.keys()).collect();
        let moved = |guard: &&String| was.acted.get(*guard) != is.acted.get(*guard);
        let mut moved = guards.into_iter().filter(moved).peekable();
        if moved.peek().is_none() && was.text != is.text {
            let guard = is.acted.keys().next().map(String::as_str);
            failures.add(guard, "ships another text than before", id);
        }
        for guard in moved {
            failures.add(Some(guard), "comes to something else than before", id);
        }
    }
}

/// Guard by guard, where answers may differ.
fn compare_rates(was: &Rates, now: &Rates, failures: &mut Failures) {
    for (guard, is) in now {
        let was = was.get(guard).copied().unwrap_or_default();
        let n = was.triggered;
        let mut worse = |is_worse: bool, what: String| {
            if is_worse {
                failures.add_rate(guard, what);
            }
        };
        let (seen, saw) = (is.looked, was.looked);
        worse(
            seen < saw,
            format!("sees {seen} of {n} of its questions, {saw} before"),
        );
        let (right, had) = (is.right, was.right);
        worse(
            right < had,
            format!("{right} of {n} of its answers are right, {had} before"),
        );
        let (looks, looked) = (is.control, was.control);
        worse(
            looks > looked,
            format!("looks at {looks} control answers, {looked} before"),
        );
    }
}

/// What a run of the gate found, for people ([`fmt::Display`]) and scripts ([`GateReport::to_json`]).
#[derive(Clone, Debug)]
pub struct GateReport {
    model: Option<String>,
    /// Where what it is compared with stands: the lock, or the first run while there is none.
    since: Option<&'static str>,
    diff: LockDiff,
    affected: BTreeSet<String>,
    failures: Vec<GateFailure>,
    rates: Rates,
    marks: Vec<MarkTrend>,
    /// Scripted canaries, and how many came out as they must.
    scripted: (usize, usize),
    /// Control questions, those with the same bytes with and without guards, and those that a guard looked at.
    control: (usize, usize, usize),
}

/// What a run of the gate is held against.
#[derive(Clone, Copy, Debug)]
pub struct GateReference<'a> {
    /// What was accepted.
    pub lock: &'a Lock,
    /// Earlier runs for the same model: the first counts where the lock does not have the model.
    pub history: &'a GateHistory,
    /// The versions of all guards.
    pub versions: &'a GuardVersions,
    /// The guards that call the model.
    pub callers: &'a BTreeSet<String>,
}

const LOCK: &str = "reckon.lock";

impl GateReport {
    /// Holds results against what was accepted. Without a model, the scripted canaries and the guards' versions are held
    /// against all models of the lock.
    pub fn new(
        model: Option<(&str, &ModelState)>,
        reference: GateReference<'_>,
        set: &[Canary],
        results: &CanaryResults,
    ) -> Self {
        let (since, diff, accepted) = match model {
            Some((name, now)) => reference.of_model(name, now),
            None => reference.of_guards(),
        };
        let failures = gate_failures(set, accepted, results);
        let was = accepted.map(|one| one.results);
        let was = was.filter(|was| is_comparable(set, was, results));
        let failed = |id| failures.iter().any(|one| one.canaries.contains(id));
        let scripted: Vec<&Canary> = set.iter().filter(|one| one.is_scripted()).collect();
        let control = set.iter().filter(|one| one.guard.is_none());
        let control: Vec<&CanaryResult> = control
            .filter_map(|one| results.answers.get(&one.id))
            .collect();
        let count = |is: fn(&CanaryResult) -> bool| control.iter().filter(|one| is(one)).count();
        Self {
            model: model.map(|(name, _)| name.to_owned()),
            since,
            affected: affected_guards(&diff.changes, reference.callers),
            diff,
            rates: guard_rates(set, results),
            marks: marks::trends(was, results),
            scripted: (
                scripted.len(),
                scripted.iter().filter(|one| !failed(&one.id)).count(),
            ),
            control: (
                control.len(),
                count(|one| one.raw == one.text),
                count(|one| !one.acted.is_empty()),
            ),
            failures,
        }
    }

    /// Whether all canaries hold; whether anything else changed is not asked here.
    pub fn held(&self) -> bool {
        self.failures.is_empty()
    }

    /// Whether a person may take over all that fails: marks and rates that are worse than before, no broken guard.
    pub fn is_acceptable(&self) -> bool {
        self.failures.iter().all(|one| one.acceptable)
    }

    /// Why the gate does not pass, each as a fragment; nothing is a pass.
    pub fn reasons(&self) -> Vec<String> {
        let name = self.model.as_deref().unwrap_or("the guards");
        let changed = self.diff.sentence(name, self.since.unwrap_or("before"));
        let failed = self.failures.iter().map(GateFailure::line);
        changed.into_iter().chain(failed).collect()
    }

    /// As `lab gate --json` prints it.
    pub fn to_json(&self) -> serde_json::Value {
        let ((fixed, right), (control, same, looked)) = (self.scripted, self.control);
        json!({
            "model": self.model, "ok": self.reasons().is_empty(), "held": self.held(),
            "compared_with": self.since, "in_lock": self.since == Some(LOCK) && !self.diff.unlisted,
            "changes": self.diff.changes, "affected": self.affected, "troubles": self.failures,
            "fixed": { "n": fixed, "right": right },
            "control": { "n": control, "same_bytes": same, "looked": looked },
            "guards": self.rates, "marks": self.marks,
        })
    }
}

impl<'a> GateReference<'a> {
    /// What the lock has under this name, else the first run; what differs is told from the lock, if it has anything.
    fn of_model(
        self,
        name: &str,
        now: &ModelState,
    ) -> (Option<&'static str>, LockDiff, Option<Accepted<'a>>) {
        let locked = self.lock.model(name);
        let locked = locked.map(|one| (&one.state, one.gate.as_ref()));
        let first = self.history.accepted.as_ref();
        let first = first.map(|run| (&run.state, Some(&run.gate)));
        let mut diff = self.lock.diff(name, now);
        let mut since = diff.entry.as_ref().map(|_| LOCK);
        if let (None, Some((was, _))) = (since, first) {
            diff.changes = was.changes(now);
            since = Some("the first run of the gate");
        }
        let accepted = locked.or(first).and_then(|(was, results)| {
            Some(Accepted {
                results: results?,
                same_file: was.file == now.file,
                same_all: was == now,
            })
        });
        (since, diff, accepted)
    }

    fn of_guards(self) -> (Option<&'static str>, LockDiff, Option<Accepted<'a>>) {
        let mut diff = LockDiff::default();
        for LockedModel { state, .. } in &self.lock.models {
            let now = ModelState {
                guards: self.versions.clone(),
                ..state.clone()
            };
            for change in state.changes(&now) {
                if !diff.changes.contains(&change) {
                    diff.changes.push(change);
                }
            }
        }
        let mut results = self.lock.models.iter().filter_map(|one| one.gate.as_ref());
        let accepted = results.next().map(|results| Accepted {
            results,
            same_file: false,
            same_all: true,
        });
        let since = (!self.lock.models.is_empty()).then_some(LOCK);
        (since, diff, accepted)
    }
}

impl fmt::Display for GateReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((fixed, right), (control, same, looked)) = (self.scripted, self.control);
        writeln!(f, "fixed texts  {right} of {fixed} as they must be")?;
        for (guard, rate) in &self.rates {
            let GuardRate {
                triggered,
                looked,
                raw_right,
                right,
                ..
            } = rate;
            let label = match rate.self_graded {
                0 => "",
                _ => " (graded by the guard's own detector)",
            };
            writeln!(
                f,
                "{guard:12} looks at {looked} of {triggered} questions; \
                 right: {raw_right} of the model, {right} shipped{label}"
            )?;
        }
        if control > 0 {
            writeln!(
                f,
                "control      {control} answers, {same} the same bytes with and without guards, {looked} looked at"
            )?;
        }
        for trend in self.marks.iter().filter(|one| one.is_there()) {
            let (mark, remark) = (trend.mark.name(), trend.remark());
            writeln!(f, "{mark:12} {trend}{remark}")?;
        }
        if let Some(since) = self.since.filter(|_| !self.diff.changes.is_empty()) {
            let changes = name_changes(&self.diff.changes);
            writeln!(f, "changed      since {since}: {changes}")?;
            let affected: Vec<&str> = self.affected.iter().map(String::as_str).collect();
            writeln!(f, "affected     {}", affected.join(", "))?;
        }
        for failure in &self.failures {
            writeln!(f, "FAILED       {}", failure.line())?;
        }
        Ok(())
    }
}
