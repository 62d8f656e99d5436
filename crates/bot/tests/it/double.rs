//! A double of Telegram's Bot API: it counts messages as Telegram does, refuses what Telegram refuses, and fails on request.
//!
//! Messages have numbers from one series for private chats and small groups together, and from one for each large group.
//! Only the bot's own messages can be edited; the text that one has already is "not modified".
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

pub(crate) const TOKEN: &str = "42:SECRET-token_of_the_tests";
pub(crate) const BOT: i64 = 42;
pub(crate) const NAME: &str = "duckbot";

/// A message as the double keeps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) chat: i64,
    pub(crate) id: i64,
    pub(crate) from_bot: bool,
    /// What a reader sees: without tags.
    pub(crate) text: String,
    pub(crate) caption: Option<String>,
    pub(crate) file: Option<(String, Vec<u8>)>,
    pub(crate) reply_to: Option<i64>,
    pub(crate) edits: usize,
    source: String,
}

/// How calls fail, in percent of those that do something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// The connection is cut before anything was done.
    pub(crate) cut_before: u64,
    /// The connection is cut after it was done, before a byte of the answer.
    pub(crate) cut_after: u64,
    /// The connection is cut in the middle of the answer.
    pub(crate) cut_within: u64,
    /// Too many calls: one second.
    pub(crate) flood: u64,
    /// Updates come again although they were acknowledged, and in another order.
    pub(crate) repeat: u64,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) calls: Vec<(String, Value)>,
    updates: BTreeMap<i64, Value>,
    confirmed: Vec<Value>,
    pub(crate) messages: BTreeMap<(i64, i64), Kept>,
    next: HashMap<i64, i64>,
    next_update: i64,
    pub(crate) files: HashMap<String, Vec<u8>>,
    pub(crate) faults: Faults,
    pub(crate) refuse_drafts: bool,
    pub(crate) refuse_html: bool,
    pub(crate) webhook: Option<Value>,
    random: u64,
}

/// The running double.
#[derive(Clone)]
pub(crate) struct Double {
    pub(crate) address: SocketAddr,
    shared: Arc<(Mutex<State>, Condvar)>,
}

/// What the double does with a call.
enum Reply {
    Json(u16, Value),
    Bytes(Vec<u8>),
}

