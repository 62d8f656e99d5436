//! Which address a PostgreSQL server has, and whether the way there is encrypted.
//!
//! Prompts are private, so a server on another machine is spoken to over TLS with a certificate that is checked, unless
//! the address says `sslmode=disable`. A socket and this machine itself need none unless `sslmode=require` asks for it.
//! `sslrootcert=FILE` names the authority of a certificate that the system does not know, as in libpq. The check is
//! stricter than libpq's `require`, which believes any certificate.
use crate::error::{Error, Result, one_line};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, NoTls, TlsConnect};
use tokio_postgres::{Client, Config, Socket};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// How the connection is protected.
pub(super) enum Security {
    /// Not at all: it does not leave this machine, or the address says so.
    Plain,
    /// By TLS with a checked certificate.
    Tls(Connector),
}

impl Security {
    /// Connects, and lets the connection run in the background of the current runtime.
    pub(super) async fn connect(
        &self,
        config: &Config,
    ) -> std::result::Result<Client, tokio_postgres::Error> {
        match self {
            Self::Plain => {
                let (client, connection) = config.connect(NoTls).await?;
                drop(tokio::spawn(connection));
                Ok(client)
            }
            Self::Tls(connector) => {
                let (client, connection) = config.connect(connector.clone()).await?;
                drop(tokio::spawn(connection));
                Ok(client)
            }
        }
    }
}

/// Reads an address: `postgres://user:password@host/database?sslmode=…&sslrootcert=…`.
pub(super) fn configure(address: &str) -> Result<(Config, Security)> {
    let (address, authority) = take_root_certificate(address);
    let mut config: Config = address
        .parse()
        // The address has a password, so only the reason is repeated.
        .map_err(|error: tokio_postgres::Error| {
            Error::Invalid(format!(
                "the address of the database: {}",
                one_line(&error.to_string())
            ))
        })?;
    let asked = address.contains("sslmode=");
    let local = is_this_machine(&config);
    let plain = match config.get_ssl_mode() {
        SslMode::Disable => true,
        SslMode::Require => false,
        _ => local && !asked && authority.is_none(),
    };
    if plain {
        config.ssl_mode(SslMode::Disable);
        return Ok((config, Security::Plain));
    }
    config.ssl_mode(SslMode::Require);
    let connector = Connector::new(authority.as_deref().map(Path::new))?;
    Ok((config, Security::Tls(connector)))
}

/// Whether a connection stays on this machine: names and, where they are given, addresses (`hostaddr`), which count more.
pub(super) fn is_this_machine(config: &Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(is_local)
        && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

/// Takes `sslrootcert` out of an address: the library knows everything of libpq's but that.
fn take_root_certificate(address: &str) -> (String, Option<String>) {
    let Some((front, query)) = address.split_once('?') else {
        return (address.into(), None);
    };
    let mut authority = None;
    let mut kept = Vec::new();
    for part in query.split('&') {
        match part.strip_prefix("sslrootcert=") {
            Some(path) => authority = Some(path.to_owned()),
            None => kept.push(part),
        }
    }
    (format!("{front}?{}", kept.join("&")), authority)
}

/// Makes TLS connections that check whom they lead to.
#[derive(Clone)]
pub(super) struct Connector(Arc<rustls::ClientConfig>);

impl Connector {
    fn new(authority: Option<&Path>) -> Result<Self> {
        let mut roots = rustls::RootCertStore::empty();
        match authority {
            Some(path) => {
                let wrong =
                    |why: String| Error::Invalid(format!("{}: {}", path.display(), one_line(&why)));
                let certificates =
                    CertificateDer::pem_file_iter(path).map_err(|e| wrong(e.to_string()))?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                    roots
                        .add(certificate)
                        .map_err(|error| wrong(error.to_string()))?;
                }
            }
            None => drop(
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
            ),
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Internal(one_line(&error.to_string())))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Encrypted<Socket>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Handshake> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(self.0.clone());
        Ok(Handshake { connector, name })
    }
}

/// A connection that is about to be encrypted.
pub(super) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsConnect<Socket> for Handshake {
    type Stream = Encrypted<Socket>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<Socket>>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let stream = self.connector.connect(self.name, socket).await?;
            Ok(Encrypted(Box::new(stream)))
        })
    }
}

/// An encrypted connection. Passwords are not bound to it: the certificate was checked.
pub(super) struct Encrypted<S>(Box<TlsStream<S>>);

impl tokio_postgres::tls::TlsStream for Encrypted<Socket> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_told_by_names_and_addresses() {
        let here = |address: &str| is_this_machine(&address.parse().unwrap());
        for address in [
            "postgres://me@localhost/q",
            "postgres://me@127.0.0.1:5433/q",
            "postgres://me@[::1]/q",
            "postgres:///q?host=/run/postgresql",
        ] {
            assert!(here(address), "{address}");
        }
        for address in [
            "postgres://me@db.example/q",
            "postgres://me@localhost.example/q",
            "postgres://me@localhost,db.example/q",
            "postgres://me@localhost/q?hostaddr=192.0.2.7",
        ] {
            assert!(!here(address), "{address}");
        }
    }
}
