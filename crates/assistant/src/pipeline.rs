//! Answers a conversation: the model generates, then each guard looks, and the receipt says what was done.
//!
//! The model's own answer comes first and streams as it is written; nothing is added to its prompt, so an answer that
//! no guard acts on has the same bytes with and without guards. Guards then look in order, each at what the one before
//! it left. A revision replaces the text that was shown (`Event::Revise`).
//!
//! A guard that computes may want a jury: further answers and programs that are written in one batch with the answer
//! (`jury`). They change nothing of the answer's own bytes.
//!
//! Fail-open: a guard that fails, is stopped or has nothing better leaves the answer as it is. Ctrl-C during the
//! answer or a guard's work ends the turn with what stands.

use crate::{
    Ask, CheckLevel, Entry, Guard, GuardBudget, GuardOutcome, Jury, Mark, MarkState, Receipt,
    Result, Spent, TextModel, Tools, Turn, Verdict, detect::conclusion, guard::READING, number,
};
use reckon_engine::{Finish, Generation, Message, may_call};
use std::ops::ControlFlow;

/// What a front end hears while an answer is made.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// `done` of `total` tokens of the prompt are read.
    Prefill {
        /// Read so far.
        done: usize,
        /// To read.
        total: usize,
    },
    /// More text of the model's thinking.
    Thought(&'a str),
    /// How likely the next token of the answer was, where that was asked for.
    Likely(&'a reckon_engine::TokenLogprobs),
    /// More text of the answer.
    Text(&'a str),
    /// A guard is at work; its name.
    Checking(&'a str),
    /// A text longer than the context is read in parts; this one is being summarised.
    Part {
        /// From 1.
        part: usize,
        /// How many there are.
        parts: usize,
    },
    /// All text so far is replaced by this one.
    Revise {
        /// The guard that says so.
        guard: &'a str,
        /// The whole new answer.
        text: &'a str,
    },
}

impl<'a> From<reckon_engine::Event<'a>> for Event<'a> {
    fn from(event: reckon_engine::Event<'a>) -> Self {
        match event {
            reckon_engine::Event::Prefill { done, total } => Self::Prefill { done, total },
            reckon_engine::Event::Thought(text) => Self::Thought(text),
            reckon_engine::Event::Likely(token) => Self::Likely(token),
            reckon_engine::Event::Text(text) => Self::Text(text),
        }
    }
}

/// An answer and what was done for it.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What ships.
    pub text: String,
    /// The model's own answer, with its tokens and timing.
    pub generation: Generation,
    /// What made it: of the pipeline what the guards did, of whoever knows the model the rest.
    pub receipt: Receipt,
    /// The person stopped it.
    pub stopped: bool,
}

/// Hears what happens; breaks to stop.
pub type OnReply<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

/// The guards, in the order in which they look.
#[derive(Default)]
pub struct Pipeline {
    guards: Vec<Box<dyn Guard>>,
}

impl Pipeline {
    /// These guards, in this order; none is the raw model.
    pub fn new(guards: Vec<Box<dyn Guard>>) -> Self {
        Self { guards }
    }

    /// The guards.
    pub fn guards(&self) -> impl Iterator<Item = &dyn Guard> {
        self.guards.iter().map(AsRef::as_ref)
    }

    /// Whether an answer to this conversation might be replaced after it was shown.
    pub fn may_revise(&self, messages: &[Message]) -> bool {
        self.guards().any(|guard| guard.may_revise(messages))
    }

    /// Answers.
    pub fn answer(
        &self,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
        ask: &Ask,
        on_event: &mut OnReply<'_>,
    ) -> Result<Reply> {
        let mut jury = self.jury(ask);
        let (generation, skipped) = match &mut jury {
            Some((_, jury)) => jury.hold(model, tools, on_event)?,
            None => {
                let said = model.generate(ask, &mut |event| on_event(event.into()))?;
                (said, false)
            }
        };
        let mut work = Work {
            text: generation.text.clone(),
            draft_tokens: written(&generation),
            stopped: skipped || generation.finish == Finish::Cancelled,
            entries: Vec::new(),
            values: Vec::new(),
            mark: None,
        };
        let unjudged = unjudged(&generation, ask, skipped);
        let is_cut =
            matches!(generation.finish, Finish::Length | Finish::Context) && ask.shape.is_none();
        let looks = |guard: &dyn Guard| is_cut && guard.knows_the_end(&ask.messages);
        for guard in self.guards() {
            let own = jury.take_if(|(name, _)| name == guard.name());
            let entry = match unjudged {
                Some(why) if !looks(guard) => idle(guard, GuardOutcome::Skipped, Some(why)),
                _ if work.stopped => {
                    idle(guard, GuardOutcome::Skipped, Some("the check was stopped"))
                }
                _ => {
                    let jury = own.map(|(_, jury)| jury);
                    work.look(guard, model, tools, ask, jury, on_event)
                }
            };
            work.entries.push(entry);
        }
        let mark = work
            .mark
            .take()
            .or_else(|| self.unmarked(&work, ask, unjudged));
        Ok(Reply {
            text: work.text,
            receipt: Receipt {
                // Without guards it is the text itself.
                raw: (!self.guards.is_empty()).then(|| generation.text.clone()),
                mark,
                guards: work.entries,
                ..Receipt::default()
            },
            // Who had enough of the check still has the whole answer.
            stopped: generation.finish == Finish::Cancelled,
            generation,
        })
    }

    /// The jury that the question alone calls for, and whose it is. One at most: it is a batch.
    fn jury(&self, ask: &Ask) -> Option<(String, Jury)> {
        // Votes of answers that may call tools could not be compared.
        let free = ask.shape.is_none() && ask.template.tools.is_empty();
        if !free || ask.check < CheckLevel::Quick {
            return None;
        }
        self.guards()
            .find_map(|guard| Some((guard.name().to_owned(), guard.jury(ask)?)))
    }

    /// The mark of an answer that no guard has marked: none if there is nothing to verify in it.
    fn unmarked(&self, work: &Work, ask: &Ask, unjudged: Option<&str>) -> Option<Mark> {
        let question = ask.messages.last()?.content.as_str();
        // What was cut may not have come to its result.
        let is_cut = unjudged == Some(CUT) && conclusion::asks(question);
        if !is_cut {
            conclusion::wants(question, &work.text)?;
        }
        let why = match unjudged {
            Some(why) => why,
            None if self.guards.is_empty() => "guards are off",
            None if ask.check == CheckLevel::Off => "checks are off",
            None if work.stopped => "the check was stopped",
            None => "nothing in the question to compute it from",
        };
        Some(Mark::unchecked(why))
    }
}

/// Tokens of an answer; about as many as its length says where an endpoint does not count them.
fn written(generation: &Generation) -> usize {
    match generation.usage.completion {
        0 => generation.text.len() / 4,
        tokens => tokens,
    }
}

/// Why an answer that came to the end of its tokens is not judged.
const CUT: &str = "the answer was cut";

/// Why an answer is not judged at all: what was cut short is no answer yet.
fn unjudged(generation: &Generation, ask: &Ask, skipped: bool) -> Option<&'static str> {
    match generation.finish {
        Finish::Cancelled => Some("the answer was stopped"),
        Finish::Length | Finish::Context | Finish::Grammar => Some(CUT),
        Finish::Stop if ask.shape.is_some() => Some("the answer is held to a schema"),
        Finish::Stop if !generation.calls.is_empty() => Some("the answer calls a tool"),
        Finish::Stop if !ask.template.tools.is_empty() && may_call(&generation.text) => {
            Some("the answer calls a tool")
        }
        Finish::Stop if skipped => Some("the check was stopped"),
        Finish::Stop => None,
    }
}

