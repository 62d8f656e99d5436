//! Comparisons of a small tape, of two tapes, of judgments, and of the tapes in `docs/tapes`.
use crate::fixture::tape;
use reckon_lab::{
    compare::{Comparison, Flip},
    read_tape,
    report::{Rated, Recording},
    statistics::Verdict,
};
use std::path::PathBuf;

#[test]
fn one_tape_is_raw_against_guarded() {
    let found = Comparison::of_tape(&tape());
    assert_eq!(
        (found.answers, found.questions, found.same_bytes),
        (16, 8, Some(12))
    );
    let scores = found.scores.expect("checked turns");
    assert_eq!((scores.n, scores.questions), (8, 4));
    assert_eq!((scores.wins, scores.ties, scores.losses), (2, 1, 1));
    assert_eq!(scores.verdict, Verdict::Neither);
    assert_eq!(found.turned(), (2, 1));
    assert_eq!(
        found.flips[0],
        Flip {
            id: "1".into(),
            turn: 1,
            first: 0.0,
            second: 1.0,
            guards: vec!["arithmetic".into()],
        }
    );
    assert_eq!(found.guards["arithmetic"]["revised"], 3);
}

#[test]
fn two_tapes_are_joined_by_question_and_turn() {
    let (first, mut second) = (tape(), tape());
    second.rows.reverse();
    second.rows.retain(|row| row.id != "8");
    let found = Comparison::of_tapes(&first, &second);
    assert_eq!((found.answers, found.same_bytes), (14, Some(14)));
    assert!(found.flips.is_empty());
    let nothing = Recording {
        name: "n".into(),
        rows: Vec::new(),
    };
    assert_eq!(Comparison::of_tapes(&first, &nothing).answers, 0);
}

#[test]
fn two_models_of_one_judgment_file() {
    let judgment = |model: &str, question: usize, score: f64| Rated {
        model: model.into(),
        question: question.to_string(),
        turn: 1,
        score,
    };
    let mut all = Vec::new();
    for question in 0..20 {
        all.push(judgment("a", question, 5.0));
        all.push(judgment("b", question, 6.0 + (question % 3) as f64));
        all.push(judgment("c", question, 5.0));
    }
    let found = Comparison::of_judgments(&all, "a", "b");
    assert_eq!(found.scores.expect("judged").verdict, Verdict::Second);
    assert_eq!(found.flips.len(), 20);
    assert!((found.flips[0].second - 8.0).abs() < 1e-12);
    assert_eq!(found.same_bytes, None);
    let same = Comparison::of_judgments(&all, "a", "c");
    assert_eq!(same.scores.expect("judged").verdict, Verdict::Neither);
}

#[test]
fn the_tapes_of_the_documentation_give_its_figures() {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tapes");
    for (name, n, raw, guarded, better, worse) in [
        ("gsm8k-qwen2.5-coder-1.5b", 150, 0.56, 0.687, 30, 11),
        ("logic-qwen2.5-coder-1.5b", 60, 0.4, 0.8, 25, 1),
    ] {
        let rows = read_tape(&docs.join(format!("{name}.jsonl"))).expect("a tape");
        let found = Comparison::of_tape(&Recording {
            name: name.into(),
            rows,
        });
        let scores = found.scores.expect("checked");
        assert_eq!(scores.n, n);
        assert!(
            (scores.first - raw).abs() < 0.001,
            "{name}: {}",
            scores.first
        );
        assert!(
            (scores.second - guarded).abs() < 0.001,
            "{name}: {}",
            scores.second
        );
        assert_eq!(found.turned(), (better, worse));
        assert_eq!(scores.verdict, Verdict::Second);
    }
}
