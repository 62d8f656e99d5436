//! The gate: the canaries are what they say, a good outcome passes, and every way to be worse is named.
use reckon::assistant::{
    Guard, NoTools, Pipeline, Turn, check,
    detect::{persona, qualifier},
    guards,
};
use reckon::engine::Message;
use reckon_lab::{
    Accepted, Canary, GateFailure, Trial, canaries, canary_digest, gate_failures, guard_rates,
    lock::{CanaryResult, CanaryResults},
    replay_scripted,
};
use std::collections::{BTreeMap, BTreeSet};

fn looks(guard: &str, prompt: &str, answer: &str) -> bool {
    let messages = [Message::user(prompt)];
    let turn = Turn {
        messages: &messages,
        answer,
    };
    let found = guards::all().into_iter().find(|one| one.name() == guard);
    found.expect("a guard").look(&turn).is_some()
}

fn names() -> Vec<String> {
    guards::all()
        .iter()
        .map(|one| one.name().to_owned())
        .collect()
}

#[test]
fn fixed_canaries_are_seen_by_their_guard_and_controls_are_not() {
    let mut seen: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for canary in canaries() {
        let (Trial::Scripted(fixed), Some(guard)) = (&canary.trial, &canary.guard) else {
            continue;
        };
        let triggered = fixed.outcome.is_some();
        assert_eq!(
            looks(guard, &fixed.prompt, &fixed.script[0]),
            triggered,
            "{}",
            canary.id
        );
        seen.entry(guard.clone()).or_default()[usize::from(triggered)] += 1;
    }
    for name in names() {
        let [control, triggered] = seen[&name];
        assert!(
            control > 0 && triggered > 0,
            "{name}: {control} {triggered}"
        );
    }
}

#[test]
fn asked_canaries_are_the_business_of_their_guard() {
    for canary in canaries() {
        let (Trial::Asked(_), Some(guard)) = (&canary.trial, &canary.guard) else {
            continue;
        };
        let prompt = canary.prompt();
        let is_its = match guard.as_str() {
            "constraints" => !check::find(prompt).is_empty(),
            "persona" => persona::asked(prompt).is_some(),
            "qualifier" => !qualifier::find(prompt).is_empty(),
            name => looks(name, prompt, "It is so."),
        };
        assert!(is_its, "{}: {prompt}", canary.id);
        let known = canary.is_right("It is so.", &mut NoTools).is_some();
        assert!(
            known || guard == "counting",
            "{}: cannot be scored",
            canary.id
        );
    }
}

#[test]
fn no_guard_looks_at_a_control_question() {
    let set = canaries();
    let control: Vec<&Canary> = set.iter().filter(|one| one.guard.is_none()).collect();
    assert!(control.len() >= 24);
    for canary in control {
        for name in names() {
            assert!(
                !looks(&name, canary.prompt(), "It is so."),
                "{name} {}",
                canary.id
            );
        }
    }
}

#[test]
fn ids_are_unique_and_the_digest_is_of_every_word() {
    let set = canaries();
    assert_eq!(set.len(), 70, "every row of the data file is read");
    let ids: BTreeSet<&String> = set.iter().map(|one| &one.id).collect();
    assert_eq!(ids.len(), set.len());
    assert_eq!(canary_digest(&set), canary_digest(&canaries()));
    for at in 0..set.len() {
        let mut other = set.clone();
        match &mut other[at].trial {
            Trial::Scripted(fixed) => fixed.script[0].push('.'),
            Trial::Asked(question) => question.turns[0].push('.'),
        }
        assert_ne!(canary_digest(&other), canary_digest(&set), "{}", set[at].id);
    }
}

#[test]
fn guards_that_need_no_tool_do_what_they_must_on_fixed_texts() {
    let set = canaries();
    let pipeline = Pipeline::new(guards::all());
    let answers = replay_scripted(&set, &pipeline, &mut NoTools)
        .into_iter()
        .collect();
    let gate = CanaryResults {
        answers,
        ..good(&set)
    };
    let found = gate_failures(&set, None, &gate);
    let blamed: BTreeSet<&str> = found
        .iter()
        .filter_map(|one| one.guard.as_deref())
        .collect();
    assert_eq!(
        blamed,
        ["arithmetic", "logic"].into(),
        "without tools: {found:#?}"
    );
}

#[test]
fn a_guard_that_is_gone_is_named() {
    let set = canaries();
    for name in [
        "persona",
        "correction",
        "qualifier",
        "constraints",
        "counting",
    ] {
        let left = guards::all().into_iter().filter(|one| one.name() != name);
        let pipeline = Pipeline::new(left.collect::<Vec<Box<dyn Guard>>>());
        let answers = replay_scripted(&set, &pipeline, &mut NoTools)
            .into_iter()
            .collect();
        let gate = CanaryResults {
            answers,
            ..good(&set)
        };
        let found = gate_failures(&set, None, &gate);
        assert!(
            found.iter().any(|one| one.guard.as_deref() == Some(name)),
            "{name}: {found:#?}"
        );
    }
}

