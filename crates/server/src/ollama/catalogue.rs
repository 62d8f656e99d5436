//! `GET /api/tags`, `POST /api/show`, `GET /api/ps`: which models there are.
use super::{
    facts::{Facts, facts},
    now, time,
};
use crate::{
    body,
    error::{Dialect, Problem},
    pool::Listed,
    state::App,
};
use axum::{
    Json,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};
#[cfg(test)]
use utoipa::ToSchema;

pub(crate) async fn tags(State(app): State<App>) -> Json<Value> {
    let listed = app.pool.list();
    let models = listed.iter().filter_map(|one| entry(&app, one));
    Json(json!({ "models": models.collect::<Vec<_>>() }))
}

/// What a model can do. Eyes and ears are in a file of their own, so they are known of a model that is loaded.
fn capabilities(app: &App, listed: &Listed, facts: &Facts) -> Vec<&'static str> {
    let mut words = facts.capabilities();
    let senses = app.pool.senses(&listed.name);
    words.extend(senses.sees.then_some("vision"));
    words.extend(senses.hears.then_some("audio"));
    words
}

fn entry(app: &App, listed: &Listed) -> Option<Value> {
    let facts = facts(listed).ok()?;
    Some(json!({
        "name": listed.name,
        "model": listed.name,
        "modified_at": time(listed.modified),
        "size": listed.bytes,
        "digest": digest(listed),
        "details": facts.details(),
        "capabilities": capabilities(app, listed, &facts),
    }))
}

/// The file's digest where it is known; nobody reads gigabytes to list a model.
fn digest(listed: &Listed) -> String {
    listed.sha256.clone().unwrap_or_else(|| "0".repeat(64))
}

/// Which model; one of the two names is needed.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaShowRequest))]
pub(crate) struct ShowRequest {
    model: Option<String>,
    /// What older clients call it.
    name: Option<String>,
}

pub(crate) async fn show(State(app): State<App>, body: Body) -> Response {
    match shown(&app, body).await {
        Ok(value) => Json(value).into_response(),
        Err(problem) => problem.speak(Dialect::Ollama),
    }
}

async fn shown(app: &App, body: Body) -> Result<Value, Problem> {
    let request: ShowRequest = body::json(body).await?;
    let asked = request.model.or(request.name);
    let asked = asked.ok_or_else(|| Problem::invalid("which model?").at("model"))?;
    let name = app.pool.resolve(Some(&asked))?.model;
    let listed = app.pool.list().into_iter().find(|one| one.name == name);
    let listed = listed.ok_or_else(|| Problem::no_model("there is no such model"))?;
    let facts = facts(&listed)?;
    let mut info = facts.info.clone();
    if let Some(n_ctx) = app.options.n_ctx {
        // What this server gives is what clients should count on.
        info.insert(format!("{}.context_length", facts.family), n_ctx.into());
    }
    let n_ctx = app
        .options
        .n_ctx
        .map(|n| n as u64)
        .or(facts.n_ctx.map(|n| n.min(8192)));
    let parameters = n_ctx.map(|n| format!("num_ctx {n}")).unwrap_or_default();
    // Clients look for these words in the template to know what a model can do.
    let mut template = facts.template.clone();
    template += "\n{{- /* tools */ -}}";
    if facts.fills {
        template += "\n{{- /* .Suffix */ -}}";
    }
    Ok(json!({
        "license": facts.licence,
        "modelfile": format!("FROM {name}"),
        "parameters": parameters,
        "template": template,
        "details": facts.details(),
        "model_info": info,
        "capabilities": capabilities(app, &listed, &facts),
        "modified_at": time(listed.modified),
    }))
}

pub(crate) async fn ps(State(app): State<App>) -> Json<Value> {
    let listed = app.pool.list();
    let models = app.pool.running().into_iter().filter_map(|(held, left)| {
        let one = listed.iter().find(|one| one.name == held.name)?;
        let left = left.unwrap_or(Duration::from_secs(100 * 365 * 86_400));
        let mut value = entry(&app, one)?;
        value["expires_at"] = time(SystemTime::now() + left).into();
        value["size_vram"] = 0.into();
        value["context_length"] = held.model.info().n_ctx.into();
        Some(value)
    });
    Json(json!({ "models": models.collect::<Vec<_>>(), "at": now() }))
}
