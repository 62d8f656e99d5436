//! One request on its way to an answer: plans what the next pass reads, and samples tokens from its logits.
//!
//! Driven by `runner`: `plan`, `guess`, a pass over `ahead`, `take`. First the prompt is read, chunk by chunk; then
//! each pass reads the token chosen last and, behind it, guesses of those to come. A guess stands if the sampler
//! chooses the very same token; the first that does not fall and all behind it are taken back. Logits of a row are the
//! same bits in any pass, and the sampler draws once per token, so the answer does not depend on guesses or chunks. A
//! grammar narrows the sampler's choice for each row as it is settled, so that holds for answers under one too.
//!
//! The sequence's state, with its KV cache, is kept beside it, by `session` or `scheduler`, because it outlives the
//! answer.

use crate::answer::{Answer, Listener};
use crate::forward::Wanted;
use crate::generate::{Event, Finish, Generation, Request, Timing, Usage};
use crate::grammar::{Next, Walk};
use crate::logprobs::Logprobs;
use crate::sampler::Sampler;
use crate::speculate::{DraftContext, PassBudget, Speculation};
use crate::state::{PROMPT_END, State};
use crate::stop::StopText;
use crate::{Error, Model, Prompt, Result, Token};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// What a pass gave for the rows of one sequence whose logits were wanted.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    /// `[rows][n_vocab]`
    pub(crate) logits: &'a mut [f32],
    /// Hidden states after the last norm, `[rows][n_embd]`.
    pub(crate) hidden: &'a [f32],
}

/// An answer under way.
#[derive(Debug)]
pub(crate) struct Sequence {
    prompt: Prompt,
    max_tokens: usize,
    sampler: Sampler,
    /// The place in the request's grammar.
    walk: Option<Walk>,
    logprobs: Option<Logprobs>,
    answer: Answer,
    /// Tokens of the prompt that were there before.
    reused: usize,
    /// What the next pass reads: a chunk of the prompt, or the token chosen last and guesses behind it.
    ahead: Vec<Token>,
    /// The token chosen last, not yet read.
    next: Option<Token>,
    /// The hidden state after the last norm at the last settled token, `[n_embd]`.
    hidden: Vec<f32>,
    speculation: Option<Speculation>,
    finish: Option<Finish>,
    started: Instant,
    prefill: Option<Duration>,
}

impl Sequence {
    /// A request whose first `reused` tokens are already read.
    pub(crate) fn new(model: &Model, request: Request, reused: usize) -> Self {
        // Without open thinking, a grammar holds from the first token, so nothing may be taken for the start of a
        // thought.
        let mut answer = Answer::new(model, &request);
        let walk = request.grammar.map(Walk::new);
        if walk.as_ref().is_some_and(Walk::holds) && !answer.is_thinking() {
            answer.settle();
        }
        Self {
            max_tokens: request.max_tokens.unwrap_or(usize::MAX),
            sampler: Sampler::new(&request.sampling, model.isa()),
            walk,
            logprobs: request.logprobs.map(|top| Logprobs::new(top, model.isa())),
            answer,
            reused,
            prompt: request.prompt,
            ahead: Vec::new(),
            next: None,
            hidden: Vec::new(),
            speculation: Speculation::new(model),
            finish: None,
            started: Instant::now(),
            prefill: None,
        }
    }

    pub(crate) fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    pub(crate) fn is_over(&self) -> bool {
        self.finish.is_some()
    }

    /// Tokens of the prompt that `state` does not hold yet.
    pub(crate) fn unread(&self, state: &State) -> usize {
        self.prompt.len().saturating_sub(state.tokens().len())
    }

    /// Tells how much of the prompt is read.
    pub(crate) fn report(&mut self, state: &State, listener: &mut Listener<'_>) {
        let done = state.tokens().len() - self.reused;
        let total = self.prompt.len() - self.reused;
        if listener(Event::Prefill { done, total }).is_break() {
            self.finish = Some(Finish::Cancelled);
        }
    }

