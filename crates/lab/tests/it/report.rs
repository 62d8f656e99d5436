//! Reports of a small tape: figures, and what a page must and must not hold.
use crate::fixture::{self, marked, tape};
use reckon_lab::{
    Question,
    classes::{Labels, inventory},
    fastchat::read_judgments,
    report::{Rated, Recording, Report, rated},
};
use std::{fs, path::PathBuf};

fn question(id: &str, turns: &[&str]) -> Question {
    Question {
        id: id.into(),
        turns: turns.iter().map(|&turn| turn.to_owned()).collect(),
        ..Question::default()
    }
}

fn report(recording: Recording, judgments: &[Rated]) -> Report {
    let questions = vec![question(
        "1",
        &["How much are the books?", "And with <i>20</i> more?"],
    )];
    let found = inventory(&recording, &questions, &Labels::default());
    Report::new(vec![recording], judgments, questions, vec![found])
}

fn judgment(model: &str, question: usize, turn: usize, score: f64) -> Rated {
    Rated {
        model: model.into(),
        question: question.to_string(),
        turn,
        score,
    }
}

/// Eight questions of which the guarded system gets one point more on each, and a third system.
fn judgments() -> Vec<Rated> {
    let mut all = Vec::new();
    for question in 1..=8 {
        for turn in [1, 2] {
            let score = 3.0 + (question * turn % 5) as f64;
            all.push(judgment("tiny-raw", question, turn, score));
            all.push(judgment("tiny", question, turn, score + 1.0));
            all.push(judgment("other", question, turn, 9.0 - score / 2.0));
        }
    }
    all
}

#[test]
fn figures_of_a_small_tape() {
    let found = report(tape(), &judgments());
    let run = &found.runs[0];
    assert_eq!((run.questions, run.turns, run.same), (8, 16, 12));
    assert_eq!(run.settings.len(), 1);
    assert_eq!(run.samplers.len(), 2);
    let checked = &found.checked[0];
    assert_eq!((checked.raw.n, checked.raw.questions), (8, 4));
    assert!((checked.raw.mean - 0.5).abs() < 1e-12);
    assert!((checked.guarded.mean - 0.625).abs() < 1e-12);
    assert_eq!(checked.fixed, [("1".to_owned(), 1), ("2".to_owned(), 1)]);
    assert_eq!(checked.broken, [("3".to_owned(), 1)]);
    assert_eq!(checked.categories.len(), 1);
    let guards = &found.guards[0];
    let arithmetic = &guards.guards["arithmetic"];
    assert_eq!((arithmetic.revised, arithmetic.kept), (3, 1));
    let figures = &arithmetic.validation;
    assert_eq!(
        (figures.triggered, figures.fixed, figures.broken),
        (4, 2, 1)
    );
    // Second turns behind a changed first one are no control; of 11 turns without a guard, three are such.
    assert_eq!((guards.control, guards.control_changed), (8, 0));
    let judged = found.judged.expect("judged");
    assert_eq!(judged.reference, "tiny");
    let raw = judged
        .systems
        .iter()
        .find(|one| one.model == "tiny-raw")
        .expect("there");
    let against = raw.against.expect("paired");
    assert!((against.difference + 1.0).abs() < 1e-12);
    assert_eq!((against.wins, against.losses), (0, 8));
    // Eight checked turns are too few for a view by length; sixteen judged ones are not.
    assert_eq!(found.lengths.len(), 1);
}

