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

/// Noise of its own in every sample.
fn noise(n: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..n).map(|_| next()).collect()
}

#[test]
fn pixels_are_those_of_another_reader() {
    let (width, height) = (37, 23);
    let bytes = noise(width * height * 8);
    let wide: Vec<u16> = bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|pair| u16::from_le_bytes(*pair))
        .collect();
    let of = |channels: usize| bytes[..width * height * channels].to_vec();
    let of_wide = |channels: usize| wide[..width * height * channels].to_vec();
    macro_rules! picture {
        ($kind:ident, $samples:expr) => {
            DynamicImage::$kind(
                image::ImageBuffer::from_raw(width as u32, height as u32, $samples).unwrap(),
            )
        };
    }
    let pictures = [
        picture!(ImageLuma8, of(1)),
        picture!(ImageLumaA8, of(2)),
        picture!(ImageRgb8, of(3)),
        picture!(ImageRgba8, of(4)),
        picture!(ImageLuma16, of_wide(1)),
        picture!(ImageLumaA16, of_wide(2)),
        picture!(ImageRgb16, of_wide(3)),
        picture!(ImageRgba16, of_wide(4)),
    ];
    for picture in pictures {
        let image = decoded(&encoded(picture.clone(), ImageFormat::Png));
        assert_eq!(image.rgb8, over_white(&picture));
    }
    for picture in [picture!(ImageLuma8, of(1)), picture!(ImageRgb8, of(3))] {
        let jpeg = encoded(picture, ImageFormat::Jpeg);
        let theirs = image::load_from_memory(&jpeg).unwrap().into_rgb8();
        assert_eq!(decoded(&jpeg).rgb8, theirs.into_raw());
    }
    for format in [ImageFormat::WebP, ImageFormat::Gif] {
        let file = encoded(picture!(ImageRgba8, of(4)), format);
        let theirs = image::load_from_memory(&file).unwrap();
        assert_eq!(decoded(&file).rgb8, over_white(&theirs), "{format:?}");
    }
}

fn over_white(picture: &DynamicImage) -> Vec<u8> {
    let pixels = picture.to_rgba8();
    let pixels = pixels.pixels().flat_map(|Rgba([r, g, b, a])| {
        let a = f64::from(*a) / 255.0;
        [r, g, b].map(|color| (f64::from(*color) * a + 255.0 * (1.0 - a)).round() as u8)
    });
    pixels.collect()
}

#[test]
fn a_frame_lies_where_its_screen_has_it() {
    // Four by three, white where the frame of two by one at (1, 2) is not.
    let mut gif = b"GIF89a\x04\0\x03\0\x80\0\0\xff\0\0\0\0\xff".to_vec();
    gif.extend(b",\x01\0\x02\0\x02\0\x01\0\0\x02\x02\x44\x0a\0;");
    let theirs = image::load_from_memory(&gif).unwrap();
    let image = decoded(&gif);
    assert_eq!((image.width, image.height), (4, 3));
    assert_eq!(image.rgb8, over_white(&theirs));
    assert_eq!(image.rgb8[27..33], [255, 0, 0, 0, 0, 255]);
    // One that reaches beyond it is cut.
    gif[20] = 3;
    assert_eq!(decoded(&gif).rgb8[33..], [255, 0, 0]);
    gif[20] = 200;
    assert_eq!(decoded(&gif).rgb8, [255; 36]);
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
    for number in 0..=9 {
        let turned = exif(&jpeg, number);
        let mut theirs = image::load_from_memory(&jpeg).unwrap();
        if let Some(orientation) = image::metadata::Orientation::from_exif(number) {
            theirs.apply_orientation(orientation);
        }
        assert_eq!(decoded(&turned).rgb8, theirs.into_rgb8().into_raw());
    }
    // A block that makes no sense is no reason to refuse the photo.
    assert_eq!(decoded(&exif(&jpeg, 99)).width, 64);
}

#[test]
fn large_pictures_are_reduced_and_huge_ones_refused() {
    let image = decoded(&encoded(flag(6000, 30), ImageFormat::Png));
    assert_eq!((image.width, image.height), (MOST_SIDE, 20));
    assert_eq!(image.rgb8[..3], [255, 0, 0]);
    // Means of what they cover; a picture of one row keeps it.
    let bars = RgbImage::from_fn(8192, 1, |x, _| Rgb([[0, 100, 50, 60][x as usize % 4]; 3]));
    let image = decoded(&encoded(bars, ImageFormat::Png));
    assert_eq!((image.width, image.height), (4096, 1));
    assert_eq!(
        image.rgb8[..12],
        [50, 50, 50, 55, 55, 55, 50, 50, 50, 55, 55, 55]
    );
    let high = decoded(&encoded(flag(30, 6001), ImageFormat::Png));
    assert_eq!((high.width, high.height), (20, MOST_SIDE));
    assert_eq!(high.rgb8[high.rgb8.len() - 3..], [0, 0, 255]);
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
