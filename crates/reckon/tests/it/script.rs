//! A model that says what it is told to, and a tiny one that says anything.
use crate::fixture::{Tiny, gguf};
use reckon::{
    Ask, Finish, Generation, Message, Model, ModelInfo, OnEvent, TextModel, assistant::Result,
    engine::Event,
};
use reckon_gguf::Format;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Says one text after the other, word by word; the last one again and again.
pub(crate) struct Script {
    texts: Vec<String>,
    asked: Asked,
}

/// The conversations that a script was given.
pub(crate) type Asked = Arc<Mutex<Vec<Vec<Message>>>>;

impl TextModel for Script {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        let words = |message: &Message| message.content.split_whitespace().count();
        Ok(messages.iter().map(words).sum())
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let mut asked = self.asked.lock().expect("alone");
        let at = asked.len().min(self.texts.len() - 1);
        asked.push(ask.messages.clone());
        let (mut text, mut finish) = (String::new(), Finish::Stop);
        for word in self.texts[at].split_inclusive(' ') {
            text.push_str(word);
            if on_event(Event::Text(word)).is_break() {
                finish = Finish::Cancelled;
                break;
            }
        }
        Ok(Generation {
            text,
            finish,
            ..Generation::default()
        })
    }
}

/// A model that says these texts, and what it was asked.
pub(crate) fn scripted(n_ctx: usize, texts: &[&str]) -> (Model, Asked) {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    let asked = Asked::default();
    let info = ModelInfo {
        name: "script".into(),
        n_ctx: Some(n_ctx),
        ..ModelInfo::default()
    };
    let shared = asked.clone();
    let model = Model::custom(info, move || Script {
        texts: texts.clone(),
        asked: shared.clone(),
    });
    (model, asked)
}

/// A tiny random model in a directory that goes away.
pub(crate) fn tiny() -> (Model, TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("tiny.gguf");
    std::fs::write(&path, gguf(&Tiny::new("llama", Format::Q8_0))).expect("a file");
    (
        Model::options().threads(1).open(&path).expect("a model"),
        directory,
    )
}
