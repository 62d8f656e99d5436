//! The loop that turns a prompt into an answer.
use crate::forward::{Scratch, Share, Wanted};
use crate::mtp::MtpDrafter;
use crate::sampler::Sampler;
use crate::state::State;
use crate::stop::StopText;
use crate::{Error, Guess, Model, Part, Result, Thinking, Token, Tokenizer};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Tokens whose logits are held at once when all are wanted.
const LOGITS_BATCH: usize = 64;

/// How the next token is chosen. `temperature` 0 is greedy.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// 0 takes the most likely token.
    pub temperature: f32,
    /// Keep the k most likely; 0 keeps all.
    pub top_k: usize,
    /// Keep the smallest set with this probability; 1 keeps all.
    pub top_p: f32,
    /// Drop tokens less likely than this share of the best one; 0 drops none.
    pub min_p: f32,
    /// Divides the score of tokens seen in the last `penalty_window` tokens; 1 is off.
    pub repetition_penalty: f32,
    /// How far back the penalty looks.
    pub penalty_window: usize,
    /// Same seed, same bytes.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 0.7,
            top_k: 40,
            top_p: 0.95,
            min_p: 0.0,
            repetition_penalty: 1.0,
            penalty_window: 64,
            seed: 0,
        }
    }
}

/// What to generate.
#[derive(Clone, Debug)]
pub struct Request {
    /// The whole prompt, from the first token; what a session already holds of it is reused.
    pub prompt: Vec<Token>,
    /// How to choose tokens.
    pub sampling: Sampling,
    /// Stop after this many tokens of answer; `None`: until the context is full.
    pub max_tokens: Option<usize>,
}

/// What happens while an answer is made.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// `done` of `total` prompt tokens are read.
    Prefill {
        /// Read so far.
        done: usize,
        /// To read.
        total: usize,
    },
    /// More text of the model's thinking.
    Thought(&'a str),
    /// More text of the answer.
    Text(&'a str),
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model said it is done.
    Stop,
    /// `max_tokens` reached.
    Length,
    /// The context is full.
    Context,
    /// The caller asked to stop.
    Cancelled,
}

/// Tokens read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: usize,
    /// Of these, taken over from what the session already held.
    pub reused: usize,
    /// Tokens of the answer, thinking included.
    pub completion: usize,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Reading the prompt.
    pub prefill: Duration,
    /// Writing the answer.
    pub decode: Duration,
}

/// A finished answer.
#[derive(Clone, Debug)]
pub struct Generation {
    /// The answer without thinking.
    pub text: String,
    /// The thinking, if the model showed any.
    pub thought: String,
    /// Every token of the answer, the end token left out.
    pub tokens: Vec<Token>,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens read and written.
    pub usage: Usage,
    /// Where the time went.
    pub timing: Timing,
}

/// One conversation's memory: the tokens the model has read and what it keeps of them.
#[derive(Debug)]
pub struct Session {
    state: State,
    scratch: Scratch,
}

impl Session {
    /// An empty session of this model.
    pub fn new(model: &Model) -> Self {
        Self {
            state: model.state(),
            scratch: Scratch::default(),
        }
    }

    /// Tokens that the session holds.
    pub fn tokens(&self) -> &[Token] {
        self.state.tokens()
    }

