//! `POST /api/generate`: one prompt, with the chat template or as it is, or the gap before a `suffix`.
use super::{
    counts, images, now,
    options::{self, WireOptions},
};
use crate::{
    aside::aside,
    attachment::Turn,
    body::{self, Own},
    door::Visitor,
    error::{Dialect, Problem},
    job,
    openai::chat::guarding,
    pool::KeepAlive,
    query::{Answered, Happening, Prompt, Query},
    state::App,
    stream::{self, Encoder, LINES, line},
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use reckon::Message;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;
#[cfg(test)]
use utoipa::ToSchema;

/// A prompt to answer.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaGenerateRequest))]
pub(crate) struct GenerateRequest {
    model: String,
    prompt: Option<String>,
    /// The text behind the gap to fill; only models made for it can.
    suffix: Option<String>,
    system: Option<String>,
    /// Without the chat template.
    raw: Option<bool>,
    /// Pictures, in base64.
    images: Option<Vec<Value>>,
    /// True where nothing is said: a line of JSON for each piece.
    stream: Option<bool>,
    /// `json`, or a JSON schema: the answer is held to it.
    format: Option<Value>,
    options: Option<WireOptions>,
    /// True, false, or an effort.
    think: Option<Value>,
    /// How long the model stays loaded: seconds, or a text such as `5m`.
    keep_alive: Option<Value>,
    reckon: Option<Own>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl GenerateRequest {
    fn query(self, headers: &HeaderMap) -> Result<Query, Problem> {
        let files = images(self.images.unwrap_or_default())?;
        let is_raw = self.raw.unwrap_or(false);
        let own = self.reckon.as_ref();
        let prompt = self.prompt.unwrap_or_default();
        let suffix = self.suffix.filter(|suffix| !suffix.is_empty());
        if !files.is_empty() && (is_raw || suffix.is_some()) {
            let what = "images are shown with a chat template only: not with raw or suffix";
            return Err(Problem::invalid(what).at("images"));
        }
        let prompt = match suffix {
            Some(after) => Prompt::Fill {
                before: prompt,
                after,
            },
            None if is_raw => Prompt::Text(prompt),
            None => {
                let system = self.system.filter(|text| !text.is_empty());
                let system = system.map(|text| Message::system(text).into());
                let message = Message::user(prompt);
                let question = Turn { message, files };
                Prompt::Chat(system.into_iter().chain([question]).collect())
            }
        };
        let mut query = Query {
            model: Some(self.model),
            keep_alive: options::keep_alive(self.keep_alive.as_ref())?,
            thinking: options::think(self.think.as_ref())?,
            shape: options::format(self.format.as_ref())?,
            guards: guarding(headers, own),
            trim: own.is_some_and(|own| own.trim),
            background: own.is_some_and(|own| own.background),
            prompt,
            ignored: body::leftovers(&self.rest, &[]),
            n: 1,
            ..Query::default()
        };
        self.options.unwrap_or_default().apply(&mut query)?;
        Ok(query)
    }
}

/// Loads a model or lets it go; the word that says which.
pub(super) async fn load(
    app: &App,
    name: &str,
    keep_alive: Option<KeepAlive>,
) -> Result<&'static str, Problem> {
    if keep_alive == Some(KeepAlive::For(Duration::ZERO)) {
        app.pool.unload(name)?;
        return Ok("unload");
    }
    let (app, name) = (app.clone(), name.to_owned());
    let loaded = aside(move || app.pool.get(Some(&name), keep_alive).map(drop));
    loaded
        .await
        .map_err(|_| Problem::internal("loading broke off"))??;
    Ok("load")
}

pub(crate) async fn handle(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let answered = answer(&app, &visitor, &headers, body).await;
    answered.unwrap_or_else(|problem| problem.speak(Dialect::Ollama))
}

async fn answer(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let request: GenerateRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(true);
    let lines = Lines {
        model: request.model.clone(),
        app: app.clone(),
        visitor: visitor.clone(),
    };
    let is_empty = request.prompt.as_deref().is_none_or(str::is_empty)
        && request.suffix.as_deref().is_none_or(str::is_empty);
    let query = request.query(headers)?;
    if is_empty {
        let reason = load(app, &lines.model, query.keep_alive).await?;
        let mut said = lines.line("");
        (said["done"], said["done_reason"]) = (true.into(), reason.into());
        return Ok(Json(said).into_response());
    }
    if streams {
        let running = job::start(app, query).await?;
        return Ok(stream::respond(running, 1, lines, app.place_headers()));
    }
    let answers = job::collect(app, query).await?;
    app.spend(visitor, &answers);
    let whole = answers.first().map(|answered| {
        let mut said = lines.line(&answered.text);
        if !answered.thought.is_empty() {
            said["thinking"] = answered.thought.clone().into();
        }
        counts(&mut said, answered);
        said
    });
    Ok(Json(whole).into_response())
}

struct Lines {
    model: String,
    app: App,
    visitor: Visitor,
}

impl Lines {
    fn line(&self, text: &str) -> Value {
        json!({ "model": self.model, "created_at": now(), "response": text, "done": false })
    }
}

impl Encoder for Lines {
    fn kind(&self) -> &'static str {
        LINES
    }

    fn on(&mut self, _: usize, happening: Happening) -> String {
        match happening {
            Happening::Text(text) => line(&self.line(&text)),
            Happening::Thought(text) => {
                let mut said = self.line("");
                said["thinking"] = text.into();
                line(&said)
            }
            _ => String::new(),
        }
    }

    fn end(&mut self, _: usize, answered: &Answered) -> String {
        self.app
            .spend(&self.visitor, std::slice::from_ref(answered));
        let mut said = self.line("");
        counts(&mut said, answered);
        line(&said)
    }

    fn fail(&mut self, problem: &Problem) -> String {
        line(&problem.body(Dialect::Ollama))
    }

    fn ping(&mut self) -> String {
        line(&self.line(""))
    }
}
