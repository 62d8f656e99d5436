//! Names in, loaded models out: loads on demand, keeps what is used, lets go of what is not.
//!
//! A request names a model of the catalogue that is here, an alias, or the file that the server was started with. Paths and
//! names of other stores are not accepted: a client must not choose files of this machine, or make it fetch any. One model
//! loads at a time. A model that nobody has used for its `keep_alive` is let go, and so is the least recently used one when
//! another needs the memory.
//!
//! A role of peers can be named in the place of a model: they are asked, and the default model if none of them answers.
//! A model of that name goes first, so that nothing leaves this machine because of a name.
use crate::{
    attachment::{Encoded, encoded},
    error::Problem,
    names,
    options::Loader,
};
use reckon::{
    Endpoint, LoadStep, Model,
    models::{self, Store},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

/// The models of a server.
pub(crate) struct ModelPool {
    store: Store,
    loader: Arc<Loader>,
    /// Sequences in one pass.
    sequences: usize,
    keep_alive: Duration,
    /// The model of the command line: its name and file. It is the default and is never let go by itself.
    own: Option<(String, PathBuf)>,
    /// Where the default model is asked, if that is elsewhere; it has no file then.
    remote: Option<Endpoint>,
    /// What peers are there for.
    roles: Vec<String>,
    loaded: Mutex<BTreeMap<String, Loaded>>,
    /// Held while a model loads.
    loads: Mutex<()>,
    loading: Mutex<Option<Loading>>,
}

#[derive(Clone)]
struct Loaded {
    held: Arc<Held>,
    used: Instant,
    /// Let go when unused for this long; none stays.
    keep: Option<Duration>,
}

/// A loaded model in use; as long as somebody holds it, it stays.
pub(crate) struct Held {
    pub(crate) name: String,
    pub(crate) model: Model,
    /// What files came to that were sent to it lately.
    pub(crate) encoded: Encoded,
}

/// What a model can take besides text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Senses {
    pub(crate) sees: bool,
    pub(crate) hears: bool,
}

/// A model that is being loaded.
#[derive(Clone, Debug)]
pub(crate) struct Loading {
    pub(crate) name: String,
    pub(crate) done: u64,
    pub(crate) total: u64,
}

/// How long a model stays after its last use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepAlive {
    Forever,
    For(Duration),
}

/// A model that can be asked for.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) modified: SystemTime,
    pub(crate) sha256: Option<String>,
}

/// What a pool is made of.
pub(crate) struct PoolOptions {
    pub(crate) store: Store,
    pub(crate) loader: Arc<Loader>,
    pub(crate) sequences: usize,
    pub(crate) keep_alive: Duration,
    pub(crate) own: Option<(String, PathBuf)>,
    pub(crate) remote: Option<Endpoint>,
    pub(crate) roles: Vec<String>,
}

/// What a request names.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The model of this machine.
    pub(crate) model: String,
    /// Its file.
    path: PathBuf,
    /// The role whose peers answer before it.
    pub(crate) role: Option<String>,
}

impl Named {
    /// What answers are said to be of: the receipt tells who made them.
    pub(crate) fn name(self) -> String {
        self.role.unwrap_or(self.model)
    }
}

impl ModelPool {
    pub(crate) fn new(options: PoolOptions) -> Self {
        let PoolOptions {
            store,
            loader,
            sequences,
            keep_alive,
            own,
            remote,
            roles,
        } = options;
        let elsewhere = |one: &Endpoint| (one.model().to_owned(), PathBuf::new());
        let own = remote.as_ref().map(elsewhere).or(own);
        Self {
            store,
            loader,
            sequences,
            keep_alive,
            own,
            remote,
            roles,
            loaded: Mutex::default(),
            loads: Mutex::default(),
            loading: Mutex::default(),
        }
    }

    /// Where models come from.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// The name of the default model.
    pub(crate) fn default_name(&self) -> Option<String> {
        if let Some((name, _)) = &self.own {
            return Some(name.clone());
        }
        let mut entries = self.store.catalogue.by_preference();
        let here = entries.find(|entry| self.store.present(entry).is_some());
        here.map(|entry| entry.name.clone())
    }

