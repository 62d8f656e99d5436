//! Tests of the crate through its public interface.
mod check;
mod classes;
mod compare;
mod control;
mod coverage;
mod fastchat;
mod fixture;
mod gate;
mod grade;
mod ifeval;
mod lock;
mod marks;
mod mt_bench;
mod report;
mod requirement;
mod statistics;
mod tape;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// A path below `../shared/data`, if that is there.
fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    // Straight to the terminal: the test runner hides what passing tests print.
    let _ = writeln!(
        std::io::stderr().lock(),
        "SKIPPED: {path:?} is not there; figures were not checked"
    );
    None
}
