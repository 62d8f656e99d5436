//! Conversations: listed, found, made, changed, taken away and brought in.
use super::{attachments, off, reply};
use crate::{body, door::Visitor, error::Problem, state::App};
use axum::{
    Extension,
    body::Body,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use reckon_store::{Change, ConversationId, Filter, NewConversation};
use serde::Deserialize;
use serde_json::json;
#[cfg(test)]
use utoipa::IntoParams;

/// Most bytes of a conversation that is brought in.
const MOST_IMPORT: usize = reckon_store::MOST_IMPORT;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(IntoParams))]
pub(crate) struct Wanted {
    /// Words that its messages have.
    q: Option<String>,
    folder: Option<String>,
}

pub(super) async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let listed = off(&app, move |app| {
        let filter = Filter {
            folder: wanted.folder.filter(|folder| !folder.is_empty()),
            query: wanted.q,
            ..Filter::default()
        };
        let conversations = app.store.list(&visitor.owner, &filter)?;
        let folders = app.store.folders(&visitor.owner)?;
        Ok(json!({ "conversations": conversations, "folders": folders }))
    });
    reply(StatusCode::OK, listed.await)
}

/// The id in a path; what is none names nothing.
pub(super) fn id<T: std::str::FromStr>(text: &str) -> Result<T, Problem> {
    text.parse()
        .map_err(|_| Problem::not_found("there is no such thing"))
}

pub(super) async fn create(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    let made = async {
        let new: NewConversation = body::json_or_empty(body).await?;
        off(&app, move |app| {
            Ok(app.store.create_conversation(&visitor.owner, &new)?)
        })
        .await
    };
    reply(StatusCode::CREATED, made.await)
}

pub(super) async fn one(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    let found = off(&app, move |app| {
        let id: ConversationId = id(&name)?;
        Ok(app.store.conversation(&visitor.owner, &id)?)
    });
    reply(StatusCode::OK, found.await)
}

pub(super) async fn change(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
    body: Body,
) -> Response {
    let changed = async {
        let change: Change = body::json(body).await?;
        off(&app, move |app| {
            let id: ConversationId = id(&name)?;
            Ok(app
                .store
                .change_conversation(&visitor.owner, &id, &change)?)
        })
        .await
    };
    reply(StatusCode::OK, changed.await)
}

pub(super) async fn delete(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    let deleted = off(&app, move |app| {
        let id: ConversationId = id(&name)?;
        let thread = app.store.conversation(&visitor.owner, &id)?;
        // Nobody waits for an answer of a conversation that is gone.
        for message in &thread.messages {
            app.answers.stop(&message.id);
        }
        app.store.delete_conversation(&visitor.owner, &id)?;
        for message in &thread.messages {
            attachments::forget(app, &visitor.owner, id.as_str(), &message.content);
        }
        Ok(())
    });
    match deleted.await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(problem) => reply(StatusCode::OK, Err::<(), _>(problem)),
    }
}

pub(super) async fn export(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    let exported = off(&app, move |app| {
        let id: ConversationId = id(&name)?;
        Ok(app.store.export(&visitor.owner, &id)?)
    });
    let mut response = reply(StatusCode::OK, exported.await);
    let file = header::HeaderValue::from_static("attachment; filename=\"conversation.json\"");
    response
        .headers_mut()
        .insert(header::CONTENT_DISPOSITION, file);
    response
}

pub(super) async fn import(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    let imported = async {
        let bytes = body::read(body, MOST_IMPORT).await?;
        off(&app, move |app| {
            Ok(app.store.import(&visitor.owner, &bytes)?)
        })
        .await
    };
    reply(StatusCode::CREATED, imported.await)
}
