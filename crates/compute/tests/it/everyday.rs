//! Everyday questions and word problems: how many are computed, and that none is wrong. Needs `../shared` beside the
//! project; says so where it is not.

use reckon_compute::{
    direct::{Outcome, compute},
    misread::misreading,
    number::{Value, claimed},
};
use serde_json::Value as Json;
use std::path::Path;

/// The lines of a file below `shared/data`, which lies beside the project or beside its work trees.
fn rows(name: &str) -> Option<Vec<Json>> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let found = ["..", "../.."].iter().find_map(|up| {
        std::fs::read_to_string(project.join(up).join("shared/data").join(name)).ok()
    });
    if found.is_none() {
        eprintln!("SKIPPED: needs ../shared/data/{name}");
    }
    let parse = |line: &str| serde_json::from_str(line).expect("a line of JSON");
    Some(
        found?
            .lines()
            .filter(|line| !line.is_empty())
            .map(parse)
            .collect(),
    )
}

/// Whether a value is the number that a row expects, or an alternative that it allows.
fn is_expected(value: &Outcome, row: &Json) -> bool {
    let float = |value: &Value| match value {
        Value::Exact(exact) => num_traits::ToPrimitive::to_f64(exact),
        Value::Float(float) => Some(*float),
    };
    let (number, scales): (_, &[f64]) = match value {
        Outcome::Number { value, .. } | Outcome::Money { value, .. } => (float(value), &[1.0]),
        Outcome::Percent(value) | Outcome::Probability(value) => (float(value), &[1.0, 100.0]),
        Outcome::Duration(value) => (float(value), &[1.0, 1.0 / 60.0, 1.0 / 3600.0]),
        _ => return false,
    };
    let mut goals: Vec<f64> = row["also"].as_array().map_or_else(Vec::new, |also| {
        also.iter().filter_map(Json::as_f64).collect()
    });
    goals.extend(row["number"].as_f64());
    let tolerance = row["tolerance"].as_f64().unwrap_or(0.0).max(0.006);
    number.is_some_and(|number| {
        goals.iter().any(|goal| {
            scales
                .iter()
                .any(|scale| (number * scale - goal).abs() <= tolerance)
        })
    })
}

#[test]
fn everyday_numbers_are_computed() {
    let Some(rows) = rows("everyday/numbers.jsonl") else {
        return;
    };
    let mut computed = 0;
    for row in &rows {
        let question = row["prompt"].as_str().expect("a prompt");
        let Some(found) = compute(&[], question) else {
            continue;
        };
        computed += 1;
        let right = match row["pattern"].as_str() {
            Some(pattern) => fancy(pattern, &found.text),
            None => is_expected(&found.value, row),
        };
        assert!(right, "{question}: {}", found.text);
        assert_eq!(
            found.is_said(question, &found.text),
            Some(true),
            "{question}: {}",
            found.text
        );
    }
    assert_eq!(computed, rows.len(), "all of them were computed");
}

/// Patterns with a look-ahead are none for this engine; without it they ask for more, not less.
fn fancy(pattern: &str, text: &str) -> bool {
    regex::Regex::new(&pattern.replace("(?! )", ""))
        .expect("a pattern")
        .is_match(text)
}

#[test]
fn terse_questions_and_follow_ups_are_computed() {
    if let Some(rows) = rows("everyday/terse.jsonl") {
        for row in &rows {
            let question = row["prompt"].as_str().expect("a prompt");
            assert!(compute(&[], question).is_some(), "{question}");
        }
    }
    for talk in rows("everyday/follow_ups.jsonl").unwrap_or_default() {
        let mut earlier: Vec<&str> = Vec::new();
        for turn in talk["turns"].as_array().expect("turns") {
            let question = turn["prompt"].as_str().expect("a prompt");
            let found = compute(&earlier, question).unwrap_or_else(|| panic!("{question}"));
            assert!(
                is_expected(&found.value, turn),
                "{question}: {}",
                found.text
            );
            earlier.push(question);
        }
    }
}

#[test]
fn facts_and_requests_are_not_computed() {
    for name in ["facts", "control", "puzzles", "without"] {
        for row in rows(&format!("everyday/{name}.jsonl")).unwrap_or_default() {
            let question = row["prompt"].as_str().expect("a prompt");
            assert_eq!(
                compute(&[], question).map(|found| found.text),
                None,
                "{question}"
            );
        }
    }
}

#[test]
fn word_problems_are_computed_rightly_or_not_at_all() {
    for name in [
        "svamp",
        "asdiv",
        "gsm8k_test",
        "gsm_hard",
        "mawps_addsub",
        "mawps_multiarith",
    ] {
        for row in rows(&format!("arithmetic/{name}.jsonl")).unwrap_or_default() {
            let question = row["question"].as_str().expect("a question");
            let Some(found) = compute(&[], question) else {
                continue;
            };
            let answer = row["answer"]
                .as_f64()
                .or_else(|| row["answer"].as_str()?.replace(',', "").parse().ok());
            let expected = serde_json::json!({ "number": answer });
            assert!(
                is_expected(&found.value, &expected),
                "{question}: {} instead of {answer:?}",
                found.text
            );
        }
    }
}

/// Rules against misreadings doubt few right answers; more of them than these, and a rule reads too much into questions.
#[test]
fn right_answers_are_seldom_doubted() {
    let ordinary = [
        "gsm8k_test",
        "svamp",
        "asdiv",
        "mawps_addsub",
        "mawps_multiarith",
    ];
    for (files, most) in [(&ordinary[..], 12), (&["gsm_hard"], 48)] {
        let read = |file: &&str| rows(&format!("arithmetic/{file}.jsonl"));
        let rows: Vec<Json> = files.iter().filter_map(read).flatten().collect();
        let doubted = rows.iter().filter(|row| is_doubted(row)).count();
        eprintln!("{doubted} of {} doubted: {files:?}", rows.len());
        assert!(doubted <= most, "{doubted} of {files:?}");
    }
}

/// Whether the answer that a row gives as right is called a misreading of its question.
fn is_doubted(row: &Json) -> bool {
    let question = row["question"].as_str().expect("a question");
    let said = row["answer"].as_str().map(str::to_owned);
    let answer = claimed(&said.unwrap_or_else(|| row["answer"].to_string()));
    answer.is_some_and(|found| misreading(question, &found.value).is_some())
}
