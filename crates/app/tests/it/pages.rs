//! `reckon lab report`, `compare` and `classes` over tapes and judgments of our own.
use crate::place::{Place, files};
use serde_json::{Value, json};
use std::fs;

/// Forty sums and a story: guards put twelve right and break one; nothing else differs.
fn tape() -> String {
    let row = |id: usize| {
        let revised = id < 13;
        let right = (id >= 12 && id != 20, id != 12 && id != 20);
        let guard = json!({
            "guard": "arithmetic", "fired": true, "outcome": "revised",
            "evidence": {"in": "prompt", "span": [0, 5], "kind": "quantity", "text": ""},
        });
        json!({
            "id": format!("q{id}"), "turn": 1, "category": if id == 40 { "story" } else { "sum" },
            "raw": format!("It is {id}. <script>alert({id})</script>"),
            "text": if revised { "A program gives 280.".to_owned() } else { format!("It is {id}. <script>alert({id})</script>") },
            "raw_right": (id < 40).then_some(right.0), "right": (id < 40).then_some(right.1),
            "finish": "stop", "usage": {"prompt": 9, "completion": 9}, "ms": 1000,
            "receipt": {
                "model": {"name": "m", "sha256": "ab".repeat(32)}, "system": null,
                "sampler": {"temperature": 0.0, "seed": 1, "max_tokens": 64}, "version": "0.1.0",
                "guards": if revised { vec![guard] } else { Vec::new() },
            },
        })
    };
    (0..=40).map(|id| format!("{}\n", row(id))).collect()
}

fn judgments() -> String {
    let mut rows = String::new();
    for question in 81..=120 {
        for (model, score) in [("plain", 5), ("better", 6 + question % 3), ("same", 5)] {
            for turn in [1, 2] {
                let row =
                    json!({"question_id": question, "model": model, "score": score, "turn": turn});
                rows += &format!("{row}\n");
            }
        }
    }
    rows
}

fn place() -> Place {
    let place = Place::new();
    place.write("sums.jsonl", tape().as_bytes());
    place.write("j.jsonl", judgments().as_bytes());
    place
}

fn json(place: &Place, arguments: &[&str]) -> Value {
    let ended = place.reckon(arguments);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(&ended.out).expect("one JSON object")
}

