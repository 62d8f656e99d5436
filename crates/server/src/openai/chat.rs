//! `POST /v1/chat/completions`.
use super::{content, finish_reason, id, logprobs, now, timings, usage};
use crate::{
    attachment,
    body::{self, Own},
    door::Visitor,
    error::{Dialect, Problem},
    job,
    query::{Answered, Answering, CallPart, Guarding, Happening, Likely, Prompt, Query},
    state::App,
    stream::{self, Encoder, LONG, data},
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use content::{Stops, WireMessage, WireTool};
use reckon::{Overrides, engine::ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value, json};
#[cfg(test)]
use utoipa::ToSchema;

/// The body of a request. What is not named here is named in the receipt.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ChatCompletionRequest))]
pub(crate) struct ChatRequest {
    /// The name of a model; the server's default where nothing is said.
    model: Option<String>,
    /// The conversation, at least one message.
    #[cfg_attr(test, schema(min_items = 1))]
    messages: Vec<WireMessage>,
    #[serde(default)]
    /// The answer piece by piece, as server-sent events.
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    /// Most tokens of the answer; older name of `max_completion_tokens`.
    #[cfg_attr(test, schema(minimum = 1))]
    max_tokens: Option<u32>,
    /// Most tokens of the answer, thinking included.
    #[cfg_attr(test, schema(minimum = 1))]
    max_completion_tokens: Option<u32>,
    /// How many answers.
    #[cfg_attr(test, schema(minimum = 1, maximum = 16))]
    n: Option<u32>,
    /// Same model, messages and seed give the same bytes.
    seed: Option<i64>,
    stop: Option<Stops>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 100))]
    temperature: Option<f32>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    top_p: Option<f32>,
    top_k: Option<usize>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    min_p: Option<f32>,
    #[cfg_attr(test, schema(minimum = 0.01, maximum = 10))]
    repetition_penalty: Option<f32>,
    /// Give the probability of each token.
    logprobs: Option<bool>,
    /// How many of the likeliest tokens to give with each.
    #[cfg_attr(test, schema(maximum = 20))]
    top_logprobs: Option<usize>,
    /// `{"type": "json_object"}` or `{"type": "json_schema", "json_schema": {"schema": …}}`: the answer is held to it.
    response_format: Option<Value>,
    tools: Option<Vec<WireTool>>,
    /// `auto`, `none`, `required`, or one function.
    tool_choice: Option<Value>,
    parallel_tool_calls: Option<bool>,
    /// `none` and `minimal` do not think; every other word does.
    reasoning_effort: Option<String>,
    /// Handed to the model's chat template.
    chat_template_kwargs: Option<Map<String, Value>>,
    reckon: Option<Own>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
struct StreamOptions {
    /// Count tokens in a last event.
    #[serde(default)]
    include_usage: bool,
}

/// Fields that say who asks or how it is billed: they change no answer anywhere.
const HARMLESS: &[&str] = &[
    "user",
    "store",
    "metadata",
    "service_tier",
    "prompt_cache_key",
    "safety_identifier",
];
/// Most answers to one request.
const MOST_ANSWERS: u32 = 16;

/// Whether a header turns guards off.
pub(crate) fn guarding(headers: &HeaderMap, own: Option<&Own>) -> Guarding {
    let header = headers
        .get("x-reckon-guards")
        .and_then(|value| value.to_str().ok());
    let off = header.is_some_and(|value| value.eq_ignore_ascii_case("off"));
    let default = Guarding::default();
    let on = own.and_then(|own| own.guards).unwrap_or(default.on);
    Guarding {
        on: on && !off,
        check: own.and_then(|own| own.check).unwrap_or(default.check),
    }
}

/// Settings of the sampler, within what means anything.
pub(crate) fn checked(sampling: Overrides) -> Result<Overrides, Problem> {
    let within = |value: Option<f32>, low: f32, high: f32, name: &str| match value {
        Some(value) if !(low..=high).contains(&value) => {
            Err(Problem::invalid(format!("{name} is {low} to {high}")).at(name))
        }
        _ => Ok(()),
    };
    within(sampling.temperature, 0.0, 100.0, "temperature")?;
    within(sampling.top_p, 0.0, 1.0, "top_p")?;
    within(sampling.min_p, 0.0, 1.0, "min_p")?;
    within(
        sampling.repetition_penalty,
        0.01,
        10.0,
        "repetition_penalty",
    )?;
    Ok(sampling)
}

