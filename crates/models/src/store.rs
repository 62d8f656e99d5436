//! Where models are kept and how they may be fetched: plain settings, built by hand or from the environment.
use crate::{Catalogue, Error, ErrorKind, OtherStores, Patience, Programs, Result, disk, pip};
use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Far more than a catalogue needs; whatever else a file of that name is, it is not read whole.
const LARGEST_CATALOGUE: u64 = 1 << 20;

/// The models of this machine: directories, permissions and the catalogue.
///
/// All fields may be set by hand; [`Store::from_env`] is what the command line uses.
#[derive(Clone, Debug)]
pub struct Store {
    /// `RECKON_HOME`: models that do not live in the hub's cache, and our state.
    pub home: PathBuf,
    /// The directory that holds `models--org--name`, shared with other Hugging Face tools.
    pub hub_cache: PathBuf,
    /// Models that other programs fetched; used in place, never written to.
    pub others: OtherStores,
    /// `HF_ENDPOINT`: scheme and host of the hub, without a slash at the end.
    pub hub_endpoint: String,
    /// `HF_TOKEN`, for models behind a licence; sent only to `https://huggingface.co` or within this machine, and only if
    /// the hub refuses to answer without it.
    pub hub_token: Option<String>,
    /// The models we know by name.
    pub catalogue: Catalogue,
    /// Command lines that may be the machine's own pip, tried in order.
    pub pip: Vec<Vec<String>>,
    /// What other programs are given when they run.
    pub programs: Programs,
    /// How long to wait for the network.
    pub patience: Patience,
    /// The network must not be touched.
    pub offline: bool,
}

impl Store {
    /// Reads the environment through `lookup` (`std::env::var_os`, or anything else), and `catalogue.json` in the home.
    pub fn from_env(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let environment = Environment(&lookup);
        let home = match environment.path("RECKON_HOME") {
            Some(path) => path,
            None => environment.data_directory()?.join("reckon"),
        };
        Ok(Self {
            offline: environment.flag("RECKON_OFFLINE") || environment.flag("HF_HUB_OFFLINE"),
            hub_cache: environment.hub_cache().unwrap_or_else(|| home.join("hub")),
            others: environment.other_stores(),
            hub_endpoint: environment
                .text("HF_ENDPOINT")
                .unwrap_or_else(|| "https://huggingface.co".into())
                .trim_end_matches('/')
                .into(),
            hub_token: environment
                .text("HF_TOKEN")
                .map(|token| token.trim().into()),
            catalogue: catalogue(&home)?,
            pip: pip::commands(),
            programs: Programs::from_env(&lookup),
            patience: Patience::default(),
            home,
        })
    }

    /// The directory of models that do not live in the hub's cache.
    pub fn models(&self) -> PathBuf {
        self.home.join("models")
    }
}

/// The built-in catalogue and what `catalogue.json` in `home` adds to it.
fn catalogue(home: &Path) -> Result<Catalogue> {
    let path = home.join("catalogue.json");
    let mut json = String::new();
    match File::open(&path) {
        Ok(file) => file.take(LARGEST_CATALOGUE).read_to_string(&mut json),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Catalogue::built_in()),
        Err(error) => Err(error),
    }
    .map_err(|error| disk::cannot_read(&error, &path))?;
    let own = Catalogue::parse(&json)
        .map_err(|error| Error::new(ErrorKind::Settings, format!("{}: {error}", path.display())))?;
    Ok(Catalogue::built_in().extended(own))
}

/// Variables by name; an empty one counts as unset.
struct Environment<'a>(&'a dyn Fn(&str) -> Option<OsString>);

impl Environment<'_> {
    fn path(&self, name: &str) -> Option<PathBuf> {
        let value = (self.0)(name).filter(|value| !value.is_empty())?;
        Some(value.into())
    }

    fn text(&self, name: &str) -> Option<String> {
        self.path(name)?.into_os_string().into_string().ok()
    }

    fn flag(&self, name: &str) -> bool {
        let is_no = |value: String| matches!(value.to_lowercase().as_str(), "0" | "false" | "no");
        self.text(name).is_some_and(|value| !is_no(value))
    }

    /// Where the hub's own tools keep their files.
    fn hub_cache(&self) -> Option<PathBuf> {
        if let Some(path) = self.path("HF_HUB_CACHE") {
            return Some(path);
        }
        if let Some(path) = self.path("HF_HOME") {
            return Some(path.join("hub"));
        }
        let cache = match self.path("XDG_CACHE_HOME") {
            Some(path) => path,
            None => self.user_home()?.join(".cache"),
        };
        Some(cache.join("huggingface").join("hub"))
    }

    /// Where Ollama (as a person's program, or as a service) and LM Studio (new and old) keep theirs.
    fn other_stores(&self) -> OtherStores {
        let home = self.user_home();
        let below = |path: &str| home.as_ref().map(|home| home.join(path));
        let ollama = match self.path("OLLAMA_MODELS") {
            Some(path) => vec![path],
            None => below(".ollama/models")
                .into_iter()
                .chain([PathBuf::from("/usr/share/ollama/.ollama/models")])
                .collect(),
        };
        let lm_studio = [".lmstudio/models", ".cache/lm-studio/models"];
        OtherStores {
            ollama,
            lm_studio: lm_studio.into_iter().filter_map(below).collect(),
        }
    }

    #[cfg(target_os = "macos")]
    fn data_directory(&self) -> Result<PathBuf> {
        let home = self.user_home().ok_or_else(no_home)?;
        Ok(home.join("Library").join("Application Support"))
    }

    #[cfg(windows)]
    fn data_directory(&self) -> Result<PathBuf> {
        self.path("LOCALAPPDATA").ok_or_else(no_home)
    }

    #[cfg(not(any(target_os = "macos", windows)))]
    fn data_directory(&self) -> Result<PathBuf> {
        // The XDG specification ignores relative paths.
        match self.path("XDG_DATA_HOME") {
            Some(path) if path.is_absolute() => Ok(path),
            _ => {
                let home = self.user_home().ok_or_else(no_home)?;
                Ok(home.join(".local").join("share"))
            }
        }
    }

    fn user_home(&self) -> Option<PathBuf> {
        let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        // Services often have no HOME; the standard library then asks the list of users.
        self.path(variable)
            .or_else(|| env::home_dir().filter(|path| !path.as_os_str().is_empty()))
    }
}

fn no_home() -> Error {
    let error = Error::new(ErrorKind::Settings, "no home directory");
    error.with_hint("set RECKON_HOME to a directory")
}
