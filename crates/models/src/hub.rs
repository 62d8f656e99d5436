//! Files of the Hugging Face hub, in the cache that other tools share: `models--org--name/{blobs,snapshots,refs}`.
//!
//! A blob is named by its sha256; `snapshots/COMMIT/FILE` is a link to it; `refs/main` holds the newest commit. A
//! download grows as `blobs/SHA.incomplete` under the lock that the hub's own tools take, and gets its name only after
//! its digest is right. Commit and sizes come from the server's headers and are checked before they become names.
//! What a blob needed to come is noted in our home (`fetched/`), so that `models rm` can tell it from what others fetched.
use crate::{
    Error, ErrorKind, OnEvent, Result, Store, Work,
    digest::sha256_of,
    disk,
    download::{Client, Partial, may_see_token},
    event::Progress,
    file_lock::FileLock,
    locate::wrong_digest,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use ureq::http::HeaderMap;

/// A file of the hub and what is known about it before it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    /// `organisation/name`.
    pub(crate) repository: &'a str,
    /// Path inside the repository.
    pub(crate) file: &'a str,
    /// A commit, or `main`.
    pub(crate) revision: &'a str,
    pub(crate) sha256: &'a str,
    pub(crate) size: Size,
}

/// How well a size is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Exact(u64),
    About(u64),
    Unknown,
}

impl Size {
    fn fits(self, bytes: u64) -> bool {
        match self {
            Self::Exact(known) => bytes == known,
            Self::About(known) => bytes <= known.saturating_mul(2),
            Self::Unknown => true,
        }
    }
}

/// The file in the cache, if some tool has put it there whole.
pub(crate) fn present(
    store: &Store,
    repository: &str,
    file: &str,
    sha256: &str,
) -> Option<PathBuf> {
    let mut paths = snapshots(store, repository).into_iter();
    let mut paths = paths.by_ref().map(|snapshot| snapshot.join(file));
    paths.find(|path| path.is_file() && is_ours(path, sha256))
}

/// The snapshots of a repository, the newest first.
pub(crate) fn snapshots(store: &Store, repository: &str) -> Vec<PathBuf> {
    let repository = directory(store, repository);
    let snapshots = repository.join("snapshots");
    let newest = fs::read_to_string(repository.join("refs").join("main")).ok();
    let newest = newest.filter(|commit| is_commit(commit.trim()));
    let newest = newest.map(|commit| snapshots.join(commit.trim()));
    let all = fs::read_dir(&snapshots).into_iter().flatten();
    let all = all.filter_map(|entry| Some(entry.ok()?.path()));
    let older = all.filter(|path| Some(path) != newest.as_ref());
    newest.clone().into_iter().chain(older).collect()
}

/// Fetches the file, or what is missing of it, and checks it.
pub(crate) fn pull(
    store: &Store,
    wanted: &Wanted<'_>,
    on_event: &mut OnEvent<'_>,
) -> Result<PathBuf> {
    let client = Client::new(store).map_err(|error| unusable(error.kind(), &error, store))?;
    let (url, head) = find(&client, wanted, store)?;
    check_head(&head, wanted)?;
    let repository = directory(store, wanted.repository);
    let _lock = FileLock::take(&lock(store, wanted.repository, wanted.sha256), on_event)?;
    let blob = repository.join("blobs").join(wanted.sha256);
    if !blob.is_file() {
        note_fetched(store, wanted.repository, wanted.sha256);
        fetch_blob(&client, &url, head.size, &blob, wanted.file, on_event)?;
    }
    let path = repository
        .join("snapshots")
        .join(&head.commit)
        .join(wanted.file);
    publish(&repository, &head.commit, wanted, &path)
        .map_err(|error| disk::cannot_write(&error, &path))?;
    Ok(path)
}

