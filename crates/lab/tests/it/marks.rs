//! The gate and marks: a script answers, a guard marks whatever it reads, and the canaries know what is right.
use reckon::assistant::{
    Action, Guard, GuardBudget, Mark, MarkState, NoTools, Pipeline, Turn, Verdict,
    detect::{Finding, Side},
};
use reckon::engine::Message;
use reckon_lab::{
    Accepted, Canary, Check, GateFailure, GateReference, GateReport, Script, Trial, canaries,
    canary_digest, gate_failures,
    lock::{
        CanaryMark, CanaryMarks, CanaryResults, GateHistory, GuardVersions, Lock, LockedModel,
        MarkCount,
    },
    replay_scripted,
};
use std::collections::BTreeSet;

/// Calls every answer this that does not say "perhaps". To call one corrected it must put another in its place: a mark of
/// something that was not done becomes a doubt.
struct Credulous(MarkState);

impl Guard for Credulous {
    fn name(&self) -> &str {
        "credulous"
    }

    fn look(&self, turn: &Turn<'_>) -> Option<Finding> {
        Some(Finding {
            side: Side::Response,
            span: 0..turn.answer.len(),
            evidence: turn.answer.to_owned(),
            kind: "anything",
        })
    }

    fn may_revise(&self, _: &[Message]) -> bool {
        false
    }

    fn act(&self, turn: &Turn<'_>, _: &mut GuardBudget<'_>) -> Action {
        let state = match turn.answer.contains("perhaps") {
            true => MarkState::Doubtful,
            false => self.0,
        };
        let verdict = match state {
            MarkState::Corrected => Verdict::Revised {
                text: turn.answer.replace("It is", "It comes to"),
                reason: "it reads better".into(),
            },
            _ => Verdict::Confirmed("it reads well".into()),
        };
        Action::plain(verdict).mark(Mark::new(state, "it reads well"))
    }
}

/// Sums whose right answers are 10, 20, 30, …; the script says these.
fn set(answers: &[&str]) -> Vec<Canary> {
    let canary = |(at, answer): (usize, &&str)| Canary {
        id: format!("sum-{}", at + 1),
        guard: Some("credulous".into()),
        trial: Trial::Scripted(Script {
            prompt: format!("What are ten times {}?", at + 1),
            script: vec![(*answer).to_owned()],
            outcome: Some("confirmed".into()),
            ships: (*answer).to_owned(),
            checks: vec![Check::Number(10.0 * (at + 1) as f64)],
        }),
    };
    answers.iter().enumerate().map(canary).collect()
}

/// What the canaries come to; all are told by one digest, since what a model answers is not part of a set.
fn played(answers: &[&str], state: MarkState) -> CanaryResults {
    let pipeline = Pipeline::new(vec![Box::new(Credulous(state))]);
    let results = replay_scripted(&set(answers), &pipeline, &mut NoTools);
    CanaryResults::new("0.1.0", "sums".into(), results)
}

fn failures(was: Option<&CanaryResults>, answers: &[&str], state: MarkState) -> Vec<GateFailure> {
    let accepted = was.map(|results| Accepted {
        results,
        same_file: false,
        same_all: false,
    });
    let found = gate_failures(&set(answers), accepted, &played(answers, state));
    // What the script says is compared with what it said, too; here only marks are asked about.
    found.into_iter().filter(|one| one.mark.is_some()).collect()
}

const RIGHT: [&str; 4] = ["It is 10.", "It is 20.", "It is 30.", "It is 40."];
const ONE_WRONG: [&str; 4] = ["It is 10.", "It is 21.", "It is 30.", "It is 40."];
const OTHER_WRONG: [&str; 4] = ["It is 10.", "It is 20.", "It is 30.", "It is 44."];
const DOUBTED: [&str; 4] = ["It is 10.", "It is perhaps 21.", "It is 30.", "It is 40."];
const FEW: [&str; 4] = [
    "It is perhaps 10.",
    "It is 21.",
    "It is perhaps 30.",
    "It is 40.",
];

fn verified(right: usize, of: usize) -> CanaryMarks {
    CanaryMarks {
        verified: MarkCount { right, of },
        ..CanaryMarks::default()
    }
}