impl Double {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = State {
            next_update: 1_000,
            random: 12_345,
            ..State::default()
        };
        let double = Self {
            address: listener.local_addr().unwrap(),
            shared: Arc::new((Mutex::new(state), Condvar::new())),
        };
        let serving = double.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let double = serving.clone();
                std::thread::spawn(move || double.serve(stream));
            }
        });
        double
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.shared.0.lock().unwrap()
    }

    /// A new message of a person, with these fields beside the usual ones; its number.
    pub(crate) fn say(&self, chat: Value, from: i64, fields: Value) -> i64 {
        let mut state = self.state();
        let message = state.message(&chat, from, fields);
        let id = message["message_id"].as_i64().unwrap();
        state.push(json!({ "message": message }));
        self.shared.1.notify_all();
        id
    }

    /// A text in the chat of a person with the bot.
    pub(crate) fn tell(&self, from: i64, text: &str) -> i64 {
        self.say(private(from), from, json!({ "text": text }))
    }

    /// An edit of a message.
    pub(crate) fn edit(&self, chat: Value, from: i64, id: i64, text: &str, revision: i64) {
        let mut state = self.state();
        let message = json!({
            "message_id": id, "from": user(from), "chat": chat, "date": unix(), "edit_date": revision, "text": text,
        });
        state.push(json!({ "edited_message": message }));
        self.shared.1.notify_all();
    }

    /// An update of any kind.
    pub(crate) fn push(&self, update: Value) {
        self.state().push(update);
        self.shared.1.notify_all();
    }

    /// Updates that nobody has fetched, for bringing them to a webhook.
    pub(crate) fn take_updates(&self) -> Vec<Value> {
        std::mem::take(&mut self.state().updates)
            .into_values()
            .collect()
    }

    pub(crate) fn unfetched(&self) -> usize {
        self.state().updates.len()
    }

    /// What the bot has said in a chat and not deleted.
    pub(crate) fn said(&self, chat: i64) -> Vec<Kept> {
        let state = self.state();
        let said = state
            .messages
            .values()
            .filter(|kept| kept.chat == chat && kept.from_bot);
        said.cloned().collect()
    }

    pub(crate) fn texts(&self, chat: i64) -> Vec<String> {
        self.said(chat).into_iter().map(|kept| kept.text).collect()
    }

    /// Calls of a method so far, with what they were given.
    pub(crate) fn calls(&self, method: &str) -> Vec<Value> {
        let state = self.state();
        let calls = state.calls.iter().filter(|(called, _)| called == method);
        calls.map(|(_, parameters)| parameters.clone()).collect()
    }

    /// Waits until something holds.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let until = Instant::now() + Duration::from_secs(30);
        while !holds(self) {
            if Instant::now() > until {
                let state = self.state();
                let said = state.messages.values().map(|kept| (kept.chat, &kept.text));
                panic!("no {what}; said: {:#?}", said.collect::<Vec<_>>());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the bot has said exactly this many things in a chat, and then a little for more.
    #[track_caller]
    pub(crate) fn wait_said(&self, chat: i64, count: usize) -> Vec<String> {
        self.wait("messages", |double| double.said(chat).len() >= count);
        std::thread::sleep(Duration::from_millis(100));
        let texts = self.texts(chat);
        assert_eq!(texts.len(), count, "{texts:#?}");
        texts
    }

    fn serve(&self, stream: TcpStream) {
        // Whoever is killed leaves half a request, which is none.
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        while let Some((path, kind, body)) = read_request(&mut reader) {
            let Some((status, bytes, keep)) = self.answer(&path, &kind, &body) else {
                return;
            };
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n",
                bytes.len()
            );
            let all = [head.as_bytes(), &bytes].concat();
            let sent = if keep { all.len() } else { all.len() / 2 };
            if writer.write_all(&all[..sent]).is_err() || !keep {
                return;
            }
        }
    }

    /// Status, body and whether the connection holds; `None` if it is cut.
    fn answer(&self, path: &str, kind: &str, body: &[u8]) -> Option<(u16, Vec<u8>, bool)> {
        let method = path.strip_prefix(&format!("/bot{TOKEN}/"));
        let parameters = parameters(kind, body);
        let acts = matches!(
            method,
            Some(
                "sendMessage"
                    | "sendDocument"
                    | "editMessageText"
                    | "deleteMessage"
                    | "editMessageCaption"
            )
        );
        let (before, after, within) = {
            let mut state = self.state();
            let faults = if acts {
                state.faults
            } else {
                Faults::default()
            };
            if state.chance(faults.flood) {
                let flood = json!({"ok": false, "error_code": 429, "description": "Too Many Requests: retry after 1",
                                   "parameters": {"retry_after": 1}});
                state.calls.push(("429".into(), Value::Null));
                return Some((429, flood.to_string().into_bytes(), true));
            }
            (
                state.chance(faults.cut_before),
                state.chance(faults.cut_after),
                state.chance(faults.cut_within),
            )
        };
        if before {
            return None;
        }
        let reply = match method {
            Some("getUpdates") => self.get_updates(&parameters),
            Some(method) => self.state().call(method, parameters),
            None => match path.strip_prefix(&format!("/file/bot{TOKEN}/")) {
                Some(file) => self
                    .state()
                    .files
                    .get(file)
                    .map_or(not_found(), |bytes| Reply::Bytes(bytes.clone())),
                None => Reply::Json(
                    401,
                    json!({"ok": false, "error_code": 401, "description": "Unauthorized"}),
                ),
            },
        };
        if after {
            return None;
        }
        Some(match reply {
            Reply::Json(status, value) => (status, value.to_string().into_bytes(), !within),
            Reply::Bytes(bytes) => (200, bytes, !within),
        })
    }

    fn get_updates(&self, parameters: &Value) -> Reply {
        let offset = parameters["offset"].as_i64().unwrap_or(0);
        let limit = parameters["limit"].as_u64().unwrap_or(100) as usize;
        let wait = Duration::from_secs(parameters["timeout"].as_u64().unwrap_or(0));
        let mut state = self.state();
        state.calls.push(("getUpdates".into(), parameters.clone()));
        let later = state.updates.split_off(&offset);
        let confirmed = std::mem::replace(&mut state.updates, later);
        state.confirmed.extend(confirmed.into_values());
        let (mut state, _) = self
            .shared
            .1
            .wait_timeout_while(state, wait, |state| state.updates.is_empty())
            .unwrap();
        let mut batch: Vec<Value> = state.updates.values().take(limit).cloned().collect();
        let repeat = state.faults.repeat;
        if state.chance(repeat) && batch.len() < limit {
            let some = state.random as usize % (state.confirmed.len() + 1);
            batch.extend(state.confirmed[some..].iter().take(3).cloned());
            batch.reverse();
        }
        ok(Value::Array(batch))
    }
}

