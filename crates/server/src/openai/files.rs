//! `/v1/files`: rows for batches and files for messages come in, and what came of batches goes out.
use crate::{
    aside::aside,
    body,
    door::Visitor,
    error::{Dialect, Problem},
    files::{Purpose, StoredFile},
    page::{off, reply},
    state::App,
};
use axum::{
    Extension,
    body::Body,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{self, Read},
};
#[cfg(test)]
use utoipa::IntoParams;

/// Most bytes of a file with the form around it.
const MOST_BYTES: usize = 64 << 20;
/// Most entries of a list.
const MOST_LISTED: usize = 1000;
/// Bytes of a file that are read at a time.
const CHUNK: usize = 256 << 10;

/// Which part of a list is wanted.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(IntoParams))]
pub(crate) struct Wanted {
    pub(crate) purpose: Option<String>,
    /// The id of the last entry of the page before.
    pub(crate) after: Option<String>,
    #[cfg_attr(test, param(minimum = 1, maximum = 1000))]
    pub(crate) limit: Option<usize>,
    /// `desc`, newest first, or `asc`.
    pub(crate) order: Option<String>,
}

impl Wanted {
    /// A page of these, which are newest first, as OpenAI's clients turn them.
    pub(crate) fn page(
        &self,
        mut all: Vec<(String, Value)>,
        most: usize,
    ) -> Result<Value, Problem> {
        match self.order.as_deref() {
            None | Some("desc") => {}
            Some("asc") => all.reverse(),
            Some(_) => return Err(Problem::invalid("order is asc or desc").at("order")),
        }
        let limit = self.limit.unwrap_or(most);
        if limit == 0 || limit > MOST_LISTED {
            return Err(Problem::invalid(format!("limit is 1 to {MOST_LISTED}")).at("limit"));
        }
        let begin = match &self.after {
            None => 0,
            Some(after) => {
                let at = all.iter().position(|(id, _)| id == after);
                let missing = || Problem::invalid("after names nothing in this list").at("after");
                at.ok_or_else(missing)? + 1
            }
        };
        let page: Vec<(String, Value)> = all.drain(begin..).collect();
        let has_more = page.len() > limit;
        let page: Vec<(String, Value)> = page.into_iter().take(limit).collect();
        Ok(json!({
            "object": "list",
            "first_id": page.first().map(|(id, _)| id),
            "last_id": page.last().map(|(id, _)| id),
            "has_more": has_more,
            "data": page.iter().map(|(_, value)| value).collect::<Vec<_>>(),
        }))
    }
}

pub(crate) async fn upload(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let kept = async {
        let mut form = body::form(&app, &headers, body, MOST_BYTES).await?;
        let purpose = form.text("purpose")?;
        let purpose = purpose.as_deref().and_then(Purpose::of_upload);
        let purpose = purpose.ok_or_else(|| {
            let what = "purpose is batch, or user_data, vision or assistants for messages";
            Problem::invalid(what).at("purpose")
        })?;
        let file = form.take("file")?;
        let file = file.ok_or_else(|| Problem::invalid("there is no file").at("file"))?;
        let name = file.filename.unwrap_or_else(|| match purpose {
            Purpose::Batch => "rows.jsonl".to_owned(),
            _ => "file".to_owned(),
        });
        let kept = off(&app, move |app| {
            app.files.add(&visitor.owner, &name, purpose, &file.bytes)
        });
        Ok(kept.await?.view())
    };
    reply(StatusCode::OK, kept.await)
}

pub(crate) async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let listed = off(&app, move |app| {
        let is_wanted = |file: &StoredFile| {
            let purpose = json!(file.purpose);
            file.purpose != Purpose::Attachment
                && wanted
                    .purpose
                    .as_ref()
                    .is_none_or(|wanted| purpose == wanted.as_str())
        };
        let files = app
            .files
            .list(&visitor.owner)?
            .into_iter()
            .filter(is_wanted);
        let files = files.map(|file| (file.id.clone(), file.view()));
        wanted.page(files.collect(), MOST_LISTED)
    });
    reply(StatusCode::OK, listed.await)
}

pub(crate) async fn one(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let found = off(&app, move |app| {
        Ok(app.files.get(&visitor.owner, &id)?.view())
    });
    reply(StatusCode::OK, found.await)
}

pub(crate) async fn delete(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let deleted = off(&app, move |app| {
        app.files.delete(&visitor.owner, &id)?;
        Ok(json!({ "id": id, "object": "file", "deleted": true }))
    });
    reply(StatusCode::OK, deleted.await)
}

/// The bytes, a piece at a time: results may be larger than the memory.
pub(crate) async fn content(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let opened = off(&app, move |app| {
        let described = app.files.get(&visitor.owner, &id)?;
        let file = File::open(app.files.path(&visitor.owner, &id)?);
        let missing = |_| Problem::not_found("there is no such file");
        Ok((described, file.map_err(missing)?))
    });
    let (described, file) = match opened.await {
        Ok(opened) => opened,
        Err(problem) => return problem.speak(Dialect::OpenAi),
    };
    let pieces = stream::try_unfold(file, |file| async move {
        let read = aside(move || {
            let mut piece = Vec::with_capacity(CHUNK);
            (&file).take(CHUNK as u64).read_to_end(&mut piece)?;
            Ok::<_, io::Error>((piece, file))
        });
        let (piece, file) = read.await.map_err(io::Error::other)??;
        Ok::<_, io::Error>((!piece.is_empty()).then(|| (Bytes::from(piece), file)))
    });
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, described.bytes.to_string()),
    ];
    (headers, Body::from_stream(pieces)).into_response()
}
