//! Questions and answers of a conversation: asked, tried again, continued, stopped, listened to.
use super::{
    answers::{self, Settings},
    attachments,
    conversations::id,
    off, reply,
};
use crate::{body, door::Visitor, error::Problem, state::App, stream::EVENTS};
use axum::{
    Extension,
    body::Body,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::stream;
use reckon_store::{ConversationId, Message, MessageId, Question};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{convert::Infallible, time::Duration};
#[cfg(test)]
use utoipa::{IntoParams, ToSchema};

/// How long a stream of events may be silent.
const SILENCE: Duration = Duration::from_secs(10);

/// A question.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = PageQuestion))]
pub(crate) struct Asked {
    /// The message that it follows; the first question has none.
    #[serde(default)]
    #[cfg_attr(test, schema(value_type = Option<String>))]
    parent: Option<MessageId>,
    content: String,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    options: Settings,
}

/// Settings as they are kept with an answer: a seed is drawn now, so that the answer can be made again.
fn kept(mut settings: Settings) -> Result<Value, Problem> {
    if settings.seed.is_none() {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|_| Problem::internal("no random numbers"))?;
        // Short enough to be an exact number in any JSON reader.
        settings.seed = Some(u64::from_le_bytes(bytes) >> 11);
    }
    settings.query(None)?;
    serde_json::to_value(settings).map_err(|_| Problem::internal("the settings cannot be kept"))
}

pub(super) async fn ask(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    body: Body,
) -> Response {
    let asked = async {
        let asked: Asked = body::json(body).await?;
        if asked.content.trim().is_empty() {
            return Err(Problem::invalid("the question is empty"));
        }
        let model = app.pool.resolve(asked.model.as_deref())?.name();
        let question = Question {
            parent: asked.parent,
            content: asked.content,
            model: Some(model),
            request: Some(kept(asked.options)?),
        };
        let owner = visitor.owner.clone();
        let (question, answer) = off(&app, move |app| {
            let conversation: ConversationId = id(&name)?;
            let asked = app.store.ask(&owner, &conversation, &question)?;
            // A file that is gone is told to the model when it answers.
            drop(attachments::refer(app, &owner, &name, &question.content));
            Ok(asked)
        })
        .await?;
        answers::begin(&app, visitor.owner.clone(), answer.clone())?;
        Ok(json!({ "question": question, "answer": answer }))
    };
    reply(StatusCode::ACCEPTED, asked.await)
}

/// How to answer again.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = PageRetry))]
pub(crate) struct Retried {
    #[serde(default)]
    options: Settings,
}

pub(super) async fn retry(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    body: Body,
) -> Response {
    let retried = async {
        let retried: Retried = body::json_or_empty(body).await?;
        let request = kept(retried.options)?;
        let owner = visitor.owner.clone();
        let answer = off(&app, move |app| {
            let message: MessageId = id(&name)?;
            Ok(app.store.retry(&owner, &message, Some(&request))?)
        })
        .await?;
        answers::begin(&app, visitor.owner.clone(), answer.clone())?;
        Ok(answer)
    };
    reply(StatusCode::ACCEPTED, retried.await)
}

pub(super) async fn go_on(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    let continued = async {
        let owner = visitor.owner.clone();
        let answer = off(&app, move |app| {
            let message: MessageId = id(&name)?;
            Ok(app.store.reopen(&owner, &message)?)
        })
        .await?;
        answers::begin(&app, visitor.owner.clone(), answer.clone())?;
        Ok(answer)
    };
    reply(StatusCode::ACCEPTED, continued.await)
}

/// A message of this visitor's.
async fn find(app: &App, visitor: &Visitor, name: String) -> Result<Message, Problem> {
    let owner = visitor.owner.clone();
    off(app, move |app| {
        let message: MessageId = id(&name)?;
        Ok(app.store.message(&owner, &message)?)
    })
    .await
}

pub(super) async fn one(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    reply(StatusCode::OK, find(&app, &visitor, name).await)
}

pub(super) async fn stop(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    let stopped = find(&app, &visitor, name).await.map(|message| {
        app.answers.stop(&message.id);
        json!({})
    });
    reply(StatusCode::ACCEPTED, stopped)
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(IntoParams))]
pub(crate) struct Seen {
    /// The number of the last event that was seen.
    #[serde(default)]
    after: usize,
}

pub(super) async fn events(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    Query(Seen { after }): Query<Seen>,
) -> Response {
    let message = match find(&app, &visitor, name).await {
        Ok(message) => message,
        Err(problem) => return reply(StatusCode::OK, Err::<(), _>(problem)),
    };
    let kind = [(header::CONTENT_TYPE, EVENTS)];
    let Some(journal) = app.answers.journal(&message.id) else {
        return (kind, ended(&message, after)).into_response();
    };
    let body = stream::unfold((journal, after), |(journal, seen)| async move {
        match tokio::time::timeout(SILENCE, journal.after(seen)).await {
            Err(_) => Some((": ping\n\n".to_owned(), (journal, seen))),
            Ok(Some((seen, frames))) => Some((frames, (journal, seen))),
            Ok(None) => None,
        }
    });
    let body = futures_util::StreamExt::map(body, |text| Ok::<_, Infallible>(Bytes::from(text)));
    (kind, Body::from_stream(body)).into_response()
}

/// The events of an answer that nobody writes any more: all of its text, and its end. Their numbers are behind those
/// that the listener has seen.
fn ended(message: &Message, after: usize) -> String {
    let mut text = String::new();
    let mut number = after;
    let mut add = |kind: &str, value: Value| {
        number += 1;
        text += &format!("id: {number}\nevent: {kind}\ndata: {value}\n\n");
    };
    match &message.error {
        Some(error) => add("failed", json!({ "error": error })),
        None => {
            add(
                "revise",
                json!({ "text": message.content, "was": null, "guard": null }),
            );
            add("done", json!({ "message": message }));
        }
    }
    text
}