    /// Chooses what the next pass reads: at most `most` tokens of the prompt, or the next token of the answer.
    pub(crate) fn plan(&mut self, state: &State, most: usize) {
        self.ahead.clear();
        match self.next {
            Some(token) => self.ahead.push(token),
            None => {
                let unread = &self.prompt[state.tokens().len()..];
                let most = match unread.len().checked_sub(PROMPT_END) {
                    Some(before) if state.has_deltas() && before > 0 => most.min(before),
                    _ => most,
                };
                self.ahead.extend(unread.iter().take(most));
            }
        }
    }

    /// Adds guesses behind the next token of the answer, if that pays in the pass that is being planned.
    pub(crate) fn guess(&mut self, model: &Model, state: &State, budget: &mut PassBudget<'_>) {
        let (Some(next), Some(speculation)) = (self.next, &mut self.speculation) else {
            return;
        };
        let context = DraftContext {
            model,
            state,
            next,
            hidden: &self.hidden,
        };
        // A pass settles one token more than it guesses; beyond the end of the answer or the context nobody needs any.
        let wanted = self.max_tokens - self.answer.tokens.len() - 1;
        let most = wanted.min(model.n_ctx() - state.tokens().len() - 1);
        speculation.draft(&context, most, budget, &mut self.ahead);
    }

    pub(crate) fn ahead(&self) -> &[Token] {
        &self.ahead
    }

    /// The rows of the next pass whose logits are needed.
    pub(crate) fn wanted(&self, state: &State) -> Wanted {
        match self.next {
            Some(_) => Wanted::All,
            None if self.ahead.len() < self.unread(state) => Wanted::None,
            None => Wanted::Last,
        }
    }

    /// Makes tokens of what a pass over `ahead` gave for the wanted rows.
    pub(crate) fn take(
        &mut self,
        model: &Model,
        state: &mut State,
        rows: Rows<'_>,
        listener: &mut Listener<'_>,
    ) {
        // No token was chosen yet, so this pass read a part of the prompt.
        if self.next.is_none() {
            if self.unread(state) > 0 {
                state.mark();
            }
            self.report(state, listener);
        }
        let count = rows.logits.len() / model.n_vocab();
        for (row, logits) in rows.logits.chunks_exact_mut(model.n_vocab()).enumerate() {
            self.prefill.get_or_insert_with(|| self.started.elapsed());
            if self.is_over() {
                return;
            }
            // The wanted rows are the last `count` of what was read; this one and all before it are settled.
            let settled = state.tokens().len() + 1 + row - count;
            let history = &state.tokens()[..settled];
            let guess = self.ahead.get(row + 1).filter(|_| row + 1 < count).copied();
            match self.choose(model, logits, history, listener) {
                ControlFlow::Continue(token) => self.next = Some(token),
                ControlFlow::Break(finish) => self.finish = Some(finish),
            }
            // The first guess that falls ends the round: rows behind it were computed from a token that is not there.
            if self.is_over() || !self.stands(guess) {
                let width = rows.hidden.len() / count;
                self.hidden.clear();
                let last = &rows.hidden[row * width..][..width];
                self.hidden.extend_from_slice(last);
                return state.rewind(settled);
            }
        }
    }

    /// Whether the guess is the token that was chosen.
    fn stands(&mut self, guess: Option<Token>) -> bool {
        let stands = guess.is_some() && guess == self.next;
        if let Some(speculation) = &mut self.speculation {
            match (guess, self.next) {
                (Some(_), _) => speculation.learn(stands),
                (None, Some(token)) => speculation.observe(token),
                (None, None) => {}
            }
        }
        stands
    }

