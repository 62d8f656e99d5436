//! The same queue on PostgreSQL: several workers, kills, a database that goes away.
use crate::child::{NAME, Plan, Random, Task, answer, expected, limits, rows};
use crate::server::Server;
use reckon_batch::{Ended, Error, Output, Queue, Worker, WorkerOptions};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Seconds that the database is away; the promise is 30.
const AWAY: &str = "RECKON_BATCH_TEST_AWAY";

#[test]
fn two_workers_survive_kills_and_a_database_that_goes_away() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.jsonl"), rows(100)).unwrap();
    let address = server.address();
    let plan = Plan {
        folder: folder.path(),
        database: Some(&address),
        deaths: 1_000,
    };
    let away = std::env::var(AWAY).map_or(2, |seconds| seconds.parse().unwrap());
    let mut random = Random::new();
    let started = Instant::now();
    // Before there are workers: one that finds no rows has nothing to do and ends.
    let queue = Queue::open(&address).unwrap();
    queue.submit(Some(NAME), rows(100).as_bytes()).unwrap();
    // Both work until the batch is finished; the first also writes the output.
    let tasks = [Task::Run, Task::Work];
    let mut children = tasks.map(|task| plan.spawn(task));
    let mut kills = 0;
    for round in 0.. {
        std::thread::sleep(random.milliseconds(50, 300));
        if round == 2 {
            server.down();
            std::thread::sleep(Duration::from_secs(away));
            let waiting = children
                .iter_mut()
                .filter_map(|child| child.try_wait().unwrap())
                .count();
            eprintln!("database away for {away} s; {waiting} of 2 workers had ended before");
            server.up();
        }
        let at = round % 2;
        let ended = children[at].try_wait().unwrap();
        if matches!(tasks[at], Task::Run) && ended.is_some_and(|status| status.success()) {
            break;
        }
        if ended.is_none() {
            children[at].kill().unwrap();
            children[at].wait().unwrap();
            kills += 1;
        }
        children[at] = plan.spawn(tasks[at]);
        assert!(
            started.elapsed() < Duration::from_secs(180),
            "{kills} kills and no end"
        );
    }
    children[1].wait().unwrap();
    eprintln!("{kills} kills, {:.1} s", started.elapsed().as_secs_f64());
    assert!(kills >= 3, "{kills} kills prove little");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap(),
        expected(100)
    );
    assert_eq!(queue.batches().unwrap().len(), 1);
    assert!(queue.workers().unwrap().len() >= 2);
}

#[test]
fn workers_wait_for_a_database_that_goes_away_and_answer_nothing_twice() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut limits = limits(3);
    // Longer than the database is away: leases are good when it is back.
    limits.lease = Duration::from_secs(60);
    let queue = || Queue::open(&server.address()).unwrap().with_limits(limits);
    let batch = queue().submit(None, rows(100).as_bytes()).unwrap().batch;
    let calls = AtomicUsize::new(0);
    let counted = |row: &reckon_batch::Row| {
        calls.fetch_add(1, Ordering::SeqCst);
        answer(row)
    };
    let troubles = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for name in ["a", "b"] {
            let (queue, batch, counted, troubles) = (queue(), &batch, &counted, &troubles);
            scope.spawn(move || {
                let options = WorkerOptions {
                    name: name.into(),
                    threads: 4,
                    ..WorkerOptions::default()
                };
                let ended = Worker::new(&queue, options).run(
                    Some(batch),
                    &AtomicBool::new(false),
                    counted,
                    |progress| {
                        troubles
                            .fetch_add(usize::from(progress.trouble.is_some()), Ordering::SeqCst);
                    },
                );
                assert_eq!(ended.unwrap(), Ended::Finished);
            });
        }
        std::thread::sleep(Duration::from_millis(300));
        server.down();
        std::thread::sleep(Duration::from_secs(2));
        server.up();
    });
    let progress = queue().progress(&batch).unwrap();
    assert_eq!((progress.done, progress.failed), (100, 0));
    assert_eq!(calls.into_inner(), 100, "no row was answered twice");
    assert!(troubles.into_inner() > 0, "somebody was told");
    let mut output = Output::open(server.folder().join("out.jsonl")).unwrap();
    output.finish(&queue(), &batch).unwrap();
    assert_eq!(
        std::fs::read_to_string(server.folder().join("out.jsonl")).unwrap(),
        expected(100)
    );
}

