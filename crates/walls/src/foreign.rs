//! Another program as a helper (`z3`): text to its standard input, bytes from its standard output.
//!
//! The program is not ours, so it cannot lock itself in. The binary that is started is this one, which sets what every
//! program keeps (limits of the system, on Linux no writing, no network and an end with its parent) and then becomes the
//! helper. It has no environment, `/` as its directory, and is killed when its time is over.
use crate::{Error, Limits, Start, process::HELPER};
use std::{
    ffi::OsStr,
    io::{Read, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Exit code of a child that could not become the helper, as shells have it.
pub(crate) const ABSENT: i32 = 127;

/// Runs `program` once; `input` goes to its standard input. What it prints to its error stream is dropped, and so is its
/// exit code: helpers are judged by what they say.
///
/// # Errors
/// [`Error::Start`] if it cannot be started, [`Error::Limit`] if it takes too long or says too much.
pub fn helper(
    start: &Start,
    program: &Path,
    arguments: &[impl AsRef<OsStr>],
    input: &[u8],
    limits: &Limits,
) -> Result<Vec<u8>, Error> {
    let limits = limits.clamped();
    let mut child = command(start, program, &limits)?
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Error::Start(format!("{}: {error}", program.display())))?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let deadline = Instant::now() + Duration::from_secs(limits.wall);
    thread::scope(|scope| {
        // A helper that does not read its input is heard all the same.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
        let most = limits.output as u64 + 1;
        let reader = scope.spawn(move || {
            let mut bytes = Vec::new();
            stdout.map(|stdout| stdout.take(most).read_to_end(&mut bytes));
            bytes
        });
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(500));
        }
        let in_time = reader.is_finished();
        // It may have ended by itself; then there is nothing to kill.
        let _ = child.kill();
        let status = child.wait();
        match reader.join() {
            _ if !in_time => Err(Error::Limit(limits.too_long())),
            Ok(bytes) if bytes.is_empty() && status.is_ok_and(|it| it.code() == Some(ABSENT)) => {
                Err(Error::Start(format!("{} cannot be run", program.display())))
            }
            Ok(bytes) if bytes.len() > limits.output => Err(Error::Limit(limits.too_loud())),
            Ok(bytes) => Ok(bytes),
            Err(_) => Err(Error::Crash("the helper's output could not be read".into())),
        }
    })
}

fn command(start: &Start, program: &Path, limits: &Limits) -> Result<Command, Error> {
    if !cfg!(unix) {
        return Ok(Command::new(program));
    }
    let limits = serde_json::to_string(limits).map_err(|error| Error::Start(error.to_string()))?;
    let mut command = Command::new(&start.program);
    command
        .args(&start.arguments)
        .args([HELPER, &limits])
        .arg(program)
        .current_dir("/");
    Ok(command)
}
