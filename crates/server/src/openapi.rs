//! What the server understands, as an OpenAPI document at `/openapi.json`.
//!
//! The document is a file of the source, `openapi.json`. It is written by the tests (`openapi/described.rs`), from the very types
//! that requests are parsed into, and a test holds it against them: what only describes need not be built into the program.
#[cfg(test)]
mod described;

use axum::{
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
#[cfg(test)]
pub(crate) use described::words;

/// The document, an object of OpenAPI 3.1.
pub const DOCUMENT: &str = include_str!("../openapi.json");

pub(crate) async fn handle() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}
