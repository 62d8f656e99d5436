//! Standard input as it comes: windows of a recording or of lines, each an item as soon as it is full.
//!
//! A recording is read on a thread of its own: while a model answers about one window, the next ones must be taken from
//! the pipe, or the program that records loses them.
use crate::{
    error::{Error, Result},
    mail::Mbox,
    recipe::{Input, Recipe, Window},
    source::{Item, mail_item},
};
use std::{
    io::{self, BufRead, BufReader, Read},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

/// What standard input is called.
const NAME: &str = "standard input";
/// Most bytes of text or of a finished file.
const MOST_BYTES: u64 = 16 << 20;
/// Windows that wait for a model. More of them make the recorder wait.
const WAITING: usize = 64;
/// Seconds of sound in a window, and lines of text, where the recipe does not say.
const SECONDS: u32 = 60;
const LINES: usize = 100;
/// Most bytes of a second of sound: 192 kHz, 8 channels, 4 bytes.
const MOST_RATE: u32 = 192_000 * 32;
/// Most bytes of a line.
const MOST_LINE: u64 = 64 << 10;

/// What standard input has.
#[derive(Debug)]
pub enum Live {
    /// All of it.
    Whole(Item),
    /// The mails of it, one or an mbox.
    Mails(Vec<Result<Item>>),
    /// Windows, as they come.
    Windows(Receiver<Result<Item>>),
}

/// Looks at the beginning of standard input. A WAV stream comes in windows, and so do lines if the recipe asks something
/// last; anything else is read to its end.
///
/// # Errors
/// [`Error::Input`] if it is empty, too long, or a stream of sound that is not PCM.
pub fn live(input: impl Read + Send + 'static, recipe: &Recipe) -> Result<Live> {
    let mut input = BufReader::new(input);
    let head = input.fill_buf().map_err(broken)?;
    if head.is_empty() {
        return Err(Error::Input(format!("{NAME} is empty")));
    }
    let window = recipe.window;
    let (send, windows) = sync_channel(WAITING);
    if head.starts_with(b"RIFF") && window.seconds.is_some() {
        let format = Format::read(&mut input)?;
        thread::spawn(move || sound(&mut input, &format, window, &send));
        return Ok(Live::Windows(windows));
    }
    let is_text = !head.contains(&0);
    if is_text && recipe.last.is_some() {
        thread::spawn(move || lines(&mut input, window, &send));
        return Ok(Live::Windows(windows));
    }
    let mut bytes = Vec::new();
    input
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(broken)?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(Error::Input(format!("{NAME} is longer than {most} MiB")));
    }
    if bytes.trim_ascii().is_empty() {
        return Err(Error::Input(format!("{NAME} has no text")));
    }
    if recipe.input == Input::Mail {
        return Ok(Live::Mails(mails(bytes)));
    }
    Ok(Live::Whole(Item::new(NAME, bytes)))
}

fn mails(bytes: Vec<u8>) -> Vec<Result<Item>> {
    if !bytes.starts_with(b"From ") {
        return vec![Ok(mail_item(NAME.into(), bytes))];
    }
    let mails = Mbox::new(bytes.as_slice()).enumerate();
    let items = mails.map(|(at, mail)| Ok(mail_item(format!("{NAME} {}", at + 1), mail?)));
    items.collect()
}

/// How samples are written.
struct Format {
    /// The `fmt ` chunk as it came, for the windows.
    chunk: [u8; 16],
    bytes_per_second: u32,
    /// Bytes of a sample of all channels.
    block: u32,
}

impl Format {
    /// Reads a WAV header up to its samples.
    fn read(input: &mut impl Read) -> Result<Self> {
        let refuse =
            |why: &str| Error::Input(format!("{NAME} is a WAV file that cannot be read: {why}"));
        let mut riff = [0; 12];
        input.read_exact(&mut riff).map_err(broken)?;
        let mut format = None;
        // A header has a few chunks before the samples; who sends more wants to keep us busy.
        for _ in 0..16 {
            let mut head = [0; 8];
            input.read_exact(&mut head).map_err(broken)?;
            let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
            if &head[..4] == b"data" {
                return format.ok_or_else(|| refuse("no format before its samples"));
            }
            if size > 1 << 16 {
                return Err(refuse("a header of that size is none"));
            }
            // Chunks end at even places.
            let mut chunk = vec![0; (size + size % 2) as usize];
            input.read_exact(&mut chunk).map_err(broken)?;
            if &head[..4] == b"fmt " {
                let fields = chunk
                    .first_chunk::<16>()
                    .ok_or_else(|| refuse("its format is too short"))?;
                format =
                    Some(Self::of(fields).ok_or_else(|| refuse("only PCM is read as it comes"))?);
            }
        }
        Err(refuse("no samples"))
    }

