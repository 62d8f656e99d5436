//! Programs that are not ours: their input, their output, and what they are held to.
#![cfg(unix)]
use crate::start;
use reckon_walls::{Error, Limits, helper};
use std::path::Path;

fn shell(script: &str, input: &[u8], limits: &Limits) -> Result<Vec<u8>, Error> {
    helper(
        &start(),
        Path::new("/bin/sh"),
        &["-c", script],
        input,
        limits,
    )
}

fn short() -> Limits {
    Limits {
        wall: 2,
        ..Limits::default()
    }
}

#[test]
fn text_goes_in_and_comes_out() {
    let input = b"(check-sat)\n".repeat(4000);
    assert_eq!(shell("cat", &input, &Limits::default()).unwrap(), input);
    // Who does not read is heard all the same.
    assert_eq!(
        shell("echo sat", &input, &Limits::default()).unwrap(),
        b"sat\n"
    );
}

#[test]
fn a_helper_has_no_environment_and_the_systems_limits() {
    let limits = Limits {
        cpu: 3,
        memory: 64 << 20,
        ..Limits::default()
    };
    let text = shell(
        "cd; pwd; env; ulimit -t; ulimit -f; ulimit -c; ulimit -d",
        b"",
        &limits,
    );
    let text = String::from_utf8(text.unwrap()).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| {
            !line.starts_with("PWD=")
                && !line.starts_with("OLDPWD=")
                && !line.starts_with("_=")
                && !line.starts_with("SHLVL=")
        })
        .collect();
    assert_eq!(lines, ["/", "3", "0", "0", "65536"], "{text}");
}

#[test]
fn a_helper_that_hangs_floods_or_is_not_there_is_an_error() {
    let limit = |script: &str| match shell(script, b"", &short()) {
        Err(Error::Limit(line)) => line,
        other => panic!("{script}: {other:?}"),
    };
    assert!(limit("while :; do :; done").starts_with("timeout:"));
    assert!(limit("while :; do echo flood; done").starts_with("output:"));
    let absent = helper(&start(), Path::new("/nowhere/z3"), &["-in"], b"", &short());
    assert!(matches!(absent, Err(Error::Start(_))), "{absent:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_helper_cannot_write() {
    let place = std::env::temp_dir().join(format!("reckon-helper-{}", std::process::id()));
    let script = format!("echo x > {}; echo tried", place.display());
    assert_eq!(shell(&script, b"", &Limits::default()).unwrap(), b"tried\n");
    // Without Landlock the file exists and is empty: files of more than no bytes are refused everywhere.
    let written = std::fs::read(&place).unwrap_or_default();
    let _ = std::fs::remove_file(&place);
    assert!(written.is_empty());
}
