//! Keys pressed at a terminal that is not there.
use super::*;
use reckon_lab::{fastchat::Answers, grade::Setup, read_questions};
use std::{fs, path::Path};

fn session(root: &Path, pairs: bool) -> GradingScreen {
    let questions = root.join("q.jsonl");
    let rows = r#"{"question_id":1,"category":"stem","turns":["Why?","And then?"],"reference":["Because.",""]}"#;
    fs::write(&questions, format!("{rows}\n")).unwrap();
    let system = |name: &str| Answers {
        model: name.into(),
        turns: [(
            "1".to_owned(),
            vec![
                format!("**{name}** one\u{1b}[31m"),
                "two\n\n".repeat(40) + name,
            ],
        )]
        .into(),
    };
    let systems = ["xx", "yy"].map(system).to_vec();
    let setup = Setup {
        pairs,
        seed: Some(1),
        sample: None,
    };
    let questions = read_questions(&questions).unwrap();
    let path = root.join("g.jsonl");
    GradingScreen {
        grading: Grading::open(&path, systems, questions, &setup, 0).unwrap(),
        look: Look {
            width: 80,
            colour: false,
        },
        rows: 24,
        clear: true,
        top: 0,
        reference: false,
        said: String::new(),
    }
}

/// The screens that follow these keys, the first before any; `q` is pressed at the end.
fn screens(session: &mut GradingScreen, keys: &[Key]) -> Vec<String> {
    let mut keys = keys.iter().cloned().chain([Key::Char('q')]);
    let mut out = Vec::new();
    let mut key = || Ok(keys.next().unwrap());
    let comment = |old: &str| Ok(Some(format!("{old}note")));
    session.work(&mut key, comment, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let mut screens: Vec<String> = out
        .split("\x1b[2J\x1b[H")
        .skip(1)
        .map(str::to_owned)
        .collect();
    if let Some(last) = screens.last_mut() {
        let end = last.rfind('\n').unwrap_or(last.len());
        last.truncate(last[..end].rfind('\n').unwrap_or(end));
    }
    screens
}

fn chars(text: &str) -> Vec<Key> {
    text.chars().map(Key::Char).collect()
}

fn rows(root: &Path) -> usize {
    let text = fs::read_to_string(root.join("g.jsonl")).unwrap();
    text.lines().count()
}

#[test]
fn keys_store_take_back_and_note() {
    let root = tempfile::tempdir().unwrap();
    let mut session = session(root.path(), false);
    let shown = screens(&mut session, &chars("70usxc3"));
    assert!(shown[0].contains("1 of 4 · stem"), "{}", shown[0]);
    assert!(shown[1].contains("stored: 7"), "{}", shown[1]);
    assert!(shown[2].contains("stored: 10"), "{}", shown[2]);
    assert!(shown[3].contains("taken back") && shown[3].contains("2 of 4"));
    assert!(shown[4].contains("1 skipped"));
    assert!(shown[6].contains("noted"));
    // 7, 10, undo, skip, comment, 3; x is no key.
    assert_eq!(rows(root.path()), 6);
    assert_eq!(session.grading.progress().graded, 2);
}

#[test]
fn every_screen_fits_and_nothing_of_an_answer_steers_the_terminal() {
    let root = tempfile::tempdir().unwrap();
    for pairs in [false, true] {
        let at = root.path().join(pairs.to_string());
        fs::create_dir(&at).unwrap();
        let mut session = session(&at, pairs);
        for screen in screens(&mut session, &chars("r  b1r 2 1 1")) {
            let lines: Vec<&str> = screen.lines().collect();
            assert!(lines.len() <= 24, "{} lines:\n{screen}", lines.len());
            assert!(
                lines.iter().all(|line| line.chars().count() <= 80),
                "{screen}"
            );
            assert!(!screen.contains('\u{1b}'), "{screen}");
        }
    }
}

#[test]
fn a_long_answer_is_paged_to_its_end() {
    let root = tempfile::tempdir().unwrap();
    let mut session = session(root.path(), false);
    while session.grading.show().unwrap().asked.len() == 1 {
        screens(&mut session, &chars("5"));
    }
    let seen = screens(&mut session, &chars("            "));
    assert!(seen[0].contains("space: more"));
    assert!(!seen[12].contains("space: more"), "{}", seen[12]);
    let last = session.grading.show().unwrap().sides[0][1]
        .lines()
        .last()
        .unwrap();
    assert!(seen[12].contains(last), "no {last} in {}", seen[12]);
}

#[test]
fn the_reference_is_shown_on_request() {
    let root = tempfile::tempdir().unwrap();
    let mut session = session(root.path(), false);
    let shown = screens(&mut session, &chars("rr"));
    assert!(!shown[0].contains("Because."));
    assert!(shown[1].contains("Because.") && shown[1].contains("may be wrong"));
    assert!(!shown[2].contains("Because."));
}

#[test]
fn pairs_have_left_right_and_tie() {
    let root = tempfile::tempdir().unwrap();
    let mut session = session(root.path(), true);
    let shown = screens(
        &mut session,
        &[Key::ArrowLeft, Key::Char('7'), Key::Char('t')],
    );
    assert!(shown[0].contains("left answer") && shown[0].contains("1 of 2"));
    assert!(shown[1].contains("stored: left") && shown[1].contains("2 of 2"));
    assert!(shown[2].contains("2 of 2"), "7 is no choice");
    assert!(shown[3].contains("Nothing is left to grade"));
    assert_eq!(rows(root.path()), 2);
}
