//! Kill −9 at random moments, on SQLite: nothing is lost, nothing comes twice.
use crate::child::{Plan, Random, Task, expected, rows};
use reckon_batch::{Fate, Queue};
use std::time::{Duration, Instant};

#[test]
fn a_batch_of_100_survives_kills_at_random() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.jsonl"), rows(100)).unwrap();
    // The killer is not a row, so no row is to be blamed.
    let plan = Plan {
        folder: folder.path(),
        database: None,
        deaths: 1_000,
    };
    let mut random = Random::new();
    let (mut kills, mut kept) = (0, 0);
    let started = Instant::now();
    loop {
        let mut child = plan.spawn(Task::Run);
        std::thread::sleep(random.milliseconds(20, 500));
        if child
            .try_wait()
            .unwrap()
            .is_some_and(|status| status.success())
        {
            break;
        }
        child.kill().unwrap();
        // A process that ended by itself in the meantime ended well.
        let status = child.wait().unwrap();
        assert!(status.success() || status.code().is_none(), "{status}");
        kills += 1;
        let partial =
            std::fs::read_to_string(folder.path().join("out.jsonl.partial")).unwrap_or_default();
        let whole = partial.rfind('\n').map_or(0, |end| end + 1);
        assert!(
            expected(100).starts_with(&partial[..whole]),
            "whole rows are right at any moment"
        );
        kept = kept.max(whole);
        assert!(
            started.elapsed() < Duration::from_secs(120),
            "{kills} kills and no end"
        );
    }
    eprintln!("{kills} kills, {:.1} s", started.elapsed().as_secs_f64());
    assert!(kills >= 3, "{kills} kills prove little");
    let output = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    assert_eq!(output, expected(100));
    assert!(!folder.path().join("out.jsonl.partial").exists());

    // Once more, for nothing: the batch is found finished, and the output has the same bytes.
    assert!(plan.spawn(Task::Run).wait().unwrap().success());
    assert_eq!(
        std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap(),
        output
    );
}

#[test]
fn a_row_that_kills_its_process_fails_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut input = rows(10);
    input.insert_str(0, "{\"id\":\"bad\",\"prompt\":\"poison\"}\n");
    std::fs::write(folder.path().join("in.jsonl"), input).unwrap();
    let plan = Plan {
        folder: folder.path(),
        database: None,
        deaths: 3,
    };
    let mut deaths = 0;
    while !plan.spawn(Task::Run).wait().unwrap().success() {
        deaths += 1;
        assert!(deaths < 10);
    }
    assert_eq!(deaths, 4, "once beside others, three times alone");
    let output = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let failed = "{\"id\":\"bad\",\"error\":\"its worker died on it 3 times\"}\n";
    assert_eq!(output, failed.to_owned() + &expected(10));
}

#[test]
fn an_input_whose_reader_is_killed_is_read_again_from_the_start() {
    const ROWS: usize = 20_000;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.jsonl"), rows(ROWS)).unwrap();
    let plan = Plan {
        folder: folder.path(),
        database: None,
        deaths: 3,
    };
    let mut random = Random::new();
    let mut kills = 0;
    while kills < 5 {
        let mut child = plan.spawn(Task::Submit);
        std::thread::sleep(random.milliseconds(5, 250));
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let path = folder.path().join("out.jsonl.db");
    let queue = Queue::open(&format!("sqlite:{}", path.display())).unwrap();
    let submitted = queue
        .submit(Some("read by the test"), rows(ROWS).as_bytes())
        .unwrap();
    assert_eq!(
        (submitted.rows, submitted.refused, submitted.repeated),
        (ROWS as u64, 0, 0)
    );
    let mut line = 0;
    while let Some(last) = queue.results(&submitted.batch, line, 1_000).unwrap().last() {
        assert_eq!(last.fate, Fate::Unfinished);
        line = last.line;
    }
    assert_eq!(line, ROWS as u64);
    assert_eq!(queue.batches().unwrap().len(), 1);
}
