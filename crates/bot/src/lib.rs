//! Reckon on Telegram: every message answered once, whatever is killed in between.
//!
//! [`Bot::run`] takes updates by long polling or a webhook, has an [`Answerer`] answer them and delivers the answers.
//! What answers is handed in; the bot knows of no model. All that it must not lose lies in a [`reckon_store::Store`],
//! whose module `bot` has the steps from an update to a delivery, each of them one transaction.
//!
//! ```no_run
//! use reckon_bot::{Answer, Answerer, Ask, Bot, Config, Progress, Stop, Token};
//! use std::{ops::ControlFlow, sync::Arc};
//!
//! struct Echo;
//!
//! impl Answerer for Echo {
//!     fn answer(
//!         &self,
//!         ask: &Ask,
//!         _: &mut dyn FnMut(Progress<'_>) -> ControlFlow<()>,
//!     ) -> Result<Answer, String> {
//!         let last = ask.turns.last().ok_or("nothing was asked")?;
//!         Ok(Answer { text: last.text.clone(), ..Answer::default() })
//!     }
//! }
//!
//! let token = Token::find(None, std::env::var(reckon_bot::TOKEN_VARIABLE).ok())?;
//! Bot::run(Config::new("reckon.db", token), Arc::new(Echo), &Stop::default())?;
//! # Ok::<(), reckon_bot::Error>(())
//! ```
//!
//! ```text
//!            poll | webhook        reception       queue → answering → Answerer      outbox
//! Telegram ─────────────────→ updates ───→ tasks ──────────────────────→ deliveries ───────→ Telegram
//!                                                   ↘ live: drafts and edits, for the eyes ↗
//! ```
//!
//! Each of these is a thread; [`reckon_store::bot`] is all that they share, beside a bell. Nothing is printed, no
//! environment is read, and neither people's words nor the token are in the log.
mod answerer;
mod answering;
mod api;
mod bot;
mod command;
mod config;
mod desk;
mod error;
mod incoming;
mod live;
mod markdown;
mod outbox;
mod outgoing;
mod poll;
mod queue;
mod reception;
mod setup;
mod token;
mod webhook;
mod wire;

pub use answerer::{Answer, Answerer, Ask, Attachment, AttachmentKind, Progress, Turn};
pub use api::API_URL;
pub use bot::Bot;
pub use config::{Budget, Config, Log, Pace, Stop, Webhook};
pub use error::{Error, Result};
pub use setup::{Unit, systemd_unit};
pub use token::{TOKEN_VARIABLE, Token};
