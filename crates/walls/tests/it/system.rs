//! What the system holds a child to: limits, no files, no network, nothing of its parent's, and an end.
use crate::{run, run_with, start};
use reckon_walls::{Error, Limits, Runner, Start};
use std::{ffi::OsString, process::Command, thread, time::Duration};

fn limit(result: Result<Vec<u8>, Error>) -> String {
    match result {
        Err(Error::Limit(line)) => line,
        other => panic!("no limit: {other:?}"),
    }
}

#[test]
fn time_and_memory_end() {
    let short = Limits {
        cpu: 1,
        wall: 10,
        ..Limits::default()
    };
    assert!(limit(run_with("spin", "", &short)).starts_with("timeout: more than 1 s of CPU"));
    let short = Limits {
        wall: 1,
        ..Limits::default()
    };
    assert_eq!(
        limit(run_with("sleep", "", &short)),
        "timeout: more than 1 s"
    );
    let small = Limits {
        memory: 32 << 20,
        ..Limits::default()
    };
    assert!(run_with("reserve", "16", &small).is_ok());
    assert_eq!(
        limit(run_with("reserve", "64", &small)),
        "memory: more than 32 MiB"
    );
}

#[test]
fn nobody_can_ask_for_more_than_half_a_gigabyte_and_fifteen_seconds() {
    let endless = Limits {
        cpu: u64::MAX,
        wall: u64::MAX,
        memory: u64::MAX,
        ..Limits::default()
    };
    let runner = Runner::new(start(), "echo", endless.clone());
    assert_eq!((runner.limits().cpu, runner.limits().wall), (15, 15));
    assert!(run_with("reserve", "400", &endless).is_ok());
    assert!(limit(run_with("reserve", "512", &endless)).starts_with("memory:"));
    // The child does not take the parent's word for it either.
    let mut start = start();
    let limits = serde_json::to_string(&endless).unwrap();
    start
        .arguments
        .extend([OsString::from("reserve"), limits.into()]);
    // Two arguments too many: what is no child's command line is nobody's.
    assert!(reckon_walls::run(&start, "echo", vec![], &endless).is_err());
}

#[test]
fn a_child_has_nothing_of_its_parents() {
    if !cfg!(unix) {
        return;
    }
    let text = String::from_utf8(run("surroundings", "").unwrap()).unwrap();
    assert_eq!(
        text,
        "directory Some(\"/\")\nfile Fifo\nfile Fifo\nfile Fifo"
    );
}

#[test]
fn nothing_outside_can_be_reached() {
    if !cfg!(target_os = "linux") {
        eprintln!("SKIPPED: only Linux has a filter of system calls");
        return;
    }
    assert_eq!(String::from_utf8(run("reach", "").unwrap()).unwrap(), "");
}

/// The test jobs, started under hard limits of the shell's.
#[cfg(unix)]
fn under(limits: &str) -> Start {
    let binary = OsString::from(env!("CARGO_BIN_EXE_walls-test-jobs"));
    let script = format!("{limits}; exec \"$0\" \"$@\"");
    Start {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into(), binary, "__sandbox".into()],
    }
}

#[cfg(unix)]
#[test]
fn a_hard_limit_below_ours_holds_and_does_not_keep_the_others_from_being_set() {
    for low in [
        "ulimit -n 40",
        "ulimit -c 0",
        "ulimit -f 100",
        "ulimit -t 2",
        "ulimit -u 100000",
        "ulimit -d 400000",
    ] {
        let start = under(low);
        let mut runner = Runner::new(start.clone(), "reserve", Limits::default());
        assert!(runner.protection().unwrap().rlimit, "{low}");
        let limits = Limits {
            cpu: 1,
            memory: 32 << 20,
            ..Limits::default()
        };
        let run = |job, input: &str| reckon_walls::run(&start, job, input.into(), &limits);
        assert!(limit(run("reserve", "64")).starts_with("memory:"), "{low}");
        assert!(limit(run("spin", "")).starts_with("timeout:"), "{low}");
        assert!(run("reserve", "8").is_ok(), "{low}");
    }
    // A limit of the machine that is lower than ours is the one that holds.
    let start = under("ulimit -d 200000");
    let result = reckon_walls::run(&start, "reserve", b"250".to_vec(), &Limits::default());
    assert!(limit(result).starts_with("memory:"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_does_not_outlive_a_parent_that_is_killed() {
    let mut parent = Command::new(env!("CARGO_BIN_EXE_walls-test-jobs"))
        .arg("parent")
        .spawn()
        .unwrap();
    let child = until("a child", || child_of(parent.id()));
    // It is asleep in its job, not waiting for its input: the pipe is empty.
    thread::sleep(Duration::from_millis(300));
    assert!(lives(child));
    parent.kill().unwrap();
    parent.wait().unwrap();
    until("the child's end", || (!lives(child)).then_some(()));
}

#[cfg(target_os = "linux")]
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1200 {
        if let Some(found) = ask() {
            return found;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("no {what} within a minute")
}

/// A process in `/proc` by the fields after its name: state, parent.
#[cfg(target_os = "linux")]
fn stat(process: u32) -> Option<(String, u32)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = text.rsplit(')').next()?.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

#[cfg(target_os = "linux")]
fn lives(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state != "Z" && state != "X")
}

#[cfg(target_os = "linux")]
fn child_of(parent: u32) -> Option<u32> {
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .into_iter()
        .find(|n| stat(*n).is_some_and(|(_, of)| of == parent))
}
