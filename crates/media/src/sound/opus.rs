//! Opus packets to samples at 48 kHz. What was lost or is damaged is concealed by the decoder and counted.
//!
//! RFC 7845: the first samples (`pre_skip`) are for the decoder to settle and are dropped, a gain applies to all, and the
//! last page may end before its last packet does.
use crate::MOST_SECONDS;
use ropus::{Channels, DecodeMode, Decoder, OpusMSDecoder};
use std::borrow::Cow;

pub(super) const RATE: u32 = 48_000;
/// Samples of the longest packet, 120 ms.
const LONGEST: usize = 5760;
/// Concealment is a guess that fades; after this many samples there is silence.
const CONCEALED: u64 = 48_000;
/// Step of concealment: 20 ms.
const STEP: usize = 960;

/// The header of a stream.
#[derive(Debug)]
pub(super) struct Head {
    channels: u8,
    pre_skip: u16,
    /// In 1/256 dB.
    gain: i16,
    /// Streams, coupled ones, and which channel is which: for more than two channels.
    mapping: Option<(u8, u8, Vec<u8>)>,
}

impl Head {
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"OpusHead")?;
        let [
            version,
            channels,
            skip_0,
            skip_1,
            _,
            _,
            _,
            _,
            gain_0,
            gain_1,
            family,
            rest @ ..,
        ] = bytes
        else {
            return None;
        };
        if version >> 4 != 0 || *channels == 0 {
            return None;
        }
        let mapping = match (family, channels) {
            (0, 1..=2) => None,
            (0, _) => return None,
            _ => {
                let [streams, coupled, table @ ..] = rest else {
                    return None;
                };
                let table = table.get(..usize::from(*channels))?;
                Some((*streams, *coupled, table.to_vec()))
            }
        };
        Some(Self {
            channels: *channels,
            pre_skip: u16::from_le_bytes([*skip_0, *skip_1]),
            gain: i16::from_le_bytes([*gain_0, *gain_1]),
            mapping,
        })
    }
}

/// One packet, and how many samples are missing before it.
struct Packet<'a> {
    data: Cow<'a, [u8]>,
    missing: u64,
}

/// All packets of a stream.
pub(super) struct Stream<'a> {
    head: Head,
    packets: Vec<Packet<'a>>,
    /// Samples that are missing before the next packet.
    missing: u64,
    /// Samples of all packets and gaps.
    pub(super) samples: u64,
    /// Where the sound ends, `pre_skip` included; `None` if the file does not say.
    pub(super) end: Option<u64>,
    warnings: Vec<String>,
    losses: usize,
    damaged: std::cell::Cell<usize>,
}

impl<'a> Stream<'a> {
    pub(super) fn new(head: Head) -> Self {
        Self {
            head,
            packets: Vec::new(),
            missing: 0,
            samples: 0,
            end: None,
            warnings: Vec::new(),
            losses: 0,
            damaged: 0.into(),
        }
    }

    pub(super) fn push(&mut self, data: Cow<'a, [u8]>) {
        self.samples += u64::from(duration(&data));
        let missing = std::mem::take(&mut self.missing);
        self.packets.push(Packet { data, missing });
    }

    /// This many samples never arrived.
    pub(super) fn lose(&mut self, samples: u64) {
        self.losses += 1;
        self.missing += samples;
        self.samples += samples;
    }

    pub(super) fn warn(&mut self, line: String) {
        self.warnings.push(line);
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.samples >= u64::from(MOST_SECONDS) * u64::from(RATE)
    }

