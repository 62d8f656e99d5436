//! Sends what the bot owes, each message once, as well as Telegram lets anybody do so.
//!
//! Telegram cannot be asked whether a message arrived, nor told not to send one twice. So a delivery is noted as being
//! sent before it is, and as sent with its number after. If the bot dies in between, or the connection does, the message
//! either is there under a number that nobody knows, or is not. Editing finds out: to give a message the text that it
//! has is refused as "not modified", and any other number is refused for other reasons. So each number that it can have
//! got is tried, and only if none is ours it is sent (again).
//!
//! What can still go wrong: between sending and searching so many messages came into being that nobody told us of that
//! ours is more than [`BEYOND`] numbers above all known ones, which takes a large group that talks through a crash; or
//! the person deleted the message in these seconds. Then it comes twice. It is never lost.
use crate::api::Failure;
use crate::desk::{Desk, now};
use crate::outgoing::{Content, Outgoing};
use crate::wire::Sent;
use reckon_store::Result;
use reckon_store::bot::{Delivery, DeliveryState};
use serde_json::{Value, json};
use std::time::Duration;

/// How far above the highest known number a lost message is looked for.
const BEYOND: i64 = 24;
/// The longest pause between two tries, in milliseconds.
const LONGEST_PAUSE: i64 = 300_000;

/// How a try ended.
enum Outcome {
    /// It is there, under this number if it is a message.
    Sent(Option<i64>),
    /// It is not there and can be tried again after so many milliseconds.
    Again(i64),
    /// Nobody knows; to be found out after so many milliseconds.
    InDoubt(i64),
    /// It cannot be sent, for this reason.
    Failed(String),
}

/// Sends until the bot ends.
pub(crate) fn deliver(desk: &Desk) {
    while !desk.ends() {
        let heard = desk.bell.rings();
        match deliver_due(desk) {
            Ok(0) => desk.bell.wait(heard, until_next(desk)),
            Ok(_) => {}
            Err(error) => {
                desk.log(&format!("cannot deliver: {error}"));
                desk.pause(Duration::from_secs(1));
            }
        }
    }
}

fn until_next(desk: &Desk) -> Duration {
    let next = desk.store.next_due().ok().flatten().unwrap_or(i64::MAX);
    let left = next.saturating_sub(now()).clamp(50, 1_000);
    Duration::from_millis(left.unsigned_abs())
}

/// Sends the next message of each chat; how many there were.
fn deliver_due(desk: &Desk) -> Result<usize> {
    let mut tried = 0;
    for delivery in desk.store.due(now())? {
        // Numbers that belong to updates must be known before a lost message is looked for, and what the process before
        // this one sent with its last breath must have arrived.
        let ready = desk.is_caught_up() && desk.started.elapsed() >= desk.config.pace.doubt;
        if desk.ends() || (delivery.state == DeliveryState::Sending && !ready) {
            continue;
        }
        tried += 1;
        try_delivery(desk, &delivery)?;
        desk.bell.ring();
    }
    Ok(tried)
}

fn try_delivery(desk: &Desk, delivery: &Delivery) -> Result<()> {
    let number = delivery.number;
    let Ok(outgoing) = serde_json::from_str::<Outgoing>(&delivery.body) else {
        desk.log(&format!("delivery {number} cannot be read"));
        return desk.store.failed(number);
    };
    let outcome = match (delivery.state, &outgoing.content, delivery.replaces) {
        (_, Content::Delete, replaced) => delete(desk, delivery, replaced)?,
        (_, Content::Text { .. }, Some(message)) => replace(desk, delivery, &outgoing, message)?,
        (DeliveryState::Sending, ..) => repair(desk, delivery, &outgoing)?,
        _ => send(desk, delivery, &outgoing)?,
    };
    match outcome {
        Outcome::Sent(message) => desk.store.sent(number, message),
        Outcome::Again(pause) => desk.store.put_back(number, now() + pause),
        Outcome::InDoubt(pause) => desk.store.in_doubt(number, now() + pause),
        Outcome::Failed(why) => {
            desk.log(&format!("a message cannot be sent: {why}"));
            desk.store.failed(number)
        }
    }
}

fn send(desk: &Desk, delivery: &Delivery, outgoing: &Outgoing) -> Result<Outcome> {
    if !desk.store.sending(delivery.number)? {
        return Ok(Outcome::Sent(None));
    }
    let common = outgoing.parameters(delivery.chat);
    let sent = match &outgoing.content {
        Content::Text { html, plain } => {
            let sent = desk
                .api
                .call("sendMessage", &with_html(common.clone(), html));
            match sent {
                Err(failure) if failure.says("parse entities") => {
                    desk.api.call("sendMessage", &with_plain(common, plain))
                }
                sent => sent,
            }
        }
        Content::File {
            name,
            text,
            caption,
        } => {
            let mut parameters = common;
            parameters["caption"] = json!(caption);
            desk.api.send_document(&parameters, name, text.as_bytes())
        }
        Content::Delete => return Ok(Outcome::Sent(None)),
    };
    Ok(match sent {
        Ok(Sent { message_id }) => Outcome::Sent(Some(message_id)),
        Err(failure) => unsent(desk, delivery, failure, Outcome::InDoubt),
    })
}

