//! Project chores that cargo itself does not do: `cargo xtask tidy`.
//!
//! Run by people before a commit and by `.ci/run`. Nothing here is part of the product.
mod tidy;

use anyhow::{Result, bail};
use std::path::Path;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tidy"] => tidy::run(root()),
        _ => bail!("usage: cargo xtask tidy"),
    }
}

/// The workspace.
fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies in the workspace")
}
