//! Images before they are encoded: sizes, and resizing as Pillow does it.

use reckon_engine::{Error, IMAGE_BUDGET, Pixels, resize, target_size};

/// Sizes, and digests of what Pillow 13.0.0 made of them (`tests/reference/resize.py`).
type Case = ((usize, usize), (usize, usize), u64);
const PILLOW: [Case; 6] = [
    ((37, 23), (48, 96), 0x4344_87a1_dbe2_107a),
    ((200, 131), (96, 48), 0xba2f_af09_5197_d3aa),
    ((48, 50), (48, 144), 0x0297_dc16_9844_f4cb),
    ((300, 7), (48, 48), 0x82b0_bd8d_6331_09cc),
    ((5, 3), (96, 48), 0x1da0_c7e1_4970_2954),
    ((97, 400), (144, 400), 0x6d11_b193_1e8c_6ecf),
];

fn noise(n: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..n).map(|_| next()).collect()
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn resizing_gives_the_bytes_that_pillow_gives() {
    for (from, to, digest) in PILLOW {
        let got = resize(&noise(3 * from.0 * from.1), from, to).unwrap();
        assert_eq!(got.len(), 3 * to.0 * to.1);
        assert_eq!(fnv(&got), digest, "{from:?} to {to:?}");
    }
    let same = noise(3 * 48 * 48);
    assert_eq!(resize(&same, (48, 48), (48, 48)).unwrap(), same);
}

#[test]
fn target_sizes_fill_the_budget_with_whole_soft_tokens() {
    // Height and width; the published examples, then sides too short for a soft token.
    for ((height, width), want) in [
        ((480, 640), (672, 912)),
        ((1080, 1920), (576, 1056)),
        ((3000, 2000), (960, 624)),
        ((100, 100), (768, 768)),
        ((64, 2000), (96, 4464)),
        ((1, 1000), (48, 280 * 48)),
        ((1000, 3), (280 * 48, 48)),
    ] {
        assert_eq!(target_size(height, width, IMAGE_BUDGET).unwrap(), want);
    }
    for (height, width) in [(1, 1), (7, 9), (5000, 4000), (333, 1), (2, 100_000)] {
        for budget in [70, 99, 280, 1120] {
            let (rows, columns) = target_size(height, width, budget).unwrap();
            assert!(rows % 48 == 0 && columns % 48 == 0 && rows > 0 && columns > 0);
            assert!(rows / 48 * (columns / 48) <= budget, "{height} × {width}");
        }
    }
}

#[test]
fn what_is_no_image_is_refused() {
    let refused = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Media(_))));
    let size = |h, w, budget| target_size(h, w, budget).map(drop);
    refused(size(0, 10, 280));
    refused(size(usize::MAX, 2, 280));
    refused(size(100, 100, 69));
    refused(size(100, 100, 1121));
    refused(resize(&[0; 10], (2, 2), (48, 48)).map(drop));
    refused(resize(&[0; 12], (2, 2), (usize::MAX, 2)).map(drop));
    refused(resize(&[], (0, 0), (48, 48)).map(drop));
    let pixels = |h: usize, w: usize, data| Pixels::new(h, w, data).map(drop);
    refused(pixels(48, 47, vec![0.0; 3 * 48 * 47]));
    refused(pixels(48, 48, vec![0.0; 7]));
    refused(pixels(48, 48, vec![f32::NAN; 3 * 48 * 48]));
    refused(pixels(0, 0, vec![]));
    refused(pixels(48 * 34, 48 * 34, vec![]));
    refused(Pixels::from_rgb(&[0; 5], 10, 10, 280).map(drop));
    let image = Pixels::from_rgb(&noise(3 * 20 * 10), 10, 20, 70).unwrap();
    assert_eq!(
        (image.height(), image.width()),
        target_size(10, 20, 70).unwrap()
    );
}
