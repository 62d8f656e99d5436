//! A jury on a number: further answers and programs, written in one batch with the answer itself, each with one vote.
//!
//! Answers and programs go wrong in different ways, so agreement across the two kinds says much, and agreement of programs
//! alone says little: they misread a question in the same way again and again. `tally` counts and decides. The batch ends
//! as soon as no vote that is still out can change the outcome.
//!
//! A full check begins as a quick one does, with the answer and three programs; the others of the batch begin once those
//! can no longer verify the answer. Three texts beside the answer cost little, eleven more than the answer itself.
//!
//! Built by the guard that wants it ([`Guard::jury`](crate::Guard::jury)), held by the pipeline, read by the guard when it acts.

mod tally;

pub(crate) use tally::Outcome;

use crate::{
    Ask, BatchEvent, CheckLevel, Event, OnReply, Program, Result, Spent, TextModel, Tools,
    number::{Found, Value, candidates, decimals_asked},
};
use reckon_engine::{Finish, Generation, Message, Sampling};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use tally::{Out, Tally, Weighed};

/// Ends a program.
const FENCE: &str = "```";
/// Longest program that is waited for, in tokens.
const PROGRAM_TOKENS: usize = 400;
/// Programs beside an answer, and further answers and programs of a full check: docs/guard-prompts.md.
const QUICK_PROGRAMS: usize = 3;
/// Beside those of a quick check they are eight texts: one tile of eight tokens.
const FULL_PROGRAMS: usize = 6;
const FULL_DRAFTS: usize = 5;
/// Texts of a full check, with the answer itself: written at the same time they take a third of what they take one by one.
pub const JURY_TEXTS: usize = 1 + FULL_PROGRAMS + FULL_DRAFTS;
/// Bytes by which a further answer may outgrow the answer and a quarter of it: those that do run on and seldom end, and
/// everybody waits for the last.
const STRAGGLER: usize = 200;

/// What a juror writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Juror {
    /// An answer in words.
    Draft,
    /// A program that computes the answer.
    Program,
}

/// What one of them came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vote {
    /// An answer or a program.
    pub juror: Juror,
    /// Its number, as it was written or printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
}

/// What a juror wrote, and its number.
#[derive(Clone, Debug)]
pub struct Ballot {
    /// An answer or a program.
    pub juror: Juror,
    /// The answer; of a program what was run.
    pub text: String,
    /// What the program came to.
    pub program: Option<Program>,
    /// The number, or why there is none that counts.
    pub value: std::result::Result<Number, String>,
}

/// A number of a ballot: a program's value, or what an answer says, with the decimals that it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// The value.
    pub value: Value,
    /// Where it was read in an answer: how it is written there.
    pub found: Option<Found>,
    /// Written with a percent sign.
    pub percent: bool,
}

/// What whoever writes a program is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Examples, then the conversation.
    pub(crate) messages: Vec<Message>,
    /// How many are examples.
    pub(crate) fixed: usize,
}

/// Turns what a juror wrote behind the opening of its program into what is run; reads what came of it.
pub(crate) type RunProgram = fn(question: &str, body: &str, tools: &mut dyn Tools) -> Ballot;

/// A jury in the making: what it is asked and what it has said so far.
pub struct Jury {
    question: String,
    /// Decimals that the question asks for: every count of votes needs them, and one is made with each token.
    decimals: Option<usize>,
    level: CheckLevel,
    asks: Vec<Ask>,
    run: RunProgram,
    ballots: Vec<Ballot>,
    /// Which of them is the answer's own.
    own: Option<usize>,
    spent: Spent,
}

impl std::fmt::Debug for Jury {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Jury")
            .field("asks", &self.asks.len())
            .field("ballots", &self.ballots)
            .finish_non_exhaustive()
    }
}

impl Jury {
    /// For the last question of `ask`; `shown` and `opening` make a program for it.
    pub(crate) fn new(ask: &Ask, shown: &Shown, opening: &str, run: RunProgram) -> Self {
        let question = ask.messages.last();
        let (drafts, programs) = match ask.check {
            CheckLevel::Full => (FULL_DRAFTS, FULL_PROGRAMS),
            _ => (0, QUICK_PROGRAMS),
        };
        let mut asks = vec![ask.clone()];
        asks.extend((0..programs).map(|i| Ask {
            messages: shown.messages.clone(),
            fixed: shown.fixed,
            prefix: format!("{FENCE}python\n{opening}"),
            sampling: sampling(ask, i, 0.5, 0.95),
            max_tokens: Some(PROGRAM_TOKENS),
            check: CheckLevel::Off,
            ..Ask::default()
        }));
        asks.extend((1..=drafts).map(|i| Ask {
            sampling: sampling(ask, i, 0.7, 0.8),
            ..ask.clone()
        }));
        let question = question.map_or_else(String::new, |last| last.content.clone());
        Self {
            decimals: decimals_asked(&question),
            question,
            level: ask.check,
            asks,
            run,
            ballots: Vec::new(),
            own: None,
            spent: Spent::default(),
        }
    }

