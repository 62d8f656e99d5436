//! Files that come with a message: from the base64 of a request to text and soft tokens for the model.
//!
//! A protocol's conversion makes a [`Turn`] of each message and its files, and only looks at the bytes to tell what they
//! are. They are parsed behind walls and encoded by [`read`], on the thread that asks the model, when its turn has come.
//! Files stand before the words of their message, as `reckon ask -f` puts them: the same question gets the same answer.
//!
//! A file that was uploaded before is named by its id; [`fetch`] brings its bytes, to its owner only, before the query waits.
//!
//! Left out on purpose: addresses. A server that fetches what a stranger names can be sent anywhere, so files come with
//! the request, or were uploaded before, or not at all.
use crate::{
    error::Problem,
    files::FileStore,
    page::off,
    pool::Held,
    query::{Prompt, Query},
    state::App,
};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use reckon::{
    AttachedFile, Attachment, Message, Model, Recent, engine,
    media::{Family, Kind},
};
use reckon_store::Owner;
use std::sync::Arc;

/// Most files of one request.
const MOST_FILES: usize = 16;
/// Most bytes of files that a request names by their ids.
const MOST_FETCHED: u64 = 64 << 20;
/// Most characters of a file's name that a model is shown.
const MOST_NAME: usize = 120;
/// Bytes of text and soft tokens that are kept for the next question about the same files.
const MOST_KEPT: usize = 64 << 20;

/// Some clients leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A message with its files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    pub(crate) message: Message,
    pub(crate) files: Vec<SentFile>,
}

impl From<Message> for Turn {
    fn from(message: Message) -> Self {
        Self {
            message,
            files: Vec::new(),
        }
    }
}

/// A file as it came.
#[derive(Clone, Debug)]
pub(crate) struct SentFile {
    name: String,
    bytes: Arc<[u8]>,
    family: Family,
    /// The id of one that was uploaded before and is still to be fetched.
    id: Option<String>,
}

impl SentFile {
    /// A file that was uploaded before. Without a name it has the one that it was uploaded under.
    pub(crate) fn uploaded(name: Option<String>, id: String) -> Self {
        Self {
            name: name.unwrap_or_default(),
            bytes: Arc::default(),
            family: Family::Document,
            id: Some(id),
        }
    }

    /// A file of a kind that is read; `name` is what a model and a person are shown.
    pub(crate) fn new(name: &str, bytes: Vec<u8>) -> Result<Self, Problem> {
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        let name: String = name.trim().chars().take(MOST_NAME).collect();
        let Some(kind) = Kind::of(&bytes, &name).filter(|_| !bytes.is_empty()) else {
            return Err(Problem::invalid(format!(
                "{name} is not a kind of file that is read"
            )));
        };
        Ok(Self {
            name,
            bytes: bytes.into(),
            family: kind.family(),
            id: None,
        })
    }

    /// A file in base64, alone or in a `data:` URI.
    pub(crate) fn encoded(name: &str, text: &str) -> Result<Self, Problem> {
        let is_address = |start: &str| {
            let head = text.get(..start.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(start))
        };
        if ["http:", "https:", "file:", "ftp:"]
            .into_iter()
            .any(is_address)
        {
            return Err(Problem::invalid(format!(
                "{name} is an address, and this server opens no connections: send the file itself, in base64"
            )));
        }
        let data = match is_address("data:") {
            true => text.split_once(";base64,").map(|(_, data)| data),
            false => Some(text),
        };
        let bytes = data.and_then(|data| BASE64.decode(data.trim_ascii()).ok());
        let bytes = bytes.ok_or_else(|| Problem::invalid(format!("{name} is not base64")))?;
        Self::new(name, bytes)
    }

    /// What it becomes.
    pub(crate) fn family(&self) -> Family {
        self.family
    }

