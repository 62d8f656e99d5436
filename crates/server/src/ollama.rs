//! The protocol of Ollama: chat, generate, and what it tells about models.
//!
//! Lines of JSON; a blank line or one without `message` breaks clients, so a ping is an answer line with empty text.
pub(crate) mod catalogue;
pub(crate) mod chat;
pub(crate) mod facts;
pub(crate) mod generate;
pub(crate) mod options;
pub(crate) mod pull;

use crate::{
    attachment::SentFile,
    error::{Dialect, Problem},
    query::{Answered, End},
};
use axum::{Json, response::Response};
use serde_json::{Value, json};
use std::time::SystemTime;

/// The Ollama whose protocol this is: editors refuse older ones.
const COMPATIBLE: &str = "0.13.5";

pub(crate) async fn version() -> Json<Value> {
    Json(json!({ "version": COMPATIBLE, "reckon": env!("CARGO_PKG_VERSION") }))
}

/// What makes or moves models, which is done by `reckon models` here.
pub(crate) async fn elsewhere() -> Response {
    let what = "models are not made or moved over the network here; `reckon models` does it";
    Problem::absent(what).speak(Dialect::Ollama)
}

pub(crate) async fn embed() -> Response {
    Problem::absent("no embedding model is served here; these models write text")
        .speak(Dialect::Ollama)
}

/// A time as Ollama writes it.
pub(crate) fn time(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time)
        .map_or_else(|_| "1970-01-01T00:00:00Z".into(), |time| time.to_string())
}

pub(crate) fn now() -> String {
    time(SystemTime::now())
}

/// `images` of a message: base64 each, of pictures or of whatever else is read.
fn images(images: Vec<Value>) -> Result<Vec<SentFile>, Problem> {
    let files = images.iter().enumerate().map(|(at, image)| {
        let name = format!("attachment {}", at + 1);
        let text = image
            .as_str()
            .ok_or_else(|| Problem::invalid("images are texts in base64").at("images"))?;
        SentFile::encoded(&name, text).map_err(|problem| problem.at("images"))
    });
    files.collect()
}

fn done_reason(end: End) -> &'static str {
    match end {
        End::Done | End::Calls | End::Stopped => "stop",
        End::Length | End::Repeats => "length",
    }
}

/// The counts of a last line.
fn counts(line: &mut Value, answered: &Answered) {
    let nanos = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let load = answered.load_ms * 1_000_000;
    let (prefill, decode) = (
        nanos(answered.timing.prefill),
        nanos(answered.timing.decode),
    );
    line["done"] = true.into();
    line["done_reason"] = done_reason(answered.end).into();
    line["total_duration"] = (load + prefill + decode).into();
    line["load_duration"] = load.into();
    line["prompt_eval_count"] = answered.usage.prompt.into();
    line["prompt_eval_duration"] = prefill.into();
    line["eval_count"] = answered.usage.completion.into();
    line["eval_duration"] = decode.into();
    line["reckon"] = answered.extra();
}
