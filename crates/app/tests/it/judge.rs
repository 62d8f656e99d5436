//! `reckon lab judge` and `lab report --from-judgments`: what a judge is asked, what is written, kills, refusals.
use crate::{
    elsewhere::{Elsewhere, last},
    place::{Ended, Place, kill_20_times},
};
use serde_json::{Value, json};
use std::{fs, time::Duration};

/// FastChat's names and places, words of our own.
fn prompts() -> String {
    let row = |name: &str, kind: &str, template: &str| {
        let output = if kind == "single" {
            "[[rating]]"
        } else {
            "[[A]]"
        };
        json!({
            "name": name, "type": kind, "system_prompt": format!("System of {name}."),
            "prompt_template": template, "output_format": output,
        })
    };
    [
        row("single-v1", "single", "Q {question} A {answer}"),
        row(
            "single-v1-multi-turn",
            "single",
            "Q {question_2} A {answer_1} {answer_2}",
        ),
        row(
            "single-math-v1",
            "single",
            "Q {question} R {ref_answer_1} A {answer}",
        ),
        row(
            "single-math-v1-multi-turn",
            "single",
            "Q {question_2} R {ref_answer_2} A {answer_2}",
        ),
        row(
            "pair-v2",
            "pairwise",
            "Q {question} A {answer_a} B {answer_b}",
        ),
        row(
            "pair-v2-multi-turn",
            "pairwise",
            "Q {question_2} A {answer_a_2} B {answer_b_2}",
        ),
        row(
            "pair-math-v1",
            "pairwise",
            "R {ref_answer_1} A {answer_a} B {answer_b}",
        ),
        row(
            "pair-math-v1-multi-turn",
            "pairwise",
            "R {ref_answer_2} A {answer_a_2} B {answer_b_2}",
        ),
    ]
    .map(|row| format!("{row}\n"))
    .concat()
}

fn question(id: usize, category: &str) -> Value {
    json!({ "question_id": id, "category": category, "turns": [format!("one {id}"), format!("two {id}")] })
}

fn answer(id: usize, turns: [&str; 2]) -> Value {
    json!({ "question_id": id, "answer_id": "x", "model_id": "x", "choices": [{ "index": 0, "turns": turns }], "tstamp": 1.0 })
}

fn lines(rows: impl IntoIterator<Item = Value>) -> Vec<u8> {
    let text: String = rows.into_iter().map(|row| format!("{row}\n")).collect();
    text.into_bytes()
}

/// A place with prompts, questions, references, and answers of two models.
fn place(ids: &[(usize, &str)]) -> Place {
    let place = Place::new();
    place.write("p.jsonl", prompts().as_bytes());
    place.write(
        "q.jsonl",
        &lines(ids.iter().map(|(id, category)| question(*id, category))),
    );
    place.write(
        "r.jsonl",
        &lines(ids.iter().map(|(id, _)| answer(*id, ["ref 1", "ref 2"]))),
    );
    place.write(
        "good.jsonl",
        &lines(
            ids.iter()
                .map(|(id, _)| answer(*id, ["fine {answer} é", "fine 2"])),
        ),
    );
    place.write(
        "bad.jsonl",
        &lines(ids.iter().map(|(id, _)| answer(*id, ["poor 1", "poor 2"]))),
    );
    place
}

const FILES: [&str; 6] = [
    "--questions",
    "q.jsonl",
    "--prompts",
    "p.jsonl",
    "--references",
    "r.jsonl",
];

fn judge(place: &Place, server: &Elsewhere, answers: &[&str], more: &[&str]) -> Ended {
    let asked = ["--model", "m", "--endpoint", &server.url, "-o", "j.jsonl"];
    place.reckon(&[&["lab", "judge"], answers, &FILES, &asked, more].concat())
}

fn rows(place: &Place) -> Vec<Value> {
    let text = fs::read_to_string(place.root.path().join("j.jsonl")).expect("judgments");
    let mut rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a whole row"))
        .collect();
    for row in &mut rows {
        row.as_object_mut().expect("an object").remove("tstamp");
    }
    rows.sort_by_key(ToString::to_string);
    rows
}

/// Likes what is fine.
fn scorer() -> Elsewhere {
    Elsewhere::new(Duration::ZERO, |body| {
        let fine = last(body).contains("fine");
        format!("I looked. Rating: [[{}]]", if fine { "9.5" } else { "3" })
    })
}