#[test]
fn marks_are_counted_and_held_against_what_is_right() {
    let counted = |answers| played(answers, MarkState::Verified).marks;
    assert_eq!(counted(&RIGHT), Some(verified(4, 4)));
    assert_eq!(counted(&ONE_WRONG), Some(verified(3, 4)));
    assert_eq!(counted(&DOUBTED), Some(verified(3, 3)));
    let corrected = played(&ONE_WRONG, MarkState::Corrected)
        .marks
        .expect("some");
    assert_eq!(corrected.corrected, MarkCount { right: 3, of: 4 });
    assert_eq!(corrected.verified, MarkCount::default());
    // The text that must ship does; that it is wrong is what its checks say.
    let one = &played(&ONE_WRONG, MarkState::Verified).answers["sum-2"];
    assert_eq!(one.right, Some(true));
    let mark = one.mark.expect("a mark");
    assert_eq!((mark.state, mark.right), (MarkState::Verified, Some(false)));
}

#[test]
fn a_wrong_answer_that_is_called_verified_fails_at_once() {
    let found = failures(None, &ONE_WRONG, MarkState::Verified);
    let [one] = &found[..] else {
        panic!("one line: {found:#?}");
    };
    assert_eq!(one.canaries, ["sum-2"]);
    assert_eq!(
        one.what,
        "a wrong answer has this mark; right on 3 of 4 canaries"
    );
    assert_eq!(failures(None, &RIGHT, MarkState::Verified), []);
    assert_eq!(failures(None, &DOUBTED, MarkState::Verified), []);
    let corrected = failures(None, &ONE_WRONG, MarkState::Corrected);
    assert_eq!(corrected[0].mark, Some(MarkState::Corrected));
    assert_eq!(failures(None, &ONE_WRONG, MarkState::Unchecked), []);
}

#[test]
fn verified_that_falls_below_what_was_accepted_fails_with_one_line() {
    let was = played(&RIGHT, MarkState::Verified);
    let found = failures(Some(&was), &ONE_WRONG, MarkState::Verified);
    let [one] = &found[..] else {
        panic!("one line: {found:#?}");
    };
    assert_eq!(
        one.what,
        "a wrong answer has this mark; right on 3 of 4 canaries, accepted 4 of 4"
    );
    assert_eq!(one.canaries, ["sum-2"]);
    assert!(one.acceptable, "a person may");
}

#[test]
fn the_same_passes_and_so_does_what_was_accepted() {
    let was = played(&RIGHT, MarkState::Verified);
    assert_eq!(failures(Some(&was), &RIGHT, MarkState::Verified), []);
    let accepted = played(&ONE_WRONG, MarkState::Verified);
    assert_eq!(
        failures(Some(&accepted), &ONE_WRONG, MarkState::Verified),
        []
    );
}

#[test]
fn another_false_mark_is_not_forgiven_because_one_was_accepted() {
    let accepted = played(&ONE_WRONG, MarkState::Verified);
    let found = failures(Some(&accepted), &OTHER_WRONG, MarkState::Verified);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].canaries, ["sum-4"], "as many right as accepted");
    // The accepted one among fewer: a smaller share.
    let found = failures(Some(&accepted), &FEW, MarkState::Verified);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].what, "right on 1 of 2 canaries, accepted 3 of 4");
    assert_eq!(found[0].canaries, ["sum-2"]);
}

/// A report as `lab gate` makes one, against a lock that has these results.
fn report(was: CanaryResults, answers: &[&str]) -> GateReport {
    let state = crate::lock::state();
    let mut lock = Lock::default();
    lock.accept(LockedModel {
        name: "m".into(),
        path: None,
        forced: false,
        state: state.clone(),
        gate: Some(was),
    });
    // As it is read again.
    let lock = Lock::parse(&lock.to_text().expect("a text")).expect("a lock");
    let reference = GateReference {
        lock: &lock,
        history: &GateHistory::default(),
        versions: &GuardVersions::default(),
        callers: &BTreeSet::new(),
    };
    let other = reckon_lab::lock::ModelState {
        file: "0".repeat(64),
        weights: "0".repeat(64),
        ..state
    };
    let now = played(answers, MarkState::Verified);
    GateReport::new(Some(("m", &other)), reference, &set(answers), &now)
}

