//! MP3, WAV, FLAC, AAC, Vorbis, and Opus in WebM: the first sound track of a file, with symphonia.
//!
//! A packet that cannot be decoded becomes silence of its length and is counted, so that what comes after keeps its place.
use super::{
    Part, edits,
    opus::{self, Head, Stream},
};
use crate::{Kind, Sound};
use std::{borrow::Cow, io::Cursor};
use symphonia::core::{
    codecs::audio::{AudioDecoder, AudioDecoderOptions, well_known::CODEC_ID_OPUS},
    errors::Error,
    formats::{FormatOptions, FormatReader, Track, TrackType, probe::Hint},
    io::MediaSourceStream,
    meta::MetadataOptions,
    packet::Packet,
};

/// A file whose sound is shorter than its header says by more than this many seconds was cut off.
const SHORT: f64 = 0.25;
/// Damaged packets in a row after which the rest is noise.
const HOPELESS: usize = 5000;

pub(super) fn decode(kind: Kind, file: &[u8], piece: u32) -> Result<(Sound, bool), String> {
    let mut format = open(kind, file)?;
    let track = format
        .default_track(TrackType::Audio)
        .ok_or("no sound in this file")?
        .clone();
    let parameters = track.codec_params.as_ref().and_then(|it| it.audio());
    let parameters = parameters.ok_or("sound of an unknown kind")?;
    if parameters.codec == CODEC_ID_OPUS {
        let head = parameters.extra_data.as_deref().and_then(Head::parse);
        let head = head.ok_or("an Opus header that is none")?;
        return webm(format, track.id, head, piece);
    }
    let decoder = symphonia::default::get_codecs()
        .make_audio_decoder(parameters, &AudioDecoderOptions::default())
        .map_err(|error| format!("the sound cannot be decoded: {error}"))?;
    let rate = parameters.sample_rate;
    let mut reading = Reading {
        kind,
        file,
        decoder,
        track,
        part: None,
        rate,
        piece,
        buffer: Vec::new(),
        damaged: 0,
        ended: false,
        warnings: Vec::new(),
    };
    reading.run(&mut *format)?;
    reading.finish()
}

fn open<'a>(kind: Kind, file: &'a [u8]) -> Result<Box<dyn FormatReader + 'a>, String> {
    let stream = MediaSourceStream::new(Box::new(Cursor::new(file)), Default::default());
    let mut hint = Hint::new();
    hint.with_extension(match kind {
        Kind::Mp3 => "mp3",
        Kind::Wav => "wav",
        Kind::Flac => "flac",
        Kind::M4a => "m4a",
        Kind::Aac => "aac",
        Kind::Webm => "webm",
        _ => "ogg",
    });
    symphonia::default::get_probe()
        .probe(
            &hint,
            stream,
            FormatOptions::default(),
            MetadataOptions::default(),
        )
        .map_err(|error| format!("the sound cannot be read: {error}"))
}

/// A track under way.
struct Reading<'a> {
    kind: Kind,
    file: &'a [u8],
    decoder: Box<dyn AudioDecoder>,
    track: Track,
    /// Begins with the first rate that is known.
    part: Option<Part>,
    rate: Option<u32>,
    piece: u32,
    buffer: Vec<f32>,
    damaged: usize,
    /// All of the file was read, not only what the piece needs.
    ended: bool,
    warnings: Vec<String>,
}

