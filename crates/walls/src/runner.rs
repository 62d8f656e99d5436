//! The parent's side: hands one child its input, listens, and gives what came of it, whatever that is.
//!
//! A child runs one job once. A spare can be started ahead ([`Runner::prepare`]), so that the next input finds a child
//! that is prepared and locked in. Nothing a child does blocks, grows or ends the parent: reading and writing happen on
//! threads, frames are bounded, the clock runs outside.
use crate::{
    Error, Limits, Protection, Start,
    frame::{self, Kind},
    process::{Event, Process},
};
use std::time::{Duration, Instant};

/// How long a child may take to get ready, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest error line that is passed on, in characters.
const LINE: usize = 600;

/// What came of one job.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The output, or why there is none.
    pub result: Result<Vec<u8>, Error>,
    /// What was printed, as far as the limit allows.
    pub printed: Vec<u8>,
}

/// Runs one kind of job, one input at a time, each in a process of its own.
#[derive(Debug)]
pub struct Runner {
    start: Start,
    job: String,
    limits: Limits,
    spare: Option<Process>,
}

impl Runner {
    /// Starts nothing yet. More than 15 seconds and 448 MiB are not given.
    #[must_use]
    pub fn new(start: Start, job: &str, limits: Limits) -> Self {
        Self {
            start,
            job: job.into(),
            limits: limits.clamped(),
            spare: None,
        }
    }

    /// What a job may use.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Starts a spare child if there is none; it gets ready while others work.
    ///
    /// # Errors
    /// [`Error::Start`] if the process cannot be started.
    pub fn prepare(&mut self) -> Result<(), Error> {
        if self.spare.is_none() {
            self.spare = Some(Process::start(&self.start, &self.job, &self.limits)?);
        }
        Ok(())
    }

    /// Which walls are around a child on this machine; starts one to ask it.
    ///
    /// # Errors
    /// [`Error::Start`] if no child gets ready.
    pub fn protection(&mut self) -> Result<Protection, Error> {
        let process = self.ready()?;
        let protection = process.protection();
        self.spare = Some(process);
        Ok(protection)
    }

    /// Runs the job on one input. `host` answers [`crate::inside::call`]; its time is not the job's.
    pub fn run(&mut self, input: Vec<u8>, host: &mut dyn FnMut(&str, &str) -> String) -> Outcome {
        let mut printed = Vec::new();
        let result = self.result(input, host, &mut printed);
        Outcome { result, printed }
    }

    fn result(
        &mut self,
        input: Vec<u8>,
        host: &mut dyn FnMut(&str, &str) -> String,
        printed: &mut Vec<u8>,
    ) -> Result<Vec<u8>, Error> {
        let (bytes, most) = (input.len(), self.limits.input);
        if bytes > most {
            let what = format!("an input of {bytes} bytes; the limit is {most}");
            return Err(Error::Refused(what));
        }
        let mut process = self.ready()?;
        process.send(Kind::Input, input);
        listen(&mut process, &self.limits, host, printed)
    }

    /// A child that waits for its input. A spare that died while it waited is replaced once.
    fn ready(&mut self) -> Result<Process, Error> {
        if let Some(mut spare) = self.spare.take()
            && spare.wait_until_ready(PATIENCE).is_ok()
        {
            return Ok(spare);
        }
        let mut process = Process::start(&self.start, &self.job, &self.limits)?;
        process.wait_until_ready(PATIENCE)?;
        Ok(process)
    }
}

/// Listens until the job ends or must end.
fn listen(
    process: &mut Process,
    limits: &Limits,
    host: &mut dyn FnMut(&str, &str) -> String,
    printed: &mut Vec<u8>,
) -> Result<Vec<u8>, Error> {
    let mut deadline = Instant::now() + Duration::from_secs(limits.wall);
    let mut conversation = Conversation {
        limits,
        printed,
        calls: 0,
    };
    loop {
        let (kind, payload) = match process.next(deadline) {
            Some(Event::Frame(kind, payload)) => (kind, payload),
            Some(Event::End) => return Err(process.cause_of_death(limits)),
            // It may live on; there is nothing more to be heard from it.
            Some(Event::Nonsense) => {
                let line = "the sandbox said something that is no frame";
                return Err(Error::Crash(line.into()));
            }
            None => return Err(Error::Limit(limits.too_long())),
        };
        let asked = Instant::now();
        match conversation.hear(kind, payload, host) {
            Heard::Nothing => {}
            Heard::Question(answer) => process.send(Kind::Answer, answer.into()),
            Heard::End(result) => return result,
        }
        deadline += asked.elapsed();
    }
}

/// What the parent makes of `bytes` if a child says them, for the fuzz target: nothing is started.
#[doc(hidden)]
pub fn replay(mut bytes: &[u8], limits: &Limits) -> Result<Vec<u8>, Error> {
    let mut conversation = Conversation {
        limits,
        printed: &mut Vec::new(),
        calls: 0,
    };
    while let Ok((kind, payload)) = frame::read(&mut bytes, limits) {
        if let Heard::End(result) = conversation.hear(kind, payload, &mut |_, text| text.into()) {
            return result;
        }
        assert!(
            conversation.printed.len() <= limits.output,
            "printed text is bounded"
        );
    }
    Err(Error::Crash("the sandbox ended early".into()))
}

/// What a child has said so far, as far as it counts.
struct Conversation<'a> {
    limits: &'a Limits,
    printed: &'a mut Vec<u8>,
    calls: usize,
}

/// What a frame means for the parent.
enum Heard {
    Nothing,
    /// A question, with its answer.
    Question(String),
    End(Result<Vec<u8>, Error>),
}

impl Conversation<'_> {
    fn hear(
        &mut self,
        kind: Kind,
        payload: Vec<u8>,
        host: &mut dyn FnMut(&str, &str) -> String,
    ) -> Heard {
        let fail = |error| Heard::End(Err(error));
        match kind {
            Kind::Printed => {
                let room = self.limits.output - self.printed.len();
                self.printed.extend(&payload[..payload.len().min(room)]);
                if payload.len() > room {
                    return fail(Error::Limit(self.limits.too_loud()));
                }
                Heard::Nothing
            }
            Kind::Call => {
                self.calls += 1;
                if self.calls > self.limits.calls {
                    return fail(Error::Limit(self.limits.too_many_calls()));
                }
                let Ok([kind, text]) = serde_json::from_slice::<[String; 2]>(&payload) else {
                    return fail(Error::Crash(
                        "the sandbox said something that is no call".into(),
                    ));
                };
                let answer = host(&kind, &text);
                if answer.len() > Kind::Answer.most(self.limits) {
                    return fail(Error::Limit("host: an answer that is too long".into()));
                }
                Heard::Question(answer)
            }
            Kind::Done => Heard::End(Ok(payload)),
            Kind::Failed => fail(Error::Job(one_line(&payload))),
            Kind::Stopped => fail(Error::Limit(one_line(&payload))),
            Kind::Input | Kind::Answer | Kind::Ready => {
                fail(Error::Crash("the sandbox spoke out of turn".into()))
            }
        }
    }
}

/// What a child says about itself, fit for a terminal and a log: it may have been taken over.
fn one_line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let turns_text = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}');
    let visible = text.chars().filter(|c| !turns_text(*c)).take(LINE);
    let space = |c: char| {
        if c.is_control() || c == '\u{2028}' || c == '\u{2029}' {
            ' '
        } else {
            c
        }
    };
    visible.map(space).collect()
}
