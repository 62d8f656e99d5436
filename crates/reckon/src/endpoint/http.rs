//! What asking over HTTP needs: certificates, and plain words for what went wrong.
use crate::{Error, Result};
use std::sync::Arc;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Whether it is worth asking again.
pub(super) fn is_busy(status: u16) -> bool {
    status == 408 || status == 429 || status >= 500
}

/// Why it failed, short enough for one line: some errors quote whole certificates.
pub(super) fn reason(error: &ureq::Error) -> String {
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
pub(super) fn tls(is_needed: bool) -> Result<TlsConfig> {
    let found = rustls_native_certs::load_native_certs();
    let roots: Vec<_> = found
        .certs
        .iter()
        .map(|root| Certificate::from_der(root).to_owned())
        .collect();
    if roots.is_empty() && is_needed {
        let what = "this machine has no root certificates";
        return Err(Error::Machine(what.into()));
    }
    Ok(TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(roots)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build())
}
