//! Pictures: JPEG, PNG, WebP and GIF to upright RGB pixels without metadata.
//!
//! Sizes are checked before anything is decoded. What is transparent shows white. A picture with a side above [`MOST_SIDE`]
//! is reduced by averaging; no vision encoder takes more.
use crate::{
    Image, Kind, MOST_SIDE,
    limits::{MOST_BYTES, MOST_PIXELS},
};
use image::{
    DynamicImage, GenericImageView, ImageDecoder, ImageError, Limits, RgbImage,
    codecs::{gif::GifDecoder, jpeg::JpegDecoder, png::PngDecoder, webp::WebPDecoder},
    imageops,
    metadata::Orientation,
};
use std::io::Cursor;

/// Decodes the first or only frame.
pub(crate) fn decode(kind: Kind, file: &[u8]) -> Result<Image, String> {
    let from = Cursor::new(file);
    match kind {
        Kind::Jpeg => JpegDecoder::new(from).and_then(upright),
        Kind::Png => PngDecoder::new(from).and_then(upright),
        Kind::Webp => WebPDecoder::new(from).and_then(upright),
        Kind::Gif => GifDecoder::new(from).and_then(upright),
        _ => return Err("not a picture".into()),
    }
    .map_err(|error| format!("the picture cannot be read: {error}"))
}

fn upright(mut decoder: impl ImageDecoder) -> Result<Image, ImageError> {
    let (width, height) = decoder.dimensions();
    if width == 0 || height == 0 || decoder.total_bytes() > MOST_PIXELS {
        let error = format!("{width} × {height} pixels; more than are read");
        return Err(ImageError::IoError(std::io::Error::other(error)));
    }
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MOST_PIXELS + MOST_BYTES as u64);
    decoder.set_limits(limits)?;
    // A damaged EXIF block is no reason to refuse the picture.
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = reduced(DynamicImage::from_decoder(decoder)?);
    picture.apply_orientation(orientation);
    let rgb = picture.into_rgb8();
    let (width, height) = rgb.dimensions();
    Ok(Image {
        rgb8: rgb.into_raw(),
        width,
        height,
    })
}

/// RGB, with no side above the limit. Reduced first where needed: that leaves less to convert.
fn reduced(picture: DynamicImage) -> DynamicImage {
    let (width, height) = picture.dimensions();
    let picture = if width.max(height) > MOST_SIDE {
        let scale = f64::from(MOST_SIDE) / f64::from(width.max(height));
        let side = |n: u32| ((f64::from(n) * scale).round() as u32).clamp(1, MOST_SIDE);
        let (width, height) = (side(width), side(height));
        match picture {
            DynamicImage::ImageRgb8(rgb) => imageops::thumbnail(&rgb, width, height).into(),
            other => imageops::thumbnail(&other, width, height).into(),
        }
    } else {
        picture
    };
    if picture.color().has_alpha() {
        over_white(&picture).into()
    } else {
        picture.into_rgb8().into()
    }
}

fn over_white(picture: &DynamicImage) -> RgbImage {
    let rgba = picture.to_rgba8();
    RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let [r, g, b, a] = rgba.get_pixel(x, y).0;
        let mix = |c: u8| {
            let sum = u32::from(c) * u32::from(a) + 255 * (255 - u32::from(a));
            // Rounded to nearest; never above 255.
            ((sum + 127) / 255) as u8
        };
        image::Rgb([mix(r), mix(g), mix(b)])
    })
}
