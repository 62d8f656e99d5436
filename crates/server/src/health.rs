//! Whether the server lives, and whether it can answer at once.
use crate::state::App;
use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Ready when the default model is loaded.
pub(crate) async fn ready(State(app): State<App>) -> Response {
    let name = app.pool.default_name();
    let loaded = app
        .pool
        .running()
        .iter()
        .any(|(held, _)| Some(&held.name) == name.as_ref());
    if loaded {
        return Json(json!({ "status": "ok", "model": name })).into_response();
    }
    let loading = app
        .pool
        .loading()
        .map(|loading| json!({ "done": loading.done, "total": loading.total }));
    let waiting = Json(json!({ "status": "loading", "model": name, "loading": loading }));
    (StatusCode::SERVICE_UNAVAILABLE, waiting).into_response()
}
