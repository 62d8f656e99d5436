//! Pictures, sound and documents of the page: `POST /reckon/attachments` keeps one, and a question refers to it.
//!
//! A reference is a line of the question, `[photo.jpg](attachment:file-…)`: it survives a reload, an edit and a branch
//! with the text that it is part of, and reads as a link wherever the conversation is exported to. The bytes stay on the
//! server (`files.rs`) as long as the conversation does.
use super::{off, reply};
use crate::{
    attachment::{SentFile, Turn},
    body,
    door::Visitor,
    error::Problem,
    files::{Purpose, is_id},
    state::App,
};
use axum::{
    Extension,
    body::Body,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use reckon::{
    Message,
    media::{Family, Kind},
};
use reckon_store::{KeyId, Owner};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
#[cfg(test)]
use utoipa::IntoParams;

/// Most bytes of an attachment.
const MOST_BYTES: usize = 32 << 20;

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(IntoParams))]
pub(crate) struct Named {
    /// What the file is called.
    #[serde(default)]
    name: String,
}

/// Keeps the body as a file of this name.
pub(super) async fn add(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(Named { name }): Query<Named>,
    body: Body,
) -> Response {
    let added = async {
        let busy = |_| {
            Problem::busy(
                "too many files are arriving already",
                Duration::from_secs(2),
            )
        };
        let _permit = app.uploads.try_acquire().map_err(busy)?;
        let bytes = body::read(body, MOST_BYTES).await?;
        off(&app, move |app| {
            let name = name.replace(['[', ']', '\n', '\r'], "_");
            let name = match name.trim() {
                "" => "attachment",
                name => name,
            };
            let family = SentFile::new(name, bytes.clone())?.family();
            let file = app
                .files
                .add(&visitor.owner, name, Purpose::Attachment, &bytes)?;
            Ok(json!({
                "id": file.id,
                "name": file.filename,
                "bytes": file.bytes,
                "family": word(family),
            }))
        })
        .await
    };
    reply(StatusCode::CREATED, added.await)
}

fn word(family: Family) -> &'static str {
    match family {
        Family::Image => "picture",
        Family::Sound => "sound",
        Family::Document => "document",
    }
}

/// The bytes. Only pictures that browsers draw without running anything have a type of their own.
pub(super) async fn one(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let found = off(&app, move |app| app.files.bytes(&visitor.owner, &id)).await;
    let bytes = match found {
        Ok(bytes) => bytes,
        Err(problem) => return reply(StatusCode::OK, Err::<(), _>(problem)),
    };
    let kind = match Kind::of(&bytes, "") {
        Some(Kind::Jpeg) => "image/jpeg",
        Some(Kind::Png) => "image/png",
        Some(Kind::Webp) => "image/webp",
        Some(Kind::Gif) => "image/gif",
        _ => "application/octet-stream",
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, "attachment"),
        (header::CACHE_CONTROL, "private, max-age=3600"),
    ];
    (headers, bytes).into_response()
}

/// The files that a question refers to, by name and id, and its other lines.
pub(super) fn references(content: &str) -> (Vec<(&str, &str)>, String) {
    let (mut files, mut lines) = (Vec::new(), Vec::new());
    for line in content.lines() {
        match reference(line) {
            Some(file) => files.push(file),
            None => lines.push(line),
        }
    }
    (files, lines.join("\n").trim().to_owned())
}

fn reference(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(')')?;
    let (name, id) = inner.split_once("](attachment:")?;
    is_id(id, "file-").then_some((name, id))
}

/// A question with its files, as far as they are still there.
pub(super) fn turn(app: &App, owner: &Owner, content: &str) -> Turn {
    let (named, text) = references(content);
    if named.is_empty() {
        return Message::user(content).into();
    }
    let (mut files, mut lines) = (Vec::new(), Vec::new());
    for (name, id) in named {
        let bytes = app.files.bytes(owner, id);
        match bytes.and_then(|bytes| SentFile::new(name, bytes)) {
            Ok(file) => files.push(file),
            // The model is told, as a person would be: an answer about nothing would be invented.
            Err(_) => lines.push(format!("[{name} is no longer here]")),
        }
    }
    lines.push(text);
    lines.retain(|line| !line.is_empty());
    let message = Message::user(lines.join("\n\n"));
    Turn { message, files }
}

/// Keeps the files of a question as long as its conversation.
pub(super) fn refer(
    app: &App,
    owner: &Owner,
    conversation: &str,
    content: &str,
) -> Result<(), Problem> {
    let (files, _) = references(content);
    files
        .into_iter()
        .try_for_each(|(_, id)| app.files.refer(owner, id, conversation))
}

/// Removes the files of a question whose conversation is gone; what cannot be is swept later.
pub(super) fn forget(app: &App, owner: &Owner, conversation: &str, content: &str) {
    for (_, id) in references(content).0 {
        let file = app.files.get(owner, id);
        if file.is_ok_and(|file| file.conversation.as_deref() == Some(conversation)) {
            drop(app.files.delete(owner, id));
        }
    }
}

/// Removes what nothing refers to any more. Blocks.
pub(crate) fn sweep(app: &App) {
    app.files.sweep(|owner, conversation| {
        let owner = owner
            .parse::<KeyId>()
            .as_ref()
            .map_or_else(|_| Owner::local(), Owner::from);
        let Ok(conversation) = conversation.parse() else {
            return false;
        };
        // What cannot be asked about now is kept.
        !matches!(
            app.store.conversation(&owner, &conversation),
            Err(reckon_store::Error::NotFound(_))
        )
    });
}

#[cfg(test)]
mod tests {
    use super::references;

    #[test]
    fn only_whole_lines_with_an_id_of_ours_are_references() {
        let id = format!("file-{}", "0a".repeat(12));
        let content = format!(
            "What is this?\n\n[a photo.jpg](attachment:{id})\nsee [x](attachment:{id})\n[y](attachment:file-1)\n [z](attachment:{id}) "
        );
        let (files, text) = references(&content);
        assert_eq!(files, [("a photo.jpg", id.as_str()), ("z", id.as_str())]);
        assert_eq!(
            text,
            format!("What is this?\n\nsee [x](attachment:{id})\n[y](attachment:file-1)")
        );
    }
}
