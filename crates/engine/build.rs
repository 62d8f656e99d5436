//! A digest of the code that computes keys and values, for K/V that are kept on a disk: they must not outlive a change
//! of the numerics, and a version that somebody has to remember to raise would be forgotten once.
//!
//! Over all source of the kernels and of this crate. A change without consequences costs one more reading of a prompt; a
//! missed one would cost the promise that answers do not depend on a cache. It lands in `OUT_DIR/code.digest`.
#![expect(
    clippy::disallowed_methods,
    reason = "the engine reads no files; its build reads the source"
)]

use sha2::{Digest, Sha256};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// Below the crate's own directory.
const SOURCES: [&str; 2] = ["src", "../kernels/src"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut hasher = Sha256::new();
    for source in SOURCES {
        add(&root.join(source), &mut hasher)?;
        println!("cargo::rerun-if-changed={source}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(out.join("code.digest"), hasher.finalize())
}

/// Adds all files of a directory, in the order of their names: systems list them in any.
fn add(directory: &Path, hasher: &mut Sha256) -> io::Result<()> {
    let entries: io::Result<Vec<_>> = fs::read_dir(directory)?.collect();
    let mut paths: Vec<PathBuf> = entries?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(&path, hasher)?;
            continue;
        }
        let bytes = fs::read(&path)?;
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        for part in [name, &bytes] {
            // Lengths keep two lists of files from giving the same stream.
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    Ok(())
}
