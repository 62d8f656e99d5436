//! An update of Telegram to what the bot keeps of it, decided before anything is stored.
//!
//! Of a stranger nothing is kept but a request to be connected. In groups only what is meant for the bot counts: a
//! mention, a command with its name, a reply to what it said. Words of others, such as the message that is replied to,
//! are not looked at: their authors have not asked for anything.
use crate::answerer::AttachmentKind;
use crate::desk::{Desk, series};
use crate::wire::{File, Message, Update, UpdateId, User};
use reckon_store::Result;
use reckon_store::bot::Received;
use serde::{Deserialize, Serialize};

/// Characters of a message that are read; Telegram sends 4096 at most.
const LONGEST: usize = 20_000;
/// Characters of a file's name that are kept.
const LONGEST_NAME: usize = 100;

/// A message for the bot, as it lies in the store until it is handled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Incoming {
    pub(crate) account: i64,
    pub(crate) name: String,
    pub(crate) chat: i64,
    pub(crate) thread: i64,
    pub(crate) message: i64,
    /// When it was written, in Unix seconds.
    pub(crate) date: i64,
    /// When it was edited, in Unix seconds; 0 if it was not.
    pub(crate) edited: i64,
    pub(crate) private: bool,
    pub(crate) album: Option<String>,
    pub(crate) text: String,
    pub(crate) files: Vec<FileRef>,
}

/// A file that Telegram has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileRef {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) kind: AttachmentKind,
    pub(crate) size: Option<u64>,
}

/// What to store of an update; `None` if it has not even a number.
pub(crate) fn received(desk: &Desk, raw: &str) -> Result<Option<Received>> {
    let Ok(update) = serde_json::from_str::<Update>(raw) else {
        let id = serde_json::from_str::<UpdateId>(raw).ok();
        return Ok(id.map(|found| Received {
            id: found.update_id,
            ..Received::default()
        }));
    };
    let mut received = Received {
        id: update.update_id,
        ..Received::default()
    };
    let Some(message) = update.message.or(update.edited_message) else {
        return Ok(Some(received));
    };
    received.message = Some((series(message.chat.id), message.message_id));
    let incoming = match incoming(&desk.me, message) {
        Some(incoming) => permitted(desk, incoming)?,
        None => None,
    };
    // Strings and numbers are always JSON.
    received.body = incoming.and_then(|incoming| serde_json::to_string(&incoming).ok());
    Ok(Some(received))
}

/// The message if its author may be heard; of a stranger no more than the wish to be connected.
fn permitted(desk: &Desk, incoming: Incoming) -> Result<Option<Incoming>> {
    if desk.config.allow.contains(&incoming.account) {
        desk.store.admit(incoming.account, &incoming.name)?;
        return Ok(Some(incoming));
    }
    if desk.store.person(incoming.account)?.is_some() {
        return Ok(Some(incoming));
    }
    let wish = matches!(command(&incoming.text), Some(("start" | "connect", _)));
    Ok(
        (wish && incoming.private && incoming.edited == 0).then(|| Incoming {
            text: "/connect".into(),
            files: Vec::new(),
            album: None,
            ..incoming
        }),
    )
}

/// A message that is meant for the bot.
fn incoming(me: &User, message: Message) -> Option<Incoming> {
    let from = message.from.as_ref().filter(|from| !from.is_bot)?;
    let private = message.chat.kind == "private";
    if !private && !matches!(message.chat.kind.as_str(), "group" | "supergroup") {
        return None;
    }
    let written = match message.text.is_empty() {
        true => &message.caption,
        false => &message.text,
    };
    let written = written.chars().take(LONGEST).collect::<String>();
    let (text, mentioned) = without_mention(&written, &me.username);
    let replied = message
        .reply_to_message
        .as_ref()
        .and_then(|replied| replied.from.as_ref());
    let to_me = replied.is_some_and(|from| from.id == me.id);
    if !private && !mentioned && !to_me {
        return None;
    }
    let name = format!("{} {}", from.first_name, from.last_name);
    let handle = match from.username.is_empty() {
        true => String::new(),
        false => format!(" (@{})", from.username),
    };
    Some(Incoming {
        account: from.id,
        name: format!("{}{handle}", name.trim()),
        chat: message.chat.id,
        // In a chat without topics a thread is only a chain of replies.
        thread: if message.is_topic_message {
            message.message_thread_id
        } else {
            0
        },
        message: message.message_id,
        date: message.date,
        edited: message.edit_date.unwrap_or_default(),
        private,
        album: message.media_group_id.clone(),
        text,
        files: files(&message),
    })
}

