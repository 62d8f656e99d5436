//! `reckon batch`: a file of questions, answered to the end.
//!
//! The queue, its workers and the files are `reckon-batch`'s; here a row becomes a question to the model (`answer`), and
//! what happens is shown. Rows are background work: the process steps aside for others and waits while the machine runs
//! on its battery, unless `--eager` says otherwise.
mod answer;

use crate::{
    Context, Failure, assistant,
    cli::batch::{BatchArgs, BatchCommand, Place, Which, WorkArgs},
    fleet,
    interrupt::Interrupt,
    load, lock_check,
    milestones::Milestones,
    power,
};
use answer::Answerer;
use indicatif::{ProgressBar, ProgressStyle};
use reckon_batch::{
    Answered, Ended, Limits, Progress, Queue, Report, Row, Run, Summary, Worker, WorkerOptions,
};
use serde_json::json;
use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How often a machine on battery is looked at again, and whether anybody still waits.
const BATTERY: Duration = Duration::from_secs(1);

/// Runs `reckon batch`.
pub(crate) fn run(args: &BatchArgs, context: &Context) -> anyhow::Result<()> {
    if let Some(db) = args.command.db()
        && context.store.offline
        && !Queue::is_here(db)
    {
        return Err(Failure::usage("offline: the queue is not on this machine").into());
    }
    match &args.command {
        BatchCommand::Run { input, place, work } => {
            if !input.is_file() {
                return Err(Failure::input(format!("there is no file {}", input.display())).into());
            }
            let Place { output, db } = place.clone();
            begin(Some(input.clone()), output, db, work, context)
        }
        BatchCommand::Resume { place, work } => {
            // A batch that is not there is no reason to make a queue and load a model.
            drop(found(place)?);
            begin(None, output(place)?, place.db.clone(), work, context)
        }
        BatchCommand::Work { db, stay, work } => join(db, *stay, work, context),
        BatchCommand::Status {
            place,
            json,
            summary,
        } => status(place, *json, summary.as_deref()),
        BatchCommand::Cancel { place } => {
            let (queue, batch) = found(place)?;
            queue.cancel(&batch)?;
            Ok(writeln!(
                io::stdout(),
                "cancelled; reckon batch resume goes on with it"
            )?)
        }
        BatchCommand::Retry { place } => {
            let (queue, batch) = found(place)?;
            let n = queue.retry(&batch)?;
            Ok(writeln!(
                io::stdout(),
                "{n} rows wait again; reckon batch resume answers them"
            )?)
        }
        BatchCommand::Workers { place, json } => workers(place, *json),
    }
}

/// Runs a batch from file to file.
fn begin(
    input: Option<PathBuf>,
    output: PathBuf,
    database: Option<String>,
    work: &WorkArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let run = Run {
        input,
        database,
        worker: worker_options(work, false),
        // A machine that is switched off now and then must not be blamed on the rows it had.
        limits: Limits {
            deaths: 10,
            ..Limits::default()
        },
        ..Run::new("", &output)
    };
    // What can be refused without a model is refused before one is loaded.
    drop(run.queue()?);
    let crew = BatchCrew::new(work, context)?;
    let shown = Shown::new();
    let report = run.start(
        &crew.stop,
        |row| crew.answer(row),
        |progress| shown.tell(progress),
    )?;
    shown.clear();
    let queue = run.queue()?;
    tell_refused(&queue, &report)?;
    end(&output, &report, &queue.summary(&report.batch)?)
}

/// Answers rows of whatever batches a queue has.
fn join(db: &str, stay: bool, work: &WorkArgs, context: &Context) -> anyhow::Result<()> {
    let queue = Queue::open(db)?;
    let crew = BatchCrew::new(work, context)?;
    let worker = Worker::new(&queue, worker_options(work, stay));
    let shown = Shown::new();
    let answer = |row: &Row| crew.answer(row);
    let ended = worker.run(None, &crew.stop, answer, |progress| shown.tell(progress))?;
    shown.clear();
    match ended {
        Ended::Stopped => Err(Failure::failed("stopped")
            .hint("rows that were begun are free again")
            .into()),
        Ended::Finished | Ended::Cancelled => Ok(writeln!(io::stdout(), "no row is left")?),
    }
}

