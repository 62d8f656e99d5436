//! Tests of the crate through its public interface, with files that they make themselves.
#![expect(clippy::print_stderr, reason = "tests say what they skip and measure")]

mod documents;
mod ffmpeg;
mod fixture;
mod hostile;
mod images;
mod kinds;
mod opus;
mod pdf;
mod shared;
mod sounds;

use reckon_media::{Content, Document, Error, Image, Options, Sound};
use reckon_walls::Start;

/// Children that can do the jobs of this crate.
fn start() -> Start {
    Start {
        program: env!("CARGO_BIN_EXE_media-test-child").into(),
        arguments: vec!["__sandbox".into()],
    }
}

fn read(file: &[u8], name: &str) -> Result<Content, Error> {
    reckon_media::read(&start(), file, name, &Options::default())
}

fn document(file: &[u8], name: &str) -> Document {
    match read(file, name) {
        Ok(Content::Document(document)) => document,
        other => panic!("{name}: no document but {other:?}"),
    }
}

fn image(file: &[u8]) -> Image {
    match read(file, "") {
        Ok(Content::Image(image)) => image,
        other => panic!("no image but {other:?}"),
    }
}

fn sound(file: &[u8]) -> Sound {
    match read(file, "") {
        Ok(Content::Sound(sound)) => sound,
        other => panic!("no sound but {other:?}"),
    }
}

/// All text of a document, pages separated by an empty line.
fn text(document: &Document) -> String {
    let pages: Vec<&str> = document
        .pages
        .iter()
        .map(|page| page.text.as_str())
        .collect();
    pages.join("\n\n")
}

/// The error of one line that reading this gives.
fn refusal(file: &[u8], name: &str) -> Error {
    let error = read(file, name).expect_err("it was read");
    let line = error.to_string();
    assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
    error
}
