//! A file that comes with a question in, text and soft tokens for a model out.
//!
//! What the file is, and what is in it, is found out by `reckon-media` in a locked child. Text is put between fences under
//! the file's name, page by page; pictures and sound are encoded for the model, if it has eyes and ears. Nothing is left out
//! without a word: scans that a model cannot see, pages that could not be read and packets that were lost are notes.
use crate::{Error, Model, Result};
use reckon_engine::{IMAGE_BUDGET, Media, Pixels};
use reckon_media::{Content, Document, Family, Image, Kind, Options, Page, RATE, Sound};
use reckon_walls::Start;
use sha2::{Digest, Sha256};
use std::time::Duration;

/// Scanned pages that are shown to a model; each is some 260 tokens.
const MOST_SCANS: usize = 8;
/// Endings of text files that people write for people.
const PROSE: [&str; 8] = ["txt", "text", "md", "rst", "adoc", "org", "tex", "srt"];

/// What a file comes to.
#[derive(Clone, Debug, Default)]
pub struct Attachment {
    /// What stands before the question; empty for pictures and sound.
    pub text: String,
    /// What the model sees and hears.
    pub media: Vec<Media>,
    /// What a person should know: pages that are scans, damaged parts.
    pub notes: Vec<String>,
}

/// A piece of sound between two pauses, as a model hears it.
#[derive(Clone, Debug)]
pub struct SoundWindow {
    /// Where it begins.
    pub begin: Duration,
    /// Where the next one begins.
    pub end: Duration,
    /// What the model is given.
    pub media: Media,
}

/// A file that was read, before a model is at hand: what is wrong with it is known without one.
#[derive(Debug)]
pub struct AttachedFile {
    name: String,
    bytes: Vec<u8>,
    options: Options,
    content: Content,
}

impl AttachedFile {
    /// Reads a file, in a locked child. `name` is what the model will be shown; `password` opens an encrypted PDF.
    ///
    /// # Errors
    /// [`Error::Attachment`] says in one line what is wrong with the file; [`Error::Password`] asks for one.
    pub fn read(name: &str, bytes: Vec<u8>, password: Option<&str>) -> Result<Self> {
        let options = Options {
            password: password.map(str::to_owned),
        };
        let content = reckon_media::read(&start()?, &bytes, name, &options).map_err(|error| {
            let file = name.to_owned();
            match error {
                reckon_media::Error::Password { wrong } => Error::Password { name: file, wrong },
                error => Error::Attachment(format!("cannot read {name}: {error}")),
            }
        })?;
        Ok(Self {
            name: name.to_owned(),
            bytes,
            options,
            content,
        })
    }

    /// By which a file is known again; another name is another file to a model.
    pub fn digest(name: &str, bytes: &[u8]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name);
        hasher.update(bytes);
        hasher.finalize().into()
    }

    /// What the model will be shown as its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was read of it.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// What is in it, in a few words for a person.
    pub fn summary(&self) -> String {
        match &self.content {
            Content::Document(document) => {
                let characters = document.pages.iter().map(|page| page.text.chars().count());
                format!("{} characters", characters.sum::<usize>())
            }
            Content::Image(image) => format!("a picture, {} × {}", image.width, image.height),
            Content::Sound(sound) => format!("{} s of sound", sound.samples.len() / RATE as usize),
            _ => String::new(),
        }
    }

    /// Refuses what this model cannot take, before anything is encoded for it.
    ///
    /// # Errors
    /// [`Error::Attachment`] says in one line what the model lacks for it.
    pub fn check(&self, model: &Model) -> Result<()> {
        let family = match &self.content {
            Content::Image(_) => Family::Image,
            Content::Sound(_) => Family::Sound,
            _ => Family::Document,
        };
        match Attachment::refusal(model, &self.name, family) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Its pages, and whether questions about them are answered with quotations: prose is quoted, while of source code
    /// and tables of numbers people want something done. `None` for pictures and sound.
    pub(crate) fn pages(&self) -> Option<(reckon_recall::Document, bool)> {
        let Content::Document(document) = &self.content else {
            return None;
        };
        let kind = Kind::of(&self.bytes, &self.name);
        let extension = self
            .name
            .rsplit_once('.')
            .map(|(_, end)| end.to_lowercase());
        let is_prose = match kind {
            Some(Kind::Csv) => false,
            Some(Kind::Text) => extension.is_none_or(|end| PROSE.contains(&end.as_str())),
            _ => true,
        };
        let page = |page: &Page| reckon_recall::Page {
            number: page.number,
            text: page.text.trim_start_matches('\u{feff}').to_owned(),
        };
        let pages = reckon_recall::Document {
            name: self.name.clone(),
            pages: document.pages.iter().map(page).collect(),
            is_paged: kind == Some(Kind::Pdf) || document.pages.len() > 1,
        };
        Some((pages, is_prose))
    }

    /// What this model is given of it.
    ///
    /// # Errors
    /// [`Error::Attachment`] says in one line what the model lacks for it.
    pub fn for_model(&self, model: &Model) -> Result<Attachment> {
        let name = &self.name;
        match &self.content {
            Content::Document(document) => {
                let start = start()?;
                Ok(read_document(model, name, document, |page| {
                    reckon_media::render(&start, &self.bytes, page, &self.options)
                }))
            }
            Content::Image(image) => Ok(Attachment {
                media: vec![see(model, name, image)?],
                ..Attachment::default()
            }),
            Content::Sound(sound) => hear(model, name, sound),
            _ => Err(Error::Attachment(format!(
                "{name}: not a kind of file that is read"
            ))),
        }
    }

    /// The windows of sound, in order, of at most 30 seconds each. Encoding one takes a second or so, so each is encoded
    /// when it is asked for.
    ///
    /// # Errors
    /// [`Error::Attachment`] if the file is no sound, or the model has no ears.
    pub fn windows<'a>(
        &'a self,
        model: &'a Model,
    ) -> Result<impl Iterator<Item = Result<SoundWindow>> + 'a> {
        match &self.content {
            Content::Sound(sound) => windows(model, &self.name, sound),
            _ => Err(Error::Attachment(format!("{} is no sound", self.name))),
        }
    }

    /// What a person should know about sound: packets that were lost, an end that was left out.
    pub fn sound_notes(&self) -> Vec<String> {
        match &self.content {
            Content::Sound(sound) => named(&self.name, &sound.warnings),
            _ => Vec::new(),
        }
    }
}

