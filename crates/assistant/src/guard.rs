//! What a guardrail is, and what it may use while it acts.
//!
//! The five rules live in these types. A guard that finds nothing never reaches [`Guard::act`] (the default route is the
//! raw answer). `act` gets a [`GuardBudget`] that hands out one generation and no more; a second is refused. Whatever
//! `act` returns, the raw answer ships unless it is [`Verdict::Revised`].
//!
//! Every generation of a guard ends: a second answer has the tokens that the person allowed, and never much more than
//! twice the draft ([`GuardBudget::room`]); programs and decisions have limits of their own. What was spent is counted
//! for the receipt. A person who presses Ctrl-C stops the generation, and everything after it.

use crate::{
    Ask, CheckLevel, Error, Jury, Mark, Outcome, Result, TextModel, Tools,
    detect::{Finding, Side},
    number::Value,
    receipt::{Evidence, Program, Spent},
};
use reckon_engine::{Event, Finish, Generation, Message, Role, Shape};
use std::ops::ControlFlow;

/// A question and its answer so far, as guards see them.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The conversation; the last message is the question.
    pub messages: &'a [Message],
    /// The answer as it stands: the model's own, or what an earlier guard made of it.
    pub answer: &'a str,
}

impl<'a> Turn<'a> {
    /// What the person asked before, oldest first.
    pub fn earlier(&self) -> Vec<&'a str> {
        let (_, before) = self.messages.split_last().unzip();
        let asked = before.unwrap_or_default().iter();
        asked
            .filter(|message| message.role == Role::User)
            .map(|message| message.content.as_str())
            .collect()
    }

    /// What was asked last.
    pub fn question(&self) -> &'a str {
        self.messages
            .last()
            .map_or("", |message| message.content.as_str())
    }

    /// What was found, for the receipt.
    pub(crate) fn evidence(&self, finding: Finding) -> Evidence {
        match finding.side {
            Side::Prompt => Evidence::new(finding, self.question()),
            Side::Response => Evidence::new(finding, self.answer),
        }
    }
}

/// What a guard came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The answer stands, for this reason: nothing was wrong, or the guard could not do better.
    Kept(String),
    /// The answer stands, and a tool came to the same.
    Confirmed(String),
    /// This text takes the answer's place.
    Revised {
        /// The whole new answer.
        text: String,
        /// Why it is better.
        reason: String,
    },
    /// The answer stands; the person is told to look at it.
    Flagged(String),
}

/// A guardrail. Without state: what it did is in the receipt.
pub trait Guard: Send + Sync {
    /// One word, as in `reckon guard explain WORD`.
    fn name(&self) -> &str;

    /// The evidence that makes it act, if there is any. Looks at the turn only; calls nothing.
    fn look(&self, turn: &Turn<'_>) -> Option<Finding>;

    /// Whether it might replace an answer to this question. Asked before there is one, so that a front end that
    /// cannot take text back holds it until it is settled.
    fn may_revise(&self, messages: &[Message]) -> bool;

    /// Whether the question alone says what its answer is. Then the guard also looks at an answer that was cut: it knows
    /// the end that is missing.
    fn knows_the_end(&self, _messages: &[Message]) -> bool {
        false
    }

    /// A jury to be asked in one batch with the answer itself, where the question alone shows that it will be needed.
    fn jury(&self, _ask: &Ask) -> Option<Jury> {
        None
    }

    /// Tries to make the answer right.
    fn act(&self, turn: &Turn<'_>, budget: &mut GuardBudget<'_>) -> Action;
}

/// What acting came to, and what was run for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What becomes of the answer.
    pub verdict: Verdict,
    /// The program that was run, with its outcome.
    pub program: Option<Program>,
    /// A number that a tool has established: no later guard may lose it.
    pub value: Option<Value>,
    /// What a person should know about the number or conclusion of the answer.
    pub mark: Option<Mark>,
}

impl Action {
    /// Without a program.
    pub fn plain(verdict: Verdict) -> Self {
        Self {
            verdict,
            program: None,
            value: None,
            mark: None,
        }
    }

    /// With what a person should know about the answer.
    #[must_use]
    pub fn mark(mut self, mark: impl Into<Option<Mark>>) -> Self {
        self.mark = mark.into();
        self
    }

    /// With the program that was run.
    #[must_use]
    pub fn program(mut self, program: impl Into<Option<Program>>) -> Self {
        self.program = program.into();
        self
    }

    /// With a number that no later guard may lose.
    #[must_use]
    pub fn value(mut self, value: impl Into<Option<Value>>) -> Self {
        self.value = value.into();
        self
    }

    /// The answer stands, for this reason.
    pub fn kept(reason: impl Into<String>) -> Self {
        Self::plain(Verdict::Kept(reason.into()))
    }
}

/// Asked now and then whether to go on.
pub(crate) type GoOn<'a> = dyn FnMut() -> ControlFlow<()> + 'a;

