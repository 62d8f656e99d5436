//! Frames between parent and child: a kind, a length, that many bytes.
//!
//! Both ends trust nothing: a length above [`LARGEST`] ends the conversation before anything is allocated for it.
use std::io::{self, Read, Write};

/// Longest payload; a value, a chunk of output or a host call of the default limits fits many times.
pub(crate) const LARGEST: usize = 4 << 20;

/// What a frame holds. Parent to child: `Program`, `Answer`; the rest comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The program text.
    Program = 1,
    /// The host's answer to a call.
    Answer,
    /// The child is initialised and locked in; JSON of [`crate::Protection`].
    Ready,
    /// Printed text.
    Output,
    /// JSON `[kind, text]` for the host.
    Call,
    /// JSON of [`crate::frame::Done`]; nothing comes after it.
    Done,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Program,
        Self::Answer,
        Self::Ready,
        Self::Output,
        Self::Call,
        Self::Done,
    ];
}

/// How a program ended, in the child's words.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Done {
    /// The representation of the value, if there is one apart from what was printed.
    pub(crate) value: Option<String>,
    /// One line, if the program failed.
    pub(crate) error: Option<String>,
}

/// Writes one frame in one piece.
pub(crate) fn write(to: &mut impl Write, kind: Kind, payload: &[u8]) -> io::Result<()> {
    if payload.len() > LARGEST {
        return Err(io::Error::other("a frame that is too long"));
    }
    let mut bytes = Vec::with_capacity(payload.len() + 5);
    bytes.push(kind as u8);
    bytes.extend((payload.len() as u32).to_le_bytes());
    bytes.extend(payload);
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads one frame; the memory for it grows with the bytes that really come.
pub(crate) fn read(from: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == head[0]);
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let (Some(kind), true) = (kind, length <= LARGEST) else {
        return Err(io::Error::other("bytes that are no frame"));
    };
    let mut payload = Vec::new();
    from.take(length as u64).read_to_end(&mut payload)?;
    if payload.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((kind, payload))
}