    fn of(chunk: &[u8; 16]) -> Option<Self> {
        let short = |at: usize| u32::from(u16::from_le_bytes([chunk[at], chunk[at + 1]]));
        let rate = u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]);
        let (kind, channels, bits) = (short(0), short(2), short(14));
        let block = channels * bits / 8;
        let bytes_per_second = rate.checked_mul(block)?;
        let fits = kind == 1 && block > 0 && (1..=MOST_RATE).contains(&bytes_per_second);
        fits.then_some(Self {
            chunk: *chunk,
            bytes_per_second,
            block,
        })
    }

    /// A whole WAV file of these samples.
    fn file(&self, samples: &[u8]) -> Vec<u8> {
        // A window has at most an hour, so neither length overflows.
        let length = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX).to_le_bytes();
        let mut file = Vec::with_capacity(samples.len() + 44);
        file.extend_from_slice(b"RIFF");
        file.extend_from_slice(&length(samples.len() + 36));
        file.extend_from_slice(b"WAVEfmt ");
        file.extend_from_slice(&length(16));
        file.extend_from_slice(&self.chunk);
        file.extend_from_slice(b"data");
        file.extend_from_slice(&length(samples.len()));
        file.extend_from_slice(samples);
        file
    }
}

/// Sends windows until the recording or whoever listens ends.
fn sound(input: &mut impl Read, format: &Format, window: Window, send: &SyncSender<Result<Item>>) {
    let seconds = window.seconds.unwrap_or(SECONDS);
    let bytes = u64::from(seconds) * u64::from(format.bytes_per_second);
    let bytes = bytes - bytes % u64::from(format.block);
    let mut from = 0;
    loop {
        let mut samples = Vec::new();
        let read = input.by_ref().take(bytes).read_to_end(&mut samples);
        let is_last = read.is_err() || (samples.len() as u64) < bytes;
        samples.truncate(samples.len() - samples.len() % format.block as usize);
        if !samples.is_empty() {
            let length = samples.len() as u64 / u64::from(format.bytes_per_second);
            let name = format!("{}–{}", clock(from), clock(from + length));
            let mut item = Item::new(name, format.file(&samples));
            item.files[0].name = "window.wav".into();
            if send.send(Ok(item)).is_err() {
                return;
            }
        }
        if let Err(error) = read {
            // Nobody is left to tell if nobody listens.
            let _ = send.send(Err(broken(error)));
        }
        if is_last {
            return;
        }
        from += u64::from(seconds);
    }
}

fn lines(input: &mut impl BufRead, window: Window, send: &SyncSender<Result<Item>>) {
    let most = window.lines.unwrap_or(LINES);
    let mut number = 0;
    loop {
        let (mut text, first) = (Vec::new(), number + 1);
        let mut is_last = false;
        for _ in 0..most {
            let line = input.by_ref().take(MOST_LINE).read_until(b'\n', &mut text);
            match line {
                Ok(0) => is_last = true,
                Ok(_) => number += 1,
                Err(error) => {
                    let _ = send.send(Err(broken(error)));
                    is_last = true;
                }
            }
            // Lines may be long, and a window is for a model.
            if is_last || text.len() as u64 > MOST_BYTES {
                break;
            }
        }
        if !text.trim_ascii().is_empty() {
            let mut item = Item::new(format!("lines {first}–{number}"), text);
            item.files[0].name = "lines.txt".into();
            if send.send(Ok(item)).is_err() {
                return;
            }
        }
        if is_last {
            return;
        }
    }
}

fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}

fn broken(error: io::Error) -> Error {
    Error::Input(format!("cannot read {NAME}: {error}"))
}