    /// The token after `history`, if the answer goes on.
    fn choose(
        &mut self,
        model: &Model,
        logits: &mut [f32],
        history: &[Token],
        listener: &mut Listener<'_>,
    ) -> ControlFlow<Finish, Token> {
        // Asked for nothing: the prompt is read (and stays in the KV cache), and no token is drawn from the sampler.
        if self.max_tokens == 0 {
            return ControlFlow::Break(Finish::Length);
        }
        // Penalties change the logits, so they are looked at first.
        if let Some(logprobs) = &mut self.logprobs {
            logprobs.look(logits);
        }
        let token = self.sample(logits, history)?;
        if model.tokenizer().is_end(token) {
            return ControlFlow::Break(Finish::Stop);
        }
        if let Some(logprobs) = &mut self.logprobs {
            let settled = logprobs.settle(token);
            // Whoever wants to stop says so at the text.
            let _ = listener(Event::Likely(settled));
        }
        self.follow(model, token, listener)?;
        if self.answer.tokens.len() >= self.max_tokens {
            return ControlFlow::Break(Finish::Length);
        }
        // The token was sampled, but there is no position left to read it at.
        if history.len() == model.n_ctx() {
            return ControlFlow::Break(Finish::Context);
        }
        ControlFlow::Continue(token)
    }

    /// The token that the sampler chooses, among those that the grammar allows if it holds here.
    fn sample(&mut self, logits: &mut [f32], history: &[Token]) -> ControlFlow<Finish, Token> {
        let walk = match &mut self.walk {
            Some(walk) if walk.holds() && !self.answer.is_thinking() => walk,
            _ => return ControlFlow::Continue(self.sampler.choose(logits, history)),
        };
        self.sampler.punish(logits, history);
        if let Some(token) = self.sampler.choose_if(logits, |token| walk.allows(token)) {
            return ControlFlow::Continue(token);
        }
        match walk.next() {
            Next::Tokens(allowed) => {
                ControlFlow::Continue(self.sampler.choose_among(&allowed, logits))
            }
            Next::End => ControlFlow::Break(Finish::Stop),
            Next::Stuck => ControlFlow::Break(Finish::Grammar),
        }
    }

    /// Adds a token to the answer and goes on in the grammar; breaks if the answer is over.
    fn follow(
        &mut self,
        model: &Model,
        token: Token,
        listener: &mut Listener<'_>,
    ) -> ControlFlow<Finish> {
        let was_thinking = self.answer.is_thinking();
        if let Some(walk) = &self.walk {
            self.answer.show(walk.shown());
        }
        self.answer.push(model.tokenizer(), token, listener)?;
        let Some(walk) = &mut self.walk else {
            return ControlFlow::Continue(());
        };
        if !walk.holds() {
            walk.watch(self.answer.fresh());
            return ControlFlow::Continue(());
        }
        if !was_thinking {
            return match walk.push(token) {
                true => ControlFlow::Break(Finish::Stop),
                false => ControlFlow::Continue(()),
            };
        }
        // Where a marker is spelled in letters, its last token may bring text along that no grammar has seen.
        match self.answer.is_thinking() || self.answer.settle() {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(Finish::Grammar),
        }
    }

    /// The answer as it stands.
    pub(crate) fn end(self, listener: &mut Listener<'_>) -> Generation {
        let speculation = self.speculation.as_ref();
        let usage = Usage {
            prompt: self.prompt.len(),
            reused: self.reused,
            completion: self.answer.tokens.len(),
            drafted: speculation.map_or(0, |speculation| speculation.drafted),
            accepted: speculation.map_or(0, |speculation| speculation.accepted),
        };
        let whole = self.started.elapsed();
        let prefill = self.prefill.unwrap_or(whole);
        let answer = self.answer.finish(listener);
        Generation {
            finish: self.finish.unwrap_or(Finish::Cancelled),
            usage,
            timing: Timing {
                prefill,
                decode: whole.saturating_sub(prefill),
            },
            logprobs: self.logprobs.map(Logprobs::finish).unwrap_or_default(),
            ..answer
        }
    }
}

/// Whether a request can be answered at all.
pub(crate) fn check(model: &Model, request: &Request) -> Result<()> {
    // A grammar holds token ids of one vocabulary; with another model it would allow nonsense.
    if let Some(grammar) = &request.grammar {
        model.made(grammar)?;
    }
    StopText::check(&request.stop)?;
    Logprobs::check(request.logprobs)?;
    let prompt = &request.prompt;
    if prompt.is_empty() {
        return Err(Error::EmptyPrompt);
    }
    model.check_prompt(prompt)?;
    // Room for at least one token of answer.
    model.fits(prompt.len() + 1)
}
