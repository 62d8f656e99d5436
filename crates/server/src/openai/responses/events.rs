//! A response as its event stream.
use super::{Shell, function_call, message, thinking};
use crate::{
    door::Visitor,
    error::{Dialect, Problem},
    openai::id,
    query::{Answered, CallPart, End, Happening},
    state::App,
    stream::{Encoder, LONG, event},
};
use serde_json::{Value, json};

pub(super) struct Events {
    shell: Shell,
    number: u64,
    /// Items that are whole.
    output: Vec<Value>,
    open: Option<Open>,
    app: App,
    visitor: Visitor,
}

/// The item that is being written.
enum Open {
    Thinking {
        id: String,
        text: String,
    },
    Text {
        id: String,
        text: String,
    },
    Call {
        id: String,
        call: String,
        name: String,
        arguments: String,
    },
}

impl Events {
    pub(super) fn new(shell: Shell, app: App, visitor: Visitor) -> Self {
        Self {
            shell,
            number: 0,
            output: Vec::new(),
            open: None,
            app,
            visitor,
        }
    }

    fn event(&mut self, name: &str, mut value: Value) -> String {
        value["type"] = name.into();
        value["sequence_number"] = self.number.into();
        self.number += 1;
        event(name, &value)
    }

    fn at(&self) -> usize {
        self.output.len()
    }

    fn add(&mut self, item: Value) -> String {
        let at = self.at();
        self.event(
            "response.output_item.added",
            json!({ "output_index": at, "item": item }),
        )
    }

    /// Ends the item that is being written.
    fn settle(&mut self) -> String {
        let at = self.at();
        let Some(open) = self.open.take() else {
            return String::new();
        };
        let (mut text, item) = match open {
            Open::Thinking { id, text } => {
                let done =
                    json!({ "item_id": id, "output_index": at, "content_index": 0, "text": text });
                (
                    self.event("response.reasoning_text.done", done),
                    thinking(&id, &text),
                )
            }
            Open::Text { id, text } => {
                let item = message(&id, &text, "completed");
                let place = json!({ "item_id": id, "output_index": at, "content_index": 0 });
                let mut done = place.clone();
                (done["text"], done["logprobs"]) = (text.into(), json!([]));
                let mut part = place;
                part["part"] = item["content"][0].clone();
                let said = self.event("response.output_text.done", done);
                (said + &self.event("response.content_part.done", part), item)
            }
            Open::Call {
                id,
                call,
                name,
                arguments,
            } => {
                let done = json!({ "item_id": id, "output_index": at, "name": name, "arguments": arguments });
                let said = self.event("response.function_call_arguments.done", done);
                (said, function_call(&id, &call, &name, &arguments))
            }
        };
        let done = json!({ "output_index": at, "item": item });
        text += &self.event("response.output_item.done", done);
        self.output.push(item);
        text
    }

    fn text(&mut self, new: &str) -> String {
        let mut said = String::new();
        if !matches!(self.open, Some(Open::Text { .. })) {
            said += &self.settle();
            let item = id("msg_");
            let mut empty = message(&item, "", "in_progress");
            let part = empty["content"][0].take();
            empty["content"] = json!([]);
            said += &self.add(empty);
            let at = self.at();
            let added =
                json!({ "item_id": item, "output_index": at, "content_index": 0, "part": part });
            said += &self.event("response.content_part.added", added);
            self.open = Some(Open::Text {
                id: item,
                text: String::new(),
            });
        }
        let at = self.at();
        let Some(Open::Text { id, text }) = &mut self.open else {
            return said;
        };
        text.push_str(new);
        let delta = json!({ "item_id": id, "output_index": at, "content_index": 0, "delta": new, "logprobs": [] });
        said + &self.event("response.output_text.delta", delta)
    }

    fn thought(&mut self, new: &str) -> String {
        let mut said = String::new();
        if !matches!(self.open, Some(Open::Thinking { .. })) {
            said += &self.settle();
            let item = id("rs_");
            said += &self.add(thinking(&item, ""));
            self.open = Some(Open::Thinking {
                id: item,
                text: String::new(),
            });
        }
        let at = self.at();
        let Some(Open::Thinking { id, text }) = &mut self.open else {
            return said;
        };
        text.push_str(new);
        let delta = json!({ "item_id": id, "output_index": at, "content_index": 0, "delta": new });
        said + &self.event("response.reasoning_text.delta", delta)
    }

    fn call(&mut self, part: CallPart) -> String {
        match part {
            CallPart::Begin { id: call, name, .. } => {
                let mut said = self.settle();
                let item = id("fc_");
                let mut begun = function_call(&item, &call, &name, "");
                begun["status"] = "in_progress".into();
                said += &self.add(begun);
                self.open = Some(Open::Call {
                    id: item,
                    call,
                    name,
                    arguments: String::new(),
                });
                said
            }
            CallPart::Arguments { json: new, .. } => {
                let at = self.at();
                let Some(Open::Call { id, arguments, .. }) = &mut self.open else {
                    return String::new();
                };
                arguments.push_str(&new);
                let delta = json!({ "item_id": id, "output_index": at, "delta": new });
                self.event("response.function_call_arguments.delta", delta)
            }
            _ => self.settle(),
        }
    }
}

impl Encoder for Events {
    fn begin(&mut self) -> String {
        let response = self.shell.response("in_progress", Vec::new());
        let created = self.event("response.created", json!({ "response": response }));
        created + &self.event("response.in_progress", json!({ "response": response }))
    }

    fn on(&mut self, _: usize, happening: Happening) -> String {
        match happening {
            Happening::Text(text) => self.text(&text),
            Happening::Thought(text) => self.thought(&text),
            Happening::Call(part) => self.call(part),
            Happening::Queued(place) => {
                let seconds = place.eta.as_secs();
                format!(": queued, place {}, about {seconds} s\n\n", place.place)
            }
            Happening::Prefill { done, total } if total >= LONG => {
                format!(": read {done} of {total}\n\n")
            }
            _ => String::new(),
        }
    }

    fn end(&mut self, _: usize, answered: &Answered) -> String {
        self.app
            .spend(&self.visitor, std::slice::from_ref(answered));
        let mut said = String::new();
        if self.output.is_empty() && self.open.is_none() {
            said += &self.text("");
        }
        said += &self.settle();
        let output = self.output.clone();
        let response = self.shell.finished(answered, output);
        let name = match answered.end {
            End::Length | End::Repeats => "response.incomplete",
            _ => "response.completed",
        };
        said + &self.event(name, json!({ "response": response }))
    }

    fn fail(&mut self, problem: &Problem) -> String {
        let mut response = self.shell.response("failed", self.output.clone());
        let body = problem.body(Dialect::OpenAi);
        response["error"] = json!({
            "code": problem.code().unwrap_or("server_error"),
            "message": body["error"]["message"],
        });
        self.event("response.failed", json!({ "response": response }))
    }
}
