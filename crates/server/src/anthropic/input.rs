//! A request of Anthropic's protocol: blocks of text, pictures, documents, tools that were used, and their results.
use crate::{
    attachment::{SentFile, Turn},
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
#[cfg(test)]
use utoipa::{ToSchema, openapi::Object};

/// A conversation to answer.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema))]
pub(crate) struct MessagesRequest {
    pub(super) model: Option<String>,
    messages: Vec<WireMessage>,
    /// What the model is told first.
    system: Option<Blocks>,
    /// Most tokens of the answer; may be left out here.
    max_tokens: Option<u32>,
    pub(super) stream: Option<bool>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 100))]
    temperature: Option<f32>,
    #[cfg_attr(test, schema(minimum = 0, maximum = 1))]
    top_p: Option<f32>,
    top_k: Option<usize>,
    stop_sequences: Option<Vec<String>>,
    tools: Option<Vec<WireTool>>,
    tool_choice: Option<Value>,
    /// `{"type": "disabled"}` or any other type, which thinks.
    thinking: Option<Value>,
    reckon: Option<Own>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A message.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = AnthropicMessage))]
struct WireMessage {
    #[cfg_attr(test, schema(schema_with = roles))]
    role: String,
    content: Blocks,
}

/// A text, or blocks.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = AnthropicContent))]
#[serde(untagged)]
enum Blocks {
    Text(String),
    Many(Vec<Block>),
}

/// A block; which of the fields count depends on its type.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = AnthropicBlock))]
struct Block {
    /// `text`, `image`, `document`, `tool_use`, `tool_result` or `thinking`.
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
    /// Of a tool's result.
    #[serde(default)]
    #[cfg_attr(test, schema(no_recursion))]
    content: Option<Box<Blocks>>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    source: Option<Source>,
}

/// Where the bytes of a picture or a document are.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = AnthropicSource))]
struct Source {
    /// `base64`, `text`, `content` or `file`; nothing is fetched.
    #[serde(rename = "type", default)]
    kind: String,
    data: Option<String>,
    url: Option<String>,
    /// Of `/v1/files`.
    file_id: Option<String>,
    #[cfg_attr(test, schema(no_recursion))]
    content: Option<Box<Blocks>>,
}

/// Roles of a message, as `turns` takes them.
#[cfg(test)]
fn roles() -> Object {
    crate::openapi::words(&["user", "assistant", "system"])
}

impl Blocks {
    /// The text of blocks, and the files among them.
    fn split(self) -> Result<(String, Vec<SentFile>), Problem> {
        let blocks = match self {
            Self::Text(text) => return Ok((text, Vec::new())),
            Self::Many(blocks) => blocks,
        };
        let (mut texts, mut files) = (Vec::new(), Vec::new());
        for block in blocks {
            match block.kind.as_str() {
                "text" => texts.push(block.text.unwrap_or_default()),
                _ => files.push(block.file(files.len() + 1)?),
            }
        }
        Ok((texts.join("\n"), files))
    }
}

impl Block {
    /// The file that it is; `number` is how it is called where it has no title.
    fn file(self, number: usize) -> Result<SentFile, Problem> {
        if !matches!(self.kind.as_str(), "image" | "document") {
            let kind: String = self.kind.chars().take(40).collect();
            let what = "this server reads text, pictures and documents";
            return Err(Problem::invalid(format!("{what}, not {kind}")));
        }
        let title = self.title.filter(|title| !title.trim().is_empty());
        let name = title
            .clone()
            .unwrap_or_else(|| format!("attachment {number}"));
        let source = self.source.unwrap_or_default();
        let data = source.data.as_deref();
        match (source.kind.as_str(), data) {
            ("base64", Some(data)) => SentFile::encoded(&name, data),
            ("text", Some(text)) => SentFile::new(&name, text.as_bytes().to_vec()),
            ("content", _) => {
                let blocks = source
                    .content
                    .map_or(Ok(Default::default()), |all| all.split());
                let (text, _) = blocks?;
                SentFile::new(&name, text.into_bytes())
            }
            ("file", _) => {
                let id = source.file_id.unwrap_or_default();
                Ok(SentFile::uploaded(title, id))
            }
            // Says in words that nothing is fetched.
            ("url", _) => SentFile::encoded(&name, source.url.as_deref().unwrap_or_default()),
            _ => Err(Problem::invalid(format!(
                "the source of a {} is base64, text, content or file",
                self.kind
            ))),
        }
    }
}

/// A message becomes several where it brings results of tools.
fn turns(wire: WireMessage) -> Result<Vec<Turn>, Problem> {
    let role = match wire.role.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return Err(Problem::invalid("a role is user or assistant")),
    };
    let blocks = match wire.content {
        Blocks::Text(text) => return Ok(vec![Message::new(role, text).into()]),
        Blocks::Many(blocks) => blocks,
    };
    let (mut results, mut texts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    let mut files = Vec::new();
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
                let content = block.content.map(|content| content.split()).transpose()?;
                let (text, files) = content.unwrap_or_default();
                let id = block.tool_use_id.unwrap_or_default();
                let message = Message::tool("", id, text);
                results.push(Turn { message, files });
            }
            _ => files.push(block.file(files.len() + 1)?),
        }
    }
    if !texts.is_empty() || !calls.is_empty() || !files.is_empty() {
        let message = Message::new(role, texts.join("\n")).with_calls(calls);
        results.push(Turn { message, files });
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
        let system = self.system.map(Blocks::split).transpose()?;
        let system = system.map(|(text, files)| Turn {
            message: Message::system(text),
            files,
        });
        let mut all: Vec<Turn> = system.into_iter().collect();
        for wire in self.messages {
            all.extend(turns(wire)?);
        }
        if all.iter().all(|turn| turn.message.role == Role::System) {
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
