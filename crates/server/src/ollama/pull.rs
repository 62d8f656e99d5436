//! `POST /api/pull`: fetches a model of the catalogue, with lines that say how far it is.
use crate::{
    aside::aside,
    body,
    error::{Dialect, Problem},
    names,
    state::App,
    stream::{LINES, line},
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::stream;
use reckon::models::Event;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    convert::Infallible,
    time::{Duration, Instant},
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
#[cfg(test)]
use utoipa::ToSchema;

/// How often a line about bytes is sent.
const EVERY: Duration = Duration::from_millis(500);

/// Which model; one of the two names is needed.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaPullRequest))]
pub(crate) struct PullRequest {
    model: Option<String>,
    /// What older clients call it.
    name: Option<String>,
    stream: Option<bool>,
}

pub(crate) async fn handle(State(app): State<App>, body: Body) -> Response {
    let answered = start(&app, body).await;
    answered.unwrap_or_else(|problem| problem.speak(Dialect::Ollama))
}

async fn start(app: &App, body: Body) -> Result<Response, Problem> {
    let request: PullRequest = body::json(body).await?;
    let asked = request.model.or(request.name);
    let asked = asked.ok_or_else(|| Problem::invalid("which model?").at("model"))?;
    if app.pool.store().offline {
        return Err(Problem::forbidden(
            "this server is offline and fetches nothing",
        ));
    }
    let catalogue = &app.pool.store().catalogue;
    let spelled = names::spellings(&asked)
        .into_iter()
        .find(|name| catalogue.entry(name).is_some());
    let name = spelled.ok_or_else(|| {
        Problem::no_model("the catalogue has no such model; `reckon models list` shows it")
    })?;
    let (to, mut lines) = unbounded_channel();
    let app = app.clone();
    let pulled = aside(move || pull(&app, &name, &to));
    if !request.stream.unwrap_or(true) {
        pulled
            .await
            .map_err(|_| Problem::internal("fetching broke off"))??;
        return Ok(Json(json!({ "status": "success" })).into_response());
    }
    let body = stream::poll_fn(move |context| {
        lines.poll_recv(context).map(|said: Option<Value>| {
            said.map(|value| Ok::<_, Infallible>(Bytes::from(line(&value))))
        })
    });
    let mut response = Response::new(Body::from_stream(body));
    let kind = HeaderValue::from_static(LINES);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

fn pull(app: &App, name: &str, to: &UnboundedSender<Value>) -> Result<(), Problem> {
    // Who asked may have left; a fetch that has begun goes on, and the next one finds it.
    let say = |value: Value| drop(to.send(value));
    say(json!({ "status": "pulling manifest" }));
    let mut last = Instant::now() - EVERY;
    let pulled = app.pool.store().pull(name, &mut |event| {
        if let Event::Progress { done, total, .. } = event
            && (last.elapsed() >= EVERY || done == total)
        {
            last = Instant::now();
            let status = format!("pulling {name}");
            say(json!({ "status": status, "digest": name, "total": total, "completed": done }));
        }
    });
    match pulled {
        Ok(_) => {
            say(json!({ "status": "verifying sha256 digest" }));
            say(json!({ "status": "success" }));
            Ok(())
        }
        Err(error) => {
            let problem = Problem::from(error);
            say(problem.body(Dialect::Ollama));
            Err(problem)
        }
    }
}
