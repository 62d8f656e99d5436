//! Fetches wheels a little ahead of their use: pip mostly waits, so two of them at once take half the time.
//!
//! Called by `registry`. Wheels come in any order and are handed over one at a time on the caller's thread; the first
//! failure ends everything. Each wheel has a directory of its own below `directory`, gone when it is used.
use super::{catalogue::Part, disk, pip::Pip, progress::Progress};
use crate::Failure;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// Processes of pip at the same time, and wheels waiting at most.
pub(crate) const AT_ONCE: usize = 2;

/// Fetches the wheels of `wanted` (indices of `parts`) and hands each to `using`.
pub(crate) fn fetch(
    pip: &Pip,
    parts: &[Part],
    wanted: &[usize],
    directory: &Path,
    progress: &mut Progress,
    mut using: impl FnMut(usize, &Path) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let bytes: u64 = wanted.iter().map(|index| parts[*index].bytes).sum();
    let mut left = bytes;
    let before = progress.done();
    thread::scope(|scope| {
        // Without room in the channel a worker waits with its wheel until the one before it is used.
        let (send, receive) = mpsc::sync_channel(0);
        for _ in 0..AT_ONCE.min(wanted.len()) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(&index) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wheel = download(pip, &parts[index], &own(directory, index));
                    let failed = wheel.is_err();
                    if send.send((index, wheel)).is_err() || failed {
                        break;
                    }
                }
            });
        }
        drop(send);
        loop {
            let (index, wheel) = match receive.recv_timeout(Duration::from_millis(200)) {
                Ok(fetched) => fetched,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {
                    let coming = coming(directory, parts, wanted).min(left);
                    progress.set(before + (bytes - left) + coming);
                    continue;
                }
            };
            using(index, &wheel?)?;
            // Left over, it would only take room until the next fetch clears it away.
            let _ = fs::remove_dir_all(own(directory, index));
            left -= parts[index].bytes;
            progress.set(before + (bytes - left));
            progress.step(format!("(part {} of {})", index + 1, parts.len()));
        }
    })
    .inspect_err(|_| clear(directory, wanted))
}

fn download(pip: &Pip, part: &Part, directory: &Path) -> Result<PathBuf, Failure> {
    let _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory).map_err(|error| disk::explain(&error, directory))?;
    pip.download(&part.package, &part.version, directory)
}

fn own(directory: &Path, index: usize) -> PathBuf {
    directory.join(format!("wheel-{}", index + 1))
}

fn clear(directory: &Path, wanted: &[usize]) {
    for index in wanted {
        let _ = fs::remove_dir_all(own(directory, *index));
    }
}

/// Bytes of wheels on their way, as far as pip lets us see them: it loads to a directory of its own, then copies.
fn coming(directory: &Path, parts: &[Part], wanted: &[usize]) -> u64 {
    let seen = |index: &usize| largest(&own(directory, *index), 2).min(parts[*index].bytes);
    wanted.iter().map(seen).sum()
}

/// Size of the largest file in a directory, looking `depth` directories deep.
fn largest(directory: &Path, depth: usize) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_file() => data.len(),
        Ok(data) if data.is_dir() && depth > 0 => largest(&entry.path(), depth - 1),
        _ => 0,
    };
    entries.map(size).max().unwrap_or(0)
}