#[test]
fn a_page_is_whole_and_needs_nothing_from_elsewhere() {
    let page = report(tape(), &judgments()).html();
    for part in [
        "<!doctype html>",
        "<html lang=\"en\">",
        "<title>Reckon lab report: tiny-model</title>",
        "default-src 'none'",
        "prefers-color-scheme: dark",
        "Right and wrong, by checks",
        "Judged scores",
        "Error classes",
        "Guards, before and after",
        "Scores at equal length",
        "What was run",
        "How to read this",
        &"ab".repeat(32),
        "not distinguishable",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    for part in ["<script", "http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(part), "{part}");
    }
    for tag in [
        "table", "section", "details", "figure", "pre", "div", "tr", "main",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert_eq!(
        page.matches("<table>").count(),
        page.matches("<caption>").count()
    );
}

#[test]
fn the_same_tape_gives_the_same_bytes() {
    let mut shuffled = tape();
    shuffled.rows.reverse();
    let (one, two) = (report(tape(), &judgments()), report(tape(), &judgments()));
    assert_eq!(one.html(), two.html());
    assert_eq!(one.markdown(), two.markdown());
    let turned = report(shuffled, &judgments());
    assert_eq!(one.checked[0].raw, turned.checked[0].raw);
    assert_eq!(one.guards[0].control, turned.guards[0].control);
}

#[test]
fn nothing_that_a_file_says_becomes_part_of_the_page() {
    let evil = "</pre></title><script>alert(1)</script>\"'><img src=x onerror=y>\u{0}\u{1b}[31m```\n# x | y";
    let mut recording = tape();
    recording.name = evil.into();
    for row in &mut recording.rows {
        row.category = row.category.as_ref().map(|name| format!("{name}{evil}"));
        row.raw.push_str(evil);
        row.finish = evil.into();
        row.graded = Some(evil.into());
        row.receipt.model.name = evil.into();
        row.receipt.model.sha256 = Some(evil.into());
        row.receipt.system = Some(evil.into());
        for entry in &mut row.receipt.guards {
            entry.guard = evil.into();
        }
    }
    let judgments = [judgment(evil, 1, 1, 5.0), judgment("b", 1, 1, 6.0)];
    let found = report(recording, &judgments);
    let page = found.html();
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\u{1b}'));
    assert_eq!(page.matches("<title>").count(), 1);
    let text = found.markdown();
    assert!(!text.contains('\u{1b}') && !text.contains('\0'));
    // Outside of fences nothing begins a tag, and no cell ends early.
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let ticks = line.trim_end_matches("text");
        match fence {
            None if ticks.starts_with("```") => fence = Some(ticks),
            Some(open) if line == open => fence = None,
            None => assert!(
                !line.contains("<script") || line.contains("\\<script"),
                "{line}"
            ),
            Some(_) => {}
        }
    }
    assert_eq!(fence, None);
}

#[test]
fn an_empty_report_is_still_a_page() {
    let none = Report::new(Vec::new(), &[], Vec::new(), Vec::new());
    assert!(none.html().contains("Nothing to report."));
    let empty = Recording {
        name: "empty".into(),
        rows: Vec::new(),
    };
    assert!(report(empty, &[]).html().contains("0 questions"));
}

#[test]
fn a_tape_of_two_models_says_so() {
    let mut recording = tape();
    recording.rows[3].receipt.model.sha256 = Some("ef".repeat(32));
    let page = report(recording, &[]).html();
    assert!(page.contains("2 different settings"));
}

#[test]
fn a_control_turn_that_differs_is_a_warning() {
    let mut recording = tape();
    // Question 7 has no guard.
    let row = recording
        .rows
        .iter_mut()
        .find(|row| row.id == "7")
        .expect("there");
    row.text.push('!');
    let found = report(recording, &[]);
    assert_eq!(found.guards[0].control_changed, 1);
    assert!(
        found
            .html()
            .contains("1 turn differ although no guard looked")
    );
}

fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f.jsonl");
    fs::write(&path, text).expect("written");
    (dir, path)
}

#[test]
fn a_turn_has_one_score_however_often_it_was_judged() {
    let (_dir, path) = file(concat!(
        "\u{feff}{\"question_id\": 81, \"model\": \"m\", \"score\": 9, \"turn\": 1}\r\n\r\n",
        "{\"question_id\": 81, \"model\": \"m\", \"score\": \"7.5\", \"turn\": 2}\n",
        "{\"question_id\": 82, \"model\": \"m\", \"score\": -1, \"turn\": 1}\n",
        "{\"question_id\": 81, \"model\": \"m\", \"score\": 8, \"turn\": 1}\n",
        "{\"question_id\": 81, \"model\": \"m\", \"score\": -1, \"turn\": 1}\n",
        "{\"question_id\": 81, \"model\": \"m\", \"score\": 4.5, \"turn\": 2, \"repeat\": 2}\n",
        "{\"question_id\": 8",
    ));
    let found = rated(&read_judgments(&path).expect("read"));
    assert_eq!(
        found,
        [judgment("m", 81, 1, 8.0), judgment("m", 81, 2, 6.0)]
    );
}

