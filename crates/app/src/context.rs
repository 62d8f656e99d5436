//! Where things are and what is allowed: the environment, read once.
//!
//! Built by `run` and handed to every command; tests build their own. Nothing else reads environment variables.
use crate::{
    Failure,
    models::{self, Catalogue, Patience},
};
use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Directories, permissions and the catalogue of one run.
#[derive(Clone, Debug)]
pub struct Context {
    /// `RECKON_HOME`: our models and state.
    pub home: PathBuf,
    /// `RECKON_ISA`: the instructions to use instead of the fastest.
    pub isa: Option<reckon_kernels::Isa>,
    /// The network must not be touched.
    pub offline: bool,
    /// The directory that holds `models--org--name`, shared with other Hugging Face tools.
    pub hub_cache: PathBuf,
    /// `HF_ENDPOINT`: scheme and host of the hub, without a slash at the end.
    pub hub_endpoint: String,
    /// `HF_TOKEN`, for models behind a licence.
    pub hub_token: Option<String>,
    /// The models we know by name.
    pub catalogue: Catalogue,
    /// Command lines that may be the machine's own pip, tried in order.
    pub pip: Vec<Vec<String>>,
    /// `PATH`: where a `z3` may be.
    pub search: Option<OsString>,
    /// `RECKON_API_KEY` or `OPENAI_API_KEY`, for models elsewhere.
    pub api_key: Option<String>,
    /// How long to wait for the network.
    pub patience: Patience,
    /// Whether long work shows how far it is, on stderr.
    pub progress: bool,
}

impl Context {
    /// Reads the environment; `offline` is the flag of the command line.
    pub fn from_env(offline: bool) -> anyhow::Result<Self> {
        let home = match variable("RECKON_HOME") {
            Some(path) => PathBuf::from(path),
            None => data_directory()?.join("reckon"),
        };
        Ok(Self {
            isa: isa()?,
            offline: offline || flag("RECKON_OFFLINE") || flag("HF_HUB_OFFLINE"),
            hub_cache: hub_cache().unwrap_or_else(|| home.join("hub")),
            hub_endpoint: text("HF_ENDPOINT")
                .unwrap_or_else(|| "https://huggingface.co".into())
                .trim_end_matches('/')
                .into(),
            hub_token: text("HF_TOKEN").map(|token| token.trim().into()),
            catalogue: catalogue(&home)?,
            pip: models::pip_commands(),
            search: variable("PATH"),
            api_key: text("RECKON_API_KEY").or_else(|| text("OPENAI_API_KEY")),
            patience: Patience::default(),
            progress: true,
            home,
        })
    }

    /// The directory of models that do not live in the hub's cache.
    pub fn models(&self) -> PathBuf {
        self.home.join("models")
    }

    /// The directory of parts of models that are not whole yet.
    pub fn partial(&self) -> PathBuf {
        self.home.join("partial")
    }
}

/// The built-in catalogue and what `catalogue.json` in `home` adds to it.
fn catalogue(home: &Path) -> anyhow::Result<Catalogue> {
    let path = home.join("catalogue.json");
    let cannot = |what: &str| Failure::model(format!("{}: {what}", path.display()));
    let mut json = String::new();
    match File::open(&path) {
        // Far more than a catalogue needs; whatever else this is, it is not read whole.
        Ok(file) => file.take(1 << 20).read_to_string(&mut json),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Catalogue::built_in()),
        Err(error) => Err(error),
    }
    .map_err(|error| cannot(&error.to_string()))?;
    let own = Catalogue::parse(&json).map_err(|failure| cannot(&failure.what))?;
    Ok(Catalogue::built_in().extended(own))
}

fn hub_cache() -> Option<PathBuf> {
    if let Some(path) = variable("HF_HUB_CACHE") {
        return Some(path.into());
    }
    if let Some(path) = variable("HF_HOME") {
        return Some(PathBuf::from(path).join("hub"));
    }
    let cache = match variable("XDG_CACHE_HOME") {
        Some(path) => PathBuf::from(path),
        None => user_home()?.join(".cache"),
    };
    Some(cache.join("huggingface").join("hub"))
}

#[cfg(target_os = "macos")]
fn data_directory() -> anyhow::Result<PathBuf> {
    let home = user_home().ok_or_else(no_home)?;
    Ok(home.join("Library").join("Application Support"))
}

#[cfg(windows)]
fn data_directory() -> anyhow::Result<PathBuf> {
    let path = variable("LOCALAPPDATA").ok_or_else(no_home)?;
    Ok(path.into())
}

#[cfg(not(any(target_os = "macos", windows)))]
fn data_directory() -> anyhow::Result<PathBuf> {
    // The XDG specification ignores relative paths.
    match variable("XDG_DATA_HOME").map(PathBuf::from) {
        Some(path) if path.is_absolute() => Ok(path),
        _ => Ok(user_home()
            .ok_or_else(no_home)?
            .join(".local")
            .join("share")),
    }
}

fn no_home() -> Failure {
    Failure::failed("no home directory").hint("set RECKON_HOME to a directory")
}

fn user_home() -> Option<PathBuf> {
    env::home_dir().filter(|path| !path.as_os_str().is_empty())
}

/// An environment variable that is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}

fn flag(name: &str) -> bool {
    text(name).is_some_and(|value| !matches!(value.to_lowercase().as_str(), "0" | "false" | "no"))
}

/// The instruction set that `RECKON_ISA` names; a name that this CPU lacks is an error, not a silent fallback.
fn isa() -> anyhow::Result<Option<reckon_kernels::Isa>> {
    let Some(name) = text("RECKON_ISA") else {
        return Ok(None);
    };
    let Some(isa) = reckon_kernels::Isa::named(&name) else {
        let have: Vec<_> = reckon_kernels::Isa::available()
            .iter()
            .map(|isa| isa.name())
            .collect();
        return Err(Failure::usage(format!(
            "RECKON_ISA={name}: this CPU has {}",
            have.join(", ")
        ))
        .into());
    };
    Ok(Some(isa))
}
