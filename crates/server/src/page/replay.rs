//! `POST /reckon/messages/ID/replay`: makes an answer again, with the same seed, and compares the bytes.
use super::{
    answers::{conversation, settings},
    conversations::id,
    off, reply,
};
use crate::{door::Visitor, error::Problem, job, query::Prompt, state::App};
use axum::{
    Extension,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use reckon_store::MessageId;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(super) async fn replay(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(name): Path<String>,
) -> Response {
    reply(StatusCode::OK, again(&app, &visitor, name).await)
}

async fn again(app: &App, visitor: &Visitor, name: String) -> Result<Value, Problem> {
    let owner = visitor.owner.clone();
    let (message, turns) = off(app, move |app| {
        let message: MessageId = id(&name)?;
        let message = app.store.message(&owner, &message)?;
        let turns = conversation(app, &owner, &message)?;
        Ok((message, turns))
    })
    .await?;
    if message.state != reckon_store::State::Done {
        return Err(Problem::invalid(
            "only an answer that came to its end can be made again",
        ));
    }
    let handover = message.receipt.as_ref().map(|one| &one["handover"]);
    if handover.is_some_and(|one| !one.is_null()) {
        let what = "other machines were asked for this answer: it cannot be made again here";
        return Err(Problem::invalid(what));
    }
    let mut query = settings(&message).query(message.model.clone())?;
    query.prompt = Prompt::Chat(turns);
    let answers = job::collect(app, query).await?;
    let now = answers.first().map_or("", |one| one.text.as_str());
    Ok(json!({
        "same": now == message.content,
        "sha256": { "then": sha256(&message.content), "now": sha256(now) },
    }))
}

fn sha256(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
