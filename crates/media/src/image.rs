//! Pictures: JPEG, PNG, WebP and GIF to upright RGB pixels without metadata.
//!
//! Each format has a decoder of its own (`decoders`). Sizes are checked before anything is decoded. What is transparent shows
//! white. A picture with a side above [`MOST_SIDE`] is reduced by averaging; no vision encoder takes more.
mod decoders;
mod orientation;

use crate::{Image, Kind, MOST_SIDE, limits::MOST_PIXELS};
use orientation::Orientation;

/// Decodes the first or only frame.
pub(crate) fn decode(kind: Kind, file: &[u8]) -> Result<Image, String> {
    let decoded = match kind {
        Kind::Jpeg => decoders::jpeg(file),
        Kind::Png => decoders::png(file),
        Kind::Webp => decoders::webp(file),
        Kind::Gif => decoders::gif(file),
        _ => return Err("not a picture".into()),
    };
    let decoded = decoded.map_err(|error| format!("the picture cannot be read: {error}"))?;
    Ok(decoded.orientation.turned(decoded.reduced()))
}

/// A picture as its file has it.
struct Decoded {
    size: Size,
    samples: Vec<u8>,
    orientation: Orientation,
}

/// How much a file says that it holds.
#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
    /// Samples of a pixel: grey, grey and opacity, RGB, or RGBA.
    channels: usize,
}

impl Size {
    /// Refuses what nobody has.
    fn checked(
        (width, height): (u32, u32),
        channels: usize,
        bytes_a_sample: u64,
    ) -> Result<Self, String> {
        let most = MOST_PIXELS / (channels as u64 * bytes_a_sample);
        if width == 0 || height == 0 || u64::from(width) * u64::from(height) > most {
            return Err(format!("{width} × {height} pixels; more than are read"));
        }
        Ok(Self {
            width: width as usize,
            height: height as usize,
            channels,
        })
    }

    fn row(self) -> usize {
        self.width * self.channels
    }

    fn samples(self) -> usize {
        self.row() * self.height
    }

    /// Width and height with no side above the limit.
    fn within_limit(self) -> (usize, usize) {
        let (longest, most) = (self.width.max(self.height), MOST_SIDE as usize);
        let side = |n: usize| ((n * most + longest / 2) / longest).clamp(1, most);
        if longest <= most {
            (self.width, self.height)
        } else {
            (side(self.width), side(self.height))
        }
    }
}

impl Decoded {
    /// RGB, with no side above the limit: every pixel is the mean of those whose place it takes.
    fn reduced(&self) -> Image {
        let (width, height) = self.size.within_limit();
        let mut rgb8 = Vec::with_capacity(width * height * 3);
        let mut row = Vec::with_capacity(self.size.width * 3);
        let mut sums = vec![0_u32; width * 3];
        for y in 0..height {
            let rows = covered(y, height, self.size.height);
            if (width, 1) == (self.size.width, rows.len()) {
                self.add_row(rows.start, &mut rgb8);
                continue;
            }
            sums.fill(0);
            for y in rows.clone() {
                row.clear();
                self.add_row(y, &mut row);
                add_columns(&row, &mut sums);
            }
            for (x, sum) in sums.chunks_exact(3).enumerate() {
                let n = (covered(x, width, self.size.width).len() * rows.len()) as u32;
                rgb8.extend(sum.iter().map(|sum| ((sum + n / 2) / n) as u8));
            }
        }
        Image {
            rgb8,
            width: width as u32,
            height: height as u32,
        }
    }

    /// Adds row `y` as RGB.
    fn add_row(&self, y: usize, rgb8: &mut Vec<u8>) {
        let row = &self.samples[y * self.size.row()..][..self.size.row()];
        match self.size.channels {
            1 => rgb8.extend(row.iter().flat_map(|grey| [*grey; 3])),
            2 => {
                let pixels = row.as_chunks::<2>().0.iter();
                rgb8.extend(pixels.flat_map(|[grey, a]| [over_white(*grey, *a); 3]));
            }
            3 => rgb8.extend_from_slice(row),
            _ => rgb8.extend(row.as_chunks::<4>().0.iter().flat_map(|[r, g, b, a]| {
                [over_white(*r, *a), over_white(*g, *a), over_white(*b, *a)]
            })),
        }
    }
}

/// A colour over white, rounded to nearest.
fn over_white(color: u8, opacity: u8) -> u8 {
    let (color, opacity) = (u32::from(color), u32::from(opacity));
    ((color * opacity + 255 * (255 - opacity) + 127) / 255) as u8
}

/// Which of `from` rows or columns lie under number `at` of `to`, which are not more: at least one.
fn covered(at: usize, to: usize, from: usize) -> std::ops::Range<usize> {
    at * from / to..(at + 1) * from / to
}

/// Adds a row of RGB to the sums of the fewer columns that it is reduced to.
fn add_columns(row: &[u8], sums: &mut [u32]) {
    let (to, from) = (sums.len() / 3, row.len() / 3);
    for (x, sum) in sums.chunks_exact_mut(3).enumerate() {
        let columns = covered(x, to, from);
        for pixel in row[columns.start * 3..columns.end * 3].chunks_exact(3) {
            for (sum, sample) in sum.iter_mut().zip(pixel) {
                *sum += u32::from(*sample);
            }
        }
    }
}
