//! An `Ask` as the body of a request, and the message of an answer back, in OpenAI's protocol.
//!
//! Of the sampler only the temperature and the seed are sent: the rest is the server's. Tools are offered as they are; the
//! calls that come back are read, and refused where they name a tool that nobody offered or have no object of arguments.
//! Whether the arguments fit the tool's schema is up to the server: there is no grammar to hold it to.
use reckon_assistant::{Ask, Result};
use reckon_engine::{Error as Refused, Message, Role, Shape, Tool, ToolCall, ToolChoice};
use serde_json::{Map, Value, json};

/// Most calls that are read of one answer.
const MOST_CALLS: usize = 64;

/// What is sent.
pub(super) fn body(model: &str, ask: &Ask) -> Result<Value> {
    let mut messages = messages(&ask.messages);
    if !ask.prefix.is_empty()
        && let Some(last) = ask.messages.last()
    {
        let asked = format!(
            "{}\n\nBegin your answer with:\n{}",
            last.content, ask.prefix
        );
        messages.pop();
        messages.push(json!({ "role": "user", "content": asked }));
    }
    let mut body = json!({
        "model": model,
        "messages": messages,
        "temperature": ask.sampling.temperature,
        "seed": ask.sampling.seed,
        "stream": false,
    });
    if let Some(most) = ask.max_tokens {
        body["max_tokens"] = json!(most);
    }
    if !ask.stop.is_empty() {
        body["stop"] = json!(ask.stop);
    }
    if !ask.template.tools.is_empty() {
        body["tools"] = ask.template.tools.iter().map(tool).collect();
        body["tool_choice"] = choice(&ask.choice);
        body["parallel_tool_calls"] = ask.parallel.into();
    }
    match &ask.shape {
        None => {}
        Some(Shape::Schema(schema)) => {
            let schema: Value = serde_json::from_str(schema)
                .map_err(|error| Refused::Grammar(error.to_string()))?;
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": "answer", "schema": schema },
            });
        }
        Some(_) => {
            let why = "a model elsewhere follows none";
            return Err(Refused::Grammar(why.into()).into());
        }
    }
    Ok(body)
}

/// The calls of an answer's message, or why they cannot be taken.
pub(super) fn calls(message: &Value, tools: &[Tool]) -> std::result::Result<Vec<ToolCall>, String> {
    let list = message.get("tool_calls").and_then(Value::as_array);
    let Some(list) = list else {
        return Ok(Vec::new());
    };
    if list.len() > MOST_CALLS {
        return Err(format!("it makes more than {MOST_CALLS} calls"));
    }
    list.iter().map(|one| call(one, tools)).collect()
}

fn call(value: &Value, tools: &[Tool]) -> std::result::Result<ToolCall, String> {
    let text = |path: &str| value.pointer(path).and_then(Value::as_str);
    let name = text("/function/name").unwrap_or_default();
    if !tools.iter().any(|tool| tool.name == name) {
        return Err("it calls a tool that was not offered".into());
    }
    // The text of an object; of servers that do not keep to the protocol, the object itself.
    let arguments = match value.pointer("/function/arguments") {
        Some(Value::String(text)) if text.trim().is_empty() => Some(Map::new()),
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        Some(Value::Object(arguments)) => Some(arguments.clone()),
        None | Some(Value::Null) => Some(Map::new()),
        Some(_) => None,
    };
    Ok(ToolCall {
        id: text("/id").unwrap_or_default().to_owned(),
        name: name.to_owned(),
        arguments: arguments.ok_or("the arguments of its call are not an object")?,
    })
}

fn tool(tool: &Tool) -> Value {
    let mut function = json!({ "name": tool.name, "parameters": tool.parameters });
    if let Some(description) = &tool.description {
        function["description"] = description.as_str().into();
    }
    json!({ "type": "function", "function": function })
}

fn choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Named(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}

fn messages(messages: &[Message]) -> Vec<Value> {
    // Calls without a result yet. Clients of Ollama name neither calls nor results, and this protocol wants both named.
    let mut open: Vec<(String, String)> = Vec::new();
    let mut all = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        let mut value = json!({ "role": role, "content": message.content });
        if !message.calls.is_empty() {
            let named = message.calls.iter().enumerate().map(|(number, call)| {
                let id = match call.id.as_str() {
                    "" => format!("call_{at}_{number}"),
                    id => id.to_owned(),
                };
                (id, call)
            });
            let named: Vec<(String, &ToolCall)> = named.collect();
            open = named
                .iter()
                .map(|(id, call)| (id.clone(), call.name.clone()))
                .collect();
            value["tool_calls"] = named.iter().map(|(id, call)| made(id, call)).collect();
        }
        if let Some(answers) = &message.answers {
            let is_it = |(id, name): &(String, String)| match answers.id.as_str() {
                "" => answers.name.is_empty() || *name == answers.name,
                known => id == known,
            };
            let found = open.iter().position(is_it).map(|at| open.remove(at).0);
            value["tool_call_id"] = found.unwrap_or_else(|| answers.id.clone()).into();
        }
        all.push(value);
    }
    all
}

/// A call that was made before.
fn made(id: &str, call: &ToolCall) -> Value {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    json!({ "id": id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}
