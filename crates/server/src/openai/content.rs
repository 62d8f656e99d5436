//! Messages, tools and forms as OpenAI's clients write them, and what they mean here.
use super::part::Content;
use crate::{attachment::Turn, error::Problem, schema};
use reckon::{
    Message, Role, Shape,
    engine::{Tool, ToolCall, ToolChoice},
};
use serde::Deserialize;
use serde_json::{Map, Value};
#[cfg(test)]
use utoipa::{ToSchema, openapi::Object};

/// A message of a chat completion.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ChatMessage))]
pub(crate) struct WireMessage {
    #[cfg_attr(test, schema(schema_with = roles))]
    role: String,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    tool_calls: Option<Vec<WireCall>>,
    /// Which call a message of `tool` answers.
    #[serde(default)]
    tool_call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

/// A tool call that an earlier answer made.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ChatToolCall))]
struct WireCall {
    #[serde(default)]
    id: String,
    function: WireFunction,
}

/// The function that was called.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = ChatFunctionCall))]
struct WireFunction {
    name: String,
    /// An object, or the text of one.
    #[serde(default)]
    arguments: Value,
}

/// Roles of a message, as `message` takes them.
#[cfg(test)]
fn roles() -> Object {
    crate::openapi::words(&[
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
    ])
}

/// The conversation.
pub(crate) fn turns(wire: Vec<WireMessage>) -> Result<Vec<Turn>, Problem> {
    if wire.is_empty() {
        return Err(Problem::invalid("there are no messages").at("messages"));
    }
    let turns = wire.into_iter().map(turn);
    turns
        .collect::<Result<_, _>>()
        .map_err(|problem| problem.at("messages"))
}

fn turn(mut wire: WireMessage) -> Result<Turn, Problem> {
    let content = wire.content.take().map(Content::split).transpose()?;
    let (text, files) = content.unwrap_or_default();
    let message = message(wire, text)?;
    Ok(Turn { message, files })
}

fn message(wire: WireMessage, text: String) -> Result<Message, Problem> {
    let role = match wire.role.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" | "function" => {
            let name = wire.name.unwrap_or_default();
            return Ok(Message::tool(
                name,
                wire.tool_call_id.unwrap_or_default(),
                text,
            ));
        }
        role => {
            let role: String = role.chars().take(40).collect();
            return Err(Problem::invalid(format!("there is no role {role}")));
        }
    };
    let calls = wire.tool_calls.unwrap_or_default().into_iter().map(|call| {
        Ok(ToolCall {
            id: call.id,
            name: call.function.name,
            arguments: arguments(call.function.arguments)?,
        })
    });
    let calls = calls.collect::<Result<Vec<_>, Problem>>()?;
    Ok(Message::new(role, text).with_calls(calls))
}

/// The arguments of a call: an object, or the text of one.
pub(crate) fn arguments(value: Value) -> Result<Map<String, Value>, Problem> {
    let value = match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|_| Problem::invalid("the arguments of a tool call are not JSON"))?,
        value => value,
    };
    match value {
        Value::Object(arguments) => Ok(arguments),
        Value::Null => Ok(Map::new()),
        _ => Err(Problem::invalid(
            "the arguments of a tool call are not an object",
        )),
    }
}

/// Most tools of a request, and most bytes of their descriptions.
const MOST_TOOLS: usize = 128;

/// A tool of a request: `{"type": "function", "function": {…}}`, or the same without the inner object.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = Tool))]
pub(crate) struct WireTool {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    function: Option<WireSignature>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    /// A JSON schema of what it takes; `input_schema` is the same.
    #[serde(default, alias = "input_schema")]
    parameters: Option<Value>,
}

/// What a tool is called, does and takes.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = Function))]
struct WireSignature {
    name: String,
    #[serde(default)]
    description: Option<String>,
    /// A JSON schema of what it takes.
    #[serde(default)]
    parameters: Option<Value>,
}