/// `none` and `minimal` do not think, every other effort does.
pub(crate) fn effort(word: Option<&str>) -> Option<bool> {
    word.map(|word| !matches!(word, "none" | "minimal"))
}

impl ChatRequest {
    fn query(self, headers: &HeaderMap) -> Result<Query, Problem> {
        let mut ignored = body::leftovers(&self.rest, HARMLESS);
        let tools = content::tools(self.tools.unwrap_or_default(), &mut ignored)?;
        let n = self.n.unwrap_or(1);
        if n == 0 || n > MOST_ANSWERS {
            return Err(Problem::invalid(format!("n is 1 to {MOST_ANSWERS}")).at("n"));
        }
        let most = self.max_completion_tokens.or(self.max_tokens);
        if most == Some(0) {
            return Err(Problem::invalid("an answer has at least 1 token").at("max_tokens"));
        }
        if self.top_logprobs.is_some_and(|top| top > 20) {
            return Err(Problem::invalid("top_logprobs is 0 to 20").at("top_logprobs"));
        }
        let own = self.reckon.as_ref();
        Ok(Query {
            model: self.model,
            choice: content::choice(self.tool_choice.as_ref(), &tools)?,
            tools,
            parallel: self.parallel_tool_calls,
            thinking: effort(self.reasoning_effort.as_deref()),
            template: self.chat_template_kwargs.unwrap_or_default(),
            sampling: checked(Overrides {
                temperature: self.temperature,
                top_k: self.top_k,
                top_p: self.top_p,
                min_p: self.min_p,
                repetition_penalty: self.repetition_penalty,
                seed: self.seed.map(i64::cast_unsigned),
            })?,
            max_tokens: most.map(|most| most as usize),
            stop: content::stops(self.stop)?,
            shape: content::form(self.response_format.as_ref())?,
            logprobs: self
                .logprobs
                .unwrap_or(false)
                .then(|| self.top_logprobs.unwrap_or(0)),
            guards: guarding(headers, own),
            trim: own.is_some_and(|own| own.trim),
            background: own.is_some_and(|own| own.background),
            prompt: Prompt::Chat(content::turns(self.messages)?),
            ignored,
            n: n as usize,
            ..Query::default()
        })
    }
}

/// Answers.
pub(crate) async fn handle(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let answered = answer(&app, &visitor, &headers, body).await;
    answered.unwrap_or_else(|problem| problem.speak(Dialect::OpenAi))
}

async fn answer(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let request: ChatRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(false);
    let wants_usage = request.stream_options.unwrap_or_default().include_usage;
    let query = attachment::fetched(app, &visitor.owner, request.query(headers)?).await?;
    let (n, place) = (query.n, app.place_headers());
    if streams {
        let name = app.pool.resolve(query.model.as_deref())?.name();
        let running = job::start(app, query).await?;
        let chunks = Chunks {
            id: id("chatcmpl-"),
            model: name,
            created: now(),
            n,
            wants_usage,
            likely: vec![Vec::new(); n],
            answers: Vec::new(),
            app: app.clone(),
            visitor: visitor.clone(),
        };
        return Ok(stream::respond(running, n, chunks, place));
    }
    let answers = job::collect(app, query).await?;
    app.spend(visitor, &answers);
    Ok((place, Json(completion(&answers))).into_response())
}

/// Answers a row of a batch.
pub(crate) fn whole(body: Value, answering: &mut Answering<'_>) -> Result<Value, Problem> {
    let request: ChatRequest = body::of_row(body)?;
    let query = request.query(&HeaderMap::new())?;
    Ok(completion(&answering(query)?))
}

/// A whole `chat.completion`.
fn completion(answers: &[Answered]) -> Value {
    let all: Vec<&Answered> = answers.iter().collect();
    let choices = answers.iter().enumerate().map(|(index, one)| {
        let mut message = json!({ "role": "assistant", "content": one.text });
        if !one.calls.is_empty() {
            message["tool_calls"] = one.calls.iter().map(call).collect();
            if one.text.is_empty() {
                message["content"] = Value::Null;
            }
        }
        if !one.thought.is_empty() {
            message["reasoning_content"] = one.thought.clone().into();
        }
        json!({
            "index": index,
            "message": message,
            "logprobs": logprobs(&one.logprobs),
            "finish_reason": finish_reason(one.end),
        })
    });
    let mut completion = json!({
        "id": id("chatcmpl-"),
        "object": "chat.completion",
        "created": now(),
        "model": answers.first().map(|one| one.model.as_str()),
        "choices": choices.collect::<Vec<_>>(),
        "usage": usage(&all),
    });
    if let Some(first) = answers.first() {
        completion["timings"] = timings(first);
        completion["reckon"] = first.extra();
    }
    completion
}

