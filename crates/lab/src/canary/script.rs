//! A model that says what it is told to, so that a guard can be replayed without one.
use reckon_assistant::{Ask, OnEvent, Result, TextModel};
use reckon_engine::{Event, Finish, Generation, Message, Timing, Usage};

/// Says one text after the other; the last one again and again.
pub(super) struct Script {
    texts: Vec<String>,
    asked: usize,
}

impl Script {
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        Self {
            texts: texts.into_iter().cloned().collect(),
            asked: 0,
        }
    }
}

impl TextModel for Script {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        Ok(messages.iter().map(|message| message.content.len()).sum())
    }

    fn generate(&mut self, _: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let at = self.asked.min(self.texts.len().saturating_sub(1));
        self.asked += 1;
        let text = self.texts.get(at).cloned().unwrap_or_default();
        let finish = match on_event(Event::Text(&text)).is_break() {
            true => Finish::Cancelled,
            false => Finish::Stop,
        };
        Ok(Generation {
            text,
            thought: String::new(),
            tokens: Vec::new(),
            finish,
            usage: Usage::default(),
            timing: Timing::default(),
        })
    }
}