/// The tools of a request; those that only the vendor could run are named in `ignored`.
pub(crate) fn tools(wire: Vec<WireTool>, ignored: &mut Vec<String>) -> Result<Vec<Tool>, Problem> {
    if wire.len() > MOST_TOOLS {
        return Err(Problem::invalid(format!("more than {MOST_TOOLS} tools")).at("tools"));
    }
    let mut tools = Vec::new();
    for tool in wire {
        let (name, description, parameters) = match (tool.function, tool.name) {
            (Some(function), _) => (function.name, function.description, function.parameters),
            (None, Some(name))
                if tool
                    .kind
                    .as_deref()
                    .is_none_or(|kind| kind == "function" || kind == "custom") =>
            {
                (name, tool.description, tool.parameters)
            }
            _ => {
                let kind: String = tool.kind.unwrap_or_default().chars().take(40).collect();
                ignored.push(format!("tool {kind}"));
                continue;
            }
        };
        if name.is_empty() || name.len() > 128 {
            return Err(Problem::invalid("a tool's name has 1 to 128 bytes").at("tools"));
        }
        let parameters = parameters.filter(|schema| !schema.is_null());
        let mut dropped = Vec::new();
        let parameters = match parameters {
            Some(schema) => schema::relaxed(&schema, &mut dropped),
            None => {
                serde_json::json!({ "type": "object", "properties": {}, "additionalProperties": false })
            }
        };
        if !dropped.is_empty() {
            let shown: String = name.chars().take(40).collect();
            ignored.push(format!("{} of tool {shown}", dropped.join(", ")));
        }
        tools.push(Tool {
            name,
            description,
            parameters,
        });
    }
    Ok(tools)
}

/// `tool_choice`: a word, or the name of a tool in one of two shapes.
pub(crate) fn choice(value: Option<&Value>, tools: &[Tool]) -> Result<ToolChoice, Problem> {
    let named = |name: &str| match tools.iter().any(|tool| tool.name == name) {
        true => Ok(ToolChoice::Named(name.to_owned())),
        false => {
            Err(Problem::invalid("tool_choice names a tool that is not there").at("tool_choice"))
        }
    };
    match value {
        None | Some(Value::Null) => Ok(ToolChoice::Auto),
        Some(Value::String(word)) => match word.as_str() {
            "auto" => Ok(ToolChoice::Auto),
            "none" => Ok(ToolChoice::None),
            "required" | "any" => Ok(ToolChoice::Required),
            _ => Err(
                Problem::invalid("tool_choice is auto, none, required or a tool").at("tool_choice"),
            ),
        },
        Some(Value::Object(object)) => {
            let function = object
                .get("function")
                .and_then(|function| function.get("name"));
            let name = function
                .or_else(|| object.get("name"))
                .and_then(Value::as_str);
            let kind = object.get("type").and_then(Value::as_str);
            match (name, kind) {
                (Some(name), _) => named(name),
                (None, Some("auto")) => Ok(ToolChoice::Auto),
                (None, Some("none")) => Ok(ToolChoice::None),
                (None, Some("any" | "required")) => Ok(ToolChoice::Required),
                _ => Err(Problem::invalid("tool_choice names no tool").at("tool_choice")),
            }
        }
        Some(_) => Err(Problem::invalid("tool_choice is a word or an object").at("tool_choice")),
    }
}

/// `response_format`, or `text.format` of a response: what the answer is held to.
pub(crate) fn form(value: Option<&Value>) -> Result<Option<Shape>, Problem> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let kind = value.get("type").and_then(Value::as_str);
    let schema = match kind {
        Some("text") => return Ok(None),
        Some("json_object") => value.get("schema").cloned().unwrap_or_else(any_object),
        Some("json_schema") => {
            let inner = value
                .get("json_schema")
                .and_then(|inner| inner.get("schema"));
            let schema = inner.or_else(|| value.get("schema"));
            let what = "response_format has no schema";
            schema
                .cloned()
                .ok_or_else(|| Problem::invalid(what).at("response_format"))?
        }
        _ => {
            let what = "response_format is text, json_object or json_schema";
            return Err(Problem::invalid(what).at("response_format"));
        }
    };
    Ok(Some(Shape::Schema(schema::closed(&schema).to_string())))
}

/// Any JSON object.
pub(crate) fn any_object() -> Value {
    serde_json::json!({ "type": "object" })
}

/// `stop`: one text or several.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(ToSchema), schema(as = Stop))]
#[serde(untagged)]
pub(crate) enum Stops {
    One(String),
    Many(Vec<String>),
}

/// The texts that end an answer.
pub(crate) fn stops(stops: Option<Stops>) -> Result<Vec<String>, Problem> {
    let stops = match stops {
        None => Vec::new(),
        Some(Stops::One(one)) => vec![one],
        Some(Stops::Many(many)) => many,
    };
    let stops: Vec<String> = stops.into_iter().filter(|stop| !stop.is_empty()).collect();
    if stops.len() > 16 || stops.iter().any(|stop| stop.len() > 256) {
        return Err(Problem::invalid("at most 16 stop texts of 256 bytes").at("stop"));
    }
    Ok(stops)
}
