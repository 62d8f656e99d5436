//! `POST /v1/responses` and `POST /v1/responses/input_tokens`: OpenAI's newer protocol, which Codex speaks only.
//!
//! Nothing is stored on the server, so a request must bring the whole conversation; `previous_response_id` is refused.
mod events;
mod input;

use super::{chat, content, id, now};
use crate::{
    attachment::{self, Turn},
    body::{self, Own},
    door::Visitor,
    error::{Dialect, Problem, ProblemKind},
    job,
    query::{Answered, Answering, End, Prompt, Query},
    state::App,
    stream::{self, Encoder},
};
use axum::{
    Extension, Json,
    body::Body,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use content::WireTool;
use events::Events;
use input::Input;
use reckon::{Message, Overrides};
use serde::Deserialize;
use serde_json::{Map, Value, json};
#[cfg(test)]
use utoipa::ToSchema;

/// A conversation to answer; nothing is kept, so all of it is sent.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct ResponseRequest {
    model: Option<String>,
    input: Input,
    /// What the model is told first.
    instructions: Option<String>,
    stream: Option<bool>,
    max_output_tokens: Option<u32>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 100))]
    temperature: Option<f32>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    top_p: Option<f32>,
    seed: Option<i64>,
    tools: Option<Vec<WireTool>>,
    tool_choice: Option<Value>,
    parallel_tool_calls: Option<bool>,
    /// `{"format": …}`: the form that the answer is held to.
    text: Option<Value>,
    /// `{"effort": …}`: `none` and `minimal` do not think.
    reasoning: Option<Value>,
    /// Refused: responses are not stored here.
    previous_response_id: Option<String>,
    reckon: Option<Own>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

const HARMLESS: &[&str] = &[
    "user",
    "store",
    "include",
    "metadata",
    "service_tier",
    "prompt_cache_key",
    "safety_identifier",
    "client_metadata",
    "truncation",
];

impl ResponseRequest {
    fn query(self, headers: &HeaderMap) -> Result<Query, Problem> {
        if self.previous_response_id.is_some() {
            let what = "responses are not stored here: send the whole conversation as input";
            return Err(Problem::invalid(what).at("previous_response_id"));
        }
        let mut ignored = body::leftovers(&self.rest, HARMLESS);
        let tools = content::tools(self.tools.unwrap_or_default(), &mut ignored)?;
        let effort = self
            .reasoning
            .as_ref()
            .and_then(|reasoning| reasoning.get("effort"));
        let own = self.reckon.as_ref();
        let instructions = self.instructions.map(Message::system);
        let mut turns: Vec<Turn> = instructions.into_iter().map(Turn::from).collect();
        turns.extend(self.input.turns(&mut ignored)?);
        Ok(Query {
            model: self.model,
            choice: content::choice(self.tool_choice.as_ref(), &tools)?,
            tools,
            parallel: self.parallel_tool_calls,
            thinking: chat::effort(effort.and_then(Value::as_str)),
            sampling: chat::checked(Overrides {
                temperature: self.temperature,
                top_p: self.top_p,
                seed: self.seed.map(i64::cast_unsigned),
                ..Overrides::default()
            })?,
            max_tokens: self.max_output_tokens.map(|most| most.max(1) as usize),
            shape: content::form(self.text.as_ref().and_then(|text| text.get("format")))?,
            guards: chat::guarding(headers, own),
            trim: own.is_some_and(|own| own.trim),
            background: own.is_some_and(|own| own.background),
            prompt: Prompt::Chat(turns),
            ignored,
            n: 1,
            ..Query::default()
        })
    }
}

pub(crate) async fn handle(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let answered = answer(&app, &visitor, &headers, body).await;
    answered.unwrap_or_else(|problem| problem.conversation_is("input").speak(Dialect::OpenAi))
}

