//! The detectors on real transcripts: figures as ratchets. Needs `../shared` beside the project; says so where it is not.
//!
//! Decisions on the self-correction hits, made by reading each one as a careful editor would (ids only):
//! - cut, the derivation kept: `gsm/yi-large-preview/230`, `gsm/yi-large/{230,785,831,875}`;
//! - cut to the restatement, which derives itself: `gsm/yi-large-preview/730`, `crux/reka-core-20240501/738`;
//! - left, the restatement says "as described" of what would go: `crux/yi-large-preview/755`;
//! - left, the corrected steps need numbers of the first ones: `gsm/yi-large/1239`;
//! - left, the correction is inside a JSON string: `gsm/Mixtral-8x7B-Instruct-v0.1/177`;
//! - left, in thinking: the 22 hits before a `</think>`;
//! - left, unfinished thinking out loud without an answer: the 6 hits of `pramana` that no tag closes;
//! - left, a re-check that confirms: `henry_small_llm` `math/deepseek_r1_full/8` and `weight/deepseek_r1_full/{23,30,33,39}`.
use flate2::read::GzDecoder;
use reckon_assistant::{
    detect::{arithmetic, counting, logic, persona, qualifier},
    pack::Pack,
    scan::scan,
};
use serde_json::Value;
use std::{
    fs::File,
    io::{Read, Write},
    path::PathBuf,
};

/// A path below `../shared/data`, if that is there.
fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(path);
    if path.exists() {
        return Some(path);
    }
    say(&format!(
        "SKIPPED: {path:?} is not there; figures were not checked"
    ));
    None
}

/// Straight to the terminal: the test runner hides what passing tests print.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

fn rows(path: &str) -> Option<Vec<Value>> {
    let path = shared(path)?;
    let mut text = String::new();
    let mut file = File::open(&path).unwrap();
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(file).read_to_string(&mut text).unwrap();
    } else {
        file.read_to_string(&mut text).unwrap();
    }
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn field<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or("")
}

/// The packs that are shipped.
fn packs() -> Vec<Pack> {
    let sources = [
        include_str!("../../../../packs/sign-off.toml"),
        include_str!("../../../../packs/elided-code.toml"),
    ];
    sources
        .iter()
        .map(|text| Pack::parse(text).unwrap())
        .collect()
}

#[test]
fn clean_answers_and_near_misses_stay_as_they_are() {
    for name in [
        "clean_control.jsonl.gz",
        "self_correction_hard_negatives.jsonl.gz",
    ] {
        let Some(rows) = rows(&format!("transcripts/{name}")) else {
            return;
        };
        for row in &rows {
            let found = scan(field(row, "prompt"), field(row, "output"), &[]);
            assert_eq!(found.text, field(row, "output"), "{}", row["id"]);
            assert_eq!(found.fired, [], "{}", row["id"]);
            // The prompt may be unknown to a front end.
            assert_eq!(
                scan("", field(row, "output"), &[]).text,
                field(row, "output"),
                "{}",
                row["id"]
            );
        }
        say(&format!("{name}: 0 of {} changed, 0 fired", rows.len()));
    }
}

#[test]
fn identity_leaks_are_told_from_talk_about_ai() {
    let Some(rows) = rows("transcripts/identity_phrases.jsonl.gz") else {
        return;
    };
    let (mut right, mut wrong, mut missed) = (0, 0, 0);
    for row in &rows {
        match (
            persona::leak(field(row, "output")).is_some(),
            field(row, "self_disclosure") == "yes",
        ) {
            (true, true) => right += 1,
            (true, false) => wrong += 1,
            (false, true) => missed += 1,
            (false, false) => {}
        }
    }
    say(&format!(
        "identity leaks: {right} right, {wrong} wrong, {missed} missed of {}",
        rows.len()
    ));
    assert!(right * 100 >= 99 * (right + wrong), "precision");
    assert!(right * 100 >= 98 * (right + missed), "recall");
}

#[test]
fn self_corrections_are_cut_as_decided() {
    const CUT: [&str; 7] = [
        "zeroeval/crux/reka-core-20240501/738",
        "zeroeval/gsm/yi-large-preview/230",
        "zeroeval/gsm/yi-large-preview/730",
        "zeroeval/gsm/yi-large/230",
        "zeroeval/gsm/yi-large/785",
        "zeroeval/gsm/yi-large/831",
        "zeroeval/gsm/yi-large/875",
    ];
    let Some(rows) = rows("transcripts/self_correction_hits.jsonl") else {
        return;
    };
    for row in &rows {
        let (id, response) = (field(row, "id"), field(row, "output"));
        let text = scan("", response, &[]).text;
        assert_eq!(text != response, CUT.contains(&id), "{id}");
        if text != response {
            assert_eq!(
                text.matches("\"answer\"").count(),
                1,
                "{id}: one answer is left"
            );
            assert!(!text.to_lowercase().contains("corrected"), "{id}");
        }
    }
    say(&format!(
        "self-corrections: {} of {} hits cut",
        CUT.len(),
        rows.len()
    ));
}

/// How many prompts of a file a detector sees, in per mille, at least or at most so many.
fn per_mille(name: &str, prompts: &[String], looks: fn(&str) -> bool) -> usize {
    let seen = prompts.iter().filter(|prompt| looks(prompt)).count();
    say(&format!("{name}: {seen} of {}", prompts.len()));
    seen * 1000 / prompts.len().max(1)
}

fn prompts(path: &str, of: impl Fn(&Value) -> Option<String>) -> Option<Vec<String>> {
    let mut found: Vec<String> = rows(path)?.iter().filter_map(of).collect();
    found.sort();
    found.dedup();
    Some(found)
}

