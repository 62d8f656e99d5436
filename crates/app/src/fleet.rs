//! `reckon fleet`: the other machines that may answer, and whether they can now. Also what every command that answers needs of
//! them: the settings, and the small model that chooses among roles.
//!
//! Peers are asked about themselves, all at the same time; nothing of any conversation is sent.
use crate::{
    Context, Failure,
    cli::{MachineArgs, fleet::FleetArgs},
    context, exit, input, load,
    printable::one_line,
};
use reckon::{Endpoint, EndpointOptions, Model, Peer, PeerEntry, Peers, Receipt, Survey};
use reckon_lab::lock::LockFile;
use serde::Serialize;
use std::{
    io::{self, Write},
    thread,
};

/// More than such a file ever has.
const LIMIT: usize = 256 << 10;

/// Questions that the router looks at at a time.
const ROUTED: usize = 2;

/// The peers of `config.toml`, ready to be asked; `role` must be one of theirs. Loads the model that chooses among roles, if
/// the settings name one and `role` does not settle who answers.
pub(crate) fn peers(
    role: Option<&str>,
    machine: &MachineArgs,
    context: &Context,
) -> anyhow::Result<Peers> {
    let peers = settings(role, context)?;
    let Some(name) = peers.router().filter(|_| role.is_none()) else {
        return Ok(peers);
    };
    match router(name, machine, context) {
        Ok(router) => Ok(peers.routed_by(router)),
        Err(error) => {
            // Nothing is lost without it.
            let what = format!("{name} cannot choose who answers, so this machine does: {error}");
            exit::notice(&one_line(&what));
            Ok(peers)
        }
    }
}

fn router(name: &str, machine: &MachineArgs, context: &Context) -> anyhow::Result<Model> {
    let machine = MachineArgs {
        // Eyes and ears were made for another model, and so was a context for long conversations.
        mmproj: None,
        ctx: None,
        ..machine.clone()
    };
    let path = load::find(Some(name), context)?;
    let model = load::load(&path, Some(name), &machine, context)?;
    Ok(model.shared(ROUTED)?)
}

/// What `config.toml` says about peers; `role` must be one of theirs.
fn settings(role: Option<&str>, context: &Context) -> anyhow::Result<Peers> {
    let path = context.store.home.join("config.toml");
    let peers = match path.exists() {
        false => Peers::default(),
        true => {
            let text = input::text(&path, LIMIT)?;
            Peers::parse(&text, context.store.offline, context::text)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?
        }
    };
    if let Some(role) = role.filter(|role| !peers.has_role(role)) {
        let what = format!("no peer has the role {role:?}");
        let hint = format!("`reckon fleet` shows those of {}", path.display());
        return Err(Failure::usage(what).hint(hint).into());
    }
    Ok(peers)
}

/// What left this machine for an answer, and what came of it, in one line; nothing if nothing was to leave.
pub(crate) fn told(receipt: &Receipt) -> Option<String> {
    let handover = receipt.handover.as_ref()?;
    let peers: Vec<String> = handover.peers.iter().map(PeerEntry::line).collect();
    Some(one_line(&format!("{}; {}", handover.why, peers.join("; "))))
}

/// What is printed of a peer.
#[derive(Serialize)]
struct Shown<'a> {
    name: &'a str,
    role: &'a str,
    url: &'a str,
    reachable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    latency_ms: Option<f64>,
    server: Option<String>,
    /// What it is asked for.
    model: &'a str,
    /// Whether it lists that; not known of a server without a list.
    has_model: Option<bool>,
    models: Vec<String>,
    speed: Option<f64>,
    cost: Option<f64>,
    lock: Lock,
}

/// Whether its model is the one of our `reckon.lock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Lock {
    /// The same file.
    Same,
    /// Another file of that name.
    Differs,
    /// Nothing to compare.
    Unknown,
}

