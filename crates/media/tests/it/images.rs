//! Pictures through the child.
use crate::{image as decoded, refusal};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use reckon_media::{Error, MOST_SIDE};
use std::io::Cursor;

/// Red on the left, green in the upper right, blue in the lower right.
fn flag(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        match (x < width / 2, y < height / 2) {
            (true, _) => Rgb([255, 0, 0]),
            (false, true) => Rgb([0, 255, 0]),
            (false, false) => Rgb([0, 0, 255]),
        }
    })
}

fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.into().write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// How far two rows of bytes are apart at most.
fn furthest(a: &[u8], b: &[u8]) -> u8 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

#[test]
fn every_format_gives_its_pixels() {
    let picture = flag(64, 32);
    for format in [
        ImageFormat::Png,
        ImageFormat::WebP,
        ImageFormat::Gif,
        ImageFormat::Jpeg,
    ] {
        let image = decoded(&encoded(picture.clone(), format));
        assert_eq!((image.width, image.height), (64, 32), "{format:?}");
        // The edges lie on JPEG's blocks, so it loses next to nothing.
        let limit = if format == ImageFormat::Jpeg { 4 } else { 0 };
        let off = furthest(&image.rgb8, picture.as_raw());
        assert!(off <= limit, "{format:?}: {off}");
    }
}

#[test]
fn transparency_shows_white_and_grey_is_grey() {
    let picture = RgbaImage::from_fn(3, 1, |x, _| Rgba([200, 0, 0, [0, 128, 255][x as usize]]));
    let image = decoded(&encoded(picture, ImageFormat::Png));
    assert_eq!(image.rgb8, [255, 255, 255, 227, 127, 127, 200, 0, 0]);
    let grey = image::ImageBuffer::from_pixel(2, 1, image::Luma([40000_u16]));
    let image = decoded(&encoded(DynamicImage::ImageLuma16(grey), ImageFormat::Png));
    assert_eq!(image.rgb8, [156; 6]);
}

/// A JPEG with an EXIF block that says how the camera was held, and where.
fn exif(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    tiff.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    let mut segment = b"Exif\0\0".to_vec();
    segment.extend(tiff);
    let length = segment.len() as u16 + 2;
    [
        &jpeg[..2],
        b"\xff\xe1",
        &length.to_be_bytes(),
        &segment,
        &jpeg[2..],
    ]
    .concat()
}

#[test]
fn photos_stand_upright() {
    let jpeg = encoded(flag(64, 32), ImageFormat::Jpeg);
    let image = decoded(&exif(&jpeg, 6));
    assert_eq!((image.width, image.height), (32, 64));
    // Turned clockwise: what was left is above, what was the lower right is the lower left.
    let pixel = |x: u32, y: u32| &image.rgb8[3 * (y * 32 + x) as usize..][..3];
    assert!(furthest(pixel(16, 5), &[255, 0, 0]) < 5);
    assert!(furthest(pixel(5, 60), &[0, 0, 255]) < 5);
    assert!(furthest(pixel(28, 60), &[0, 255, 0]) < 5);
    // A block that makes no sense is no reason to refuse the photo.
    assert_eq!(decoded(&exif(&jpeg, 99)).width, 64);
}

#[test]
fn large_pictures_are_reduced_and_huge_ones_refused() {
    let image = decoded(&encoded(flag(6000, 30), ImageFormat::Png));
    assert_eq!((image.width, image.height), (MOST_SIDE, 20));
    assert_eq!(image.rgb8[..3], [255, 0, 0]);
    // A header that promises more than anybody has.
    let mut png = encoded(flag(8, 8), ImageFormat::Png);
    png[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    let crc = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&crc.to_be_bytes());
    let error = refusal(&png, "");
    assert!(matches!(error, Error::Unreadable(_)), "{error:?}");
    assert!(error.to_string().contains("65535 × 65535"), "{error}");
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |mut crc: u32, byte: &u8| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
        crc
    };
    !bytes.iter().fold(u32::MAX, step)
}

#[test]
fn a_broken_picture_is_one_line() {
    let png = encoded(flag(64, 64), ImageFormat::Png);
    for end in [8, 20, 40, png.len() / 2] {
        assert!(matches!(refusal(&png[..end], ""), Error::Unreadable(_)));
    }
}
