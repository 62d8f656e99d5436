//! The `input` of a response: a text, or items of a conversation.
use crate::{
    attachment::Turn,
    error::Problem,
    openai::{content, part::Content},
};
use reckon::{Message, Role, engine::ToolCall};
use serde::Deserialize;
use serde_json::Value;
#[cfg(test)]
use utoipa::ToSchema;

/// A question, or a conversation.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ResponseInput))]
#[serde(untagged)]
pub(super) enum Input {
    Text(String),
    Items(Vec<Item>),
}

/// An item; which of the fields count depends on its type.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ResponseItem))]
pub(super) struct Item {
    /// `message` where nothing is said, `function_call`, `function_call_output`, `reasoning` and others.
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    input: Option<Value>,
    #[serde(default)]
    action: Option<Value>,
}

impl Input {
    /// The conversation.
    pub(super) fn turns(self, ignored: &mut Vec<String>) -> Result<Vec<Turn>, Problem> {
        let items = match self {
            Self::Text(text) => return Ok(vec![Message::user(text).into()]),
            Self::Items(items) => items,
        };
        let mut turns: Vec<Turn> = Vec::new();
        for item in items {
            match item.kind.as_deref().unwrap_or("message") {
                "message" => turns.push(turn(item).map_err(|problem| problem.at("input"))?),
                "function_call" => add_call(&mut turns, item)?,
                "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                    let text = match item.output {
                        Some(Value::String(text)) => text,
                        Some(other) => other.to_string(),
                        None => String::new(),
                    };
                    let id = item.call_id.unwrap_or_default();
                    turns.push(Message::tool("", id, text).into());
                }
                "custom_tool_call" | "local_shell_call" => {
                    let said = item
                        .input
                        .clone()
                        .or(item.action.clone())
                        .unwrap_or_default();
                    let name = item.name.clone().unwrap_or_else(|| "local_shell".into());
                    let arguments = serde_json::json!({ "input": said });
                    add_call(
                        &mut turns,
                        Item {
                            name: Some(name),
                            arguments: Some(arguments),
                            ..item
                        },
                    )?;
                }
                // What the model thought before is not shown to it again.
                "reasoning" => {}
                // Other tools of a vendor that were used in an earlier part of a conversation.
                kind => ignored.push(format!(
                    "input item {}",
                    kind.chars().take(40).collect::<String>()
                )),
            }
        }
        match turns.is_empty() {
            true => Err(Problem::invalid("there is no input").at("input")),
            false => Ok(turns),
        }
    }
}

fn turn(item: Item) -> Result<Turn, Problem> {
    let content = item.content.map(Content::split).transpose()?;
    let (text, files) = content.unwrap_or_default();
    let role = match item.role.as_deref() {
        Some("system" | "developer") => Role::System,
        Some("assistant") => Role::Assistant,
        Some("user") | None => Role::User,
        Some(_) => return Err(Problem::invalid("there is no such role")),
    };
    let message = Message::new(role, text);
    Ok(Turn { message, files })
}

/// Calls belong to the message before them, if that is the model's.
fn add_call(turns: &mut Vec<Turn>, item: Item) -> Result<(), Problem> {
    let call = ToolCall {
        id: item.call_id.unwrap_or_default(),
        name: item.name.unwrap_or_default(),
        arguments: content::arguments(item.arguments.unwrap_or_default())?,
    };
    let last = turns.last_mut().map(|turn| &mut turn.message);
    match last.filter(|last| last.role == Role::Assistant) {
        Some(last) => last.calls.push(call),
        None => turns.push(Message::assistant("").with_calls(vec![call]).into()),
    }
    Ok(())
}
