//! Where recipes are: those that come with the program, and a person's own in a folder.
//!
//! One's own recipe goes before a built-in one of the same name, and whoever runs it is told.
use crate::{
    error::{Error, Result},
    recipe::{MOST_BYTES, Recipe, is_name},
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
};

/// The recipes of the program.
const BUILT_IN: [(&str, &str); 11] = [
    ("classify", include_str!("../recipes/classify.toml")),
    ("documents", include_str!("../recipes/documents.toml")),
    ("email", include_str!("../recipes/email.toml")),
    ("extract", include_str!("../recipes/extract.toml")),
    ("journal", include_str!("../recipes/journal.toml")),
    ("mail-routing", include_str!("../recipes/mail-routing.toml")),
    ("meeting", include_str!("../recipes/meeting.toml")),
    ("research", include_str!("../recipes/research.toml")),
    ("review", include_str!("../recipes/review.toml")),
    ("translate", include_str!("../recipes/translate.toml")),
    ("tutor", include_str!("../recipes/tutor.toml")),
];
/// What a new recipe begins as.
const TEMPLATE: &str = include_str!("template.toml");
/// Own recipes that are listed.
const MOST_OWN: usize = 1_000;
/// How alike names must be to be suggested.
const ALIKE: f64 = 0.8;

/// The recipes that can be run by name.
#[derive(Clone, Debug)]
pub struct Collection {
    folder: PathBuf,
}

/// The text of a recipe and where it is from.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its TOML.
    pub text: String,
    /// Its file; a built-in one has none.
    pub path: Option<PathBuf>,
    /// Whether it is used instead of a built-in one.
    pub shadows: bool,
}

/// A line of the list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is for, or why it cannot be read.
    pub about: std::result::Result<String, String>,
    /// Its file; a built-in one has none.
    pub path: Option<PathBuf>,
}

impl Collection {
    /// With the own recipes of a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// A recipe by its name, or by a path with `/` or `.toml`.
    ///
    /// # Errors
    /// [`Error::Unknown`] with names that are close.
    pub fn find(&self, name: &str) -> Result<Found> {
        let is_path = name.contains(['/', '\\']) || name.ends_with(".toml");
        let built_in = BUILT_IN.iter().find(|(own, _)| *own == name);
        let path = match is_path {
            true => PathBuf::from(name),
            false => self.own(name),
        };
        if is_path || (is_name(name) && path.is_file()) {
            return Ok(Found {
                text: read(&path)?,
                path: Some(path),
                shadows: built_in.is_some(),
            });
        }
        match built_in {
            Some((_, text)) => Ok(Found {
                text: (*text).to_owned(),
                path: None,
                shadows: false,
            }),
            None => Err(self.unknown(name)),
        }
    }

    /// All of them, built-in ones first.
    pub fn list(&self) -> Vec<Entry> {
        let built_in = BUILT_IN
            .iter()
            .map(|(name, text)| entry(name, Ok((*text).to_owned()), None));
        let own = self.names().into_iter().map(|name| {
            let path = self.own(&name);
            let text = read(&path).map_err(|error| error.to_string());
            entry(&name, text, Some(path))
        });
        built_in.chain(own).collect()
    }

    /// Writes a commented recipe to begin with; where it is.
    ///
    /// # Errors
    /// [`Error::Exists`] if there is one: nothing is overwritten.
    pub fn create(&self, name: &str) -> Result<PathBuf> {
        if !is_name(name) {
            let why = "a recipe is called by lowercase letters, digits and hyphens";
            return Err(Error::Setting(format!("{name:?}: {why}")));
        }
        if BUILT_IN.iter().any(|(own, _)| *own == name) {
            return Err(Error::Setting(format!(
                "{name} is built in; choose another name"
            )));
        }
        let path = self.own(name);
        fs::create_dir_all(&self.folder).map_err(Error::file(&self.folder))?;
        let mut file = File::create_new(&path).map_err(|why| match why.kind() {
            std::io::ErrorKind::AlreadyExists => Error::Exists {
                path: path.clone(),
                why: "is not overwritten",
            },
            _ => Error::file(&path)(why),
        })?;
        file.write_all(TEMPLATE.replace("NAME", name).as_bytes())
            .map_err(Error::file(&path))?;
        Ok(path)
    }

    fn own(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.toml"))
    }

    /// Names of own recipes.
    fn names(&self) -> Vec<String> {
        // A folder that is not there has none.
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            name.strip_suffix(".toml")
                .filter(|name| is_name(name))
                .map(str::to_owned)
        });
        let mut names: Vec<String> = names.take(MOST_OWN).collect();
        names.sort();
        names
    }

    fn unknown(&self, name: &str) -> Error {
        let built_in = BUILT_IN.iter().map(|(own, _)| (*own).to_owned());
        let alike = built_in.chain(self.names()).filter_map(|known| {
            let alike = strsim::jaro_winkler(&known, name);
            (alike >= ALIKE).then_some((alike, known))
        });
        let mut alike: Vec<(f64, String)> = alike.collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near = alike.into_iter().take(3).map(|(_, known)| known);
        Error::Unknown {
            name: name.chars().take(60).collect(),
            near: near.collect(),
        }
    }
}

fn entry(name: &str, text: std::result::Result<String, String>, path: Option<PathBuf>) -> Entry {
    let about = text.and_then(|text| match Recipe::parse(&text, name) {
        Ok(recipe) => Ok(recipe.about),
        Err(error) => Err(error.to_string()),
    });
    Entry {
        name: name.to_owned(),
        about,
        path,
    }
}

fn read(path: &Path) -> Result<String> {
    let refuse = |why: String| Error::Recipe {
        name: path.display().to_string(),
        why,
    };
    // Opening a pipe or a device could wait for ever.
    let metadata = fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !metadata.is_file() {
        return Err(refuse("not a file".into()));
    }
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    let mut text = String::new();
    let read = file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| refuse(error.to_string()))?;
    Ok(text)
}
