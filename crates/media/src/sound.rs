//! Sound of any rate and number of channels to mono at 16 kHz.
//!
//! One child decodes two minutes ([`PIECE_SECONDS`]) of a file, the parent asks for one piece after the other ([`join`]): a
//! long recording takes no child more than its time. A piece begins with a second that is decoded and dropped, since decoders
//! remember; the resampler sees samples on both sides of the seam, so nothing is heard there.
//!
//! [`ogg`] and [`opus`] read Opus, [`tracks`] all the rest; [`resample`] changes the rate. Channels are averaged.
mod edits;
mod ogg;
mod opus;
mod resample;
mod tracks;
mod windows;

pub use windows::windows;

use crate::{
    Content, Error, Kind, MOST_SECONDS, RATE, Sound,
    limits::{MOST_WARNINGS, PIECE, PIECE_SECONDS},
};
use resample::Resampler;

/// Decodes one piece, and says whether another comes after it.
pub(crate) fn decode(kind: Kind, file: &[u8], piece: u32) -> Result<(Sound, bool), String> {
    if piece >= MOST_SECONDS / PIECE_SECONDS {
        return Err("a sound that is too long".into());
    }
    match kind {
        Kind::Opus => {
            let stream = ogg::opus_stream(file)?;
            let mut part = Part::new(opus::RATE, piece)?;
            stream.decode(part.decode_from(), |samples, channels| {
                part.push(samples, channels)
            })?;
            Ok(part.finish(stream.warnings()))
        }
        _ => tracks::decode(kind, file, piece),
    }
}

/// The whole of an Opus file at 48 kHz, channels interleaved, and their number; for comparisons with other decoders.
#[doc(hidden)]
pub fn decode_opus_for_tests(file: &[u8]) -> Result<(Vec<f32>, usize), String> {
    let stream = ogg::opus_stream(file)?;
    let (mut all, mut n_channels) = (Vec::new(), 1);
    stream.decode(0, |samples, channels| {
        n_channels = channels;
        all.extend_from_slice(samples);
        true
    })?;
    Ok((all, n_channels))
}

/// The parent's side: asks for pieces until there are no more.
pub(crate) fn join(
    mut sound: Sound,
    mut more: bool,
    ask: impl Fn(u32) -> Result<(Content, bool), Error>,
) -> Result<Sound, Error> {
    let mut piece = 1;
    while more && piece < MOST_SECONDS / PIECE_SECONDS {
        let (Content::Sound(next), after) = ask(piece)? else {
            return Err(crate::nonsense());
        };
        // A child that says "more" and gives nothing would go on for ever.
        more = after && next.samples.len() == PIECE;
        sound.samples.extend(next.samples);
        for warning in next.warnings {
            if !sound.warnings.contains(&warning) && sound.warnings.len() < MOST_WARNINGS {
                sound.warnings.push(warning);
            }
        }
        piece += 1;
    }
    if more {
        let hours = MOST_SECONDS / 3600;
        sound
            .warnings
            .push(format!("only the first {hours} hours were read"));
    }
    sound.seconds = sound.samples.len() as f64 / f64::from(RATE);
    Ok(sound)
}

/// The samples of one piece as they come from a decoder, mono, at the file's own rate.
struct Part {
    resampler: Resampler,
    rate: u64,
    piece: u64,
    /// Samples that come before the beginning of the sound.
    lead_in: u64,
    /// Position in the file of the next sample that is pushed.
    at: u64,
    /// Positions that the resampler needs.
    from: u64,
    to: u64,
    samples: Vec<f32>,
}

impl Part {
    fn new(rate: u32, piece: u32) -> Result<Self, String> {
        let resampler = Resampler::new(rate)?;
        let margin = resampler.margin() as u64;
        let (rate, piece) = (u64::from(rate), u64::from(piece));
        // Whole seconds are whole numbers of samples at any rate.
        let length = u64::from(PIECE_SECONDS) * rate;
        Ok(Self {
            rate,
            piece,
            lead_in: 0,
            at: 0,
            from: (piece * length).saturating_sub(margin),
            to: (piece + 1) * length + margin,
            samples: Vec::new(),
            resampler,
        })
    }

    /// Where decoding has to begin so that the decoder is settled when the first wanted sample comes.
    fn decode_from(&self) -> u64 {
        self.from.saturating_sub(self.rate)
    }

    /// Passes over samples that nobody decodes.
    fn skip(&mut self, frames: u64) {
        let before = self.lead_in.min(frames);
        self.lead_in -= before;
        self.at = self.at.saturating_add(frames - before);
    }

    /// Takes decoded samples, channels interleaved; false once there are enough.
    fn push(&mut self, samples: &[f32], channels: usize) -> bool {
        for frame in samples.chunks_exact(channels.max(1)) {
            if self.lead_in > 0 {
                self.lead_in -= 1;
                continue;
            }
            if (self.from..self.to).contains(&self.at) {
                let mean = frame.iter().sum::<f32>() / frame.len() as f32;
                let mean = if mean.is_finite() {
                    mean.clamp(-100.0, 100.0)
                } else {
                    0.0
                };
                self.samples.push(mean);
            }
            self.at += 1;
        }
        self.at < self.to
    }

    /// Resamples what came.
    fn finish(self, warnings: Vec<String>) -> (Sound, bool) {
        let first = self.piece * PIECE as u64;
        // Positions beyond the end are silence; the last piece ends with the last sample.
        let end = (self.at * u64::from(RATE)).div_ceil(self.rate);
        let n = end.saturating_sub(first).min(PIECE as u64) as usize;
        let samples = self.resampler.run(&self.samples, self.from, first, n);
        let more = end > first + PIECE as u64;
        let sound = Sound {
            samples,
            seconds: 0.0,
            warnings,
        };
        (sound, more)
    }
}
