//! Several answers of a server at the same time, each over a connection of its own.
//!
//! The first is asked for first; a server that takes one at a time answers in that order. What is no longer needed is not
//! waited for: its thread ends with its answer.
use super::{Endpoint, generation};
use crate::local::next_to_begin;
use reckon_assistant::{Ask, BatchEvent, Error, OnBatch, Result, TextModel};
use reckon_engine::{Event, Finish, Generation};
use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// Most questions that a server is asked at the same time.
const TOGETHER: usize = 8;
/// How long a person who wants to stop may have to wait.
const TICK: Duration = Duration::from_millis(100);

type Answer = (usize, Result<Generation>);

pub(super) fn run(endpoint: &Endpoint, asks: &[Ask], on_event: &mut OnBatch<'_>) {
    let (to, answers) = channel();
    let mut waiting = asks.iter().enumerate().peekable();
    let mut open = BTreeSet::new();
    loop {
        while open.len() < TOGETHER
            && let Some((at, ask)) = next_to_begin(&mut waiting, on_event)
        {
            open.insert(at);
            begin(endpoint, at, ask, &to);
        }
        // In the name of one that is still open: what has ended wants to hear nothing more.
        let Some(&awaited) = open.first() else {
            return;
        };
        let Some((at, said)) = heard(&answers, awaited, on_event) else {
            if awaited == 0 {
                let stopped = generation(String::new(), String::new(), Finish::Cancelled);
                let _ = on_event(0, BatchEvent::Ended(Ok(stopped)));
            }
            return;
        };
        open.remove(&at);
        if tell(at, said, on_event).is_break() {
            return;
        }
    }
}

fn begin(endpoint: &Endpoint, at: usize, ask: &Ask, to: &Sender<Answer>) {
    let (mut endpoint, ask, answer) = (endpoint.clone(), ask.clone(), to.clone());
    let thread = thread::Builder::new().name("vote".into()).spawn(move || {
        let said = endpoint.generate(&ask, &mut |_| ControlFlow::Continue(()));
        // Nobody may be listening any more.
        drop(answer.send((at, said)));
    });
    if thread.is_err() {
        drop(to.send((at, Err(Error::Ended))));
    }
}

/// The next answer that comes; nothing if the person does not want to wait any longer.
fn heard(answers: &Receiver<Answer>, awaited: usize, on_event: &mut OnBatch<'_>) -> Option<Answer> {
    loop {
        match answers.recv_timeout(TICK) {
            Ok(answer) => return Some(answer),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                let waiting = Event::Prefill { done: 0, total: 0 };
                if on_event(awaited, BatchEvent::Writing(waiting)).is_break() {
                    return None;
                }
            }
        }
    }
}

fn tell(at: usize, mut said: Result<Generation>, on_event: &mut OnBatch<'_>) -> ControlFlow<()> {
    if let Ok(said) = &mut said
        && on_event(at, BatchEvent::Writing(Event::Text(&said.text))).is_break()
        && at == 0
    {
        said.finish = Finish::Cancelled;
    }
    on_event(at, BatchEvent::Ended(said))
}