#[test]
fn two_tracks_are_two_systems() {
    let (_dir, path) = file(concat!(
        "{\"question_id\": 81, \"model\": \"m\", \"score\": 9, \"turn\": 1}\n",
        "{\"question_id\": 81, \"model\": \"m\", \"score\": 3, \"turn\": 1, \"track\": \"corrected\"}\n",
    ));
    let found = rated(&read_judgments(&path).expect("read"));
    let names: Vec<&str> = found.iter().map(|one| &*one.model).collect();
    assert_eq!(names, ["m", "m (corrected)"]);
}

#[test]
fn a_large_tape_makes_a_page_of_bounded_size() {
    let mut recording = tape();
    recording.rows.clear();
    for i in 0..3000 {
        let said = fixture::Said {
            right: Some((false, i % 2 == 0)),
            raw: "word ".repeat(1000),
            text: "other".into(),
            guards: vec![fixture::entry(
                &format!("guard-{i}"),
                reckon::assistant::GuardOutcome::Revised,
            )],
        };
        recording
            .rows
            .push(fixture::row(&i.to_string(), 1, &format!("c{i}"), said));
    }
    let page = report(recording, &[]).html();
    assert!(page.len() < 2 << 20, "{} bytes", page.len());
}

#[test]
fn marks_are_held_against_what_is_right() {
    let found = report(marked(), &[]);
    let marks = &found.marks[0].found;
    let counts: Vec<_> = marks
        .marks
        .iter()
        .map(|line| (line.mark, line.all.right, line.all.of, line.all.unknown))
        .collect();
    assert_eq!(
        counts,
        [
            ("verified", 9, 10, 1),
            ("corrected", 2, 2, 0),
            ("doubtful", 3, 6, 0),
            ("unchecked", 1, 2, 0),
            ("none", 0, 0, 0),
        ]
    );
    let bins: Vec<_> = marks
        .reliability
        .iter()
        .map(|bin| (bin.tenth, bin.right.right, bin.right.of))
        .collect();
    // A single vote agrees with itself and is in no bin; three quarters round up.
    assert_eq!(bins, [(5, 3, 6), (8, 1, 1), (10, 9, 10)]);
    // By hand: |3 - 3| + |1 - 0.75| + |9 - 10| over 17.
    let distance = marks.distance.expect("a jury");
    assert!((distance - 1.25 / 17.0).abs() < 1e-12, "{distance}");
    let json = serde_json::to_value(&found).expect("figures");
    let bin = &json["marks"][0]["reliability"][2];
    assert_eq!(bin["right"]["share"], 0.9);
    assert!(bin["right"]["interval"][0].as_f64().expect("a number") < 0.9);
    assert_eq!(json["marks"][0]["name"], "marked");
}

#[test]
fn the_reliability_plot_is_drawn_said_and_tabled() {
    let found = report(marked(), &[]);
    let page = found.html();
    assert_eq!(page.matches("class=\"diagonal\"").count(), 1);
    let sizes = page.matches("class=\"tick size\"").count();
    assert_eq!(sizes, 3, "a size for each bin");
    assert!(
        page.contains("aria-label=\"marked: right answers by share of votes that agreed: at 50 % of votes 3 of 6, at 75 % of votes 1 of 1, at 100 % of votes 9 of 10\""),
        "a text instead of the drawing"
    );
    // All agree, nine of ten right: at 97 % of the width, a tenth of 224 points below the top at 8.
    assert!(page.contains("<svg x=\"97.00%\" y=\"30.4\""), "{page}");
    let text = found.markdown();
    assert!(text.contains("## Marks"));
    assert!(
        text.contains("| verified | 10 | 9 | 90.0 % | \\[59.6, 98.2\\] | 1 |"),
        "{text}"
    );
    assert!(text.contains("| 50.0 % | 6 | 3 | 50.0 % |"), "{text}");
    assert!(!text.contains("<svg"));
}

#[test]
fn without_marks_that_can_be_held_against_anything_there_is_no_section() {
    assert!(!report(tape(), &[]).html().contains("Marks</h2>"));
    let mut unknown = marked();
    for row in &mut unknown.rows {
        row.right = None;
    }
    assert!(report(unknown, &[]).marks.is_empty());
    let mut alone = marked();
    alone.rows.retain(|row| {
        let mark = row.receipt.mark.as_ref();
        mark.is_some_and(|mark| mark.cast.is_none())
    });
    let page = report(alone, &[]).html();
    assert!(page.contains("Marks</h2>") && !page.contains("class=\"diagonal\""));
}