/// Yes-or-no questions that a guard may ask.
const MOST_DECISIONS: usize = 2;
/// Tokens that a second answer may have on top of twice the first: of 135 that were better than the first, all had enough
/// with these but for one, whose prompt had asked for a length.
const SHORT_ANSWER: usize = 32;
/// Tokens that a second answer may have however short the first was: enough for the one word that was asked for.
const A_MOMENT: usize = 8;
/// As many tokens are written in the time in which a second answer's objection is read.
pub(crate) const READING: usize = 8;
/// Fewer tokens than this say nothing.
const FEW_WORDS: usize = 4;
/// Tokens of a second answer that has little to do with the first: a refusal of one line says nothing of how long the
/// text would have been.
pub(crate) const FRESH_ANSWER: usize = 256;

/// One generation and the tools.
pub struct GuardBudget<'a> {
    model: &'a mut dyn TextModel,
    tools: &'a mut dyn Tools,
    go_on: &'a mut GoOn<'a>,
    ask: &'a Ask,
    draft_tokens: usize,
    /// Tokens of second answers that other guards have asked for.
    rewritten: usize,
    jury: Option<Jury>,
    spent: Spent,
    stopped: bool,
}

/// What a guard asks the model for.
#[derive(Clone, Debug, Default)]
pub struct GuardRequest {
    /// The conversation to answer.
    pub messages: Vec<Message>,
    /// How many messages at the beginning are the guard's own: see [`Ask::fixed`].
    pub fixed: usize,
    /// How the answer begins.
    pub prefix: String,
    /// The form it is held to.
    pub shape: Option<Shape>,
    /// Stop after this many tokens; `None` for a second answer, which gets [`GuardBudget::room`].
    pub max_tokens: Option<usize>,
    /// A second answer that cannot do with less than this many tokens may have them: "at least 600 words".
    pub least_room: usize,
    /// Take the likeliest token each time instead of sampling as the person asked for.
    pub greedy: bool,
    /// Stop where this text appears; it and what follows are left out.
    pub until: Option<&'static str>,
}

impl<'a> GuardBudget<'a> {
    pub(crate) fn new(
        model: &'a mut dyn TextModel,
        tools: &'a mut dyn Tools,
        ask: &'a Ask,
        (draft_tokens, rewritten): (usize, usize),
        jury: Option<Jury>,
        go_on: &'a mut GoOn<'a>,
    ) -> Self {
        Self {
            model,
            tools,
            go_on,
            ask,
            draft_tokens,
            rewritten,
            spent: jury.as_ref().map(Jury::spent).unwrap_or_default(),
            jury,
            stopped: false,
        }
    }

    /// How far to check.
    pub fn level(&self) -> CheckLevel {
        self.ask.check
    }

    /// The jury that this guard asked for, with its votes; once.
    pub fn take_jury(&mut self) -> Option<Jury> {
        self.jury.take()
    }

    /// Tokens of a second answer: twice the draft and some for a short one, within what the person allowed. A small model
    /// under a grammar may never choose to end, so the length of what it writes is not left to it.
    pub fn room(&self, least: usize) -> usize {
        let room = (2 * self.draft_tokens + SHORT_ANSWER).max(least);
        self.ask.max_tokens.map_or(room, |most| room.min(most))
    }

    /// As [`Self::room`], but unless a full check was asked for, second answers take at most twice the time of the first, or
    /// that of a few words if it was short: all of a turn together, with what is read for them. Nothing if that is less
    /// than half an answer or less than `fewest` tokens, without which no second answer can be right.
    pub fn brief_room(&self, least: usize, fewest: usize) -> Option<usize> {
        if self.level() == CheckLevel::Full {
            return Some(self.room(least));
        }
        // Written under a grammar, a token takes somewhat longer; and the shorter the draft, the more does reading count.
        let drafted = self.draft_tokens;
        let twice = (drafted.saturating_mul(7) / 4).min((2 * drafted).saturating_sub(READING));
        let room = twice.max(A_MOMENT).saturating_sub(self.rewritten);
        let room = self.ask.max_tokens.map_or(room, |most| room.min(most));
        let too_little = FEW_WORDS.max(fewest).max(drafted / 2);
        (room >= too_little).then_some(room)
    }

    /// The guard's one generation. Nothing if the model failed, the person stopped it, it was cut by its length, or
    /// the one generation has been used.
    pub fn generate(&mut self, request: GuardRequest) -> Option<String> {
        if self.spent.generations > 0 || self.stopped {
            return None;
        }
        self.spent.generations = 1;
        let until = request.until;
        let mut ask = self.ask(request);
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
        let ask = self.ask(GuardRequest {
            messages,
            shape: Some(Shape::Choices(vec!["yes".into(), "no".into()])),
            max_tokens: Some(8),
            greedy: true,
            ..GuardRequest::default()
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

    fn ask(&self, request: GuardRequest) -> Ask {
        let max_tokens = request
            .max_tokens
            .unwrap_or_else(|| self.room(request.least_room));
        let mut sampling = self.ask.sampling.clone();
        if request.greedy {
            sampling.temperature = 0.0;
        } else {
            // The same numbers again would make the same answer again.
            sampling.seed = sampling.seed.wrapping_add(1);
        }
        Ask {
            messages: request.messages,
            fixed: request.fixed,
            prefix: request.prefix,
            shape: request.shape,
            sampling,
            max_tokens: Some(max_tokens),
            check: CheckLevel::Off,
            ..Ask::default()
        }
    }
}

fn cut(mut text: String, until: Option<&str>) -> String {
    if let Some(at) = until.and_then(|mark| text.find(mark)) {
        text.truncate(at);
    }
    text
}
