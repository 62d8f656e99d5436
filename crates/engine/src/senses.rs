//! A model's senses: encoders that turn images and sound into soft tokens, read from an mmproj file.
//!
//! `Model::with_mmproj` loads an [`Mmproj`]; `Model::encode_image` and `Model::encode_audio` give [`Media`] that a
//! `Message` carries and `Model::prompt` puts in place. Known are the encoders of Gemma 4 E2B and E4B, whose soft tokens
//! are causal like any other: `vision` (projector `gemma4v`) and `audio` (`gemma4a`). Everything is checked at load, so
//! that encoding fails only for what it is given. Same bits on every ISA and for any number of threads, as everywhere.
//!
//! Left out on purpose: decoding of files (PNG, WAV), which is the caller's; video, which is frames; audio of more than 30
//! seconds, which is the caller's to split.
//! Source: Hugging Face `transformers`, `models/gemma4`; names of keys and tensors as in llama.cpp.

mod audio;
mod image;
mod linear;
mod mel;
mod vision;

pub use image::{IMAGE_BUDGET, Pixels, resize, target_size};
pub use mel::{MAX_SAMPLES, Mel, SAMPLE_RATE, mel};

use crate::config::MetadataKeys;
use crate::prompt::Soft;
use crate::weights::Loader;
use crate::{Error, LoadStep, Result};
use audio::Audio;
use reckon_gguf::{File, Metadata};
use reckon_kernels::Cpu;
use std::sync::Arc;
use vision::Vision;

/// ε of every norm; the key for it is wrong in some files.
const EPSILON: f32 = 1e-6;

/// What soft tokens were made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MediaKind {
    /// An image.
    Image,
    /// Sound.
    Audio,
}

impl MediaKind {
    /// As templates call a part of a message.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
        }
    }
}

/// An image or a piece of sound, encoded for one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// What it was.
    pub kind: MediaKind,
    /// What the model is given.
    pub soft: Arc<Soft>,
    /// The byte of the message's text that it stands before; 0 is before all text, which Gemma 4 likes best.
    pub at: usize,
}

impl Media {
    /// The same, before this byte of the message's text.
    #[must_use]
    pub fn at(self, at: usize) -> Self {
        Self { at, ..self }
    }
}

/// The encoders of an mmproj file; at least one.
#[derive(Debug)]
pub(crate) struct Mmproj {
    /// Some tables stay in the file.
    file: File,
    width: usize,
    vision: Option<Vision>,
    audio: Option<Audio>,
}

impl Mmproj {
    /// Reads the encoders of a file, whose soft tokens must be `width` wide.
    pub(crate) fn load(
        file: File,
        width: usize,
        cpu: &Cpu,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<Self> {
        let read = Self::read(&file, width, cpu, progress);
        let (vision, audio) = read.map_err(|error| match error {
            Error::Model(problem) => Error::Mmproj(problem),
            other => other,
        })?;
        Ok(Self {
            file,
            width,
            vision,
            audio,
        })
    }

    fn read(
        file: &File,
        width: usize,
        cpu: &Cpu,
        progress: &mut (dyn FnMut(LoadStep) + Send),
    ) -> Result<(Option<Vision>, Option<Audio>)> {
        let meta = file.metadata();
        let architecture = meta.str("general.architecture")?;
        if architecture != "clip" {
            return Err(Error::Model(format!(
                "its architecture is '{architecture}', expected clip"
            )));
        }
        let has_vision = is_there(&meta, "vision", "gemma4v")?;
        let has_audio = is_there(&meta, "audio", "gemma4a")?;
        if !has_vision && !has_audio {
            return Err(Error::Model("it has no encoder".into()));
        }
        let keys = |architecture| MetadataKeys { meta, architecture };
        Loader::load(file, &cpu.pool, progress, |loader| {
            let vision = has_vision.then(|| Vision::load(loader, &keys("clip.vision"), width));
            let audio = has_audio.then(|| Audio::load(loader, &keys("clip.audio"), width));
            Ok((vision.transpose()?, audio.transpose()?))
        })
    }

    pub(crate) fn can_see(&self) -> bool {
        self.vision.is_some()
    }

    pub(crate) fn can_hear(&self) -> bool {
        self.audio.is_some()
    }

    /// Soft tokens of an image.
    pub(crate) fn encode_image(&self, cpu: &Cpu, pixels: &Pixels) -> Result<Media> {
        let vision = self.vision.as_ref().ok_or(Error::NoEyes)?;
        let rows = vision.encode(&self.file, cpu, pixels)?;
        Ok(self.media(MediaKind::Image, rows))
    }

    /// Soft tokens of sound.
    pub(crate) fn encode_audio(&self, cpu: &Cpu, samples: &[f32]) -> Result<Media> {
        let audio = self.audio.as_ref().ok_or(Error::NoEars)?;
        let rows = audio.encode(cpu, &mel(samples)?);
        Ok(self.media(MediaKind::Audio, rows))
    }

    fn media(&self, kind: MediaKind, rows: Vec<f32>) -> Media {
        Media {
            kind,
            soft: Arc::new(Soft::new(self.width, rows)),
            at: 0,
        }
    }
}

/// Layers of an encoder. A file that holds more than it says would be run wrongly and not fail.
fn layer_count(file: &File, keys: &MetadataKeys<'_>, prefix: &str) -> Result<usize> {
    let count = keys.size("block_count", 256)?;
    let next = format!("{prefix}.blk.{count}.");
    match file.tensors().any(|tensor| tensor.name.starts_with(&next)) {
        true => Err(Error::Model(format!(
            "it has more than the {count} layers that it names"
        ))),
        false => Ok(count),
    }
}

/// Whether the file has an encoder of this kind; another projector than ours is refused rather than run wrongly.
fn is_there(meta: &Metadata<'_>, kind: &str, projector: &str) -> Result<bool> {
    if !meta
        .opt_bool(&format!("clip.has_{kind}_encoder"))?
        .unwrap_or(false)
    {
        return Ok(false);
    }
    // Files with one encoder name their projector without its kind.
    let own = meta.opt_str(&format!("clip.{kind}.projector_type"))?;
    let found = match own {
        Some(own) => own,
        None => meta.str("clip.projector_type")?,
    };
    match found == projector {
        true => Ok(true),
        false => Err(Error::Model(format!(
            "its {kind} projector is '{found}', expected {projector}"
        ))),
    }
}
