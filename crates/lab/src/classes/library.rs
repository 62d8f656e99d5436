//! A field library: classes of failure with examples and figures, as a TOML file that people can read, join and add to.
//!
//! Every `[[class]]` stands for one class on one tape and is complete in itself, so two libraries put behind each other
//! are a library. [`Library::merge`] does that and replaces what the same tape said before. Examples name questions by
//! id and mark places; no words of questions or answers are in it. docs/lab.md has the format.

use super::{Case, Inventory, Validation, failure};
use crate::{Error, Result};
use reckon::assistant::about;
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, path::Path};

/// Largest library that is read.
const LARGEST: u64 = 16 << 20;

/// Classes of failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Library {
    /// One for each class and tape.
    #[serde(default)]
    pub class: Vec<Class>,
}

/// One class on one tape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// What fails, in a few words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub failure: String,
    /// The built-in guard that is for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<String>,
    /// The pack that is for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The tape.
    pub tape: String,
    /// The model.
    pub model: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What the guard is worth on this tape.
    #[serde(default)]
    pub validation: Validation,
    /// Where it happened; the class is not said again.
    #[serde(default)]
    pub example: Vec<Case>,
}

impl Library {
    /// The library of one tape. A guard that looked and met no failure has its class as well: its figures count.
    pub fn new(inventory: &Inventory) -> Self {
        let mut library = Self::default();
        for (name, cases) in inventory.by_class() {
            library.class.push(class(inventory, name, &cases));
        }
        for guard in inventory.validation.keys() {
            if library.class.iter().all(|one| one.name != *guard) {
                library.class.push(class(inventory, guard, &[]));
            }
        }
        library
    }

    /// Reads a library.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = Error::file(path);
        let size = std::fs::metadata(path).map_err(failed)?.len();
        if size > LARGEST {
            return Err(failed(std::io::Error::other("larger than 16 MiB")));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let json = path.extension().is_some_and(|ending| ending == "json");
        let refuse = |line: usize, why: String| Error::line(path, line, why);
        if json {
            return serde_json::from_str(&text)
                .map_err(|error| refuse(error.line(), error.to_string()));
        }
        toml::from_str(&text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let before = text.get(..at).unwrap_or_default();
            refuse(before.matches('\n').count() + 1, error.message().to_owned())
        })
    }

    /// Takes in another library. Of two entries for the same class, tape and model the new one stays.
    pub fn merge(&mut self, other: Self) {
        let key = |one: &Class| {
            let Class {
                name,
                tape,
                model,
                sha256,
                ..
            } = one;
            (name.clone(), tape.clone(), model.clone(), sha256.clone())
        };
        // A tape that is read again may have lost a class; what it said before is void as a whole.
        let from = |one: &Class| (one.tape.clone(), one.model.clone(), one.sha256.clone());
        let again: HashSet<_> = other.class.iter().map(from).collect();
        self.class.retain(|one| !again.contains(&from(one)));
        self.class.extend(other.class);
        self.class.sort_by_key(key);
    }

    /// As TOML.
    pub fn toml(&self) -> String {
        let body = toml::to_string(self).unwrap_or_default();
        format!(
            "# A field library: classes of failure, examples and what the guards are worth. Made by `reckon lab \
             classes`;\n# two such files put behind each other are one. The format is in docs/lab.md.\n\n{body}"
        )
    }
}

fn class(inventory: &Inventory, name: &str, cases: &[&Case]) -> Class {
    let built_in = about::GUARDS.iter().any(|guard| guard.name == name);
    let validation = inventory.validation.get(name);
    Class {
        name: name.to_owned(),
        failure: failure(name).to_owned(),
        guard: built_in.then(|| name.to_owned()),
        // Whatever else has figures of its own is a pack.
        pack: (!built_in && validation.is_some()).then(|| name.to_owned()),
        tape: inventory.tape.clone(),
        model: inventory.model.name.clone(),
        sha256: inventory.model.sha256.clone(),
        validation: validation.cloned().unwrap_or_else(|| Validation {
            turns: inventory.turns,
            ..Validation::default()
        }),
        example: cases
            .iter()
            .map(|&case| Case {
                class: String::new(),
                ..case.clone()
            })
            .collect(),
    }
}
