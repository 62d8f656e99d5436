//! One child process as the parent holds it: a queue of what it says, a queue of what it is told, its last words.
//!
//! The process is killed when this is dropped. Threads end with it: each waits for one of its pipes.
use crate::{
    Error, Limits,
    frame::{self, Kind},
};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Frames that wait to be looked at; a child that floods waits in its pipe.
const QUEUE: usize = 4;
/// Bytes of the error stream that are kept: the runtime's words about why it ends.
const LAST_WORDS: usize = 4096;

/// First argument of a child of [`Start::itself`]; nobody types it.
pub(crate) const CHILD: &str = "__sandbox";

/// In the place of a job: the child becomes another program; see [`crate::helper`].
pub(crate) const HELPER: &str = "@helper";

/// How a child is started: a program that calls [`crate::child`].
#[derive(Clone, Debug)]
pub struct Start {
    /// The file to run.
    pub program: PathBuf,
    /// What comes before the job and its limits on the command line.
    pub arguments: Vec<OsString>,
}

impl Start {
    /// This binary, whose `main` begins with [`crate::child`].
    ///
    /// # Errors
    /// If the system does not say where the binary is.
    pub fn itself() -> io::Result<Self> {
        // The link stays good when the file is replaced while we run.
        let program = if cfg!(target_os = "linux") {
            "/proc/self/exe".into()
        } else {
            std::env::current_exe()?
        };
        let arguments = vec![CHILD.into()];
        Ok(Self { program, arguments })
    }
}

/// Which walls of this system are around a child, as the child itself reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// Limits of processor time and memory by the system.
    pub rlimit: bool,
    /// Landlock: no file and no port can be opened.
    pub landlock: bool,
    /// Seccomp: only the system calls that a calculation needs.
    pub seccomp: bool,
}

/// Something from the child.
#[derive(Debug)]
pub(crate) enum Event {
    /// A frame.
    Frame(Kind, Vec<u8>),
    /// The pipe closed.
    End,
    /// What came was no frame; nobody listens any more.
    Nonsense,
}

/// A child that lives, or whose end has not been asked about.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    said: Receiver<Event>,
    told: Sender<(Kind, Vec<u8>)>,
    last_words: Arc<Mutex<Vec<u8>>>,
    /// Ends when the error stream is closed: then the last words are all there.
    reader_of_words: JoinHandle<()>,
    protection: Option<Protection>,
}

impl Process {
    /// Starts one with nothing of ours: no environment, no directory, no open files but three pipes.
    pub(crate) fn start(start: &Start, job: &str, limits: &Limits) -> Result<Self, Error> {
        let problem = |error: &dyn std::fmt::Display| Error::Start(error.to_string());
        let text = serde_json::to_string(limits).map_err(|error| problem(&error))?;
        let mut command = Command::new(&start.program);
        command
            .args(&start.arguments)
            .arg(job)
            .arg(text)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if cfg!(unix) {
            // Nobody but the system's owner can have put a file there.
            command.current_dir("/");
        }
        let mut child = command.spawn().map_err(|error| problem(&error))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(problem(&"no pipes"));
        };
        let (saying, said) = mpsc::sync_channel(QUEUE);
        let (told, telling) = mpsc::channel();
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let words = Arc::clone(&last_words);
        let (outward, inward) = (limits.clone(), limits.clone());
        thread::spawn(move || listen(stdout, &saying, &outward));
        thread::spawn(move || tell(stdin, &telling, &inward));
        let reader_of_words = thread::spawn(move || keep_last_words(stderr, &words));
        Ok(Self {
            child,
            said,
            told,
            last_words,
            reader_of_words,
            protection: None,
        })
    }

    /// Waits until the job is prepared and locked in.
    pub(crate) fn wait_until_ready(&mut self, patience: Duration) -> Result<(), Error> {
        if self.protection.is_some() {
            return Ok(());
        }
        match self.next(Instant::now() + patience) {
            Some(Event::Frame(Kind::Ready, protection)) => {
                self.protection = serde_json::from_slice(&protection).ok();
                Ok(())
            }
            Some(_) => Err(Error::Start(format!("it ended: {}", self.words()))),
            None => Err(Error::Start(format!("not ready after {patience:?}"))),
        }
    }

    /// The walls that the child reported when it got ready.
    pub(crate) fn protection(&self) -> Protection {
        self.protection.clone().unwrap_or_default()
    }

    /// Tells the child something, without waiting until it listens.
    pub(crate) fn send(&mut self, kind: Kind, payload: Vec<u8>) {
        // A child that has gone is noticed by what it does not say.
        let _ = self.told.send((kind, payload));
    }

    /// What comes next, or nothing by then.
    pub(crate) fn next(&mut self, deadline: Instant) -> Option<Event> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.said.recv_timeout(left) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Event::End),
        }
    }

    /// Why the process ended without a last frame.
    pub(crate) fn cause_of_death(&mut self, limits: &Limits) -> Error {
        let Some(status) = self.ended(Duration::from_secs(5)) else {
            return Error::Crash("the sandbox stopped talking".into());
        };
        let words = self.words();
        match signal(status) {
            Some(XCPU) => Error::Limit(limits.too_slow()),
            _ if words.contains("memory allocation of") => Error::Limit(limits.too_big()),
            _ if words.contains("overflowed its stack") => {
                Error::Limit("recursion: the stack of the sandbox is full".into())
            }
            Some(signal) => Error::Crash(format!("the sandbox crashed: signal {signal}")),
            None => Error::Crash(format!("the sandbox ended early: {status}")),
        }
    }

    /// How it ended, once its last words are there.
    fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        let began = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) if self.reader_of_words.is_finished() => return Some(status),
                Ok(_) if began.elapsed() < patience => thread::sleep(Duration::from_millis(1)),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }

    fn words(&self) -> String {
        let words = self.last_words.lock();
        let words = words.unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&words).replace(['\n', '\r'], " ")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const XCPU: i32 = 24;

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<i32> {
    None
}

fn listen(mut from: impl Read, saying: &mpsc::SyncSender<Event>, limits: &Limits) {
    loop {
        let event = match frame::read(&mut from, limits) {
            Ok((kind, payload)) => Event::Frame(kind, payload),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Event::Nonsense,
            Err(_) => Event::End,
        };
        let is_last = !matches!(event, Event::Frame(..));
        if saying.send(event).is_err() || is_last {
            return;
        }
    }
}

fn tell(mut to: impl Write, telling: &Receiver<(Kind, Vec<u8>)>, limits: &Limits) {
    while let Ok((kind, payload)) = telling.recv() {
        if frame::write(&mut to, kind, &payload, limits).is_err() {
            return;
        }
    }
}

fn keep_last_words(mut from: impl Read, words: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(n @ 1..) = from.read(&mut piece) {
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        let room = LAST_WORDS.saturating_sub(words.len()).min(n);
        words.extend(&piece[..room]);
    }
}