/// An outcome with which nothing is wrong.
fn good(set: &[Canary]) -> CanaryResults {
    let played = |canary: &Canary| {
        let outcome = match &canary.trial {
            Trial::Scripted(fixed) => fixed.outcome.clone(),
            Trial::Asked(_) => canary.guard.as_ref().map(|_| "revised".to_owned()),
        };
        let acted = canary.guard.iter().cloned().zip(outcome.clone());
        CanaryResult {
            acted: acted.collect(),
            raw_right: outcome.as_ref().map(|_| false),
            right: outcome.as_ref().map(|_| true),
            raw: "raw".into(),
            text: if outcome.is_some() { "shipped" } else { "raw" }.into(),
            mark: None,
        }
    };
    CanaryResults {
        version: "0.1.0".into(),
        canary: canary_digest(set),
        marks: None,
        answers: set
            .iter()
            .map(|one| (one.id.clone(), played(one)))
            .collect(),
    }
}

/// The troubles after a change of one canary's outcome.
fn worse(
    id: &str,
    same: Option<(bool, bool)>,
    change: impl Fn(&mut CanaryResult),
) -> Vec<GateFailure> {
    let set = canaries();
    let was = good(&set);
    let mut now = was.clone();
    change(now.answers.get_mut(id).expect("a canary"));
    let before = same.map(|(same_file, same_all)| Accepted {
        results: &was,
        same_file,
        same_all,
    });
    gate_failures(&set, before, &now)
}

fn blamed(found: &[GateFailure], guard: Option<&str>, words: &str) {
    let is_it = |one: &GateFailure| one.guard.as_deref() == guard && one.what.contains(words);
    assert!(
        found.iter().any(is_it),
        "no {guard:?} {words:?} in {found:#?}"
    );
}

#[test]
fn a_good_outcome_passes() {
    let set = canaries();
    let was = good(&set);
    assert!(gate_failures(&set, None, &was).is_empty());
    for (same_file, same_all) in [(true, true), (true, false), (false, false)] {
        let before = Accepted {
            results: &was,
            same_file,
            same_all,
        };
        assert_eq!(gate_failures(&set, Some(before), &was), []);
    }
    let rates = guard_rates(&set, &was);
    assert_eq!(rates["arithmetic"].looked, rates["arithmetic"].triggered);
    assert_eq!(
        (rates["arithmetic"].raw_right, rates["arithmetic"].control),
        (0, 0)
    );
}

#[test]
fn what_must_hold_for_every_state_is_held_without_a_past() {
    let found = worse("fixed-persona-triggered-1", None, |one| one.acted.clear());
    blamed(&found, Some("persona"), "does not come to `revised`");
    let found = worse("fixed-persona-triggered-1", None, |one| {
        one.right = Some(false)
    });
    blamed(&found, Some("persona"), "the wrong text");
    let found = worse("fixed-logic-control-1", None, |one| {
        one.acted.insert("logic".into(), "kept".into());
    });
    blamed(&found, Some("logic"), "not its business");
    let found = worse("control-03", None, |one| {
        one.acted.insert("correction".into(), "revised".into());
        one.text = "other".into();
    });
    blamed(&found, Some("correction"), "not its business");
    let found = worse("control-03", None, |one| one.text = "other".into());
    blamed(&found, None, "nobody's business");
}

#[test]
fn a_guard_that_spoils_more_than_it_mends_is_named() {
    let set = canaries();
    let mut now = good(&set);
    let mut spoil = |id: &str| {
        let one = now.answers.get_mut(id).expect("a canary");
        (one.raw_right, one.right) = (Some(true), Some(false));
        gate_failures(&set, None, &now)
    };
    assert_eq!(spoil("logic-1"), [], "one mended, one spoilt");
    let found = spoil("logic-2");
    blamed(
        &found,
        Some("logic"),
        "ships 0 right answers of 2, the model alone has 2",
    );
    assert_eq!(found[0].canaries, ["logic-1", "logic-2"]);
}

#[test]
fn the_same_file_gives_the_same_answers() {
    for same_all in [true, false] {
        let found = worse("control-07", Some((true, same_all)), |one| {
            (one.raw, one.text) = ("new".into(), "new".into());
        });
        blamed(&found, None, "another answer of the same model file");
    }
    let found = worse("control-07", Some((false, false)), |one| {
        (one.raw, one.text) = ("new".into(), "new".into());
    });
    assert_eq!(found, [], "another model answers otherwise");
    let found = worse("logic-1", Some((true, true)), |one| {
        one.acted.insert("logic".into(), "kept".into());
    });
    blamed(&found, Some("logic"), "something else than before");
}

#[test]
fn rates_that_move_are_named() {
    let other = Some((false, false));
    let found = worse("logic-1", other, |one| one.acted.clear());
    blamed(
        &found,
        Some("logic"),
        "sees 1 of 2 of its questions, 2 before",
    );
    let found = worse("logic-1", other, |one| one.right = Some(false));
    blamed(
        &found,
        Some("logic"),
        "1 of 2 of its answers are right, 2 before",
    );
    let found = worse("control-05", other, |one| {
        one.acted.insert("arithmetic".into(), "kept".into());
    });
    blamed(
        &found,
        Some("arithmetic"),
        "looks at 1 control answers, 0 before",
    );
}

#[test]
fn another_set_of_canaries_is_not_compared() {
    let set = canaries();
    let was = CanaryResults {
        canary: "another".into(),
        ..good(&set)
    };
    let mut now = good(&set);
    let one = now.answers.get_mut("control-07").expect("a canary");
    (one.raw, one.text) = ("new".into(), "new".into());
    let before = Accepted {
        results: &was,
        same_file: true,
        same_all: true,
    };
    assert_eq!(gate_failures(&set, Some(before), &now), []);
}
