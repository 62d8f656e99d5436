//! Workers: how many rows at once, stopping, cancelling, hours, who is there.
use crate::input::queue;
use reckon_batch::{Answered, Ended, Failure, Hours, Queue, Row, Worker, WorkerOptions};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn submit(queue: &Queue, rows: usize) -> String {
    let input: String = (0..rows)
        .map(|n| format!("{{\"id\":{n},\"prompt\":\"question {n}\"}}\n"))
        .collect();
    queue.submit(None, input.as_bytes()).unwrap().batch
}

fn options(name: &str, threads: usize) -> WorkerOptions {
    let name = name.into();
    WorkerOptions {
        name,
        threads,
        ..WorkerOptions::default()
    }
}

fn quick(_: &Row) -> Result<Answered, Failure> {
    Ok(Answered::default())
}

#[test]
fn as_many_rows_at_once_as_threads_and_never_more() {
    let (_folder, queue) = queue();
    let batch = submit(&queue, 40);
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let answer = |row: &Row| {
        let running = now.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(running, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(20));
        now.fetch_sub(1, Ordering::SeqCst);
        quick(row)
    };
    let mut reports = Vec::new();
    let ended = Worker::new(&queue, options("w", 8)).run(
        Some(&batch),
        &AtomicBool::new(false),
        answer,
        |progress| reports.push(progress.clone()),
    );
    assert_eq!(ended.unwrap(), Ended::Finished);
    assert_eq!(most.into_inner(), 8);
    let last = reports.last().unwrap();
    assert_eq!(
        (last.done, last.left(), last.eta),
        (40, 0, Some(Duration::ZERO))
    );
    assert!(last.rows_per_minute.unwrap() > 40.0);
}

#[test]
fn a_worker_that_is_stopped_gives_its_rows_back() {
    let (_folder, queue) = queue();
    let batch = submit(&queue, 20);
    let stop = AtomicBool::new(false);
    let begun = AtomicUsize::new(0);
    let answer = |row: &Row| {
        if begun.fetch_add(1, Ordering::SeqCst) == 3 {
            stop.store(true, Ordering::SeqCst);
        }
        while row.is_wanted() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(Failure::stopped())
    };
    let started = Instant::now();
    let ended = Worker::new(&queue, options("w", 4)).run(Some(&batch), &stop, answer, |_| ());
    assert_eq!(ended.unwrap(), Ended::Stopped);
    assert!(started.elapsed() < Duration::from_secs(5));
    let progress = queue.progress(&batch).unwrap();
    assert_eq!(
        (progress.waiting, progress.running, progress.failed),
        (20, 0, 0)
    );
    let ended =
        Worker::new(&queue, options("w", 4)).run(None, &AtomicBool::new(false), quick, |_| ());
    assert_eq!(ended.unwrap(), Ended::Finished);
    assert_eq!(queue.progress(&batch).unwrap().done, 20);
}

#[test]
fn a_cancelled_batch_ends_and_can_be_resumed() {
    let (_folder, queue) = queue();
    let queue = queue.with_limits(crate::child::limits(3));
    let batch = submit(&queue, 50);
    let answer = |row: &Row| {
        std::thread::sleep(Duration::from_millis(10));
        if row.line == 5 {
            queue.cancel(&batch).unwrap();
        }
        quick(row)
    };
    let ended = Worker::new(&queue, options("w", 2)).run(
        Some(&batch),
        &AtomicBool::new(false),
        answer,
        |_| (),
    );
    assert_eq!(ended.unwrap(), Ended::Cancelled);
    let progress = queue.progress(&batch).unwrap();
    assert!(progress.done >= 5 && progress.waiting >= 40, "{progress:?}");
    assert_eq!(
        Worker::new(&queue, options("w", 2))
            .run(None, &AtomicBool::new(false), quick, |_| ())
            .unwrap(),
        Ended::Finished
    );
    assert_eq!(
        queue.progress(&batch).unwrap().waiting,
        progress.waiting,
        "nobody takes its rows"
    );
    queue.resume(&batch).unwrap();
    assert_eq!(
        Worker::new(&queue, options("w", 2))
            .run(Some(&batch), &AtomicBool::new(false), quick, |_| ())
            .unwrap(),
        Ended::Finished
    );
    assert_eq!(queue.progress(&batch).unwrap().done, 50);
}

#[test]
fn outside_of_its_hours_a_worker_begins_nothing() {
    let (_folder, queue) = queue();
    let batch = submit(&queue, 3);
    let now = jiff::Zoned::now();
    // From three hours after now to four hours after: never now, not even if the hour changes meanwhile.
    let hours = Hours::parse(&format!(
        "{}-{}",
        (now.hour() + 3) % 24,
        (now.hour() + 4) % 24
    ))
    .unwrap();
    let stop = AtomicBool::new(false);
    let mut options = options("w", 2);
    options.hours = Some(hours);
    let mut trouble = None;
    let never = |_: &Row| -> Result<Answered, Failure> { panic!("begun outside of its hours") };
    let ended = Worker::new(&queue, options).run(Some(&batch), &stop, never, |progress| {
        trouble.clone_from(&progress.trouble);
        stop.store(true, Ordering::SeqCst);
    });
    assert_eq!(ended.unwrap(), Ended::Stopped);
    assert!(
        trouble
            .unwrap()
            .starts_with("outside of its hours: begins in ")
    );
    assert_eq!(queue.progress(&batch).unwrap().waiting, 3);
}

#[test]
fn three_workers_share_a_file_and_are_listed() {
    let (folder, queue) = queue();
    let batch = submit(&queue, 60);
    let calls = AtomicUsize::new(0);
    let answer = |row: &Row| {
        calls.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(10));
        quick(row)
    };
    std::thread::scope(|scope| {
        for name in ["a", "b", "c"] {
            let path = folder.path().join("queue.db");
            let (batch, answer) = (&batch, &answer);
            scope.spawn(move || {
                // A connection of its own, as another process has.
                let queue = Queue::open(&format!("sqlite:{}", path.display())).unwrap();
                Worker::new(&queue, options(name, 3))
                    .run(Some(batch), &AtomicBool::new(false), answer, |_| ())
                    .unwrap();
            });
        }
    });
    assert_eq!(calls.into_inner(), 60, "no row was answered twice");
    assert_eq!(queue.progress(&batch).unwrap().done, 60);
    let mut workers = queue.workers().unwrap();
    workers.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(
        workers
            .iter()
            .map(|worker| worker.name.as_str())
            .collect::<Vec<_>>(),
        ["a", "b", "c"]
    );
    assert!(workers.iter().all(|worker| worker.alive));
}
