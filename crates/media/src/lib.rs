//! Turns files of strangers into what a model can take: text with page numbers, pixels, samples.
//!
//! Every parser runs in a locked child process ([`reckon_walls`]): a file that breaks one costs an [`Error`] of one line,
//! and never the caller. What comes back is checked again before it is believed.
//!
//! The binary that reads files registers [`JOBS`] with `reckon_walls::child`; then
//! ```no_run
//! use reckon_media::{Content, Options};
//!
//! let start = reckon_walls::Start::itself()?;
//! let bytes = std::fs::read("report.pdf")?;
//! match reckon_media::read(&start, &bytes, "report.pdf", &Options::default())? {
//!     Content::Document(document) => println!("{}", document.pages[0].text),
//!     Content::Image(image) => println!("{} × {}", image.width, image.height),
//!     Content::Sound(sound) => println!("{} s", sound.seconds),
//!     _ => {}
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Left out on purpose: writing any of these formats, video, recognition of letters in scans (a model with eyes does that,
//! on what [`render`] gives).
mod content;
mod document;
mod error;
mod image;
mod job;
mod kind;
mod limits;
mod sound;
mod wire;

pub use content::{Content, Document, Image, Page, Sound};
pub use error::Error;
pub use job::JOBS;
pub use kind::{Family, Kind};
pub use limits::{MOST_BYTES, MOST_SECONDS, MOST_SIDE, RATE};
pub use sound::windows;

#[doc(hidden)]
pub use job::{parse_for_tests, replay};
#[doc(hidden)]
pub use sound::decode_opus_for_tests;

use reckon_walls::Start;
use wire::{Reply, Request, Task};

/// How a file is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Opens an encrypted PDF.
    pub password: Option<String>,
}

/// Reads a file. `name` helps where the bytes do not say what they are, and may be empty.
///
/// # Errors
/// Why there is no content: see [`Error`].
pub fn read(start: &Start, bytes: &[u8], name: &str, options: &Options) -> Result<Content, Error> {
    let kind = accept(bytes, name)?;
    let ask = |piece| ask(start, kind, Task::Read(piece), bytes, options);
    let (first, more) = ask(0)?;
    match first {
        Content::Sound(sound) => sound::join(sound, more, ask).map(Content::Sound),
        other => Ok(other),
    }
}

/// One page of a PDF as a picture, at most 2048 pixels high or wide: for pages that [`Document::scans`] names. Only
/// what images show is there; letters and lines are not drawn.
///
/// # Errors
/// As [`read`]; and [`Error::Unreadable`] for a page that does not exist.
pub fn render(start: &Start, bytes: &[u8], page: u32, options: &Options) -> Result<Image, Error> {
    if accept(bytes, "")? != Kind::Pdf {
        return Err(Error::Refused("only pages of a PDF can be rendered".into()));
    }
    match ask(start, Kind::Pdf, Task::Render(page), bytes, options)? {
        (Content::Image(image), _) => Ok(image),
        _ => Err(nonsense()),
    }
}

fn accept(bytes: &[u8], name: &str) -> Result<Kind, Error> {
    let refuse = |why: String| Err(Error::Refused(why));
    if bytes.is_empty() {
        return refuse("an empty file".into());
    }
    if bytes.len() > MOST_BYTES {
        let (mib, most) = (bytes.len() >> 20, MOST_BYTES >> 20);
        return refuse(format!("a file of {mib} MiB; the limit is {most} MiB"));
    }
    match (Kind::of(bytes, name), kind::foreign(bytes)) {
        (Some(kind), _) => Ok(kind),
        (None, Some(what)) => refuse(format!("{what}: not a kind of file that is read")),
        (None, None) => refuse("not a kind of file that is read".into()),
    }
}

fn ask(
    start: &Start,
    kind: Kind,
    task: Task,
    file: &[u8],
    options: &Options,
) -> Result<(Content, bool), Error> {
    let password = options.password.as_deref();
    let request = Request {
        kind,
        task,
        password,
        file,
    };
    let limits = limits::of_child();
    let output = reckon_walls::run(start, job::NAME, request.to_bytes(), &limits)?;
    match Reply::parse(&output).ok_or_else(nonsense)? {
        Reply::Content(content, more) => Ok((content, more)),
        Reply::Password { wrong } => Err(Error::Password { wrong }),
    }
}

fn nonsense() -> Error {
    Error::Unreadable("the reader of the file gave nothing that makes sense".into())
}
