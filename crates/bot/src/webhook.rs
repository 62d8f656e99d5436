//! Listens for updates that Telegram brings: for a machine that sleeps until it is called.
//!
//! An update is stored before it is acknowledged; whatever fails is answered with an error, and Telegram brings it again.
//! Only who knows the secret is listened to. It stays the same across starts: the call that wakes a machine was made
//! with the old one.
use crate::desk::Desk;
use crate::incoming::received;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The header that has the secret.
const SECRET: &str = "x-telegram-bot-api-secret-token";
/// Bytes of an update.
const LARGEST: usize = 1 << 20;
/// Connections at a time; Telegram is told to make fewer.
const CONNECTIONS: usize = 64;
/// How long a caller may take for its headers and, again, for its body.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked at whether the bot is to end.
const LOOK: Duration = Duration::from_millis(200);

/// Listens until the bot ends.
pub(crate) fn listen(desk: &Arc<Desk>, listener: std::net::TcpListener, secret: String) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => {
            let ended = runtime.block_on(accept(desk, listener, secret.into()));
            runtime.shutdown_timeout(LOOK);
            ended
        }
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        desk.log(&format!("cannot listen: {error}"));
    }
}

async fn accept(
    desk: &Arc<Desk>,
    listener: std::net::TcpListener,
    secret: Arc<str>,
) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    while !desk.ends() {
        let Ok(accepted) = tokio::time::timeout(LOOK, listener.accept()).await else {
            continue;
        };
        let (Ok((stream, _)), Ok(permit)) = (accepted, room.clone().try_acquire_owned()) else {
            // Too many connections, or none left in the system: those that wait try again.
            tokio::time::sleep(LOOK).await;
            continue;
        };
        let (desk, secret) = (desk.clone(), secret.clone());
        tokio::spawn(async move {
            let service = service_fn(|request| answer(desk.clone(), secret.clone(), request));
            let mut server = http1::Builder::new();
            server
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE);
            // A broken connection is the caller's loss: Telegram tries again.
            drop(server.serve_connection(TokioIo::new(stream), service).await);
            drop(permit);
        });
    }
    Ok(())
}

async fn answer(
    desk: Arc<Desk>,
    secret: Arc<str>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let status = match *request.method() {
        Method::POST => take(desk, &secret, request).await,
        // For whoever looks whether it is alive.
        Method::GET | Method::HEAD => StatusCode::OK,
        _ => StatusCode::METHOD_NOT_ALLOWED,
    };
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = status;
    Ok(response)
}

/// Stores the update of a request.
async fn take(desk: Arc<Desk>, secret: &str, request: Request<Incoming>) -> StatusCode {
    let shown = request.headers().get(SECRET).map(|value| value.as_bytes());
    if !same(shown.unwrap_or_default(), secret.as_bytes()) {
        return StatusCode::UNAUTHORIZED;
    }
    let body = Limited::new(request.into_body(), LARGEST).collect();
    let Ok(body) = tokio::time::timeout(PATIENCE, body).await else {
        return StatusCode::REQUEST_TIMEOUT;
    };
    let Ok(body) = body else {
        return StatusCode::BAD_REQUEST;
    };
    let bytes = body.to_bytes();
    let stored = tokio::task::spawn_blocking(move || {
        // What is no text has no number by which it could be handled.
        let update = match std::str::from_utf8(&bytes) {
            Ok(text) => received(&desk, text)?,
            Err(_) => None,
        };
        desk.store.receive(update.as_slice())?;
        desk.bell.ring();
        Ok::<_, reckon_store::Error>(())
    });
    match stored.await {
        Ok(Ok(())) => StatusCode::OK,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Compares all bytes whatever they are, so that the time it takes says nothing about them.
fn same(shown: &[u8], secret: &[u8]) -> bool {
    let differences = shown
        .iter()
        .zip(secret)
        .fold(0, |differences, (a, b)| black_box(differences | (a ^ b)));
    shown.len() == secret.len() && differences == 0
}
