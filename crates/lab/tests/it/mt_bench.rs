//! What is known about MT-Bench holds together, and fits the benchmark's own files where they are.
use crate::shared;
use reckon_lab::{
    mt_bench::{self, Decides},
    read_lines,
};

/// The turns whose official reference is wrong.
const WRONG: [(&str, usize); 16] = [
    ("104", 1),
    ("104", 2),
    ("105", 1),
    ("107", 2),
    ("109", 2),
    ("111", 1),
    ("111", 2),
    ("113", 2),
    ("114", 1),
    ("114", 2),
    ("120", 2),
    ("125", 1),
    ("125", 2),
    ("127", 2),
    ("128", 1),
    ("128", 2),
];

#[test]
fn the_table_is_whole() {
    let checks = |kind| {
        mt_bench::all()
            .filter(|one| one.check.is_some() && one.decides == Some(kind))
            .count()
    };
    assert_eq!((checks(Decides::Answer), checks(Decides::Form)), (55, 12));
    let unpaired = mt_bench::all().filter(|one| one.check.is_some() != one.decides.is_some());
    assert_eq!(
        unpaired.count(),
        0,
        "a check and what it decides go together"
    );
    let mut corrected: Vec<_> = mt_bench::all()
        .filter(|one| one.reference.is_some())
        .map(|one| one.place())
        .collect();
    corrected.sort_unstable();
    assert_eq!(corrected, WRONG);
}

#[test]
fn another_question_of_the_same_id_is_not_known() {
    for one in mt_bench::all() {
        let (id, turn) = one.place();
        assert!(mt_bench::known(id, turn, "Something else.").is_none());
    }
    assert_eq!(mt_bench::category("111"), Some("math"));
    assert_eq!(mt_bench::category("80"), None);
    assert_eq!(mt_bench::category("x"), None);
}

#[test]
fn every_known_turn_is_one_of_the_benchmark() {
    let Some(file) = shared("mt_bench/question.jsonl") else {
        return;
    };
    let mut found = 0;
    for line in read_lines(&file).expect("read") {
        let id = line.value["question_id"].to_string();
        let turns = line.value["turns"].as_array().expect("turns");
        for (i, text) in turns.iter().enumerate() {
            let text = text.as_str().expect("a text");
            found += usize::from(mt_bench::known(&id, i + 1, text).is_some());
        }
        assert_eq!(
            mt_bench::category(&id),
            line.value["category"].as_str(),
            "{id}"
        );
    }
    assert_eq!(found, mt_bench::all().count());
}