/// Deletes a file whose digest is wrong: the link, and the blob that it links to.
pub(crate) fn discard(store: &Store, repository: &str, path: &Path) {
    let blobs = fs::canonicalize(directory(store, repository).join("blobs"));
    // What cannot be deleted will fail again, and say so, when it is written. A link that leads out of the cache may
    // lead to anything: only the link is ours.
    if let (Ok(blob), Ok(blobs)) = (fs::canonicalize(path), blobs)
        && blob.parent() == Some(&blobs)
    {
        let _ = fs::remove_file(blob);
    }
    let _ = fs::remove_file(path);
}

/// What the hub says about a file.
struct Head {
    commit: String,
    etag: Option<String>,
    size: u64,
}

/// Asks where the file is; a moved repository is followed within the hub.
fn find(client: &Client, wanted: &Wanted<'_>, store: &Store) -> Result<(String, Head)> {
    let endpoint = &store.hub_endpoint;
    let away = |what: &str| unusable(ErrorKind::Unreachable, what, store);
    let Wanted {
        repository,
        file,
        revision,
        ..
    } = wanted;
    let mut url = format!("{endpoint}/{repository}/resolve/{revision}/{file}");
    for _ in 0..4 {
        let (status, headers) = client
            .head(&url)
            .map_err(|error| away(&error.to_string()))?;
        let moved = text(&headers, "location").filter(|to| to.starts_with('/'));
        match status {
            300..=399 if moved.is_some() => {
                url = format!("{endpoint}{}", moved.unwrap_or_default());
            }
            200..=399 => return Ok((url, parse(&headers).map_err(away)?)),
            401 | 403 => return Err(denied(status, repository, store)),
            404 => return Err(away(&format!("it has no {file}"))),
            status => return Err(away(&format!("it answered {status}"))),
        }
    }
    Err(away("it sends us around in circles"))
}

fn parse(headers: &HeaderMap) -> std::result::Result<Head, &'static str> {
    let commit = text(headers, "x-repo-commit").filter(|commit| is_commit(commit));
    let size = text(headers, "x-linked-size").or_else(|| text(headers, "content-length"));
    let etag = text(headers, "x-linked-etag").map(|etag| etag.trim_matches('"').to_owned());
    Ok(Head {
        commit: commit
            .ok_or("what answers there is not a model hub")?
            .to_owned(),
        // Small files have a git hash here, which says nothing about the sha256.
        etag: etag.filter(|etag| etag.len() == 64),
        size: size
            .and_then(|size| size.parse().ok())
            .ok_or("it does not say how large the file is")?,
    })
}

/// Refuses before anything is fetched what cannot end well: another digest, or far more bytes than the disk was asked for.
fn check_head(head: &Head, wanted: &Wanted<'_>) -> Result<()> {
    let other_digest = head.etag.as_ref().is_some_and(|etag| etag != wanted.sha256);
    let what = match (other_digest, !wanted.size.fits(head.size)) {
        (false, false) => return Ok(()),
        (true, _) => "sha256",
        (false, true) => "size",
    };
    let name = wanted.file;
    let what = format!("{name} on the hub has changed: its {what} is not the one we know");
    Err(Error::new(ErrorKind::Mismatch, what).with_hint("a newer reckon may know it"))
}

fn fetch_blob(
    client: &Client,
    url: &str,
    size: u64,
    blob: &Path,
    file: &str,
    on_event: &mut OnEvent<'_>,
) -> Result<()> {
    let blobs = blob.parent().unwrap_or(blob);
    disk::create_directory(blobs)?;
    let incomplete = blob.with_added_extension("incomplete");
    let here = fs::metadata(&incomplete).map_or(0, |data| data.len());
    disk::check_room(blobs, size.saturating_sub(here), disk::free_space(blobs))?;
    let name = file.rsplit('/').next().unwrap_or(file);
    let mut checked = Progress::new(Work::Check, name, here, on_event);
    let mut partial = Partial::open(&incomplete, &mut checked)?;
    let mut progress = Progress::new(Work::Fetch, name, size, on_event);
    client.fetch(url, size, &mut partial, &mut progress)?;
    let found = partial.finish()?;
    let cannot = |error: io::Error| disk::cannot_write(&error, &incomplete);
    let wanted = blob.file_name().unwrap_or_default();
    if wanted != found.as_str() {
        fs::remove_file(&incomplete).map_err(cannot)?;
        return Err(wrong_digest(file, &wanted.to_string_lossy(), &found));
    }
    fs::rename(&incomplete, blob).map_err(cannot)
}

