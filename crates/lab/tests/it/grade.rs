//! Blind grading: the plan, its seal, acts, undo, kills at every byte, tampering, and whose score is whose in the end.

use reckon_lab::{
    Error, Question,
    fastchat::{Answers, Judgment, Winner},
    grade::{Act, Grading, Pick, Revealed, Setup, seal_path},
    read_questions,
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};
use tempfile::TempDir;

/// A directory with questions of two turns, and systems that answer them.
struct Desk {
    root: TempDir,
    systems: Vec<Answers>,
}

impl Desk {
    /// Question i of `n`: system `a` and `b` agree where i is divisible by 3, in the first turn.
    fn new(n: usize) -> Self {
        let root = tempfile::tempdir().unwrap();
        let mut lines = String::new();
        for i in 0..n {
            lines += &format!(
                r#"{{"question_id":{i},"category":"stem","turns":["ask {i}","more {i}"],"reference":["ref {i}","ref more {i}"]}}"#
            );
            lines += "\n";
        }
        fs::write(root.path().join("q.jsonl"), lines).unwrap();
        let system = |name: &str| Answers {
            model: name.to_owned(),
            turns: (0..n)
                .map(|i| {
                    let who = if i % 3 == 0 { "both" } else { name };
                    let turns = vec![format!("{who} says {i}"), format!("{name} adds {i}")];
                    (i.to_string(), turns)
                })
                .collect(),
        };
        Self {
            root,
            systems: vec![system("alpha"), system("beta")],
        }
    }

    fn grades(&self) -> PathBuf {
        self.root.path().join("g.jsonl")
    }

    fn questions(&self) -> Vec<Question> {
        read_questions(&self.root.path().join("q.jsonl")).unwrap()
    }

    fn open(&self, setup: Setup) -> Result<Grading, Error> {
        let systems = self.systems.clone();
        Grading::open(&self.grades(), systems, self.questions(), &setup, 77)
    }

    fn rows(&self) -> Vec<String> {
        let text = fs::read_to_string(self.grades()).unwrap();
        text.lines().map(str::to_owned).collect()
    }
}

const SINGLE: Setup = Setup {
    pairs: false,
    seed: Some(5),
    sample: None,
};
const PAIRS: Setup = Setup {
    pairs: true,
    ..SINGLE
};

/// The score that our grader gives a text: it depends on the text alone.
fn taste(text: &str) -> u8 {
    Sha256::digest(text)[0] % 10 + 1
}

fn grade_next(grading: &mut Grading) -> bool {
    let Some(show) = grading.show() else {
        return false;
    };
    let last = |side: &&[String]| taste(side.last().unwrap());
    let scores: Vec<u8> = show.sides.iter().map(last).collect();
    let item = show.item;
    let act = match scores[..] {
        [score] => Act::Score { item, score },
        [left, right] => Act::Pick {
            item,
            pick: match left.cmp(&right) {
                std::cmp::Ordering::Greater => Pick::Left,
                std::cmp::Ordering::Less => Pick::Right,
                std::cmp::Ordering::Equal => Pick::Tie,
            },
        },
        _ => panic!("{} sides", scores.len()),
    };
    grading.act(grading.progress().row, act, 1.5).unwrap();
    true
}

fn refuses(result: Result<Grading, Error>, words: &str) {
    let error = result.expect_err("refused").to_string();
    assert!(error.contains(words), "no `{words}` in `{error}`");
}

#[test]
fn a_text_that_two_systems_gave_is_graded_once_and_counts_for_both() {
    let desk = Desk::new(9);
    let mut grading = desk.open(SINGLE).unwrap();
    // 9 first turns, 3 of them shared, and 9 second turns after them: 15 + 18.
    assert_eq!(grading.progress().total, 15 + 18);
    while grade_next(&mut grading) {}
    let revealed = grading.reveal(false, 2.0).unwrap();
    assert_eq!(revealed.verdicts.len(), 2 * 18);
    for verdict in &revealed.verdicts {
        let system = desk.systems.iter().find(|s| s.model == verdict.system);
        let text = &system.unwrap().turns[&verdict.question][verdict.turn - 1];
        assert_eq!(verdict.score, f64::from(taste(text)), "{verdict:?}");
    }
    let means: BTreeMap<String, f64> = revealed
        .means()
        .into_iter()
        .map(|mean| (mean.system, mean.mean.unwrap()))
        .collect();
    let own = |at: usize| {
        let texts = desk.systems[at].turns.values().flatten();
        texts.map(|text| f64::from(taste(text))).sum::<f64>() / 18.0
    };
    assert!((means["alpha"] - own(0)).abs() < 1e-12);
    assert!((means["beta"] - own(1)).abs() < 1e-12);
}

