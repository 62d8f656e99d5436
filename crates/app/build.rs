//! Tells the program which commit it was built from, for reports of `bench speed`: `RECKON_COMMIT`, or `unknown` where
//! there is no git or no repository.
use std::process::Command;

fn main() {
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    // Written anew with every commit, also in a worktree.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"]);
    let log = log.filter(|log| std::path::Path::new(log).exists());
    let commit = commit.as_deref().unwrap_or("unknown");
    say(&format!("rustc-env=RECKON_COMMIT={commit}"));
    say("rerun-if-changed=build.rs");
    if let Some(log) = log {
        say(&format!("rerun-if-changed={log}"));
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}

fn say(line: &str) {
    println!("cargo::{line}");
}
