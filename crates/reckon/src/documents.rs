//! Messages about attached documents: how each is answered, and what of an answer stands.
//!
//! A question is answered from the passages that are about it, or from the whole text where that is short, and held
//! against the pages afterwards: the answer ends with sentences cut out of them, or becomes "not found". A summary of
//! what is longer than the context is made part by part. Anything else is asked as it is, the text before it.
//!
//! A front end with a [`Chat`](crate::Chat) uses [`Chat::prepare`](crate::Chat::prepare) and
//! [`Chat::ask_prepared`](crate::Chat::ask_prepared); one that keeps its own conversations uses this directly.
mod answer;
mod summary;

use crate::{AttachedFile, Attachment, Error, Model, Result};
use reckon_engine::Media;
use reckon_recall::{Intent, Library, Shown, intent};
use summary::Parts;

/// Tokens of text that a question is shown: more takes long to read on a CPU, and small models lose themselves in it.
const SHOWN: usize = 2_000;
/// How much of a later question must be in the documents before it is answered from them.
const FOLLOW_UP: f64 = 0.5;
/// A token has about so many bytes, at least.
const BYTES: usize = 3;

/// Attached documents.
#[derive(Debug)]
pub struct Documents {
    text: String,
    library: Library,
    can_quote: bool,
}

/// Attached files as a model is given them.
#[derive(Debug)]
pub struct ReadFiles {
    /// Their text.
    pub documents: Documents,
    /// What the model sees and hears.
    pub media: Vec<Media>,
    /// What a person should know: pages that are scans, damaged parts.
    pub notes: Vec<String>,
}

/// What a prompt may take.
#[derive(Clone, Copy)]
pub struct Room<'a> {
    /// Tokens.
    pub tokens: usize,
    /// Counts the tokens of a prompt with this message at its end.
    pub count: &'a dyn Fn(&str) -> Result<usize>,
}

/// A message about documents, ready to be asked.
#[derive(Clone, Debug)]
pub struct Prepared {
    question: String,
    prompt: String,
    kept: String,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    /// As any other message.
    Direct,
    /// From these passages, with quotations.
    Quoted(Shown),
    /// No word of the question is in the documents.
    Absent,
    /// Part by part.
    Parts(Parts),
}

impl Prepared {
    /// What the person wrote.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// The message that the model is given.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// What a history keeps of it: the question with the names of the documents, where it was not asked with all of
    /// their text.
    pub fn kept(&self) -> &str {
        match self.way {
            Way::Direct => &self.prompt,
            _ => &self.kept,
        }
    }

    /// Whether it is asked as any other message: by [`Chat::ask`](crate::Chat::ask), with guards.
    pub fn is_direct(&self) -> bool {
        matches!(self.way, Way::Direct)
    }

    /// Whether the answer may be replaced after it was written.
    pub fn may_revise(&self) -> bool {
        matches!(self.way, Way::Quoted(_))
    }
}

impl Documents {
    /// What of these files this model is given.
    ///
    /// # Errors
    /// [`Error::Attachment`] says in one line what cannot be taken.
    pub fn read(files: &[AttachedFile], model: &Model) -> Result<ReadFiles> {
        let read = files.iter().map(|file| file.for_model(model));
        let read: Vec<Attachment> = read.collect::<Result<_>>()?;
        Self::of(files.iter().zip(&read))
    }

