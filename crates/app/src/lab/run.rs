//! `reckon lab run`: each question of a file is answered once, with guards; the tape keeps both texts.
//!
//! Several questions are under way at a time, each on a thread of its own that asks the one model. Rows are written in
//! the order in which answers end. Ctrl-C stops after the answers under way are given up; what is on the tape stays.
use crate::{
    Context, Failure,
    assistant::Assistant,
    chat::Stop,
    cli::lab::RunArgs,
    load,
    shared::{self, Shared},
};
use indicatif::{ProgressBar, ProgressStyle};
use reckon_assistant::{Ask, Came};
use reckon_engine::{Message, Role, Sampling};
use reckon_lab::{Question, Row, Tape, read_questions};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Runs `reckon lab run`.
pub(crate) fn run(args: &RunArgs, context: &Context) -> anyhow::Result<()> {
    let all = read_questions(&args.questions)?;
    let count = args.count.unwrap_or(usize::MAX);
    let tape = Tape::open(&args.tape)?;
    let chosen = all.into_iter().skip(args.from).take(count);
    let questions: Vec<Question> = chosen.filter(|one| !tape.has(&one.id)).collect();
    if questions.is_empty() {
        return Ok(());
    }
    let stop = Stop::install()?;
    let asked = args.model.as_deref();
    let loaded = load::load(&load::find(asked, context)?, asked, &args.machine, context)?;
    let sampling = load::sampling(loaded.model.sampling(), &args.sampling);
    let bar = bar(questions.len());
    let desk = Desk {
        args,
        context,
        questions,
        sampling,
        next: AtomicUsize::new(0),
        tape: Mutex::new(tape),
        stop,
        bar,
    };
    desk.stop.begin();
    let (model, jobs) = shared::shared(&loaded.model);
    let ended = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..args.parallel.min(desk.questions.len()))
            .map(|_| {
                let (desk, model) = (&desk, model.clone());
                scope.spawn(move || desk.work(model))
            })
            .collect();
        drop(model);
        shared::serve(&loaded.model, args.parallel, &jobs);
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| Err(broken())))
    });
    desk.stop.end();
    desk.bar.finish_and_clear();
    ended?;
    if desk.next.load(Ordering::Relaxed) < desk.questions.len() {
        return Err(Failure::failed("stopped")
            .hint("the same command goes on from here")
            .into());
    }
    Ok(())
}

fn broken() -> anyhow::Error {
    Failure::failed("a question could not be answered").into()
}

/// What the workers share.
struct Desk<'a> {
    args: &'a RunArgs,
    context: &'a Context,
    questions: Vec<Question>,
    sampling: Sampling,
    /// The question to take next.
    next: AtomicUsize,
    tape: Mutex<Tape>,
    stop: Stop,
    bar: ProgressBar,
}

impl Desk<'_> {
    /// Answers one question after the other until none is left.
    fn work(&self, mut model: Shared<'_>) -> anyhow::Result<()> {
        let mut assistant = Assistant::new(self.args.raw, self.context)?;
        while !self.stop.is_asked() {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = self.questions.get(at) else {
                return Ok(());
            };
            let row = self.answer(question, &mut assistant, &mut model)?;
            if let Some(row) = row {
                let mut tape = self.tape.lock().map_err(|_| broken())?;
                tape.add(row)?;
            }
            self.bar.inc(1);
        }
        Ok(())
    }

    /// The row of a question; none if Ctrl-C came first.
    fn answer(
        &self,
        question: &Question,
        assistant: &mut Assistant,
        model: &mut Shared<'_>,
    ) -> anyhow::Result<Option<Row>> {
        let say = |role, text: &str| Message {
            role,
            content: text.to_owned(),
        };
        let system = self.args.system.iter().map(|text| say(Role::System, text));
        let ask = Ask {
            messages: system.chain([say(Role::User, &question.prompt)]).collect(),
            prefix: String::new(),
            shape: None,
            sampling: self.sampling.clone(),
            max_tokens: Some(self.args.max_tokens),
        };
        let begin = Instant::now();
        let reply = assistant.reply_unseen(model, &ask, &self.stop)?;
        if reply.stopped {
            return Ok(None);
        }
        let raw = reply.generation.text;
        Ok(Some(Row {
            id: question.id.clone(),
            raw_right: question.is_right(&raw),
            right: question.is_right(&reply.text),
            raw,
            text: reply.text,
            guards: reply
                .receipt
                .guards
                .into_iter()
                .filter(|entry| entry.outcome != Came::Quiet)
                .collect(),
            tokens: reply.generation.usage.completion,
            ms: u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX),
        }))
    }
}

fn bar(questions: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} questions, {eta} to go");
    let bar = ProgressBar::new(questions as u64);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