#[test]
fn a_report_is_a_page_a_document_or_an_object() {
    let place = place();
    let ended = place.reckon(&["lab", "report", "sums.jsonl"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.starts_with("# Reckon lab report: m\n"),
        "{}",
        ended.out
    );
    assert!(
        ended.out.contains("with guards it is better"),
        "{}",
        ended.out
    );
    let ended = place.reckon(&[
        "lab",
        "report",
        "sums.jsonl",
        "--judgments",
        "j.jsonl",
        "-o",
        "r.html",
    ]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), ""), "{ended:?}");
    let page = fs::read_to_string(place.root.path().join("r.html")).expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(page.contains("Judged scores") && !page.contains("<script"));
    let ended = place.reckon(&["lab", "report", "sums.jsonl", "-o", "out/deep"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let made = files(&place.root.path().join("out"));
    assert_eq!(made, ["deep/report.html", "deep/report.md"]);
    let found = json(&place, &["lab", "report", "sums.jsonl", "--json"]);
    let checked = &found["checked"][0];
    assert_eq!(checked["difference"]["n"], 40);
    assert_eq!(checked["fixed"].as_array().map(Vec::len), Some(12));
    assert_eq!(checked["broken"], json!([["q12", 1]]));
    assert_eq!(checked["difference"]["verdict"], "the second is better");
    assert_eq!(found["guards"][0]["control_changed"], 0);
}

#[test]
fn questions_are_in_a_report_only_if_they_are_named() {
    let place = place();
    let question = json!({"id": "q3", "prompt": "How many gulls sit on 3 masts?", "answer": 280});
    place.write("q.jsonl", format!("{question}\n").as_bytes());
    let without = place.reckon(&["lab", "report", "sums.jsonl"]).out;
    assert!(!without.contains("gulls"));
    let ended = place.reckon(&[
        "lab",
        "classes",
        "sums.jsonl",
        "--questions",
        "q.jsonl",
        "--json",
    ]);
    let found: Value = serde_json::from_str(&ended.out).expect("JSON");
    let cases = found["cases"].as_array().expect("cases");
    let case = cases.iter().find(|case| case["id"] == "q3").expect("there");
    assert_eq!(case["outcome"], "fixed");
    place.write(
        "l.jsonl",
        b"{\"id\": \"q3\", \"class\": \"gulls\"}\n{\"id\": \"q20\", \"class\": \"none\"}\n",
    );
    let arguments = ["--questions", "q.jsonl", "--labels", "l.jsonl"];
    let with = place.reckon(&[&["lab", "report", "sums.jsonl"], &arguments[..]].concat());
    let ids = place.reckon(&[&["lab", "report", "sums.jsonl", "--ids"], &arguments[..]].concat());
    assert!(ids.out.contains("Question q3") && !ids.out.contains("How many gulls"));
    assert!(
        with.out.contains("How many gulls sit on 3 masts?"),
        "{with:?}"
    );
}

#[test]
fn a_comparison_says_what_the_difference_is_worth() {
    let place = place();
    let ended = place.reckon(&["lab", "compare", "sums.jsonl", "--flips"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for part in [
        "41 turns of 41 questions, 28 of them the same bytes",
        "guarded is better",
        "12 better, 27 even, 1 worse with guarded",
        "better  q0/1  arithmetic",
        "worse   q12/1  arithmetic",
        "arithmetic  revised 13",
        "detectable",
    ] {
        assert!(ended.out.contains(part), "no {part} in\n{}", ended.out);
    }
    let found = json(
        &place,
        &["lab", "compare", "sums.jsonl", "sums.jsonl", "--json"],
    );
    assert_eq!(found["scores"]["verdict"], "not distinguishable");
    assert_eq!(found["same_bytes"], 41);
    assert_eq!(found["flips"], json!([]));
}

#[test]
fn two_judged_models_are_compared_by_question() {
    let place = place();
    let compare = ["lab", "compare", "j.jsonl", "--json", "--models"];
    let found = json(&place, &[&compare[..], &["plain", "better"]].concat());
    assert_eq!(found["scores"]["verdict"], "the second is better");
    assert_eq!(
        (&found["questions"], &found["answers"]),
        (&json!(40), &json!(80))
    );
    let found = json(&place, &[&compare[..], &["plain", "same"]].concat());
    assert_eq!(found["scores"]["verdict"], "not distinguishable");
    place
        .reckon(&["lab", "compare", "j.jsonl"])
        .refused(2, &["3 models", "--models A B"]);
    let unknown = [&compare[..], &["plain", "nobody"]].concat();
    place.reckon(&unknown).refused(4, &["nobody", "better"]);
}

#[test]
fn a_library_grows_by_tapes_and_not_by_repetition() {
    let place = place();
    place.write("more.jsonl", tape().as_bytes());
    let classes = |tape: &str| place.reckon(&["lab", "classes", tape, "-o", "library.toml"]);
    let ended = classes("sums.jsonl");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended
            .out
            .contains("arithmetic   13 turns, arithmetic drift"),
        "{}",
        ended.out
    );
    let read = || fs::read_to_string(place.root.path().join("library.toml")).expect("a library");
    let first = read();
    classes("sums.jsonl");
    assert_eq!(read(), first);
    classes("more.jsonl");
    assert_eq!(
        read().matches("[[class]]").count(),
        2 * first.matches("[[class]]").count()
    );
    fs::write(
        place.root.path().join("library.toml"),
        "[[class]]\nname = 3\n",
    )
    .expect("written");
    classes("sums.jsonl").refused(4, &["library.toml line 2"]);
    assert_eq!(read(), "[[class]]\nname = 3\n");
}

#[test]
fn what_cannot_be_reported_is_refused_in_one_line() {
    let place = place();
    place.write("half.jsonl", b"{\"id\": \"a\"}\n");
    place.write("empty.jsonl", b"\n\n");
    place.write(
        "bad.jsonl",
        b"{\"question_id\": 1, \"model\": \"m\", \"score\": \"good\", \"turn\": 1}\n",
    );
    place.write("labels.jsonl", b"{\"id\": \"nobody\", \"class\": 1}\n");
    for (arguments, code, words) in [
        (&["report", "gone.jsonl"][..], 4, &["gone.jsonl"][..]),
        (&["report", "half.jsonl"], 4, &["half.jsonl line 1"]),
        (&["report", "empty.jsonl"], 4, &["no answer on it"]),
        (
            &["report", "sums.jsonl", "--judgments", "bad.jsonl"],
            4,
            &["bad.jsonl line 1"],
        ),
        (
            &["report", "sums.jsonl", "--labels", "labels.jsonl"],
            4,
            &["line 1", "not on the tape"],
        ),
        (
            &["report", "sums.jsonl", "-o", "r.pdf"],
            2,
            &[".pdf", "FILE.html"],
        ),
        (
            &["report", "sums.jsonl", "--json", "--markdown"],
            2,
            &["--json"],
        ),
        (&["report", "--json"], 2, &["nothing to report on"]),
        (
            &["compare", "sums.jsonl", "--models", "a", "b"],
            2,
            &["--models"],
        ),
        (&["compare", "empty.jsonl"], 4, &["no answer on it"]),
        (
            &["classes", "sums.jsonl", "-o", "l.yaml"],
            2,
            &["FILE.toml"],
        ),
        (&["classes", "half.jsonl"], 4, &["line 1"]),
    ] {
        place
            .reckon(&[&["lab"], arguments].concat())
            .refused(code, words);
    }
}
