//! The protocol of Anthropic: messages and counting their tokens.
mod events;
mod input;

use crate::{
    attachment, body,
    door::Visitor,
    error::{Dialect, Problem},
    job,
    openai::id,
    query::{Answered, End},
    state::App,
    stream,
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use events::Events;
pub(crate) use input::MessagesRequest;
use serde_json::{Value, json};

pub(crate) async fn messages(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let answered = answer(&app, &visitor, &headers, body).await;
    answered.unwrap_or_else(|problem| problem.speak(Dialect::Anthropic))
}

async fn answer(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let request: MessagesRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(false);
    let asked = request.model.clone();
    let query = attachment::fetched(app, &visitor.owner, request.query(headers)?).await?;
    app.pool.resolve(query.model.as_deref())?;
    let model = asked.unwrap_or_default();
    if streams {
        let running = job::start(app, query).await?;
        let events = Events::new(model, app.clone(), visitor.clone());
        return Ok(stream::respond(running, 1, events, app.place_headers()));
    }
    let answers = job::collect(app, query).await?;
    app.spend(visitor, &answers);
    let whole = answers.first().map(|answered| {
        let mut message = empty(&id("msg_"), &model);
        message["content"] = blocks(answered).into();
        message["stop_reason"] = stop_reason(answered).into();
        message["stop_sequence"] = answered.stopped_by.clone().into();
        message["usage"] = usage(answered);
        message["reckon"] = answered.extra();
        message
    });
    Ok(Json(whole).into_response())
}

pub(crate) async fn count_tokens(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let counted = async {
        let request: MessagesRequest = body::json(body).await?;
        let query = request.query(&headers)?;
        let query = attachment::fetched(&app, &visitor.owner, query).await?;
        let tokens = crate::count::tokens(&app, query).await?;
        Ok::<_, Problem>(json!({ "input_tokens": tokens }))
    };
    match counted.await {
        Ok(value) => Json(value).into_response(),
        Err(problem) => problem.speak(Dialect::Anthropic),
    }
}

fn empty(id: &str, model: &str) -> Value {
    json!({
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": { "input_tokens": 0, "output_tokens": 0 },
    })
}

fn blocks(answered: &Answered) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !answered.thought.is_empty() {
        blocks.push(json!({ "type": "thinking", "thinking": answered.thought, "signature": "" }));
    }
    if !answered.text.is_empty() || answered.calls.is_empty() {
        blocks.push(json!({ "type": "text", "text": answered.text }));
    }
    for call in &answered.calls {
        blocks.push(json!({
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": call.arguments,
        }));
    }
    blocks
}

fn stop_reason(answered: &Answered) -> &'static str {
    match answered.end {
        End::Calls => "tool_use",
        End::Length | End::Repeats => "max_tokens",
        End::Done if answered.stopped_by.is_some() => "stop_sequence",
        End::Done | End::Stopped => "end_turn",
    }
}

fn usage(answered: &Answered) -> Value {
    let usage = answered.usage;
    json!({
        "input_tokens": usage.prompt.saturating_sub(usage.reused),
        "cache_read_input_tokens": usage.reused,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.completion,
    })
}
