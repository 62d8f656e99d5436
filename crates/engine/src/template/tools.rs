//! Tools in a prompt: how a template writes them, and what stands in where it cannot.
//!
//! `probe` renders a tool and a call of it and looks how they come out: a template knows tools if it declares them and
//! writes calls in a style that `tool_call` reads. For all others `describe` makes plain text of everything, in the form
//! that Hermes models introduced and most models have seen: tools in the system text, calls and results between tags.

use super::python::dumps;
use super::{Marks, Template, TemplateOptions};
use crate::tool_call::ToolStyle;
use crate::{Message, Role, Tokenizer, Tool, ToolCall};
use serde_json::{Map, Value, json};

/// How a template deals with tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolFormat {
    /// How calls are written.
    pub(super) style: ToolStyle,
    /// Whether the template writes tools and calls itself.
    pub(super) native: bool,
    /// Whether it wants a result as a part of the message with the call.
    pub(super) responses: bool,
}

const DECLARED: &str = "probe_declared";
const CALLED: &str = "probe_called";

/// What the template makes of a tool and a call.
pub(super) fn probe(template: &Template, tokenizer: &Tokenizer) -> ToolFormat {
    let tool = Tool {
        name: DECLARED.into(),
        description: Some("x".into()),
        parameters: json!({ "type": "object", "properties": { "x": { "type": "string", "description": "x" } } }),
    };
    let call = ToolCall {
        id: "call_0_0".into(),
        name: CALLED.into(),
        arguments: Map::from_iter([("x".to_owned(), Value::from("y"))]),
    };
    let messages = [
        Message::user("x"),
        Message::assistant("").with_calls(vec![call]),
        Message::tool(CALLED, "call_0_0", "x"),
    ];
    let options = TemplateOptions {
        tools: vec![tool],
        ..TemplateOptions::default()
    };
    let responses = wants_responses(template.source());
    let text = template.render_with(tokenizer, &messages, &options, Marks::NONE, responses);
    let mut text = text.unwrap_or_default();
    text.retain(|c| !c.is_whitespace());
    let style = ToolStyle::of_rendered(&text, CALLED).filter(|_| text.contains(DECLARED));
    ToolFormat {
        style: style.unwrap_or(ToolStyle::Hermes),
        native: style.is_some(),
        responses,
    }
}

/// Early templates of Gemma 4 know no role `tool`: they look for results in the message with the call.
fn wants_responses(source: &str) -> bool {
    let by_role = ["== 'tool'", "!= 'tool'", "== \"tool\"", "!= \"tool\""];
    source.contains("tool_responses") && !by_role.iter().any(|text| source.contains(text))
}

/// Whether a conversation has anything to do with tools.
pub(super) fn concerns(messages: &[Message], options: &TemplateOptions) -> bool {
    let called = |message: &Message| message.role == Role::Tool || !message.calls.is_empty();
    !options.tools.is_empty() || messages.iter().any(called)
}

/// A tool as OpenAI's interface and the templates write it.
pub(super) fn declaration(tool: &Tool) -> Value {
    let mut function = json!({ "name": tool.name });
    if let Some(description) = &tool.description {
        function["description"] = description.as_str().into();
    }
    function["parameters"] = tool.schema();
    json!({ "type": "function", "function": function })
}

/// The same conversation with tools, calls and results as plain text.
pub(super) fn describe(messages: &[Message], tools: &[Tool]) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::with_capacity(messages.len() + 1);
    let mut after_result = false;
    for message in messages {
        let is_result = message.role == Role::Tool;
        match out.last_mut().filter(|_| is_result && after_result) {
            // Results that follow each other share a turn: many templates want turns to alternate.
            Some(last) => last.content = format!("{}\n{}", last.content, result(message)),
            None if is_result => out.push(Message::user(result(message))),
            None => {
                let told = Message::new(message.role, with_calls(message));
                // Calls come behind the text, so that places in it stay what they are.
                out.push(told.with_media(message.media.clone()));
            }
        }
        after_result = is_result;
    }
    if tools.is_empty() {
        return out;
    }
    let text = instructions(tools);
    match out.first_mut().filter(|first| first.role == Role::System) {
        Some(system) => system.content = format!("{}\n\n{text}", system.content),
        None => out.insert(0, Message::system(text)),
    }
    out
}

/// The same conversation without a system message: its text opens the first message of the person.
pub(super) fn without_system(messages: &[Message]) -> Vec<Message> {
    let mut out = messages.to_vec();
    if out.len() > 1 && out[0].role == Role::System && out[1].role == Role::User {
        let system = out.remove(0);
        let before = format!("{}\n\n", system.content);
        for media in &mut out[0].media {
            media.at = media.at.saturating_add(before.len());
        }
        out[0].content.insert_str(0, &before);
    }
    out
}

fn instructions(tools: &[Tool]) -> String {
    let lines: String = tools
        .iter()
        .map(|tool| dumps(&declaration(tool)) + "\n")
        .collect();
    format!(
        "# Tools\n\nYou can call the functions below. Each line describes one of them.\n<tools>\n{lines}</tools>\n\n\
         To call a function, write its name and its arguments as a JSON object between <tool_call> and </tool_call>:\n\
         <tool_call>\n{{\"name\": \"function name\", \"arguments\": {{\"argument name\": \"value\"}}}}\n</tool_call>\n\
         The result comes back between <tool_response> and </tool_response>. Call a function only if it helps; \
         otherwise answer in plain text."
    )
}

fn result(message: &Message) -> String {
    format!("<tool_response>\n{}\n</tool_response>", message.content)
}

fn with_calls(message: &Message) -> String {
    let mut text = message.content.clone();
    for call in &message.calls {
        if !text.is_empty() {
            text.push('\n');
        }
        let json = dumps(&json!({ "name": call.name, "arguments": call.arguments }));
        text.push_str(&format!("<tool_call>\n{json}\n</tool_call>"));
    }
    text
}