fn worker_options(work: &WorkArgs, stay: bool) -> WorkerOptions {
    WorkerOptions {
        threads: work.parallel,
        hours: work.hours,
        stay,
        ..WorkerOptions::default()
    }
}

/// Who answers, and what stops it.
struct BatchCrew {
    answerer: Answerer,
    stop: Arc<AtomicBool>,
    eager: bool,
}

impl BatchCrew {
    fn new(work: &WorkArgs, context: &Context) -> anyhow::Result<Self> {
        if !work.eager {
            power::step_aside();
        }
        let stop = Arc::new(AtomicBool::new(false));
        let interrupt = Interrupt::install()?;
        let asked = work.model.as_deref();
        let guards = assistant::guards(work.raw, context)?;
        let model = match &work.endpoint {
            Some(url) => load::remote(url, asked, context)?,
            None => load::load(&load::find(asked, context)?, asked, &work.machine, context)?,
        };
        lock_check::tell(&model, guards.versions(), context);
        let peers = fleet::peers(work.role.as_deref(), &work.machine, context)?;
        let toolboxes = assistant::toolboxes(context)?;
        let answerer = Answerer::new(&model, guards, toolboxes, peers, work)?;
        watch(interrupt, Arc::clone(&stop));
        Ok(Self {
            answerer,
            stop,
            eager: work.eager,
        })
    }

    fn answer(&self, row: &Row) -> Result<Answered, reckon_batch::Failure> {
        while !self.eager && power::on_battery() {
            if !row.is_wanted() {
                return Err(reckon_batch::Failure::stopped());
            }
            thread::sleep(BATTERY);
        }
        self.answerer.answer(row)
    }
}

