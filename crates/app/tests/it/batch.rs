//! `reckon batch` as people meet it: rows in, each answered exactly once, whatever happens on the way.
use crate::{
    fixture::{Tiny, gguf},
    place::Place,
};
use reckon::gguf::Format;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Long enough for a machine that has other things to do; a test that works never waits for it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A place with a model and `n` rows that differ.
fn place(n: usize) -> Place {
    let place = Place::new();
    let long = Tiny {
        n_ctx: 8192,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&long));
    let row = |i: usize| json!({ "id": format!("r{i}"), "prompt": format!("word {i}") });
    let rows: Vec<String> = (0..n).map(|i| row(i).to_string()).collect();
    place.write("rows.jsonl", rows.join("\n").as_bytes());
    place
}

const MODEL: [&str; 5] = ["--model", "tiny.gguf", "--greedy", "--raw", "--eager"];

fn run<'a>(output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [
        &["batch", "run", "rows.jsonl", "-o", output],
        &MODEL[..],
        more,
    ]
    .concat()
}

/// The rows of a finished output, by id; each is there once.
fn results(place: &Place, output: &str) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(place.root.path().join(output)).unwrap();
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap().to_owned();
        assert!(rows.insert(id, row).is_none(), "twice: {line}");
    }
    rows
}

/// How many rows have ended, as `batch status --json` says it; none before there is a queue.
fn ended(place: &Place, output: &str) -> u64 {
    let status = place.reckon(&["batch", "status", output, "--json"]);
    if status.code != Some(0) {
        return 0;
    }
    let status: Value = serde_json::from_str(&status.out).unwrap();
    let count = |name: &str| status["progress"][name].as_u64().unwrap();
    count("done") + count("failed")
}

#[track_caller]
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "no {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[track_caller]
fn exit(child: &mut Child) -> ExitStatus {
    let mut status = None;
    wait("end", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap()
}

#[test]
fn every_row_is_answered_as_ask_does_and_bad_lines_fail_alone() {
    let place = place(3);
    let path = place.root.path().join("rows.jsonl");
    let mut rows = fs::read_to_string(&path).unwrap();
    // The same question again, a line that is no JSON, and one without a question.
    rows += "\n{\"id\": \"again\", \"prompt\": \"word 0\"}\nnot JSON\n{\"id\": \"empty\"}\n";
    fs::write(&path, rows).unwrap();
    let ended = place.reckon(&run("out.jsonl", &["--max-tokens", "8"]));
    assert!(
        ended.err.contains("line 5") && ended.err.contains("line 6"),
        "{ended:?}"
    );
    let rows = results(&place, "out.jsonl");
    for (id, question) in [
        ("r0", "word 0"),
        ("r1", "word 1"),
        ("r2", "word 2"),
        ("again", "word 0"),
    ] {
        let ask = ["ask", "--json", "--max-tokens", "8", question];
        let ask =
            place.reckon(&[&ask[..], &["--model", "tiny.gguf", "--greedy", "--raw"]].concat());
        let ask: Value = serde_json::from_str(&ask.out).unwrap();
        assert_eq!(rows[id]["text"], ask["text"], "{id}: {:?}", rows[id]);
        assert!(rows[id]["receipt"].is_object(), "{:?}", rows[id]);
    }
    let page = fs::read_to_string(place.root.path().join("out.summary.html")).unwrap();
    assert!(page.contains("Content-Security-Policy"), "{page}");
    // The same command again finds everything done.
    let before = fs::read(place.root.path().join("out.jsonl")).unwrap();
    place.reckon(&run("out.jsonl", &["--max-tokens", "8"]));
    assert_eq!(
        fs::read(place.root.path().join("out.jsonl")).unwrap(),
        before
    );
}

#[test]
fn killed_again_and_again_it_has_each_row_once() {
    let place = place(40);
    let answers = ["--max-tokens", "40", "--parallel", "2"];
    for kills in 1..=3 {
        let mut child = place.start(&run("out.jsonl", &answers));
        wait("progress", || {
            ended(&place, "out.jsonl") >= kills * 6 || child.try_wait().unwrap().is_some()
        });
        // SIGKILL: nothing can be tidied up.
        let _ = child.kill();
        child.wait().unwrap();
        assert!(
            !place.root.path().join("out.jsonl").exists(),
            "killed too late to prove anything"
        );
    }
    let last = place.reckon(&run("out.jsonl", &answers));
    assert_eq!(last.code, Some(0), "{last:?}");
    let rows = results(&place, "out.jsonl");
    assert_eq!(rows.len(), 40);
    assert!(
        rows.values().all(|row| row["error"].is_null()),
        "{:?}",
        rows.values().find(|row| !row["error"].is_null())
    );
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_gives_rows_back_and_resume_goes_on_at_the_lowest_priority() {
    let place = place(30);
    let rows = [
        "batch",
        "run",
        "rows.jsonl",
        "-o",
        "out.jsonl",
        "--model",
        "tiny.gguf",
    ];
    let answers = ["--greedy", "--raw", "--max-tokens", "60", "--parallel", "2"];
    let mut child = place
        .command(&[&rows[..], &answers].concat(), &[])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait("progress", || ended(&place, "out.jsonl") >= 2);
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    // The name may have spaces; what follows it has not. Nice is field 19, and the state behind the name is field 3.
    let nice = stat.rsplit(')').next().unwrap().split_whitespace().nth(16);
    assert_eq!(nice, Some("19"), "{stat}");
    let asked = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(asked.unwrap().success());
    assert_eq!(exit(&mut child).code(), Some(1));
    let told = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert!(
        told.contains("stopped") && told.contains("batch resume"),
        "{told}"
    );
    let left = ended(&place, "out.jsonl");
    assert!((2..30).contains(&left), "{left}");
    let resumed = place.reckon(
        &[
            &["batch", "resume", "out.jsonl"],
            &MODEL[..],
            &["--max-tokens", "60"],
        ]
        .concat(),
    );
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(results(&place, "out.jsonl").len(), 30);
}

#[test]
fn what_is_not_there_or_not_allowed_is_said_at_once() {
    let place = place(1);
    for command in ["resume", "status", "cancel", "retry", "workers"] {
        place
            .reckon(&["batch", command, "nowhere.jsonl"])
            .refused(4, &["no such batch"]);
    }
    assert!(!place.root.path().join("nowhere.jsonl.db").exists());
    place
        .reckon(&["batch", "run", "missing.jsonl", "-o", "o.jsonl"])
        .refused(4, &["missing.jsonl"]);
    let elsewhere = "postgres://me@192.0.2.1/queue";
    place
        .reckon(&["--offline", "batch", "status", "--db", elsewhere])
        .refused(2, &["offline"]);
    let typo = ["batch", "run", "rows.jsonl", "-o", "o.jsonl", "--db", "x:y"];
    place.reckon(&typo).refused(2, &["sqlite:"]);
}
