//! Reference verdicts beside the repository: what is found of IFEval's instructions, and how often we agree.
//!
//! Runs when `../shared/data` is there; the limits are ratchets on both halves of a split made before the rules were.
use reckon_assistant::check::{Compliance, Requirement, find};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
};

/// A file of the data beside the repository, or a loud word that it is not there.
fn shared(name: &str) -> Option<Vec<Value>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    let Ok(file) = fs::File::open(&path) else {
        eprintln!("SKIPPED: needs ../shared/data/{name}");
        return None;
    };
    let input: Box<dyn Read> = if name.ends_with(".gz") {
        Box::new(flate2::read::GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let rows = BufReader::new(input).lines();
    Some(
        rows.map(|row| serde_json::from_str(&row.unwrap()).unwrap())
            .collect(),
    )
}

/// Found and agreed instructions of some rows.
#[derive(Debug, Default)]
struct Score {
    all: usize,
    found: usize,
    agreed: usize,
}

impl Score {
    fn add(&mut self, row: &Value) {
        let response = row["response"].as_str().unwrap();
        let mut found = find(row["prompt"].as_str().unwrap());
        let ids = row["instruction_id_list"].as_array().unwrap();
        for (id, strict) in ids.iter().zip(row["strict"].as_array().unwrap()) {
            self.all += 1;
            let wanted = if strict.as_bool().unwrap() {
                Compliance::Pass
            } else {
                Compliance::Fail
            };
            let same = |one: &Requirement| one.id == id.as_str().unwrap();
            // Two instructions with one id are two requirements: each is used once, the agreeing one first.
            let agreeing = found
                .iter()
                .position(|one| same(one) && one.verify(response) == wanted);
            let Some(index) = agreeing.or_else(|| found.iter().position(same)) else {
                continue;
            };
            self.found += 1;
            self.agreed += usize::from(agreeing.is_some());
            if found.iter().filter(|one| same(one)).count() > 1 {
                found.remove(index);
            }
        }
    }

    fn shares(&self) -> (f64, f64) {
        (
            self.found as f64 / self.all as f64,
            self.agreed as f64 / self.found as f64,
        )
    }
}

#[test]
fn instructions_are_found_and_verdicts_agree() {
    for name in [
        "ifeval/verdicts_gpt4.jsonl",
        "ifeval/verdicts_llama31_8b.jsonl",
    ] {
        let Some(rows) = shared(name) else { return };
        let (mut seen, mut aside) = (Score::default(), Score::default());
        for row in &rows {
            let score = if row["key"].as_u64().unwrap() % 3 == 0 {
                &mut aside
            } else {
                &mut seen
            };
            score.add(row);
        }
        for (part, score) in [("written with", &seen), ("kept aside", &aside)] {
            let (found, agreed) = score.shares();
            writeln!(
                std::io::stderr(),
                "{name}, {part}: {score:?}, found {found:.3}, agreed {agreed:.3}"
            )
            .unwrap();
            assert!(found >= 0.93, "{name}, {part}: {score:?}");
            assert!(agreed >= 0.97, "{name}, {part}: {score:?}");
        }
    }
}

#[test]
fn ordinary_prompts_ask_for_nothing() {
    let mut prompts: BTreeSet<String> = BTreeSet::new();
    for (name, field) in [
        ("arithmetic/gsm8k_test.jsonl", "question"),
        ("arithmetic/svamp.jsonl", "question"),
        ("arithmetic/asdiv.jsonl", "question"),
    ] {
        let Some(rows) = shared(name) else { return };
        prompts.extend(
            rows.iter()
                .map(|row| row[field].as_str().unwrap().to_owned()),
        );
    }
    let wrong: Vec<_> = prompts
        .iter()
        .filter(|prompt| !find(prompt).is_empty())
        .collect();
    writeln!(
        std::io::stderr(),
        "{} problems, {} with a requirement",
        prompts.len(),
        wrong.len()
    )
    .unwrap();
    assert!(wrong.len() <= 1, "{wrong:?}");
    let Some(rows) = shared("transcripts/clean_control.jsonl.gz") else {
        return;
    };
    let controls: BTreeSet<&str> = rows
        .iter()
        .map(|row| row["prompt"].as_str().unwrap())
        .collect();
    // Three of the controls do ask for a length or a rhyme, one of them about rhymes.
    let asking = controls
        .iter()
        .filter(|prompt| !find(prompt).is_empty())
        .count();
    assert!(asking <= 4, "{asking} of {} controls", controls.len());
}
