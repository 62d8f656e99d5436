//! Runs the `z3` program: SMT-LIB text on its standard input, its raw output back.
//!
//! The only part of the logic solver that touches the system. The program gets no environment, a directory nobody can
//! have put files in, a time limit of its own and one from outside, a memory limit and a cap on its output. Its text may
//! come from a process that a hostile program has taken over, so commands that read or write files stop here.
use super::script;
use std::{
    io::{Read, Write},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Most bytes that are read of an answer.
const MOST_ANSWER: u64 = 4 << 20;

/// The program's output; `Ok(None)` if it took too long.
pub(super) fn run(
    program: &Path,
    text: &str,
    time: Duration,
    memory: u64,
) -> Result<Option<String>, String> {
    script::allowed_for_z3(text).map_err(|error| error.0)?;
    let seconds = time.as_secs().max(1) + 1;
    let failed = |error: std::io::Error| format!("{}: {error}", program.display());
    // The directory changes before the program starts.
    let path = std::path::absolute(program).map_err(failed)?;
    let mut command = Command::new(path);
    if cfg!(unix) {
        command.current_dir("/");
    }
    let mut child = command
        .args(["-in", "-smt2"])
        .arg(format!("-t:{}", time.as_millis()))
        .arg(format!("-T:{seconds}"))
        .arg(format!("-memory:{}", memory >> 20))
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let deadline = Instant::now() + time + Duration::from_secs(2);
    let answer = thread::scope(|scope| {
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(text.as_bytes())));
        let reader = scope.spawn(move || {
            let mut bytes = Vec::new();
            let read = stdout.map(|stdout| stdout.take(MOST_ANSWER).read_to_end(&mut bytes));
            read.map(|_| bytes)
        });
        while !reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_micros(500));
        }
        let finished = reader.is_finished();
        end(&mut child);
        let bytes = reader.join().ok().flatten();
        bytes.filter(|_| finished)
    });
    Ok(answer.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// A child that has said what it will say, or has had its time.
fn end(child: &mut Child) {
    // It may have ended by itself; then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
}