    /// What a request means: a model, or a role.
    pub(crate) fn resolve(&self, asked: Option<&str>) -> Result<Named, Problem> {
        let asked = asked.map(str::trim).filter(|asked| !asked.is_empty());
        let Some(asked) = asked else {
            let name = self.default_name();
            let name = name.ok_or_else(|| Problem::no_model("no model is here yet"))?;
            return self.resolve(Some(&name));
        };
        let alias = self.store.aliases().remove(asked);
        let target = alias.as_deref().unwrap_or(asked);
        let named = |model: String, path| Named {
            model,
            path,
            role: None,
        };
        for name in names::spellings(target) {
            if let Some((own, path)) = &self.own
                && *own == name
            {
                return Ok(named(name, path.clone()));
            }
            if let Some(entry) = self.store.catalogue.entry(&name) {
                let path = self.store.resolve(&entry.name)?;
                return Ok(named(entry.name.clone(), path));
            }
        }
        if let Some(role) = self.roles.iter().find(|role| *role == target) {
            let role = Some(role.clone());
            return Ok(Named {
                role,
                ..self.resolve(None)?
            });
        }
        // The owner of this machine may have meant any file by it; clients only see the alias.
        if alias.is_some() {
            return Ok(named(asked.to_owned(), self.store.resolve(target)?));
        }
        let known: Vec<String> = self.list().into_iter().map(|one| one.name).collect();
        let known = match known.is_empty() {
            true => "none is here".to_owned(),
            false => format!("here are {}", known.join(", ")),
        };
        let asked = models::plain(asked, 80);
        Err(Problem::no_model(format!("there is no model {asked}; {known}")).at("model"))
    }

