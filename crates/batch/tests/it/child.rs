//! A process of its own that can be killed: this test binary, run again with one test that is no test.
use reckon_batch::{Answered, Failure, Limits, Queue, Row, Run, Worker, WorkerOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the child is to do, and where.
const TASK: &str = "RECKON_BATCH_TEST_TASK";
const FOLDER: &str = "RECKON_BATCH_TEST_FOLDER";
const DATABASE: &str = "RECKON_BATCH_TEST_DATABASE";
const DEATHS: &str = "RECKON_BATCH_TEST_DEATHS";

/// What the batch of a run is called.
pub(crate) const NAME: &str = "batch of the test";

/// What a child does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// `in.jsonl` to `out.jsonl`.
    Run,
    /// Rows of all batches.
    Work,
    /// Reads `in.jsonl` into a queue, again and again under one name.
    Submit,
}

/// A process on the files of a folder.
pub(crate) struct Plan<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) database: Option<&'a str>,
    /// As in [`Limits`].
    pub(crate) deaths: u32,
}

impl Plan<'_> {
    pub(crate) fn spawn(&self, task: Task) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args([
                "--exact",
                "child::the_process_that_is_killed",
                "--nocapture",
            ])
            .env(TASK, format!("{task:?}"))
            .env(FOLDER, self.folder)
            .env(DEATHS, self.deaths.to_string())
            .stdout(Stdio::null());
        if let Some(database) = self.database {
            command.env(DATABASE, database);
        }
        command.spawn().unwrap()
    }
}

/// Limits that fit answers which take milliseconds.
pub(crate) fn limits(deaths: u32) -> Limits {
    Limits {
        deaths,
        lease: Duration::from_millis(600),
        pause: Duration::from_millis(20),
        ..Limits::default()
    }
}

/// Answers after some milliseconds; a row that is named so takes its process with it.
pub(crate) fn answer(row: &Row) -> Result<Answered, Failure> {
    let prompt = row.request()?.prompt.unwrap_or_default();
    if prompt == "poison" {
        std::process::abort();
    }
    std::thread::sleep(Duration::from_millis(20 + row.line % 5 * 10));
    Ok(Answered {
        text: format!("the answer to {prompt}"),
        ..Answered::default()
    })
}

/// Rows whose ids are 1 to `count`.
pub(crate) fn rows(count: usize) -> String {
    let row = |n| format!("{{\"id\":\"row {n}\",\"prompt\":\"question {n}\"}}\n");
    (1..=count).map(row).collect()
}

/// The output that such rows must have.
pub(crate) fn expected(count: usize) -> String {
    let row = |n| {
        format!(
            "{{\"id\":\"row {n}\",\"text\":\"the answer to question {n}\",\"mark\":null,\"receipt\":null}}\n"
        )
    };
    (1..=count).map(row).collect()
}

/// A small generator that begins elsewhere each time; what it begins with is printed by a test that fails.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let seed = now.as_nanos() as u64;
        eprintln!("seed {seed}");
        Self(seed)
    }

    /// Milliseconds, at least `from` and less than `to`.
    pub(crate) fn milliseconds(&mut self, from: u64, to: u64) -> Duration {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Duration::from_millis(from + (self.0 >> 33) % (to - from))
    }
}

/// Works until it is killed or there is nothing left; does nothing as a test.
#[test]
fn the_process_that_is_killed() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let database = std::env::var(DATABASE).ok();
    let limits = limits(std::env::var(DEATHS).unwrap().parse().unwrap());
    let stop = AtomicBool::new(false);
    let worker = WorkerOptions {
        threads: 4,
        ..WorkerOptions::default()
    };
    let mut run = Run::new(folder.join("in.jsonl"), folder.join("out.jsonl"));
    run.database.clone_from(&database);
    run.name = Some(NAME.into());
    run.limits = limits;
    match task.as_str() {
        "Run" => {
            run.worker = worker;
            run.start(&stop, answer, |_| ()).unwrap();
        }
        "Work" => {
            let queue = Queue::open(&database.unwrap()).unwrap().with_limits(limits);
            Worker::new(&queue, worker)
                .run(None, &stop, answer, |_| ())
                .unwrap();
        }
        _ => {
            let input = std::fs::read(folder.join("in.jsonl")).unwrap();
            run.queue()
                .unwrap()
                .submit(Some("read by the test"), &input[..])
                .unwrap();
        }
    }
}
