//! Blind grading on a page, for one browser on this machine.
//!
//! `GET /TOKEN/` is the page, `GET /TOKEN/state` the item that is shown and how far it has come, `POST /TOKEN/act` one
//! act, `GET /TOKEN/reference` what is shown on request. A row is stored before the next item is sent. An act names
//! the row that it will be, so a request that comes twice, or from two tabs, counts once: the second is told the state.
//!
//! Only 127.0.0.1 is listened on, and only who knows the token is answered. The `Host` must be ours, so that no name
//! on the internet can be pointed here, and so must an `Origin`. The page needs nothing from anywhere else and may load
//! nothing from there.
use super::chance;
use crate::lab::now;
use crate::{Failure, exit};
use anyhow::Context as _;
use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use reckon_lab::grade::{Act, Grading, Progress};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    future::IntoFuture,
    io::{self, Write},
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::watch;

/// Most bytes of a request's body; a comment has at most 4096.
const BODY: usize = 16 * 1024;
/// How long requests under way may take after Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(1);

const PAGE: &str = include_str!("page.html");

/// What all requests share.
struct PageState {
    grading: Mutex<Grading>,
    port: u16,
}

/// Serves the page until Ctrl-C.
pub(super) fn run(grading: Grading, port: u16) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        let what = format!("cannot listen on port {port}: {error}");
        Failure::failed(what).hint("without --port a free one is taken")
    })?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let token = format!("{:016x}{:016x}", chance()?, chance()?);
    let desk = Arc::new(PageState {
        grading: Mutex::new(grading),
        port,
    });
    let (press, pressed) = watch::channel(false);
    let press = move || {
        // Nobody listens any more when the page is gone already.
        let _ = press.send(true);
    };
    ctrlc::set_handler(press).context("cannot take over Ctrl-C")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    exit::notice("open this page; Ctrl-C ends it, and the same command goes on");
    let mut out = io::stdout();
    writeln!(out, "http://127.0.0.1:{port}/{token}/")?;
    out.flush()?;
    runtime.block_on(serve(listener, router(&token, &desk), pressed))?;
    let progress = desk.grading.lock().map_err(|_| broken())?.progress();
    let Progress { graded, total, .. } = progress;
    exit::notice(&format!("{graded} of {total} graded; all of it is stored"));
    Ok(())
}

fn broken() -> anyhow::Error {
    anyhow::anyhow!("a request ended in the middle")
}

async fn serve(
    listener: TcpListener,
    router: Router,
    mut pressed: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let mut until = pressed.clone();
    let server = axum::serve(listener, router).with_graceful_shutdown(async move {
        // An error means that nobody can press any more.
        let _ = until.changed().await;
    });
    let server = tokio::spawn(server.into_future());
    let _ = pressed.changed().await;
    match tokio::time::timeout(PATIENCE, server).await {
        Ok(ended) => Ok(ended??),
        Err(_) => Ok(()),
    }
}

fn router(token: &str, desk: &Arc<PageState>) -> Router {
    let at = |name: &str| format!("/{token}/{name}");
    Router::new()
        .route(&at(""), get(page))
        .route(&at("state"), get(state))
        .route(&at("reference"), get(reference))
        .route(&at("act"), post(act))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(desk), door))
        .with_state(Arc::clone(desk))
}

/// Lets in only what this machine's own browser sends to this page, and tells it to trust nothing else.
async fn door(State(desk): State<Arc<PageState>>, request: Request, next: Next) -> Response {
    let mut response = if is_ours(request.headers(), desk.port) {
        next.run(request).await
    } else {
        refuse(StatusCode::FORBIDDEN, "not from this page")
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'"));
    response
}

fn is_ours(headers: &HeaderMap, port: u16) -> bool {
    let names = |value: &HeaderValue, before: &str| {
        let fits = |host| value.as_bytes() == format!("{before}{host}:{port}").as_bytes();
        ["127.0.0.1", "localhost"].into_iter().any(fits)
    };
    let host = headers.get(header::HOST);
    let origin = headers.get(header::ORIGIN);
    host.is_some_and(|host| names(host, "")) && origin.is_none_or(|origin| names(origin, "http://"))
}

async fn page() -> Response {
    let Ok(nonce) = chance() else {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers");
    };
    let nonce = format!("{nonce:016x}");
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, policy),
    ];
    (headers, PAGE.replace("{nonce}", &nonce)).into_response()
}

async fn state(State(desk): State<Arc<PageState>>) -> Response {
    match desk.grading.lock() {
        Ok(grading) => answer(StatusCode::OK, &shown(&grading, None)),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "start again"),
    }
}

async fn reference(State(desk): State<Arc<PageState>>) -> Response {
    let Ok(grading) = desk.grading.lock() else {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "start again");
    };
    match grading.show() {
        Some(show) => answer(
            StatusCode::OK,
            &json!({"item": show.item, "references": show.references}),
        ),
        None => refuse(StatusCode::NOT_FOUND, "nothing is shown"),
    }
}

/// An act, and the row that it will be.
#[derive(Deserialize)]
struct Sent {
    row: usize,
    #[serde(flatten)]
    act: Act,
}

async fn act(State(desk): State<Arc<PageState>>, body: Bytes) -> Response {
    let sent: Sent = match serde_json::from_slice(&body) {
        // Names are for the command line: whoever grades must not end it by accident.
        Ok(Sent {
            act: Act::Reveal, ..
        }) => return refuse(StatusCode::BAD_REQUEST, "not on the page"),
        Ok(sent) => sent,
        Err(error) => return refuse(StatusCode::BAD_REQUEST, &format!("not an act: {error}")),
    };
    let Ok(mut grading) = desk.grading.lock() else {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "start again");
    };
    match grading.act(sent.row, sent.act, now()) {
        Ok(()) => answer(StatusCode::OK, &shown(&grading, None)),
        Err(error @ reckon_lab::Error::Act(_)) => {
            let why = error.to_string();
            answer(StatusCode::CONFLICT, &shown(&grading, Some(&why)))
        }
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

/// All that the page knows: nothing in it says whose an answer is.
fn shown(grading: &Grading, error: Option<&str>) -> Value {
    let item = grading.show().map(|show| {
        json!({
            "item": show.item,
            "category": show.category,
            "asked": show.asked,
            "sides": show.sides,
            "comment": show.comment,
            "reference": show.references.iter().any(Option::is_some),
        })
    });
    json!({"progress": grading.progress(), "show": item, "error": error})
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, body.to_string()).into_response()
}

fn refuse(status: StatusCode, why: &str) -> Response {
    answer(status, &json!({ "error": why }))
}
