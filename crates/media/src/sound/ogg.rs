//! Ogg pages to the packets of the first Opus stream, as far as the file is whole.
//!
//! A page whose checksum is wrong or that is cut off is dropped, and reading goes on at the next mark, as libogg does. How
//! much is missing before a packet follows from the positions that pages carry; the decoder conceals it.
use super::opus::{Head, Stream, duration};
use crate::MOST_SECONDS;
use std::borrow::Cow;

const MARK: &[u8] = b"OggS";
/// Most of a gap that is filled, in samples at 48 kHz: more is a damaged number rather than a loss.
const MOST_GAP: i64 = 60 * 48_000;

struct Page<'a> {
    first: bool,
    continued: bool,
    last: bool,
    /// Position after the last packet that ends on this page; -1 if none ends.
    granule: i64,
    serial: u32,
    sequence: u32,
    /// Bytes of each packet or part of one, and whether it ends here.
    parts: Vec<(&'a [u8], bool)>,
}

/// The packets of the first Opus stream.
pub(super) fn opus_stream(file: &[u8]) -> Result<Stream<'_>, String> {
    let mut pages = Pages {
        file,
        at: 0,
        damaged: 0,
    };
    let is_head = |page: &Page<'_>| {
        let first = page.parts.first();
        page.first && first.is_some_and(|(part, _)| part.starts_with(b"OpusHead"))
    };
    let head_page = pages
        .by_ref()
        .find(is_head)
        .ok_or("no Opus stream in this file")?;
    let head = Head::parse(head_page.parts[0].0).ok_or("an Opus header that is none")?;
    let mut assembly = Assembly::new(head, head_page.sequence);
    let mut others = false;
    for page in pages.by_ref() {
        if page.serial != head_page.serial {
            others |= page.first;
        } else if !assembly.add(page) {
            break;
        }
    }
    let mut stream = assembly.stream;
    if others {
        stream.warn("only the first of several streams was read".into());
    }
    if pages.damaged > 0 {
        stream.warn(format!("{} damaged pages were left out", pages.damaged));
    }
    if stream.end.is_none() && !stream.is_too_long() {
        stream.warn("the file ends early".into());
    }
    Ok(stream)
}

/// Puts packets together from pages, in order.
struct Assembly<'a> {
    stream: Stream<'a>,
    /// A packet that goes on on the next page.
    open: Option<Vec<u8>>,
    sequence: u32,
    /// The comment packet comes between the header and the sound.
    comments_seen: bool,
    /// Position of the first sample, and of the end of the page before; known after the first page with sound.
    begin: Option<i64>,
    position: i64,
}

impl<'a> Assembly<'a> {
    fn new(head: Head, sequence: u32) -> Self {
        Self {
            stream: Stream::new(head),
            open: None,
            sequence,
            comments_seen: false,
            begin: None,
            position: 0,
        }
    }

    /// False once there is no need for more.
    fn add(&mut self, page: Page<'a>) -> bool {
        let lost_pages = page.sequence != self.sequence.wrapping_add(1);
        self.sequence = page.sequence;
        let packets = self.packets(&page, lost_pages);
        let length: i64 = packets.iter().map(|data| i64::from(duration(data))).sum();
        if page.granule >= 0 && !packets.is_empty() {
            let before = page.granule.saturating_sub(length);
            let begin = *self.begin.get_or_insert_with(|| before.max(0));
            let missing = before.saturating_sub(self.position.max(begin));
            if lost_pages && (1..=MOST_GAP).contains(&missing) {
                self.stream.lose(missing as u64);
            }
            if page.last {
                // The last page may end before its last packet does.
                let end = page.granule.saturating_sub(begin);
                self.stream.end = u64::try_from(end).ok();
            }
            self.position = page.granule;
        } else {
            self.position = self.position.saturating_add(length);
        }
        for data in packets {
            self.stream.push(data);
        }
        if page.last && self.stream.end.is_none() {
            self.stream.end = Some(u64::MAX);
        }
        !page.last && self.stream.samples < u64::from(MOST_SECONDS) * 48_000 + 48_000
    }

    /// The packets that end on this page.
    fn packets(&mut self, page: &Page<'a>, lost_pages: bool) -> Vec<Cow<'a, [u8]>> {
        if lost_pages || !page.continued {
            self.open = None;
        }
        // Without its beginning the rest of a packet is nothing.
        let orphan = page.continued && self.open.is_none();
        let mut packets = Vec::new();
        for (i, (part, ends)) in page.parts.iter().enumerate() {
            if orphan && i == 0 {
                continue;
            }
            let packet = match self.open.take() {
                Some(mut begun) => {
                    begun.extend_from_slice(part);
                    Cow::Owned(begun)
                }
                None => Cow::Borrowed(*part),
            };
            if !ends {
                self.open = Some(packet.into_owned());
            } else if self.comments_seen {
                packets.push(packet);
            } else {
                self.comments_seen = true;
                // A file that lost its comments begins with sound.
                if !packet.starts_with(b"OpusTags") {
                    packets.push(packet);
                }
            }
        }
        packets
    }
}

/// Whole pages, one after the other.
struct Pages<'a> {
    file: &'a [u8],
    at: usize,
    /// Pages that were cut off or have a wrong checksum.
    damaged: usize,
}

impl<'a> Iterator for Pages<'a> {
    type Item = Page<'a>;

    fn next(&mut self) -> Option<Page<'a>> {
        loop {
            let rest = self.file.get(self.at..)?;
            let mark = rest.windows(MARK.len()).position(|bytes| bytes == MARK)?;
            self.at += mark;
            if let Some((page, length)) = page(&self.file[self.at..]) {
                self.at += length;
                return Some(page);
            }
            self.damaged += 1;
            self.at += MARK.len();
        }
    }
}

/// The page at the beginning of these bytes, and its length.
fn page(bytes: &[u8]) -> Option<(Page<'_>, usize)> {
    let head: &[u8; 27] = bytes.first_chunk()?;
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let granule = u64::from(number(6)) | u64::from(number(10)) << 32;
    let segments = bytes.get(27..27 + usize::from(head[26]))?;
    let body_at = 27 + segments.len();
    let length = body_at + segments.iter().map(|n| usize::from(*n)).sum::<usize>();
    let body = bytes.get(body_at..length)?;
    if head[4] != 0 || checksum(&bytes[..length]) != number(22) {
        return None;
    }
    let mut parts = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for (i, segment) in segments.iter().enumerate() {
        end += usize::from(*segment);
        let ends = *segment < 255;
        if ends || i + 1 == segments.len() {
            parts.push((&body[begin..end], ends));
            begin = end;
        }
    }
    let page = Page {
        continued: head[5] & 1 != 0,
        first: head[5] & 2 != 0,
        last: head[5] & 4 != 0,
        granule: granule.cast_signed(),
        serial: number(14),
        sequence: number(18),
        parts,
    };
    Some((page, length))
}

/// The checksum of a page, with its own field counted as zeros.
fn checksum(page: &[u8]) -> u32 {
    let step = |crc: u32, byte: u8| crc << 8 ^ TABLE[usize::from((crc >> 24) as u8 ^ byte)];
    let own = |(i, byte): (usize, &u8)| if (22..26).contains(&i) { 0 } else { *byte };
    page.iter().enumerate().map(own).fold(0, step)
}

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = (i as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc >> 31 == 1 {
                crc << 1 ^ 0x04c1_1db7
            } else {
                crc << 1
            };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
}
