//! Who is answered now and who waits: a bounded queue with places and a guess of how long it takes.
//!
//! One slot for each answer that the model writes at a time. Interactive askers go before background ones, else in the
//! order in which they came. A queue that is full refuses at once, with the seconds after which it is worth asking again.
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// What the first answer is guessed to take, before any was measured.
const FIRST_GUESS: Duration = Duration::from_secs(20);
/// How much the newest answer counts in the mean.
const NEWEST: f64 = 0.2;

/// A queue; clones are handles of the same one.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    slots: usize,
    most_waiting: usize,
    line: Mutex<Line>,
    /// Told whenever somebody moves up.
    moved: Notify,
}

#[derive(Debug, Default)]
struct Line {
    running: usize,
    waiting: VecDeque<Waiter>,
    tickets: u64,
    /// Mean seconds of an answer.
    mean: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Waiter {
    ticket: u64,
    background: bool,
}

/// The queue is full; ask again after this time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Full {
    pub(crate) after: Duration,
}

/// Somebody in the queue. Dropped before its turn, it leaves the queue.
#[derive(Debug)]
pub(crate) struct Ticket {
    queue: Queue,
    number: u64,
}

/// A slot; dropped, it is free for the next one.
#[derive(Debug)]
pub(crate) struct Slot {
    queue: Queue,
    since: Instant,
}

/// Where somebody stands: 1 is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) place: usize,
    pub(crate) eta: Duration,
}

impl Queue {
    pub(crate) fn new(slots: usize, most_waiting: usize) -> Self {
        let shared = Shared {
            slots: slots.max(1),
            most_waiting,
            line: Mutex::default(),
            moved: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Takes a place in the queue.
    pub(crate) fn enter(&self, background: bool) -> Result<Ticket, Full> {
        let mut line = self.line();
        let is_free = line.running < self.shared.slots && line.waiting.is_empty();
        if !is_free && line.waiting.len() >= self.shared.most_waiting {
            let after = self.eta(&line, 1).max(Duration::from_secs(1));
            return Err(Full { after });
        }
        line.tickets += 1;
        let number = line.tickets;
        let waiter = Waiter {
            ticket: number,
            background,
        };
        let behind = line
            .waiting
            .iter()
            .rposition(|w| background || !w.background);
        line.waiting.insert(behind.map_or(0, |at| at + 1), waiter);
        Ok(Ticket {
            queue: self.clone(),
            number,
        })
    }

    /// How many are answered, and how many wait.
    pub(crate) fn lengths(&self) -> (usize, usize) {
        let line = self.line();
        (line.running, line.waiting.len())
    }

    fn eta(&self, line: &Line, place: usize) -> Duration {
        let mean = line.mean.unwrap_or(FIRST_GUESS.as_secs_f64());
        let rounds = place.div_ceil(self.shared.slots).max(1);
        Duration::from_secs_f64(mean * rounds as f64)
    }

    /// A panic elsewhere leaves numbers that are still true.
    fn line(&self) -> MutexGuard<'_, Line> {
        self.shared
            .line
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits for the turn; hears each place on the way.
    pub(crate) async fn turn(self, mut on_place: impl FnMut(Place)) -> Slot {
        let mut last = None;
        loop {
            let moved = self.queue.shared.moved.notified();
            match self.try_turn() {
                Ok(slot) => return slot,
                Err(place) if last != Some(place) => {
                    last = Some(place);
                    on_place(place);
                }
                Err(_) => {}
            }
            // A place that was told between the look and here is not missed: `notified` was made before.
            moved.await;
        }
    }

    /// The slot, if it is this one's turn.
    pub(crate) fn try_turn(&self) -> Result<Slot, Place> {
        let queue = &self.queue;
        let mut line = queue.line();
        let found = line.waiting.iter().position(|w| w.ticket == self.number);
        let ahead = found.unwrap_or(0);
        if ahead == 0 && line.running < queue.shared.slots {
            line.waiting.pop_front();
            line.running += 1;
            drop(line);
            queue.shared.moved.notify_waiters();
            return Ok(Slot {
                queue: queue.clone(),
                since: Instant::now(),
            });
        }
        Err(Place {
            place: ahead + 1,
            eta: queue.eta(&line, ahead + 1),
        })
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.queue
            .line()
            .waiting
            .retain(|w| w.ticket != self.number);
        self.queue.shared.moved.notify_waiters();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let took = self.since.elapsed().as_secs_f64();
        let mut line = self.queue.line();
        line.running -= 1;
        line.mean = Some(line.mean.map_or(took, |mean| mean + NEWEST * (took - mean)));
        drop(line);
        self.queue.shared.moved.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_runs_the_second_waits_the_third_is_refused() {
        let queue = Queue::new(1, 1);
        let slot = queue.enter(false).unwrap().try_turn().unwrap();
        let second = queue.enter(false).unwrap();
        assert_eq!(second.try_turn().unwrap_err().place, 1);
        assert!(queue.enter(false).unwrap_err().after >= Duration::from_secs(1));
        drop(slot);
        assert!(second.try_turn().is_ok());
    }

    #[test]
    fn a_person_goes_before_background_work() {
        let queue = Queue::new(1, 9);
        let slot = queue.enter(false).unwrap().try_turn().unwrap();
        let later = queue.enter(true).unwrap();
        let person = queue.enter(false).unwrap();
        assert_eq!(later.try_turn().unwrap_err().place, 2);
        drop(slot);
        assert!(later.try_turn().is_err());
        assert!(person.try_turn().is_ok());
    }

    #[test]
    fn who_leaves_makes_room() {
        let queue = Queue::new(1, 1);
        let _slot = queue.enter(false).unwrap().try_turn().unwrap();
        drop(queue.enter(false).unwrap());
        assert_eq!(queue.lengths(), (1, 0));
        assert!(queue.enter(false).is_ok());
    }

    #[tokio::test]
    async fn everyone_gets_a_turn() {
        let queue = Queue::new(2, 100);
        let asks = (0..50).map(|_| {
            let ticket = queue.enter(false).unwrap();
            tokio::spawn(async move {
                let slot = ticket.turn(|_| ()).await;
                tokio::task::yield_now().await;
                drop(slot);
            })
        });
        for ask in asks.collect::<Vec<_>>() {
            ask.await.unwrap();
        }
        assert_eq!(queue.lengths(), (0, 0));
    }
}
