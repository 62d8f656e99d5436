//! Project chores that cargo itself does not do: `cargo xtask tidy`.
//!
//! Run by people before a commit and by `.ci/run`. Nothing here is part of the product.
mod tidy;

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tidy"] if tidy::run(root())? => Ok(ExitCode::SUCCESS),
        ["tidy"] => Ok(ExitCode::FAILURE),
        _ => bail!("usage: cargo xtask tidy"),
    }
}

/// The workspace.
fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies in the workspace")
}
