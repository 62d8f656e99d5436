//! The one request that every protocol's request becomes, and what comes of it.
use crate::{
    attachment::{SentFile, Turn},
    error::Problem,
    pool::KeepAlive,
    queue::Place,
};
use reckon::{
    CheckLevel, Finish, Overrides, Receipt, Shape, Timing, Usage,
    engine::{Tool, ToolCall, ToolChoice},
};
use serde_json::{Map, Value};
use std::time::Duration;

/// What somebody wants to have answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    /// As the client calls it; none is the default model.
    pub(crate) model: Option<String>,
    pub(crate) keep_alive: Option<KeepAlive>,
    pub(crate) prompt: Prompt,
    /// How the answer begins; the model goes on from there.
    pub(crate) prefix: String,
    pub(crate) tools: Vec<Tool>,
    pub(crate) choice: ToolChoice,
    /// Whether an answer may have several tool calls, where the request says so.
    pub(crate) parallel: Option<bool>,
    /// Whether to think first; none leaves it to the template.
    pub(crate) thinking: Option<bool>,
    /// More variables for the chat template.
    pub(crate) template: Map<String, Value>,
    pub(crate) sampling: Overrides,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) stop: Vec<String>,
    pub(crate) shape: Option<Shape>,
    pub(crate) logprobs: Option<usize>,
    pub(crate) guards: Guarding,
    /// Drop the oldest messages when the prompt is too long, and say so.
    pub(crate) trim: bool,
    /// Options of the request that mean nothing here, for the receipt.
    pub(crate) ignored: Vec<String>,
    /// How many answers.
    pub(crate) n: usize,
    /// Others go first.
    pub(crate) background: bool,
    /// Text may be taken back after it was sent, so that nothing has to be held.
    pub(crate) can_revise: bool,
}

impl Query {
    /// Whether it is a conversation, and not a text to go on with or a recording.
    pub(crate) fn is_conversation(&self) -> bool {
        matches!(self.prompt, Prompt::Chat(_))
    }
}

/// Has a query answered, by whatever way the caller has.
pub(crate) type Answering<'a> = dyn FnMut(Query) -> Result<Vec<Answered>, Problem> + 'a;

/// What to go on from.
#[derive(Clone, Debug)]
pub(crate) enum Prompt {
    /// A conversation; the chat template makes a prompt of it.
    Chat(Vec<Turn>),
    /// A text, as it is.
    Text(String),
    /// The middle between two texts is wanted.
    Fill { before: String, after: String },
    /// What is said in a recording is wanted.
    Speech(Speech),
}

/// A recording.
#[derive(Clone, Debug)]
pub(crate) struct Speech {
    pub(crate) file: SentFile,
    /// As the client writes it, such as `en`.
    pub(crate) language: Option<String>,
    /// What it is about.
    pub(crate) hint: String,
}

impl Default for Prompt {
    fn default() -> Self {
        Self::Chat(Vec::new())
    }
}

/// Whether guards look, and how far they check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guarding {
    pub(crate) on: bool,
    pub(crate) check: CheckLevel,
}

impl Default for Guarding {
    fn default() -> Self {
        Self {
            on: true,
            check: CheckLevel::default(),
        }
    }
}

/// What happens on the way to an answer.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// Others are before it.
    Queued(Place),
    /// So much of the prompt is read.
    Prefill { done: usize, total: usize },
    /// More thinking.
    Thought(String),
    /// How likely the next token was; the text that it brings comes behind it.
    Likely(Likely),
    /// More text.
    Text(String),
    /// More of a tool call.
    Call(CallPart),
    /// A guard looks at the text.
    Checking(String),
    /// This text takes the place of all before it; only where text may be taken back.
    Revise { guard: String, text: String },
    /// The last thing.
    Ended(Box<Result<Answered, Problem>>),
}

/// A part of a tool call, as it is written.
#[derive(Clone, Debug)]
pub(crate) enum CallPart {
    Begin {
        index: usize,
        id: String,
        name: String,
    },
    Arguments {
        index: usize,
        json: String,
    },
    End {
        index: usize,
        call: ToolCall,
    },
}

/// How likely a token was, and the likeliest beside it.
#[derive(Clone, Debug)]
pub(crate) struct Likely {
    pub(crate) bytes: Vec<u8>,
    pub(crate) logprob: f32,
    pub(crate) top: Vec<(Vec<u8>, f32)>,
}

/// An answer, whole.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) model: String,
    pub(crate) text: String,
    pub(crate) thought: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) end: End,
    /// The stop text that ended it.
    pub(crate) stopped_by: Option<String>,
    pub(crate) usage: Usage,
    pub(crate) timing: Timing,
    pub(crate) load_ms: u64,
    pub(crate) logprobs: Vec<Likely>,
    pub(crate) receipt: Option<Receipt>,
    /// The parts of a recording.
    pub(crate) segments: Vec<Segment>,
    /// What was done that nobody asked for: messages dropped, options ignored, a loop broken.
    pub(crate) notes: Vec<String>,
}

/// What was said in a part of a recording.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) begin: Duration,
    pub(crate) end: Duration,
    pub(crate) text: String,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The model was done, or a stop text came.
    Done,
    /// It called tools.
    Calls,
    /// The length that was asked for, or the context, is full.
    Length,
    /// The same again and again.
    Repeats,
    /// It was stopped.
    Stopped,
}

impl End {
    pub(crate) fn of(finish: Finish) -> Self {
        match finish {
            Finish::Stop => Self::Done,
            Finish::Length | Finish::Context | Finish::Grammar => Self::Length,
            Finish::Cancelled => Self::Stopped,
        }
    }
}

impl Answered {
    /// What comes back beside the answer, in every protocol's own place for more.
    pub(crate) fn extra(&self) -> Value {
        let mark = self
            .receipt
            .as_ref()
            .and_then(|receipt| receipt.mark.clone());
        let mut receipt = self.receipt.clone();
        if let Some(receipt) = &mut receipt {
            // Where the file lies is nobody's business over the network.
            receipt.model.path = None;
        }
        let mut extra = serde_json::json!({ "mark": mark, "receipt": receipt });
        if !self.notes.is_empty() {
            extra["notes"] = self.notes.clone().into();
        }
        extra
    }
}
