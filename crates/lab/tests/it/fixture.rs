//! A small tape of our own sentences: eight questions of two turns, in two categories, with guards that did something.
use reckon::assistant::{Entry, Evidence, GuardOutcome, Spent, detect::Side};
use reckon::{Mark, MarkState};
use reckon_lab::{Receipt, Row, Sampler, Source, Usage, report::Recording};

/// What one turn came to: raw right, right, texts, guard.
pub(crate) struct Said {
    pub(crate) right: Option<(bool, bool)>,
    pub(crate) raw: String,
    pub(crate) text: String,
    pub(crate) guards: Vec<Entry>,
}

pub(crate) fn entry(guard: &str, outcome: GuardOutcome) -> Entry {
    Entry {
        guard: guard.into(),
        fired: matches!(outcome, GuardOutcome::Revised | GuardOutcome::Flagged),
        outcome,
        reason: None,
        evidence: Some(Evidence {
            side: Side::Response,
            span: [3, 9],
            kind: "marker".into(),
            text: "is 245".into(),
        }),
        program: None,
        votes: Vec::new(),
        replaced: None,
        spent: Spent::default(),
    }
}

pub(crate) fn row(id: &str, turn: usize, category: &str, said: Said) -> Row {
    Row {
        id: id.into(),
        turn,
        category: Some(category.into()),
        raw: said.raw,
        text: said.text,
        raw_right: said.right.map(|right| right.0),
        right: said.right.map(|right| right.1),
        graded: None,
        finish: "stop".into(),
        usage: Usage {
            prompt: 40,
            completion: 120,
        },
        ms: 4_000,
        receipt: Receipt {
            model: Source {
                name: "tiny-model".into(),
                sha256: Some("ab".repeat(32)),
                template: Some("cd".repeat(32)),
                ..Source::default()
            },
            sampler: Sampler {
                temperature: if category == "writing" { 0.7 } else { 0.0 },
                seed: 1,
                max_tokens: Some(1024),
                ..Sampler::default()
            },
            version: "0.1.0".into(),
            guards: said.guards,
            ..Receipt::default()
        },
    }
}

fn plain(text: &str, right: Option<bool>) -> Said {
    Said {
        right: right.map(|right| (right, right)),
        raw: text.into(),
        text: text.into(),
        guards: Vec::new(),
    }
}

/// Sums: two are put right, one is broken, one stays wrong under a guard that looked. Writing: nothing to check.
pub(crate) fn tape() -> Recording {
    let revised = |right: (bool, bool)| Said {
        right: Some(right),
        raw: "It is 245.\n\n100 + 90 + 90 = 280 <b>sum</b>".into(),
        text: "100 + 90 + 90 = 280, so it is 280.".into(),
        guards: vec![entry("arithmetic", GuardOutcome::Revised)],
    };
    let mut rows = vec![
        row("1", 1, "math", revised((false, true))),
        row("1", 2, "math", plain("And 20 more make 300.", Some(true))),
        row("2", 1, "math", revised((false, true))),
        row("2", 2, "math", plain("That is seven apples.", Some(true))),
        row("3", 1, "math", revised((true, false))),
        row(
            "3",
            2,
            "math",
            plain("Nine boats, perhaps ten.", Some(false)),
        ),
    ];
    let mut looked = plain("Twelve trains leave.", Some(false));
    looked.guards.push(entry("arithmetic", GuardOutcome::Kept));
    rows.push(row("4", 1, "math", looked));
    rows.push(row(
        "4",
        2,
        "math",
        plain("Four of them are late.", Some(true)),
    ));
    for id in ["5", "6", "7", "8"] {
        let story =
            format!("Story {id}: the lighthouse keeper wrote a long letter to the sea. ").repeat(6);
        rows.push(row(id, 1, "writing", plain(&story, None)));
        let mut said = plain("A short ending.", None);
        if id == "6" {
            said.raw = "As a machine I cannot end it.".into();
            said.guards.push(entry("persona", GuardOutcome::Revised));
        }
        rows.push(row(id, 2, "writing", said));
    }
    Recording {
        name: "tiny".into(),
        rows,
    }
}

/// Answers that a jury of four voted on: where all agree one of ten is wrong, where half agree every second. Some have no
/// jury or one vote, which says nothing, and one is neither known to be right nor wrong.
pub(crate) fn marked() -> Recording {
    let mut rows = Vec::new();
    let mut add = |state, votes: Option<(usize, usize)>, right: Option<bool>| {
        let id = rows.len().to_string();
        let mut one = row(&id, 1, "math", plain("It is 12.", right));
        let mark = Mark::new(state, "as computed");
        one.receipt.mark = Some(match votes {
            Some((votes, cast)) => mark.votes(votes, cast),
            None => mark,
        });
        rows.push(one);
    };
    for at in 0..10 {
        add(MarkState::Verified, Some((4, 4)), Some(at > 0));
    }
    for at in 0..6 {
        add(MarkState::Doubtful, Some((2, 4)), Some(at % 2 == 0));
    }
    add(MarkState::Corrected, Some((3, 4)), Some(true));
    add(MarkState::Corrected, Some((1, 1)), Some(true));
    for right in [true, false] {
        add(MarkState::Unchecked, None, Some(right));
    }
    add(MarkState::Verified, Some((4, 4)), None);
    Recording {
        name: "marked".into(),
        rows,
    }
}
