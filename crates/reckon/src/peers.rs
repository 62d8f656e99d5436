//! Other machines that may answer: who they are, what they are there for, and when one is asked.
//!
//! A peer is any OpenAI-compatible server with a role that the person gave it ("premium"). It is asked in three cases only: the
//! person names its role, a small model of this machine that the settings name chooses its role, or an answer of this
//! machine is marked doubtful and the settings name a role for that. Without settings nobody is asked and no connection is
//! opened.
//!
//! Terminal, server, batches and bot all come through [`Peers::answer`]. `settings` reads the TOML, `route` lets the small model
//! choose, `health` asks a server about itself, `handover` asks it a question. Whatever a peer does, the answer of this
//! machine is not lost; the receipt says what left, where to and why ([`Handover`](crate::Handover)).
mod handover;
mod health;
mod route;
mod settings;

pub use handover::Asking;
pub use health::Survey;

use crate::{Endpoint, Model, Result};
use health::Health;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// Peers that are asked at most for one answer: one, and another if that one fails.
const TRIES: usize = 2;

/// The peers that a person has, and when they are asked. Clones share what is known about their health.
///
/// ```
/// let settings = r#"
/// [peers.mini]
/// url = "http://127.0.0.1:11435/v1"
/// models = ["qwen3-8b"]
/// role = "premium"
///
/// [handover]
/// doubtful = "premium"
/// "#;
/// let peers = reckon::Peers::parse(settings, false, |_| None).unwrap();
/// assert!(peers.has_role("premium") && !peers.has_role("premiun"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Peers {
    known: Arc<Known>,
    /// The small model that chooses among roles, once it is loaded.
    router: Option<Model>,
}

/// What the settings say.
#[derive(Debug, Default)]
struct Known {
    /// The cheapest first, of those the fastest, of those by name.
    peers: Vec<Peer>,
    doubtful: Option<String>,
    /// The name or path of the model that chooses among roles.
    route: Option<String>,
    /// The roles that it may choose, and which questions are theirs.
    routes: BTreeMap<String, String>,
}

/// One server elsewhere.
pub struct Peer {
    /// What the person calls it.
    pub name: String,
    /// What it is there for.
    pub role: String,
    /// Where it is asked.
    pub url: String,
    /// Its models; the first is the one that is asked for.
    pub models: Vec<String>,
    /// Tokens a second, as the person knows it.
    pub speed: Option<f64>,
    /// What a million tokens cost, in the person's currency.
    pub cost: Option<f64>,
    /// How long one answer may take, with all that guards ask about it.
    pub timeout: Duration,
    /// How it is asked, or why it must not be.
    endpoint: std::result::Result<Endpoint, String>,
    /// What it last said about itself, and when.
    health: Mutex<Option<(Instant, Health)>>,
}

impl Peers {
    /// Reads settings: tables `[peers.NAME]` and `[handover]` of a TOML file; others are left alone. `variable` gives the
    /// value of an environment variable: keys are named in the settings and never stand there.
    pub fn parse(
        text: &str,
        offline: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        settings::parse(text, offline, &variable).map(|known| Self {
            known: Arc::new(known),
            router: None,
        })
    }

    /// The model that chooses among roles, by name or path; whoever can load it hands it to [`Peers::routed_by`].
    pub fn router(&self) -> Option<&str> {
        self.known.route.as_deref()
    }

    /// With this model to choose who answers, among the roles that the settings give it. Without it nobody chooses.
    #[must_use]
    pub fn routed_by(mut self, router: Model) -> Self {
        self.router = Some(router);
        self
    }

    /// All of them, in the order in which they are asked.
    pub fn iter(&self) -> impl Iterator<Item = &Peer> {
        self.known.peers.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.known.peers.is_empty()
    }

    /// Whether a peer has this role.
    pub fn has_role(&self, role: &str) -> bool {
        self.iter().any(|peer| peer.role == role)
    }

    /// Every role, once.
    pub fn roles(&self) -> Vec<&str> {
        let roles: BTreeSet<&str> = self.iter().map(|peer| peer.role.as_str()).collect();
        roles.into_iter().collect()
    }

    /// The role that doubtful answers go to; none: they stay here.
    pub fn for_doubtful(&self) -> Option<&str> {
        self.known.doubtful.as_deref()
    }
}

impl Peer {
    /// The model that it is asked for.
    pub fn model(&self) -> &str {
        self.models.first().map_or("", String::as_str)
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The endpoint keeps its key to itself.
        f.debug_struct("Peer")
            .field("name", &self.name)
            .field("role", &self.role)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
