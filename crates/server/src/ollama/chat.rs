//! `POST /api/chat`.
use super::{
    counts, images, now,
    options::{self, WireOptions},
};
use crate::{
    attachment::Turn,
    body::{self, Own},
    door::Visitor,
    error::{Dialect, Problem},
    job,
    openai::{
        chat::guarding,
        content::{self, WireTool},
        id,
    },
    query::{Answered, CallPart, Happening, Prompt, Query},
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
use reckon::{Message, Role, engine::ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value, json};
#[cfg(test)]
use utoipa::{ToSchema, openapi::Object};

/// A conversation to answer.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaChatRequest))]
pub(crate) struct ChatRequest {
    model: String,
    #[serde(default)]
    messages: Option<Vec<WireMessage>>,
    /// True where nothing is said: a line of JSON for each piece.
    stream: Option<bool>,
    /// `json`, or a JSON schema: the answer is held to it.
    format: Option<Value>,
    #[serde(default)]
    options: Option<WireOptions>,
    /// True, false, or an effort.
    think: Option<Value>,
    tools: Option<Vec<WireTool>>,
    /// How long the model stays loaded: seconds, or a text such as `5m`.
    keep_alive: Option<Value>,
    reckon: Option<Own>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A message.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaMessage))]
struct WireMessage {
    #[cfg_attr(test, schema(schema_with = roles))]
    role: String,
    #[serde(default)]
    content: Option<String>,
    /// Pictures, in base64.
    #[serde(default)]
    images: Option<Vec<Value>>,
    #[serde(default)]
    tool_calls: Option<Vec<WireCall>>,
    /// Which tool a message of `tool` comes from; `name` is the same.
    #[serde(default, alias = "name")]
    tool_name: Option<String>,
    #[serde(default)]
    tool_call_id: Option<String>,
}

/// A tool call that an earlier answer made.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaToolCall))]
struct WireCall {
    #[serde(default)]
    id: Option<String>,
    function: WireFunction,
}

/// The function that was called.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = OllamaFunctionCall))]
struct WireFunction {
    name: String,
    /// An object, or the text of one.
    #[serde(default)]
    arguments: Value,
}

/// Roles of a message, as `message` takes them.
#[cfg(test)]
fn roles() -> Object {
    crate::openapi::words(&["system", "user", "assistant", "tool"])
}

fn turn(mut wire: WireMessage) -> Result<Turn, Problem> {
    let files = images(wire.images.take().unwrap_or_default())?;
    let message = message(wire)?;
    Ok(Turn { message, files })
}

fn message(wire: WireMessage) -> Result<Message, Problem> {
    let content = wire.content.unwrap_or_default();
    let role = match wire.role.as_str() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => {
            let id = wire.tool_call_id.unwrap_or_default();
            return Ok(Message::tool(
                wire.tool_name.unwrap_or_default(),
                id,
                content,
            ));
        }
        _ => {
            return Err(Problem::invalid(
                "a role is system, user, assistant or tool",
            ));
        }
    };
    let calls = wire.tool_calls.unwrap_or_default().into_iter().map(|call| {
        Ok(ToolCall {
            id: call.id.unwrap_or_default(),
            name: call.function.name,
            arguments: content::arguments(call.function.arguments)?,
        })
    });
    Ok(Message::new(role, content).with_calls(calls.collect::<Result<_, Problem>>()?))
}

impl ChatRequest {
    fn query(self, headers: &HeaderMap) -> Result<Query, Problem> {
        let mut ignored = body::leftovers(&self.rest, &[]);
        let own = self.reckon.as_ref();
        let turns = self.messages.unwrap_or_default().into_iter().map(turn);
        let mut query = Query {
            tools: content::tools(self.tools.unwrap_or_default(), &mut ignored)?,
            model: Some(self.model),
            keep_alive: options::keep_alive(self.keep_alive.as_ref())?,
            thinking: options::think(self.think.as_ref())?,
            shape: options::format(self.format.as_ref())?,
            guards: guarding(headers, own),
            trim: own.is_some_and(|own| own.trim),
            background: own.is_some_and(|own| own.background),
            prompt: Prompt::Chat(turns.collect::<Result<_, _>>()?),
            ignored,
            n: 1,
            ..Query::default()
        };
        self.options.unwrap_or_default().apply(&mut query)?;
        Ok(query)
    }
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
    let request: ChatRequest = body::json(body).await?;
    let streams = request.stream.unwrap_or(true);
    let name = request.model.clone();
    let is_empty = request.messages.as_ref().is_none_or(Vec::is_empty);
    let query = request.query(headers)?;
    if is_empty {
        // Without messages a model is loaded, or let go with `keep_alive: 0`.
        let reason = super::generate::load(app, &name, query.keep_alive).await?;
        let mut said = Lines::new(&name, app, visitor).line("");
        (said["done"], said["done_reason"]) = (true.into(), reason.into());
        return Ok(Json(said).into_response());
    }
    let lines = Lines::new(&name, app, visitor);
    if streams {
        let running = job::start(app, query).await?;
        return Ok(stream::respond(running, 1, lines, app.place_headers()));
    }
    let answers = job::collect(app, query).await?;
    app.spend(visitor, &answers);
    let whole = answers.first().map(|answered| {
        let mut said = lines.line(&answered.text);
        if !answered.thought.is_empty() {
            said["message"]["thinking"] = answered.thought.clone().into();
        }
        if !answered.calls.is_empty() {
            let calls = answered.calls.iter().enumerate();
            said["message"]["tool_calls"] = calls.map(|(index, one)| call(index, one)).collect();
        }
        counts(&mut said, answered);
        said
    });
    Ok(Json(whole).into_response())
}

/// A call with its arguments as an object, as Ollama has it.
fn call(index: usize, call: &ToolCall) -> Value {
    let id = match call.id.as_str() {
        "" => id("call_"),
        id => id.to_owned(),
    };
    json!({
        "id": id,
        "function": { "index": index, "name": call.name, "arguments": call.arguments },
    })
}

/// The answer as lines; the model goes by the name that the client gave it.
struct Lines {
    model: String,
    app: App,
    visitor: Visitor,
}

impl Lines {
    fn new(model: &str, app: &App, visitor: &Visitor) -> Self {
        Self {
            model: model.to_owned(),
            app: app.clone(),
            visitor: visitor.clone(),
        }
    }

    fn line(&self, text: &str) -> Value {
        json!({
            "model": self.model,
            "created_at": now(),
            "message": { "role": "assistant", "content": text },
            "done": false,
        })
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
                said["message"]["thinking"] = text.into();
                line(&said)
            }
            Happening::Call(CallPart::End { index, call: one }) => {
                let mut said = self.line("");
                said["message"]["tool_calls"] = json!([call(index, &one)]);
                line(&said)
            }
            Happening::Queued(place) => {
                let mut said = self.line("");
                said["reckon"] =
                    json!({ "queue": { "place": place.place, "eta": place.eta.as_secs() } });
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
