//! Who answers: a model of this machine or one elsewhere, asked by any number of threads at a time.
use crate::{
    Context, Failure, cli::lab::ModelArgs, interrupt::Interrupt, load, milestones::Milestones,
    models,
};
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use reckon::{Model, Source, TextModel};
use std::{
    io::{self, IsTerminal},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

/// Loads the model, or prepares to ask the server.
pub(crate) fn open(args: &ModelArgs, context: &Context) -> anyhow::Result<Model> {
    let asked = args.model.as_deref();
    if let Some(url) = &args.endpoint {
        return load::remote(url, asked, context);
    }
    let path = load::find(asked, context)?;
    load::load(&path, asked, &args.machine, context)
}

/// Its name and digests, for tapes. A file that nobody has hashed yet is hashed now; where it lies is left out, so that
/// a tape can be continued where it lies elsewhere.
pub(crate) fn source(model: &Model, context: &Context) -> anyhow::Result<Source> {
    let mut source = model.source();
    if let Some(path) = source.path.take() {
        let digest = models::sha256(&path, context);
        let digest = digest.with_context(|| format!("cannot read {}", path.display()))?;
        source.sha256 = Some(digest);
    }
    Ok(source)
}

/// Threads that share one model, under a progress bar, until all is done or Ctrl-C is pressed.
pub(super) struct Crew {
    pub(super) interrupt: Interrupt,
    bar: ProgressBar,
    what: String,
    began: Instant,
    /// Where there is no terminal for a bar.
    milestones: Milestones,
    /// The item to take next.
    next: AtomicUsize,
}

impl Crew {
    /// Takes over Ctrl-C; the bar counts so many of `what`.
    pub(super) fn new(steps: usize, what: &str) -> anyhow::Result<Self> {
        let bar = ProgressBar::new(steps as u64);
        let style = format!("{{bar:30}} {{pos}} of {{len}} {what}, {{eta}} to go");
        if let Ok(style) = ProgressStyle::with_template(&style) {
            bar.set_style(style);
        }
        Ok(Self {
            interrupt: Interrupt::install()?,
            bar,
            what: what.to_owned(),
            began: Instant::now(),
            milestones: Milestones::new(),
            next: AtomicUsize::new(0),
        })
    }

    /// Does `work` for one item after the other, so many at a time; each thread has a session of the model and what
    /// `begin` gives it. Whether Ctrl-C was pressed.
    pub(super) fn work<T: Sync, S>(
        &self,
        model: &Model,
        parallel: usize,
        items: &[T],
        begin: impl Fn() -> anyhow::Result<S> + Sync,
        work: impl Fn(&T, &mut S, &mut dyn TextModel) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<bool> {
        let threads = parallel.min(items.len());
        let model = model.shared(threads)?.background();
        let one_after_the_other = |session: &mut dyn TextModel| -> anyhow::Result<()> {
            let mut own = begin()?;
            while !self.interrupt.is_asked() {
                let Some(item) = items.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                work(item, &mut own, session)?;
            }
            Ok(())
        };
        self.interrupt.begin();
        self.bar.enable_steady_tick(Duration::from_secs(1));
        let ended: anyhow::Result<()> = thread::scope(|scope| {
            let start = |_| {
                let mut session = model.session();
                let job = &one_after_the_other;
                scope.spawn(move || job(session.as_mut()))
            };
            let workers: Vec<_> = (0..threads).map(start).collect();
            let broken = |_| Err(Failure::failed("a question could not be answered").into());
            let ended = workers
                .into_iter()
                .map(|one| one.join().unwrap_or_else(broken));
            // All of them are waited for before the first error counts.
            let ended: Vec<_> = ended.collect();
            ended.into_iter().collect()
        });
        let stopped = self.interrupt.is_asked();
        self.interrupt.end();
        self.bar.finish_and_clear();
        ended.map(|()| stopped)
    }

    /// One more is done. On a terminal the bar moves; elsewhere a line is printed now and then, for logs.
    pub(super) fn step(&self) {
        self.bar.inc(1);
        let Some(total) = self.bar.length().filter(|_| !io::stderr().is_terminal()) else {
            return;
        };
        self.milestones.tell(|| {
            let (done, what) = (self.bar.position(), &self.what);
            let left = self.began.elapsed().as_secs() * total.saturating_sub(done) / done.max(1);
            let minutes = left.div_ceil(60);
            format!("{done} of {total} {what}, about {minutes} min to go")
        });
    }

    /// No thread takes another item.
    pub(super) fn give_up(&self) {
        self.next.store(usize::MAX / 2, Ordering::Relaxed);
    }
}