/// Gives the blob its name in the snapshot of this commit.
fn publish(repository: &Path, commit: &str, wanted: &Wanted<'_>, path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    if !(path.is_file() && is_ours(path, wanted.sha256)) {
        let _ = fs::remove_file(path);
        link(repository, wanted, path)?;
    }
    disk::write_atomically(&repository.join("refs").join("main"), commit.as_bytes())
}

#[cfg(unix)]
fn link(_repository: &Path, wanted: &Wanted<'_>, path: &Path) -> io::Result<()> {
    // From snapshots/COMMIT/FILE up to the repository; FILE may have directories of its own.
    let mut target = PathBuf::new();
    for _ in 0..wanted.file.split('/').count() + 1 {
        target.push("..");
    }
    std::os::unix::fs::symlink(target.join("blobs").join(wanted.sha256), path)
}

/// Links need rights that people rarely have there; the hub's own tools move the blob too.
#[cfg(not(unix))]
fn link(repository: &Path, wanted: &Wanted<'_>, path: &Path) -> io::Result<()> {
    fs::rename(repository.join("blobs").join(wanted.sha256), path)
}

/// Where the cache keeps a repository.
pub(crate) fn directory(store: &Store, repository: &str) -> PathBuf {
    let name = format!("models--{}", repository.replace('/', "--"));
    store.hub_cache.join(name)
}

/// The lock under which a blob comes.
pub(crate) fn lock(store: &Store, repository: &str, sha256: &str) -> PathBuf {
    let repository = directory(store, repository);
    let name = repository.file_name().unwrap_or_default().to_owned();
    let locks = store.hub_cache.join(".locks").join(name);
    locks.join(format!("{sha256}.lock"))
}

/// Best effort: what is not noted is not ours to remove.
fn note_fetched(store: &Store, repository: &str, sha256: &str) {
    let note = fetched_note(store, repository, sha256);
    let blob = directory(store, repository).join("blobs").join(sha256);
    let _ = disk::write_atomically(&note, blob.as_os_str().as_encoded_bytes());
}

/// The file in our home that says that we fetched this blob.
pub(crate) fn fetched_note(store: &Store, repository: &str, sha256: &str) -> PathBuf {
    let blob = directory(store, repository).join("blobs").join(sha256);
    let name = sha256_of(blob.as_os_str().as_encoded_bytes());
    store.home.join("fetched").join(&name[..32])
}

/// A link must lead to the blob of this digest; a plain copy is believed until it is verified.
fn is_ours(path: &Path, sha256: &str) -> bool {
    match fs::read_link(path) {
        Ok(target) => target.file_name().is_some_and(|name| name == sha256),
        Err(_) => true,
    }
}

pub(crate) fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Says which hub it was.
pub(crate) fn unusable(kind: ErrorKind, why: impl std::fmt::Display, store: &Store) -> Error {
    let what = format!("the hub {} cannot be used: {why}", store.hub_endpoint);
    Error::new(kind, what)
        .with_hint("check the network and HF_ENDPOINT, or pull a model that comes through pip")
}

pub(crate) fn denied(status: u16, repository: &str, store: &Store) -> Error {
    let why = format!("it answered {status}: no access to {repository}");
    let hint = match &store.hub_token {
        Some(_) if !may_see_token(&store.hub_endpoint) => {
            "HF_TOKEN is sent to https://huggingface.co only, not to HF_ENDPOINT".to_owned()
        }
        Some(_) => format!("accept the licence of {repository} with the account of HF_TOKEN"),
        None => format!("accept the licence of {repository} on the hub and set HF_TOKEN"),
    };
    unusable(ErrorKind::Denied, why, store).with_hint(hint)
}