    /// The same of files that were made ready for a model before.
    ///
    /// # Errors
    /// [`Error::Attachment`] for more text than is searched.
    pub fn of<'a>(
        files: impl IntoIterator<Item = (&'a AttachedFile, &'a Attachment)>,
    ) -> Result<ReadFiles> {
        let (mut texts, mut media, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut documents, mut can_quote) = (Vec::new(), true);
        for (file, read) in files {
            texts.push(read.text.clone());
            media.extend(read.media.iter().cloned());
            notes.extend(read.notes.iter().cloned());
            if let Some((document, is_prose)) = file.pages() {
                can_quote &= is_prose;
                documents.push(document);
            }
        }
        texts.retain(|text| !text.trim().is_empty());
        let library =
            Library::new(documents).map_err(|error| Error::Attachment(error.to_string()))?;
        let documents = Self {
            text: texts.join("\n\n"),
            // What is seen or heard cannot be quoted, and an answer may rest on it.
            can_quote: can_quote && media.is_empty() && !library.is_empty(),
            library,
        };
        Ok(ReadFiles {
            documents,
            media,
            notes,
        })
    }

    /// Whether there is no text in them.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Bytes of their text, as it would stand before a message.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Their names.
    pub fn names(&self) -> String {
        self.library.names()
    }

    /// The message with the whole text before it.
    pub fn before(&self, message: &str) -> String {
        let parts = [self.text.as_str(), message];
        let parts: Vec<&str> = parts
            .into_iter()
            .filter(|part| !part.trim().is_empty())
            .collect();
        parts.join("\n\n")
    }

    /// How to answer the message that came with the documents.
    ///
    /// # Errors
    /// [`Error::Attachment`] for a summary of more parts than are made; the model's own.
    pub fn prepare(&self, question: &str, room: Room<'_>) -> Result<Prepared> {
        let way = match intent(question) {
            Intent::Question if self.can_quote => return self.quoted(question, room),
            Intent::Summary if !self.fits(question, room)? => Way::Parts(self.parts(room)?),
            _ => Way::Direct,
        };
        let prompt = match way {
            Way::Direct => self.before(question),
            _ => question.to_owned(),
        };
        Ok(self.prepared(question, prompt, way))
    }

    fn prepared(&self, question: &str, prompt: String, way: Way) -> Prepared {
        Prepared {
            question: question.to_owned(),
            prompt,
            kept: format!("{question}\n\n[{}]", self.library.names()),
            way,
        }
    }

    /// How to answer a later question of the same conversation, if it is about the documents. `said` is what was said
    /// so far: what stands there is not shown again.
    ///
    /// # Errors
    /// The model's own.
    pub fn prepare_later(
        &self,
        question: &str,
        said: &str,
        room: Room<'_>,
    ) -> Result<Option<Prepared>> {
        if !self.can_quote || intent(question) != Intent::Question {
            return Ok(None);
        }
        let shown = self.library.search(question).map_err(internal)?;
        let relevance = self.library.relevance(question, &shown).map_err(internal)?;
        if relevance < FOLLOW_UP {
            return Ok(None);
        }
        let mut missing = self.library.missing(&shown, said);
        let prompt = self.fitted(question, &mut missing, room)?;
        Ok(Some(self.prepared(question, prompt, Way::Quoted(shown))))
    }

    fn quoted(&self, question: &str, room: Room<'_>) -> Result<Prepared> {
        let prepared = |prompt, way| self.prepared(question, prompt, way);
        let whole = self.library.whole();
        // A long text is not even counted.
        if self.text.len() <= 2 * BYTES * SHOWN {
            let prompt = self.library.prompt(question, &whole);
            if (room.count)(&prompt)? <= room.tokens.min(SHOWN) {
                return Ok(prepared(prompt, Way::Quoted(whole)));
            }
        }
        let mut shown = self.library.search(question).map_err(internal)?;
        if shown.passages.is_empty() {
            return Ok(prepared(question.to_owned(), Way::Absent));
        }
        let prompt = self.fitted(question, &mut shown, room)?;
        Ok(prepared(prompt, Way::Quoted(shown)))
    }

    /// The prompt with as many of the passages as there is room for; the others are dropped, worst first.
    fn fitted(&self, question: &str, shown: &mut Shown, room: Room<'_>) -> Result<String> {
        loop {
            let prompt = self.library.prompt(question, shown);
            if shown.passages.len() < 2 || (room.count)(&prompt)? <= room.tokens.min(SHOWN) {
                return Ok(prompt);
            }
            shown.passages.pop();
        }
    }

    fn fits(&self, question: &str, room: Room<'_>) -> Result<bool> {
        // Nobody writes tokens of 32 bytes on average, and megabytes need not be counted.
        if self.text.len() > 32 * room.tokens {
            return Ok(false);
        }
        Ok((room.count)(&self.before(question))? <= room.tokens)
    }
}

fn internal(error: reckon_recall::Error) -> Error {
    Error::Internal(error.to_string())
}
