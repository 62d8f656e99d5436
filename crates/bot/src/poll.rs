//! Asks Telegram for updates and stores them; asking for the next ones tells Telegram that these have arrived.
use crate::api::Failure;
use crate::desk::Desk;
use crate::incoming::received;
use reckon_store::Result;
use serde_json::json;
use serde_json::value::RawValue;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The kinds of updates that the bot wants.
pub(crate) const KINDS: [&str; 2] = ["message", "edited_message"];
/// Updates in one answer, which is what Telegram gives at most.
const AT_ONCE: usize = 100;
/// The longest pause after a failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// The pause after an answer that came too soon and was empty.
const IMPATIENCE: Duration = Duration::from_millis(300);
/// How much longer than the wait itself a call may take.
const GRACE: Duration = Duration::from_secs(15);

/// Asks until the bot ends.
pub(crate) fn poll(desk: &Desk) {
    let mut failures = 0;
    while !desk.ends() {
        let pause = match ask(desk) {
            Ok(Ok(())) => {
                failures = 0;
                continue;
            }
            Ok(Err(Failure::FloodWait(seconds))) => Duration::from_secs(seconds),
            Ok(Err(failure)) if failure.is_unauthorized() => return desk.give_up(failure),
            Ok(Err(failure)) => {
                // Once, not every half minute of a long night without a network.
                if failures == 0 {
                    desk.log(&format!("no updates: {failure}"));
                }
                failures += 1;
                LONGEST_PAUSE.min(Duration::from_millis(200 << failures.min(10)))
            }
            Err(error) => {
                desk.log(&format!("cannot store updates: {error}"));
                Duration::from_secs(1)
            }
        };
        desk.pause(pause);
    }
}

/// One call: what came is stored before the next.
fn ask(desk: &Desk) -> Result<std::result::Result<(), Failure>> {
    // What waited at the start is fetched without waiting for more.
    let wait = match desk.is_caught_up() {
        true => desk.config.pace.poll,
        false => Duration::ZERO,
    };
    let mut parameters = json!({
        "timeout": wait.as_secs(),
        "limit": AT_ONCE,
        "allowed_updates": KINDS,
    });
    if let Some(offset) = desk.store.offset()? {
        parameters["offset"] = json!(offset);
    }
    let started = Instant::now();
    let called =
        desk.api
            .call_within::<Vec<Box<RawValue>>>("getUpdates", &parameters, wait + GRACE);
    let raw = match called {
        Ok(raw) => raw,
        Err(failure) => return Ok(Err(failure)),
    };
    // Nothing is lost: Telegram repeats what nobody asked to go beyond.
    if desk.ends() {
        return Ok(Ok(()));
    }
    let mut updates = Vec::with_capacity(raw.len());
    for update in &raw {
        updates.extend(received(desk, update.get())?);
    }
    desk.store.receive(&updates)?;
    if raw.len() < AT_ONCE {
        desk.caught_up.store(true, Ordering::Relaxed);
    }
    match raw.is_empty() {
        false => desk.bell.ring(),
        // A server that does not wait is not to be asked without end.
        true if started.elapsed() < wait / 2 => desk.pause(IMPATIENCE),
        true => {}
    }
    Ok(Ok(()))
}