impl Attachment {
    /// Bytes that it takes: text and soft tokens.
    pub fn bytes(&self) -> usize {
        let soft = self.media.iter().map(|media| media.soft.rows().len() * 4);
        self.text.len() + soft.sum::<usize>()
    }

    /// Why a model cannot take a file of this family, if it cannot: known before the file is read.
    pub fn refusal(model: &Model, name: &str, family: Family) -> Option<Error> {
        let engine = model.engine();
        let (can, what, sense) = match family {
            Family::Document => return None,
            Family::Image => (engine.map(|one| one.can_see()), "a picture", "see"),
            Family::Sound => (engine.map(|one| one.can_hear()), "sound", "hear"),
        };
        let model = &model.info().name;
        (can != Some(true)).then(|| {
            Error::Attachment(format!(
                "{name} is {what}, and {model} cannot {sense}; it reads text and documents"
            ))
        })
    }
}

fn start() -> Result<Start> {
    Start::itself().map_err(|error| Error::Attachment(error.to_string()))
}

fn read_document(
    model: &Model,
    name: &str,
    document: &Document,
    render: impl Fn(u32) -> std::result::Result<Image, reckon_media::Error>,
) -> Attachment {
    let mut attachment = Attachment {
        notes: named(name, &document.warnings),
        ..Attachment::default()
    };
    let mut unseen = Vec::new();
    for &page in &document.scans {
        let shown = (attachment.media.len() < MOST_SCANS)
            .then(|| see(model, name, &render(page).ok()?).ok())
            .flatten();
        match shown {
            Some(media) => attachment.media.push(media),
            None => unseen.push(page.to_string()),
        }
    }
    if !unseen.is_empty() {
        attachment.notes.push(format!(
            "{name}: scans, which were not read: page {}",
            unseen.join(", ")
        ));
    }
    attachment.text = fenced(name, document);
    attachment
}

/// The pages between fences longer than any inside.
fn fenced(name: &str, document: &Document) -> String {
    let pages = document.pages.iter();
    let pages: Vec<&Page> = pages.filter(|page| !page.text.trim().is_empty()).collect();
    let fence = reckon_recall::fence(pages.iter().map(|page| page.text.as_str()));
    let is_paged = document.pages.len() > 1;
    let parts = pages.iter().map(|page| {
        let text = page.text.strip_prefix('\u{feff}').unwrap_or(&page.text);
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let head = match is_paged {
            true => format!("{name}, page {}:", page.number),
            false => format!("{name}:"),
        };
        format!("{head}\n{fence}\n{text}{end}{fence}")
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

fn see(model: &Model, name: &str, image: &Image) -> Result<Media> {
    let engine = engine(model, name, Family::Image)?;
    let (height, width) = (image.height as usize, image.width as usize);
    let pixels = Pixels::from_rgb(&image.rgb8, height, width, IMAGE_BUDGET)?;
    Ok(engine.encode_image(&pixels)?)
}

fn hear(model: &Model, name: &str, sound: &Sound) -> Result<Attachment> {
    let media = windows(model, name, sound)?.map(|window| Ok(window?.media));
    Ok(Attachment {
        media: media.collect::<Result<_>>()?,
        notes: named(name, &sound.warnings),
        ..Attachment::default()
    })
}

fn windows<'a>(
    model: &'a Model,
    name: &str,
    sound: &'a Sound,
) -> Result<impl Iterator<Item = Result<SoundWindow>> + 'a> {
    let engine = engine(model, name, Family::Sound)?;
    let time = |samples: usize| Duration::from_secs_f64(samples as f64 / f64::from(RATE));
    let windows = reckon_media::windows(&sound.samples).into_iter();
    Ok(windows.map(move |window| {
        Ok(SoundWindow {
            begin: time(window.start),
            end: time(window.end),
            media: engine.encode_audio(&sound.samples[window])?,
        })
    }))
}

/// The engine's model, if it can take a file of this family.
fn engine<'a>(model: &'a Model, name: &str, family: Family) -> Result<&'a reckon_engine::Model> {
    match (Attachment::refusal(model, name, family), model.engine()) {
        (None, Some(engine)) => Ok(engine),
        (Some(error), _) => Err(error),
        (None, None) => Err(Error::Unsupported("take a file")),
    }
}

/// Warnings with the name of their file.
fn named(name: &str, warnings: &[String]) -> Vec<String> {
    let lines = warnings.iter().map(|line| format!("{name}: {line}"));
    lines.collect()
}