/// A tool call with its arguments as text, as OpenAI has it.
pub(crate) fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": Value::from(call.arguments.clone()).to_string() },
    })
}

/// The answer as `chat.completion.chunk`s.
struct Chunks {
    id: String,
    model: String,
    created: u64,
    n: usize,
    wants_usage: bool,
    /// Tokens of each answer whose text was not sent yet.
    likely: Vec<Vec<Likely>>,
    answers: Vec<Answered>,
    app: App,
    visitor: Visitor,
}

impl Chunks {
    /// The tokens since the last chunk of an answer.
    fn likely(&mut self, at: usize) -> Value {
        let tokens = self.likely.get_mut(at).map(std::mem::take);
        logprobs(&tokens.unwrap_or_default())
    }

    fn chunk(&self, choices: Value) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        })
    }

    fn delta(&self, at: usize, delta: Value) -> String {
        self.delta_with(at, delta, Value::Null)
    }

    fn delta_with(&self, at: usize, delta: Value, likely: Value) -> String {
        let choice =
            json!({ "index": at, "delta": delta, "logprobs": likely, "finish_reason": null });
        data(&self.chunk(json!([choice])))
    }
}

impl Encoder for Chunks {
    fn begin(&mut self) -> String {
        let role = || json!({ "role": "assistant", "content": "" });
        (0..self.n).map(|at| self.delta(at, role())).collect()
    }

    fn on(&mut self, at: usize, happening: Happening) -> String {
        match happening {
            Happening::Likely(token) => {
                if let Some(tokens) = self.likely.get_mut(at) {
                    tokens.push(token);
                }
                String::new()
            }
            Happening::Text(text) => {
                let likely = self.likely(at);
                self.delta_with(at, json!({ "content": text }), likely)
            }
            Happening::Thought(text) => self.delta(at, json!({ "reasoning_content": text })),
            Happening::Call(CallPart::Begin { index, id, name }) => {
                let function = json!({ "name": name, "arguments": "" });
                let call =
                    json!({ "index": index, "id": id, "type": "function", "function": function });
                self.delta(at, json!({ "tool_calls": [call] }))
            }
            Happening::Call(CallPart::Arguments { index, json: text }) => {
                let call = json!({ "index": index, "function": { "arguments": text } });
                self.delta(at, json!({ "tool_calls": [call] }))
            }
            Happening::Queued(place) => {
                let seconds = place.eta.as_secs();
                format!(": queued, place {}, about {seconds} s\n\n", place.place)
            }
            Happening::Prefill { done, total } if total >= LONG => {
                format!(": read {done} of {total}\n\n")
            }
            Happening::Checking(guard) => format!(": checking {guard}\n\n"),
            _ => String::new(),
        }
    }

    fn end(&mut self, at: usize, answered: &Answered) -> String {
        // Tokens that brought no text: the end of thinking, the beginning of a call.
        let choice = json!({
            "index": at,
            "delta": {},
            "logprobs": self.likely(at),
            "finish_reason": finish_reason(answered.end),
        });
        let mut chunk = self.chunk(json!([choice]));
        chunk["timings"] = timings(answered);
        chunk["reckon"] = answered.extra();
        self.answers.push(answered.clone());
        data(&chunk)
    }

    fn close(&mut self) -> String {
        self.app.spend(&self.visitor, &self.answers);
        let mut text = String::new();
        if self.wants_usage {
            let all: Vec<&Answered> = self.answers.iter().collect();
            let mut chunk = self.chunk(json!([]));
            chunk["usage"] = usage(&all);
            text += &data(&chunk);
        }
        text + "data: [DONE]\n\n"
    }

    fn fail(&mut self, problem: &Problem) -> String {
        data(&problem.body(Dialect::OpenAi)) + "data: [DONE]\n\n"
    }
}
