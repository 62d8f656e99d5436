//! The body of a request, whole and checked: bounded in size and time, JSON of the right shape or a clear refusal.
use crate::{error::Problem, multipart::Form, state::App};
use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use reckon::CheckLevel;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::time::Duration;
#[cfg(test)]
use utoipa::openapi::Object;

/// How long a body may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);
/// Levels of brackets in JSON; serde_json refuses more than 128 itself.
pub(crate) const MOST_BYTES: usize = 16 << 20;

/// Reads a body of at most `most` bytes.
pub(crate) async fn read(body: Body, most: usize) -> Result<Vec<u8>, Problem> {
    let limited = Limited::new(body, most);
    let read = tokio::time::timeout(PATIENCE, limited.collect()).await;
    let read = read.map_err(|_| Problem::invalid("the body took too long to arrive"))?;
    match read {
        Ok(whole) => Ok(whole.to_bytes().to_vec()),
        Err(error) if error.is::<LengthLimitError>() => {
            let what = format!("the body has more than {most} bytes");
            Err(Problem::too_large(what))
        }
        Err(_) => Err(Problem::invalid("the body broke off")),
    }
}

/// Reads a form with files. Few at a time: their bodies are held whole.
pub(crate) async fn form(
    app: &App,
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<Form, Problem> {
    let busy = |_| {
        Problem::busy(
            "too many files are arriving already",
            Duration::from_secs(2),
        )
    };
    let _permit = app.uploads.try_acquire().map_err(busy)?;
    let bytes = Bytes::from(read(body, most).await?);
    let kind = headers.get(header::CONTENT_TYPE);
    Form::parse(kind.and_then(|kind| kind.to_str().ok()), &bytes)
}

/// Reads a body of JSON.
pub(crate) async fn json<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let bytes = read(body, MOST_BYTES).await?;
    parse(&bytes)
}

/// As `json`; no body at all is an empty object.
pub(crate) async fn json_or_empty<T: DeserializeOwned>(body: Body) -> Result<T, Problem> {
    let bytes = read(body, MOST_BYTES).await?;
    match bytes.is_empty() {
        true => parse(b"{}"),
        false => parse(&bytes),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if std::str::from_utf8(bytes).is_err() {
        return Err(Problem::invalid("the body is not UTF-8"));
    }
    serde_json::from_slice(bytes).map_err(|error| wrong(&error))
}

/// A body that was JSON before; one that wants a stream is refused, because nobody listens.
pub(crate) fn of_row<T: DeserializeOwned>(body: Value) -> Result<T, Problem> {
    if body.get("stream").and_then(Value::as_bool) == Some(true) {
        return Err(Problem::invalid("a row of a batch is not streamed").at("stream"));
    }
    // As text once more: read from a `Value`, every type of a request would be compiled a second time.
    serde_json::from_slice(body.to_string().as_bytes()).map_err(|error| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let why = error.to_string();
        // A place in that text would tell nobody anything.
        refused(why.strip_suffix(&place).unwrap_or(&why))
    })
}

fn wrong(error: &serde_json::Error) -> Problem {
    refused(&error.to_string())
}

fn refused(why: &str) -> Problem {
    let why: String = why.chars().take(300).collect();
    Problem::invalid(format!("the body is not what this call takes: {why}"))
}

/// The names of fields that are left over; null says nothing.
pub(crate) fn leftovers(rest: &Map<String, Value>, known: &[&str]) -> Vec<String> {
    let is_foreign =
        |(name, value): &(&String, &Value)| !value.is_null() && !known.contains(&name.as_str());
    let names = rest.iter().filter(is_foreign).map(|(name, _)| name);
    names
        .take(20)
        .map(|name| name.chars().take(40).collect())
        .collect()
}

/// What a request may say about guards, in a field of its own, in every protocol.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema), schema(as = ReckonOptions))]
#[serde(deny_unknown_fields)]
pub(crate) struct Own {
    /// False turns every guard off.
    pub(crate) guards: Option<bool>,
    /// How far to check the answer; `quick` where nothing is said.
    #[cfg_attr(test, schema(schema_with = levels))]
    pub(crate) check: Option<CheckLevel>,
    /// Drop the oldest messages when the prompt is too long.
    #[serde(default)]
    pub(crate) trim: bool,
    /// Let all other requests go first.
    #[serde(default)]
    pub(crate) background: bool,
}

/// The words of a [`CheckLevel`].
#[cfg(test)]
pub(crate) fn levels() -> Object {
    crate::openapi::words(&["off", "direct", "quick", "full"])
}
