//! Frames between parent and child: a kind, a length, that many bytes.
//!
//! Both ends trust nothing: a length above what the kind may have ends the conversation before anything is allocated.
use crate::Limits;
use std::io::{self, Read, Write};

/// Longest question, answer and piece of output.
const MESSAGE: usize = 4 << 20;
/// Room for the first bytes of a payload; it doubles with what comes.
const FIRST: usize = 64 << 10;
/// Longest error line.
const LINE: usize = 4 << 10;

/// What a frame holds. Parent to child: `Input`, `Answer`; the rest comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The job's input.
    Input = 1,
    /// The parent's answer to a call.
    Answer,
    /// The child is prepared and locked in; JSON of [`crate::Protection`].
    Ready,
    /// Printed text.
    Printed,
    /// JSON `[kind, text]`, a question to the parent.
    Call,
    /// The job's output; nothing comes after it.
    Done,
    /// One line about why there is no output, from the job; nothing comes after it.
    Failed,
    /// One line about a limit that the job reached; nothing comes after it.
    Stopped,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Input,
        Self::Answer,
        Self::Ready,
        Self::Printed,
        Self::Call,
        Self::Done,
        Self::Failed,
        Self::Stopped,
    ];

    /// Most bytes that a frame of this kind may hold.
    pub(crate) fn most(self, limits: &Limits) -> usize {
        match self {
            Self::Input => limits.input,
            Self::Done => limits.output,
            Self::Answer | Self::Printed | Self::Call => MESSAGE,
            Self::Ready | Self::Failed | Self::Stopped => LINE,
        }
    }
}

/// Writes one frame in one piece.
pub(crate) fn write(
    to: &mut impl Write,
    kind: Kind,
    payload: &[u8],
    limits: &Limits,
) -> io::Result<()> {
    let length = u32::try_from(payload.len()).ok();
    let Some(length) = length.filter(|_| payload.len() <= kind.most(limits)) else {
        return Err(io::Error::other("a frame that is too long"));
    };
    let mut bytes = Vec::with_capacity(payload.len() + 5);
    bytes.push(kind as u8);
    bytes.extend(length.to_le_bytes());
    bytes.extend(payload);
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads one frame; the memory for it grows with the bytes that really come, and never beyond what was announced: a child
/// that is given a file of half its memory must hold it.
pub(crate) fn read(from: &mut impl Read, limits: &Limits) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == head[0]);
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let Some(kind) = kind.filter(|kind| length <= kind.most(limits)) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "bytes that are no frame",
        ));
    };
    let mut payload = Vec::new();
    while payload.len() < length {
        let step = payload.len().max(FIRST).min(length - payload.len());
        payload.reserve_exact(step);
        if from.by_ref().take(step as u64).read_to_end(&mut payload)? < step {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok((kind, payload))
}
