//! Reads one program from a file or from standard input, bounded.
use crate::Failure;
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The bytes of a program; one more than `most` at the most, so that whoever checks can tell.
pub(super) fn read(path: &Path, most: usize) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        return take(io::stdin().lock(), most, "standard input");
    }
    let shown = path.display();
    let problem = |error: io::Error| Failure::input(format!("cannot read {shown}: {error}"));
    let file = File::open(path).map_err(problem)?;
    if file.metadata().map_err(problem)?.is_dir() {
        return Err(Failure::input(format!("cannot read {shown}: it is a directory")).into());
    }
    take(file, most, &shown.to_string())
}

fn take(from: impl Read, most: usize, name: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
    Ok(bytes)
}