    /// Reads the prompt and writes an answer. `on_event` may break to stop early; what was written until then is returned.
    pub fn generate(
        &mut self,
        model: &Model,
        request: &Request,
        on_event: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Generation> {
        let reused = self.begin(model, &request.prompt)?;
        let mut answer = Answer::new(model, &request.prompt, on_event);
        let started = Instant::now();
        let new = &request.prompt[reused..];
        let total = new.len();
        let read = self.advance(model, new, Wanted::Last, |done| {
            (answer.shown.on_event)(Event::Prefill { done, total })
        });
        let prefill = started.elapsed();
        let started = Instant::now();
        let finish = match read {
            ControlFlow::Continue(()) => self.write(model, request, &mut answer),
            ControlFlow::Break(()) => Finish::Cancelled,
        };
        let usage = Usage {
            prompt: request.prompt.len(),
            reused,
            completion: answer.tokens.len(),
        };
        Ok(answer.finish(
            finish,
            usage,
            Timing {
                prefill,
                decode: started.elapsed(),
            },
        ))
    }

    /// Reads `tokens` from an empty memory and hands over the logits of each position from `from` on.
    pub fn logits(
        &mut self,
        model: &Model,
        tokens: &[Token],
        from: usize,
        mut each: impl FnMut(usize, &[f32]),
    ) -> Result<()> {
        self.state.rewind(0);
        fits(model, tokens.len())?;
        model.check(tokens)?;
        let (before, wanted) = tokens.split_at(from.min(tokens.len()));
        let _ = self.advance(model, before, Wanted::None, |_| ControlFlow::Continue(()));
        let kind = if wanted.len() == 1 {
            Wanted::Last
        } else {
            Wanted::All
        };
        for batch in wanted.chunks(LOGITS_BATCH) {
            let start = self.state.tokens().len();
            self.pass(model, batch, kind);
            for (i, logits) in self
                .scratch
                .logits
                .chunks_exact(model.n_vocab())
                .enumerate()
            {
                each(start + i, logits);
            }
        }
        Ok(())
    }

    /// Reads all but the last of `tokens` from an empty memory and hands over what the model's drafter guesses of the
    /// `count` tokens after the last, one by one; for checking and measuring. Nothing without a drafter.
    pub fn guesses(
        &mut self,
        model: &Model,
        tokens: &[Token],
        count: usize,
        mut each: impl FnMut(&Guess<'_>),
    ) -> Result<()> {
        self.state.rewind(0);
        fits(model, tokens.len())?;
        model.check(tokens)?;
        let (Some(mtp), Some((&last, before @ [_, ..]))) = (model.mtp(), tokens.split_last())
        else {
            return Ok(());
        };
        let _ = self.advance(model, before, Wanted::Last, |_| ControlFlow::Continue(()));
        mtp.guess(
            &model.forward(),
            (&self.state, self.scratch.hidden()),
            &mut MtpDrafter::default(),
            (last, count),
            |guess| {
                each(guess);
                true
            },
        );
        Ok(())
    }

    /// Reads tokens after those that the session holds, as a prompt is read; for measuring.
    pub fn feed(&mut self, model: &Model, tokens: &[Token]) -> Result<()> {
        model.check(tokens)?;
        fits(model, self.tokens().len() + tokens.len())?;
        let _ = self.advance(model, tokens, Wanted::Last, |_| ControlFlow::Continue(()));
        Ok(())
    }

    /// Each session reads one token after those that it holds, all in one pass; for measuring.
    pub fn feed_together(model: &Model, sessions: &mut [Self], tokens: &[Token]) -> Result<()> {
        model.check(tokens)?;
        for session in &*sessions {
            fits(model, session.tokens().len() + 1)?;
        }
        let mut scratch = match sessions.first_mut() {
            Some(first) => std::mem::take(&mut first.scratch),
            None => return Ok(()),
        };
        let pairs = sessions.iter_mut().zip(tokens);
        let mut shares: Vec<Share<'_>> = pairs
            .map(|(session, token)| Share {
                state: &mut session.state,
                tokens: std::slice::from_ref(token),
                wanted: Wanted::Last,
            })
            .collect();
        model.forward().run(&mut scratch, &mut shares);
        sessions[0].scratch = scratch;
        Ok(())
    }

    /// Steps back to the first `len` tokens, or to none if they are no longer held completely; gives how many are left.
    pub fn rewind(&mut self, len: usize) -> usize {
        self.state.rewind(len.min(self.tokens().len()));
        self.tokens().len()
    }

    /// Steps back to what the session and the prompt have in common; gives its length.
    fn begin(&mut self, model: &Model, prompt: &[Token]) -> Result<usize> {
        if prompt.is_empty() {
            return Err(Error::EmptyPrompt);
        }
        model.check(prompt)?;
        fits(model, prompt.len() + 1)?;
        let same = self
            .state
            .tokens()
            .iter()
            .zip(prompt)
            .take_while(|(a, b)| a == b)
            .count();
        // The last token is read in any case: its logits start the answer.
        self.state.rewind(same.min(prompt.len().saturating_sub(1)));
        Ok(self.state.tokens().len())
    }

    /// Reads tokens batch by batch; `each` hears how many are done, before the first batch and after every one.
    fn advance(
        &mut self,
        model: &Model,
        tokens: &[Token],
        wanted: Wanted,
        mut each: impl FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut done = 0;
        each(done)?;
        for batch in tokens.chunks(model.batch()) {
            done += batch.len();
            let wanted = if done == tokens.len() {
                wanted
            } else {
                Wanted::None
            };
            self.pass(model, batch, wanted);
            each(done)?;
        }
        ControlFlow::Continue(())
    }

    fn pass(&mut self, model: &Model, tokens: &[Token], wanted: Wanted) {
        let share = Share {
            state: &mut self.state,
            tokens,
            wanted,
        };
        model.forward().run(&mut self.scratch, &mut [share]);
    }

    fn write(&mut self, model: &Model, request: &Request, answer: &mut Answer<'_>) -> Finish {
        let mut sampler = Sampler::new(&request.sampling, model.isa());
        let most = request.max_tokens.unwrap_or(usize::MAX);
        loop {
            if answer.tokens.len() >= most {
                return Finish::Length;
            }
            let token = sampler.choose(&mut self.scratch.logits, self.state.tokens());
            if model.tokenizer().is_end(token) {
                return Finish::Stop;
            }
            if let ControlFlow::Break(finish) = answer.push(token) {
                return finish;
            }
            if self.state.tokens().len() == model.n_ctx() {
                return Finish::Context;
            }
            self.pass(model, &[token], Wanted::Last);
        }
    }
}

/// An answer being written.
struct Answer<'a> {
    tokenizer: &'a Tokenizer,
    thinking: Thinking,
    tokens: Vec<Token>,
    shown: Shown<'a>,
}

/// What the caller has been told of an answer.
struct Shown<'a> {
    on_event: &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    stop: StopText,
    text: String,
    thought: String,
}

