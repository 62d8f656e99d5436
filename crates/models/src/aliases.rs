//! Other names for models, in `aliases.toml` of the home: for programs that insist on theirs, and for long ones.
//!
//! The owner of the home writes it (`reckon models alias`), so an alias may mean any model, also one that the server's
//! clients could not name. A name of the catalogue is never an alias, and an alias never means another one.
use crate::{Error, ErrorKind, Result, Store, disk, reference::may_be_alias};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
};

/// The file of aliases, in the home.
const FILE: &str = "aliases.toml";

/// Far more than a person writes.
const LARGEST: u64 = 1 << 20;

impl Store {
    /// What each alias means; a file that cannot be read has none.
    pub fn aliases(&self) -> BTreeMap<String, String> {
        self.read_aliases().unwrap_or_default()
    }

    fn read_aliases(&self) -> Result<BTreeMap<String, String>> {
        let path = self.home.join(FILE);
        let mut text = String::new();
        match File::open(&path) {
            Ok(file) => file.take(LARGEST).read_to_string(&mut text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            Err(error) => Err(error),
        }
        .map_err(|error| disk::cannot_read(&error, &path))?;
        toml::from_str(&text).map_err(|_| {
            let what = format!("{} is not a list of aliases", path.display());
            Error::new(ErrorKind::Settings, what).with_hint("correct it or remove it")
        })
    }

    /// The name that is meant: what an alias stands for, else the name itself.
    pub fn unaliased(&self, name: &str) -> String {
        if self.catalogue.entry(name).is_some() || !may_be_alias(name) {
            return name.to_owned();
        }
        let meant = self.aliases().remove(name);
        meant.unwrap_or_else(|| name.to_owned())
    }

    /// Sets what an alias means, or forgets it; whether something changed.
    pub fn set_alias(&self, alias: &str, name: Option<&str>) -> Result<bool> {
        let mut known = self.read_aliases()?;
        let changed = match name {
            None => known.remove(alias).is_some(),
            Some(name) => {
                self.check_alias(alias)?;
                let before = known.insert(alias.to_owned(), name.to_owned());
                before.as_deref() != Some(name)
            }
        };
        if changed {
            let path = self.home.join(FILE);
            let text = toml::to_string(&known).expect("words are TOML");
            disk::write_atomically(&path, text.as_bytes())
                .map_err(|error| disk::cannot_write(&error, &path))?;
        }
        Ok(changed)
    }

    fn check_alias(&self, alias: &str) -> Result<()> {
        let what = if !may_be_alias(alias) {
            format!("{alias} cannot be an alias: letters, digits and . _ - : only")
        } else if self.catalogue.entry(alias).is_some() {
            format!("{alias} is a name of the catalogue")
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::Settings, what).with_hint("take another name"))
    }
}
