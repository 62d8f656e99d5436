//! What the threads of a bot share.
use crate::answerer::Answerer;
use crate::api::{Api, Failure};
use crate::config::{Config, Stop};
use crate::wire::User;
use reckon_store::bot::{BotStore, NewDelivery};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Chats below this are large groups and channels, each of which counts its own messages.
const LARGE_GROUPS: i64 = -1_000_000_000_000;

pub(crate) struct Desk {
    pub(crate) api: Api,
    pub(crate) store: BotStore,
    /// The bot itself.
    pub(crate) me: User,
    pub(crate) config: Config,
    pub(crate) answerer: Arc<dyn Answerer>,
    pub(crate) stop: Stop,
    /// Rung whenever there may be something to do.
    pub(crate) bell: Bell,
    /// Whether all updates that were waiting at the start have been received.
    pub(crate) caught_up: AtomicBool,
    /// Whether Telegram knows no drafts.
    pub(crate) no_drafts: AtomicBool,
    pub(crate) durations: Durations,
    pub(crate) started: Instant,
    /// Why the bot cannot go on.
    fatal: Mutex<Option<Failure>>,
}

impl Desk {
    pub(crate) fn new(
        (api, store, me): (Api, BotStore, User),
        config: Config,
        answerer: Arc<dyn Answerer>,
        stop: Stop,
    ) -> Self {
        Self {
            api,
            store,
            me,
            answerer,
            stop,
            bell: Bell::default(),
            caught_up: AtomicBool::new(config.webhook.is_some()),
            no_drafts: AtomicBool::new(false),
            durations: Durations::default(),
            started: Instant::now(),
            fatal: Mutex::new(None),
            config,
        }
    }

    pub(crate) fn log(&self, line: &str) {
        self.config.log.say(line);
    }

    /// Whether the threads are to end.
    pub(crate) fn ends(&self) -> bool {
        self.stop.is_set() || lock(&self.fatal).is_some()
    }

    /// Ends the bot: the token is not good any more.
    pub(crate) fn give_up(&self, failure: Failure) {
        *lock(&self.fatal) = Some(failure);
        self.bell.ring();
    }

    pub(crate) fn reason_to_end(&self) -> Option<Failure> {
        lock(&self.fatal).clone()
    }

    /// Waits, unless the bot is to end.
    pub(crate) fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.ends() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }

    pub(crate) fn is_caught_up(&self) -> bool {
        self.caught_up.load(Ordering::Relaxed)
    }
}

/// A message for the store.
pub(crate) fn delivery(chat: i64, outgoing: &crate::outgoing::Outgoing) -> NewDelivery {
    NewDelivery {
        chat,
        series: series(chat),
        body: outgoing.to_json(),
        replaces: None,
    }
}

/// Which messages share their numbers with those of this chat: all but large groups have one series.
pub(crate) fn series(chat: i64) -> i64 {
    match chat < LARGE_GROUPS {
        true => chat,
        false => 0,
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

/// A lock whose data is sound even if somebody panicked with it: each change of it is a single step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes those who wait for something to do; a ring between two looks is not missed.
#[derive(Default)]
pub(crate) struct Bell {
    rings: Mutex<u64>,
    waiting: Condvar,
}

impl Bell {
    pub(crate) fn ring(&self) {
        *lock(&self.rings) += 1;
        self.waiting.notify_all();
    }

    /// How often it has rung.
    pub(crate) fn rings(&self) -> u64 {
        *lock(&self.rings)
    }

    /// Waits until it has rung more often than that.
    pub(crate) fn wait(&self, heard: u64, most: Duration) {
        let rings = lock(&self.rings);
        let waited = self
            .waiting
            .wait_timeout_while(rings, most, |rings| *rings == heard);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// How long answers take, as a mean in which new ones count most.
pub(crate) struct Durations(Mutex<f64>);

impl Default for Durations {
    fn default() -> Self {
        // Until the first one: an answer of a small model on a laptop.
        Self(Mutex::new(30.0))
    }
}

impl Durations {
    pub(crate) fn add(&self, took: Duration) {
        let mut mean = lock(&self.0);
        *mean += 0.3 * (took.as_secs_f64() - *mean);
    }

    pub(crate) fn mean(&self) -> f64 {
        *lock(&self.0)
    }
}