    /// Refuses what this model cannot take, before anything is read.
    pub(crate) fn check(&self, model: &Model) -> Result<(), Problem> {
        if self.id.is_some() {
            return Err(Problem::invalid("this call takes no ids of files"));
        }
        match Attachment::refusal(model, &self.name, self.family) {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Reads it, behind walls.
    pub(crate) fn open(&self) -> Result<AttachedFile, Problem> {
        Ok(AttachedFile::read(&self.name, self.bytes.to_vec(), None)?)
    }
}

/// As [`fetch`], off the async threads.
pub(crate) async fn fetched(app: &App, owner: &Owner, mut query: Query) -> Result<Query, Problem> {
    if uploaded(&mut query).next().is_none() {
        return Ok(query);
    }
    let owner = owner.clone();
    off(app, move |app| {
        fetch(&app.files, &owner, &mut query)?;
        Ok(query)
    })
    .await
}

/// Brings the bytes of the files that a query names by their ids. Another owner's file is none.
pub(crate) fn fetch(files: &FileStore, owner: &Owner, query: &mut Query) -> Result<(), Problem> {
    let mut bytes = 0;
    for (number, file) in uploaded(query).enumerate() {
        let Some(id) = file.id.take() else { continue };
        let known = files
            .get(owner, &id)
            .map_err(|problem| problem.at("file_id"))?;
        bytes += known.bytes;
        if number >= MOST_FILES || bytes > MOST_FETCHED {
            let most = MOST_FETCHED >> 20;
            let what = format!("at most {MOST_FILES} files of {most} MiB together");
            return Err(Problem::invalid(what).at("file_id"));
        }
        let name = match file.name.is_empty() {
            true => known.filename,
            false => std::mem::take(&mut file.name),
        };
        *file = SentFile::new(&name, files.bytes(owner, &id)?)?;
    }
    Ok(())
}

fn uploaded(query: &mut Query) -> impl Iterator<Item = &mut SentFile> {
    let turns = match &mut query.prompt {
        Prompt::Chat(turns) => turns.as_mut_slice(),
        _ => &mut [],
    };
    let files = turns.iter_mut().flat_map(|turn| &mut turn.files);
    files.filter(|file| file.id.is_some())
}

/// A conversation that a model can be given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Message>,
    /// What a person should know: pages that are scans, damaged parts.
    pub(crate) notes: Vec<String>,
}

/// Refuses what this model cannot take, before anything is read.
pub(crate) fn check(model: &Model, turns: &[Turn]) -> Result<(), Problem> {
    let files: Vec<&SentFile> = turns.iter().flat_map(|turn| &turn.files).collect();
    if files.len() > MOST_FILES {
        let what = format!("{} files; the most is {MOST_FILES}", files.len());
        return Err(Problem::invalid(what).at("messages"));
    }
    files.into_iter().try_for_each(|file| file.check(model))
}

/// Reads all files and puts them before the words of their messages; `go_on` is asked between them.
pub(crate) fn read(
    held: &Held,
    turns: &[Turn],
    go_on: impl Fn() -> bool,
) -> Result<Conversation, Problem> {
    check(&held.model, turns)?;
    let mut all = Conversation::default();
    let mut room = held.model.info().n_ctx.unwrap_or(usize::MAX);
    for Turn { message, files } in turns {
        let (mut message, mut texts) = (message.clone(), Vec::new());
        for file in files {
            if !go_on() {
                return Err(Problem::invalid("stopped while its files were read"));
            }
            let read = encode(held, file, room, &go_on)?;
            room = room.saturating_sub(soft_tokens(&read));
            texts.push(read.text.clone());
            message.media.extend(read.media.iter().cloned());
            all.notes.extend(read.notes.iter().cloned());
        }
        texts.push(std::mem::take(&mut message.content));
        texts.retain(|text| !text.trim().is_empty());
        message.content = texts.join("\n\n");
        all.messages.push(message);
    }
    Ok(all)
}

fn soft_tokens(read: &Attachment) -> usize {
    read.media.iter().map(|media| media.soft.tokens()).sum()
}

/// What files came to for one model.
pub(crate) type Encoded = Recent<Attachment>;

/// Room for what files came to.
pub(crate) fn encoded() -> Encoded {
    Recent::new(MOST_KEPT)
}

/// What a file comes to; `room` is how many soft tokens the context can hold.
fn encode(
    held: &Held,
    file: &SentFile,
    room: usize,
    go_on: impl Fn() -> bool,
) -> Result<Arc<Attachment>, Problem> {
    let model = &held.model;
    let digest = AttachedFile::digest(&file.name, &file.bytes);
    held.encoded.get(digest, Attachment::bytes, || {
        let opened = file.open()?;
        match file.family {
            Family::Sound => hear(model, &opened, room, go_on),
            _ => Ok(opened.for_model(model)?),
        }
    })
}

/// Windows of sound until the context is full: hours of it are refused after minutes of work, not after hours.
fn hear(
    model: &Model,
    file: &AttachedFile,
    room: usize,
    go_on: impl Fn() -> bool,
) -> Result<Attachment, Problem> {
    let mut heard = Attachment {
        notes: file.sound_notes(),
        ..Attachment::default()
    };
    for window in file.windows(model)? {
        heard.media.push(window?.media);
        let asked = soft_tokens(&heard);
        if asked > room {
            let allowed = room;
            return Err(engine::Error::ContextFull { asked, allowed }.into());
        }
        if !go_on() {
            return Err(Problem::invalid("stopped while its sound was read"));
        }
    }
    Ok(heard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_base64_with_or_without_a_head_and_padding() {
        for text in [
            "aGVsbG8=",
            "aGVsbG8",
            " aGVsbG8=\n",
            "data:text/plain;base64,aGVsbG8=",
            "DATA:text/plain;charset=utf-8;base64,aGVsbG8",
        ] {
            let file = SentFile::encoded("note", text).expect(text);
            assert_eq!(&*file.bytes, b"hello", "{text}");
            assert_eq!(file.family, Family::Document);
        }
    }

    #[test]
    fn addresses_and_nonsense_are_refused_in_words() {
        for (text, word) in [
            ("http://example.com/a.png", "opens no connections"),
            ("HTTPS://example.com/a.png", "opens no connections"),
            ("file:///etc/passwd", "opens no connections"),
            ("data:text/plain,hello", "not base64"),
            ("!!!", "not base64"),
            ("", "not a kind"),
            ("AAECAwQFBgc=", "not a kind"),
        ] {
            let problem = SentFile::encoded("attachment 1", text).unwrap_err();
            assert!(
                problem.message.contains(word),
                "{text}: {}",
                problem.message
            );
        }
    }

    #[test]
    fn a_name_is_one_line_of_bounded_length() {
        let long = format!("a\n\u{1b}[31m{}", "x".repeat(999));
        let file = SentFile::new(&long, b"text".to_vec()).unwrap();
        assert_eq!(file.name.chars().count(), MOST_NAME);
        assert!(!file.name.contains(char::is_control));
    }
}
