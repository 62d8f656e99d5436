//! How many samples of an MP4's sound track come before its beginning.
//!
//! AAC needs a frame or two to settle; the container's edit list says how much of the decoded sound that is. symphonia does
//! not apply it.

/// Most boxes that are looked at: a hostile file has millions of eight bytes.
const MOST_BOXES: usize = 10_000;

/// Samples before the beginning, at `rate`; 0 where the file does not say.
pub(super) fn lead_in(file: &[u8], rate: u32) -> u64 {
    let seconds = find(file, b"moov").and_then(|moov| {
        let mut tracks = boxes(moov).filter(|(name, _)| *name == b"trak");
        tracks.find_map(|(_, track)| sound_edit(track))
    });
    // Half a second is more than any encoder needs; beyond that the list means something else.
    let seconds = seconds
        .filter(|seconds| (0.0..0.5).contains(seconds))
        .unwrap_or(0.0);
    (seconds * f64::from(rate)).round() as u64
}

/// Where the first edit of a sound track begins in its media, in seconds.
fn sound_edit(track: &[u8]) -> Option<f64> {
    let media = find(track, b"mdia")?;
    (find(media, b"hdlr")?.get(8..12)? == b"soun").then_some(())?;
    let header = find(media, b"mdhd")?;
    // Times have 8 bytes in version 1 and 4 in version 0.
    let scale = number(header, if *header.first()? == 1 { 20 } else { 12 })?;
    let list = find(find(track, b"edts")?, b"elst")?;
    let wide = *list.first()? == 1;
    let n = number(list, 4)?.min(16) as usize;
    let begin = (0..n).find_map(|i| {
        let at = 8 + i * if wide { 20 } else { 12 };
        let time = if wide {
            i64::from(number(list, at + 8)?.cast_signed()) << 32 | i64::from(number(list, at + 12)?)
        } else {
            i64::from(number(list, at + 4)?.cast_signed())
        };
        // -1 is silence before the sound.
        (time >= 0).then_some(time)
    })?;
    (scale > 0).then(|| begin as f64 / f64::from(scale))
}

fn find<'a>(bytes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    boxes(bytes)
        .find(|(found, _)| *found == name)
        .map(|(_, content)| content)
}

/// Boxes one after the other: name and content.
fn boxes(bytes: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    let mut rest = bytes;
    let next = move || {
        let size = number(rest, 0)? as usize;
        let name: &[u8; 4] = rest.get(4..8)?.first_chunk()?;
        let (head, size) = match size {
            0 => (8, rest.len()),
            1 => (
                16,
                usize::try_from(u64::from(number(rest, 8)?) << 32 | u64::from(number(rest, 12)?))
                    .ok()?,
            ),
            size => (8, size),
        };
        let content = rest.get(head..size)?;
        rest = &rest[size..];
        Some((name, content))
    };
    std::iter::from_fn(next).take(MOST_BOXES)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_be_bytes(*bytes))
}
