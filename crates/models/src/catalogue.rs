//! The models we know by name, parsed from `catalogue.json` and checked.
//!
//! The built-in catalogue is part of the program. A `catalogue.json` of the same form in `RECKON_HOME` adds to it or
//! replaces entries of the same name. Names become file names, parts of addresses and arguments of `pip`, so every
//! string that is used that way is checked here, once.
use crate::{Error, ErrorKind, Result, locate::is_gguf, size};
use serde::Deserialize;

/// The entries and which of them to prefer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Names in order of preference when no model is named; the first is fetched on the first run.
    #[serde(default)]
    pub defaults: Vec<String>,
    /// What is known, in the order in which it is listed.
    pub models: Vec<Entry>,
}

/// One model: what it is, and where its one GGUF file comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What people type.
    pub name: String,
    /// One line for the list.
    pub what: String,
    /// `general.architecture` of the file.
    pub architecture: String,
    /// Licence of the weights.
    pub licence: String,
    /// Size of the file.
    pub bytes: u64,
    /// Whether `bytes` is exact or for orientation only.
    #[serde(default = "exact")]
    pub exact: bool,
    /// Of the whole file, lowercase hexadecimal.
    pub sha256: String,
    /// Where it comes from.
    pub source: Source,
    /// Files that belong to it; only its encoders (`mmproj`) are fetched with it.
    #[serde(default)]
    pub companions: Vec<Companion>,
}

/// Where a model comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// One file of a Hugging Face repository.
    Hub(HubFile),
    /// Members of Python wheels, put one after the other; they come through the machine's package registry.
    #[serde(rename = "registry")]
    Wheels(Vec<Part>),
}

/// A file of a Hugging Face repository.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HubFile {
    /// `organisation/name`.
    pub repository: String,
    /// Path inside the repository.
    pub file: String,
}

/// One stretch of a model's file, as a member of a wheel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Name of the package.
    pub package: String,
    /// Its exact version.
    pub version: String,
    /// Path inside the wheel.
    pub member: String,
    /// Size of the member, unpacked.
    pub bytes: u64,
    /// Of the member, unpacked.
    pub sha256: String,
}

/// A file that belongs to a model: its eyes, its drafter.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// What it is for.
    pub role: String,
    /// `organisation/name`.
    pub repository: String,
    /// Path inside the repository.
    pub file: String,
    /// Its size for orientation, where it is known.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Of the whole file.
    pub sha256: String,
}

impl Catalogue {
    /// The catalogue that is part of the program.
    pub fn built_in() -> Self {
        Self::parse(include_str!("catalogue.json")).expect("the built-in catalogue is tested")
    }

    /// Reads and checks a catalogue.
    pub fn parse(json: &str) -> Result<Self> {
        let catalogue: Self =
            serde_json::from_str(json).map_err(|error| refuse(&error.to_string()))?;
        for entry in &catalogue.models {
            entry
                .check()
                .map_err(|what| refuse(&format!("model `{}`: {what}", entry.name)))?;
        }
        Ok(catalogue)
    }

    /// Takes over the other's entries and, if it has any, its defaults.
    #[must_use]
    pub fn extended(mut self, other: Self) -> Self {
        for entry in other.models {
            match self.models.iter_mut().find(|old| old.name == entry.name) {
                Some(old) => *old = entry,
                None => self.models.push(entry),
            }
        }
        if !other.defaults.is_empty() {
            self.defaults = other.defaults;
        }
        self
    }

    /// The entry of this name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.models.iter().find(|entry| entry.name == name)
    }

    /// The name most like this one, if any is.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        self.models
            .iter()
            .map(|entry| (strsim::jaro_winkler(&entry.name, &name), entry))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, entry)| entry.name.as_str())
    }

    /// All entries, the preferred ones first.
    pub fn by_preference(&self) -> impl Iterator<Item = &Entry> {
        let preferred = self.defaults.iter().filter_map(|name| self.entry(name));
        let rest = self
            .models
            .iter()
            .filter(|entry| !self.defaults.contains(&entry.name));
        preferred.chain(rest)
    }
}

/// What is wrong with an entry.
type Checked = std::result::Result<(), &'static str>;

impl Entry {
    fn check(&self) -> Checked {
        holds(is_word(&self.name), "the name must be a plain word")?;
        holds(!is_gguf(&self.name), "a name in .gguf would be a path")?;
        holds(
            is_sha256(&self.sha256),
            "sha256 must be 64 lowercase digits",
        )?;
        match &self.source {
            Source::Hub(file) => check_hub(&file.repository, &file.file)?,
            Source::Wheels(parts) => self.check_parts(parts)?,
        }
        for companion in &self.companions {
            check_hub(&companion.repository, &companion.file)?;
            holds(
                is_sha256(&companion.sha256),
                "sha256 must be 64 lowercase digits",
            )?;
        }
        Ok(())
    }

