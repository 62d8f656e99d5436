//! Several threads and processes on one file, also such as are killed.
use crate::samples::{conversation, ended, exchange, question};
use reckon_store::{Error, MessageId, Owner, State, Store};
use rusqlite::Connection;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use tempfile::TempDir;

/// Says to the test binary that it is the process which will be killed, and which file to write to.
const CHILD: &str = "RECKON_STORE_TEST_FILE";

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store.db");
    (directory, path)
}

#[test]
fn two_handles_of_one_file_write_by_turns() {
    let (_directory, path) = place();
    let stores = [Store::open(&path).unwrap(), Store::open(&path).unwrap()];
    let owner = Owner::local();
    let id = conversation(&stores[0], &owner);
    let mut last: Option<MessageId> = None;
    for turn in 0..20 {
        let text = turn.to_string();
        let (_, answer) = exchange(
            &stores[turn % 2],
            &owner,
            &id,
            last.as_ref(),
            (&text, &text),
        );
        last = Some(answer.id);
    }
    for store in &stores {
        assert_eq!(
            store.path(&owner, last.as_ref().unwrap()).unwrap().len(),
            40
        );
        store.check().unwrap();
    }
}

#[test]
fn eight_threads_write_at_once() {
    let (_directory, path) = place();
    let shared = Store::open(&path).unwrap();
    let owner = Owner::local();
    let id = conversation(&shared, &owner);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            // Half of them share a connection, the others are as other processes.
            let store = if thread % 2 == 0 {
                shared.clone()
            } else {
                Store::open(&path).unwrap()
            };
            let (owner, id) = (&owner, &id);
            scope.spawn(move || {
                for n in 0..50 {
                    let text = format!("thread{thread} n{n}");
                    let (_, answer) = store.ask(owner, id, &question(None, &text)).unwrap();
                    assert!(
                        store
                            .finish(owner, &answer.id, &ended(State::Done, &text))
                            .unwrap()
                    );
                }
            });
        }
    });
    assert_eq!(
        shared.conversation(&owner, &id).unwrap().messages.len(),
        8 * 50 * 2
    );
    assert_eq!(shared.unfinished().unwrap(), []);
    shared.check().unwrap();
}

#[test]
fn eight_threads_open_a_new_file_at_once() {
    for _ in 0..10 {
        let (_directory, path) = place();
        let together = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    together.wait();
                    conversation(&Store::open(&path).unwrap(), &Owner::local())
                });
            }
        });
        let store = Store::open(&path).unwrap();
        assert_eq!(
            store
                .list(&Owner::local(), &Default::default())
                .unwrap()
                .len(),
            8
        );
    }
}

#[test]
fn an_answer_ends_once_whoever_ends_it() {
    let (_directory, path) = place();
    let store = Store::open(&path).unwrap();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    for _ in 0..10 {
        let (_, answer) = store.ask(&owner, &id, &question(None, "q")).unwrap();
        let ended = std::thread::scope(|scope| {
            let finish = |text: &'static str| {
                let (owner, path, answer) = (&owner, &path, &answer);
                scope.spawn(move || {
                    Store::open(path)
                        .unwrap()
                        .finish(owner, &answer.id, &ended(State::Done, text))
                        .unwrap()
                })
            };
            let (one, two) = (finish("one"), finish("two"));
            (one.join().unwrap(), two.join().unwrap())
        });
        assert!(ended.0 != ended.1, "{ended:?}");
        let content = store.message(&owner, &answer.id).unwrap().content;
        assert_eq!(content, if ended.0 { "one" } else { "two" });
    }
}

#[test]
fn a_write_that_was_not_committed_is_gone_and_the_rest_is_there() {
    let (_directory, path) = place();
    let store = Store::open(&path).unwrap();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let broken = Connection::open(&path).unwrap();
    broken
        .execute_batch("BEGIN IMMEDIATE; UPDATE conversations SET title = 'lost'")
        .unwrap();
    assert_eq!(
        store.conversation(&owner, &id).unwrap().conversation.title,
        "",
        "readers do not wait"
    );
    drop(broken);
    assert_eq!(
        store.conversation(&owner, &id).unwrap().conversation.title,
        ""
    );
    exchange(&store, &owner, &id, None, ("q", "a"));
    store.check().unwrap();
}

#[test]
fn a_writer_that_never_ends_makes_the_store_busy() {
    let (_directory, path) = place();
    let store = Store::open(&path).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let made = store.create_key("late", Default::default());
    assert!(matches!(made, Err(Error::Busy)), "{made:?}");
    drop(other);
    store.create_key("late", Default::default()).unwrap();
}

#[test]
fn a_killed_process_loses_nothing_that_was_saved() {
    let (_directory, path) = place();
    for round in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "processes::the_process_that_is_killed",
                "--nocapture",
            ])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let mut saved = lines
            .by_ref()
            .filter(|line| line.starts_with("saved "))
            .take(20)
            .collect::<Vec<_>>();
        assert_eq!(saved.len(), 20);
        child.kill().unwrap();
        child.wait().unwrap();
        saved.extend(
            lines.filter(|line| line.starts_with("saved ") && line.len() == "saved ".len() + 32),
        );

        let store = Store::open(&path).unwrap();
        for line in saved {
            let id: MessageId = line["saved ".len()..].parse().unwrap();
            assert_eq!(
                store.message(&Owner::local(), &id).unwrap().content,
                "as promised",
                "round {round}"
            );
        }
        store.check().unwrap();
    }
}

/// Writes until it is killed; does nothing as a test.
#[test]
fn the_process_that_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let store = Store::open(path).unwrap();
    let owner = Owner::local();
    let id = conversation(&store, &owner);
    let mut out = std::io::stdout();
    // Bounded, should nobody come to kill it.
    for _ in 0..100_000 {
        let (_, answer) = exchange(&store, &owner, &id, None, ("q", "as promised"));
        if writeln!(out, "saved {}", answer.id)
            .and_then(|()| out.flush())
            .is_err()
        {
            return;
        }
    }
}
