//! What every conversation over HTTP needs: certificates, and plain words for what went wrong.
//!
//! Used by `models` for downloads and by `endpoint` for models elsewhere.
use crate::Failure;
use std::sync::Arc;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Whether the address is this machine's own.
pub(crate) fn is_loopback(endpoint: &str) -> bool {
    let host = endpoint
        .split_once("://")
        .map_or(endpoint, |(_, rest)| rest);
    ["localhost", "127.", "[::1]"]
        .iter()
        .any(|loopback| host.starts_with(loopback))
}

/// Whether it is worth asking again.
pub(crate) fn is_busy(status: u16) -> bool {
    status == 408 || status == 429 || status >= 500
}

/// Why it failed, short enough for one line: some errors quote whole certificates.
pub(crate) fn reason(error: &ureq::Error) -> String {
    let text = match error {
        ureq::Error::HostNotFound => "its name cannot be resolved".into(),
        ureq::Error::Timeout(_) => "no answer in time".into(),
        ureq::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    match text.char_indices().nth(160) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Our own choice of cipher code (it needs only a C compiler) and the machine's own root certificates.
pub(crate) fn tls(url: &str) -> Result<TlsConfig, Failure> {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<_> = found
        .certs
        .iter()
        .map(|root| Certificate::from_der(root).to_owned())
        .collect();
    if roots.is_empty() && url.starts_with("https:") {
        let failure = Failure::model("this machine has no root certificates")
            .hint("install ca-certificates or set SSL_CERT_FILE");
        return Err(failure);
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}
