//! What every conversation over HTTP needs: settings, certificates, who may see a secret, and plain words for failures.
//!
//! Used for downloads here, and by others for models elsewhere and for question sets.
use crate::{Error, ErrorKind, Result, text::plain};
use std::{net::IpAddr, sync::Arc, time::Duration};
use ureq::{
    Agent,
    config::{ConfigBuilder, RedirectAuthHeaders},
    http::{Uri, uri::Scheme},
    tls::{Certificate, RootCerts, TlsConfig},
    typestate::AgentScope,
};

/// Characters of a reason: some errors quote whole certificates.
const LONGEST: usize = 160;

/// How long to wait for a slow server and how often to try again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a name to be found and, again, for a connection to open.
    pub connect: Duration,
    /// For more bytes on an open connection.
    pub stall: Duration,
    /// Tries after a failed one without progress.
    pub retries: u32,
    /// Before the first of these; doubled each time.
    pub backoff: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            retries: 4,
            backoff: Duration::from_secs(1),
        }
    }
}

/// Settings for asking the server of this address: a status is an answer and no error, an address with https leads
/// nowhere without it, and a redirect loses the secret in `Authorization`.
///
/// Fails when encryption is needed and the machine has no root certificates.
pub fn config(url: &str, patience: &Patience) -> Result<ConfigBuilder<AgentScope>> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .https_only(is_https(url))
        .redirect_auth_headers(RedirectAuthHeaders::Never)
        .tls_config(tls(url)?)
        .timeout_resolve(Some(patience.connect))
        .timeout_connect(Some(patience.connect))
        .user_agent(concat!("reckon/", env!("CARGO_PKG_VERSION")));
    Ok(match is_loopback(url) {
        // A proxy elsewhere cannot reach what only this machine can.
        true => config.proxy(None),
        false => config,
    })
}

/// Whether the address is this machine's own.
pub fn is_loopback(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else {
        return false;
    };
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Whether a token may be sent there: nobody on the way can read it.
pub fn may_see_secrets(url: &str) -> bool {
    is_https(url) || is_loopback(url)
}

fn is_https(url: &str) -> bool {
    let uri = url.parse::<Uri>();
    uri.is_ok_and(|uri| uri.scheme() == Some(&Scheme::HTTPS))
}

/// Whether it is worth asking again.
pub fn is_busy(status: u16) -> bool {
    status == 408 || status == 429 || status >= 500
}

/// Why it failed, short enough for one line.
pub fn reason(error: &ureq::Error) -> String {
    let text = match error {
        ureq::Error::HostNotFound => "its name cannot be resolved".into(),
        ureq::Error::Timeout(_) => "no answer in time".into(),
        ureq::Error::RequireHttpsOnly(_) => "it leads from https to an address without it".into(),
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    plain(&text, LONGEST)
}

/// Our own choice of cipher code (it needs only a C compiler) and the machine's own root certificates.
fn tls(url: &str) -> Result<TlsConfig> {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<_> = found
        .certs
        .iter()
        .map(|root| Certificate::from_der(root).to_owned())
        .collect();
    if roots.is_empty() && is_https(url) {
        let what = "this machine has no root certificates";
        let error = Error::new(ErrorKind::Unreachable, what);
        return Err(error.with_hint("install ca-certificates or set SSL_CERT_FILE"));
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        for own in [
            "http://localhost",
            "http://LOCALHOST:8080/v1",
            "http://127.0.0.1:11434/v1",
            "https://127.8.9.1",
            "http://[::1]:80/",
            "http://user@localhost/",
        ] {
            assert!(is_loopback(own), "{own}");
            assert!(may_see_secrets(own), "{own}");
        }
        for other in [
            "http://localhost.example.com",
            "http://localhost@example.com/",
            "http://127.0.0.1@example.com/",
            "http://127.0.0.1.example.com/",
            "http://127.example.com",
            "http://example.com/localhost",
            "http://10.0.0.1",
            "http://[::2]/",
            "localhost.evil",
            "",
            "http://",
            "not an address",
        ] {
            assert!(!is_loopback(other), "{other}");
            assert!(!may_see_secrets(other), "{other}");
        }
        assert!(may_see_secrets("https://example.com"));
        assert!(may_see_secrets("HTTPS://example.com"));
    }
}