/// The text without the bot's own name, and whether that was in it.
fn without_mention(text: &str, username: &str) -> (String, bool) {
    if username.is_empty() {
        return (text.trim().into(), false);
    }
    let name = format!("@{}", username.to_ascii_lowercase());
    // Names are ASCII, so that both texts have the same bytes at the same places.
    let lower = text.to_ascii_lowercase();
    let mut out = String::new();
    let (mut from, mut mentioned) = (0, false);
    while let Some(found) = lower[from..].find(&name) {
        let (at, end) = (from + found, from + found + name.len());
        let longer = lower[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let inside =
            lower[..at].ends_with(|c: char| c.is_alphanumeric()) && !is_command(&lower[..at]);
        let mine = !longer && !inside;
        mentioned |= mine;
        out.push_str(&text[from..if mine { at } else { end }]);
        from = end;
    }
    out.push_str(&text[from..]);
    (out.trim().into(), mentioned)
}

fn is_command(text: &str) -> bool {
    text.starts_with('/') && !text.contains(char::is_whitespace)
}

/// The command of a text and what follows it.
pub(crate) fn command(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('/')?;
    let len = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let (name, arguments) = rest.split_at(len);
    // `/etc/passwd` and `/start@otherbot` are no commands of ours.
    let ends = arguments.is_empty() || arguments.starts_with(char::is_whitespace);
    (ends && !name.is_empty()).then(|| (name, arguments.trim()))
}

fn files(message: &Message) -> Vec<FileRef> {
    use AttachmentKind::{Audio, Document, Photo, Video};
    // A photo comes in several sizes, and an animation also as a document.
    let photo = message
        .photo
        .iter()
        .max_by_key(|size| size.file_size.unwrap_or_default());
    let animation = message.animation.as_ref();
    let document = message.document.as_ref().filter(|_| animation.is_none());
    [
        (photo, Photo, "photo.jpg"),
        (message.voice.as_ref(), Audio, "voice.ogg"),
        (message.audio.as_ref(), Audio, "audio"),
        (message.video.as_ref(), Video, "video.mp4"),
        (message.video_note.as_ref(), Video, "video.mp4"),
        (animation, Video, "animation.mp4"),
        (document, Document, "document"),
    ]
    .into_iter()
    .filter_map(|(file, kind, name)| Some(file_ref(file?, kind, name)))
    .collect()
}

fn file_ref(file: &File, kind: AttachmentKind, name: &str) -> FileRef {
    let kind = match (kind, file.mime_type.split('/').next()) {
        (AttachmentKind::Document, Some("image")) => AttachmentKind::Photo,
        (AttachmentKind::Document, Some("audio")) => AttachmentKind::Audio,
        (kind, _) => kind,
    };
    let own = file
        .file_name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default();
    let own = own
        .chars()
        .filter(|c| !c.is_control())
        .take(LONGEST_NAME)
        .collect::<String>();
    FileRef {
        id: file.file_id.clone(),
        name: if own.is_empty() { name.into() } else { own },
        kind,
        size: file.file_size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_are_whole_names() {
        let check = |text: &str| without_mention(text, "DuckBot");
        assert_eq!(check("@duckbot hello"), ("hello".into(), true));
        assert_eq!(check("hello @DuckBot!"), ("hello !".into(), true));
        assert_eq!(check("/why@DuckBot"), ("/why".into(), true));
        assert_eq!(check("@duckbot2 hello"), ("@duckbot2 hello".into(), false));
        assert_eq!(
            check("me@duckbot.org é"),
            ("me@duckbot.org é".into(), false)
        );
    }

    #[test]
    fn commands_are_words_with_a_slash() {
        assert_eq!(command("/system be brief"), Some(("system", "be brief")));
        assert_eq!(command("/why"), Some(("why", "")));
        assert_eq!(command("/etc/passwd"), None);
        assert_eq!(command("/start@other"), None);
        assert_eq!(command("/ 2"), None);
        assert_eq!(command("why"), None);
    }

    #[test]
    fn the_largest_photo_and_a_clean_name_are_taken() {
        let text = r#"{"message_id":1,"chat":{"id":1,"type":"private"},"from":{"id":1},
            "photo":[{"file_id":"small","file_size":10},{"file_id":"large","file_size":99}],
            "document":{"file_id":"d","file_name":"../../etc/pa\u0007ss.pdf"}}"#;
        let message: Message = serde_json::from_str(text).unwrap();
        let files = files(&message);
        let found = files
            .iter()
            .map(|file| (file.id.as_str(), file.name.as_str()));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [("large", "photo.jpg"), ("d", "pass.pdf")]
        );
    }
}
