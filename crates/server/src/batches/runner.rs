//! The thread that answers rows of batches, and makes files of results when a batch has ended.
//!
//! One process of a home does this, the one that holds a lock on `RECKON_HOME/batches/lock`; others try for it again and
//! again. The lock also says that nobody else answers rows, so what a killed server had under way is taken up at once.
use super::{
    BatchRecord, Batches, lock,
    record::{BatchEnd, EndStatus},
    row,
};
use crate::{error::Problem, files::Purpose, openai::now, state::App};
use reckon_batch::{BatchState, Fate, Outcome, Queue, Worker, WorkerOptions};
use serde_json::{Value, json};
use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    sync::atomic::Ordering,
    thread,
    time::Duration,
};
use tokio::runtime::Handle;

/// What the worker of a server is called in the queue. There is one at a time.
const NAME: &str = "server";
/// How often a server looks whether the one that has the lock is gone.
const RETRY: Duration = Duration::from_secs(2);
/// How often a sleeping thread looks whether to end.
const TICK: Duration = Duration::from_millis(100);
/// Rows of results that are read at a time.
const PAGE: usize = 100;

/// Starts the thread unless it runs.
pub(super) fn start(app: &App) {
    let mut runner = lock(&app.batches.runner);
    if runner.as_ref().is_some_and(|thread| !thread.is_finished())
        || app.batches.stop.load(Ordering::Relaxed)
    {
        return;
    }
    let (app, runtime) = (app.clone(), Handle::current());
    let thread = thread::Builder::new()
        .name("batches".into())
        .spawn(move || {
            while !app.batches.stop.load(Ordering::Relaxed) {
                // What fails now may succeed later: the disk is full, the database is locked.
                drop(serve(&app, &runtime));
                pause(&app, RETRY);
            }
        });
    // Without a thread nothing is lost; the next batch or start tries again.
    *runner = thread.ok();
}

fn pause(app: &App, time: Duration) {
    let mut left = time;
    while !left.is_zero() && !app.batches.stop.load(Ordering::Relaxed) {
        thread::sleep(TICK);
        left = left.saturating_sub(TICK);
    }
}

/// Answers rows until the server ends; returns at once if another server does.
fn serve(app: &App, runtime: &Handle) -> Result<(), Problem> {
    let batches = &app.batches;
    let queue = batches.queue()?;
    let failed = |error: io::Error| Problem::internal(error.to_string());
    let file = File::create(batches.folder.join("lock")).map_err(failed)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            // Its rows are the other server's work: this one may be idle.
            batches.busy.store(false, Ordering::Relaxed);
            return Ok(());
        }
        // Where a file system has no locks, one server has to be enough.
        Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            return Err(failed(error));
        }
        _ => {}
    }
    queue.expire(NAME)?;
    begin_again(app)?;
    let options = WorkerOptions {
        name: NAME.into(),
        // The other half is for whoever asks meanwhile.
        threads: (app.options.parallel / 2).max(1),
        stay: true,
        ..WorkerOptions::default()
    };
    let answer = |row: &reckon_batch::Row| row::answer(app, runtime, &queue, row);
    let worker = Worker::new(&queue, options);
    worker.run(None, &batches.stop, answer, |progress| {
        let open = settle(app, &queue).unwrap_or(true);
        batches
            .busy
            .store(open || progress.left() > 0, Ordering::Relaxed);
    })?;
    Ok(())
}

/// Reads the files of batches that a killed server did not come to read.
fn begin_again(app: &App) -> Result<(), Problem> {
    let folders = fs::read_dir(&app.batches.folder)
        .into_iter()
        .flatten()
        .flatten();
    for folder in folders.filter(|entry| entry.path().is_dir()) {
        let records: Vec<BatchRecord> = crate::files::read_folder(&folder.path())?;
        for record in records {
            if record.end.is_none() && record.in_progress_at.is_none() {
                Batches::submit(app, &record)?;
            }
        }
    }
    Ok(())
}

/// Ends the batches whose rows have all ended; whether any is left.
fn settle(app: &App, queue: &Queue) -> Result<bool, Problem> {
    let mut open = false;
    for batch in queue.batches()? {
        let Some((owner, id)) = batch.name.as_deref().and_then(|name| name.split_once('/')) else {
            continue;
        };
        let progress = queue.progress(&batch.id)?;
        let is_over = match progress.state {
            BatchState::Reading => false,
            BatchState::Open => progress.left() == 0,
            BatchState::Cancelled => progress.running == 0,
        };
        open |= !is_over;
        let Some(record) = app.batches.find(owner, id)?.filter(|_| is_over) else {
            continue;
        };
        if record.end.is_none() && record.in_progress_at.is_some() {
            let counts = write_results(app, queue, &record)?;
            let end = BatchEnd {
                status: match progress.state {
                    BatchState::Cancelled => EndStatus::Cancelled,
                    _ => EndStatus::Completed,
                },
                at: now(),
                completed: counts.0,
                failed: counts.1,
                total: progress.total(),
                errors: Vec::new(),
            };
            app.batches
                .change(owner, id, |record| record.end = Some(end))?;
        }
        // The results are in files now.
        if app
            .batches
            .find(owner, id)?
            .is_some_and(|record| record.end.is_some())
        {
            queue.delete(&batch.id)?;
        }
    }
    Ok(open)
}

/// Writes the answers, and the rows that have none, to a file each; how many there are.
fn write_results(app: &App, queue: &Queue, record: &BatchRecord) -> Result<(u64, u64), Problem> {
    let write = |id: &str, what: &str, wanted: fn(&Fate) -> bool| {
        let name = format!("{}_{what}.jsonl", record.id);
        let mut rows = 0;
        let file = app
            .files
            .put(&record.owner(), id, &name, Purpose::BatchOutput, |to| {
                let mut line = 0;
                loop {
                    let page = queue.results(&record.name(), line, PAGE);
                    let page = page.map_err(|error| io::Error::other(error.to_string()))?;
                    let Some(last) = page.last() else {
                        return Ok(());
                    };
                    line = last.line;
                    for outcome in page.iter().filter(|outcome| wanted(&outcome.fate)) {
                        rows += 1;
                        writeln!(to, "{}", result(record, outcome))?;
                    }
                }
            })?;
        if rows == 0 {
            app.files.delete(&record.owner(), &file.id)?;
        }
        Ok::<u64, Problem>(rows)
    };
    let done = write(&record.output, "output", |fate| {
        matches!(fate, Fate::Done(_))
    })?;
    let failed = write(&record.failures, "errors", |fate| {
        matches!(fate, Fate::Failed(_))
    })?;
    Ok((done, failed))
}

/// A row of results, as OpenAI has them.
fn result(record: &BatchRecord, outcome: &Outcome) -> Value {
    let parsed = |text: &str| serde_json::from_str(text).unwrap_or(Value::Null);
    let (response, error) = match &outcome.fate {
        Fate::Done(result) => (parsed(result)["response"].take(), Value::Null),
        Fate::Failed(why) => (Value::Null, json!({ "code": "row_failed", "message": why })),
        Fate::Unfinished => (Value::Null, Value::Null),
    };
    let digits = record.id.trim_start_matches("batch_");
    json!({
        "id": format!("batch_req_{digits}_{}", outcome.line),
        "custom_id": parsed(&outcome.id),
        "response": response,
        "error": error,
    })
}
