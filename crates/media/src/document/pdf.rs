//! PDF: the text of each page, which pages are scans, and a scan as a picture.
//!
//! hayro reads the file, repairs what it can and runs each page's instructions against a device of ours: [`glyphs`] keeps
//! characters with their places, [`lines`] makes lines of them, [`raster`] draws images. A page that breaks the reader is a
//! warning, and the next one is read.
mod glyphs;
mod lines;
mod owner;
mod raster;

use super::Draft;
use crate::Image;
use flate2::read::ZlibDecoder;
use glyphs::Glyphs;
use hayro_interpret::{
    Context, Device, InterpreterCache, InterpreterSettings, TransformExt,
    hayro_syntax::{
        DecryptionError, LoadPdfError, Pdf,
        object::{Array, Name, Stream, dict::keys},
        page::Page,
    },
    interpret_page,
    kurbo::{Affine, Rect},
};
use raster::Raster;
use std::{
    io::Read,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

/// What is read by then is given out: the child is killed soon after, and all would be lost.
const PATIENCE: Duration = Duration::from_secs(7);

/// Bytes of instructions of one page that are looked at for damage.
const MOST_CONTENT: u64 = 32 << 20;

/// Whether the document could be opened.
pub(super) enum Opened {
    Yes,
    /// It needs a password, or another one.
    Locked,
}

/// Reads all pages.
pub(super) fn read(
    file: &[u8],
    password: Option<&str>,
    draft: &mut Draft,
) -> Result<Opened, String> {
    let began = Instant::now();
    let Some(pdf) = open(file, password)? else {
        return Ok(Opened::Locked);
    };
    if is_damaged(file) {
        draft.warn("the file is damaged; it was read as far as it goes");
    }
    let cache = InterpreterCache::new();
    let pages = pdf.pages();
    if pages.is_empty() {
        return Err("the file is damaged: a PDF without pages".into());
    }
    for page in pages.iter() {
        if draft.is_full() {
            break;
        }
        if began.elapsed() > PATIENCE {
            let (read, all) = (draft.len(), pages.len());
            draft.warn(format!(
                "only {read} of {all} pages were read: the others would take too long"
            ));
            break;
        }
        read_page(&pdf, page, &cache, draft);
    }
    Ok(Opened::Yes)
}

fn read_page<'a>(pdf: &'a Pdf, page: &Page<'a>, cache: &InterpreterCache<'a>, draft: &mut Draft) {
    let number = draft.len() + 1;
    let mut glyphs = Glyphs::default();
    let upright = page.initial_transform(true).to_kurbo();
    let run = catch_unwind(AssertUnwindSafe(|| {
        interpret(pdf, page, cache, upright, &mut glyphs);
    }));
    if run.is_err() || is_torn(page) {
        draft.warn(format!(
            "page {number} is damaged and was read as far as it goes"
        ));
    }
    let text = lines::text(&glyphs.glyphs, f64::from(page.render_dimensions().0));
    draft.page(&text);
    if text.trim().is_empty() && glyphs.n_images > 0 {
        draft.scan();
    }
    if glyphs.n_unknown > 0 {
        let n = glyphs.n_unknown;
        draft.warn(format!(
            "page {number}: {n} characters have no known meaning"
        ));
    }
}

/// One page as a picture; `None` if the document is locked.
pub(super) fn render(
    file: &[u8],
    password: Option<&str>,
    number: u32,
) -> Result<Option<Image>, String> {
    let Some(pdf) = open(file, password)? else {
        return Ok(None);
    };
    let page = (number as usize)
        .checked_sub(1)
        .and_then(|i| pdf.pages().get(i));
    let page = page.ok_or_else(|| format!("the document has no page {number}"))?;
    let (width, height) = page.render_dimensions();
    let (mut raster, scale) = Raster::of_page(width, height);
    let upright = Affine::scale(scale) * page.initial_transform(true).to_kurbo();
    interpret(&pdf, page, &InterpreterCache::new(), upright, &mut raster);
    Ok(Some(raster.finish()))
}

fn interpret<'a>(
    pdf: &'a Pdf,
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    transform: Affine,
    device: &mut impl Device<'a>,
) {
    let (width, height) = page.render_dimensions();
    let all = Rect::new(0.0, 0.0, width.into(), height.into());
    let settings = InterpreterSettings::default();
    let mut context = Context::new(transform, all, cache, pdf.xref(), settings);
    interpret_page(page, &mut context, device);
}

/// Opens with the password as the user's, then as the owner's; `None` if neither fits.
fn open(file: &[u8], password: Option<&str>) -> Result<Option<Pdf>, String> {
    let locked = LoadPdfError::Decryption(DecryptionError::PasswordProtected);
    let attempt = |password: &str| Pdf::new_with_password(file.to_vec(), password);
    let given = password.unwrap_or_default();
    let mut result = attempt(given);
    if result.as_ref().err() == Some(&locked)
        && let Some(user) = owner::user_password(file, given)
    {
        result = attempt(&user);
    }
    match result {
        Ok(pdf) => Ok(Some(pdf)),
        Err(error) if error == locked => Ok(None),
        Err(LoadPdfError::Decryption(_)) => {
            Err("the document is encrypted in a way that is not read".into())
        }
        Err(LoadPdfError::Invalid) => Err("the file is damaged: no PDF could be made out".into()),
    }
}

/// A whole file ends by saying where its table of objects begins, and there one is.
fn is_damaged(file: &[u8]) -> bool {
    const WORD: &[u8] = b"startxref";
    let Some(at) = file.windows(WORD.len()).rposition(|bytes| bytes == WORD) else {
        return true;
    };
    let rest = file[at + WORD.len()..].trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let offset = std::str::from_utf8(&rest[..digits])
        .ok()
        .and_then(|text| text.parse().ok());
    let table = offset
        .and_then(|offset: usize| file.get(offset..))
        .unwrap_or_default();
    let table = table.trim_ascii_start();
    // Newer files have a stream there, which is an object: `12 0 obj`.
    !table.starts_with(b"xref") && !table.first().is_some_and(u8::is_ascii_digit)
}

/// Whether the instructions of a page are packed data that breaks off or has a wrong checksum. hayro takes what it can get of
/// it and does not say so.
fn is_torn(page: &Page<'_>) -> bool {
    let raw = page.raw();
    let one = raw.get::<Stream<'_>>(keys::CONTENTS).into_iter();
    let several = raw.get::<Array<'_>>(keys::CONTENTS);
    let streams = one.chain(several.iter().flat_map(|array| array.iter::<Stream<'_>>()));
    // Enough for any page; what a bomb holds after that is nobody's text.
    streams.take(64).any(|stream| {
        let filter = stream.dict().get::<Name<'_>>(keys::FILTER);
        let is_packed = filter.is_some_and(|name| &*name == b"FlateDecode");
        let packed = stream.raw_data();
        let mut unpacked = ZlibDecoder::new(&packed[..]).take(MOST_CONTENT);
        is_packed && std::io::copy(&mut unpacked, &mut std::io::sink()).is_err()
    })
}
