//! Shows an answer while it is being written: by drafts in a chat with one person, by edits elsewhere.
//!
//! A thread of its own does so, at its own pace, and looks whether the answer is still wanted: what answers never waits
//! for the network. All of it is for the eyes. What counts is delivered by the outbox when the answer has ended.
//!
//! A draft lives for half a minute and is gone when a message comes. Where Telegram refuses drafts, and in groups, the
//! message itself is sent early and edited; Telegram counts edits as messages, so they become rarer as they get more.
use crate::api::Failure;
use crate::desk::{Bell, Desk, delivery, lock};
use crate::outgoing::{Content, Outgoing, parts};
use reckon_store::bot::{Task, Wanted};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often it is looked at whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(500);
/// After so long an unchanged draft is sent again, before Telegram drops it.
const DRAFT_LIFE: Duration = Duration::from_secs(20);
/// How long a call that only shows something may take.
const CALL: Duration = Duration::from_secs(10);
/// After so many edits the pauses between them have doubled.
const EDITS: u32 = 20;

/// An answer under way, between the thread that writes it and the one that shows it.
#[derive(Default)]
pub(crate) struct Live {
    text: Mutex<String>,
    bell: Bell,
    unwanted: AtomicBool,
    done: AtomicBool,
}

impl Live {
    /// Takes the text so far.
    pub(crate) fn write(&self, text: &str) {
        let mut shown = lock(&self.text);
        shown.clear();
        shown.push_str(text);
    }

    /// Whether nobody waits any longer.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed)
    }

    /// Says that the answer has ended.
    pub(crate) fn end(&self) {
        self.done.store(true, Ordering::Relaxed);
        self.bell.ring();
    }
}

/// How text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Draft,
    Edit,
    Nothing,
}

struct Screen<'a> {
    desk: &'a Desk,
    task: &'a Task,
    way: Way,
    notice: Option<i64>,
    shown: String,
    edits: u32,
    /// Not before this.
    next: Instant,
    shown_at: Instant,
}

/// Shows the answer until it has ended; whether it is in a message that the answer can take the place of.
pub(crate) fn show(desk: &Desk, task: &Task, private: bool, live: &Live) -> bool {
    let way = match private && !desk.no_drafts.load(Ordering::Relaxed) {
        true => Way::Draft,
        false => Way::Edit,
    };
    let now = Instant::now();
    let mut screen = Screen {
        desk,
        task,
        way,
        notice: task.notice,
        shown: String::new(),
        edits: 0,
        next: now,
        shown_at: now,
    };
    let mut typing = now;
    while !live.done.load(Ordering::Relaxed) {
        let heard = live.bell.rings();
        let wanted = desk.store.wanted(task.number);
        if desk.ends() || !matches!(wanted, Ok(Wanted::Yes) | Err(_)) {
            live.unwanted.store(true, Ordering::Relaxed);
        }
        let text = lock(&live.text).clone();
        let now = Instant::now();
        if now >= screen.next && screen.is_news(&text) {
            screen.show(&text);
        } else if screen.shown.is_empty() && now >= typing {
            screen.type_on();
            typing = Instant::now() + desk.config.pace.typing;
        }
        live.bell.wait(heard, LOOK.min(desk.config.pace.draft));
    }
    screen.way == Way::Edit
}

impl Screen<'_> {
    fn is_news(&self, text: &str) -> bool {
        let faded = self.way == Way::Draft && self.shown_at.elapsed() > DRAFT_LIFE;
        !text.trim().is_empty() && (text != self.shown || faded)
    }

    fn show(&mut self, text: &str) {
        // Of a long answer the end is shown, which is where it grows.
        let part = parts(text)
            .into_iter()
            .rev()
            .find_map(|part| match part.content {
                Content::Text { html, plain } => Some((html, plain)),
                _ => None,
            });
        let Some((html, plain)) = part else {
            return;
        };
        match self.way {
            Way::Draft => self.draft(&html),
            Way::Edit => self.edit(html, plain),
            Way::Nothing => {}
        }
        self.shown = text.into();
        self.shown_at = Instant::now();
    }

    fn draft(&mut self, html: &str) {
        let mut parameters = json!({
            "chat_id": self.task.chat,
            // Any number but 0, the same for all drafts of an answer.
            "draft_id": self.task.number % 1_000_000_000 + 1,
            "text": html,
            "parse_mode": "HTML",
        });
        if self.task.thread != 0 {
            parameters["message_thread_id"] = json!(self.task.thread);
        }
        let called = self.call("sendMessageDraft", &parameters);
        match called {
            Err(Failure::Refused { code, .. }) => {
                // A server that does not know the method will not learn it.
                if code == 404 {
                    self.desk.no_drafts.store(true, Ordering::Relaxed);
                }
                self.way = Way::Edit;
            }
            called => self.wait(&called, self.desk.config.pace.draft),
        }
    }

    fn edit(&mut self, html: String, plain: String) {
        let Some(notice) = self.notice else {
            let outgoing = Outgoing {
                silent: true,
                thread: self.task.thread,
                reply_to: Some(self.task.message),
                content: Content::Text { html, plain },
            };
            let new = delivery(self.task.chat, &outgoing);
            // Without it the answer comes in one piece at the end.
            self.notice = self
                .desk
                .store
                .notify(self.task.number, &new)
                .ok()
                .flatten();
            self.next = Instant::now() + self.desk.config.pace.edit;
            self.desk.bell.ring();
            return;
        };
        let Ok(Some(message)) = self.desk.store.message_of(notice) else {
            self.next = Instant::now() + self.desk.config.pace.edit;
            return;
        };
        let called = self.call(
            "editMessageText",
            &json!({
                "chat_id": self.task.chat,
                "message_id": message,
                "text": html,
                "parse_mode": "HTML",
                "link_preview_options": { "is_disabled": true },
            }),
        );
        self.edits += 1;
        let slower = self.desk.config.pace.edit * (EDITS + self.edits.min(4 * EDITS)) / EDITS;
        match &called {
            Err(failure @ Failure::Refused { .. }) if !failure.says("not modified") => {
                self.way = Way::Nothing;
            }
            called => self.wait(called, slower),
        }
    }

    fn type_on(&mut self) {
        let mut parameters = json!({ "chat_id": self.task.chat, "action": "typing" });
        if self.task.thread != 0 {
            parameters["message_thread_id"] = json!(self.task.thread);
        }
        let called = self.call("sendChatAction", &parameters);
        self.wait(&called, Duration::ZERO);
    }

    fn call(&self, method: &str, parameters: &Value) -> Result<Value, Failure> {
        self.desk.api.call_within(method, parameters, CALL)
    }

    fn wait(&mut self, called: &Result<Value, Failure>, pace: Duration) {
        let pause = match called {
            Ok(_) | Err(Failure::Refused { .. }) => pace,
            Err(Failure::FloodWait(seconds)) => Duration::from_secs(*seconds),
            Err(_) => pace.max(Duration::from_secs(2)),
        };
        self.next = Instant::now() + pause;
    }
}