#[test]
fn single_judgments_are_written_as_fastchat_writes_them() {
    let place = place(&[(81, "writing"), (111, "math")]);
    let server = scorer();
    let ended = judge(&place, &server, &["good.jsonl", "bad.jsonl"], &[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.contains("good") && ended.out.contains("9.500"),
        "{ended:?}"
    );
    let text = fs::read_to_string(place.root.path().join("j.jsonl")).expect("judgments");
    let begin = r#"{"question_id": 81, "model": "good", "judge": ["m", "single-v1"], "user_prompt": "Q one 81 A fine {answer} \u00e9", "judgment": "I looked. Rating: [[9.5]]", "score": 9.5, "turn": 1, "tstamp": "#;
    assert!(text.lines().any(|line| line.starts_with(begin)), "{text}");
    let rows = rows(&place);
    assert_eq!(rows.len(), 8);
    let guided: Vec<&str> = rows
        .iter()
        .filter(|row| row["question_id"] == 111 && row["model"] == "bad")
        .map(|row| row["user_prompt"].as_str().expect("a prompt"))
        .collect();
    assert!(guided.contains(&"Q one 111 R ref 1 A poor 1"), "{guided:?}");
    assert!(guided.contains(&"Q two 111 R ref 2 A poor 2"), "{guided:?}");
    for (_, body) in server.asked() {
        assert_eq!(
            (&body["temperature"], &body["max_tokens"]),
            (&json!(0.0), &json!(2048))
        );
        assert_eq!(body["messages"][0]["role"], "system");
    }
    // All of it is there: nobody is asked again.
    let before = server.asked().len();
    assert_eq!(
        judge(&place, &server, &["good.jsonl", "bad.jsonl"], &[]).code,
        Some(0)
    );
    assert_eq!(server.asked().len(), before);
}

#[test]
fn pairs_are_shown_in_both_orders_and_a_judge_of_places_makes_ties() {
    let place = place(&[(81, "writing"), (82, "writing")]);
    // In 81 the judge likes what is fine, in 82 whatever stands first.
    let server = Elsewhere::new(Duration::ZERO, |body| {
        let asked = last(body);
        let first_is_fine = asked
            .split(" B ")
            .next()
            .is_some_and(|first| first.contains("fine"));
        match asked.contains("81") && !first_is_fine {
            true => "[[B]]".into(),
            false => "[[A]]".into(),
        }
    });
    let ended = judge(
        &place,
        &server,
        &["good.jsonl", "bad.jsonl"],
        &["--mode", "pair", "--baseline", "bad"],
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for row in rows(&place) {
        let winners = (row["g1_winner"].as_str(), row["g2_winner"].as_str());
        let expected = match row["question_id"].as_u64() {
            Some(81) => (Some("model_1"), Some("model_1")),
            _ => (Some("model_1"), Some("model_2")),
        };
        assert_eq!(winners, expected, "{row}");
        assert_eq!(
            (&row["model_1"], &row["model_2"]),
            (&json!("good"), &json!("bad"))
        );
    }
    let report = place.reckon(&["lab", "report", "--from-judgments", "j.jsonl", "--json"]);
    let report: Value = serde_json::from_str(&report.out).expect("JSON");
    let good = &report["models"][0];
    assert_eq!(
        (&good["model"], &good["win"], &good["tie"]),
        (&json!("good"), &json!(2), &json!(2))
    );
}

#[test]
fn a_judgment_without_a_rating_is_minus_one_and_repeats_show_the_noise() {
    let place = place(&[(81, "writing")]);
    let server = Elsewhere::new(Duration::ZERO, |body| match body["seed"].as_u64() {
        Some(0) => "Rating: [[4]]".into(),
        Some(1) => "Rating: [[6]]".into(),
        _ => "I would rather not.".into(),
    });
    let ended = judge(&place, &server, &["good.jsonl"], &["--repeats", "3"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows = rows(&place);
    assert_eq!(rows.len(), 6);
    let failed = rows.iter().filter(|row| row["score"] == -1).count();
    assert_eq!(failed, 2);
    assert!(ended.out.contains("2 without a score"), "{ended:?}");
    assert!(ended.out.contains("noise 1.41"), "{ended:?}");
}

#[test]
fn on_the_corrected_track_a_check_decides_and_nobody_is_asked() {
    let place = place(&[(1, "writing")]);
    let row = json!({
        "question_id": 1, "category": "writing", "turns": ["How many?", "And now?"],
        "checks": [[{ "number": 7 }], []],
    });
    place.write("q.jsonl", &lines([row]));
    place.write("seven.jsonl", &lines([answer(1, ["It is 7.", "fine"])]));
    place.write("eight.jsonl", &lines([answer(1, ["It is 8.", "poor"])]));
    let server = scorer();
    let ended = judge(
        &place,
        &server,
        &["seven.jsonl", "eight.jsonl"],
        &["--track", "corrected", "--repeats", "2"],
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(server.asked().len(), 4, "second turns only, twice");
    let rows = rows(&place);
    let decided: Vec<(&Value, &Value, &Value)> = rows
        .iter()
        .filter(|row| row["turn"] == 1)
        .map(|row| (&row["model"], &row["score"], &row["judge"][0]))
        .collect();
    let check = json!("check");
    let expected = [
        (&json!("eight"), &json!(1), &check),
        (&json!("seven"), &json!(10), &check),
    ];
    assert_eq!(decided, expected);
    assert!(
        rows.iter().all(|row| row["track"] == "corrected"),
        "{rows:?}"
    );
    let again = judge(
        &place,
        &server,
        &["seven.jsonl", "eight.jsonl"],
        &["--track", "corrected", "--repeats", "2"],
    );
    assert_eq!((again.code, server.asked().len()), (Some(0), 4));
    // The compat track is another matter, in the same file.
    let compat = judge(&place, &server, &["seven.jsonl", "eight.jsonl"], &[]);
    assert_eq!((compat.code, server.asked().len()), (Some(0), 8));
}

#[test]
fn a_busy_judge_is_asked_again_and_one_that_refuses_ends_it_without_loss() {
    let place = place(&[(81, "writing"), (82, "writing")]);
    let server = scorer();
    server.refuse(&[503, 429]);
    let ended = judge(&place, &server, &["good.jsonl"], &["--parallel", "1"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(rows(&place).len(), 4);
    server.refuse(&[401]);
    let ended = judge(&place, &server, &["bad.jsonl"], &["--parallel", "1"]);
    ended.refused(3, &["401", "not today"]);
    assert_eq!(rows(&place).len(), 4);
    assert_eq!(judge(&place, &server, &["bad.jsonl"], &[]).code, Some(0));
    assert_eq!(rows(&place).len(), 8);
}

#[test]
fn twenty_kills_lose_no_judgment_and_double_none() {
    let ids: Vec<(usize, &str)> = (81..101).map(|id| (id, "writing")).collect();
    let place = place(&ids);
    let server = Elsewhere::new(Duration::from_millis(15), |body| {
        format!("{} Rating: [[{}]]", last(body), last(body).len() % 10)
    });
    let run = |output: &str| {
        let asked = [
            "--model",
            "m",
            "--endpoint",
            &server.url,
            "--parallel",
            "2",
            "-o",
            output,
        ];
        let arguments = [
            &["lab", "judge", "good.jsonl", "bad.jsonl"],
            &FILES[..],
            &asked,
        ]
        .concat();
        place.start(&arguments)
    };
    kill_20_times(7, || run("j.jsonl"));
    assert!(run("j.jsonl").wait().expect("ended").success());
    let killed = rows(&place);
    assert_eq!(killed.len(), 80);
    fs::remove_file(place.root.path().join("j.jsonl")).expect("removed");
    assert!(run("j.jsonl").wait().expect("ended").success());
    assert_eq!(killed, rows(&place));
}

#[test]
fn what_cannot_be_judged_or_reported_is_refused_in_one_line() {
    let place = place(&[(111, "math")]);
    let server = scorer();
    let base = [
        "lab",
        "judge",
        "good.jsonl",
        "--questions",
        "q.jsonl",
        "--model",
        "m",
        "--endpoint",
        &server.url,
        "-o",
        "j.jsonl",
    ];
    let without = [&base[..], &["--prompts", "p.jsonl"]].concat();
    place
        .reckon(&without)
        .refused(4, &["no reference", "111", "--references"]);
    judge(&place, &server, &["good.jsonl"], &["--baseline", "bad"]).refused(2, &["--mode pair"]);
    judge(
        &place,
        &server,
        &["good.jsonl"],
        &["--mode", "pair", "--baseline", "who"],
    )
    .refused(4, &["who"]);
    judge(&place, &server, &["absent.jsonl"], &[]).refused(4, &["absent.jsonl"]);
    place.write("p2.jsonl", b"{\"name\":\"x\",\"type\":\"single\",\"system_prompt\":\"\",\"prompt_template\":\"{a[0]}\",\"output_format\":\"[[rating]]\"}\n");
    place
        .reckon(&[&base[..], &["--prompts", "p2.jsonl"]].concat())
        .refused(4, &["line 1", "plain name"]);
    place.write(
        "bad_scores.jsonl",
        b"\n{\"question_id\":1,\"model\":\"m\",\"score\":\"good\",\"turn\":1}\n",
    );
    let report = |file: &str| place.reckon(&["lab", "report", "--from-judgments", file, "--json"]);
    report("bad_scores.jsonl").refused(4, &["line 2", "good"]);
    place.write("empty.jsonl", b"");
    report("empty.jsonl").refused(4, &["no judgment"]);
}

#[test]
fn a_report_has_fastchats_figures_and_ours_side_by_side() {
    let place = Place::new();
    let row = |id: usize, turn: usize, score: Value| json!({ "question_id": id, "model": "m\u{1b}[31m", "score": score, "turn": turn });
    place.write(
        "j.jsonl",
        &lines([
            row(81, 1, json!(4)),
            row(81, 1, json!("8")),
            row(81, 2, json!(6)),
            row(111, 1, json!(-1)),
            row(111, 2, json!(1)),
        ]),
    );
    let ended = place.reckon(&["lab", "report", "--from-judgments", "j.jsonl", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    let model = &report["models"][0];
    assert_eq!(
        (&model["first"], &model["second"]),
        (&json!(6.0), &json!(3.5))
    );
    assert_eq!((&model["average"], &model["n"]), (&json!(4.75), &json!(4)));
    assert_eq!(
        model["deduplicated"],
        json!({ "first": 8.0, "second": 3.5, "average": 5.0, "n": 3 })
    );
    assert_eq!(model["categories"], json!({ "math": 1.0, "writing": 6.0 }));
    let text = place
        .reckon(&["lab", "report", "--from-judgments", "j.jsonl"])
        .out;
    assert!(
        text.contains("4.750") && !text.contains('\u{1b}'),
        "{text:?}"
    );
}
