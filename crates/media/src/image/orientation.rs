//! How a camera was held, which it writes beside the pixels.
use crate::Image;

/// What is to be done to a picture, in this order, for people to see it as it was taken.
#[derive(Clone, Copy, Default)]
pub(super) struct Orientation {
    /// Rows become columns.
    transposed: bool,
    mirrored: bool,
    upside_down: bool,
}

/// Number of the field of EXIF, and its type: one number of 16 bits.
const TAG: u16 = 0x0112;
const SHORT: u16 = 3;

impl Orientation {
    /// As an EXIF block says. A damaged one is no reason to refuse the picture.
    pub(super) fn of_exif(block: Option<&[u8]>) -> Self {
        block.and_then(field).map_or_else(Self::default, Self::of)
    }

    /// Of EXIF's eight numbers; any other means none.
    fn of(number: u16) -> Self {
        let (transposed, mirrored, upside_down) = match number {
            2 => (false, true, false),
            3 => (false, true, true),
            4 => (false, false, true),
            5 => (true, false, false),
            6 => (true, true, false),
            7 => (true, true, true),
            8 => (true, false, true),
            _ => (false, false, false),
        };
        Self {
            transposed,
            mirrored,
            upside_down,
        }
    }

    pub(super) fn turned(self, image: Image) -> Image {
        if !(self.transposed || self.mirrored || self.upside_down) {
            return image;
        }
        let (from_width, from_height) = (image.width as usize, image.height as usize);
        let (width, height) = if self.transposed {
            (from_height, from_width)
        } else {
            (from_width, from_height)
        };
        let mut rgb8 = Vec::with_capacity(image.rgb8.len());
        for y in 0..height {
            let y = if self.upside_down { height - 1 - y } else { y };
            for x in 0..width {
                let x = if self.mirrored { width - 1 - x } else { x };
                let at = if self.transposed {
                    x * from_width + y
                } else {
                    y * from_width + x
                };
                rgb8.extend_from_slice(&image.rgb8[at * 3..at * 3 + 3]);
            }
        }
        Image {
            rgb8,
            width: width as u32,
            height: height as u32,
        }
    }
}

/// The number in a block of TIFF's making.
fn field(block: &[u8]) -> Option<u16> {
    let big = match block.get(..4)? {
        b"II*\0" => false,
        b"MM\0*" => true,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes = *block.get(at..)?.first_chunk()?;
        Some(if big {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        })
    };
    let bytes = *block.get(4..)?.first_chunk()?;
    let list = if big {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    } as usize;
    let n_entries = usize::from(short(list)?);
    let mut entries = (0..n_entries).map(|n| list + 2 + 12 * n);
    let entry = entries.find(|entry| short(*entry) == Some(TAG))?;
    (short(entry + 2)? == SHORT).then_some(())?;
    short(entry + 8)
}
