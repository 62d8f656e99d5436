//! Project chores that cargo itself does not do: `cargo xtask tidy`, `package` and `random-model`.
//!
//! Run by people before a commit and by `.ci/run`. Nothing here is part of the product.
mod package;
mod random;
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
        ["package", ref options @ ..] => {
            package::run(root(), options)?;
            Ok(ExitCode::SUCCESS)
        }
        ["random-model", path, mix] => {
            random::run(Path::new(path), mix)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!(
            "usage: cargo xtask tidy | package [--target TRIPLE | --binary PATH] [--out DIR] [--try MODEL.gguf] | random-model FILE q4_0|q4_k_m|q8_0|mmproj|26b-a4b|qwen35-2b"
        ),
    }
}

/// The workspace.
fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies in the workspace")
}
