//! What clients of llama.cpp's server ask for besides OpenAI's calls: tokens, templates, and the gap in a text.
use crate::{
    aside::aside,
    attachment, body,
    door::Visitor,
    error::{Dialect, Problem},
    job,
    openai::{
        chat::checked,
        content::{self, Stops, WireMessage},
        timings,
    },
    query::{Answered, Guarding, Happening, Prompt, Query},
    state::App,
    stream::{self, Encoder, data},
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
};
use reckon::{CheckLevel, Overrides};
use serde::Deserialize;
use serde_json::{Map, Value, json};
#[cfg(test)]
use utoipa::ToSchema;

/// A call that runs off the async threads and gives JSON, or a problem in OpenAI's words.
async fn run<T>(app: &App, body: Body, work: fn(&App, T) -> Result<Value, Problem>) -> Response
where
    T: serde::de::DeserializeOwned + Send + 'static,
{
    let said = async {
        let request: T = body::json(body).await?;
        let app = app.clone();
        let worked = aside(move || work(&app, request));
        worked
            .await
            .map_err(|_| Problem::internal("it broke off"))?
    };
    match said.await {
        Ok(value) => Json(value).into_response(),
        Err(problem) => problem.speak(Dialect::OpenAi),
    }
}

/// A text to cut into tokens.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct TokenizeRequest {
    model: Option<String>,
    content: String,
    /// Give the text of each token, too.
    #[serde(default)]
    with_pieces: bool,
}

pub(crate) async fn tokenize(State(app): State<App>, body: Body) -> Response {
    run(&app, body, |app, request: TokenizeRequest| {
        let held = app.pool.get(request.model.as_deref(), None)?;
        let tokens = held.model.tokenize(&request.content)?;
        if !request.with_pieces {
            return Ok(json!({ "tokens": tokens }));
        }
        let pieces = tokens
            .iter()
            .map(|token| Ok(json!({ "id": token, "piece": held.model.detokenize(&[*token])? })));
        Ok(json!({ "tokens": pieces.collect::<Result<Vec<_>, Problem>>()? }))
    })
    .await
}

/// Tokens to put together.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct DetokenizeRequest {
    model: Option<String>,
    tokens: Vec<u32>,
}

pub(crate) async fn detokenize(State(app): State<App>, body: Body) -> Response {
    run(&app, body, |app, request: DetokenizeRequest| {
        let held = app.pool.get(request.model.as_deref(), None)?;
        let most = held.model.engine().map_or(0, |engine| engine.n_vocab());
        if request.tokens.iter().any(|token| *token as usize >= most) {
            return Err(Problem::invalid(format!(
                "tokens are 0 to {}",
                most.saturating_sub(1)
            )));
        }
        Ok(json!({ "content": held.model.detokenize(&request.tokens)? }))
    })
    .await
}

/// A conversation to write as a prompt.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct TemplateRequest {
    model: Option<String>,
    messages: Vec<WireMessage>,
}

pub(crate) async fn apply_template(State(app): State<App>, body: Body) -> Response {
    run(&app, body, |app, request: TemplateRequest| {
        let held = app.pool.get(request.model.as_deref(), None)?;
        let turns = content::turns(request.messages)?;
        let read = attachment::read(&held, &turns, || true)?;
        Ok(json!({ "prompt": held.model.render(&read.messages)? }))
    })
    .await
}

/// A gap to fill.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct InfillRequest {
    model: Option<String>,
    #[serde(default)]
    input_prefix: String,
    #[serde(default)]
    input_suffix: String,
    /// What is already written of it.
    #[serde(default)]
    prompt: String,
    /// Most tokens; below 1 until it is done.
    n_predict: Option<i64>,
    stream: Option<bool>,
    stop: Option<Stops>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 100))]
    temperature: Option<f32>,
    top_k: Option<usize>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    top_p: Option<f32>,
    seed: Option<i64>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

pub(crate) async fn infill(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    let answered = filled(&app, &visitor, body).await;
    answered.unwrap_or_else(|problem| problem.speak(Dialect::OpenAi))
}

async fn filled(app: &App, visitor: &Visitor, body: Body) -> Result<Response, Problem> {
    let request: InfillRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(false);
    let query = Query {
        model: request.model,
        prompt: Prompt::Fill {
            before: request.input_prefix + &request.prompt,
            after: request.input_suffix,
        },
        sampling: checked(Overrides {
            temperature: request.temperature,
            top_k: request.top_k,
            top_p: request.top_p,
            seed: request.seed.map(i64::cast_unsigned),
            ..Overrides::default()
        })?,
        max_tokens: request
            .n_predict
            .and_then(|n| usize::try_from(n).ok())
            .filter(|n| *n > 0),
        stop: content::stops(request.stop)?,
        guards: Guarding {
            on: false,
            check: CheckLevel::Off,
        },
        ignored: body::leftovers(&request.rest, &["input_extra", "cache_prompt", "samplers"]),
        n: 1,
        ..Query::default()
    };
    if streams {
        let running = job::start(app, query).await?;
        let chunks = Chunks {
            app: app.clone(),
            visitor: visitor.clone(),
        };
        return Ok(stream::respond(running, 1, chunks, app.place_headers()));
    }
    let answers = job::collect(app, query).await?;
    app.spend(visitor, &answers);
    Ok(Json(answers.first().map(|one| whole(one, &one.text))).into_response())
}

fn whole(answered: &Answered, text: &str) -> Value {
    json!({
        "content": text,
        "stop": true,
        "tokens_predicted": answered.usage.completion,
        "tokens_evaluated": answered.usage.prompt,
        "timings": timings(answered),
    })
}

struct Chunks {
    app: App,
    visitor: Visitor,
}

impl Encoder for Chunks {
    fn on(&mut self, _: usize, happening: Happening) -> String {
        match happening {
            Happening::Text(text) => data(&json!({ "content": text, "stop": false })),
            _ => String::new(),
        }
    }

    fn end(&mut self, _: usize, answered: &Answered) -> String {
        self.app
            .spend(&self.visitor, std::slice::from_ref(answered));
        data(&whole(answered, ""))
    }

    fn fail(&mut self, problem: &Problem) -> String {
        data(&problem.body(Dialect::OpenAi))
    }
}