#[test]
fn the_report_says_what_fell_and_what_is_better() {
    let better = report(played(&ONE_WRONG, MarkState::Verified), &RIGHT);
    let said = better.to_string();
    assert!(
        said.contains(
            "verified     right on 4 of 4 canaries, accepted 3 of 4: better; `--accept` keeps it\n"
        ),
        "{said}"
    );
    let of_marks = |one: &serde_json::Value| one["mark"].is_string();
    let json = better.to_json();
    let troubles = json["troubles"].as_array().expect("a list");
    assert!(!troubles.iter().any(of_marks), "{json}");
    assert_eq!(json["marks"][0]["trend"], "better");
    assert_eq!(json["marks"][0]["accepted"]["right"], 3);
    let worse = report(played(&RIGHT, MarkState::Verified), &ONE_WRONG);
    let line =
        "verified: a wrong answer has this mark; right on 3 of 4 canaries, accepted 4 of 4 (sum-2)";
    assert!(worse.reasons().contains(&line.to_owned()), "{worse}");
    assert!(
        worse
            .to_string()
            .contains(&format!("FAILED       {line}\n"))
    );
    assert_eq!(worse.to_json()["ok"], false);
    let same = report(played(&RIGHT, MarkState::Verified), &RIGHT);
    assert!(same.held(), "{same}");
    assert!(
        same.to_string()
            .contains("verified     right on 4 of 4 canaries, accepted 4 of 4\n"),
        "{same}"
    );
}

#[test]
fn a_lock_from_before_marks_is_read_and_holds_nothing_against_them() {
    // The same answers as then, so that nothing but marks can differ.
    let old = |answers: &[&str]| {
        let mut old = played(answers, MarkState::Verified);
        old.marks = None;
        for result in old.answers.values_mut() {
            result.mark = None;
        }
        old
    };
    let found = report(old(&RIGHT), &RIGHT);
    assert!(found.held(), "{found}");
    assert!(
        found
            .to_string()
            .contains("verified     right on 4 of 4 canaries\n"),
        "{found}"
    );
    let found = report(old(&ONE_WRONG), &ONE_WRONG);
    assert!(!found.held(), "false all the same: {found}");
    assert!(found.is_acceptable(), "{found}");
}

#[test]
fn the_lock_has_the_counts_and_the_mark_of_each_canary() {
    let mut lock = Lock::default();
    lock.accept(LockedModel {
        name: "m".into(),
        path: None,
        forced: false,
        state: crate::lock::state(),
        gate: Some(played(&ONE_WRONG, MarkState::Verified)),
    });
    let text = lock.to_text().expect("a text");
    assert_eq!(Lock::parse(&text).expect("a lock"), lock);
    assert!(
        text.contains("[model.gate.marks.verified]\nright = 3\nof = 4\n"),
        "{text}"
    );
    assert!(text.contains(" verified:wrong\""), "{text}");
    for (from, to) in [
        ("verified:wrong", "verified"),
        ("verified:wrong", "certain:wrong"),
        ("verified:wrong", "verified:wrong more"),
        ("right = 3\nof = 4", "right = 3\nof = -4"),
    ] {
        assert!(Lock::parse(&text.replace(from, to)).is_err(), "{to}");
    }
}

/// A mark on a scripted canary that nobody could hold against anything would be no canary.
#[test]
fn every_fixed_text_that_comes_to_a_number_or_a_conclusion_says_what_is_right() {
    for canary in canaries() {
        let (Trial::Scripted(fixed), Some(guard)) = (&canary.trial, &canary.guard) else {
            continue;
        };
        let computes = ["arithmetic", "logic", "correction", "counting"];
        if fixed.outcome.is_some() && computes.contains(&guard.as_str()) {
            assert!(!fixed.checks.is_empty(), "{}", canary.id);
        }
    }
    let set = canaries();
    let pipeline = Pipeline::new(reckon::assistant::guards::all());
    let results = replay_scripted(&set, &pipeline, &mut NoTools);
    let results = CanaryResults::new("0.1.0", canary_digest(&set), results);
    let marked = |one: &CanaryMark| matches!(one.state, MarkState::Verified | MarkState::Corrected);
    for (id, result) in &results.answers {
        if let Some(mark) = result.mark.filter(marked) {
            assert_eq!(mark.right, Some(true), "{id}");
        }
    }
    let CanaryMarks {
        verified,
        corrected,
    } = results.marks.expect("counted");
    assert!(
        verified.of + corrected.of > 0,
        "some are marked without tools"
    );
}
