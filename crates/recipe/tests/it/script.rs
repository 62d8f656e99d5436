//! A model that answers by a function of what it is asked, and keeps what that was.
use reckon::{
    Ask, Generation, Message, Model, ModelInfo, OnEvent, TextModel, assistant::Result,
    engine::Event,
};
use reckon_recipe::{Collection, Recipe, Runner};
use std::sync::{Arc, Mutex};

type Say = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// The conversations that it was given.
pub(crate) type Asked = Arc<Mutex<Vec<Vec<Message>>>>;

struct Script {
    say: Say,
    asked: Asked,
}

impl TextModel for Script {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        let words = |message: &Message| message.content.split_whitespace().count();
        Ok(messages.iter().map(words).sum())
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        self.asked.lock().expect("alone").push(ask.messages.clone());
        let text = (self.say)(&ask.messages.last().expect("a message").content);
        let _ = on_event(Event::Text(&text));
        Ok(Generation {
            text,
            ..Generation::default()
        })
    }
}

/// A recipe of the program.
pub(crate) fn built_in(name: &str) -> Recipe {
    let found = Collection::new("no-such-folder")
        .find(name)
        .expect("built in");
    Recipe::parse(&found.text, name).expect("a recipe")
}

/// Runs a recipe with a model that says this.
pub(crate) fn runner(
    recipe: Recipe,
    say: impl Fn(&str) -> String + Send + Sync + 'static,
) -> (Runner, Asked) {
    let (say, asked): (Say, Asked) = (Arc::new(say), Asked::default());
    let info = ModelInfo {
        name: "script".into(),
        n_ctx: Some(2_000),
        ..ModelInfo::default()
    };
    let shared = asked.clone();
    let model = Model::custom(info, move || Script {
        say: say.clone(),
        asked: shared.clone(),
    });
    let runner = Runner::new(recipe, model.chat()).expect("a runner");
    (runner, asked)
}
