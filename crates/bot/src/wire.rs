//! What Telegram sends, as far as the bot reads it: unknown fields are passed over, absent ones have a default.
use serde::Deserialize;

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Update {
    pub(crate) update_id: i64,
    pub(crate) message: Option<Message>,
    pub(crate) edited_message: Option<Message>,
}

/// All that can be read of an update of a kind that is not known.
#[derive(Deserialize)]
pub(crate) struct UpdateId {
    pub(crate) update_id: i64,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Message {
    pub(crate) message_id: i64,
    #[serde(default)]
    pub(crate) message_thread_id: i64,
    #[serde(default)]
    pub(crate) is_topic_message: bool,
    pub(crate) from: Option<User>,
    #[serde(default)]
    pub(crate) date: i64,
    pub(crate) edit_date: Option<i64>,
    pub(crate) chat: Chat,
    pub(crate) media_group_id: Option<String>,
    pub(crate) reply_to_message: Option<Box<Replied>>,
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) caption: String,
    #[serde(default)]
    pub(crate) photo: Vec<File>,
    pub(crate) voice: Option<File>,
    pub(crate) audio: Option<File>,
    pub(crate) video: Option<File>,
    pub(crate) video_note: Option<File>,
    pub(crate) animation: Option<File>,
    pub(crate) document: Option<File>,
}

/// The message that another one replies to, of which only the author counts.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Replied {
    pub(crate) from: Option<User>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct User {
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) is_bot: bool,
    #[serde(default)]
    pub(crate) first_name: String,
    #[serde(default)]
    pub(crate) last_name: String,
    #[serde(default)]
    pub(crate) username: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Chat {
    pub(crate) id: i64,
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct File {
    pub(crate) file_id: String,
    pub(crate) file_size: Option<u64>,
    #[serde(default)]
    pub(crate) file_name: String,
    #[serde(default)]
    pub(crate) mime_type: String,
}

/// What `getFile` answers.
#[derive(Deserialize)]
pub(crate) struct FilePath {
    #[serde(default)]
    pub(crate) file_path: String,
    pub(crate) file_size: Option<u64>,
}

/// What sending a message answers.
#[derive(Deserialize)]
pub(crate) struct Sent {
    pub(crate) message_id: i64,
}
