//! `reckon.lock`: what is written can be read, what is no lock is refused, and every difference has a name.
use reckon_lab::lock::{
    CanaryResult, CanaryResults, LONGEST_LOCK, Lock, LockedModel, ModelState, SamplerDefaults,
    affected_guards,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn state() -> ModelState {
    let digest = |letter: &str| letter.repeat(64);
    ModelState {
        file: digest("a"),
        bytes: 1234,
        weights: digest("b"),
        metadata: digest("c"),
        tokenizer: digest("d"),
        template: digest("e"),
        quantisation: [("F32".to_owned(), 3), ("Q4_K".to_owned(), 20)].into(),
        sampler: SamplerDefaults {
            temperature: 0.7,
            top_k: 20,
            top_p: 0.8,
            min_p: 0.0,
            repetition_penalty: 1.05,
            penalty_window: 64,
        },
        guards: ["arithmetic", "correction", "persona"]
            .map(|name| (name.to_owned(), digest("f")))
            .into(),
    }
}

fn played() -> CanaryResult {
    CanaryResult {
        acted: [("arithmetic".to_owned(), "revised".to_owned())].into(),
        raw_right: Some(false),
        right: Some(true),
        raw: "0123456789abcdef".into(),
        text: "fedcba9876543210".into(),
        mark: None,
    }
}

fn lock() -> Lock {
    let quiet = CanaryResult {
        acted: BTreeMap::new(),
        raw_right: None,
        right: None,
        ..played()
    };
    let mut lock = Lock::default();
    lock.accept(LockedModel {
        name: "my \"model\" \u{e9}".into(),
        path: Some("below/my model.gguf".into()),
        forced: true,
        state: state(),
        gate: Some(CanaryResults {
            version: "0.1.0".into(),
            canary: "9".repeat(64),
            marks: None,
            answers: [
                ("arithmetic-1".to_owned(), played()),
                ("control-01".to_owned(), quiet),
            ]
            .into(),
        }),
    });
    lock.accept(LockedModel {
        name: "another".into(),
        path: None,
        forced: false,
        state: state(),
        gate: None,
    });
    lock
}

#[test]
fn what_is_written_is_read() {
    let text = lock().to_text().expect("a text");
    assert_eq!(Lock::parse(&text).expect("a lock"), lock());
    assert!(text.contains("arithmetic:revised wrong>right 0123456789abcdef fedcba9876543210"));
    assert_eq!(Lock::parse("\n").expect("an empty lock"), Lock::default());
    assert_eq!(lock().models[0].name, "another", "by name");
}

#[test]
fn every_beginning_of_a_lock_is_read_or_refused() {
    let text = lock().to_text().expect("a text");
    let mut read = 0;
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        read += usize::from(Lock::parse(&text[..end]).is_ok());
    }
    assert!(read < text.len() / 2, "{read}");
}

#[test]
fn what_is_no_lock_is_refused_with_its_line() {
    let text = lock().to_text().expect("a text");
    let refused = |text: &str, word: &str| {
        let why = Lock::parse(text).expect_err("refused").to_string();
        assert!(why.contains(word), "{why}");
        assert!(!why.contains('\n'), "{why}");
    };
    refused("form = 1\n\nmodel = 3\n", "line 3");
    refused("form = 2\n", "form 2");
    refused("form = 1\nother = 1\n", "other");
    refused(&text.replace("template =", "templates ="), "templates");
    refused(&text.replace("wrong>right", "wrong"), "digest digest");
    refused(
        &text.replace("name = \"another\"", "name = \"my \\\"model\\\" \u{e9}\""),
        "twice",
    );
    refused(&"#".repeat(LONGEST_LOCK + 1), "longer than");
    refused(&format!("form = 1\nx = {}", "[".repeat(100_000)), "line 2");
}

#[test]
fn every_difference_has_its_name() {
    let other = "0".repeat(64);
    type Change = fn(&mut ModelState, &str);
    let changed: [(&str, Change); 7] = [
        ("weights", |state, to| state.weights = to.into()),
        ("metadata", |state, to| state.metadata = to.into()),
        ("tokenizer", |state, to| state.tokenizer = to.into()),
        ("template", |state, to| state.template = to.into()),
        ("quantisation", |state, _| {
            state.quantisation.insert("Q6_K".into(), 1);
        }),
        ("sampler", |state, _| state.sampler.top_k = 40),
        ("guard persona", |state, to| {
            state.guards.insert("persona".into(), to.into());
        }),
    ];
    for (name, change) in changed {
        let mut now = state();
        change(&mut now, &other);
        if !name.starts_with("guard") && name != "sampler" {
            now.file = other.clone();
        }
        let found = state().changes(&now);
        let names: Vec<String> = found.iter().map(|one| one.to_string()).collect();
        assert_eq!(names, [name]);
    }
    let mut now = state();
    now.file = other;
    assert_eq!(state().changes(&now)[0].part, "file", "some other byte");
    assert!(state().changes(&state()).is_empty());
}

#[test]
fn a_guard_that_comes_or_goes_is_a_change_of_that_guard() {
    let mut now = state();
    now.guards.remove("persona");
    now.guards.insert("sign-off".into(), "1".repeat(64));
    let found = state().changes(&now);
    assert_eq!(found[0].guard.as_deref(), Some("persona"));
    assert_eq!(
        (found[0].was.is_some(), found[0].is.is_some()),
        (true, false)
    );
    assert_eq!(found[1].guard.as_deref(), Some("sign-off"));
    assert_eq!(
        (found[1].was.is_some(), found[1].is.is_some()),
        (false, true)
    );
}

#[test]
fn a_changed_model_affects_the_guards_that_use_it_and_a_changed_guard_itself() {
    let users: BTreeSet<String> = ["arithmetic", "persona"].map(str::to_owned).into();
    let mut now = state();
    now.template = "0".repeat(64);
    assert_eq!(affected_guards(&state().changes(&now), &users), users);
    let mut now = state();
    now.guards.insert("correction".into(), "0".repeat(64));
    let found = affected_guards(&state().changes(&now), &users);
    assert_eq!(found, ["correction".to_owned()].into());
}

#[test]
fn the_nearest_model_is_the_one_with_the_most_in_common() {
    let mut lock = Lock::default();
    let locked = |name: &str, state: ModelState| LockedModel {
        name: name.into(),
        path: None,
        forced: false,
        state,
        gate: None,
    };
    let far = ModelState {
        weights: "1".repeat(64),
        tokenizer: "2".repeat(64),
        ..state()
    };
    lock.accept(locked("far", far));
    lock.accept(locked("near", state()));
    let mut now = state();
    now.template = "0".repeat(64);
    let diff = lock.diff("other", &now);
    assert_eq!((diff.entry.as_deref(), diff.unlisted), (Some("near"), true));
    assert_eq!(
        diff.sentence("other", "reckon.lock").expect("a difference"),
        "other is not in reckon.lock; of near differ the template"
    );
    assert!(Lock::default().diff("other", &now).entry.is_none());
}
