//! A message as its event stream: blocks begin, grow and stop.
use super::{empty, stop_reason, usage};
use crate::{
    door::Visitor,
    error::{Dialect, Problem},
    openai::id,
    query::{Answered, CallPart, Happening},
    state::App,
    stream::{Encoder, event},
};
use serde_json::{Value, json};

pub(super) struct Events {
    model: String,
    /// The block that is being written, and how many there were before.
    open: Option<Open>,
    blocks: usize,
    app: App,
    visitor: Visitor,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Text,
    Thinking,
    Call,
}

impl Events {
    pub(super) fn new(model: String, app: App, visitor: Visitor) -> Self {
        Self {
            model,
            open: None,
            blocks: 0,
            app,
            visitor,
        }
    }

    fn event(&self, name: &str, mut value: Value) -> String {
        value["type"] = name.into();
        event(name, &value)
    }

    fn settle(&mut self) -> String {
        if self.open.take().is_none() {
            return String::new();
        }
        self.blocks += 1;
        self.event("content_block_stop", json!({ "index": self.blocks - 1 }))
    }

    /// Opens a block, unless one of that kind is open.
    fn open(&mut self, kind: Open, block: Value) -> String {
        if self.open == Some(kind) && kind != Open::Call {
            return String::new();
        }
        let ended = self.settle();
        self.open = Some(kind);
        let start = json!({ "index": self.blocks, "content_block": block });
        ended + &self.event("content_block_start", start)
    }

    fn delta(&self, delta: Value) -> String {
        self.event(
            "content_block_delta",
            json!({ "index": self.blocks, "delta": delta }),
        )
    }

    fn call(&mut self, part: CallPart) -> String {
        match part {
            CallPart::Begin { id, name, .. } => {
                let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
                self.open(Open::Call, block)
            }
            CallPart::Arguments { json: text, .. } => {
                self.delta(json!({ "type": "input_json_delta", "partial_json": text }))
            }
            _ => self.settle(),
        }
    }
}

impl Encoder for Events {
    fn begin(&mut self) -> String {
        let message = empty(&id("msg_"), &self.model);
        self.event("message_start", json!({ "message": message })) + &self.ping()
    }

    fn on(&mut self, _: usize, happening: Happening) -> String {
        match happening {
            Happening::Text(text) => {
                let opened = self.open(Open::Text, json!({ "type": "text", "text": "" }));
                opened + &self.delta(json!({ "type": "text_delta", "text": text }))
            }
            Happening::Thought(text) => {
                let block = json!({ "type": "thinking", "thinking": "", "signature": "" });
                let opened = self.open(Open::Thinking, block);
                opened + &self.delta(json!({ "type": "thinking_delta", "thinking": text }))
            }
            Happening::Call(part) => self.call(part),
            Happening::Queued(place) => {
                let seconds = place.eta.as_secs();
                format!(": queued, place {}, about {seconds} s\n\n", place.place)
            }
            _ => String::new(),
        }
    }

    fn end(&mut self, _: usize, answered: &Answered) -> String {
        self.app
            .spend(&self.visitor, std::slice::from_ref(answered));
        let mut said = String::new();
        if self.blocks == 0 && self.open.is_none() {
            said += &self.open(Open::Text, json!({ "type": "text", "text": "" }));
        }
        said += &self.settle();
        let reason =
            json!({ "stop_reason": stop_reason(answered), "stop_sequence": answered.stopped_by });
        let delta =
            json!({ "delta": reason, "usage": usage(answered), "reckon": answered.extra() });
        said += &self.event("message_delta", delta);
        said + &self.event("message_stop", json!({}))
    }

    fn fail(&mut self, problem: &Problem) -> String {
        event("error", &problem.body(Dialect::Anthropic))
    }

    fn ping(&mut self) -> String {
        self.event("ping", json!({}))
    }
}