impl Reading<'_> {
    fn run(&mut self, format: &mut dyn FormatReader) -> Result<(), String> {
        let mut in_a_row = 0;
        loop {
            let packet = match format.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => break,
                Err(Error::IoError(error)) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    break;
                }
                Err(Error::ResetRequired) => {
                    self.warnings
                        .push("only the first of several streams was read".into());
                    break;
                }
                Err(error) => {
                    self.warnings.push(format!(
                        "the file is damaged and was read to there: {error}"
                    ));
                    break;
                }
            };
            if packet.track_id != self.track.id || self.skip(&packet)? {
                continue;
            }
            let damaged = self.damaged;
            if !self.decode(&packet)? {
                return Ok(());
            }
            in_a_row = if self.damaged > damaged {
                in_a_row + 1
            } else {
                0
            };
            if in_a_row > HOPELESS {
                return Err("the sound is damaged beyond reading".into());
            }
        }
        self.ended = true;
        Ok(())
    }

    /// Passes over a packet that ends before anything that is wanted.
    fn skip(&mut self, packet: &Packet) -> Result<bool, String> {
        let frames = self.frames(packet);
        let Some(part) = self.part()? else {
            return Ok(false);
        };
        let before = frames > 0 && part.at + frames < part.decode_from();
        if before {
            part.skip(frames);
        }
        Ok(before)
    }

    /// Decodes one packet; false once there is enough.
    fn decode(&mut self, packet: &Packet) -> Result<bool, String> {
        let frames = self.frames(packet);
        let channels = match self.decoder.decode(packet) {
            Ok(decoded) => {
                let rate = decoded.spec().rate();
                if *self.rate.get_or_insert(rate) != rate {
                    return Err("a sound whose rate changes on the way".into());
                }
                decoded.copy_to_vec_interleaved(&mut self.buffer);
                decoded.num_planes()
            }
            Err(Error::DecodeError(_) | Error::IoError(_)) => {
                self.damaged += 1;
                self.buffer.clear();
                // No honest packet is longer than a few seconds.
                self.buffer.resize(frames.min(1 << 18) as usize, 0.0);
                1
            }
            Err(error) => return Err(format!("the sound cannot be decoded: {error}")),
        };
        let buffer = std::mem::take(&mut self.buffer);
        let more = self.part()?.is_none_or(|part| part.push(&buffer, channels));
        self.buffer = buffer;
        Ok(more)
    }

    fn part(&mut self) -> Result<Option<&mut Part>, String> {
        if let (None, Some(rate)) = (&self.part, self.rate) {
            let mut part = Part::new(rate, self.piece)?;
            if self.kind == Kind::M4a {
                part.lead_in = edits::lead_in(self.file, rate);
            }
            self.part = Some(part);
        }
        Ok(self.part.as_mut())
    }

    /// Length of a packet in samples, by its own account.
    fn frames(&self, packet: &Packet) -> u64 {
        let duration = packet.dur.get();
        let (Some(base), Some(rate)) = (self.track.time_base, self.rate) else {
            return duration;
        };
        let (numer, denom) = (u128::from(base.numer.get()), u128::from(base.denom.get()));
        let frames = u128::from(duration) * numer * u128::from(rate) / denom;
        u64::try_from(frames).unwrap_or(0)
    }

    fn finish(mut self) -> Result<(Sound, bool), String> {
        if self.damaged > 0 {
            let line = format!("{} damaged packets became silence", self.damaged);
            self.warnings.push(line);
        }
        let part = self.part.ok_or("a sound of no known rate")?;
        if let (true, Some(promised)) = (self.ended, self.track.num_frames) {
            let seconds = |frames: u64| frames as f64 / part.rate as f64;
            let (got, promised) = (seconds(part.at), seconds(promised));
            if got + SHORT < promised {
                let line = format!("the file ends early: {got:.1} of {promised:.1} s are there");
                self.warnings.push(line);
            }
        }
        Ok(part.finish(self.warnings))
    }
}

/// Opus packets out of another container.
fn webm(
    mut format: Box<dyn FormatReader + '_>,
    track: u32,
    head: Head,
    piece: u32,
) -> Result<(Sound, bool), String> {
    let mut stream = Stream::new(head);
    loop {
        match format.next_packet() {
            Ok(Some(packet)) if packet.track_id == track => {
                stream.push(Cow::Owned(packet.data.into_vec()));
            }
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(_) => {
                stream.warn("the file ends early".into());
                break;
            }
        }
        if stream.is_too_long() {
            break;
        }
    }
    let mut part = Part::new(opus::RATE, piece)?;
    stream.decode(part.decode_from(), |samples, channels| {
        part.push(samples, channels)
    })?;
    Ok(part.finish(stream.warnings()))
}
