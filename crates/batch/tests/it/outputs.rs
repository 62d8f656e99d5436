//! The file with the results: order, agreement with the queue, the last rename.
use crate::input::queue;
use reckon_batch::{Answered, Ended, Error, Failure, Output, Run, Worker, WorkerOptions};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

fn echo(row: &reckon_batch::Row) -> Result<Answered, Failure> {
    let text = row.request()?.prompt.unwrap_or_default();
    Ok(Answered {
        text,
        ..Answered::default()
    })
}

fn run(folder: &Path, input: &str) -> Run {
    std::fs::write(folder.join("in.jsonl"), input).unwrap();
    Run::new(folder.join("in.jsonl"), folder.join("out.jsonl"))
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("out.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn rows_stand_in_the_order_of_the_input_with_ids_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(
        folder.path(),
        "{\"id\":2,\"prompt\":\"slow\"}\n{\"id\":\"é\\u0000\\\"\",\"prompt\":\"b\"}\n{\"id\":-1,\"prompt\":\"c\"}\n",
    );
    let stop = AtomicBool::new(false);
    let answer = |row: &reckon_batch::Row| {
        if row.line == 1 {
            std::thread::sleep(Duration::from_millis(300));
        }
        let mut answered = echo(row)?;
        answered.mark = Some(json!({"state": "verified", "why": "computed"}));
        answered.receipt = Some(json!({"model": "m"}));
        answered.finish = Some("stop".into());
        answered.more = json!({"usage": {"prompt": 3}, "id": "forged", "text": "forged"})
            .as_object()
            .unwrap()
            .clone();
        Ok(answered)
    };
    let report = run.start(&stop, answer, |_| ()).unwrap();
    assert_eq!(report.ended, Ended::Finished);
    let lines = lines(folder.path());
    let ids: Vec<_> = lines.iter().map(|line| line["id"].clone()).collect();
    assert_eq!(ids, [json!(2), json!("é\u{0}\""), json!(-1)]);
    let expected = json!({"id": 2, "text": "slow", "finish": "stop", "mark": {"state": "verified", "why": "computed"},
        "receipt": {"model": "m"}, "usage": {"prompt": 3}});
    assert_eq!(lines[0], expected);
}

#[test]
fn rows_that_ask_the_same_are_answered_once() {
    let folder = tempfile::tempdir().unwrap();
    let input: String = (0..30)
        .map(|n| format!("{{\"id\":{n},\"prompt\":\"question {}\"}}\n", n % 3))
        .collect();
    let calls = AtomicUsize::new(0);
    let answer = |row: &reckon_batch::Row| {
        calls.fetch_add(1, Ordering::SeqCst);
        echo(row)
    };
    let report = run(folder.path(), &input)
        .start(&AtomicBool::new(false), answer, |_| ())
        .unwrap();
    assert_eq!(calls.into_inner(), 3);
    assert_eq!(
        (report.progress.done, report.submitted.unwrap().copies),
        (30, 27)
    );
    for (n, line) in lines(folder.path()).iter().enumerate() {
        assert_eq!(
            (&line["id"], &line["text"]),
            (&json!(n), &json!(format!("question {}", n % 3)))
        );
    }
}

#[test]
fn failed_rows_have_a_line_and_retry_replaces_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = run(
        folder.path(),
        "{\"id\":1,\"prompt\":\"a\"}\n{\"id\":2,\"prompt\":\"b\"}\n{\"id\":3,\"prompt\":\"c\"}\n",
    );
    run.limits.pause = Duration::from_millis(1);
    let stop = AtomicBool::new(false);
    let calls = AtomicUsize::new(0);
    let refuse = |row: &reckon_batch::Row| match row.line {
        2 => {
            calls.fetch_add(1, Ordering::SeqCst);
            assert_ne!(calls.load(Ordering::SeqCst), 2, "a panic is a failure");
            Err(Failure::passing("no\nluck"))
        }
        3 => Err(Failure::for_good("too long")),
        _ => echo(row),
    };
    let report = run.start(&stop, refuse, |_| ()).unwrap();
    assert_eq!((report.progress.done, report.progress.failed), (1, 2));
    assert_eq!(calls.into_inner(), 3);
    assert_eq!(
        lines(folder.path())[1],
        json!({"id": 2, "error": "no luck"})
    );
    assert_eq!(
        lines(folder.path())[2],
        json!({"id": 3, "error": "too long"})
    );

    let (_, name) = run.place().unwrap();
    assert_eq!(run.queue().unwrap().retry(&name).unwrap(), 2);
    run.input = None;
    let report = run.start(&stop, echo, |_| ()).unwrap();
    assert_eq!((report.progress.done, report.progress.failed), (3, 0));
    assert_eq!(lines(folder.path())[1]["text"], "b");
}

#[test]
fn a_partial_file_of_something_else_is_cut_where_it_differs() {
    let (folder, queue) = queue();
    let batch = queue
        .submit(
            None,
            &b"{\"id\":1,\"prompt\":\"a\"}\n{\"id\":2,\"prompt\":\"b\"}\n"[..],
        )
        .unwrap()
        .batch;
    let worker = Worker::new(&queue, WorkerOptions::default());
    worker
        .run(Some(&batch), &AtomicBool::new(false), echo, |_| ())
        .unwrap();
    let first = "{\"id\":1,\"text\":\"a\",\"mark\":null,\"receipt\":null}\n";
    let second = "{\"id\":2,\"text\":\"b\",\"mark\":null,\"receipt\":null}\n";
    let path = folder.path().join("out.jsonl");
    let whole = format!("{first}{second}");
    for left in [
        "",
        "garbage",
        first,
        &first[..20],
        &format!("{first}{first}"),
        &format!("{whole}more\n"),
        &whole,
    ] {
        std::fs::write(folder.path().join("out.jsonl.partial"), left).unwrap();
        let mut output = Output::open(&path).unwrap();
        let second_writer = Output::open(&path);
        assert!(
            matches!(second_writer, Err(Error::Taken(_))),
            "{second_writer:?}"
        );
        output.finish(&queue, &batch).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "{left:?}");
    }
}

#[test]
fn an_unfinished_batch_has_no_finished_output() {
    let (folder, queue) = queue();
    let batch = queue
        .submit(None, &b"{\"id\":1,\"prompt\":\"a\"}\n"[..])
        .unwrap()
        .batch;
    let mut output = Output::open(folder.path().join("out.jsonl")).unwrap();
    assert!(matches!(
        output.finish(&queue, &batch),
        Err(Error::WrongState(_))
    ));
    assert!(!folder.path().join("out.jsonl").exists());
}

#[test]
fn a_file_that_is_there_is_not_overwritten_by_a_new_batch() {
    let folder = tempfile::tempdir().unwrap();
    let run = run(folder.path(), "{\"id\":1,\"prompt\":\"a\"}\n");
    std::fs::write(folder.path().join("out.jsonl"), "precious").unwrap();
    let error = run
        .start(&AtomicBool::new(false), echo, |_| ())
        .unwrap_err();
    assert!(
        error.to_string().ends_with("exists: choose another output"),
        "{error}"
    );
    assert_eq!(
        std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap(),
        "precious"
    );
    assert!(!folder.path().join("out.jsonl.partial").exists());
}

#[test]
fn an_empty_input_gives_an_empty_output() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(folder.path(), "\n\n")
        .start(&AtomicBool::new(false), echo, |_| ())
        .unwrap();
    assert_eq!(
        (report.ended, report.progress.total()),
        (Ended::Finished, 0)
    );
    assert_eq!(std::fs::read(folder.path().join("out.jsonl")).unwrap(), b"");
}