#[test]
fn inputs_copies_and_refusals_are_the_same_as_on_sqlite() {
    let Some(server) = Server::start() else {
        return;
    };
    // All at once: each wants to make the tables.
    let queues: Vec<_> = std::thread::scope(|scope| {
        let open = || scope.spawn(|| Queue::open(&server.address()).unwrap());
        let opening: Vec<_> = (0..4).map(|_| open()).collect();
        opening
            .into_iter()
            .map(|queue| queue.join().unwrap())
            .collect()
    });
    let mut input = String::from(
        "no row\n{\"id\":\"a\\u0000\",\"prompt\":\"x\\u0000y\"}\n{\"id\":\"b\",\"prompt\":\"x\\u0000y\"}\n",
    );
    input += "{\"id\":\"b\",\"prompt\":\"other\"}\n{\"prompt\":\"x\\u0000y\",\"id\":\"b\"}\n";
    for n in 0..1_000 {
        input += &format!("{{\"id\":{n},\"prompt\":\"question {}\"}}\n", n % 10);
    }
    let submitted = queues[0].submit(Some("n"), input.as_bytes()).unwrap();
    assert_eq!((submitted.rows, submitted.copies), (1_002, 991));
    assert_eq!((submitted.refused, submitted.repeated), (2, 1));
    assert!(
        queues[1]
            .submit(Some("n"), input.as_bytes())
            .unwrap()
            .resumed
    );
    let changed = queues[2].submit(Some("n"), &b"{}"[..]);
    assert!(matches!(changed, Err(Error::Changed(_))), "{changed:?}");

    let fail = |row: &reckon_batch::Row| match row.line {
        2 => Err(reckon_batch::Failure::for_good("no")),
        _ => answer(row),
    };
    let worker = Worker::new(&queues[3], WorkerOptions::default());
    worker
        .run(None, &AtomicBool::new(false), fail, |_| ())
        .unwrap();
    let progress = queues[0].progress("n").unwrap();
    assert_eq!((progress.done, progress.failed), (1_000, 2));
    assert_eq!(queues[0].retry("n").unwrap(), 2);
    worker
        .run(None, &AtomicBool::new(false), answer, |_| ())
        .unwrap();
    let summary = queues[0].summary("n").unwrap();
    assert_eq!(
        (summary.progress.done, summary.refused_lines.len()),
        (1_002, 2)
    );
    queues[0].cancel("n").unwrap();
    queues[0].delete("n").unwrap();
    assert!(queues[1].batches().unwrap().is_empty());
}

#[test]
fn addresses_that_lead_nowhere_are_errors_of_one_line() {
    let cases = [
        (
            "postgres://host/x?nonsense=1",
            "the address of the database",
        ),
        ("postgres://localhost:1/x?user=a", "not available"),
        (
            "postgres://127.0.0.1:1/x?user=a&sslmode=require",
            "not available",
        ),
        (
            "postgres:///x?host=/nowhere&sslrootcert=/nowhere/ca.pem",
            "/nowhere/ca.pem",
        ),
    ];
    for (address, expected) in cases {
        let error = Queue::open(address).unwrap_err().to_string();
        assert!(
            error.contains(expected) && !error.contains('\n'),
            "{address}: {error}"
        );
    }
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let Some(server) = Server::start() else {
        return;
    };
    let Some((plain, trusted)) = server.encrypt() else {
        return;
    };
    let refused = Queue::open(&plain).unwrap_err().to_string();
    assert!(refused.contains("certificate"), "{refused}");
    let queue = Queue::open(&trusted).unwrap();
    assert_eq!(queue.submit(None, rows(3).as_bytes()).unwrap().rows, 3);
    // The certificate is for localhost and for no other name of the same machine.
    let other = Queue::open(&trusted.replace("localhost", "127.0.0.1"))
        .unwrap_err()
        .to_string();
    assert!(other.contains("certificate"), "{other}");
}
