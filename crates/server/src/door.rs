//! Who may come in: the `Host` and `Origin` of a request, its key, and what that key may spend.
//!
//! Without keys only this machine is let in, and only by a name of this machine: a web page elsewhere could otherwise have
//! its own name point here and read answers (DNS rebinding). With keys everybody needs one; the page itself, which holds
//! nobody's words, is served without. A request from a page of another origin is refused either way.
use crate::{
    error::{Dialect, Problem},
    state::App,
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use reckon_store::{Key, KeyId, Owner};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Whose request it is, and what it may spend.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    pub(crate) owner: Owner,
    pub(crate) key: Option<Arc<Key>>,
}

/// When each key was used in the last minute.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<HashMap<String, Vec<Instant>>>);

impl Rates {
    /// Notes a request; how long to wait if there were `most` in the last minute.
    fn note(&self, key: &str, most: usize) -> Result<(), Duration> {
        const MINUTE: Duration = Duration::from_secs(60);
        let mut rates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let times = rates.entry(key.to_owned()).or_default();
        times.retain(|time| time.elapsed() < MINUTE);
        if times.len() >= most {
            let oldest = times.first().map_or(MINUTE, Instant::elapsed);
            return Err(MINUTE.saturating_sub(oldest));
        }
        times.push(Instant::now());
        Ok(())
    }
}

/// Lets a request in or refuses it, and adds the headers that every answer has.
pub(crate) async fn door(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let dialect = Dialect::of(request.uri().path());
    let mut response = match visitor(&app, &request) {
        Ok(visitor) => {
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
        Err(problem) => problem.speak(dialect).into_response(),
    };
    // What the framework refuses by itself is said in plain text; clients want it in their own words.
    let is_plain = |value: &HeaderValue| value.as_bytes().starts_with(b"text/plain");
    if response.status().is_client_error()
        && response
            .headers()
            .get(header::CONTENT_TYPE)
            .is_some_and(is_plain)
    {
        response = Problem::invalid("this address cannot be read").speak(dialect);
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let fallback = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(fallback);
    let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(nothing);
    response
}

fn visitor(app: &App, request: &Request) -> Result<Visitor, Problem> {
    let headers = request.headers();
    if !is_our_host(headers, app) {
        return Err(Problem::forbidden("this server has another name"));
    }
    if !is_our_origin(headers) {
        return Err(Problem::forbidden(
            "a page of another origin may not ask here",
        ));
    }
    if !app.options.keys {
        return Ok(Visitor {
            owner: Owner::local(),
            key: None,
        });
    }
    if is_open(request) {
        return Ok(Visitor {
            owner: Owner::local(),
            key: None,
        });
    }
    let secret = secret(headers).ok_or_else(|| Problem::no_key("a key is needed"))?;
    if let Some(owner) = listed(&app.options.secrets, secret) {
        return Ok(Visitor { owner, key: None });
    }
    let key = app.store.key_of(secret)?;
    let key = key.ok_or_else(|| Problem::no_key("this key is not known"))?;
    within_limits(app, &key)?;
    Ok(Visitor {
        owner: Owner::from(&key.id),
        key: Some(Arc::new(key)),
    })
}

/// The owner of a secret that the server was started with. Digests are compared, all of them and to their end, so that the
/// time tells nothing.
fn listed(secrets: &[String], given: &str) -> Option<Owner> {
    let given = Sha256::digest(given);
    let mut found = None;
    for secret in secrets {
        let digest = Sha256::digest(secret);
        let other = digest
            .iter()
            .zip(&given)
            .fold(0, |other, (a, b)| other | (a ^ b));
        if other == 0 {
            let id: String = digest[..16]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            found = id.parse::<KeyId>().ok();
        }
    }
    found.as_ref().map(Owner::from)
}

/// What anybody may see: the page's own files, and whether the server lives.
fn is_open(request: &Request) -> bool {
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    reads && (path == "/" || path == "/healthz" || path == "/readyz" || crate::page::is_asset(path))
}

fn within_limits(app: &App, key: &Key) -> Result<(), Problem> {
    if let Some(most) = key.limits.requests_per_minute {
        let noted = app.rates.note(key.id.as_str(), most as usize);
        noted.map_err(|after| {
            let what = format!("this key may ask {most} times a minute");
            Problem::busy(what, after)
        })?;
    }
    if let Some(most) = key.limits.tokens_per_day
        && app.store.spent(&key.id, today())? >= most
    {
        let what = format!("this key has used its {most} tokens of today");
        let rest = 86_400 - now().as_secs() % 86_400;
        return Err(Problem::busy(what, Duration::from_secs(rest)));
    }
    Ok(())
}

/// The key as the three protocols send it.
fn secret(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| {
            let (scheme, secret) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
        });
    let own = || {
        headers
            .get("x-api-key")
            .and_then(|value| value.to_str().ok())
    };
    bearer.or_else(own).filter(|secret| !secret.is_empty())
}

/// Without keys, a name of this machine; with keys the key decides, whatever the name.
fn is_our_host(headers: &HeaderMap, app: &App) -> bool {
    if app.options.keys {
        return true;
    }
    let Some(host) = headers.get(header::HOST) else {
        // HTTP/1.0 and some scripts: no browser does this.
        return true;
    };
    let Ok(host) = host.to_str() else {
        return false;
    };
    let name = without_port(host);
    let is_loopback = name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    // The last one is what a container calls this machine; no public name can be that.
    is_loopback
        || name == "localhost"
        || name.ends_with(".localhost")
        || name == "host.docker.internal"
}

/// A request without an origin is no page's; one with an origin must come from the page that we served.
fn is_our_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let origin = origin.to_str().ok().and_then(|origin| {
        let rest = origin.strip_prefix("http://");
        rest.or_else(|| origin.strip_prefix("https://"))
    });
    host.is_some() && host == origin
}

fn without_port(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split_once(']').map_or(rest, |(ip, _)| ip);
    }
    host.split_once(':').map_or(host, |(name, _)| name)
}

/// Days since 1970.
pub(crate) fn today() -> i64 {
    i64::try_from(now().as_secs() / 86_400).unwrap_or(0)
}

fn now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_counted_by_the_minute() {
        let rates = Rates::default();
        assert!(rates.note("a", 2).is_ok());
        assert!(rates.note("a", 2).is_ok());
        assert!(rates.note("a", 2).is_err());
        assert!(rates.note("b", 2).is_ok());
    }

    #[test]
    fn ports_are_not_part_of_a_name() {
        for (host, name) in [
            ("localhost:1", "localhost"),
            ("[::1]:80", "::1"),
            ("a", "a"),
        ] {
            assert_eq!(without_port(host), name);
        }
    }
}
