//! A request of Anthropic's protocol: blocks of text, tools that were used, and their results.
use crate::{
    body::{self, Own},
    error::Problem,
    openai::{
        chat::{checked, guarding},
        content::{self, WireTool},
    },
    query::{Prompt, Query},
};
use axum::http::HeaderMap;
use reckon::{Message, Overrides, Role, engine::ToolCall};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Clone, Debug, Deserialize)]
pub(super) struct MessagesRequest {
    pub(super) model: Option<String>,
    messages: Vec<WireMessage>,
    system: Option<Blocks>,
    max_tokens: Option<u32>,
    pub(super) stream: Option<bool>,
    temperature: Option<f32>,
    top_p: Option<f32>,
    top_k: Option<usize>,
    stop_sequences: Option<Vec<String>>,
    tools: Option<Vec<WireTool>>,
    tool_choice: Option<Value>,
    thinking: Option<Value>,
    reckon: Option<Own>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Clone, Debug, Deserialize)]
struct WireMessage {
    role: String,
    content: Blocks,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Blocks {
    Text(String),
    Many(Vec<Block>),
}

#[derive(Clone, Debug, Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    content: Option<Box<Blocks>>,
}

impl Blocks {
    /// The text of blocks that may be nothing else.
    fn text(self) -> Result<String, Problem> {
        let blocks = match self {
            Self::Text(text) => return Ok(text),
            Self::Many(blocks) => blocks,
        };
        let texts = blocks.into_iter().map(|block| match block.kind.as_str() {
            "text" => Ok(block.text.unwrap_or_default()),
            kind => Err(unknown(kind)),
        });
        Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
    }
}

fn unknown(kind: &str) -> Problem {
    let kind: String = kind.chars().take(40).collect();
    Problem::invalid(format!("this server reads text only, not {kind}"))
}

/// A message becomes several where it brings results of tools.
fn messages(wire: WireMessage) -> Result<Vec<Message>, Problem> {
    let role = match wire.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return Err(Problem::invalid("a role is user or assistant")),
    };
    let blocks = match wire.content {
        Blocks::Text(text) => return Ok(vec![Message::new(role, text)]),
        Blocks::Many(blocks) => blocks,
    };
    let (mut results, mut texts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for block in blocks {
        match block.kind.as_str() {
            "text" => texts.push(block.text.unwrap_or_default()),
            // What the model thought before is not shown to it again.
            "thinking" | "redacted_thinking" => {}
            "tool_use" => calls.push(ToolCall {
                id: block.id.unwrap_or_default(),
                name: block.name.unwrap_or_default(),
                arguments: content::arguments(block.input.unwrap_or_default())?,
            }),
            "tool_result" => {
                let text = block
                    .content
                    .map_or(Ok(String::new()), |content| content.text())?;
                results.push(Message::tool(
                    "",
                    block.tool_use_id.unwrap_or_default(),
                    text,
                ));
            }
            kind => return Err(unknown(kind)),
        }
    }
    if !texts.is_empty() || !calls.is_empty() {
        results.push(Message::new(role, texts.join("\n")).with_calls(calls));
    }
    Ok(results)
}

impl MessagesRequest {
    pub(super) fn query(self, headers: &HeaderMap) -> Result<Query, Problem> {
        let mut ignored = body::leftovers(
            &self.rest,
            &["metadata", "service_tier", "context_management"],
        );
        let tools = content::tools(self.tools.unwrap_or_default(), &mut ignored)?;
        let thinking = self
            .thinking
            .as_ref()
            .and_then(|thinking| thinking.get("type"));
        let single = self
            .tool_choice
            .as_ref()
            .and_then(|choice| choice.get("disable_parallel_tool_use"));
        let own = self.reckon.as_ref();
        let system = self.system.map(Blocks::text).transpose()?;
        let mut all: Vec<Message> = system.into_iter().map(Message::system).collect();
        for wire in self.messages {
            all.extend(messages(wire)?);
        }
        if all.iter().all(|message| message.role == Role::System) {
            return Err(Problem::invalid("there are no messages").at("messages"));
        }
        Ok(Query {
            model: self.model,
            choice: content::choice(self.tool_choice.as_ref(), &tools)?,
            tools,
            parallel: single.and_then(Value::as_bool).map(|single| !single),
            thinking: thinking
                .and_then(Value::as_str)
                .map(|kind| kind != "disabled"),
            sampling: checked(Overrides {
                temperature: self.temperature,
                top_k: self.top_k,
                top_p: self.top_p,
                ..Overrides::default()
            })?,
            max_tokens: self.max_tokens.map(|most| most.max(1) as usize),
            stop: content::stops(self.stop_sequences.map(content::Stops::Many))?,
            guards: guarding(headers, own),
            trim: own.is_some_and(|own| own.trim),
            background: own.is_some_and(|own| own.background),
            prompt: Prompt::Chat(all),
            ignored,
            n: 1,
            ..Query::default()
        })
    }
}
