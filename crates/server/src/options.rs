//! How a server is set up.
use reckon::{Endpoint, Guards, Model, OpenOptions, Peers, Toolboxes, models};
use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Opens a model file.
pub type Loader = dyn Fn(OpenOptions<'static>, &Path) -> reckon::Result<Model> + Send + Sync;

/// What a server needs to know before it starts.
pub struct ServerOptions {
    /// Where models are found, and whether the network may be touched.
    pub models: models::Store,
    /// The database of conversations and keys.
    pub database: PathBuf,
    /// The name and file of the default model; without, the preferred one that is here.
    pub model: Option<(String, PathBuf)>,
    /// A server elsewhere whose model the default one is; its name is the endpoint's, and `model` does not count.
    pub remote: Option<Endpoint>,
    /// How models are opened: with these options, and whatever the caller adds to them.
    pub load: Arc<Loader>,
    /// Guards that look at answers.
    pub guards: Guards,
    /// Tools for the guards of one answer.
    pub tools: Toolboxes,
    /// Other machines that may answer; each of their roles can be asked for like a model.
    pub peers: Peers,
    /// The rest.
    pub settings: Settings,
}

/// Numbers and switches of a server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether everybody needs a key.
    pub keys: bool,
    /// Keys besides those of the database: secrets that somebody else made.
    pub secrets: Vec<String>,
    /// Tokens of context, where the command line says so.
    pub n_ctx: Option<usize>,
    /// Whether long prompts are kept on the disk, read, so that they need not be read again after a restart.
    pub keep_prompts: bool,
    /// Answers that are written at a time.
    pub parallel: usize,
    /// Requests that may wait.
    pub queue: usize,
    /// Connections at a time.
    pub connections: usize,
    /// How long a model stays after its last use, unless it is the default one.
    pub keep_alive: Duration,
    /// End after this time without a request.
    pub idle_exit: Option<Duration>,
    /// Certificate chain and key, as PEM files.
    pub tls: Option<(PathBuf, PathBuf)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            keys: false,
            secrets: Vec::new(),
            n_ctx: None,
            keep_prompts: true,
            parallel: 8,
            queue: 64,
            connections: 256,
            keep_alive: Duration::from_secs(300),
            idle_exit: None,
            tls: None,
        }
    }
}

/// Whether only this machine can reach an address.
pub fn is_loopback(address: SocketAddr) -> bool {
    match address.ip() {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => ip.is_loopback(),
    }
}