impl State {
    /// Something that happens in so many of a hundred cases; the same ones every time.
    fn chance(&mut self, percent: u64) -> bool {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % 100 < percent
    }

    fn push(&mut self, mut update: Value) {
        self.next_update += 1;
        update["update_id"] = json!(self.next_update);
        self.updates.insert(self.next_update, update);
    }

    fn number(&mut self, chat: i64) -> i64 {
        let next = self.next.entry(series(chat)).or_insert(0);
        *next += 1;
        *next
    }

    fn message(&mut self, chat: &Value, from: i64, fields: Value) -> Value {
        let id = chat["id"].as_i64().unwrap();
        let number = self.number(id);
        let kept = Kept {
            chat: id,
            id: number,
            ..Kept::default()
        };
        self.messages.insert((series(id), number), kept);
        let mut message =
            json!({ "message_id": number, "from": user(from), "chat": chat, "date": unix() });
        for (key, value) in fields.as_object().unwrap() {
            message[key] = value.clone();
        }
        message
    }

    fn call(&mut self, method: &str, parameters: Value) -> Reply {
        self.calls.push((method.into(), parameters.clone()));
        let chat = parameters["chat_id"]
            .as_i64()
            .or_else(|| parameters["chat_id"].as_str()?.parse().ok());
        let chat = chat.unwrap_or(0);
        match method {
            "getMe" => {
                ok(json!({ "id": BOT, "is_bot": true, "first_name": "Duck", "username": NAME }))
            }
            "setMyCommands" | "deleteWebhook" | "sendChatAction" => ok(json!(true)),
            "setWebhook" => {
                self.webhook = Some(parameters);
                ok(json!(true))
            }
            "sendMessageDraft" if self.refuse_drafts || chat < 0 => {
                bad("Bad Request: drafts are not supported")
            }
            "sendMessageDraft" => match self.visible(&parameters) {
                Ok(_) => ok(json!(true)),
                Err(reply) => reply,
            },
            "sendMessage" => match self.visible(&parameters) {
                Ok(text) => self.add(
                    chat,
                    Kept {
                        text,
                        ..Kept::default()
                    },
                    &parameters,
                ),
                Err(reply) => reply,
            },
            "sendDocument" => {
                let name = parameters["filename"].as_str().unwrap().to_owned();
                let content = parameters["content"].as_str().unwrap().as_bytes().to_vec();
                let caption = parameters["caption"].as_str().map(str::to_owned);
                self.add(
                    chat,
                    Kept {
                        file: Some((name, content)),
                        caption,
                        ..Kept::default()
                    },
                    &parameters,
                )
            }
            "editMessageText" | "editMessageCaption" => self.edit(method, chat, &parameters),
            "deleteMessage" => {
                let id = parameters["message_id"].as_i64().unwrap();
                match self.messages.remove(&(series(chat), id)) {
                    Some(_) => ok(json!(true)),
                    None => bad("Bad Request: message to delete not found"),
                }
            }
            "getFile" => {
                let id = parameters["file_id"].as_str().unwrap();
                let size = self.files.get(id).map(Vec::len);
                ok(json!({ "file_id": id, "file_path": id, "file_size": size }))
            }
            _ => Reply::Json(
                404,
                json!({"ok": false, "error_code": 404, "description": "Not Found"}),
            ),
        }
    }

    fn add(&mut self, chat: i64, kept: Kept, parameters: &Value) -> Reply {
        let id = self.number(chat);
        let source = parameters["text"].as_str().unwrap_or_default().to_owned();
        let reply_to = parameters["reply_parameters"]["message_id"].as_i64();
        let kept = Kept {
            chat,
            id,
            from_bot: true,
            source,
            reply_to,
            ..kept
        };
        self.messages.insert((series(chat), id), kept);
        ok(json!({ "message_id": id, "chat": { "id": chat }, "date": unix() }))
    }