/// Runs `reckon fleet`.
pub(crate) fn run(args: &FleetArgs, context: &Context) -> anyhow::Result<()> {
    if let Some(url) = &args.ready {
        return ready(url, context);
    }
    let peers = settings(None, context)?;
    // A lock that cannot be read is `models verify`'s to report.
    let lock = LockFile::find(&context.store.home).ok().flatten();
    let surveys = surveys(&peers);
    let shown: Vec<Shown<'_>> = peers
        .iter()
        .zip(surveys)
        .map(|(peer, survey)| show(peer, survey, lock.as_ref()))
        .collect();
    let mut out = io::stdout();
    if args.json {
        let doubtful = peers.for_doubtful();
        let handover = serde_json::json!({ "doubtful": doubtful, "route": peers.router() });
        let all = serde_json::json!({ "peers": shown, "handover": handover });
        writeln!(out, "{all}")?;
        return Ok(());
    }
    if shown.is_empty() {
        let path = context.store.home.join("config.toml");
        writeln!(
            out,
            "no peers; [peers.NAME] in {} names one",
            path.display()
        )?;
        return Ok(());
    }
    for peer in &shown {
        writeln!(out, "{}", lines(peer))?;
    }
    let told = match peers.for_doubtful() {
        Some(role) => format!("doubtful answers go to {role}"),
        None => "doubtful answers stay on this machine".into(),
    };
    writeln!(out, "{told}")?;
    if let Some(router) = peers.router() {
        let line = format!("{router} chooses who answers a question");
        writeln!(out, "{}", one_line(&line))?;
    }
    Ok(())
}

/// All at the same time: one that is down must not make the others wait.
fn surveys(peers: &Peers) -> Vec<Survey> {
    thread::scope(|scope| {
        let asked: Vec<_> = peers
            .iter()
            .map(|peer| scope.spawn(move || peer.survey()))
            .collect();
        let heard = asked.into_iter().map(|one| one.join().unwrap_or_default());
        heard.collect()
    })
}

fn show<'a>(peer: &'a Peer, survey: Survey, lock: Option<&LockFile>) -> Shown<'a> {
    let model = peer.model();
    let has = survey.models.iter().any(|name| is_same(name, model));
    let digest = survey.digests.iter().find(|(name, _)| is_same(name, model));
    let locked = lock.and_then(|file| file.lock.model(model));
    Shown {
        name: &peer.name,
        role: &peer.role,
        url: &peer.url,
        reachable: survey.down.is_none(),
        why: survey.down,
        latency_ms: survey.ms.map(|ms| (ms * 10.0).round() / 10.0),
        server: survey.server,
        model,
        has_model: (!survey.models.is_empty()).then_some(has),
        models: survey.models,
        speed: peer.speed,
        cost: peer.cost,
        lock: match digest.zip(locked) {
            None => Lock::Unknown,
            Some(((_, digest), locked)) if *digest == locked.state.file => Lock::Same,
            Some(_) => Lock::Differs,
        },
    }
}

/// Ollama adds a tag to names.
fn is_same(listed: &str, asked: &str) -> bool {
    listed == asked || listed.strip_suffix(":latest") == Some(asked)
}

fn lines(peer: &Shown<'_>) -> String {
    let Shown {
        name,
        role,
        url,
        model,
        ..
    } = peer;
    let state = match (&peer.why, peer.latency_ms) {
        (Some(why), _) => format!("down: {why}"),
        (None, Some(ms)) => format!("up, {ms} ms"),
        (None, None) => "up".into(),
    };
    let mut parts = vec![state];
    parts.extend(peer.server.clone());
    parts.push(match peer.has_model {
        Some(false) => format!("{model}, which it does not list"),
        _ => (*model).to_owned(),
    });
    parts.extend(peer.speed.map(|speed| format!("{speed} tokens/s")));
    parts.extend(peer.cost.map(|cost| format!("{cost} a million tokens")));
    match peer.lock {
        Lock::Same => parts.push("as in reckon.lock".into()),
        Lock::Differs => parts.push("NOT the file of reckon.lock".into()),
        Lock::Unknown => {}
    }
    one_line(&format!("{name} ({role}) {url}: {}", parts.join(" · ")))
}

/// Whether a server can answer now, for health checks of containers.
fn ready(url: &str, context: &Context) -> anyhow::Result<()> {
    let options = EndpointOptions {
        offline: context.store.offline,
        ..EndpointOptions::default()
    };
    match Endpoint::new(url, "", options)?.is_ready() {
        Ok(()) => Ok(writeln!(io::stdout(), "ready")?),
        Err(why) => Err(Failure::failed(format!("{url}: {why}")).into()),
    }
}