#[test]
fn second_turns_after_different_first_ones_are_two_items() {
    let mut desk = Desk::new(1);
    desk.systems[0]
        .turns
        .insert("0".into(), vec!["x".into(), "same".into()]);
    desk.systems[1]
        .turns
        .insert("0".into(), vec!["y".into(), "same".into()]);
    assert_eq!(desk.open(SINGLE).unwrap().progress().total, 4);
}

#[test]
fn the_order_follows_from_the_seed_alone() {
    let desk = Desk::new(30);
    let order = |systems: Vec<Answers>, seed: u64, name: &str| {
        let setup = Setup {
            seed: Some(seed),
            ..SINGLE
        };
        let path = desk.root.path().join(name);
        let grading = Grading::open(&path, systems, desk.questions(), &setup, 0).unwrap();
        let items = &grading.plan().items;
        items
            .iter()
            .map(|item| (item.question.clone(), item.turn))
            .collect::<Vec<_>>()
    };
    let mut swapped = desk.systems.clone();
    swapped.reverse();
    let first = order(desk.systems.clone(), 5, "a.jsonl");
    assert_eq!(first, order(swapped, 5, "b.jsonl"));
    let other = order(desk.systems.clone(), 6, "c.jsonl");
    assert_ne!(first, other);
    let set = |order: &[(String, usize)]| order.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(set(&first), set(&other));
    // Questions and turns are mixed: no question's items stand in one block, on the whole.
    let neighbours = first.windows(2).filter(|two| two[0].0 == two[1].0).count();
    assert!(
        neighbours < first.len() / 4,
        "{neighbours} of {}",
        first.len()
    );
}

#[test]
fn a_sample_is_of_questions() {
    let desk = Desk::new(30);
    let setup = Setup {
        sample: Some(4),
        ..SINGLE
    };
    let grading = desk.open(setup).unwrap();
    let questions: BTreeSet<_> = grading
        .plan()
        .items
        .iter()
        .map(|item| &item.question)
        .collect();
    assert_eq!(questions.len(), 4);
    let items = grading.plan().items.len();
    assert!((12..=16).contains(&items), "{items}");
}

#[test]
fn the_seal_is_there_before_the_first_item_and_every_row_carries_it() {
    let desk = Desk::new(4);
    let mut grading = desk.open(SINGLE).unwrap();
    let sealed = fs::read(seal_path(&desk.grades())).unwrap();
    let digest = Sha256::digest(&sealed);
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(grading.seal(), digest);
    assert!(desk.rows().is_empty());
    while grade_next(&mut grading) {}
    let rows = desk.rows();
    assert_eq!(rows.len(), grading.progress().total);
    assert!(rows.iter().all(|row| row.contains(&digest)));
    assert_eq!(fs::read(seal_path(&desk.grades())).unwrap(), sealed);
}

