//! Why a recipe cannot be used or gave no answer, by what the caller can do about it.
use std::{
    io,
    path::{Path, PathBuf},
};

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed, in a lowercase fragment of one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no recipe of this name: choose another.
    #[error("no recipe is called {name:?}{}", meant(near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that are close to it.
        near: Vec<String>,
    },
    /// A setting is missing or not one of the recipe's: set another.
    #[error("{0}")]
    Setting(String),
    /// The text of a recipe is wrong: correct it.
    #[error("{name}: {why}")]
    Recipe {
        /// Its name or path.
        name: String,
        /// What is wrong, with the line where that is known.
        why: String,
    },
    /// What the recipe was given cannot be taken: give it something else.
    #[error("{0}")]
    Input(String),
    /// A file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// A file is there that would be overwritten: choose another name.
    #[error("{} exists, and {why}", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// Why it is not touched.
        why: &'static str,
    },
    /// The answer is not of the form that the recipe asks for: try again, or another model.
    #[error("{0}")]
    Answer(String),
    /// Somebody stopped it.
    #[error("stopped")]
    Stopped,
    /// The model failed, or refused what it was given.
    #[error(transparent)]
    Model(#[from] reckon::Error),
}

impl Error {
    /// Names the file of a failed call.
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |why| Self::File {
            path: path.clone(),
            why,
        }
    }
}

fn meant(near: &[String]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", near.join(" or ")),
    }
}
