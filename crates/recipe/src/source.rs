//! What a recipe is run on: paths into items, each with the bytes of one answer's files.
//!
//! Paths are looked at when the [`Sources`] are made, so that a missing file is known before a model is loaded; bytes
//! are read when their turn comes.
use crate::{
    error::{Error, Result},
    mail::{self, Mbox},
    recipe::{Each, Input, Recipe},
};
use sha2::{Digest, Sha256};
use std::{
    collections::VecDeque,
    fmt::Write as _,
    fs::{self, File},
    io::BufReader,
    path::{Path, PathBuf},
};

/// Files of one folder.
const MOST_FILES: usize = 10_000;
/// Bytes of all files that one answer is about.
const MOST_BYTES: u64 = 192 << 20;
/// The name under which a mail is read: by it a reader knows what the bytes are.
const MAIL: &str = "mail.eml";

/// What one answer is about.
#[derive(Clone, Debug)]
pub struct Item {
    /// What a person calls it.
    pub name: String,
    /// Its files; several if the recipe is about all of them together.
    pub files: Vec<NamedFile>,
}

/// Bytes with the name of their file.
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// The file's name.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl Item {
    /// Of one text or file.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let name = name.into();
        let file = NamedFile {
            name: name.clone(),
            bytes: bytes.into(),
        };
        Self {
            name,
            files: vec![file],
        }
    }

    /// By which it is known again with this recipe: another text, setting or name is another item, and so is another day
    /// for a recipe that asks with the date (the same notes may be true twice).
    pub fn key(&self, recipe: &Recipe) -> String {
        self.key_on(recipe, &today())
    }

    /// The same on a given day.
    pub fn key_on(&self, recipe: &Recipe, day: &str) -> String {
        let mut hasher = Sha256::new();
        let mut add = |part: &[u8]| {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(format!("{recipe:?}").as_bytes());
        if recipe.is_dated() {
            add(day.as_bytes());
        }
        add(self.name.as_bytes());
        for file in &self.files {
            add(file.name.as_bytes());
            add(&file.bytes);
        }
        let digest = hasher.finalize();
        digest.iter().take(16).fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// Items, one at a time.
#[derive(Debug)]
pub struct Sources {
    places: VecDeque<Place>,
    each: Each,
    /// How many there were before any was read.
    count: usize,
    mbox: Option<(String, usize, Mbox<BufReader<File>>)>,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    Mail(PathBuf),
    Mbox(PathBuf),
}

impl Sources {
    /// Looks at paths; a folder stands for the files in it, those of its folders left out.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no file or folder.
    pub fn new(recipe: &Recipe, paths: &[PathBuf]) -> Result<Self> {
        let mut places = VecDeque::new();
        for path in paths {
            let shown = path.display();
            let refuse =
                |why: &dyn std::fmt::Display| Error::Input(format!("cannot read {shown}: {why}"));
            let metadata = fs::metadata(path).map_err(|error| refuse(&error))?;
            let is_mail = recipe.input == Input::Mail;
            if metadata.is_dir() {
                match mail::maildir(path)?.filter(|_| is_mail) {
                    Some(mails) => places.extend(mails.into_iter().map(Place::Mail)),
                    None => {
                        places.extend(folder(path)?.into_iter().map(|file| place(file, is_mail)))
                    }
                }
            } else if !metadata.is_file() {
                return Err(refuse(&"not a file"));
            } else if recipe.input == Input::Folder {
                return Err(Error::Input(format!(
                    "{} takes a folder, and {shown} is a file",
                    recipe.name
                )));
            } else {
                places.push_back(place(path.clone(), is_mail));
            }
        }
        Ok(Self {
            count: places.len(),
            places,
            each: recipe.each,
            mbox: None,
        })
    }

    /// Files that were found; an mbox is one.
    pub fn found(&self) -> usize {
        self.count
    }

    /// Whether more than one answer may come.
    pub fn has_several(&self) -> bool {
        let is_mbox = |place: &Place| matches!(place, Place::Mbox(_));
        self.count > 1 || self.places.iter().any(is_mbox)
    }

    fn next_item(&mut self) -> Result<Option<Item>> {
        loop {
            if let Some((name, number, mbox)) = &mut self.mbox {
                if let Some(mail) = mbox.next() {
                    *number += 1;
                    return Ok(Some(mail_item(format!("{name} {number}"), mail?)));
                }
                self.mbox = None;
            }
            match self.places.pop_front() {
                None => return Ok(None),
                Some(Place::File(path)) => {
                    let file = read(&path)?;
                    return Ok(Some(Item {
                        name: file.name.clone(),
                        files: vec![file],
                    }));
                }
                Some(Place::Mail(path)) => {
                    let file = read(&path)?;
                    // Behind the colon a Maildir says whether it was read, which changes.
                    let name = file.name.split(':').next().unwrap_or_default();
                    return Ok(Some(mail_item(name.to_owned(), file.bytes)));
                }
                Some(Place::Mbox(path)) => {
                    let file = File::open(&path).map_err(Error::file(&path))?;
                    self.mbox = Some((name_of(&path), 0, Mbox::new(BufReader::new(file))));
                }
            }
        }
    }

    /// All that is left in one item.
    fn together(&mut self) -> Result<Option<Item>> {
        let mut all: Option<Item> = None;
        let mut bytes = 0;
        while let Some(item) = self.next_item()? {
            bytes += item
                .files
                .iter()
                .map(|file| file.bytes.len() as u64)
                .sum::<u64>();
            if bytes > MOST_BYTES {
                let mib = MOST_BYTES >> 20;
                return Err(Error::Input(format!(
                    "together the files are larger than {mib} MiB"
                )));
            }
            match &mut all {
                Some(all) => {
                    all.name = format!("{} files", all.files.len() + 1);
                    all.files.extend(item.files);
                }
                None => all = Some(item),
            }
        }
        Ok(all)
    }
}

impl Iterator for Sources {
    type Item = Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = match self.each {
            Each::File => self.next_item(),
            Each::All => self.together(),
        };
        item.transpose()
    }
}

fn place(path: PathBuf, is_mail: bool) -> Place {
    match is_mail {
        true if mail::is_mbox(&path) => Place::Mbox(path),
        true => Place::Mail(path),
        false => Place::File(path),
    }
}

/// The date here.
pub(crate) fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

pub(crate) fn mail_item(name: String, bytes: Vec<u8>) -> Item {
    let file = NamedFile {
        name: MAIL.into(),
        bytes,
    };
    Item {
        name,
        files: vec![file],
    }
}

/// The files of a folder by name.
pub(crate) fn folder(path: &Path) -> Result<Vec<PathBuf>> {
    files_in(path, MOST_FILES)
}

/// At most so many files of a folder by name; hidden ones and links are left out.
pub(crate) fn files_in(path: &Path, most: usize) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).map_err(Error::file(path))?;
    let files = entries.flatten().filter(|entry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_file())
    });
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).take(most + 1).collect();
    if files.len() > most {
        let shown = path.display();
        return Err(Error::Input(format!("{shown} has more than {most} files")));
    }
    files.sort();
    Ok(files)
}

/// A file that is one, and not too large.
pub(crate) fn read(path: &Path) -> Result<NamedFile> {
    let metadata = fs::metadata(path).map_err(Error::file(path))?;
    let refuse = |why: String| Error::Input(format!("cannot read {}: {why}", path.display()));
    if !metadata.is_file() {
        return Err(refuse("not a file".into()));
    }
    if metadata.len() > MOST_BYTES {
        return Err(refuse(format!("larger than {} MiB", MOST_BYTES >> 20)));
    }
    Ok(NamedFile {
        name: name_of(path),
        bytes: fs::read(path).map_err(Error::file(path))?,
    })
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
