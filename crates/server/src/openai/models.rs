//! `GET /v1/models`, `GET /v1/models/{id}`, and embeddings, which an assistant's model does not make.
use crate::{
    error::{Dialect, Problem},
    pool::Listed,
    state::App,
};
use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use std::time::UNIX_EPOCH;

pub(crate) async fn list(State(app): State<App>) -> Json<Value> {
    let mut models: Vec<Value> = app.pool.list().iter().map(entry).collect();
    models.extend(app.pool.roles().map(role));
    Json(json!({ "object": "list", "data": models }))
}

pub(crate) async fn one(State(app): State<App>, Path(name): Path<String>) -> Response {
    let found = app.pool.resolve(Some(&name)).and_then(|named| {
        if let Some(name) = named.role {
            return Ok(role(&name));
        }
        let mut listed = app.pool.list().into_iter();
        let found = listed.find(|one| one.name == named.model);
        let found = found.as_ref().map(entry);
        found.ok_or_else(|| Problem::no_model("there is no such model"))
    });
    match found {
        Ok(found) => Json(found).into_response(),
        Err(problem) => problem.speak(Dialect::OpenAi),
    }
}

pub(crate) async fn embeddings() -> Response {
    Problem::absent("no embedding model is served here; these models write text")
        .speak(Dialect::OpenAi)
}

/// A role of peers: asked for like a model, and answered elsewhere.
fn role(name: &str) -> Value {
    json!({
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "peers",
        "meta": { "role": true },
    })
}

fn entry(listed: &Listed) -> Value {
    let created = listed
        .modified
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    json!({
        "id": listed.name,
        "object": "model",
        "created": created,
        "owned_by": "reckon",
        "meta": { "size": listed.bytes },
    })
}
