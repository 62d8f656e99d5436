//! `POST /v1/completions`: goes on with a text, or fills the gap before a `suffix`.
use super::{chat::checked, content, content::Stops, finish_reason, id, now, timings};
use crate::{
    body,
    door::Visitor,
    error::{Dialect, Problem},
    job,
    query::{Answered, Answering, Guarding, Happening, Prompt, Query},
    state::App,
    stream::{self, Encoder, LONG, data},
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

/// A text to go on with.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct CompletionRequest {
    model: Option<String>,
    prompt: Texts,
    /// The text behind the gap to fill; only models made for it can.
    suffix: Option<String>,
    stream: Option<bool>,
    stream_options: Option<Value>,
    /// Most tokens of the answer; 16 where nothing is said.
    max_tokens: Option<u32>,
    #[cfg_attr(test, schema(minimum = 1, maximum = 16))]
    n: Option<u32>,
    seed: Option<i64>,
    stop: Option<Stops>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 100))]
    temperature: Option<f32>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    top_p: Option<f32>,
    top_k: Option<usize>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    min_p: Option<f32>,
    /// Begin the answer with the prompt.
    echo: Option<bool>,
    /// How many of the likeliest tokens to give with each.
    logprobs: Option<usize>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// One text or several.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = Prompts))]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

/// What OpenAI gives where nobody says how much.
const FEW: u32 = 16;
/// Most prompts of one request.
const MOST_PROMPTS: usize = 16;

/// The `logprobs` of a choice, as this older call has them.
fn logprobs(answered: &Answered, begin: usize) -> Value {
    if answered.logprobs.is_empty() {
        return Value::Null;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut at = begin;
    let offsets = answered.logprobs.iter().map(|one| {
        let offset = at;
        at += one.bytes.len();
        offset
    });
    let offsets: Vec<usize> = offsets.collect();
    let tops = answered.logprobs.iter().map(|one| {
        let top = one
            .top
            .iter()
            .map(|(bytes, logprob)| (text(bytes), Value::from(*logprob)));
        Value::from(top.collect::<Map<String, Value>>())
    });
    json!({
        "tokens": answered.logprobs.iter().map(|one| text(&one.bytes)).collect::<Vec<_>>(),
        "token_logprobs": answered.logprobs.iter().map(|one| one.logprob).collect::<Vec<_>>(),
        "top_logprobs": tops.collect::<Vec<_>>(),
        "text_offset": offsets,
    })
}

pub(crate) async fn handle(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    let answered = answer(&app, &visitor, body).await;
    answered.unwrap_or_else(|problem| problem.speak(Dialect::OpenAi))
}

async fn answer(app: &App, visitor: &Visitor, body: Body) -> Result<Response, Problem> {
    let request: CompletionRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(false);
    let wants_usage = request.stream_options.as_ref();
    let wants_usage = wants_usage
        .and_then(|options| options.get("include_usage"))
        .and_then(Value::as_bool);
    let prompts = prompts(request)?;
    if streams {
        let model = prompts
            .first()
            .and_then(|(_, query)| query.model.as_deref());
        let model = app.pool.resolve(model)?.name();
        let (echoes, queries): (Vec<_>, Vec<_>) = prompts.into_iter().unzip();
        let n = queries.iter().map(|query| query.n).sum();
        let running = job::start_all(app, queries).await?;
        let chunks = Chunks {
            id: id("cmpl-"),
            model,
            created: now(),
            each: n / echoes.len().max(1),
            echoes,
            wants_usage: wants_usage.unwrap_or(false),
            answers: vec![None; n],
            app: app.clone(),
            visitor: visitor.clone(),
        };
        return Ok(stream::respond(running, n, chunks, app.place_headers()));
    }
    let mut said = Vec::new();
    for (echo, query) in prompts {
        let answers = job::collect(app, query).await?;
        app.spend(visitor, &answers);
        said.push((echo, answers));
    }
    Ok(Json(completion(&said)).into_response())
}

/// Answers a row of a batch.
pub(crate) fn whole(body: Value, answering: &mut Answering<'_>) -> Result<Value, Problem> {
    let mut said = Vec::new();
    for (echo, query) in prompts(body::of_row(body)?)? {
        said.push((echo, answering(query)?));
    }
    Ok(completion(&said))
}

/// A whole `text_completion`: for each prompt what is repeated before its answers, and those.
fn completion(said: &[(String, Vec<Answered>)]) -> Value {
    let mut choices = Vec::new();
    for (echo, answers) in said {
        for one in answers {
            choices.push(json!({
                "index": choices.len(),
                "text": format!("{echo}{}", one.text),
                "logprobs": logprobs(one, echo.len()),
                "finish_reason": finish_reason(one.end),
            }));
        }
    }
    let prompts = said.iter().map(|(_, answers)| answers.as_slice());
    let first = said.first().and_then(|(_, answers)| answers.first());
    json!({
        "id": id("cmpl-"),
        "object": "text_completion",
        "created": now(),
        "model": first.map(|one| one.model.as_str()),
        "choices": choices,
        "usage": usage_of_all(prompts),
        "timings": first.map(timings),
        "reckon": first.map(Answered::extra),
    })
}

/// Tokens of the answers to several prompts, each of which was read once.
fn usage_of_all<'a>(prompts: impl Iterator<Item = &'a [Answered]>) -> Value {
    let (mut prompt, mut cached, mut completion) = (0, 0, 0);
    for answers in prompts {
        prompt += answers.first().map_or(0, |one| one.usage.prompt);
        cached += answers.first().map_or(0, |one| one.usage.reused);
        completion += answers
            .iter()
            .map(|one| one.usage.completion)
            .sum::<usize>();
    }
    json!({
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": { "cached_tokens": cached },
    })
}

