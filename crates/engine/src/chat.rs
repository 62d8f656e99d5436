//! Conversations: who said what, the tools that a model may call, and the calls it made.
//!
//! `template` turns them into a prompt; `tool_call` finds calls in an answer. Everything in here was written by people,
//! models or programs that nobody trusts.

use crate::Media;
use serde_json::{Map, Value, json};

/// Who speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Standing instructions.
    System,
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said, without thinking and calls; for a tool, its result.
    pub content: String,
    /// The calls that the model made behind the text.
    pub calls: Vec<ToolCall>,
    /// Which call a tool's result belongs to.
    pub answers: Option<CallRef>,
    /// Images and sound, in the order in which they stand in the text.
    pub media: Vec<Media>,
}

impl Message {
    /// A message of text only.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            ..Self::default()
        }
    }

    /// Standing instructions.
    pub fn system(content: impl Into<String>) -> Self {
        Self::new(Role::System, content)
    }

    /// What a person says.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }

    /// What the model said.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// The result of a call. `name` and `id` may be empty: then the call is found by what there is, else by its place.
    pub fn tool(
        name: impl Into<String>,
        id: impl Into<String>,
        content: impl Into<String>,
    ) -> Self {
        Self {
            answers: Some(CallRef {
                name: name.into(),
                id: id.into(),
            }),
            ..Self::new(Role::Tool, content)
        }
    }

    /// The same message with the calls that the model made.
    #[must_use]
    pub fn with_calls(self, calls: Vec<ToolCall>) -> Self {
        Self { calls, ..self }
    }

    /// The same message with images and sound.
    #[must_use]
    pub fn with_media(self, media: Vec<Media>) -> Self {
        Self { media, ..self }
    }
}

/// Names the call that a result belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRef {
    /// The tool's name; may be empty.
    pub name: String,
    /// The call's id; may be empty.
    pub id: String,
}

/// A tool as a model is told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// What the model calls it.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON schema of its arguments, an object; null if it takes none.
    pub parameters: Value,
}

impl Tool {
    /// The schema of its arguments, also where nobody gave one.
    pub(crate) fn schema(&self) -> Value {
        match &self.parameters {
            Value::Null => json!({ "type": "object", "properties": {} }),
            schema => schema.clone(),
        }
    }
}

/// A model's call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Names this call in the conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments by name.
    pub arguments: Map<String, Value>,
}

/// Whether and which tools a model may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As the model likes.
    #[default]
    Auto,
    /// None: the answer is text.
    None,
    /// At least one of them.
    Required,
    /// This one.
    Named(String),
}