    /// Writes the answer, heard as ever, and the ballots beside it. Gives the answer, and whether the person had enough
    /// while the jury was still out.
    pub(crate) fn hold(
        &mut self,
        model: &mut dyn TextModel,
        tools: &mut dyn Tools,
        on_event: &mut OnReply<'_>,
    ) -> Result<(Generation, bool)> {
        let asks = std::mem::take(&mut self.asks);
        let programs = asks.iter().filter(|ask| !ask.prefix.is_empty()).count();
        let mut texts = vec![String::new(); asks.len()];
        let mut answer: Option<Result<Generation>> = None;
        let mut skipped = false;
        let mut longest = usize::MAX;
        model.batch(&asks, &mut |at, event| match event {
            BatchEvent::Begin => flow(at <= QUICK_PROGRAMS || !self.may_verify_quickly()),
            BatchEvent::Writing(event) if at == 0 => on_event(event.into()),
            BatchEvent::Writing(event) => {
                if let reckon_engine::Event::Text(more) = event {
                    texts[at].push_str(more);
                }
                // While the answer streams nobody needs to hear that it is also being checked.
                if answer.is_some() && on_event(Event::Checking("arithmetic")).is_break() {
                    skipped = true;
                }
                let is_done = match at <= programs {
                    true => texts[at].contains(FENCE),
                    false => texts[at].len() > longest,
                };
                flow(!skipped && !is_done)
            }
            BatchEvent::Ended(said) if at == 0 => {
                let whole = said.as_ref().is_ok_and(|said| said.finish == Finish::Stop);
                if let Ok(said) = &said {
                    self.own = Some(self.ballots.len());
                    self.ballots.push(self.draft(&said.text));
                    longest = said.text.len() + said.text.len() / 4 + STRAGGLER;
                }
                answer = Some(said);
                flow(whole && !self.is_settled(asks.len(), programs))
            }
            BatchEvent::Ended(said) => {
                if let Ok(said) = said {
                    self.spent.add_beside(&said);
                    let is_whole = said.finish == Finish::Stop || texts[at].contains(FENCE);
                    let ballot = match (at <= programs, is_whole) {
                        (true, true) => (self.run)(&self.question, cut(&texts[at]), tools),
                        (false, true) => self.draft(&said.text),
                        (is_program, false) => void(is_program, "it was cut"),
                    };
                    self.ballots.push(ballot);
                } else {
                    self.spent.samples += 1;
                    self.ballots.push(void(at <= programs, "the model failed"));
                }
                let is_over = answer.is_some() && self.is_settled(asks.len(), programs);
                flow(!skipped && !is_over)
            }
        });
        self.spent.generations = 1;
        let answer = answer.unwrap_or(Err(crate::Error::Ended))?;
        Ok((answer, skipped))
    }

    fn draft(&self, text: &str) -> Ballot {
        Ballot {
            juror: Juror::Draft,
            text: text.to_owned(),
            program: None,
            value: said(&self.question, text),
        }
    }

    /// What it comes to for an answer that says `answer`, which may have changed since the batch.
    pub(crate) fn outcome(&self, answer: &str) -> Outcome {
        let own = said(&self.question, answer).ok();
        match self.quick(own.as_ref()).outcome(CheckLevel::Quick) {
            verified @ Outcome::Verified { .. } => verified,
            _ => self.tally(own.as_ref()).outcome(self.level),
        }
    }

    /// Whether no vote that is still out changes the outcome: of so many jurors, so many of them programs.
    fn is_settled(&self, jurors: usize, programs: usize) -> bool {
        let Some(own) = self.own else {
            return false;
        };
        let own = self.ballots[own].value.as_ref().ok();
        let out = Out {
            drafts: (jurors - programs).saturating_sub(self.cast(Juror::Draft)),
            programs: programs.saturating_sub(self.cast(Juror::Program)),
        };
        match self.level {
            // A program that is out can take it back; if none is, it is verified.
            CheckLevel::Full if self.may_verify_quickly() => {
                self.cast(Juror::Program) >= QUICK_PROGRAMS
            }
            level => self.tally(own).is_settled(level, out),
        }
    }

    /// Whether the programs of a quick check verify the answer, as far as they and the answer are in.
    fn may_verify_quickly(&self) -> bool {
        let out = QUICK_PROGRAMS.saturating_sub(self.cast(Juror::Program));
        let mut programs = self.quick_programs();
        let value = match self.own {
            Some(own) => self.ballots[own].value.as_ref().ok(),
            // The answer may come to say what they say.
            None => programs.find_map(|(_, one)| one.value.as_ref().ok()),
        };
        match (self.own, value) {
            (None, None) => out > 1,
            _ => self.quick(value).may_be_verified(out),
        }
    }

