//! A model and tools that do as they are told, faults included.
use reckon_assistant::{Ask, CheckLevel, OnEvent, Outcome, Result, TextModel, Tools};
use reckon_engine::{Error, Event, Finish, Generation, Message, Usage};
use std::ops::ControlFlow;

/// What a model does when it is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Says {
    /// Writes this.
    Text(&'static str),
    /// Writes this and is cut by its length.
    Cut(&'static str),
    /// Fails.
    Error,
    /// Writes this and hears Ctrl-C.
    Stopped(&'static str),
}

/// Does one thing after the other; the last one again and again.
pub(crate) struct Model {
    pub(crate) says: Vec<Says>,
    /// What it was asked.
    pub(crate) asked: Vec<Ask>,
}

impl Model {
    pub(crate) fn new(says: impl IntoIterator<Item = Says>) -> Self {
        Self {
            says: says.into_iter().collect(),
            asked: Vec::new(),
        }
    }
}

impl TextModel for Model {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        Ok(messages.iter().map(|message| message.content.len()).sum())
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let at = self.asked.len().min(self.says.len() - 1);
        self.asked.push(ask.clone());
        let (text, mut finish) = match self.says[at] {
            Says::Text(text) => (text, Finish::Stop),
            Says::Cut(text) => (text, Finish::Length),
            Says::Stopped(text) => (text, Finish::Cancelled),
            Says::Error => return Err(Error::EmptyPrompt.into()),
        };
        let mut said = String::new();
        for word in text.split_inclusive(' ') {
            said.push_str(word);
            if on_event(Event::Text(word)).is_break() {
                finish = Finish::Cancelled;
                break;
            }
        }
        Ok(Generation {
            text: said,
            tokens: vec![1; 3],
            finish,
            usage: Usage {
                prompt: 10,
                completion: 3,
                ..Usage::default()
            },
            ..Generation::default()
        })
    }
}

/// Tools that come to this, whatever they are given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bench {
    pub(crate) outcome: Outcome,
    /// The programs that were run.
    pub(crate) ran: Vec<String>,
}

impl Bench {
    pub(crate) fn gives(value: &str) -> Self {
        Self {
            outcome: Outcome {
                value: Some(value.into()),
                unique: Some(true),
                ..Outcome::default()
            },
            ran: Vec::new(),
        }
    }

    pub(crate) fn fails(error: &str) -> Self {
        Self {
            outcome: Outcome {
                error: Some(error.into()),
                ..Outcome::default()
            },
            ran: Vec::new(),
        }
    }
}

impl Tools for Bench {
    fn python(&mut self, program: &str) -> Outcome {
        self.ran.push(program.into());
        self.outcome.clone()
    }

    fn logic(&mut self, program: &str) -> Outcome {
        self.ran.push(program.into());
        self.outcome.clone()
    }
}

/// A question on its own.
pub(crate) fn ask(question: &str) -> Ask {
    Ask {
        messages: vec![Message::user(question)],
        check: CheckLevel::Quick,
        ..Ask::default()
    }
}

/// Goes on whatever happens.
pub(crate) fn go_on(_: reckon_assistant::Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}
