//! What a guard may use while it acts: the model once, and the tools.
//!
//! The pipeline makes one for each guard that has evidence. The budget is kept here, so that no guard can exceed it:
//! a second generation is refused. What was spent is counted for the receipt. A person who presses Ctrl-C stops the
//! generation, and everything after it.

use crate::{Ask, Error, Outcome, Result, TextModel, Tools, receipt::Spent};
use reckon_engine::{Event, Finish, Generation, Message, Sampling, Shape};
use std::ops::ControlFlow;

/// Asked now and then whether to go on.
pub(crate) type GoOn<'a> = dyn FnMut() -> ControlFlow<()> + 'a;

/// Yes-or-no questions that a guard may ask.
const MOST_DECISIONS: usize = 2;

/// One generation and the tools.
pub struct Desk<'a> {
    model: &'a mut dyn TextModel,
    tools: &'a mut dyn Tools,
    go_on: &'a mut GoOn<'a>,
    sampling: &'a Sampling,
    spent: Spent,
    stopped: bool,
}

/// What a guard asks the model for.
#[derive(Clone, Debug, Default)]
pub struct Errand {
    /// The conversation to answer.
    pub messages: Vec<Message>,
    /// How the answer begins.
    pub prefix: String,
    /// The form it is held to.
    pub shape: Option<Shape>,
    /// Stop after this many tokens.
    pub max_tokens: Option<usize>,
    /// Take the likeliest token each time instead of sampling as the person asked for.
    pub greedy: bool,
    /// Stop where this text appears; it and what follows are left out.
    pub until: Option<&'static str>,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(
        model: &'a mut dyn TextModel,
        tools: &'a mut dyn Tools,
        sampling: &'a Sampling,
        go_on: &'a mut GoOn<'a>,
    ) -> Self {
        Self {
            model,
            tools,
            go_on,
            sampling,
            spent: Spent::default(),
            stopped: false,
        }
    }

    /// The guard's one generation. Nothing if the model failed, the person stopped it, it was cut by its length, or
    /// the one generation has been used.
    pub fn generate(&mut self, errand: Errand) -> Option<String> {
        if self.spent.generations > 0 || self.stopped {
            return None;
        }
        self.spent.generations = 1;
        let until = errand.until;
        let mut ask = self.ask(errand);
        let mut written = self.write(&ask, until);
        // A form that this model cannot be held to is refused before a word is written: then without it.
        if written.as_ref().is_err_and(Error::is_grammar) {
            ask.shape = None;
            written = self.write(&ask, until);
        }
        let (said, ended) = written.ok()?;
        self.spent.add(&said);
        match said.finish {
            Finish::Stop => Some(cut(said.text, until)),
            Finish::Cancelled if ended => Some(cut(said.text, until)),
            Finish::Cancelled => {
                self.stopped = true;
                None
            }
            Finish::Length | Finish::Context | Finish::Grammar => None,
        }
    }

    /// Lets the model write, and says whether it came to `until`.
    fn write(&mut self, ask: &Ask, until: Option<&str>) -> Result<(Generation, bool)> {
        let mut text = String::new();
        let mut ended = false;
        let go_on = &mut self.go_on;
        let said = self.model.generate(ask, &mut |event| {
            if let Event::Text(more) = event {
                text.push_str(more);
                ended = until.is_some_and(|mark| text.contains(mark));
            }
            if ended {
                return ControlFlow::Break(());
            }
            go_on()
        });
        said.map(|said| (said, ended))
    }

    /// One question that the model can only answer with yes or no. Not an answer of its own, so it leaves the one
    /// generation untouched; but only two are allowed, one before and one after it.
    pub fn decide(&mut self, messages: Vec<Message>) -> Option<bool> {
        if self.spent.decisions >= MOST_DECISIONS || self.stopped {
            return None;
        }
        self.spent.decisions += 1;
        let ask = self.ask(Errand {
            messages,
            shape: Some(Shape::Choices(vec!["yes".into(), "no".into()])),
            max_tokens: Some(8),
            greedy: true,
            ..Errand::default()
        });
        let go_on = &mut self.go_on;
        let said = self.model.generate(&ask, &mut |_| go_on()).ok()?;
        self.spent.add(&said);
        self.stopped = said.finish == Finish::Cancelled;
        match said.text.trim() {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        }
    }

    /// Runs a Python program.
    pub fn python(&mut self, program: &str) -> Outcome {
        let outcome = self.tools.python(program);
        self.spent.ms += outcome.ms;
        outcome
    }

    /// Runs a program that states a problem to the solver.
    pub fn logic(&mut self, program: &str) -> Outcome {
        let outcome = self.tools.logic(program);
        self.spent.ms += outcome.ms;
        outcome
    }

    /// What was spent, and whether the person stopped it.
    pub(crate) fn close(self) -> (Spent, bool) {
        (self.spent, self.stopped)
    }

    fn ask(&self, errand: Errand) -> Ask {
        let mut sampling = self.sampling.clone();
        if errand.greedy {
            sampling.temperature = 0.0;
        } else {
            // The same numbers again would make the same answer again.
            sampling.seed = sampling.seed.wrapping_add(1);
        }
        Ask {
            messages: errand.messages,
            prefix: errand.prefix,
            shape: errand.shape,
            sampling,
            max_tokens: errand.max_tokens,
        }
    }
}

fn cut(mut text: String, until: Option<&str>) -> String {
    if let Some(at) = until.and_then(|mark| text.find(mark)) {
        text.truncate(at);
    }
    text
}
