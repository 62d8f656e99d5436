//! Files that owners have left with the server: what batches are made of and what comes of them, what the page attaches, and
//! what messages name by its id.
//!
//! A folder for each owner under `RECKON_HOME/files`, in which a file is its bytes and a description beside them. The
//! description is written last and removed first, so that what has one is whole; both are renamed into place. Everything
//! is readable by its owner on this machine only, and a key sees no other key's folder.
//!
//! Plain files rather than rows of the database: they are large, are written once and read from their beginning, and a
//! person can look at them.
use crate::{
    error::Problem,
    openai::{id, now},
};
use reckon_store::Owner;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{
    fs::{self, DirBuilder, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

/// Most files of one owner, and most bytes of all of them.
const MOST_FILES: usize = 1000;
const MOST_BYTES: u64 = 2 << 30;
/// What the name of a file begins with until it is whole.
const PARTIAL: &str = ".partial-";
/// How long a file may lie there that no message refers to.
const UNUSED: Duration = Duration::from_secs(24 * 3600);

/// The files of a server.
#[derive(Debug)]
pub(crate) struct FileStore {
    root: PathBuf,
    /// Held while room is looked for and taken.
    adding: Mutex<()>,
}

/// A file, described.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub(crate) id: String,
    pub(crate) filename: String,
    pub(crate) purpose: Purpose,
    pub(crate) bytes: u64,
    pub(crate) created_at: u64,
    /// The conversation whose messages refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<String>,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Purpose {
    /// Rows of a batch.
    Batch,
    /// What came of them.
    BatchOutput,
    /// Something that a message of the page shows.
    Attachment,
    /// Something that messages of an API's clients name by its id.
    UserData,
    /// The same, of clients that say what it is.
    Vision,
    /// The same, of older clients.
    Assistants,
}

impl Purpose {
    /// What a client says that an upload is for.
    pub(crate) fn of_upload(word: &str) -> Option<Self> {
        match word {
            "batch" => Some(Self::Batch),
            "user_data" => Some(Self::UserData),
            "vision" => Some(Self::Vision),
            "assistants" => Some(Self::Assistants),
            _ => None,
        }
    }
}

impl StoredFile {
    /// As OpenAI's clients know it.
    pub(crate) fn view(&self) -> Value {
        json!({
            "id": self.id,
            "object": "file",
            "bytes": self.bytes,
            "created_at": self.created_at,
            "expires_at": null,
            "filename": self.filename,
            "purpose": self.purpose,
            "status": "processed",
            "status_details": null,
        })
    }
}

/// A name for a new file.
pub(crate) fn new_id() -> String {
    id("file-")
}

/// Whether a text is a name that we give: nothing else becomes part of a path.
pub(crate) fn is_id(text: &str, prefix: &str) -> bool {
    let digits = text.strip_prefix(prefix);
    digits.is_some_and(|digits| {
        digits.len() == 24
            && digits
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

impl FileStore {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            adding: Mutex::default(),
        }
    }

    /// Keeps a new file, if its owner has room for it.
    pub(crate) fn add(
        &self,
        owner: &Owner,
        filename: &str,
        purpose: Purpose,
        bytes: &[u8],
    ) -> Result<StoredFile, Problem> {
        let _taken = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let all = self.list(owner)?;
        let held: u64 = all.iter().map(|file| file.bytes).sum();
        if all.len() >= MOST_FILES || held + bytes.len() as u64 > MOST_BYTES {
            let what = format!(
                "there is room for {MOST_FILES} files of {} MiB together; delete some first",
                MOST_BYTES >> 20
            );
            return Err(Problem::invalid(what).at("file"));
        }
        self.put(owner, &new_id(), filename, purpose, |to| {
            to.write_all(bytes)
        })
    }

    /// Writes a file under a name that was chosen before; one that is there already is replaced.
    pub(crate) fn put(
        &self,
        owner: &Owner,
        id: &str,
        filename: &str,
        purpose: Purpose,
        write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<StoredFile, Problem> {
        let folder = self.folder(owner);
        make_folder(&folder)?;
        let path = folder.join(id);
        let bytes = replace(&path, write)?;
        let filename: String = filename
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect();
        let file = StoredFile {
            id: id.to_owned(),
            filename,
            purpose,
            bytes,
            created_at: now(),
            conversation: None,
        };
        write_json(&description(&path), &file)?;
        Ok(file)
    }

    /// All files of an owner, newest first.
    pub(crate) fn list(&self, owner: &Owner) -> Result<Vec<StoredFile>, Problem> {
        let mut files: Vec<StoredFile> = read_folder(&self.folder(owner))?;
        files.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        Ok(files)
    }

    /// One file.
    pub(crate) fn get(&self, owner: &Owner, id: &str) -> Result<StoredFile, Problem> {
        let path = self.path(owner, id)?;
        read_json(&description(&path))?.ok_or_else(no_file)
    }

    /// Where its bytes are; no name of ours is no file.
    pub(crate) fn path(&self, owner: &Owner, id: &str) -> Result<PathBuf, Problem> {
        match is_id(id, "file-") {
            true => Ok(self.folder(owner).join(id)),
            false => Err(no_file()),
        }
    }

    /// Its bytes.
    pub(crate) fn bytes(&self, owner: &Owner, id: &str) -> Result<Vec<u8>, Problem> {
        self.get(owner, id)?;
        fs::read(self.path(owner, id)?).map_err(|_| no_file())
    }

    /// Removes it.
    pub(crate) fn delete(&self, owner: &Owner, id: &str) -> Result<(), Problem> {
        self.get(owner, id)?;
        let path = self.path(owner, id)?;
        fs::remove_file(description(&path)).map_err(failed)?;
        // Without its description it is no file any more; what is left is swept.
        drop(fs::remove_file(path));
        Ok(())
    }

    /// Notes that a message of this conversation refers to it, which keeps it as long as that is there.
    pub(crate) fn refer(&self, owner: &Owner, id: &str, conversation: &str) -> Result<(), Problem> {
        let mut file = self.get(owner, id)?;
        if file.purpose != Purpose::Attachment {
            return Err(no_file());
        }
        // A question that is asked again in another conversation keeps its first one.
        if file.conversation.is_none() {
            file.conversation = Some(conversation.to_owned());
            write_json(&description(&self.path(owner, id)?), &file)?;
        }
        Ok(())
    }

    /// Removes attachments that nothing refers to any more, and what a crash left behind. `exists` says whether an owner
    /// still has a conversation.
    pub(crate) fn sweep(&self, exists: impl Fn(&str, &str) -> bool) {
        let Ok(owners) = fs::read_dir(&self.root) else {
            return;
        };
        for owner in owners.flatten() {
            let name = owner.file_name().to_string_lossy().into_owned();
            for file in fs::read_dir(owner.path()).into_iter().flatten().flatten() {
                let path = file.path();
                let age = file.metadata().and_then(|data| data.modified());
                let age = age
                    .ok()
                    .and_then(|time| SystemTime::now().duration_since(time).ok());
                if age.is_none_or(|age| age < UNUSED) {
                    continue;
                }
                // Half of a file, which a crash left.
                if file.file_name().to_string_lossy().starts_with(PARTIAL) {
                    drop(fs::remove_file(&path));
                    continue;
                }
                if path.extension().is_some() {
                    continue;
                }
                let known: Option<StoredFile> = read_json(&description(&path)).ok().flatten();
                let is_needed =
                    known.is_some_and(|file| match (file.purpose, &file.conversation) {
                        (Purpose::Attachment, Some(conversation)) => exists(&name, conversation),
                        (Purpose::Attachment, None) => false,
                        _ => true,
                    });
                if !is_needed {
                    drop(fs::remove_file(description(&path)));
                    drop(fs::remove_file(&path));
                }
            }
        }
    }

    fn folder(&self, owner: &Owner) -> PathBuf {
        self.root.join(owner.as_str())
    }
}

fn no_file() -> Problem {
    Problem::not_found("there is no such file")
}

/// The file beside the bytes.
fn description(path: &Path) -> PathBuf {
    path.with_extension("json")
}

/// A folder for its owner alone.
pub(crate) fn make_folder(path: &Path) -> Result<(), Problem> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(failed)
}

/// Writes a file, for its owner alone, and gives it its name when it is whole; how many bytes it has.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<u64, Problem> {
    let written = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        let partial = tempfile::Builder::new()
            .prefix(PARTIAL)
            .tempfile_in(folder)?;
        let mut to = BufWriter::new(partial.as_file());
        write(&mut to)?;
        to.flush()?;
        drop(to);
        partial.as_file().sync_all()?;
        let file = partial.persist(path)?;
        Ok(file.metadata()?.len())
    };
    written().map_err(failed)
}

