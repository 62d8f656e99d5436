//! IFEval's own verdicts on answers of real models, and ours.
use reckon::assistant::NoTools;
use reckon_lab::{Line, read_lines, read_questions};
use serde_json::{Value, json};
use std::{collections::HashMap, fs};

fn question(row: &Value) -> reckon_lab::Result<reckon_lab::Question> {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("q.jsonl");
    fs::write(&path, format!("{row}\n")).expect("written");
    Ok(read_questions(&path)?.remove(0))
}

fn asks(id: &str, kwargs: &Value) -> Value {
    json!({ "key": 1, "prompt": "Write.", "instruction_id_list": [id], "kwargs": [kwargs] })
}

#[test]
fn an_instruction_is_checked_by_its_arguments() {
    let few = asks(
        "length_constraints:number_words",
        &json!({ "relation": "less than", "num_words": 3 }),
    );
    let few = question(&few).expect("read");
    assert_eq!(few.is_right(1, "two words", &mut NoTools), Some(true));
    assert_eq!(
        few.is_right(1, "now three words", &mut NoTools),
        Some(false)
    );
}

#[test]
fn an_instruction_nobody_knows_never_passes() {
    let odd = question(&asks("count:unheard_of", &json!({}))).expect("read");
    assert_eq!(odd.is_right(1, "anything", &mut NoTools), None);
    let lacking = question(&asks("keywords:frequency", &json!({ "keyword": "a" })));
    let error = lacking.expect_err("refused").to_string();
    assert!(
        error.contains("line 1") && error.contains("keywords:frequency"),
        "{error}"
    );
}

/// One instruction at a time, since that is what the verdicts are about.
fn agreement(rows: &[Line]) -> HashMap<String, (usize, usize)> {
    let mut seen: HashMap<String, (usize, usize)> = HashMap::new();
    for line in rows {
        let row = &line.value;
        let list = |name: &str| row[name].as_array().cloned().unwrap_or_default();
        let (ids, kwargs, verdicts) = (list("instruction_id_list"), list("kwargs"), list("strict"));
        for ((id, kwargs), verdict) in ids.iter().zip(&kwargs).zip(&verdicts) {
            let mut one = asks(id.as_str().expect("an id"), kwargs);
            one["prompt"] = row["prompt"].clone();
            let response = row["response"].as_str().expect("a response");
            let ours = question(&one)
                .expect("read")
                .is_right(1, response, &mut NoTools);
            let counts = seen.entry(id.as_str().expect("an id").into()).or_default();
            counts.0 += usize::from(ours == verdict.as_bool());
            counts.1 += 1;
        }
    }
    seen
}

#[test]
fn verdicts_are_those_of_the_reference() {
    for name in ["verdicts_gpt4.jsonl", "verdicts_llama31_8b.jsonl"] {
        let Some(path) = crate::shared(&format!("ifeval/{name}")) else {
            continue;
        };
        let seen = agreement(&read_lines(&path).expect("read"));
        let (same, all) = seen
            .values()
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let apart: Vec<_> = seen.iter().filter(|(_, (same, all))| same < all).collect();
        assert!(same * 1000 >= all * 985, "{same} of {all}: {apart:?}");
    }
}
