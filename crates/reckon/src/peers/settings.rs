//! TOML to peers.
//!
//! A typo must not send a question elsewhere or nowhere: unknown fields, roles that nobody has and numbers out of range are
//! errors. What only this run lacks (a key that is not set, the network) leaves the peer out and is said in the receipt.
use super::{Known, Peer};
use crate::{Endpoint, EndpointOptions, Error, Result};
use serde::Deserialize;
use std::{cmp::Ordering, collections::BTreeMap, sync::Mutex, time::Duration};

/// More machines than anybody has at home.
const MOST: usize = 32;
/// How long a connection may take to open, at most.
const CONNECT: Duration = Duration::from_secs(3);
/// Seconds that an answer may take where nothing else is said, and at most.
const TIMEOUT: f64 = 60.0;
const LONGEST: f64 = 3600.0;
/// What this machine is called among the roles.
const HERE: &str = "here";
/// Bytes that say which questions are a role's.
const LONGEST_ROUTE: usize = 300;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    peers: BTreeMap<String, Table>,
    #[serde(default)]
    handover: When,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    url: String,
    models: Vec<String>,
    role: String,
    speed: Option<f64>,
    cost: Option<f64>,
    /// The environment variable with the key.
    key_variable: Option<String>,
    /// Seconds.
    timeout: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    doubtful: Option<String>,
    route: Option<String>,
    #[serde(default)]
    routes: BTreeMap<String, String>,
}

pub(super) fn parse(
    text: &str,
    offline: bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Known> {
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| {
            let before = text.get(..span.start).unwrap_or_default();
            format!("line {}: ", before.matches('\n').count() + 1)
        });
        let why = error.message().replace('\n', " ");
        Error::Settings(format!("{}{why}", line.unwrap_or_default()))
    })?;
    if file.peers.len() > MOST {
        return Err(Error::Settings(format!("more than {MOST} peers")));
    }
    let mut peers = Vec::new();
    for (name, table) in file.peers {
        peers.push(peer(name, table, offline, variable)?);
    }
    peers.sort_by(order);
    let When {
        doubtful,
        route,
        routes,
    } = file.handover;
    let is_role = |role: &str| peers.iter().any(|peer| peer.role == role);
    if let Some(role) = doubtful.as_ref().filter(|role| !is_role(role)) {
        let why = format!("handover.doubtful: no peer has the role {role:?}");
        return Err(Error::Settings(why));
    }
    check_routes(route.as_deref(), &routes, is_role)?;
    Ok(Known {
        peers,
        doubtful,
        route,
        routes,
    })
}

fn check_routes(
    route: Option<&str>,
    routes: &BTreeMap<String, String>,
    is_role: impl Fn(&str) -> bool,
) -> Result<()> {
    let wrong = |why: String| Err(Error::Settings(format!("handover.{why}")));
    match route {
        Some(name) if name.trim().is_empty() => return wrong("route names no model".into()),
        Some(_) if routes.is_empty() => {
            return wrong("route: handover.routes says of no role when it is chosen".into());
        }
        None if !routes.is_empty() => return wrong("routes: handover.route names no model".into()),
        _ => {}
    }
    for (role, when) in routes {
        if !is_role(role) {
            return wrong(format!("routes: no peer has the role {role:?}"));
        }
        if role == HERE {
            return wrong(format!("routes: {HERE} is what this machine is called"));
        }
        if when.trim().is_empty() || when.len() > LONGEST_ROUTE || when.contains(char::is_control) {
            let most = LONGEST_ROUTE;
            return wrong(format!("routes.{role}: one line of at most {most} bytes"));
        }
    }
    Ok(())
}

fn peer(
    name: String,
    table: Table,
    offline: bool,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Peer> {
    let wrong = |why: &str| Error::Settings(format!("peers.{}: {why}", name.escape_debug()));
    if !is_word(&name) {
        return Err(wrong("a name has letters, digits, - and _, at most 32"));
    }
    if !is_word(&table.role) {
        return Err(wrong("a role has letters, digits, - and _, at most 32"));
    }
    let Some(model) = table.models.first().filter(|name| !name.trim().is_empty()) else {
        return Err(wrong("models names none"));
    };
    let seconds = table.timeout.unwrap_or(TIMEOUT);
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(wrong("timeout is no number of seconds up to 3600"));
    }
    let is_sum = |number: Option<f64>| number.is_none_or(|one| one.is_finite() && one >= 0.0);
    if !is_sum(table.speed) || !is_sum(table.cost) {
        return Err(wrong("speed and cost are numbers of at least 0"));
    }
    let timeout = Duration::from_secs_f64(seconds);
    let key = match &table.key_variable {
        None => Ok(None),
        Some(name) => variable(name)
            .map(Some)
            .ok_or_else(|| format!("{name} is not set")),
    };
    // An address that must not see a key is refused even while the key is not set.
    let sent = key.clone().ok().flatten().unwrap_or_default();
    let options = EndpointOptions {
        key: table.key_variable.is_some().then_some(sent),
        offline,
        connect: timeout.min(CONNECT),
        timeout,
        retries: 0,
        ..EndpointOptions::default()
    };
    let endpoint = match Endpoint::new(&table.url, model, options) {
        Ok(endpoint) => key.map(|_| endpoint),
        Err(error @ Error::Offline { .. }) => Err(error.to_string()),
        Err(error) => return Err(wrong(&error.to_string())),
    };
    Ok(Peer {
        role: table.role,
        url: table.url,
        models: table.models,
        speed: table.speed,
        cost: table.cost,
        timeout,
        endpoint,
        health: Mutex::default(),
        name,
    })
}

/// The cheapest first, of those the fastest, of those by name.
fn order(one: &Peer, other: &Peer) -> Ordering {
    let by = |one: Option<f64>, other: Option<f64>| {
        let known = |number: Option<f64>| number.unwrap_or_default();
        known(one).total_cmp(&known(other))
    };
    by(one.cost, other.cost)
        .then(by(other.speed, one.speed))
        .then_with(|| one.name.cmp(&other.name))
}

/// A name that can be typed behind a slash and printed anywhere.
fn is_word(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=32).contains(&text.len()) && text.chars().all(fits)
}