impl Shown<'_> {
    /// Passes a part on; breaks if the answer ends there.
    fn part(&mut self, part: Part<'_>) -> ControlFlow<Finish> {
        match part {
            Part::Thought(new) => {
                self.thought.push_str(new);
                (self.on_event)(Event::Thought(new)).map_break(|()| Finish::Cancelled)
            }
            Part::Text(new) => {
                let (new, over) = self.stop.push(new);
                self.text(&new)?;
                over.map_break(|()| Finish::Stop)
            }
        }
    }

    fn text(&mut self, new: &str) -> ControlFlow<Finish> {
        // After "Assistant:" a transcript goes on with a space that belongs to the colon.
        let new = match self.text.is_empty() && self.stop.is_watching() {
            true => new.trim_start(),
            false => new,
        };
        if new.is_empty() {
            return ControlFlow::Continue(());
        }
        self.text.push_str(new);
        (self.on_event)(Event::Text(new)).map_break(|()| Finish::Cancelled)
    }
}

impl<'a> Answer<'a> {
    fn new(
        model: &'a Model,
        prompt: &[Token],
        on_event: &'a mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Self {
        let shown = Shown {
            on_event,
            stop: StopText::new(model.template().stop()),
            text: String::new(),
            thought: String::new(),
        };
        let thinking = Thinking::new(model.tokenizer(), model.template(), prompt);
        Self {
            tokenizer: model.tokenizer(),
            thinking,
            tokens: Vec::new(),
            shown,
        }
    }

    /// Takes a token; breaks when the answer is over, for the given reason.
    fn push(&mut self, token: Token) -> ControlFlow<Finish> {
        self.tokens.push(token);
        let mut flow = ControlFlow::Continue(());
        self.thinking.push(self.tokenizer, token, &mut |part| {
            if flow.is_continue() {
                flow = self.shown.part(part);
            }
        });
        flow
    }

    fn finish(mut self, finish: Finish, usage: Usage, timing: Timing) -> Generation {
        let mut flow = ControlFlow::Continue(());
        if self.shown.stop.is_open() {
            self.thinking.finish(&mut |part| {
                if flow.is_continue() {
                    flow = self.shown.part(part);
                }
            });
            let rest = self.shown.stop.flush();
            // The answer is over: whether the caller still wants to stop no longer matters.
            let _ = self.shown.text(&rest);
        }
        let Shown { text, thought, .. } = self.shown;
        Generation {
            text,
            thought,
            tokens: self.tokens,
            finish,
            usage,
            timing,
        }
    }
}

fn fits(model: &Model, asked: usize) -> Result<()> {
    let allowed = model.n_ctx();
    if asked > allowed {
        Err(Error::ContextFull { asked, allowed })
    } else {
        Ok(())
    }
}
