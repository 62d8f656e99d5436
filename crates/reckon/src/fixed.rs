//! Finds how many tokens of a prompt are fixed: the same for every question, with nobody's words among them.
//!
//! Called for each request, to say what may be kept on the disk. An [`Ask`] says how many of its messages are fixed; where
//! their tokens end depends on the template and the tokenizer. So two questions that have nothing in common are put behind
//! them, and what both prompts begin with is fixed. The person's own words have no part in that, so none can get into it.
use reckon_assistant::Ask;
use reckon_engine::{Message, Model, TemplateOptions, Token};

/// They differ in the first character, whichever way they are cut into tokens.
const QUESTIONS: [&str; 2] = ["A", "7"];

/// The fixed part that was found last: the programs of a jury, and the next question, have the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedPrefix {
    messages: Vec<Message>,
    tokens: Vec<Token>,
}

impl FixedPrefix {
    /// How many tokens of the prompt that an ask became are fixed.
    pub(crate) fn count(&mut self, model: &Model, ask: &Ask, prompt: &[Token]) -> Option<usize> {
        let fixed = ask.messages.get(..ask.fixed)?;
        if fixed.is_empty() {
            return None;
        }
        if self.messages != fixed {
            self.tokens = tokens(model, fixed).unwrap_or_default();
            self.messages = fixed.to_vec();
        }
        let is_there = !self.tokens.is_empty() && prompt.starts_with(&self.tokens);
        is_there.then_some(self.tokens.len())
    }
}

/// The tokens that every prompt with these messages begins with.
fn tokens(model: &Model, fixed: &[Message]) -> reckon_engine::Result<Vec<Token>> {
    let prompt = |question: &str| {
        let question = Message::user(question);
        let messages = [fixed, &[question]].concat();
        model.prompt(&messages, &TemplateOptions::default())
    };
    let [one, other] = QUESTIONS.map(prompt);
    let (one, other) = (one?, other?);
    let pairs = one.iter().zip(other.iter());
    let shared = pairs.take_while(|(a, b)| a == b).count();
    Ok(one[..shared].to_vec())
}
