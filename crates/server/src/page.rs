//! The page at `/` and what it asks of the server: conversations that are kept, and answers that go on without it.
mod answers;
mod assets;
mod attachments;
mod conversations;
mod messages;
mod replay;
mod run;

pub(crate) use answers::{Answers, resume};
pub(crate) use assets::is_asset;
pub(crate) use attachments::sweep;
// What `openapi.json` describes.
#[cfg(test)]
pub(crate) use {
    attachments::Named,
    conversations::Wanted as Found,
    messages::{Asked, Retried, Seen},
    run::Program,
};

use crate::{
    aside::aside,
    call::{call, get, post},
    error::{Dialect, Problem},
    state::App,
};
use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) fn routes() -> Router<App> {
    let conversation = get(conversations::one)
        .patch(call(conversations::change))
        .delete(call(conversations::delete));
    assets::routes()
        .route("/reckon/state", get(state))
        .route(
            "/reckon/conversations",
            get(conversations::list).post(call(conversations::create)),
        )
        .route("/reckon/conversations/{id}", conversation)
        .route(
            "/reckon/conversations/{id}/export",
            get(conversations::export),
        )
        .route("/reckon/import", post(conversations::import))
        .route("/reckon/conversations/{id}/messages", post(messages::ask))
        .route("/reckon/attachments", post(attachments::add))
        .route("/reckon/attachments/{id}", get(attachments::one))
        .route("/reckon/messages/{id}", get(messages::one))
        .route("/reckon/messages/{id}/retry", post(messages::retry))
        .route("/reckon/messages/{id}/continue", post(messages::go_on))
        .route("/reckon/messages/{id}/stop", post(messages::stop))
        .route("/reckon/messages/{id}/events", get(messages::events))
        .route("/reckon/messages/{id}/replay", post(replay::replay))
        .route("/reckon/run", post(run::run))
}

/// What the page shows around a conversation.
async fn state(State(app): State<App>) -> Json<Value> {
    let running = app.pool.running();
    let models = app.pool.list().into_iter().map(|one| {
        let held = running.iter().find(|(held, _)| held.name == one.name);
        let senses = app.pool.senses(&one.name);
        json!({
            "name": one.name,
            "size": one.bytes,
            "loaded": held.is_some(),
            "context": held.and_then(|(held, _)| held.model.info().n_ctx),
            "sees": senses.sees,
            "hears": senses.hears,
        })
    });
    let models: Vec<Value> = models.collect();
    let loading = app.pool.loading().map(
        |loading| json!({ "name": loading.name, "done": loading.done, "total": loading.total }),
    );
    let (running, waiting) = app.queue.lengths();
    let (prefill, decode) = app.answers.speed();
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "models": models,
        "model": app.pool.default_name(),
        "loading": loading,
        "queue": { "running": running, "waiting": waiting },
        "speed": { "prefill": prefill, "decode": decode },
        "offline": app.pool.store().offline,
    }))
}

/// A value with its status, or a problem in the words of this API, which are OpenAI's.
pub(crate) fn reply<T: Serialize>(status: StatusCode, result: Result<T, Problem>) -> Response {
    match result {
        Ok(value) => (status, Json(value)).into_response(),
        Err(problem) => problem.speak(Dialect::OpenAi),
    }
}

/// Runs what waits for the disk off the async threads.
pub(crate) async fn off<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let app = app.clone();
    let worked = aside(move || work(&app));
    worked
        .await
        .map_err(|_| Problem::internal("it broke off"))?
}