/// An answer on its way through the guards.
struct Work {
    text: String,
    /// Tokens of the model's own answer: the measure for what a guard may have written.
    draft_tokens: usize,
    stopped: bool,
    entries: Vec<Entry>,
    /// What tools have established: every later text must state it.
    values: Vec<number::Value>,
    /// What the first guard that checked has found out.
    mark: Option<Mark>,
}

impl Work {
    fn look(
        &mut self,
        guard: &dyn Guard,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
        ask: &Ask,
        jury: Option<Jury>,
        on_event: &mut OnReply<'_>,
    ) -> Entry {
        let turn = Turn {
            messages: &ask.messages,
            answer: &self.text,
        };
        let mut entry = idle(guard, GuardOutcome::Quiet, None);
        let Some(finding) = guard.look(&turn) else {
            return entry;
        };
        entry.evidence = Some(turn.evidence(finding));
        if on_event(Event::Checking(guard.name())).is_break() {
            self.stopped = true;
            return entry;
        }
        entry.votes = jury.as_ref().map(Jury::votes).unwrap_or_default();
        let mut go_on = || on_event(Event::Checking(guard.name()));
        let tokens = (self.draft_tokens, self.rewritten());
        let mut budget = GuardBudget::new(model, tools, ask, tokens, jury, &mut go_on);
        let action = guard.act(&turn, &mut budget);
        (entry.spent, self.stopped) = budget.close();
        entry.program = action.program;
        let entry = self.settle(entry, action.verdict, on_event);
        if entry.outcome != GuardOutcome::Kept {
            self.values.extend(action.value);
        }
        if self.mark.is_none() {
            self.mark = action.mark.map(|mark| Mark {
                by: Some(entry.guard.clone()),
                ..self.true_of(&entry, mark)
            });
        }
        entry
    }

