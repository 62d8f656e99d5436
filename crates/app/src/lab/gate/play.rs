//! The canaries that are asked of the model, several at a time, as `lab run` asks questions.
//!
//! Greedy and with plain settings: the same file gives the same answers everywhere. A control question is answered
//! twice, without guards and with them, because that the two are the same is what a control is for.
use crate::{Context, Failure, assistant, interrupt::Interrupt, lab::model};
use indicatif::{ProgressBar, ProgressStyle};
use reckon::{Guards, Model, TextModel};
use reckon_lab::{Canary, canary_ask, lock::CanaryResult};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// Tokens of an answer that a guard may look at: one that is cut is judged by none, and puzzles are answered at length.
const TRIGGERED: usize = 512;
/// Tokens of a control answer: they are a sentence.
const CONTROL: usize = 96;

/// Asks them all; what became of each.
pub(super) fn play(
    set: &[Canary],
    model: &Model,
    guards: &Guards,
    parallel: usize,
    context: &Context,
) -> anyhow::Result<Vec<(String, CanaryResult)>> {
    let canaries: Vec<&Canary> = set.iter().filter(|one| !one.is_scripted()).collect();
    let desk = Desk {
        bar: bar(canaries.len()),
        canaries,
        guards,
        context,
        next: AtomicUsize::new(0),
        played: Mutex::new(Vec::new()),
        stop: Interrupt::install()?,
    };
    desk.stop.begin();
    let threads = parallel.min(desk.canaries.len());
    let ended = model::each(model, threads, &|model| desk.work(model));
    let stopped = desk.stop.is_asked();
    desk.stop.end();
    desk.bar.finish_and_clear();
    ended?;
    if stopped {
        return Err(Failure::failed("stopped").into());
    }
    desk.played.into_inner().map_err(|_| broken().into())
}

fn broken() -> Failure {
    Failure::failed("a canary could not be asked")
}

/// What the workers share.
struct Desk<'a> {
    canaries: Vec<&'a Canary>,
    guards: &'a Guards,
    context: &'a Context,
    /// The canary to take next.
    next: AtomicUsize,
    played: Mutex<Vec<(String, CanaryResult)>>,
    stop: Interrupt,
    bar: ProgressBar,
}

impl Desk<'_> {
    /// Asks one canary after the other until none is left.
    fn work(&self, model: &mut dyn TextModel) -> anyhow::Result<()> {
        let raw = Guards::default();
        let mut tools = assistant::tools(self.context)?;
        while !self.stop.is_asked() {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(canary) = self.canaries.get(at) else {
                break;
            };
            let longest = match canary.guard {
                Some(_) => TRIGGERED,
                None => CONTROL,
            };
            let ask = canary_ask(canary.prompt(), Some(longest));
            let shipped =
                assistant::reply_unseen(self.guards, model, &mut tools, &ask, &self.stop)?;
            let own = match canary.guard {
                Some(_) => shipped.generation.text.clone(),
                None => assistant::reply_unseen(&raw, model, &mut tools, &ask, &self.stop)?.text,
            };
            if shipped.stopped || self.stop.is_asked() {
                break;
            }
            let entries = &shipped.receipt.guards;
            let result = canary.result(&own, &shipped.text, entries, &mut tools);
            let mut played = self.played.lock().map_err(|_| broken())?;
            played.push((canary.id.clone(), result));
            self.bar.inc(1);
        }
        Ok(())
    }
}

fn bar(canaries: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} canaries, {eta} to go");
    let bar = ProgressBar::new(canaries as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
