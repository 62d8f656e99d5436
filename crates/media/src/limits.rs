//! What a file may take, as numbers.
use reckon_walls::Limits;

/// Samples a second of all sound.
pub const RATE: u32 = 16_000;
/// Longest side of a picture, in pixels; larger ones are reduced.
pub const MOST_SIDE: u32 = 4096;
/// Longest sound that is read, in seconds; the rest is left out with a warning.
pub const MOST_SECONDS: u32 = 4 * 3600;
/// Largest file, in bytes. The child holds all of it, and half of its memory must be left for reading.
pub const MOST_BYTES: usize = 192 << 20;

/// Most pages of a document.
pub(crate) const MOST_PAGES: u32 = 20_000;
/// Most bytes of text of a document.
pub(crate) const MOST_TEXT: usize = 32 << 20;
/// Most bytes of pixels that a picture may have when it is decoded.
pub(crate) const MOST_PIXELS: u64 = 256 << 20;
/// Most warnings, and most characters in one.
pub(crate) const MOST_WARNINGS: usize = 64;
pub(crate) const LINE: usize = 300;
/// Seconds of sound that one child decodes: few enough for a slow machine to be done within the limit of time.
pub(crate) const PIECE_SECONDS: u32 = 120;
/// The same in samples.
pub(crate) const PIECE: usize = (PIECE_SECONDS * RATE) as usize;

/// Bounds of the child.
pub(crate) fn of_child() -> Limits {
    Limits {
        cpu: 10,
        wall: 10,
        memory: 448 << 20,
        input: MOST_BYTES + 4096,
        output: 64 << 20,
        calls: 0,
    }
}
