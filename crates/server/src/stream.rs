//! An answer as a response that comes bit by bit: what happens in, the frames of a protocol out.
//!
//! Headers go out at once. While nothing is said, each protocol's own kind of ping does, so that no client gives up on a
//! slow first word. A client that leaves drops the stream, and with it the answer.
use crate::{
    error::Problem,
    job::Running,
    query::{Answered, Happening},
};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::stream;
use serde_json::Value;
use std::{convert::Infallible, time::Duration};

/// How long a stream may be silent.
const SILENCE: Duration = Duration::from_secs(8);

/// Tokens of a prompt whose reading is worth a word.
pub(crate) const LONG: usize = 512;

pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const LINES: &str = "application/x-ndjson";

/// Says what happens in the words of a protocol. Each call gives whole frames, or nothing.
pub(crate) trait Encoder: Send + 'static {
    /// The content type.
    fn kind(&self) -> &'static str {
        EVENTS
    }

    /// Before anything has happened.
    fn begin(&mut self) -> String {
        String::new()
    }

    /// What happens on the way, to the answer of this number.
    fn on(&mut self, at: usize, happening: Happening) -> String;

    /// One answer is whole.
    fn end(&mut self, at: usize, answered: &Answered) -> String;

    /// All are.
    fn close(&mut self) -> String {
        String::new()
    }

    /// It cannot be answered after all.
    fn fail(&mut self, problem: &Problem) -> String;

    /// Nothing to say yet.
    fn ping(&mut self) -> String {
        ": ping\n\n".to_owned()
    }
}

struct Streaming<E> {
    running: Running,
    encoder: E,
    open: usize,
    over: bool,
}

/// The response; `headers` are sent with it.
pub(crate) fn respond<E: Encoder>(
    running: Running,
    answers: usize,
    mut encoder: E,
    headers: HeaderMap,
) -> Response {
    let kind = encoder.kind();
    let first = encoder.begin();
    let state = Streaming {
        running,
        encoder,
        open: answers.max(1),
        over: false,
    };
    let begin = stream::once(async move { frame(first) });
    let rest = stream::unfold(state, |mut state| async move {
        let text = state.next().await?;
        Some((frame(text), state))
    });
    let body = Body::from_stream(futures_util::StreamExt::chain(begin, rest));
    let mut response = Response::new(body);
    *response.headers_mut() = headers;
    let head = response.headers_mut();
    head.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    head.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that collect a response before they pass it on are told not to.
    head.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn frame(text: String) -> Result<Bytes, Infallible> {
    Ok(Bytes::from(text))
}

impl<E: Encoder> Streaming<E> {
    /// The next frames; none when all is said.
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.over {
                return None;
            }
            let text = match tokio::time::timeout(SILENCE, self.running.events.recv()).await {
                Err(_) => self.encoder.ping(),
                Ok(Some((at, happening))) => self.heard(at, happening),
                Ok(None) => {
                    self.over = true;
                    self.encoder
                        .fail(&Problem::internal("the answer broke off"))
                }
            };
            if !text.is_empty() {
                return Some(text);
            }
        }
    }

    fn heard(&mut self, at: usize, happening: Happening) -> String {
        let ended = match happening {
            Happening::Ended(ended) => *ended,
            happening => return self.encoder.on(at, happening),
        };
        match ended {
            Ok(answered) => {
                let mut text = self.encoder.end(at, &answered);
                self.open -= 1;
                if self.open == 0 {
                    self.over = true;
                    text += &self.encoder.close();
                }
                text
            }
            Err(problem) => {
                self.over = true;
                self.encoder.fail(&problem)
            }
        }
    }
}

/// A server-sent event without a name.
pub(crate) fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}

/// A server-sent event.
pub(crate) fn event(name: &str, value: &Value) -> String {
    format!("event: {name}\ndata: {value}\n\n")
}

/// A line of JSON.
pub(crate) fn line(value: &Value) -> String {
    format!("{value}\n")
}