    fn cast(&self, juror: Juror) -> usize {
        self.ballots.iter().filter(|one| one.juror == juror).count()
    }

    /// The votes of a quick check: the answer itself and the programs that began with it.
    fn quick(&self, own: Option<&Number>) -> Tally {
        let answer = self.own.map(|at| (at, &self.ballots[at]));
        self.count(own, answer.into_iter().chain(self.quick_programs()))
    }

    /// Those that began with the answer: they end first, unless others have begun, and then they can verify nothing any more.
    fn quick_programs(&self) -> impl Iterator<Item = (usize, &Ballot)> {
        let ballots = self.ballots.iter().enumerate();
        let programs = ballots.filter(|(_, one)| one.juror == Juror::Program);
        programs.take(QUICK_PROGRAMS)
    }

    fn tally(&self, own: Option<&Number>) -> Tally {
        self.count(own, self.ballots.iter().enumerate())
    }

    fn count<'a>(
        &'a self,
        own: Option<&'a Number>,
        ballots: impl Iterator<Item = (usize, &'a Ballot)>,
    ) -> Tally {
        let counted = ballots.filter_map(|(at, ballot)| {
            let value = ballot.value.as_ref().ok()?;
            Some(Weighed {
                at,
                juror: ballot.juror,
                value,
            })
        });
        Tally::new(own, counted, self.decimals)
    }

    /// Whether most of the programs that came to a number came to this one.
    pub fn supports(&self, value: &Value) -> bool {
        let programs = self
            .ballots
            .iter()
            .filter(|one| one.juror == Juror::Program);
        let values = programs.filter_map(|one| one.value.as_ref().ok());
        let (same, other): (Vec<_>, Vec<_>) =
            values.partition(|one| Value::same(&one.value, value));
        same.len() > other.len()
    }

    /// What every juror came to, for the receipt.
    pub fn votes(&self) -> Vec<Vote> {
        let vote = |ballot: &Ballot| Vote {
            juror: ballot.juror,
            value: ballot.value.as_ref().ok().map(Number::shown),
            void: ballot.value.as_ref().err().cloned(),
        };
        self.ballots.iter().map(vote).collect()
    }

    /// A ballot of those that an outcome names.
    pub fn ballot(&self, at: usize) -> Option<&Ballot> {
        self.ballots.get(at)
    }

    /// The number of the first of these ballots.
    pub(crate) fn number(&self, places: &[usize]) -> Option<&Number> {
        self.ballot(*places.first()?)?.value.as_ref().ok()
    }

    /// What the votes cost; the answer itself is not among it.
    pub fn spent(&self) -> Spent {
        self.spent
    }
}

impl Number {
    /// As a person writes it.
    pub fn shown(&self) -> String {
        let number = crate::number::format_number(&self.value);
        match self.percent {
            true => format!("{number}%"),
            false => number,
        }
    }
}

/// The one number that an answer says.
pub(crate) fn said(question: &str, answer: &str) -> std::result::Result<Number, String> {
    let claims = candidates(question, answer);
    let Some(first) = claims.first() else {
        return Err("it says no number".into());
    };
    if claims.iter().any(|other| other.value != first.value) {
        return Err("it says several numbers".into());
    }
    let percent = claims.iter().any(|one| {
        // Spans of candidates count from the part that holds them, so the sign is looked for by the number's own text.
        let shown = crate::number::format_number(&Value::Exact(one.value.clone()));
        answer.contains(&format!("{shown}%")) || answer.contains(&format!("{shown} %"))
    });
    Ok(Number {
        value: Value::Exact(first.value.clone()),
        found: Some(first.clone()),
        percent,
    })
}

/// The first of a kind takes the likeliest tokens, the others are drawn: the same numbers again would make the same text.
fn sampling(ask: &Ask, i: usize, temperature: f32, top_p: f32) -> Sampling {
    let own = &ask.sampling;
    let seed = own.seed.wrapping_add(i as u64);
    match i {
        0 => Sampling {
            temperature: 0.0,
            ..own.clone()
        },
        _ if own.temperature > 0.0 && ask.prefix.is_empty() => Sampling {
            seed,
            ..own.clone()
        },
        _ => Sampling {
            temperature,
            top_p,
            top_k: 20,
            seed,
            ..own.clone()
        },
    }
}

fn void(is_program: bool, why: &str) -> Ballot {
    Ballot {
        juror: if is_program {
            Juror::Program
        } else {
            Juror::Draft
        },
        text: String::new(),
        program: None,
        value: Err(why.to_owned()),
    }
}

fn cut(text: &str) -> &str {
    text.split(FENCE).next().unwrap_or("").trim_matches('\n')
}

fn flow(go_on: bool) -> ControlFlow<()> {
    match go_on {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    }
}
