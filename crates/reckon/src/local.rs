//! A conversation with a model of this machine: a scheduler of its own, with the KV cache, as a `TextModel`.
//!
//! A scheduler and not a session, because guards ask for several answers at once: they share passes with the answer that
//! the person waits for, and the prompts that they have in common are read once.
use crate::fixed::FixedPrefix;
use reckon_assistant::{Ask, BatchEvent, Error, OnBatch, OnEvent, Result, TextModel};
use reckon_engine::{
    Generation, Message, Model, PrefixStore, Priority, Request, Scheduler, SchedulerOptions,
    TemplateOptions, Ticket,
};
use std::{iter::Peekable, ops::ControlFlow, sync::Arc};

/// Tokens of a prompt that are worth a file: shorter ones are read again in the time that it takes to load it.
const LONG: usize = 512;

/// One asker with a KV cache of its own.
#[derive(Debug)]
pub(crate) struct Local {
    model: Arc<Model>,
    scheduler: Scheduler,
    fixed: Option<FixedPrefix>,
}

impl Local {
    pub(crate) fn new(model: &Arc<Model>, store: Option<Arc<PrefixStore>>) -> Self {
        let fixed = store.as_ref().map(|_| FixedPrefix::default());
        let options = SchedulerOptions {
            store,
            ..SchedulerOptions::default()
        };
        Self {
            scheduler: Scheduler::new(model.clone(), options),
            model: model.clone(),
            fixed,
        }
    }

    /// Writes one answer to this request.
    pub(crate) fn request(
        &mut self,
        request: Request,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Generation> {
        self.scheduler.submit(request, Priority::Interactive)?;
        let mut ended = self.scheduler.run(&mut |_, event| on_event(event));
        // The answer is written. Once for each model and guard this takes some milliseconds more.
        self.scheduler.save_prefixes();
        ended.pop().map(|(_, said)| said).ok_or(Error::Ended)
    }

    /// Begins those that may begin, the answer in the first place, samples behind it; `begun` says which ticket is which.
    fn begin<'a>(
        &mut self,
        waiting: &mut Peekable<impl Iterator<Item = (usize, &'a Ask)>>,
        begun: &mut Vec<(Ticket, usize)>,
        on_event: &mut OnBatch<'_>,
    ) -> ControlFlow<()> {
        while let Some((at, ask)) = next_to_begin(waiting, on_event) {
            let submitted = request(&self.model, ask, &mut self.fixed).and_then(|request| {
                Ok(match at {
                    0 => self.scheduler.submit(request, Priority::Interactive),
                    _ => self.scheduler.submit_sample(request, Priority::Background),
                }?)
            });
            match submitted {
                Ok(ticket) => begun.push((ticket, at)),
                Err(error) => on_event(at, BatchEvent::Ended(Err(error)))?,
            }
        }
        ControlFlow::Continue(())
    }
}

impl TextModel for Local {
    fn count(&self, messages: &[Message]) -> Result<usize> {
        count(&self.model, messages)
    }

    fn generate(&mut self, ask: &Ask, on_event: &mut OnEvent<'_>) -> Result<Generation> {
        let request = request(&self.model, ask, &mut self.fixed)?;
        self.request(request, on_event)
    }

    fn batch(&mut self, asks: &[Ask], on_event: &mut OnBatch<'_>) {
        let mut waiting = asks.iter().enumerate().peekable();
        let mut begun = Vec::new();
        let mut enough = false;
        while !enough {
            if self.begin(&mut waiting, &mut begun, on_event).is_break() || self.scheduler.is_idle()
            {
                break;
            }
            let place = |ticket: Ticket| {
                let found = begun.iter().find(|(known, _)| *known == ticket);
                found.map_or(0, |(_, at)| *at)
            };
            let ended = self
                .scheduler
                .step(&mut |ticket, event| on_event(place(ticket), BatchEvent::Writing(event)));
            for (ticket, said) in ended {
                let heard = on_event(place(ticket), BatchEvent::Ended(Ok(said)));
                enough |= heard == ControlFlow::Break(());
            }
        }
        for (ticket, _) in begun {
            self.scheduler.cancel(ticket);
        }
        self.scheduler.save_prefixes();
    }
}

/// The next one of a batch, if it may begin now.
pub(crate) fn next_to_begin<T>(
    waiting: &mut Peekable<impl Iterator<Item = (usize, T)>>,
    on_event: &mut OnBatch<'_>,
) -> Option<(usize, T)> {
    waiting.next_if(|(at, _)| on_event(*at, BatchEvent::Begin).is_continue())
}

/// Tokens of the prompt that a conversation becomes.
pub(crate) fn count(model: &Model, messages: &[Message]) -> Result<usize> {
    let prompt = model.prompt(messages, &TemplateOptions::default())?;
    Ok(prompt.len())
}

/// What the engine is asked for. Without a place to keep fixed prefixes nobody needs to know them.
pub(crate) fn request(
    model: &Model,
    ask: &Ask,
    fixed: &mut Option<FixedPrefix>,
) -> Result<Request> {
    let tools = &ask.template.tools;
    let grammar = match &ask.shape {
        Some(shape) => Some(model.grammar(shape)?),
        None if tools.is_empty() => None,
        None => model.tool_grammar(tools, &ask.choice, ask.parallel)?,
    };
    let prompt = model.prompt_with_prefix(&ask.messages, &ask.template, &ask.prefix)?;
    Ok(Request {
        keep_prefix: match ask.keep && prompt.len() >= LONG {
            true => Some(prompt.len()),
            false => fixed
                .as_mut()
                .and_then(|fixed| fixed.count(model, ask, &prompt)),
        },
        prompt,
        sampling: ask.sampling.clone(),
        max_tokens: ask.max_tokens,
        grammar,
        stop: ask.stop.clone(),
        logprobs: ask.logprobs,
    })
}
