//! Gives each built-in guard a version that nobody has to remember: a digest of the source that defines it.
//!
//! The constants land in `OUT_DIR/digests.rs`, which `src/version.rs` includes.
#[path = "build/digest.rs"]
mod digest;

use std::{env, fs, io, path::Path};

fn main() -> io::Result<()> {
    let root = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let digests = digest::guards(&Path::new(&root).join("src"))?;
    let rows: String = digests
        .iter()
        .map(|(name, digest)| format!("({name:?}, {digest:?}),\n"))
        .collect();
    fs::write(Path::new(&out).join("digests.rs"), format!("&[\n{rows}]\n"))?;
    for path in ["build.rs", "build", "src", "../compute/src"] {
        println!("cargo::rerun-if-changed={path}");
    }
    Ok(())
}