/// Writes a description.
pub(crate) fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), Problem> {
    let bytes = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
    replace(path, |to| to.write_all(&bytes)).map(drop)
}

/// Reads a description; none where there is no such file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Problem> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| failed(error.into()))
}

/// All descriptions of a folder; one that cannot be read is left out, so that it hides no other.
pub(crate) fn read_folder<T: DeserializeOwned>(folder: &Path) -> Result<Vec<T>, Problem> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let descriptions = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    Ok(descriptions
        .filter_map(|path| read_json(&path).ok().flatten())
        .collect())
}

fn failed(error: io::Error) -> Problem {
    Problem::internal(format!("the server cannot keep files: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_their_owner() {
        let home = tempfile::tempdir().unwrap();
        let files = FileStore::new(home.path().join("files"));
        let key: reckon_store::KeyId = "0".repeat(32).parse().unwrap();
        let (ann, bob) = (Owner::local(), Owner::from(&key));
        let file = files
            .add(&ann, "a\n.jsonl", Purpose::Batch, b"rows")
            .unwrap();
        assert_eq!((file.filename.as_str(), file.bytes), ("a.jsonl", 4));
        assert_eq!(files.bytes(&ann, &file.id).unwrap(), b"rows");
        assert!(files.get(&bob, &file.id).is_err() && files.delete(&bob, &file.id).is_err());
        assert!(files.list(&bob).unwrap().is_empty());
        for name in ["", "file-", "../local/x", "file-../../../../etc/pass"] {
            assert!(files.get(&ann, name).is_err(), "{name}");
        }
        files.delete(&ann, &file.id).unwrap();
        assert!(files.list(&ann).unwrap().is_empty());
        assert_eq!(
            fs::read_dir(home.path().join("files/local"))
                .unwrap()
                .count(),
            0
        );
    }

    #[test]
    fn only_attachments_that_nothing_refers_to_are_swept() {
        let home = tempfile::tempdir().unwrap();
        let files = FileStore::new(home.path().to_owned());
        let owner = Owner::local();
        let add = |purpose| files.add(&owner, "a", purpose, b"x").unwrap().id;
        let (batch, lost, kept, gone) = (
            add(Purpose::Batch),
            add(Purpose::Attachment),
            add(Purpose::Attachment),
            add(Purpose::Attachment),
        );
        let fresh = add(Purpose::Attachment);
        files.refer(&owner, &kept, "here").unwrap();
        files.refer(&owner, &gone, "deleted").unwrap();
        assert!(files.refer(&owner, &batch, "here").is_err());
        let long_ago = SystemTime::now() - 2 * UNUSED;
        for id in [&batch, &lost, &kept, &gone] {
            let file = File::options()
                .append(true)
                .open(files.path(&owner, id).unwrap());
            file.unwrap().set_modified(long_ago).unwrap();
        }
        files.sweep(|owner, conversation| owner == "local" && conversation == "here");
        let mut left: Vec<String> = files
            .list(&owner)
            .unwrap()
            .into_iter()
            .map(|f| f.id)
            .collect();
        let mut want = vec![batch, kept, fresh];
        left.sort();
        want.sort();
        assert_eq!(left, want);
    }
}