/// Puts text in the place of an earlier message. Doing so twice does no harm.
fn replace(desk: &Desk, delivery: &Delivery, outgoing: &Outgoing, message: i64) -> Result<Outcome> {
    // Noted only so that tries are counted; the state stays harmless.
    if delivery.state == DeliveryState::Queued && !desk.store.sending(delivery.number)? {
        return Ok(Outcome::Sent(None));
    }
    match edit(desk, delivery.chat, message, outgoing) {
        Ok(()) => Ok(Outcome::Sent(Some(message))),
        // The earlier message was deleted or is too old: a new one does as well.
        Err(Failure::Refused { code: 400, .. }) if delivery.state == DeliveryState::Sending => {
            repair(desk, delivery, outgoing)
        }
        Err(Failure::Refused { code: 400, .. }) => send(desk, delivery, outgoing),
        Err(failure) => Ok(unsent(desk, delivery, failure, Outcome::InDoubt)),
    }
}

fn delete(desk: &Desk, delivery: &Delivery, replaced: Option<i64>) -> Result<Outcome> {
    let Some(message) = replaced else {
        return Ok(Outcome::Sent(None));
    };
    desk.store.sending(delivery.number)?;
    let parameters = json!({ "chat_id": delivery.chat, "message_id": message });
    Ok(match desk.api.call::<Value>("deleteMessage", &parameters) {
        // One that cannot be deleted stays; the answer is there.
        Ok(_) | Err(Failure::Refused { .. }) => Outcome::Sent(None),
        Err(failure) => unsent(desk, delivery, failure, Outcome::Again),
    })
}

/// Finds a message that may have been sent, or sends it.
fn repair(desk: &Desk, delivery: &Delivery, outgoing: &Outgoing) -> Result<Outcome> {
    for candidate in desk.store.candidates(delivery.number, BEYOND)? {
        if desk.ends() {
            return Ok(Outcome::InDoubt(0));
        }
        match probe(desk, delivery.chat, candidate, outgoing) {
            Ok(()) => return Ok(Outcome::Sent(Some(candidate))),
            Err(Failure::Refused { code: 400, .. }) => {}
            Err(failure) => return Ok(unsent(desk, delivery, failure, Outcome::InDoubt)),
        }
    }
    send(desk, delivery, outgoing)
}

/// Edits, a few times if need be: a search that begins anew after each fault of a bad network might never end.
fn probe(
    desk: &Desk,
    chat: i64,
    message: i64,
    outgoing: &Outgoing,
) -> std::result::Result<(), Failure> {
    const TRIES: u32 = 4;
    for pause in 0..TRIES - 1 {
        match edit(desk, chat, message, outgoing) {
            Err(Failure::NotSent(_) | Failure::Unknown(_)) => {
                desk.pause(Duration::from_millis(50 << pause));
            }
            edited => return edited,
        }
    }
    edit(desk, chat, message, outgoing)
}

/// Gives a message this text or caption; that it has it already is as good.
fn edit(
    desk: &Desk,
    chat: i64,
    message: i64,
    outgoing: &Outgoing,
) -> std::result::Result<(), Failure> {
    let common = json!({ "chat_id": chat, "message_id": message });
    let edited = match &outgoing.content {
        Content::Text { html, plain } => {
            let edited = desk
                .api
                .call::<Value>("editMessageText", &with_html(common.clone(), html));
            match edited {
                Err(failure) if failure.says("parse entities") => {
                    desk.api.call("editMessageText", &with_plain(common, plain))
                }
                edited => edited,
            }
        }
        Content::File { caption, .. } => {
            let mut parameters = common;
            parameters["caption"] = json!(caption);
            desk.api.call("editMessageCaption", &parameters)
        }
        Content::Delete => return Ok(()),
    };
    match edited {
        Err(failure) if failure.says("not modified") => Ok(()),
        edited => edited.map(drop),
    }
}

fn with_html(mut parameters: Value, html: &str) -> Value {
    parameters["text"] = json!(html);
    parameters["parse_mode"] = json!("HTML");
    parameters["link_preview_options"] = json!({ "is_disabled": true });
    parameters
}

fn with_plain(mut parameters: Value, plain: &str) -> Value {
    parameters["text"] = json!(plain);
    parameters["link_preview_options"] = json!({ "is_disabled": true });
    parameters
}

/// What a failure means for the delivery; `unknown` is for when nobody knows whether it was done.
fn unsent(
    desk: &Desk,
    delivery: &Delivery,
    failure: Failure,
    unknown: fn(i64) -> Outcome,
) -> Outcome {
    let doubt = i64::try_from(desk.config.pace.doubt.as_millis()).unwrap_or(LONGEST_PAUSE);
    let pause = LONGEST_PAUSE.min(doubt << delivery.tries.min(8));
    match failure {
        Failure::FloodWait(seconds) => {
            let milliseconds = i64::try_from(seconds)
                .unwrap_or(i64::MAX)
                .saturating_mul(1_000);
            match delivery.state {
                // It was in doubt before, and waiting tells nothing about that.
                DeliveryState::Sending => unknown(milliseconds),
                _ => Outcome::Again(milliseconds),
            }
        }
        Failure::NotSent(_) if delivery.state == DeliveryState::Sending => unknown(pause),
        Failure::NotSent(_) => Outcome::Again(pause),
        Failure::Unknown(_) => unknown(pause),
        failure if failure.is_unauthorized() => {
            desk.give_up(failure);
            unknown(0)
        }
        failure => Outcome::Failed(failure.to_string()),
    }
}
