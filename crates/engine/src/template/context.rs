//! The variables of a template, as Hugging Face's `apply_chat_template` gives them: what there is none of is none, not
//! undefined. (Templates ask `if tools` or `if tools is not none`, seldom whether it is defined.)
//!
//! Made by `Template` for each rendering, as JSON. Every text that is not ours goes through `Guarded::text`: messages,
//! names and ids of calls, arguments, tools with their schemas, and the caller's own variables, keys of objects included.

use super::{Marks, TemplateOptions, media};
use crate::{CallRef, Error, Message, Result, Role, Token, Tokenizer};
use serde_json::{Map, Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Variables that a caller cannot set: what they say is the conversation, or decides where it ends.
const RESERVED: [&str; 6] = [
    "messages",
    "tools",
    "add_generation_prompt",
    "bos_token",
    "eos_token",
    "now",
];

/// The variables for a conversation. `responses`: the template wants a tool's result as a part of the message with the
/// call.
pub(super) fn context(
    tokenizer: &Tokenizer,
    messages: &[Message],
    options: &TemplateOptions,
    marks: Marks,
    responses: bool,
) -> Result<Value> {
    let guarded = Guarded { tokenizer, marks };
    let text = |token: Option<Token>| {
        let bytes = token.map_or(&[][..], |token| tokenizer.piece_with_control(token));
        String::from_utf8_lossy(bytes)
    };
    let since = |now: SystemTime| now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut variables = json!({
        "messages": guarded.messages(messages, responses),
        "tools": guarded.tools(options),
        "documents": null,
        "add_generation_prompt": true,
        "enable_thinking": options.thinking,
        "bos_token": text(tokenizer.bos()),
        "eos_token": text(tokenizer.eos()),
        "now": options.now.map(|now| since(now).as_secs()),
    });
    for (key, value) in &options.kwargs {
        if RESERVED.contains(&key.as_str()) {
            return Err(Error::Template(format!("`{key}` cannot be set")));
        }
        match (value, variables.as_object_mut()) {
            (Value::Null, Some(map)) => drop(map.shift_remove(key)),
            _ => variables[key] = guarded.value(value),
        }
    }
    Ok(variables)
}

struct Guarded<'a> {
    tokenizer: &'a Tokenizer,
    marks: Marks,
}

impl Guarded<'_> {
    fn text(&self, text: &str) -> String {
        match self.marks.guard {
            Some(guard) => self.tokenizer.guard_text(text, guard),
            None => text.to_owned(),
        }
    }

    /// A value with every text in it guarded. The JSON parser that it came from has bounded its depth.
    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(map) => self.object(map),
            other => other.clone(),
        }
    }

    fn object(&self, map: &Map<String, Value>) -> Value {
        map.iter()
            .map(|(key, value)| (self.text(key), self.value(value)))
            .collect()
    }

    fn tools(&self, options: &TemplateOptions) -> Value {
        if options.tools.is_empty() {
            return Value::Null;
        }
        let tools = options.tools.iter().map(super::tools::declaration);
        tools.map(|tool| self.trusted_keys(&tool)).collect()
    }

    /// As `value`; but keys of the outer two levels are ours.
    fn trusted_keys(&self, tool: &Value) -> Value {
        let function = tool["function"].as_object().into_iter().flatten();
        let function = function.map(|(key, value)| (key.clone(), self.value(value)));
        json!({ "type": "function", "function": function.collect::<Map<_, _>>() })
    }

    fn messages(&self, messages: &[Message], responses: bool) -> Value {
        let mut out: Vec<Value> = Vec::with_capacity(messages.len());
        let mut calls = Calls::default();
        for message in messages {
            let content = media::content(message, |text| self.text(text), self.marks.parts);
            let mut json = json!({ "role": role(message.role), "content": content });
            if message.role == Role::Tool {
                let call = calls.answered(message);
                if let Some(asker) = out.last_mut().filter(|_| responses && calls.is_open()) {
                    self.add_response(asker, &call, &message.content);
                    continue;
                }
                json["name"] = self.text(&call.name).into();
                json["tool_call_id"] = self.text(&call.id).into();
            } else {
                calls = Calls::of(message);
            }
            if !message.calls.is_empty() {
                let call = |call: &crate::ToolCall| {
                    json!({
                        "id": self.text(&call.id),
                        "type": "function",
                        "function": { "name": self.text(&call.name), "arguments": self.object(&call.arguments) },
                    })
                };
                json["tool_calls"] = message.calls.iter().map(call).collect();
            }
            out.push(json);
        }
        out.into()
    }

    /// Puts a result into the message that asked for it. A result that is a JSON object is given as one.
    fn add_response(&self, asker: &mut Value, call: &CallRef, content: &str) {
        let response = match serde_json::from_str(content) {
            Ok(Value::Object(map)) => self.object(&map),
            _ => self.text(content).into(),
        };
        let response = json!({ "name": self.text(&call.name), "response": response });
        match asker["tool_responses"].as_array_mut() {
            Some(responses) => responses.push(response),
            None => asker["tool_responses"] = vec![response].into(),
        }
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// The calls of the last message that had any, and how many were answered since.
#[derive(Default)]
struct Calls<'a> {
    calls: &'a [crate::ToolCall],
    answered: usize,
}

impl<'a> Calls<'a> {
    fn of(message: &'a Message) -> Self {
        Self {
            calls: &message.calls,
            answered: 0,
        }
    }

    fn is_open(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Which call a result answers: clients leave out the name, the id or both.
    fn answered(&mut self, message: &Message) -> CallRef {
        let mut answers = message.answers.clone().unwrap_or_default();
        let by_id = self.calls.iter().find(|call| call.id == answers.id);
        let call = by_id.or_else(|| self.calls.get(self.answered));
        self.answered += 1;
        if let Some(call) = call {
            if answers.name.is_empty() {
                answers.name.clone_from(&call.name);
            }
            if answers.id.is_empty() {
                answers.id.clone_from(&call.id);
            }
        }
        answers
    }
}
