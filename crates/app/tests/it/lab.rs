//! `reckon lab run`: turns, conversations, servers, kills.
use crate::{
    elsewhere::{Elsewhere, last},
    fixture::{Tiny, gguf},
    place::{Place, files, kill_20_times},
    server::Server,
};
use reckon::gguf::Format;
use serde_json::{Value, json};
use std::{fs, time::Duration};

/// FastChat's shape, words of our own.
fn questions(n: usize) -> String {
    let category = |at: usize| ["writing", "math", "stem"][at % 3];
    let row = |at| {
        json!({
            "question_id": 200 + at,
            "category": category(at),
            "turns": [format!("Say something about harbour {at}."), "Say it again."],
        })
    };
    (0..n).map(|at| format!("{}\n", row(at))).collect()
}

fn rows(place: &Place, tape: &str) -> Vec<Value> {
    let text = fs::read_to_string(place.root.path().join(tape)).expect("a tape");
    let mut rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a whole row"))
        .collect();
    rows.sort_by_key(|row| (row["id"].to_string(), row["turn"].as_u64()));
    for row in &mut rows {
        row["ms"] = Value::Null;
    }
    rows
}

/// The words of a conversation, one after the other.
fn words(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().expect("messages").iter();
    messages
        .map(|one| one["content"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn both_turns_are_asked_with_the_history_of_the_first() {
    let place = Place::new();
    place.write("q.jsonl", questions(3).as_bytes());
    let server = Elsewhere::new(Duration::ZERO, |body| format!("On: {}", last(body)));
    let run = ["lab", "run", "q.jsonl", "--tape", "t.jsonl", "--model", "m"];
    let ended = place.reckon_with(
        &[&run[..], &["--endpoint", &server.url]].concat(),
        &[("RECKON_API_KEY", "sesame")],
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows = rows(&place, "t.jsonl");
    assert_eq!(rows.len(), 6);
    let asked = server.asked();
    assert_eq!(asked.len(), 6);
    for (head, body) in &asked {
        assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
        assert!(head.to_lowercase().contains("bearer sesame"), "{head}");
        assert_eq!(
            (&body["model"], &body["max_tokens"]),
            (&json!("m"), &json!(1024))
        );
    }
    let second = asked.iter().find(|(_, body)| {
        let words = words(body);
        words.len() == 3 && words[0].contains("harbour 1")
    });
    let (_, second) = second.expect("a second turn");
    assert_eq!(words(second)[1], "On: Say something about harbour 1.");
    assert_eq!(
        second["temperature"], 0.0,
        "mathematics is answered greedily"
    );
    let temperatures: Vec<_> = rows
        .iter()
        .map(|row| row["receipt"]["sampler"]["temperature"].to_string())
        .collect();
    assert_eq!(temperatures, ["0.7", "0.7", "0.0", "0.0", "0.1", "0.1"]);
    let export = fs::read_to_string(place.root.path().join("t.fastchat/m-guarded.jsonl"));
    let export = export.expect("answers as FastChat has them");
    assert_eq!(export.lines().count(), 3);
    let begin = "{\"question_id\": 200, \"answer_id\": \"";
    assert!(export.starts_with(begin), "{export}");
    let first: Value = serde_json::from_str(export.lines().next().unwrap()).unwrap();
    assert_eq!(first["answer_id"].as_str().map(str::len), Some(22));
    let turns = ["On: Say something about harbour 0.", "On: Say it again."];
    assert_eq!(first["choices"], json!([{ "index": 0, "turns": turns }]));
    let receipt = &rows[0]["receipt"];
    assert_eq!(receipt["model"]["name"], "m");
    assert!(
        receipt["model"]["endpoint"]
            .as_str()
            .unwrap()
            .starts_with(&server.url)
    );
    assert_eq!(rows[0]["usage"], json!({ "prompt": 7, "completion": 3 }));
}

#[test]
fn a_key_is_not_sent_in_the_clear() {
    let place = Place::new();
    place.write("q.jsonl", questions(1).as_bytes());
    for url in ["http://example.com/v1", "http://localhost.example.com/v1"] {
        let run = ["lab", "run", "q.jsonl", "--tape", "t.jsonl", "--model", "m"];
        let ended = place.reckon_with(
            &[&run[..], &["--endpoint", url]].concat(),
            &[("RECKON_API_KEY", "sesame")],
        );
        let line = ended.refused(2, &["API key", url, "https", "RECKON_API_KEY"]);
        assert!(!line.contains("sesame"), "{line}");
    }
}

#[test]
fn a_replaced_answer_gives_each_system_its_own_history() {
    let place = Place::new();
    let question = json!({
        "id": "sum",
        "turns": ["Tom has 17 boxes with 23 pens each. How many pens does Tom have in total?", "Say it again."],
        "checks": [[{ "number": 391 }]],
    });
    place.write("q.jsonl", format!("{question}\n").as_bytes());
    let server = Elsewhere::new(Duration::ZERO, |body| match last(body) {
        text if text.contains("Begin your answer with") => "    return 17 * 23\n```".into(),
        text if text.starts_with("Tom") => "17 * 23 = 381, so Tom has 381 pens.".into(),
        _ => "Again.".into(),
    });
    let run = ["lab", "run", "q.jsonl", "--tape", "t.jsonl", "--model", "m"];
    let ended = place.reckon(&[&run[..], &["--endpoint", &server.url]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows = rows(&place, "t.jsonl");
    assert_eq!(
        (&rows[0]["raw_right"], &rows[0]["right"]),
        (&json!(false), &json!(true)),
        "{rows:#?}"
    );
    let shipped = rows[0]["text"].as_str().expect("a text");
    assert!(shipped.contains("391"), "{shipped}");
    let histories: Vec<String> = server
        .asked()
        .iter()
        .map(|(_, body)| words(body))
        .filter(|words| words.len() == 3)
        .map(|words| words[1].clone())
        .collect();
    assert_eq!(histories.len(), 2, "{histories:?}");
    assert!(
        histories.iter().any(|text| text == shipped),
        "{histories:?}"
    );
    assert!(
        histories.iter().any(|text| text.contains("381")),
        "{histories:?}"
    );
}

#[test]
fn a_busy_server_is_asked_again_and_a_refusal_is_one_line() {
    let place = Place::new();
    place.write("q.jsonl", questions(1).as_bytes());
    let server = Elsewhere::new(Duration::ZERO, |_| "Yes.".into());
    server.refuse(&[503]);
    let run = ["lab", "run", "q.jsonl", "--model", "m", "--tape"];
    let ended = place.reckon(&[&run[..], &["t.jsonl", "--endpoint", &server.url]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(rows(&place, "t.jsonl").len(), 2);
    server.refuse(&[401]);
    place
        .reckon(&[&run[..], &["u.jsonl", "--endpoint", &server.url]].concat())
        .refused(3, &["401", "not today"]);
    place
        .reckon(&[
            "--offline",
            "lab",
            "run",
            "q.jsonl",
            "--model",
            "m",
            "--tape",
            "v.jsonl",
            "--endpoint",
            "https://example.org",
        ])
        .refused(3, &["offline"]);
    place
        .reckon(&[&run[..], &["w.jsonl", "--endpoint", "example"]].concat())
        .refused(2, &["not an address"]);
}

#[test]
fn the_same_rows_for_any_number_of_questions_at_a_time() {
    let place = Place::new();
    place.write("q.jsonl", questions(4).as_bytes());
    place.write("tiny.gguf", &gguf(&Tiny::new("llama", Format::Q8_0)));
    place.write(
        "other.gguf",
        &gguf(&Tiny {
            seed: 9,
            ..Tiny::new("llama", Format::Q8_0)
        }),
    );
    let run = |tape, parallel, model| {
        place.reckon(&[
            "lab",
            "run",
            "q.jsonl",
            "--tape",
            tape,
            "--model",
            model,
            "--parallel",
            parallel,
            "--max-tokens",
            "8",
        ])
    };
    assert_eq!(run("a.jsonl", "1", "tiny.gguf").code, Some(0));
    assert_eq!(run("b.jsonl", "4", "tiny.gguf").code, Some(0));
    let found = rows(&place, "a.jsonl");
    assert_eq!(found.len(), 8);
    assert_eq!(found, rows(&place, "b.jsonl"));
    let digest = found[0]["receipt"]["model"]["sha256"].as_str();
    assert_eq!(digest.map(str::len), Some(64));
    let cut = place.root.path().join("a.jsonl");
    let text = fs::read_to_string(&cut).expect("a tape");
    fs::write(&cut, text.lines().next().expect("a row").to_owned() + "\n").expect("written");
    run("a.jsonl", "1", "other.gguf").refused(4, &["another model", "another tape"]);
}

#[test]
fn twenty_kills_lose_no_row_and_double_none() {
    let place = Place::new();
    place.write("q.jsonl", questions(30).as_bytes());
    let server = Elsewhere::new(Duration::from_millis(15), |body| {
        format!("On: {}", last(body))
    });
    let run = |tape| {
        let arguments = [
            "lab",
            "run",
            "q.jsonl",
            "--tape",
            tape,
            "--model",
            "m",
            "--parallel",
            "2",
            "--endpoint",
            &server.url,
        ];
        place.start(&arguments)
    };
    kill_20_times(11, || run("killed.jsonl"));
    assert!(run("killed.jsonl").wait().expect("ended").success());
    assert!(run("whole.jsonl").wait().expect("ended").success());
    let killed = rows(&place, "killed.jsonl");
    assert_eq!(killed.len(), 60);
    assert_eq!(killed, rows(&place, "whole.jsonl"));
}

#[test]
fn bad_questions_are_refused_with_their_line() {
    let place = Place::new();
    for (rows, words) in [
        (
            &b"\xef\xbb\xbf{\"prompt\": \"a\"}\r\n\r\n{\"prompt\": 3}\r\n"[..],
            &["line 3"][..],
        ),
        (
            b"{\"id\": 1, \"prompt\": \"a\"}\n{\"id\": 1, \"prompt\": \"b\"}\n",
            &["line 2", "twice"],
        ),
        (
            b"{\"prompt\": \"a\", \"checks\": [{\"regex\": \"(\"}]}\n",
            &["line 1"],
        ),
        (
            b"{\"prompt\": \"a\", \"checks\": [{\"colour\": 1}]}\n",
            &["line 1", "colour"],
        ),
        (b"{\"turns\": []}\n", &["line 1", "turns"]),
        (b"[1]\n", &["line 1"]),
    ] {
        place.write("q.jsonl", rows);
        place
            .reckon(&["lab", "run", "q.jsonl", "--tape", "t.jsonl", "--model", "m"])
            .refused(4, words);
    }
}

#[test]
fn a_set_that_is_not_here_is_named_and_a_wrong_one_is_refused() {
    let place = Place::new();
    let run = [
        "lab", "run", "mt-bench", "--tape", "t.jsonl", "--model", "m",
    ];
    // A file of that name in the working directory is not the set.
    place.write("mt-bench", b"{\"prompt\": \"a\"}\n");
    place
        .reckon(&run)
        .refused(4, &["mt-bench is not here", "lab pull"]);
    place.write("control", b"not questions");
    let control = ["lab", "run", "control", "--tape", "t.jsonl", "--model", "m"];
    place.reckon(&control).refused(3, &["no model named m"]);
    let server = Server::new(b"{}", "0");
    place
        .reckon(&["lab", "pull", "mt-bench", "--from", &server.url])
        .refused(1, &["question.jsonl", "wrong sha256"]);
    assert!(files(&place.home()).is_empty(), "nothing wrong is kept");
    place
        .reckon(&["lab", "pull", "glue"])
        .refused(2, &["glue", "mt-bench"]);
}

#[cfg(unix)]
#[test]
fn where_z3_goes_away_the_possibilities_are_gone_through() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let z3 = place.home().join("solver").join("z3");
    fs::create_dir_all(z3.parent().unwrap()).unwrap();
    fs::write(&z3, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&z3, fs::Permissions::from_mode(0o755)).unwrap();
    let question = json!({
        "id": "shelf",
        "input": "On a shelf, there are three books: a red book, a blue book, and a green book. The red book is to the left of \
                  the blue book. The green book is the rightmost.\nOptions:\n(A) The red book is the leftmost\n(B) The blue \
                  book is the leftmost\n(C) The green book is the leftmost",
        "target": "(A)",
    });
    place.write("q.jsonl", format!("{question}\n").as_bytes());
    let program = " the leftmost, position 3 is the rightmost.\n\
                   red, blue, green = Ints(\"red blue green\")\n\
                   everything = [red, blue, green]\n\
                   s.add(Distinct(everything))\n\
                   s.add([And(x >= 1, x <= 3) for x in everything])\n\
                   s.add(red < blue)\n\
                   s.add(green == 3)\n\
                   options = {\"A\": red == 1, \"B\": blue == 1, \"C\": green == 1}\n```";
    let server = Elsewhere::new(Duration::ZERO, move |body| match last(body) {
        text if text.contains("Begin your answer with") => program.into(),
        _ => "The answer is (B).".into(),
    });
    let run = ["lab", "run", "q.jsonl", "--tape", "t.jsonl", "--model", "m"];
    let ended = place.reckon(&[&run[..], &["--endpoint", &server.url]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows = rows(&place, "t.jsonl");
    let right = (&rows[0]["raw_right"], &rows[0]["right"]);
    assert_eq!(right, (&json!(false), &json!(true)), "{rows:#?}");
}

#[test]
fn a_file_that_is_not_there_is_said_once() {
    let place = Place::new();
    for arguments in [
        &["lab", "report", "--from-judgments", "absent.jsonl"][..],
        &["lab", "compare", "absent.jsonl"],
        &["lab", "run", "absent.jsonl", "--tape", "t.jsonl"],
    ] {
        let line = place.reckon(arguments).refused(4, &["absent.jsonl"]);
        assert_eq!(line.matches("os error").count(), 1, "{line}");
    }
}
