//! The canaries that are asked of the model, several at a time, as `lab run` asks questions.
//!
//! Greedy and with plain settings: the same file gives the same answers everywhere. A control question is answered
//! twice, without guards and with them, because that the two are the same is what a control is for.
use crate::{
    Context, Failure,
    assistant::Assistant,
    chat::Stop,
    shared::{self, Shared},
};
use indicatif::{ProgressBar, ProgressStyle};
use reckon_assistant::{Ask, Reply};
use reckon_engine::{Message, Model, Role, Sampling};
use reckon_lab::{Canary, Played, Trial};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Tokens of an answer that a guard may look at.
const TRIGGERED: usize = 256;
/// Tokens of a control answer: they are a sentence.
const CONTROL: usize = 96;

/// Asks them all; what became of each.
pub(super) fn play(
    set: &[Canary],
    model: &Model,
    parallel: usize,
    context: &Context,
) -> anyhow::Result<Vec<(String, Played)>> {
    let asked = set
        .iter()
        .filter(|one| matches!(one.trial, Trial::Asked(_)));
    let desk = Desk {
        canaries: asked.collect(),
        context,
        next: AtomicUsize::new(0),
        played: Mutex::new(Vec::new()),
        stop: Stop::install()?,
        bar: bar(set.len()),
    };
    desk.bar.set_length(desk.canaries.len() as u64);
    desk.stop.begin();
    let (handle, jobs) = shared::shared(model);
    let ended = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..parallel.min(desk.canaries.len()))
            .map(|_| {
                let (desk, handle) = (&desk, handle.clone());
                scope.spawn(move || desk.work(handle))
            })
            .collect();
        drop(handle);
        shared::serve(model, parallel, &jobs);
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(broken())))
    });
    desk.stop.end();
    desk.bar.finish_and_clear();
    ended?;
    if desk.stop.is_asked() {
        return Err(Failure::failed("stopped").into());
    }
    desk.played.into_inner().map_err(|_| broken())
}

fn broken() -> anyhow::Error {
    Failure::failed("a canary could not be asked").into()
}

/// What the workers share.
struct Desk<'a> {
    canaries: Vec<&'a Canary>,
    context: &'a Context,
    next: AtomicUsize,
    played: Mutex<Vec<(String, Played)>>,
    stop: Stop,
    bar: ProgressBar,
}

impl Desk<'_> {
    fn work(&self, mut model: Shared<'_>) -> anyhow::Result<()> {
        let mut guarded = Assistant::new(false, self.context)?;
        let mut raw = Assistant::new(true, self.context)?;
        while !self.stop.is_asked() {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(canary) = self.canaries.get(at) else {
                return Ok(());
            };
            let mut reply = |assistant: &mut Assistant| -> anyhow::Result<Reply> {
                assistant.reply_unseen(&mut model, &ask(canary), &self.stop)
            };
            let shipped = reply(&mut guarded)?;
            let own = match canary.guard {
                Some(_) => shipped.receipt.raw.clone(),
                None => reply(&mut raw)?.text,
            };
            if shipped.stopped || self.stop.is_asked() {
                return Ok(());
            }
            let row = Played::new(canary, &own, &shipped.text, &shipped.receipt.guards);
            let mut played = self.played.lock().map_err(|_| broken())?;
            played.push((canary.id.clone(), row));
            self.bar.inc(1);
        }
        Ok(())
    }
}

fn ask(canary: &Canary) -> Ask {
    Ask {
        messages: vec![Message {
            role: Role::User,
            content: canary.prompt().to_owned(),
        }],
        prefix: String::new(),
        shape: None,
        sampling: Sampling {
            temperature: 0.0,
            ..Sampling::default()
        },
        max_tokens: Some(match canary.guard {
            Some(_) => TRIGGERED,
            None => CONTROL,
        }),
    }
}

fn bar(canaries: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} canaries, {eta} to go");
    let bar = ProgressBar::new(canaries as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
