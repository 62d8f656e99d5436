//! Turns what a model does into what is sent: text, thinking and calls of tools, each as it comes.
//!
//! Text that a guard may replace is held where it could not be taken back. Calls are found in the text; the first is sent as
//! it is written, further ones when they are whole, because a small model that may call again makes the same call again:
//! that ends the answer and is not sent.
use crate::{
    bare_call,
    job::{Job, likely},
    pool::Held,
    query::{CallPart, Happening},
    repetition::repeats,
};
use reckon::{
    Event, Finish, Reply,
    engine::{self, ToolCall, ToolParser, ToolPart, may_call},
};
use std::ops::ControlFlow;

/// How much text comes between two looks at whether it repeats itself.
const LOOK_EVERY: usize = 200;

/// One answer on its way out.
pub(crate) struct Telling<'a> {
    job: &'a Job,
    engine: Option<&'a engine::Model>,
    pub(crate) parser: Option<ToolParser>,
    /// Text waits for the guards' verdict.
    held_back: bool,
    text: String,
    /// The text without calls.
    plain: String,
    calls: Vec<ToolCall>,
    /// The beginning of a further call.
    begun: Vec<CallPart>,
    /// Text from the beginning that may become a call without marks.
    bare: Option<String>,
    looked: usize,
    /// The guard that was last said to be looking.
    checking: String,
    /// It says the same again and again.
    pub(crate) repeats: bool,
    /// It makes a call that it has made already.
    pub(crate) again: bool,
}

impl<'a> Telling<'a> {
    pub(crate) fn new(job: &'a Job, held: &'a Held, held_back: bool) -> Self {
        Self {
            job,
            engine: held.model.engine().map(|engine| &**engine),
            parser: None,
            held_back,
            text: String::new(),
            plain: String::new(),
            calls: Vec::new(),
            begun: Vec::new(),
            bare: Some(String::new()),
            looked: 0,
            checking: String::new(),
            repeats: false,
            again: false,
        }
    }

    /// Passes it on; breaks when nobody listens or the answer goes in circles.
    pub(crate) fn hear(&mut self, event: Event<'_>) -> ControlFlow<()> {
        let heard = match event {
            // Whoever waits for another machine says so many times a second.
            Event::Prefill { total: 0, .. } => self.job.is_heard(),
            Event::Checking(guard) if guard == self.checking => self.job.is_heard(),
            Event::Prefill { done, total } => self.job.say(Happening::Prefill { done, total }),
            Event::Thought(text) => self.job.say(Happening::Thought(text.to_owned())),
            Event::Likely(token) => self
                .engine
                .is_none_or(|engine| self.job.say(Happening::Likely(likely(engine, token)))),
            Event::Text(text) => self.text(text),
            Event::Checking(guard) => {
                guard.clone_into(&mut self.checking);
                self.job.say(Happening::Checking(guard.to_owned()))
            }
            Event::Revise { guard, text } if !self.held_back => self.job.say(Happening::Revise {
                guard: guard.to_owned(),
                text: text.to_owned(),
            }),
            _ => true,
        };
        match heard && !self.job.stop.is_set() && !self.repeats && !self.again {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    fn text(&mut self, new: &str) -> bool {
        self.text.push_str(new);
        if self.job.query.max_tokens.is_none() && self.text.len() >= self.looked + LOOK_EVERY {
            self.looked = self.text.len();
            self.repeats = repeats(&self.text);
        }
        let Some(mut parser) = self.parser.take() else {
            return self.held_back || self.job.say(Happening::Text(new.to_owned()));
        };
        let mut heard = true;
        parser.push(new, &mut |part| heard &= self.part(part));
        self.parser = Some(parser);
        heard
    }

    fn part(&mut self, part: ToolPart<'_>) -> bool {
        match part {
            _ if self.again => true,
            ToolPart::Text(text) => self.plain_text(text),
            ToolPart::CallBegin { index, id, name } => self.call(CallPart::Begin {
                index,
                id: id.to_owned(),
                name: name.to_owned(),
            }),
            ToolPart::CallArguments { index, json } => self.call(CallPart::Arguments {
                index,
                json: json.to_owned(),
            }),
            ToolPart::CallEnd { index, call } => self.called(index, call),
        }
    }

    /// Text beside calls; it waits while it may become a call itself.
    fn plain_text(&mut self, text: &str) -> bool {
        let Some(mut bare) = self.bare.take() else {
            return self.say_text(text);
        };
        bare.push_str(text);
        if bare_call::may_become(&bare) {
            self.bare = Some(bare);
            return true;
        }
        self.say_text(&bare)
    }

    fn say_text(&mut self, text: &str) -> bool {
        self.plain.push_str(text);
        self.held_back || text.is_empty() || self.job.say(Happening::Text(text.to_owned()))
    }

    /// What waited to become a call is one, or is text after all.
    fn settle_bare(&mut self) {
        let Some(bare) = self.bare.take().filter(|bare| !bare.is_empty()) else {
            return;
        };
        let call = bare_call::read(&bare, &self.job.query.tools);
        let Some(call) = call.filter(|_| self.calls.is_empty()) else {
            self.say_text(&bare);
            return;
        };
        self.whole_call(&call);
    }

    /// A call that is there at once.
    fn whole_call(&mut self, call: &ToolCall) {
        let index = self.calls.len();
        self.call(CallPart::Begin {
            index,
            id: call.id.clone(),
            name: call.name.clone(),
        });
        self.call(CallPart::Arguments {
            index,
            json: serde_json::Value::from(call.arguments.clone()).to_string(),
        });
        self.called(index, call);
    }

    /// A part of a call: of the first at once, of the others when they are whole.
    fn call(&mut self, part: CallPart) -> bool {
        if self.calls.is_empty() {
            return self.job.say(Happening::Call(part));
        }
        self.begun.push(part);
        true
    }

    fn called(&mut self, index: usize, call: &ToolCall) -> bool {
        let is_same =
            |other: &ToolCall| other.name == call.name && other.arguments == call.arguments;
        if self.calls.iter().any(is_same) {
            self.again = true;
            self.begun.clear();
            return true;
        }
        self.calls.push(call.clone());
        let end = CallPart::End {
            index,
            call: call.clone(),
        };
        let mut parts = std::mem::take(&mut self.begun);
        parts.push(end);
        parts
            .into_iter()
            .all(|part| self.job.say(Happening::Call(part)))
    }

    /// Says what was held back; gives the text without calls, and the calls.
    pub(crate) fn close(mut self, reply: &Reply) -> (String, Vec<ToolCall>) {
        let Some(mut parser) = self.parser.take() else {
            for call in &reply.generation.calls {
                self.whole_call(call);
            }
            let calls = std::mem::take(&mut self.calls);
            return (self.settled(reply.text.clone()), calls);
        };
        let is_whole = reply.generation.finish == Finish::Stop;
        parser.finish(&mut |part| match part {
            // The beginning of a call that was cut is no text for a person.
            ToolPart::Text(text) if !is_whole && may_call(text) => {}
            part => {
                self.part(part);
            }
        });
        self.settle_bare();
        // A guard may have replaced the text, never a call.
        let text = match reply.text == reply.generation.text {
            true => std::mem::take(&mut self.plain),
            false => reply.text.clone(),
        };
        let calls = std::mem::take(&mut self.calls);
        (self.settled(text), calls)
    }

    fn settled(&self, text: String) -> String {
        if self.held_back && !text.is_empty() {
            self.job.say(Happening::Text(text.clone()));
        }
        text
    }
}
