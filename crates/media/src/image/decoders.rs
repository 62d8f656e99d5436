//! One function for each format: bytes of a file to samples of 8 bits.
use super::{Decoded, Orientation, Size};
use crate::limits::{MOST_BYTES, MOST_PIXELS};
use std::{io::Cursor, num::NonZeroU64};
use zune_jpeg::zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions};

/// Most bytes that a decoder may take for itself.
const MOST_MEMORY: usize = MOST_PIXELS as usize + MOST_BYTES;
const MOST_OF_FRAME: NonZeroU64 = NonZeroU64::new(MOST_PIXELS).unwrap();

pub(super) fn jpeg(file: &[u8]) -> Result<Decoded, String> {
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(said)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let (color, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    let size = Size::checked((width as u32, height as u32), channels, 1)?;
    let orientation = Orientation::of_exif(decoder.exif().map(Vec::as_slice));
    decoder.set_options(options.jpeg_set_out_colorspace(color));
    let mut samples = vec![0; size.samples()];
    decoder.decode_into(&mut samples).map_err(said)?;
    Ok(Decoded {
        size,
        samples,
        orientation,
    })
}

pub(super) fn png(file: &[u8]) -> Result<Decoded, String> {
    let limits = png::Limits { bytes: MOST_MEMORY };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Palettes to colours, fewer than 8 bits to 8.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(said)?;
    let (color, depth) = reader.output_color_type();
    let wide = depth == png::BitDepth::Sixteen;
    let size = Size::checked(reader.info().size(), color.samples(), 1 + u64::from(wide))?;
    let orientation = Orientation::of_exif(reader.info().exif_metadata.as_deref());
    let mut samples = vec![0; size.samples() << u32::from(wide)];
    reader.next_frame(&mut samples).map_err(said)?;
    if wide {
        narrow(&mut samples);
    }
    Ok(Decoded {
        size,
        samples,
        orientation,
    })
}

/// 16 bits to 8, rounded to nearest, in place.
fn narrow(samples: &mut Vec<u8>) {
    for n in 0..samples.len() / 2 {
        let wide = u32::from(u16::from_be_bytes([samples[2 * n], samples[2 * n + 1]]));
        samples[n] = ((wide + 128) / 257) as u8;
    }
    samples.truncate(samples.len() / 2);
}

pub(super) fn webp(file: &[u8]) -> Result<Decoded, String> {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(file)).map_err(said)?;
    decoder.set_memory_limit(MOST_MEMORY);
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let size = Size::checked(decoder.dimensions(), channels, 1)?;
    let exif = decoder.exif_metadata().unwrap_or_default();
    let mut samples = vec![0; size.samples()];
    decoder.read_image(&mut samples).map_err(said)?;
    Ok(Decoded {
        size,
        samples,
        orientation: Orientation::of_exif(exif.as_deref()),
    })
}

/// The first frame, which may be smaller than the screen it is shown on; the rest of that is transparent.
pub(super) fn gif(file: &[u8]) -> Result<Decoded, String> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    options.set_memory_limit(gif::MemoryLimit::Bytes(MOST_OF_FRAME));
    let mut decoder = options.read_info(file).map_err(said)?;
    let screen = (u32::from(decoder.width()), u32::from(decoder.height()));
    let size = Size::checked(screen, 4, 1)?;
    let frame = decoder.next_frame_info().map_err(said)?;
    let frame = frame.ok_or("there is no frame in it")?;
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let of_frame = Size::checked((frame.width.into(), frame.height.into()), 4, 1)?;
    let mut pixels = vec![0; of_frame.samples()];
    decoder.read_into_buffer(&mut pixels).map_err(said)?;
    let whole = (left, top, of_frame.width, of_frame.height) == (0, 0, size.width, size.height);
    let samples = if whole {
        pixels
    } else {
        let mut samples = vec![0; size.samples()];
        let n = of_frame.width.min(size.width.saturating_sub(left)) * 4;
        let rows = samples.chunks_exact_mut(size.row()).skip(top);
        for (to, from) in rows.zip(pixels.chunks_exact(of_frame.row())) {
            if let Some(to) = to.get_mut(left * 4..left * 4 + n) {
                to.copy_from_slice(&from[..n]);
            }
        }
        samples
    };
    Ok(Decoded {
        size,
        samples,
        orientation: Orientation::default(),
    })
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
