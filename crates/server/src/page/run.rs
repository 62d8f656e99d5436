//! `POST /reckon/run`: runs code of an answer in the sandbox.
use super::{off, reply};
use crate::{body, error::Problem, state::App};
use axum::{body::Body, extract::State, http::StatusCode, response::Response};
use reckon::Tools;
use serde::Deserialize;
use serde_json::json;
#[cfg(test)]
use utoipa::ToSchema;

/// A program for the sandbox.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = PageProgram))]
pub(crate) struct Program {
    code: String,
    /// `python`, which is the only one.
    #[serde(default)]
    language: Option<String>,
}

pub(super) async fn run(State(app): State<App>, body: Body) -> Response {
    let ran = async {
        let program: Program = body::json(body).await?;
        let language = program.language.as_deref().unwrap_or("python");
        if !matches!(language, "python" | "py" | "python3") {
            return Err(Problem::invalid("only Python runs here"));
        }
        let outcome = off(&app, move |app| {
            Ok(app.toolboxes.with(|tools| tools.python(&program.code)))
        })
        .await?;
        Ok(json!({
            "ok": outcome.error.is_none(),
            "value": outcome.value,
            "stdout": outcome.stdout,
            "error": outcome.error,
            "ms": outcome.ms,
        }))
    };
    reply(StatusCode::OK, ran.await)
}
