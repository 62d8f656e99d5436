//! Failures by class: suggestions, labels of a person, and the library that others can read and add to.
use crate::fixture::{entry, tape};
use reckon::assistant::GuardOutcome;
use reckon_lab::{
    Check, Question,
    classes::{By, Inventory, Labels, Library, Outcome, inventory, read_labels},
};
use std::{fs, path::PathBuf};

fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join(name);
    fs::write(&path, text).expect("written");
    (dir, path)
}

fn found(labels: &Labels) -> Inventory {
    inventory(&tape(), &[], labels)
}

fn of<'a>(inventory: &'a Inventory, class: &str) -> Vec<(&'a str, usize, By, Outcome)> {
    let cases = inventory.cases.iter().filter(|case| case.class == class);
    cases
        .map(|case| (&*case.id, case.turn, case.by, case.outcome))
        .collect()
}

#[test]
fn classes_are_those_of_guards_and_checks() {
    let all = found(&Labels::default());
    assert_eq!(
        of(&all, "arithmetic"),
        [
            ("1", 1, By::Fired, Outcome::Fixed),
            ("2", 1, By::Fired, Outcome::Fixed),
            ("3", 1, By::Fired, Outcome::Broken),
            ("4", 1, By::Looked, Outcome::Wrong),
        ]
    );
    assert_eq!(of(&all, "persona"), [("6", 2, By::Fired, Outcome::Changed)]);
    assert_eq!(of(&all, "other"), [("3", 2, By::Check, Outcome::Wrong)]);
    assert_eq!(all.cases.len(), 6);
    let names: Vec<&str> = all.by_class().into_iter().map(|(class, _)| class).collect();
    assert_eq!(names, ["arithmetic", "persona", "other"]);
}

#[test]
fn questions_help_where_no_guard_was_there() {
    let mut recording = tape();
    for row in &mut recording.rows {
        row.receipt.guards.clear();
    }
    let question = |id: &str, turn: &str, check: Check| Question {
        id: id.into(),
        turns: vec![turn.into()],
        checks: vec![vec![check]],
        ..Question::default()
    };
    let sum =
        "A shop sells 5 books at $20 each and 3 pens at $2 each. How much do all of them cost?";
    let questions = [
        question("1", sum, Check::Number(106.0)),
        question("2", "Tell me.", Check::Number(7.0)),
        question("4", "Tell me.", Check::Exact("x".into())),
    ];
    let all = inventory(&recording, &questions, &Labels::default());
    let by = |id: &str| {
        let case = all.cases.iter().find(|case| case.id == id).expect("a case");
        (case.class.as_str(), case.by)
    };
    assert_eq!(by("1"), ("arithmetic", By::Seen));
    assert_eq!(by("2"), ("arithmetic", By::Check));
    assert_eq!(by("4"), ("other", By::Check));
}

#[test]
fn a_person_has_the_last_word() {
    let (_dir, path) = file(
        "labels.jsonl",
        "\u{feff}{\"id\": \"1\", \"class\": \"none\"}\r\n\
         {\"id\": 3, \"turn\": 2, \"class\": [2, \"boats\"], \"note\": \"counts boats\"}\n\n\
         {\"id\": \"5\", \"turn\": 1, \"class\": \"constraints\"}\n",
    );
    let labels = read_labels(&path, &tape().rows).expect("read");
    assert_eq!(labels.len(), 3);
    let all = found(&labels);
    assert!(all.cases.iter().all(|case| case.id != "1"));
    assert_eq!(of(&all, "logic"), [("3", 2, By::Person, Outcome::Wrong)]);
    assert_eq!(of(&all, "boats"), [("3", 2, By::Person, Outcome::Wrong)]);
    assert_eq!(
        of(&all, "constraints"),
        [("5", 1, By::Person, Outcome::Unchanged)]
    );
    assert!(of(&all, "other").is_empty());
}