async fn answer(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let request: ResponseRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(false);
    let query = attachment::fetched(app, &visitor.owner, request.query(headers)?).await?;
    let name = app.pool.resolve(query.model.as_deref())?.name();
    let shell = Shell::new(name);
    if streams {
        let mut events = Events::new(shell, app.clone(), visitor.clone());
        let running = match job::start(app, query).await {
            // Codex makes room and asks again if it hears of this in the stream, and gives up on a 400.
            Err(problem) if problem.kind == ProblemKind::TooLong => {
                let failed = events.begin() + &events.fail(&problem);
                return Ok(([(header::CONTENT_TYPE, stream::EVENTS)], failed).into_response());
            }
            started => started?,
        };
        return Ok(stream::respond(running, 1, events, app.place_headers()));
    }
    let answers = job::collect(app, query).await?;
    app.spend(visitor, &answers);
    let whole = answers.first().map(|answered| {
        let output = output(answered);
        shell.finished(answered, output)
    });
    Ok(Json(whole).into_response())
}

/// Answers a row of a batch.
pub(crate) fn whole(
    app: &App,
    body: Value,
    answering: &mut Answering<'_>,
) -> Result<Value, Problem> {
    let request: ResponseRequest = body::of_row(body)?;
    let query = request.query(&HeaderMap::new())?;
    let name = app.pool.resolve(query.model.as_deref())?.name();
    let answers = answering(query)?;
    let answered = answers
        .first()
        .map(|answered| Shell::new(name).finished(answered, output(answered)));
    answered.ok_or_else(|| Problem::internal("there is no answer"))
}

/// How many tokens a request would have.
pub(crate) async fn input_tokens(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let counted = async {
        let request: ResponseRequest = body::json(body).await?;
        let query = request.query(&headers)?;
        let query = attachment::fetched(&app, &visitor.owner, query).await?;
        let tokens = crate::count::tokens(&app, query).await?;
        Ok::<_, Problem>(json!({ "object": "response.input_tokens", "input_tokens": tokens }))
    };
    match counted.await {
        Ok(value) => Json(value).into_response(),
        Err(problem) => problem.conversation_is("input").speak(Dialect::OpenAi),
    }
}

/// What all states of a response have in common.
#[derive(Clone, Debug)]
struct Shell {
    id: String,
    created: u64,
    model: String,
}

impl Shell {
    fn new(model: String) -> Self {
        Self {
            id: id("resp_"),
            created: now(),
            model,
        }
    }

    fn response(&self, status: &str, output: Vec<Value>) -> Value {
        json!({
            "id": self.id,
            "object": "response",
            "created_at": self.created,
            "status": status,
            "model": self.model,
            "output": output,
            "error": null,
            "incomplete_details": null,
            "instructions": null,
            "metadata": {},
            "parallel_tool_calls": true,
            "temperature": null,
            "tool_choice": "auto",
            "tools": [],
            "top_p": null,
            "usage": null,
        })
    }

    fn finished(&self, answered: &Answered, output: Vec<Value>) -> Value {
        let is_cut = matches!(answered.end, End::Length | End::Repeats);
        let mut response = self.response(if is_cut { "incomplete" } else { "completed" }, output);
        if is_cut {
            response["incomplete_details"] = json!({ "reason": "max_output_tokens" });
        }
        let usage = answered.usage;
        response["usage"] = json!({
            "input_tokens": usage.prompt,
            "input_tokens_details": { "cached_tokens": usage.reused },
            "output_tokens": usage.completion,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": usage.prompt + usage.completion,
        });
        response["reckon"] = answered.extra();
        response
    }
}

/// The items of a finished response.
fn output(answered: &Answered) -> Vec<Value> {
    let mut items = Vec::new();
    if !answered.thought.is_empty() {
        items.push(thinking(&id("rs_"), &answered.thought));
    }
    if !answered.text.is_empty() || answered.calls.is_empty() {
        items.push(message(&id("msg_"), &answered.text, "completed"));
    }
    for call in &answered.calls {
        let arguments = Value::from(call.arguments.clone()).to_string();
        items.push(function_call(&id("fc_"), &call.id, &call.name, &arguments));
    }
    items
}

fn message(id: &str, text: &str, status: &str) -> Value {
    let part = json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] });
    json!({
        "id": id,
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [part],
    })
}

fn thinking(id: &str, text: &str) -> Value {
    json!({
        "id": id,
        "type": "reasoning",
        "summary": [],
        "content": [{ "type": "reasoning_text", "text": text }],
    })
}

fn function_call(id: &str, call: &str, name: &str, arguments: &str) -> Value {
    json!({
        "id": id,
        "type": "function_call",
        "status": "completed",
        "call_id": call,
        "name": name,
        "arguments": arguments,
    })
}