    fn check_parts(&self, parts: &[Part]) -> Checked {
        let mut bytes = 0u64;
        for part in parts {
            holds(is_word(&part.package), "a package must be a plain word")?;
            holds(is_word(&part.version), "a version must be a plain word")?;
            holds(
                is_sha256(&part.sha256),
                "sha256 must be 64 lowercase digits",
            )?;
            bytes = bytes.saturating_add(part.bytes);
        }
        holds(!parts.is_empty(), "there are no parts")?;
        holds(
            self.exact && bytes == self.bytes,
            "the parts do not add up to the size",
        )
    }

    /// The file with its eyes and ears, fetched with it.
    pub fn mmproj(&self) -> Option<&Companion> {
        let mut companions = self.companions.iter();
        companions.find(|companion| companion.role == "mmproj")
    }

    /// `1.12 GB`, or `about 3.35 GB` where the size is not exact.
    pub fn size(&self) -> String {
        let about = if self.exact { "" } else { "about " };
        format!("{about}{}", size(self.bytes))
    }
}

fn refuse(what: &str) -> Error {
    let what = format!("the catalogue is wrong: {what}");
    Error::new(ErrorKind::Settings, what)
}

fn holds(condition: bool, otherwise: &'static str) -> Checked {
    if condition { Ok(()) } else { Err(otherwise) }
}

fn check_hub(repository: &str, file: &str) -> Checked {
    holds(
        repository.split('/').count() == 2 && repository.split('/').all(is_word),
        "a repository must be `organisation/name`",
    )?;
    holds(
        file.split('/').all(is_word),
        "a file must be a path of plain words",
    )
}

/// Safe as a file name, as a part of an address and as an argument.
pub(crate) fn is_word(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= 200
        && text.chars().all(plain)
}

pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn exact() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_catalogue_holds() {
        let catalogue = Catalogue::built_in();
        for name in &catalogue.defaults {
            assert!(catalogue.entry(name).is_some(), "{name} is not an entry");
        }
        assert_eq!(catalogue.by_preference().count(), catalogue.models.len());
    }

    #[test]
    fn a_slip_of_the_hand_is_understood() {
        let catalogue = Catalogue::built_in();
        assert_eq!(catalogue.nearest("smollm-135m"), Some("smollm2-135m"));
        assert_eq!(catalogue.nearest("Gemma-4-E2B"), Some("gemma-4-e2b"));
        assert_eq!(catalogue.nearest("zzz"), None);
    }

    #[test]
    fn names_cannot_leave_the_store_or_become_options() {
        let entry = |name: &str, package: &str| {
            let zeros = "0".repeat(64);
            format!(
                r#"{{"models":[{{"name":"{name}","what":"","architecture":"","licence":"","bytes":1,"sha256":"{zeros}",
                "source":{{"registry":[{{"package":"{package}","version":"1","member":"m","bytes":1,"sha256":"{zeros}"}}]}}}}]}}"#
            )
        };
        assert!(Catalogue::parse(&entry("fine-1.0", "fine")).is_ok());
        for (name, package) in [
            ("../up", "fine"),
            ("", "fine"),
            (".hidden", "fine"),
            ("a/b", "fine"),
            (r"a\\b", "fine"),
            ("a\u{202e}b", "fine"),
            ("file.GGUF", "fine"),
            ("..", "fine"),
            ("-r", "fine"),
            ("fine", "-r"),
            ("fine", "../up"),
            ("fine", "https://example.com/x.whl"),
            ("fine", "--index-url=x"),
            ("fine", "a b"),
        ] {
            let refused = Catalogue::parse(&entry(name, package));
            assert!(refused.is_err(), "{name} {package}");
        }
    }

    #[test]
    fn paths_in_a_repository_cannot_leave_it() {
        let entry = |repository: &str, file: &str| {
            let zeros = "0".repeat(64);
            format!(
                r#"{{"models":[{{"name":"m","what":"","architecture":"","licence":"","bytes":1,"sha256":"{zeros}",
                "source":{{"hub":{{"repository":"{repository}","file":"{file}"}}}}}}]}}"#
            )
        };
        assert!(Catalogue::parse(&entry("org/name", "dir/m.gguf")).is_ok());
        for (repository, file) in [
            ("org", "m.gguf"),
            ("org/../up", "m.gguf"),
            ("../up", "m.gguf"),
            ("org/name/more", "m.gguf"),
            ("org/na me", "m.gguf"),
            ("org/name", "../../m.gguf"),
            ("org/name", "/etc/passwd"),
            ("org/name", "dir//m.gguf"),
            ("org/name", "m.gguf?x=1"),
            ("org/name", "m.gguf#x"),
            ("org/name", ""),
        ] {
            let refused = Catalogue::parse(&entry(repository, file));
            assert!(refused.is_err(), "{repository} {file}");
        }
    }
}