    fn edit(&mut self, method: &str, chat: i64, parameters: &Value) -> Reply {
        let id = parameters["message_id"].as_i64().unwrap();
        let text = match method {
            "editMessageText" => self.visible(parameters),
            _ => Ok(String::new()),
        };
        let text = match text {
            Ok(text) => text,
            Err(reply) => return reply,
        };
        let kept = self
            .messages
            .get_mut(&(series(chat), id))
            .filter(|kept| kept.chat == chat);
        let Some(kept) = kept else {
            return bad("Bad Request: message to edit not found");
        };
        if !kept.from_bot {
            return bad("Bad Request: message can't be edited");
        }
        if method == "editMessageCaption" {
            let caption = parameters["caption"].as_str().map(str::to_owned);
            if kept.file.is_none() {
                return bad("Bad Request: there is no caption in the message to edit");
            }
            if kept.caption == caption {
                return bad("Bad Request: message is not modified");
            }
            kept.caption = caption;
            return ok(json!({ "message_id": id }));
        }
        if kept.file.is_some() {
            return bad("Bad Request: there is no text in the message to edit");
        }
        if kept.text == text && kept.source == parameters["text"] {
            return bad("Bad Request: message is not modified");
        }
        kept.text = text;
        kept.source = parameters["text"].as_str().unwrap_or_default().to_owned();
        kept.edits += 1;
        ok(json!({ "message_id": id }))
    }

    /// What a reader sees of a text, or why it is refused.
    fn visible(&self, parameters: &Value) -> Result<String, Reply> {
        let text = parameters["text"].as_str().unwrap_or_default();
        let visible = match parameters["parse_mode"].as_str() {
            Some(_) if self.refuse_html => return Err(bad("Bad Request: can't parse entities: x")),
            Some(_) => {
                without_tags(text).ok_or_else(|| bad("Bad Request: can't parse entities: y"))?
            }
            None => text.to_owned(),
        };
        match visible.trim().encode_utf16().count() {
            0 => Err(bad("Bad Request: message text is empty")),
            1..=4096 => Ok(visible),
            _ => Err(bad("Bad Request: message is too long")),
        }
    }
}

/// A text without its tags, if they are nested.
fn without_tags(html: &str) -> Option<String> {
    let mut parts = html.split('<');
    let mut text = parts.next()?.to_owned();
    let mut open = Vec::new();
    for part in parts {
        let (tag, rest) = part.split_once('>')?;
        match tag.strip_prefix('/') {
            Some(closed) => (open.pop()? == closed).then_some(())?,
            None => open.push(tag.split(' ').next()?.to_owned()),
        }
        text.push_str(rest);
    }
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    let plain = entities
        .iter()
        .fold(text, |text, (entity, c)| text.replace(entity, c));
    open.is_empty().then_some(plain)
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<(String, String, Vec<u8>)> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut kind) = (0, String::new());
    loop {
        let mut header = String::new();
        reader
            .read_line(&mut header)
            .ok()
            .filter(|read| *read > 0)?;
        if header.trim().is_empty() {
            break;
        }
        let (name, value) = header.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "content-type" => kind = value.trim().to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, kind, body))
}

/// JSON, or the fields of a form with `filename` and `content` for its file.
fn parameters(kind: &str, body: &[u8]) -> Value {
    let Some((_, boundary)) = kind.split_once("boundary=") else {
        return serde_json::from_slice(body).unwrap_or_default();
    };
    let mut fields = json!({});
    let body = String::from_utf8_lossy(body);
    for part in body.split(&format!("--{boundary}")) {
        let Some((head, content)) = part.split_once("\r\n\r\n") else {
            continue;
        };
        let content = content.strip_suffix("\r\n").unwrap_or(content);
        let quoted = |key: &str| {
            let (_, rest) = head.split_once(&format!(" {key}=\""))?;
            Some(rest.split_once('"')?.0.to_owned())
        };
        match quoted("filename") {
            Some(name) => {
                fields["filename"] = json!(name);
                fields["content"] = json!(content);
            }
            None => fields[quoted("name").unwrap()] = json!(content),
        }
    }
    fields
}

pub(crate) fn private(account: i64) -> Value {
    json!({ "id": account, "type": "private" })
}

pub(crate) fn group(id: i64) -> Value {
    let kind = if id < -1_000_000_000_000 {
        "supergroup"
    } else {
        "group"
    };
    json!({ "id": id, "type": kind, "title": "Ducks" })
}

fn user(account: i64) -> Value {
    json!({ "id": account, "is_bot": false, "first_name": format!("P{account}"), "username": format!("p{account}") })
}

fn series(chat: i64) -> i64 {
    if chat < -1_000_000_000_000 { chat } else { 0 }
}

fn unix() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()
}

fn ok(result: Value) -> Reply {
    Reply::Json(200, json!({ "ok": true, "result": result }))
}

fn bad(description: &str) -> Reply {
    Reply::Json(
        400,
        json!({ "ok": false, "error_code": 400, "description": description }),
    )
}

fn not_found() -> Reply {
    Reply::Json(
        404,
        json!({ "ok": false, "error_code": 404, "description": "Not Found" }),
    )
}