#[test]
fn wrong_labels_are_refused_with_their_line() {
    for (bad, why) in [
        ("{\"id\": \"1\"}", "no `class`"),
        ("{\"class\": 1}", "no `id`"),
        ("{\"id\": \"99\", \"class\": 1}", "not on the tape"),
        ("{\"id\": \"1\", \"class\": 8}", "no class 8"),
        ("{\"id\": \"1\", \"class\": \"\"}", "no name"),
        ("{\"id\": \"1\", \"turn\": 0, \"class\": 1}", "`turn`"),
        ("{\"id\": \"1\", \"class\": true}", "neither"),
        ("{\"id\": \"2\", \"class\": 1}", "twice"),
        ("[1]", "not a JSON object"),
    ] {
        let (_dir, path) = file(
            "l.jsonl",
            &format!("{{\"id\": \"2\", \"class\": 1}}\n{bad}\n"),
        );
        let error = read_labels(&path, &tape().rows)
            .expect_err("refused")
            .to_string();
        assert!(error.contains("line 2") && error.contains(why), "{error}");
    }
}

#[test]
fn a_library_can_be_read_again_and_put_behind_another() {
    let library = Library::new(&found(&Labels::default()));
    let text = library.toml();
    let (_dir, path) = file("library.toml", &text);
    let read = Library::read(&path).expect("read");
    assert_eq!(read, library);
    let arithmetic = &read.class[0];
    assert_eq!(arithmetic.name, "arithmetic");
    assert_eq!(arithmetic.guard.as_deref(), Some("arithmetic"));
    let figures = &arithmetic.validation;
    assert_eq!(
        (figures.turns, figures.triggered, figures.fixed),
        (16, 4, 2)
    );
    assert_eq!((figures.control, figures.control_changed), (8, 0));
    assert_eq!(arithmetic.example.len(), 4);
    assert_eq!(
        arithmetic.example[0].spot.as_ref().expect("a place").span,
        [3, 9]
    );
    // No words of questions or answers.
    assert!(!text.contains("lighthouse") && !text.contains("245"));
    let mut other = tape();
    other.name = "elsewhere".into();
    let other = Library::new(&inventory(&other, &[], &Labels::default()));
    let (_dir, path) = file("both.toml", &format!("{text}\n{}", other.toml()));
    let both = Library::read(&path).expect("two files are one");
    assert_eq!(both.class.len(), library.class.len() + other.class.len());
}

#[test]
fn a_tape_that_is_read_again_replaces_what_it_said() {
    let mut library = Library::new(&found(&Labels::default()));
    let mut other = tape();
    other.name = "elsewhere".into();
    library.merge(Library::new(&inventory(&other, &[], &Labels::default())));
    let before = library.class.len();
    let mut fewer = tape();
    for row in &mut fewer.rows {
        row.receipt.guards.retain(|entry| entry.guard != "persona");
    }
    library.merge(Library::new(&inventory(&fewer, &[], &Labels::default())));
    assert_eq!(library.class.len(), before - 1);
    let again = library.clone();
    library.merge(Library::default());
    assert_eq!(library, again);
}

#[test]
fn packs_are_named_as_packs() {
    let mut recording = tape();
    recording.rows[1]
        .receipt
        .guards
        .push(entry("sign-off", GuardOutcome::Flagged));
    let library = Library::new(&inventory(&recording, &[], &Labels::default()));
    let pack = library
        .class
        .iter()
        .find(|one| one.name == "sign-off")
        .expect("there");
    assert_eq!(
        (pack.pack.as_deref(), pack.guard.as_deref()),
        (Some("sign-off"), None)
    );
}

#[test]
fn a_broken_library_is_refused_with_its_line() {
    for (name, bad, line) in [
        (
            "l.toml",
            "[[class]]\nname = \"a\"\ntape = \"t\"\nmodel = 3\n",
            "line 4",
        ),
        (
            "l.toml",
            "[[class]]\nname = \"a\"\ntape = \"t\"\nmodel = \"m\"\nnmae = 1\n",
            "line 5",
        ),
        ("l.toml", "\nnot toml", "line 2"),
        ("l.json", "{\"class\": [\n{}]}", "line 2"),
    ] {
        let (_dir, path) = file(name, bad);
        let error = Library::read(&path).expect_err("refused").to_string();
        assert!(error.contains(line), "{error}");
    }
}
