//! What answers: handed in by whoever runs the bot, so that the bot knows of no model.
use reckon_store::{Message, Owner, State};
use serde_json::Value;
use std::ops::ControlFlow;

/// Something that answers questions. Called on several threads at once.
pub trait Answerer: Send + Sync {
    /// Answers the last of the turns, and tells `on_progress` the text as it grows.
    ///
    /// Once `on_progress` says [`ControlFlow::Break`] nobody waits any longer: what there is comes back as
    /// [`State::Stopped`]. An error is one line for the person who asked.
    fn answer(
        &self,
        ask: &Ask,
        on_progress: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
    ) -> Result<Answer, String>;

    /// The models that a person may choose from; the first one is the default.
    fn models(&self) -> Vec<String> {
        Vec::new()
    }

    /// Roles of other machines that a person may ask by `/ROLE question`; lower-case letters, digits and `_` only.
    fn roles(&self) -> Vec<String> {
        Vec::new()
    }

    /// Says how an answer was made and checked, as Markdown.
    fn explain(&self, answer: &Message) -> String {
        explain(answer)
    }

    /// Whether people can have something remembered; only then are they told of `/remember` and `/forget`.
    fn has_memory(&self) -> bool {
        false
    }

    /// Remembers something for this person; what to tell them. `None` if it has no memory.
    fn remember(&self, _owner: &Owner, _text: &str) -> Option<Result<String, String>> {
        None
    }

    /// Forgets something, or shows what could be forgotten if `text` is empty. `None` if it has no memory.
    fn forget(&self, _owner: &Owner, _text: &str) -> Option<Result<String, String>> {
        None
    }
}

/// What is to be answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    /// Whose words these are; `None` in tests only.
    pub owner: Option<Owner>,
    /// What the model is told first.
    pub system: Option<String>,
    /// The conversation from its beginning to the question.
    pub turns: Vec<Turn>,
    /// The model that the person chose.
    pub model: Option<String>,
    /// Whether they want the model's bare answer.
    pub raw: bool,
    /// The role of other machines that they want this question to go to.
    pub role: Option<String>,
}

/// One message of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Whether the person said it, and not the model.
    pub from_person: bool,
    /// What was said.
    pub text: String,
    /// What was sent with it. Of older turns only the newest few are there; `missing` names the rest.
    pub attachments: Vec<Attachment>,
    /// Names of attachments that are no longer at hand.
    pub missing: Vec<String>,
}

/// A file as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, as the sender has it: no path, and not to be trusted.
    pub name: String,
    /// What Telegram takes it for. The bytes may be something else.
    pub kind: AttachmentKind,
    /// Its content, at most 20 MB.
    pub bytes: Vec<u8>,
}

/// What a file is sent as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttachmentKind {
    /// A picture.
    Photo,
    /// A voice message or music.
    Audio,
    /// A film.
    Video,
    /// Anything else.
    Document,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// All of the text so far; what was said before may have changed.
    Text(&'a str),
    /// What is being done meanwhile, such as "reading page 3 of 40"; shown while there is no text.
    Note(&'a str),
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// How it ended: `Done`, `Cut` or `Stopped`.
    pub state: State,
    /// The text, as Markdown.
    pub text: String,
    /// What the model thought before it. It is stored and not sent.
    pub thought: String,
    /// A line under the text, such as its mark.
    pub footer: Option<String>,
    /// Tokens that it took, for the daily budget.
    pub tokens: u64,
    /// What checking it came to, in short.
    pub mark: Option<Value>,
    /// How it was made and checked.
    pub receipt: Option<Value>,
    /// Tokens, speeds and seconds.
    pub stats: Option<Value>,
}

/// Mark, statistics and receipt of an answer, as they are.
fn explain(answer: &Message) -> String {
    let mut text = String::new();
    if let Some(model) = &answer.model {
        text.push_str(&format!("Model: {model}\n\n"));
    }
    for (name, value) in [
        ("Mark", &answer.mark),
        ("Statistics", &answer.stats),
        ("Receipt", &answer.receipt),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("**{name}**\n```json\n{value:#}\n```\n\n"));
        }
    }
    match text.is_empty() {
        true => "This answer has no receipt.".into(),
        false => text,
    }
}
