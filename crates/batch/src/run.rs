//! From an input file to an output file: all that `reckon batch run` and `resume` do but asking the model.
//!
//! The same call continues after anything was killed. The lock on the output says that no other process runs this
//! batch's own worker, so the rows that it had when it died are taken up at once, without waiting for leases to expire.
use crate::error::{Error, Result};
use crate::output::{Output, beside};
use crate::patience::patiently;
use crate::queue::{BatchState, Limits, Progress, Queue};
use crate::row::{Answered, Failure, Row};
use crate::submit::Submitted;
use crate::worker::{Ended, Worker, WorkerOptions, host};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// What to run.
#[derive(Clone, Debug)]
pub struct Run {
    /// JSONL; none to continue a batch that was read before, which also takes a cancellation back.
    pub input: Option<PathBuf>,
    /// Where the results go.
    pub output: PathBuf,
    /// `sqlite:PATH` or `postgres://…`; a file beside the output if none.
    pub database: Option<String>,
    /// What the batch is called in the queue; after the output if none.
    pub name: Option<String>,
    /// How the worker works. Its name is not used: the worker is called after machine and output.
    pub worker: WorkerOptions,
    /// How patient the queue is.
    pub limits: Limits,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// What became of the input; none if none was given.
    pub submitted: Option<Submitted>,
    /// The batch, for [`Queue::summary`] and the rest.
    pub batch: String,
    /// Why it ended.
    pub ended: Ended,
    /// The counts at the end.
    pub progress: Progress,
}

impl Run {
    /// With all settings as they usually are.
    pub fn new(input: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            input: Some(input.into()),
            output: output.into(),
            database: None,
            name: None,
            worker: WorkerOptions::default(),
            limits: Limits::default(),
        }
    }

    /// The address of the queue, and the name of the batch in it: what `status` and the others look at.
    pub fn place(&self) -> Result<(String, String)> {
        let path = std::path::absolute(&self.output).map_err(Error::file(&self.output))?;
        let file = path
            .file_name()
            .ok_or_else(|| Error::Invalid("the output has no file name".into()))?;
        // A file beside the output moves with it; a server knows the outputs of several machines.
        let (address, name) = match &self.database {
            None => {
                let beside = beside(&path, ".db");
                let beside = beside
                    .to_str()
                    .ok_or_else(|| Error::Invalid("the output's path is not UTF-8".into()))?;
                (
                    format!("sqlite:{beside}"),
                    file.to_string_lossy().into_owned(),
                )
            }
            Some(address) => (address.clone(), format!("{}:{}", host(), path.display())),
        };
        Ok((address, self.name.clone().unwrap_or(name)))
    }

    /// Opens the queue.
    pub fn queue(&self) -> Result<Queue> {
        Ok(Queue::open(&self.place()?.0)?.with_limits(self.limits))
    }

    /// Reads the input if that has not been done, answers what is left, and finishes the output.
    pub fn start(
        &self,
        stop: &AtomicBool,
        answer: impl Fn(&Row) -> std::result::Result<Answered, Failure> + Sync,
        mut watch: impl FnMut(&Progress),
    ) -> Result<Report> {
        let mut output = Output::open(&self.output)?;
        let (_, name) = self.place()?;
        let wait = self.worker.patience;
        let opened = patiently(
            wait,
            stop,
            |_| (),
            || {
                let queue = self.queue()?;
                let submitted = self.submit(&queue, &name, &output)?;
                let batch = self.open(&queue, &name)?;
                Ok((queue, submitted, batch))
            },
        );
        let (queue, submitted, batch) = opened.inspect_err(|_| output.discard_empty())?;

        let mut options = self.worker.clone();
        options.name = format!(
            "{}:{}",
            host(),
            crate::error::one_line(&self.output.display().to_string())
        );
        options.stay = false;
        patiently(wait, stop, |_| (), || queue.expire(&options.name))?;
        let worker = Worker::new(&queue, options);
        let ended = worker.run(Some(&batch), stop, answer, |progress| {
            let mut progress = progress.clone();
            // While the database is away there is nothing new. What cannot be written now is written later, or at the end.
            if progress.trouble.is_none() {
                progress.trouble = output
                    .append(&queue, &batch)
                    .err()
                    .map(|error| error.to_string());
            }
            watch(&progress);
        })?;
        if ended == Ended::Finished {
            patiently(wait, stop, |_| (), || output.finish(&queue, &batch))?;
        }
        let progress = patiently(wait, stop, |_| (), || queue.progress(&batch))?;
        Ok(Report {
            submitted,
            batch,
            ended,
            progress,
        })
    }

    fn submit(&self, queue: &Queue, name: &str, output: &Output) -> Result<Option<Submitted>> {
        let Some(input) = &self.input else {
            return Ok(None);
        };
        let file = File::open(input).map_err(Error::file(input))?;
        let known = match queue.batch(name) {
            Ok(_) => true,
            Err(Error::NoBatch(_)) => false,
            Err(error) => return Err(error),
        };
        if !known && output.is_finished() {
            return Err(Error::Invalid(format!(
                "{} exists: choose another output",
                self.output.display()
            )));
        }
        queue
            .submit(Some(name), BufReader::with_capacity(1 << 16, file))
            .map(Some)
    }

    /// The batch, if workers may take its rows.
    fn open(&self, queue: &Queue, name: &str) -> Result<String> {
        let batch = queue.batch(name)?;
        if batch.state == BatchState::Cancelled && self.input.is_some() {
            return Err(Error::WrongState(format!(
                "{name} was cancelled: resume it"
            )));
        }
        queue.resume(&batch.id)?;
        Ok(batch.id)
    }
}