#[test]
fn what_is_shown_names_nobody() {
    let root = tempfile::tempdir().unwrap();
    let questions = root.path().join("q.jsonl");
    fs::write(&questions, r#"{"question_id":1,"turns":["ask"]}"#).unwrap();
    let system = |name: &str, text: &str| Answers {
        model: name.to_owned(),
        turns: [("1".to_owned(), vec![text.to_owned()])].into(),
    };
    let systems = vec![system("secret-raw", "one"), system("secret-guarded", "two")];
    let path = root.path().join("g.jsonl");
    let questions = read_questions(&questions).unwrap();
    let mut grading = Grading::open(&path, systems, questions, &SINGLE, 0).unwrap();
    while let Some(show) = grading.show() {
        assert!(!format!("{show:?}").contains("secret"));
        grade_next(&mut grading);
    }
    assert!(!fs::read_to_string(&path).unwrap().contains("secret"));
}

#[test]
fn an_undo_is_a_row_and_brings_back_the_very_moment() {
    let desk = Desk::new(5);
    let mut grading = desk.open(SINGLE).unwrap();
    let mut moments = Vec::new();
    for step in 0..12 {
        let show = grading.show().unwrap();
        let item = show.item;
        moments.push((item, grading.progress().left, grading.progress().graded));
        let row = grading.progress().row;
        match step % 3 {
            0 => grading.act(row, Act::Skip { item }, 0.0).unwrap(),
            _ => grading
                .act(row, Act::Score { item, score: 3 }, 0.0)
                .unwrap(),
        }
    }
    let before = desk.rows();
    for (undone, moment) in moments.iter().rev().enumerate() {
        grading.undo(grading.progress().row, 0.0).unwrap();
        let progress = grading.progress();
        let now = (grading.show().unwrap().item, progress.left, progress.graded);
        assert_eq!(now, *moment);
        assert_eq!(desk.rows().len(), 12 + undone + 1);
        assert_eq!(desk.rows()[..12], before[..]);
    }
    assert!(grading.undo(grading.progress().row, 0.0).is_err());
    assert_eq!(grading.progress().undo, None);
}

#[test]
fn what_is_skipped_comes_again_once() {
    let desk = Desk::new(2);
    let mut grading = desk.open(SINGLE).unwrap();
    let total = grading.progress().total;
    let mut seen = Vec::new();
    while let Some(show) = grading.show() {
        let item = show.item;
        seen.push(item);
        grading
            .act(grading.progress().row, Act::Skip { item }, 0.0)
            .unwrap();
    }
    let once: Vec<usize> = (0..total).collect();
    assert_eq!(seen, [once.clone(), once].concat());
    assert_eq!(
        (grading.progress().skipped, grading.progress().left),
        (total, 0)
    );
    assert!(grading.reveal(true, 0.0).is_err(), "nothing is graded");
}

#[test]
fn comments_stay_with_their_item() {
    let desk = Desk::new(2);
    let mut grading = desk.open(SINGLE).unwrap();
    let item = grading.show().unwrap().item;
    let say = |text: &str| Act::Comment {
        item,
        text: text.into(),
    };
    grading.act(1, say("first"), 0.0).unwrap();
    grading.act(2, say("second\nline"), 0.0).unwrap();
    assert_eq!(grading.show().unwrap().comment, Some("second\nline"));
    assert!(grading.act(3, say(&"x".repeat(5000)), 0.0).is_err());
    while grade_next(&mut grading) {}
    let said: BTreeSet<_> = grading
        .reveal(false, 0.0)
        .unwrap()
        .verdicts
        .into_iter()
        .filter_map(|v| v.comment)
        .collect();
    assert_eq!(said, ["second\nline".to_owned()].into());
}

#[test]
fn the_same_act_twice_counts_once() {
    let desk = Desk::new(3);
    let mut grading = desk.open(SINGLE).unwrap();
    let item = grading.show().unwrap().item;
    let act = Act::Score { item, score: 9 };
    grading.act(1, act.clone(), 0.0).unwrap();
    assert!(grading.act(1, act.clone(), 0.0).is_err());
    assert!(grading.act(2, act, 0.0).is_err(), "that item is not shown");
    let next = grading.show().unwrap().item;
    for score in [0, 11, 255] {
        assert!(
            grading
                .act(2, Act::Score { item: next, score }, 0.0)
                .is_err()
        );
    }
    let pick = Act::Pick {
        item: next,
        pick: Pick::Left,
    };
    assert!(grading.act(2, pick, 0.0).is_err(), "scores are asked for");
    assert_eq!(desk.rows().len(), 1);
}

#[test]
fn a_kill_at_any_byte_loses_and_doubles_nothing() {
    let desk = Desk::new(3);
    let mut grading = desk.open(SINGLE).unwrap();
    for _ in 0..4 {
        grade_next(&mut grading);
    }
    drop(grading);
    let whole = fs::read(desk.grades()).unwrap();
    for cut in 0..=whole.len() {
        fs::write(desk.grades(), &whole[..cut]).unwrap();
        let mut grading = desk.open(SINGLE).unwrap();
        let ended = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(grading.progress().graded, ended, "cut at {cut}");
        while grade_next(&mut grading) {}
        let total = grading.progress().total;
        assert_eq!(desk.rows().len(), total, "cut at {cut}");
        let rows = desk.rows().join("\n") + "\n";
        assert!(
            rows.as_bytes().starts_with(&whole),
            "the same grader, the same rows"
        );
    }
}

#[test]
fn one_at_a_time() {
    let desk = Desk::new(2);
    let first = desk.open(SINGLE).unwrap();
    refuses(desk.open(SINGLE), "another process");
    drop(first);
    desk.open(SINGLE).unwrap();
}

#[test]
fn a_seal_that_was_changed_is_refused() {
    let desk = Desk::new(3);
    let mut grading = desk.open(SINGLE).unwrap();
    grade_next(&mut grading);
    drop(grading);
    let path = seal_path(&desk.grades());
    let sealed = fs::read_to_string(&path).unwrap();
    let swapped = sealed
        .replace("[0]", "[9]")
        .replace("[1]", "[0]")
        .replace("[9]", "[1]");
    assert_ne!(sealed, swapped);
    for tampered in [
        swapped,
        sealed.replace("\"seed\":5", "\"seed\":6"),
        "{}".into(),
        sealed.clone() + " ",
    ] {
        fs::write(&path, tampered).unwrap();
        refuses(
            desk.open(Setup::default()),
            "not the seal that line 1 of the grades was made under",
        );
    }
    fs::remove_file(&path).unwrap();
    refuses(desk.open(SINGLE), "the seal of these grades is not there");
    fs::write(&path, &sealed).unwrap();
    desk.open(SINGLE).unwrap();
}

#[test]
fn a_seal_that_was_changed_before_the_first_grade_is_refused() {
    let desk = Desk::new(3);
    drop(desk.open(SINGLE).unwrap());
    let path = seal_path(&desk.grades());
    let sealed = fs::read_to_string(&path).unwrap();
    let swapped = sealed
        .replace("[0]", "[9]")
        .replace("[1]", "[0]")
        .replace("[9]", "[1]");
    fs::write(&path, swapped).unwrap();
    refuses(desk.open(SINGLE), "not the text that was sealed");
    fs::write(&path, sealed.replace("\"systems\":[0]", "\"systems\":[7]")).unwrap();
    refuses(desk.open(SINGLE), "not a seal");
}

#[test]
fn texts_that_were_changed_are_refused() {
    let mut desk = Desk::new(3);
    let mut grading = desk.open(SINGLE).unwrap();
    while grade_next(&mut grading) {}
    drop(grading);
    let kept = desk.systems.clone();
    desk.systems[1].turns.get_mut("2").unwrap()[1].push('!');
    refuses(
        desk.open(SINGLE),
        "question 2, turn 2: not the text that was sealed",
    );
    desk.systems = kept.clone();
    desk.systems[0].turns.get_mut("1").unwrap().pop();
    refuses(desk.open(SINGLE), "the plan is not the one");
    desk.systems = kept.clone();
    desk.systems[0].model = "gamma".into();
    refuses(desk.open(SINGLE), "not those it was made from");
    desk.systems = kept;
    let questions = desk.root.path().join("q.jsonl");
    let asked = fs::read_to_string(&questions).unwrap();
    fs::write(&questions, asked.replace("ask 1", "ask one")).unwrap();
    refuses(desk.open(SINGLE), "question 1, turn 1");
    fs::write(&questions, asked).unwrap();
    desk.open(Setup::default()).unwrap();
    refuses(
        desk.open(Setup {
            seed: Some(6),
            ..SINGLE
        }),
        "another --seed",
    );
    refuses(desk.open(PAIRS), "another --seed, --sample or --pairs");
}

#[test]
fn rows_that_break_a_rule_are_refused_with_their_line() {
    let desk = Desk::new(3);
    let mut grading = desk.open(SINGLE).unwrap();
    for _ in 0..3 {
        grade_next(&mut grading);
    }
    drop(grading);
    let rows = desk.rows();
    let doubled = [&rows[0], &rows[1], &rows[1], &rows[2]].map(String::as_str);
    let lost = [&rows[0], &rows[2]].map(String::as_str);
    let ten = rows[1]
        .replace(r#""score":"#, r#""score":1"#)
        .replace(r#""score":110"#, r#""score":111"#);
    let much = [
        rows[0].as_str(),
        &ten.replace(r#""score":1"#, r#""score":99"#),
    ];
    let strange = [rows[0].as_str(), r#"{"seal":1}"#];
    for (rows, words) in [
        (&doubled[..], "line 3: row 2 where row 3 is next"),
        (&lost[..], "line 2: row 3 where row 2 is next"),
        (&much[..], "line 2: "),
        (&strange[..], "line 2: "),
    ] {
        fs::write(desk.grades(), rows.join("\n") + "\n").unwrap();
        refuses(desk.open(SINGLE), words);
    }
}

#[test]
fn names_end_the_grading() {
    let desk = Desk::new(3);
    let mut grading = desk.open(SINGLE).unwrap();
    assert!(grading.reveal(true, 0.0).is_err());
    grade_next(&mut grading);
    let early = grading.reveal(false, 0.0).unwrap_err().to_string();
    assert!(
        early.contains("10 of 11 items are not graded yet"),
        "{early}"
    );
    let first = grading.reveal(true, 0.0).unwrap();
    assert_eq!(grading.show(), None);
    assert!(grading.undo(3, 0.0).is_err());
    drop(grading);
    let mut again = desk.open(SINGLE).unwrap();
    assert_eq!(again.show(), None);
    assert_eq!(again.reveal(false, 9.0).unwrap(), first);
    assert_eq!(desk.rows().len(), 2, "one grade, one reveal");
}

/// Checks a record against what our grader's taste says of the texts.
fn pairs_are_right(desk: &Desk, revealed: &Revealed) {
    let mut wanted = [0; 3];
    let (one, other) = (&desk.systems[0].turns, &desk.systems[1].turns);
    for (id, turns) in one {
        for (at, text) in turns.iter().enumerate() {
            let order = taste(text).cmp(&taste(&other[id][at]));
            wanted[(1 - order as i8) as usize] += 1;
        }
    }
    let records = revealed.records();
    assert_eq!(records.len(), 1);
    let found = [records[0].wins, records[0].ties, records[0].losses];
    assert_eq!(found, wanted);
}

#[test]
fn pairs_are_shown_both_ways_and_same_texts_are_ties() {
    let desk = Desk::new(24);
    let mut grading = desk.open(PAIRS).unwrap();
    // 8 of 24 first turns are the same.
    assert_eq!(grading.progress().total, 48 - 8);
    let left = grading
        .plan()
        .items
        .iter()
        .filter(|item| item.sides[0].systems == [0])
        .count();
    assert!(
        (10..=30).contains(&left),
        "{left} of 40 have the same system left"
    );
    while grade_next(&mut grading) {}
    let revealed = grading.reveal(false, 0.0).unwrap();
    pairs_are_right(&desk, &revealed);
    assert!(revealed.means().is_empty());
    let rows = revealed.judgments();
    assert_eq!(rows.len(), 48);
    for row in rows {
        let Judgment::Pair(row) = row else {
            panic!("{row:?} is no pair");
        };
        assert_eq!((&*row.model_1, &*row.model_2), ("alpha", "beta"));
        assert_eq!(row.g1_winner, row.g2_winner);
        assert_ne!(row.g1_winner, Winner::Error);
    }
}

#[test]
fn the_export_has_the_fields_of_fastchat() {
    let desk = Desk::new(2);
    let mut grading = desk.open(SINGLE).unwrap();
    while grade_next(&mut grading) {}
    for row in grading.reveal(false, 0.0).unwrap().judgments() {
        let row = serde_json::to_value(&row).unwrap();
        let fields: BTreeSet<&str> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let wanted = [
            "question_id",
            "model",
            "judge",
            "user_prompt",
            "judgment",
            "score",
            "turn",
            "tstamp",
        ];
        assert_eq!(fields, wanted.into());
        assert!(row["question_id"].is_u64() && row["score"].is_u64());
        assert_eq!(row["judge"], serde_json::json!(["human", "blind"]));
    }
}

#[test]
fn answers_that_cannot_be_graded() {
    let desk = Desk::new(2);
    let open = |systems: Vec<Answers>, setup: Setup| {
        let path = desk.root.path().join("other.jsonl");
        Grading::open(&path, systems, desk.questions(), &setup, 0)
    };
    let system = |name: &str, id: &str, n: usize| Answers {
        model: name.to_owned(),
        turns: [(id.to_owned(), vec!["x".to_owned(); n])].into(),
    };
    refuses(
        open(vec![system("a", "404", 1)], SINGLE),
        "question 404, which is not there",
    );
    refuses(
        open(vec![system("a", "0", 3)], SINGLE),
        "3 answers to the 2 turns of question 0",
    );
    refuses(
        open(vec![system("a", "0", 1), system("b", "1", 1)], SINGLE),
        "no question that every system",
    );
    refuses(
        open(vec![system("a", "0", 1), system("a", "0", 1)], SINGLE),
        "two files give a system a",
    );
    refuses(open(vec![system("a", "0", 1)], PAIRS), "too few systems");
    let nobody = Answers {
        model: "nobody".into(),
        turns: BTreeMap::new(),
    };
    refuses(open(vec![nobody], SINGLE), "nobody: no answers");
    assert!(!seal_path(&desk.root.path().join("other.jsonl")).exists());
}