/// A query for each prompt, with what is repeated before its answers.
fn prompts(request: CompletionRequest) -> Result<Vec<(String, Query)>, Problem> {
    let texts = match &request.prompt {
        Texts::One(text) => vec![text.clone()],
        Texts::Many(texts) => texts.clone(),
    };
    if texts.is_empty() || texts.len() > MOST_PROMPTS {
        return Err(Problem::invalid(format!("1 to {MOST_PROMPTS} prompts")).at("prompt"));
    }
    let queries = texts.into_iter().map(|text| query(request.clone(), text));
    queries.collect()
}

/// The query, and what is repeated before the answer.
fn query(request: CompletionRequest, text: String) -> Result<(String, Query), Problem> {
    if request.logprobs.is_some_and(|most| most > 5) {
        return Err(Problem::invalid("logprobs is 0 to 5").at("logprobs"));
    }
    if text.is_empty() && request.suffix.is_none() {
        return Err(Problem::invalid("the prompt is empty").at("prompt"));
    }
    let n = request.n.unwrap_or(1);
    if n == 0 || n > 16 {
        return Err(Problem::invalid("n is 1 to 16").at("n"));
    }
    let echo = match request.echo.unwrap_or(false) {
        true => text.clone(),
        false => String::new(),
    };
    let query = Query {
        model: request.model,
        prompt: match request.suffix.filter(|suffix| !suffix.is_empty()) {
            Some(after) => Prompt::Fill {
                before: text,
                after,
            },
            None => Prompt::Text(text),
        },
        sampling: checked(Overrides {
            temperature: request.temperature,
            top_k: request.top_k,
            top_p: request.top_p,
            min_p: request.min_p,
            seed: request.seed.map(i64::cast_unsigned),
            ..Overrides::default()
        })?,
        max_tokens: Some(request.max_tokens.unwrap_or(FEW).max(1) as usize),
        stop: content::stops(request.stop)?,
        logprobs: request.logprobs,
        guards: Guarding {
            on: false,
            check: CheckLevel::Off,
        },
        ignored: body::leftovers(&request.rest, &["user"]),
        n: n as usize,
        ..Query::default()
    };
    Ok((echo, query))
}

struct Chunks {
    id: String,
    model: String,
    created: u64,
    /// What is repeated before the answers to each prompt.
    echoes: Vec<String>,
    /// Answers to each prompt.
    each: usize,
    wants_usage: bool,
    answers: Vec<Option<Answered>>,
    app: App,
    visitor: Visitor,
}

impl Chunks {
    fn chunk(&self, choices: Value) -> Value {
        json!({
            "id": self.id,
            "object": "text_completion",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        })
    }

    fn text(&self, at: usize, text: &str, finish: Option<&str>) -> Value {
        let choice =
            json!({ "index": at, "text": text, "logprobs": null, "finish_reason": finish });
        self.chunk(json!([choice]))
    }
}

impl Encoder for Chunks {
    fn begin(&mut self) -> String {
        let echoes = (0..self.answers.len()).filter_map(|at| {
            let echo = self.echoes.get(at / self.each.max(1))?;
            (!echo.is_empty()).then(|| data(&self.text(at, echo, None)))
        });
        ": begin\n\n".to_owned() + &echoes.collect::<String>()
    }

    fn on(&mut self, at: usize, happening: Happening) -> String {
        match happening {
            Happening::Text(text) => data(&self.text(at, &text, None)),
            Happening::Prefill { done, total } if total >= LONG => {
                format!(": read {done} of {total}\n\n")
            }
            _ => String::new(),
        }
    }

    fn end(&mut self, at: usize, answered: &Answered) -> String {
        let mut chunk = self.text(at, "", Some(finish_reason(answered.end)));
        let echo = self
            .echoes
            .get(at / self.each.max(1))
            .map_or(0, String::len);
        chunk["choices"][0]["logprobs"] = logprobs(answered, echo);
        chunk["timings"] = timings(answered);
        if let Some(place) = self.answers.get_mut(at) {
            *place = Some(answered.clone());
        }
        data(&chunk)
    }

    fn close(&mut self) -> String {
        let answers: Vec<Answered> = self.answers.drain(..).flatten().collect();
        self.app.spend(&self.visitor, &answers);
        let mut text = String::new();
        if self.wants_usage {
            let mut chunk = self.chunk(json!([]));
            chunk["usage"] = usage_of_all(answers.chunks(self.each.max(1)));
            text += &data(&chunk);
        }
        text + "data: [DONE]\n\n"
    }

    fn fail(&mut self, problem: &Problem) -> String {
        data(&problem.body(Dialect::OpenAi)) + "data: [DONE]\n\n"
    }
}
