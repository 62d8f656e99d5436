//! `/v1/batches`: a file of requests is answered in the background.
use super::files::Wanted;
use crate::{
    batches::{BatchRecord, Batches, ENDPOINTS},
    body,
    door::Visitor,
    error::Problem,
    files::Purpose,
    page::{off, reply},
    state::App,
};
use axum::{
    Extension,
    body::Body,
    extract::{Path, Query, State},
    http::StatusCode,
    response::Response,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;
#[cfg(test)]
use utoipa::{ToSchema, openapi::Object};

/// Entries of a list where nobody says how many.
const FEW: usize = 20;
/// How often the file of a batch is tried to be read, and how long between.
const TRIES: usize = 60;
const PAUSE: Duration = Duration::from_secs(5);
/// Most bytes of what a client keeps with a batch.
const MOST_METADATA: usize = 16 << 10;

/// Rows to answer in the background.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct BatchRequest {
    /// A file of `/v1/files` whose purpose is `batch`.
    input_file_id: String,
    #[cfg_attr(test, schema(schema_with = endpoints))]
    endpoint: String,
    #[cfg_attr(test, schema(schema_with = windows))]
    completion_window: String,
    /// Kept with the batch.
    metadata: Option<Map<String, Value>>,
}

#[cfg(test)]
fn endpoints() -> Object {
    crate::openapi::words(&ENDPOINTS)
}

#[cfg(test)]
fn windows() -> Object {
    crate::openapi::words(&["24h"])
}

impl BatchRequest {
    fn check(&self) -> Result<(), Problem> {
        if !ENDPOINTS.contains(&self.endpoint.as_str()) {
            let what = format!("endpoint is {}", ENDPOINTS.join(", "));
            return Err(Problem::invalid(what).at("endpoint"));
        }
        if self.completion_window != "24h" {
            let what = "completion_window is 24h; here a batch takes the time it takes";
            return Err(Problem::invalid(what).at("completion_window"));
        }
        let metadata = self.metadata.clone().map(Value::Object);
        if metadata.is_some_and(|all| all.to_string().len() > MOST_METADATA) {
            let what = format!("metadata has at most {MOST_METADATA} bytes");
            return Err(Problem::invalid(what).at("metadata"));
        }
        Ok(())
    }
}

fn view(app: &App, record: &BatchRecord) -> Result<Value, Problem> {
    Ok(record.view(app.batches.progress(record)?.as_ref()))
}

pub(crate) async fn create(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    let made = async {
        let request: BatchRequest = body::json(body).await?;
        request.check()?;
        let record = off(&app, move |app| {
            let file = app.files.get(&visitor.owner, &request.input_file_id);
            let file = file.map_err(|problem| problem.at("input_file_id"))?;
            if file.purpose != Purpose::Batch {
                let what = "this file was not uploaded for a batch";
                return Err(Problem::invalid(what).at("input_file_id"));
            }
            let BatchRequest {
                endpoint, metadata, ..
            } = request;
            app.batches
                .create(&visitor.owner, &file.id, &endpoint, metadata)
        })
        .await?;
        // Nobody waits for it: what comes of reading the file is in the batch.
        drop(tokio::spawn(read(app, record.clone())));
        Ok(record.view(None))
    };
    reply(StatusCode::OK, made.await)
}

/// Reads the file of a batch. A database or a disk that fails now may not in a while; what a restart finds unread is
/// read then.
async fn read(app: App, record: BatchRecord) {
    for _ in 0..TRIES {
        let record = record.clone();
        let read = off(&app, move |app| Batches::submit(app, &record)).await;
        if read.is_ok() {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

pub(crate) async fn one(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let found = off(&app, move |app| {
        view(app, &app.batches.get(&visitor.owner, &id)?)
    });
    reply(StatusCode::OK, found.await)
}

pub(crate) async fn list(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let listed = off(&app, move |app| {
        let all = app.batches.list(&visitor.owner)?;
        let views = all.iter().map(|one| Ok((one.id.clone(), view(app, one)?)));
        wanted.page(views.collect::<Result<_, Problem>>()?, FEW)
    });
    reply(StatusCode::OK, listed.await)
}

pub(crate) async fn cancel(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
) -> Response {
    let cancelled = off(&app, move |app| {
        view(app, &app.batches.cancel(&visitor.owner, &id)?)
    });
    reply(StatusCode::OK, cancelled.await)
}