fn puzzle(row: &Value) -> Option<String> {
    if let Some(input) = row["input"].as_str() {
        return Some(input.to_owned());
    }
    let options: Vec<&str> = row["options"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    Some(format!(
        "{}\n{}\n{}",
        field(row, "context"),
        field(row, "question"),
        options.join("\n")
    ))
}

#[test]
fn triggers_see_their_problems() {
    let question = |row: &Value| Some(field(row, "question").to_owned());
    for name in [
        "gsm8k_test",
        "gsm_hard",
        "svamp",
        "asdiv",
        "mawps_addsub",
        "mawps_multiarith",
    ] {
        let Some(prompts) = prompts(&format!("arithmetic/{name}.jsonl"), question) else {
            return;
        };
        let seen = per_mille(&format!("arithmetic on {name}"), &prompts, |prompt| {
            arithmetic::look(prompt, "").is_some()
        });
        assert!(seen >= 985, "{name}: {seen}");
    }
    let logic_sets = [
        "ar_lsat",
        "bbh_boolean_expressions",
        "bbh_logical_deduction_three_objects",
        "bbh_logical_deduction_five_objects",
        "bbh_logical_deduction_seven_objects",
        "bbh_tracking_shuffled_objects_three_objects",
        "bbh_web_of_lies",
        "folio",
        "logicaldeduction",
        "prontoqa",
        "proofwriter",
    ];
    for name in logic_sets {
        let Some(prompts) = prompts(&format!("logic/problems_{name}.jsonl"), puzzle) else {
            return;
        };
        let seen = per_mille(&format!("logic on {name}"), &prompts, |prompt| {
            logic::look(prompt, "").is_some()
        });
        assert!(seen >= 960, "{name}: {seen}");
    }
}

#[test]
fn triggers_leave_other_prompts_alone() {
    let prompt = |row: &Value| Some(field(row, "prompt").to_owned());
    let other = |row: &Value| {
        let category = field(row, "category");
        let plain = !["math", "reasoning", "coding"].contains(&category);
        plain.then(|| row["turns"][0].as_str().unwrap_or("").to_owned())
    };
    let sets = [
        (
            "controls",
            prompts("transcripts/clean_control.jsonl.gz", prompt),
        ),
        ("instructions", prompts("ifeval/prompts.jsonl", prompt)),
        (
            "more instructions",
            prompts("ifeval/ifbench_sample_output_verdicts.jsonl", prompt),
        ),
        (
            "MT-Bench without mathematics, reasoning, coding",
            prompts("mt_bench/question.jsonl", other),
        ),
    ];
    type Rule = (&'static str, fn(&str) -> bool, usize);
    let rules: [Rule; 4] = [
        (
            "arithmetic",
            |prompt| arithmetic::look(prompt, "").is_some(),
            25,
        ),
        ("logic", |prompt| logic::look(prompt, "").is_some(), 5),
        (
            "qualifier",
            |prompt| !qualifier::find(prompt).is_empty(),
            60,
        ),
        (
            "counting",
            |prompt| counting::look(prompt, "").is_some(),
            10,
        ),
    ];
    for (set, prompts) in sets {
        let Some(prompts) = prompts else { return };
        for (guard, looks, most) in rules {
            let seen = per_mille(&format!("{guard} on {set}"), &prompts, looks);
            assert!(seen <= most, "{guard} on {set}: {seen} per mille");
        }
    }
}

#[test]
fn everyday_questions_are_told_from_facts() {
    let prompt = |row: &Value| Some(field(row, "prompt").to_owned());
    // File, least and most per mille.
    let sets = [
        ("terse", 950, 1000),
        ("numbers", 950, 1000),
        ("facts", 0, 60),
        ("control", 0, 0),
        ("constraints", 0, 0),
    ];
    for (name, least, most) in sets {
        let Some(prompts) = prompts(&format!("everyday/{name}.jsonl"), prompt) else {
            return;
        };
        let seen = per_mille(&format!("arithmetic on {name}"), &prompts, |prompt| {
            arithmetic::look(prompt, "").is_some()
        });
        assert!((least..=most).contains(&seen), "{name}: {seen} per mille");
    }
    let Some(talks) = rows("everyday/follow_ups.jsonl") else {
        return;
    };
    for talk in &talks {
        let turns: Vec<&str> = talk["turns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| field(turn, "prompt"))
            .collect();
        for (at, turn) in turns.iter().enumerate() {
            assert!(arithmetic::look_in(&turns[..at], turn).is_some(), "{turn}");
        }
    }
}

#[test]
fn shipped_packs_fire_where_they_should() {
    let Some(rows) = rows("transcripts/clean_control.jsonl.gz") else {
        return;
    };
    let packs = packs();
    let mut fired = vec![0; packs.len()];
    for row in &rows {
        for (count, pack) in fired.iter_mut().zip(&packs) {
            let Some(found) = pack.look(field(row, "prompt"), field(row, "output")) else {
                continue;
            };
            *count += 1;
            if let Some(text) = pack.strip(field(row, "prompt"), field(row, "output")) {
                let start = field(row, "output")[..found.span.start].trim_end();
                assert!(
                    text.len() >= start.len() / 2 && field(row, "output").starts_with(&text),
                    "{}",
                    row["id"]
                );
            }
        }
    }
    for (count, pack) in fired.iter().zip(&packs) {
        say(&format!(
            "pack {} on {} answers: {count}",
            pack.class,
            rows.len()
        ));
    }
}