    /// Every role that can be asked for: those that no model has the name of.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &str> {
        let is_role = move |role: &&String| {
            self.resolve(Some(role.as_str()))
                .is_ok_and(|one| one.role.is_some())
        };
        self.roles.iter().filter(is_role).map(String::as_str)
    }

    /// Every model that can be asked for.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let own = self
            .own
            .iter()
            .map(|(name, path)| (name.clone(), path.clone(), None));
        let entries = self.store.catalogue.by_preference();
        let here = entries.filter_map(|entry| {
            let path = self.store.present(entry)?;
            Some((entry.name.clone(), path, Some(entry.sha256.clone())))
        });
        let mut listed: Vec<Listed> = Vec::new();
        for (name, path, sha256) in own.chain(here) {
            match listed.iter_mut().find(|one| one.name == name) {
                Some(known) => known.sha256 = known.sha256.take().or(sha256),
                None => listed.extend(look(name, path, sha256)),
            }
        }
        listed
    }

    /// The model, loaded if need be. Blocks.
    pub(crate) fn get(
        &self,
        asked: Option<&str>,
        keep_alive: Option<KeepAlive>,
    ) -> Result<Arc<Held>, Problem> {
        let Named {
            model: name, path, ..
        } = self.resolve(asked)?;
        if let Some(held) = self.use_loaded(&name, keep_alive) {
            return Ok(held);
        }
        let _one_at_a_time = self.loads.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have loaded it meanwhile.
        if let Some(held) = self.use_loaded(&name, keep_alive) {
            return Ok(held);
        }
        self.make_room(&path);
        let held = self.load(&name, &path);
        *lock(&self.loading) = None;
        let held = held?;
        let keep = match keep_alive {
            _ if self.is_own(&name) => None,
            Some(keep) => keep.duration(),
            None => Some(self.keep_alive),
        };
        let loaded = Loaded {
            held: Arc::clone(&held),
            used: Instant::now(),
            keep,
        };
        lock(&self.loaded).insert(name, loaded);
        Ok(held)
    }

    /// Lets go of a model as soon as nobody uses it.
    pub(crate) fn unload(&self, asked: &str) -> Result<(), Problem> {
        let named = self.resolve(Some(asked))?;
        lock(&self.loaded).remove(&named.model);
        Ok(())
    }

    /// Lets go of models that were unused for long enough.
    pub(crate) fn sweep(&self) {
        let mut loaded = lock(&self.loaded);
        loaded.retain(|_, one| {
            !one.is_idle() || one.keep.is_none_or(|keep| one.used.elapsed() < keep)
        });
    }

    /// The loaded models, and after how long of silence they go.
    pub(crate) fn running(&self) -> Vec<(Arc<Held>, Option<Duration>)> {
        let loaded = lock(&self.loaded);
        let left = |one: &Loaded| Some(one.keep?.saturating_sub(one.used.elapsed()));
        let rows = loaded
            .values()
            .map(|one| (Arc::clone(&one.held), left(one)));
        rows.collect()
    }

    /// What a model can take besides text; nothing is known of one that is not loaded.
    pub(crate) fn senses(&self, name: &str) -> Senses {
        let loaded = lock(&self.loaded);
        let engine = loaded.get(name).and_then(|one| one.held.model.engine());
        engine.map_or_else(Senses::default, |engine| Senses {
            sees: engine.can_see(),
            hears: engine.can_hear(),
        })
    }

    /// How far a model that is being loaded has come.
    pub(crate) fn loading(&self) -> Option<Loading> {
        lock(&self.loading).clone()
    }

    fn is_own(&self, name: &str) -> bool {
        self.own.as_ref().is_some_and(|(own, _)| own == name)
    }

    fn use_loaded(&self, name: &str, keep_alive: Option<KeepAlive>) -> Option<Arc<Held>> {
        let mut loaded = lock(&self.loaded);
        let one = loaded.get_mut(name)?;
        one.used = Instant::now();
        if let Some(keep) = keep_alive.filter(|_| !self.is_own(name)) {
            one.keep = keep.duration();
        }
        Some(Arc::clone(&one.held))
    }

    fn load(&self, name: &str, path: &Path) -> Result<Arc<Held>, Problem> {
        let elsewhere = self.remote.as_ref().filter(|_| self.is_own(name));
        let model = match elsewhere {
            Some(endpoint) => Model::remote(endpoint.clone()),
            None => self.open(name, path)?,
        };
        Ok(Arc::new(Held {
            name: name.to_owned(),
            model: model.shared(self.sequences)?,
            encoded: encoded(),
        }))
    }

    fn open(&self, name: &str, path: &Path) -> Result<Model, Problem> {
        let loading = Loading {
            name: name.to_owned(),
            done: 0,
            total: 0,
        };
        *lock(&self.loading) = Some(loading);
        let (to, steps) = std::sync::mpsc::channel();
        let options = Model::options()
            .name(name.to_owned())
            .sha256(self.store.known_digest(path).map(|known| known.sha256))
            .progress(move |step: LoadStep| {
                // Nobody reads them any more when loading has ended.
                let _ = to.send(step);
            });
        let path = path.to_owned();
        // Progress may not borrow the pool, so it comes through a channel.
        let loader = Arc::clone(&self.loader);
        let opened = std::thread::spawn(move || loader(options, &path));
        for LoadStep { done, total } in steps {
            if let Some(loading) = lock(&self.loading).as_mut() {
                (loading.done, loading.total) = (done, total);
            }
        }
        Ok(opened
            .join()
            .map_err(|_| Problem::internal(format!("{name} could not be loaded")))??)
    }

    /// Lets go of unused models, the one used longest ago first, until this one should fit into the memory.
    fn make_room(&self, path: &Path) {
        let needed = std::fs::metadata(path).map_or(0, |file| file.len());
        while available_memory().is_some_and(|free| free < needed + needed / 4) {
            let mut loaded = lock(&self.loaded);
            let idle = loaded.iter().filter(|(_, one)| one.is_idle());
            let oldest = idle.min_by_key(|(_, one)| one.used);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else {
                return;
            };
            loaded.remove(&name);
        }
    }
}

impl Loaded {
    /// Whether nobody but the pool holds it.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.held) == 1
    }
}

impl KeepAlive {
    fn duration(self) -> Option<Duration> {
        match self {
            Self::Forever => None,
            Self::For(time) => Some(time),
        }
    }
}

fn look(name: String, path: PathBuf, sha256: Option<String>) -> Option<Listed> {
    // A model elsewhere has no file, and is there all the same.
    if path.as_os_str().is_empty() {
        return Some(Listed {
            name,
            path,
            bytes: 0,
            modified: SystemTime::UNIX_EPOCH,
            sha256,
        });
    }
    let data = std::fs::metadata(&path).ok()?;
    Some(Listed {
        name,
        bytes: data.len(),
        modified: data.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        path,
        sha256,
    })
}

/// Bytes that the system says are free for us; none where it does not tell.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// A panic while it was held leaves nothing half done: each change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
