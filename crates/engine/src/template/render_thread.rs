//! A thread with a large stack that has compiled a template and renders it for whoever asks.
//!
//! Called by `render`. Parsing and rendering what a stranger wrote may go deep, so it does not happen on the stack of the
//! asker; and a thread that stays saves each conversation the start of one, and compiling the same template again.
use super::render::{self, Program};
use serde_json::Value as Json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// 250 operators and 75 brackets in one tag take a tenth of it.
const STACK: usize = 64 << 20;

type Rendered = Result<String, String>;

/// It ends when this is gone.
pub(super) struct RenderThread {
    source: String,
    jobs: Sender<Job>,
}

struct Job {
    context: Json,
    to: Sender<Rendered>,
}

impl RenderThread {
    pub(super) fn start(source: &str) -> Result<Self, String> {
        let (jobs, asked) = channel();
        let own = source.to_owned();
        let thread = std::thread::Builder::new().name("template".into());
        let thread = thread.stack_size(STACK).spawn(move || serve(&own, &asked));
        thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        let source = source.to_owned();
        Ok(Self { source, jobs })
    }

    pub(super) fn render(&self, context: Json) -> Rendered {
        wait(&self.jobs, context)
    }
}

/// The thread of the template that was rendered last, started when it is needed.
#[derive(Default)]
pub(super) struct Shared(Mutex<Option<RenderThread>>);

impl Shared {
    pub(super) fn render(&self, source: &str, context: Json) -> Rendered {
        wait(&self.thread(source)?, context)
    }

    fn thread(&self, source: &str) -> Result<Sender<Job>, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = match kept.take().filter(|thread| thread.source == source) {
            Some(thread) => thread,
            None => RenderThread::start(source)?,
        };
        Ok(kept.insert(thread).jobs.clone())
    }
}

fn wait(jobs: &Sender<Job>, context: Json) -> Rendered {
    let (to, rendered) = channel();
    let sent = jobs.send(Job { context, to });
    let rendered = sent.ok().and_then(|()| rendered.recv().ok());
    rendered.unwrap_or_else(|| Err(broken()))
}

/// Renders until nobody can ask any more.
fn serve(source: &str, jobs: &Receiver<Job>) {
    let prepared = caught(|| render::prepared(source));
    let program = prepared
        .as_ref()
        .map_err(Clone::clone)
        .and_then(|prepared| caught(|| Program::new(source, prepared)));
    for Job { context, to } in jobs {
        let rendered = match &program {
            Ok(program) => caught(|| program.render(&context)),
            Err(error) => Err(error.clone()),
        };
        // One that has left does not hear it.
        drop(to.send(rendered));
    }
}

/// A panic is the end of this conversation's prompt, and not of the next one's.
fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken()))
}

fn broken() -> String {
    "the template broke its interpreter".to_owned()
}