    /// Tokens of second answers so far, and in tokens what was read for them. Samples of a jury are not counted: they are
    /// written side by side.
    fn rewritten(&self) -> usize {
        let spent = self.entries.iter().map(|entry| entry.spent);
        let alone = spent.filter(|spent| spent.samples == 0 && spent.generations > 0);
        alone.map(|spent| spent.completion + READING).sum()
    }

    /// A mark says what was done: a correction that was not carried out leaves a doubt.
    fn true_of(&self, entry: &Entry, mark: Mark) -> Mark {
        let done = entry.outcome == GuardOutcome::Revised;
        match mark.state {
            MarkState::Corrected if !done => Mark {
                state: MarkState::Doubtful,
                ..mark
            },
            _ if self.stopped => Mark::unchecked("the check was stopped"),
            _ => mark,
        }
    }

    /// Writes the verdict into the entry and carries it out.
    fn settle(&mut self, mut entry: Entry, verdict: Verdict, on_event: &mut OnReply<'_>) -> Entry {
        let (outcome, reason) = match verdict {
            _ if self.stopped => (GuardOutcome::Kept, "stopped".to_owned()),
            Verdict::Kept(reason) => (GuardOutcome::Kept, reason),
            Verdict::Confirmed(reason) => (GuardOutcome::Confirmed, reason),
            Verdict::Flagged(reason) => (GuardOutcome::Flagged, reason),
            Verdict::Revised { text, .. } if text.trim().is_empty() => {
                (GuardOutcome::Kept, "nothing would be left".to_owned())
            }
            Verdict::Revised { text, .. } if text == self.text => {
                (GuardOutcome::Kept, "it would be the same text".to_owned())
            }
            Verdict::Revised { text, .. } if !self.keeps_values(&text) => (
                GuardOutcome::Kept,
                "it would lose a number that was computed".to_owned(),
            ),
            Verdict::Revised { text, reason } => {
                let guard = &entry.guard;
                self.stopped = on_event(Event::Revise { guard, text: &text }).is_break();
                entry.replaced = Some(std::mem::replace(&mut self.text, text));
                (GuardOutcome::Revised, reason)
            }
        };
        entry.fired = matches!(outcome, GuardOutcome::Revised | GuardOutcome::Flagged);
        entry.outcome = outcome;
        entry.reason = Some(reason);
        entry
    }

    fn keeps_values(&self, text: &str) -> bool {
        self.values.iter().all(|value| number::states(text, value))
    }
}

/// The entry of a guard that did nothing.
fn idle(guard: &dyn Guard, outcome: GuardOutcome, why: Option<&str>) -> Entry {
    Entry {
        guard: guard.name().to_owned(),
        fired: false,
        outcome,
        reason: why.map(str::to_owned),
        evidence: None,
        program: None,
        votes: Vec::new(),
        replaced: None,
        spent: Spent::default(),
    }
}