    /// What was lost; after decoding also what was damaged.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.warnings.clone();
        if self.losses > 0 {
            warnings.push(format!(
                "sound is missing in {} places and was concealed",
                self.losses
            ));
        }
        if self.damaged.get() > 0 {
            warnings.push(format!(
                "{} damaged packets were concealed",
                self.damaged.get()
            ));
        }
        warnings
    }

    /// Hands out decoded samples, channels interleaved, from the beginning of the sound until `sink` says false. Packets
    /// before position `from` are handed out as silence, undecoded.
    pub(super) fn decode(
        &self,
        from: u64,
        mut sink: impl FnMut(&[f32], usize) -> bool,
    ) -> Result<(), String> {
        let channels = usize::from(self.head.channels);
        let mut voice = Voice::new(&self.head)?;
        let mut out = Trimmed {
            skip: u64::from(self.head.pre_skip),
            left: self.end.unwrap_or(u64::MAX),
            channels,
            sink: &mut sink,
        };
        let from = from.saturating_add(out.skip);
        let silence = vec![0.0; LONGEST * channels];
        let mut at = 0;
        for packet in &self.packets {
            if !voice.conceal(packet.missing, &mut out) {
                return Ok(());
            }
            at += packet.missing;
            let length = duration(&packet.data) as usize;
            at += length as u64;
            let wanted = if at < from {
                out.give(&silence[..length * channels])
            } else if let Some(samples) = voice.decode(&packet.data) {
                out.give(samples)
            } else {
                self.damaged.set(self.damaged.get() + 1);
                voice.conceal(length.max(STEP) as u64, &mut out)
            };
            if !wanted {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Drops the samples before the beginning and after the end.
struct Trimmed<'s, S> {
    skip: u64,
    left: u64,
    channels: usize,
    sink: &'s mut S,
}

impl<S: FnMut(&[f32], usize) -> bool> Trimmed<'_, S> {
    fn give(&mut self, samples: &[f32]) -> bool {
        let frames = (samples.len() / self.channels) as u64;
        let end = frames.min(self.left);
        self.left -= end;
        let begin = self.skip.min(end);
        self.skip -= begin;
        let samples = &samples[begin as usize * self.channels..end as usize * self.channels];
        (self.sink)(samples, self.channels) && self.left > 0
    }
}

enum Inner {
    /// One stream of one or two channels.
    One(Box<Decoder>),
    /// Several streams: more than two channels.
    Many(Box<OpusMSDecoder>, Vec<i16>),
}

/// A decoder and its output.
struct Voice {
    inner: Inner,
    channels: usize,
    samples: Vec<f32>,
}

impl Voice {
    fn new(head: &Head) -> Result<Self, String> {
        let refuse = |_| "an Opus stream that cannot be decoded".to_owned();
        let channels = usize::from(head.channels);
        let inner = match &head.mapping {
            None => {
                let layout = if channels == 1 {
                    Channels::Mono
                } else {
                    Channels::Stereo
                };
                let mut decoder = Decoder::new(RATE, layout).map_err(|_| refuse(0))?;
                decoder.set_gain(head.gain.into()).map_err(|_| refuse(0))?;
                Inner::One(Box::new(decoder))
            }
            Some((streams, coupled, table)) => {
                let (rate, n) = (RATE.cast_signed(), i32::from(head.channels));
                let decoder =
                    OpusMSDecoder::new(rate, n, (*streams).into(), (*coupled).into(), table);
                let mut decoder = decoder.map_err(refuse)?;
                decoder.set_gain(head.gain.into());
                Inner::Many(Box::new(decoder), vec![0; LONGEST * channels])
            }
        };
        Ok(Self {
            inner,
            channels,
            samples: vec![0.0; LONGEST * channels],
        })
    }

    fn decode(&mut self, packet: &[u8]) -> Option<&[f32]> {
        // An empty packet would be taken for a lost one of the longest duration.
        if packet.is_empty() || duration(packet) as usize > LONGEST {
            return None;
        }
        self.run(packet, LONGEST)
    }

    fn run(&mut self, packet: &[u8], room: usize) -> Option<&[f32]> {
        let room = room * self.channels;
        let frames = match &mut self.inner {
            Inner::One(decoder) => {
                let samples = &mut self.samples[..room];
                decoder
                    .decode_float(packet, samples, DecodeMode::Normal)
                    .ok()?
            }
            Inner::Many(decoder, pcm) => {
                let data = (!packet.is_empty()).then_some(packet);
                let most = (room / self.channels) as i32;
                let frames = decoder
                    .decode(data, packet.len() as i32, &mut pcm[..room], most, false)
                    .ok()?;
                let frames = usize::try_from(frames).ok()?;
                for (sample, pcm) in self.samples.iter_mut().zip(&*pcm) {
                    *sample = f32::from(*pcm) / 32_768.0;
                }
                frames
            }
        };
        self.samples.get(..frames * self.channels)
    }

    /// Makes up for samples that are missing.
    fn conceal(
        &mut self,
        samples: u64,
        out: &mut Trimmed<'_, impl FnMut(&[f32], usize) -> bool>,
    ) -> bool {
        let mut left = samples;
        while left > 0 {
            let step = left.min(STEP as u64) as usize;
            let n = step * self.channels;
            let guessed = samples - left < CONCEALED && self.run(&[], STEP).is_some();
            if !guessed {
                self.samples[..n].fill(0.0);
            }
            if !out.give(&self.samples[..n]) {
                return false;
            }
            left -= step as u64;
        }
        true
    }
}

/// Samples of a packet, from its first bytes (RFC 6716, 3.1).
pub(super) fn duration(packet: &[u8]) -> u32 {
    let Some(first) = packet.first() else {
        return 0;
    };
    let frame = match first >> 3 {
        config @ 0..12 => [480, 960, 1920, 2880][usize::from(config & 3)],
        config @ 12..16 => [480, 960][usize::from(config & 1)],
        config => [120, 240, 480, 960][usize::from(config & 3)],
    };
    let frames = match first & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => packet.get(1).map_or(0, |second| u32::from(second & 63)),
    };
    frame * frames
}
