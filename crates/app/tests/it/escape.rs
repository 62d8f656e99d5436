//! Programs that try to get out of the sandbox, or to take the parent with them. None may.
//!
//! Each attack ends in `ESCAPED` where it has what it wanted: a file's text, a file made, a connection, a process, a
//! secret of the environment. Bombs have nothing to want; they must end in time with a line that says why, and the next
//! program must run as if nothing had been.
use super::place::{is_emulated, patience};
use reckon::solve::{Limits, Run, Sandbox, Start};
use std::{
    net::TcpListener,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Instant,
};

#[path = "escape/attacks.rs"]
mod attacks;
use attacks::{ATTACKS, Attack};

const SECRET: &str = "canary-7f3a";

/// Tight limits, so that bombs end soon.
const TIGHT: (u64, u64) = (1, 6);
/// The product's own, for an attack that a busy machine did not let get to its end.
const PATIENT: (u64, u64) = (5, 10);

fn sandbox((cpu, wall): (u64, u64)) -> Sandbox {
    let times = u64::from(patience());
    let (cpu, wall) = (cpu * times, wall * times);
    let limits = Limits {
        cpu,
        wall,
        memory: 64 << 20,
        output: 16 << 10,
        ..Limits::default()
    };
    super::sandbox::sandbox(limits)
}

#[test]
fn no_attack_succeeds_and_none_harms_the_parent() {
    assert!(ATTACKS.len() >= 60, "only {} attacks", ATTACKS.len());
    let place = tempfile::tempdir().unwrap();
    let canary = place.path().join("canary.txt");
    std::fs::write(&canary, SECRET).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();

    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut sandbox = sandbox(TIGHT);
                while let Some(attack) = ATTACKS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_it(&mut sandbox, attack, place.path(), port);
                }
            });
        }
    });

    assert!(listener.accept().is_err(), "somebody connected");
    let left: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "files were made: {left:?}");
    assert_eq!(std::fs::read_to_string(&canary).unwrap(), SECRET);
}

fn try_it(sandbox: &mut Sandbox, attack: &Attack, place: &Path, port: u16) {
    let Attack {
        name,
        program,
        ends,
    } = attack;
    let program = program
        .replace("{file}", place.join("canary.txt").to_str().unwrap())
        .replace("{new}", place.join("made.txt").to_str().unwrap())
        .replace("{port}", &port.to_string());
    let began = Instant::now();
    let nobody = &mut |_: &str, _: &str| "nobody".into();
    let mut run = sandbox.run(&program, nobody);
    let is_late = |run: &Run| run.error.as_ref().is_some_and(|e| e.contains("timeout"));
    if is_late(&run) && !ends.contains("timeout") && *ends != "?" {
        run = self::sandbox(PATIENT).run(&program, nobody);
    }
    let took = began.elapsed().as_secs_f64();
    assert!(
        took < 30.0 * f64::from(patience()),
        "{name}: took {took} s: {run:?}"
    );
    let said = format!("{run:?}");
    for secret in [SECRET, env!("CARGO_MANIFEST_DIR"), "ESCAPED"] {
        assert!(!said.contains(secret), "{name}: {run:?}");
    }
    assert!(run.stdout.len() <= 16 << 10, "{name}: {}", run.stdout.len());
    let Run { ok, error, .. } = &run;
    match (ends, error) {
        (&"?", _) => assert_eq!(*ok, error.is_none(), "{name}: {run:?}"),
        (&"", None) => assert!(ok, "{name}: {run:?}"),
        (&"", Some(error)) => panic!("{name}: {error}"),
        (ends, Some(error)) => {
            assert!(!ok && error.lines().count() == 1, "{name}: {run:?}");
            assert!(error.len() < 600, "{name}: {run:?}");
            let is_deep = ends.contains("ecursion");
            assert!(!is_deep || !error.contains("crashed"), "{name}: {error}");
            let expected = ends.split('|').any(|end| error.contains(end));
            // QEMU passes no limit of memory on, and time ends what would have ended for want of it.
            let expected = expected || (is_emulated() && error.contains("timeout"));
            assert!(expected, "{name}: ended with `{error}`");
        }
        (ends, None) => panic!("{name}: no `{ends}` in {run:?}"),
    }
    let after = sandbox.run("answer = 6 * 7", &mut |_, _| String::new());
    assert_eq!(
        after.value.as_deref(),
        Some("42"),
        "after {name}: {after:?}"
    );
}

/// Two processes that would be started by an attack are counted from outside: the child has none of its own.
#[test]
fn a_child_that_is_no_sandbox_is_an_error_not_a_hang() {
    let start = Start {
        program: "/nowhere/at/all".into(),
        arguments: vec![],
    };
    let run = Sandbox::new(start, Limits::default()).run("1", &mut |_, _| String::new());
    assert!(run.error.unwrap().contains("did not start"));
}