/// Ctrl-C gives rows back; a second one ends the program at once, and nothing is lost then either.
fn watch(interrupt: Interrupt, stop: Arc<AtomicBool>) {
    interrupt.begin();
    thread::spawn(move || {
        while !interrupt.is_asked() {
            thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// How far it is: a bar on a terminal, a line now and then elsewhere.
struct Shown {
    bar: Option<ProgressBar>,
    milestones: Milestones,
}

impl Shown {
    fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            let style = "{wide_bar} {pos} of {len} rows{msg}";
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            milestones: Milestones::new(),
        }
    }

    fn tell(&self, progress: &Progress) {
        let line = progress_line(progress);
        let (done, total) = (progress.done + progress.failed, progress.total());
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(line);
        } else {
            self.milestones
                .tell(|| format!("{done} of {total} rows{line}"));
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What stands behind the count.
fn progress_line(progress: &Progress) -> String {
    let mut line = String::new();
    if progress.failed > 0 {
        line += &format!(", {} failed", progress.failed);
    }
    if let Some(speed) = progress.rows_per_minute {
        line += &format!(", {speed:.1} a minute");
    }
    if let Some(eta) = progress.eta {
        line += &format!(", about {} min to go", eta.as_secs().div_ceil(60));
    }
    if let Some(trouble) = &progress.trouble {
        line += &format!("; {trouble}");
    }
    line
}

/// Lines of the input that are no rows.
fn tell_refused(queue: &Queue, report: &Report) -> anyhow::Result<()> {
    for refused in queue.refused(&report.batch, 0, 10)? {
        writeln!(
            io::stderr(),
            "reckon: line {}: {}",
            refused.line,
            refused.reason
        )?;
    }
    Ok(())
}

/// Says how it ended, and writes the page beside the answers.
fn end(output: &Path, report: &Report, summary: &Summary) -> anyhow::Result<()> {
    let progress = &report.progress;
    if report.ended != Ended::Finished {
        let what = format!("stopped; {} rows are left", progress.left());
        let hint = format!("reckon batch resume {} goes on", output.display());
        return Err(Failure::failed(what).hint(hint).into());
    }
    // A name that nobody else's page has.
    let page = output.with_extension("summary.html");
    fs::write(&page, summary.to_html())?;
    let mut out = io::stdout();
    writeln!(
        out,
        "{} answered, {} failed: {}",
        progress.done,
        progress.failed,
        output.display()
    )?;
    writeln!(out, "what needs a look first: {}", page.display())?;
    match progress.failed {
        0 => Ok(()),
        n => Err(Failure::failed(format!("{n} rows failed"))
            .hint("their rows say why; reckon batch retry tries them again")
            .into()),
    }
}

fn output(place: &Which) -> Result<PathBuf, Failure> {
    let output = place.output.clone();
    output.ok_or_else(|| Failure::usage("which batch? give its output"))
}

/// The queue and the batch that are meant.
fn found(place: &Which) -> anyhow::Result<(Queue, String)> {
    let run = Run {
        database: place.db.clone(),
        ..Run::new("", output(place)?)
    };
    let (address, name) = run.place()?;
    if let Some(path) = address.strip_prefix("sqlite:")
        && !Path::new(path).exists()
    {
        return Err(Failure::input("there is no such batch")
            .hint("name the output file that it was begun with")
            .into());
    }
    let queue = run.queue()?;
    let batch = queue.batch(&name)?;
    Ok((queue, batch.id))
}

fn status(place: &Which, as_json: bool, page: Option<&Path>) -> anyhow::Result<()> {
    let mut out = io::stdout();
    if let (None, Some(db)) = (&place.output, &place.db) {
        return all(db, as_json);
    }
    let (queue, id) = found(place)?;
    let progress = queue.progress(&id)?;
    if let Some(page) = page {
        fs::write(page, queue.summary(&id)?.to_html())?;
    }
    if as_json {
        return Ok(writeln!(
            out,
            "{}",
            json!({ "batch": id, "progress": progress })
        )?);
    }
    let done = progress.done + progress.failed;
    Ok(writeln!(
        out,
        "{done} of {} rows{}",
        progress.total(),
        progress_line(&progress)
    )?)
}

/// All batches of a queue.
fn all(db: &str, as_json: bool) -> anyhow::Result<()> {
    let queue = Queue::open(db)?;
    let mut out = io::stdout();
    let mut rows = Vec::new();
    for batch in queue.batches()? {
        let progress = queue.progress(&batch.id)?;
        if as_json {
            rows.push(json!({ "batch": batch, "progress": progress }));
            continue;
        }
        let name = batch.name.as_deref().unwrap_or(&batch.id);
        let done = progress.done + progress.failed;
        let (total, line) = (progress.total(), progress_line(&progress));
        writeln!(
            out,
            "{}  {done} of {total} rows{line}",
            crate::printable::one_line(name)
        )?;
    }
    match as_json {
        true => Ok(writeln!(out, "{}", json!({ "batches": rows }))?),
        false => Ok(()),
    }
}

fn workers(place: &Which, as_json: bool) -> anyhow::Result<()> {
    let queue = match (&place.output, &place.db) {
        (None, Some(db)) => Queue::open(db)?,
        _ => found(place)?.0,
    };
    let workers = queue.workers()?;
    let mut out = io::stdout();
    if as_json {
        return Ok(writeln!(out, "{}", json!({ "workers": workers }))?);
    }
    if workers.is_empty() {
        return Ok(writeln!(out, "no worker has been here")?);
    }
    for worker in workers {
        let name = crate::printable::one_line(&worker.name);
        let speed = match worker.rows_per_minute {
            speed if speed > 0.0 => format!(", {speed:.1} a minute"),
            _ => String::new(),
        };
        writeln!(
            out,
            "{name}  {} under way, {} done{speed}",
            worker.running, worker.done
        )?;
    }
    Ok(())
}
