//! Widening a block equals what an independent reader of the same bytes gives.
//!
//! The expected numbers were computed with the Python package `gguf` 0.19 (`gguf.quants.dequantize`)
//! from the bytes that `bytes` makes or that stand in `formats.hex`; they are not output of this crate. `gguf` has no
//! Q1_0: its numbers are d · (2b − 1) by NumPy, b being the bits, lowest first.

use reckon_kernels::{Format, dequantize_row};

fn random(n: usize) -> Vec<u8> {
    let mut x = 1u32;
    let next = |_| {
        x = x.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
        (x >> 16) as u8
    };
    (0..n).map(next).collect()
}

/// A block of pseudo-random bytes whose halves are 0x2c11 and 0x2c22.
fn bytes(format: Format, halves: &[usize]) -> Vec<u8> {
    let mut bytes = random(format.block_bytes());
    for (&at, low) in halves.iter().zip([0x11, 0x22]) {
        bytes[at] = low;
        bytes[at + 1] = 0x2c;
    }
    bytes
}

/// Format, places of the halves, Σ (i + 1) · weight[i], and some of the weights.
type Case = (Format, &'static [usize], f64, &'static [(usize, f32)]);

#[rustfmt::skip]
#[expect(clippy::excessive_precision, reason = "as the reference printed them")]
const CASES: [Case; 10] = [
    (Format::Q4_0, &[0], 30.752197265625, &[(0, -0.44476318359375), (1, 0.19061279296875), (15, 0.44476318359375), (16, 0.0), (17, -0.1270751953125), (31, 0.19061279296875)]),
    (Format::Q4_1, &[0, 2], 331.51519775390625, &[(0, 0.76348876953125), (1, 0.76348876953125), (15, 0.9541015625), (16, 0.3187255859375), (17, 1.01763916015625), (31, 0.89056396484375)]),
    (Format::Q5_0, &[0], 91.68475341796875, &[(0, 0.1270751953125), (1, -0.31768798828125), (15, -0.8895263671875), (16, 0.8895263671875), (17, 0.95306396484375), (31, 0.44476318359375)]),
    (Format::Q5_1, &[0, 2], 673.792236328125, &[(0, 1.3353271484375), (1, 1.46240234375), (15, 1.52593994140625), (16, 0.38226318359375), (17, 2.03424072265625), (31, 1.3353271484375)]),
    (Format::Q8_0, &[0], 583.3386840820312, &[(0, -8.06927490234375), (1, 6.79852294921875), (15, -4.12994384765625), (16, 3.11334228515625), (17, -2.1602783203125), (31, 5.4642333984375)]),
    (Format::Q2_K, &[80, 82], 8942.40234375, &[(0, -0.3936767578125), (17, 1.3270263671875), (33, -0.32598876953125), (64, -0.25830078125), (100, -0.7769775390625), (128, 0.1854248046875), (161, -0.7103271484375), (255, -0.07183837890625)]),
    (Format::Q3_K, &[108], -6975.729309082031, &[(0, -1.270751953125), (17, 3.4310302734375), (33, 0.50830078125), (64, -1.779052734375), (100, 0.3812255859375), (128, 2.795654296875), (200, -1.71551513671875), (255, -0.57183837890625)]),
    (Format::Q4_K, &[0, 2], 647991.051574707, &[(0, -0.59259033203125), (17, 2.9019775390625), (33, 37.74884033203125), (64, 17.6636962890625), (100, 42.9827880859375), (128, 25.2005615234375), (200, 34.3896484375), (255, 20.84576416015625)]),
    (Format::Q5_K, &[0, 2], 1390764.2482299805, &[(0, 16.8802490234375), (17, 0.80523681640625), (33, 56.492431640625), (64, 28.465087890625), (100, 5.49560546875), (128, 14.5262451171875), (200, 56.18304443359375), (255, -0.12164306640625)]),
    (Format::Q6_K, &[208], 143239.09661865234, &[(0, -36.59765625), (17, 64.99896240234375), (33, 18.6800537109375), (64, -76.499267578125), (100, -108.71282958984375), (128, 150.5841064453125), (200, 88.38079833984375), (255, 137.2412109375)]),
];

#[test]
fn blocks_widen_as_an_independent_reader_says() {
    for (format, halves, sum, some) in CASES {
        let mut weights = vec![0.0; format.block_len()];
        dequantize_row(format, &bytes(format, halves), &mut weights);
        for &(i, want) in some {
            assert_eq!(weights[i], want, "{format:?}, weight {i}");
        }
        let got: f64 = weights
            .iter()
            .enumerate()
            .map(|(i, w)| (i + 1) as f64 * f64::from(*w))
            .sum();
        assert!(
            (got - sum).abs() <= 1e-9 * sum.abs(),
            "{format:?}: {got} is not {sum}"
        );
    }
}

fn named(name: &str) -> Format {
    let mut all = Format::ALL.into_iter();
    all.find(|format| format.name() == name)
        .expect("a format's name")
}

/// The hexadecimal digits of `line`, `width` at a time.
fn numbers(line: &str, width: usize) -> impl Iterator<Item = u32> {
    (0..line.len())
        .step_by(width)
        .map(move |at| u32::from_str_radix(&line[at..at + width], 16).expect("digits"))
}

/// For each format a line with its name, one with one or two blocks, and lines of 16 weights.
#[test]
fn rows_widen_bit_for_bit_as_an_independent_reader_says() {
    let mut lines = include_str!("formats.hex").lines();
    let mut seen = 0;
    while let Some(name) = lines.next() {
        let format = named(name);
        let block: Vec<u8> = numbers(lines.next().expect("a block"), 2)
            .map(|byte| byte as u8)
            .collect();
        let n = block.len() / format.block_bytes() * format.block_len();
        let mut weights = vec![0.0; n];
        dequantize_row(format, &block, &mut weights);
        for (i, weights) in weights.chunks(16).enumerate() {
            let want: Vec<u32> = numbers(lines.next().expect("weights"), 8).collect();
            let got: Vec<u32> = weights.iter().map(|w| w.to_bits()).collect();
            assert_eq!(got, want, "{name}, weights from {}", 16 * i);
        }
        seen += 1;
    }
    assert_eq!(seen, 14, "every format of the file");
}

/// FNV-1a over the bits of 64 blocks of pseudo-random bytes, infinite and meaningless scales among them; what is no
/// number counts as one and the same.
#[rustfmt::skip]
const CHECKSUMS: [(Format, u64); 14] = [
    (Format::MXFP4, 0xd83bd5ef4f2ec325),
    (Format::NVFP4, 0xfb85f98d11d36325),
    (Format::IQ4_NL, 0x65636b7eaf930aa5),
    (Format::IQ4_XS, 0x004f9c38e6c453e1),
    (Format::IQ3_S, 0xe65b0291404cbf75),
    (Format::IQ3_XXS, 0x64ce352bf4ed555d),
    (Format::IQ2_S, 0x99d2ddbca8daa409),
    (Format::IQ2_XS, 0x0dcbd6ed7abc4139),
    (Format::IQ2_XXS, 0x9cb7c2d267dece11),
    (Format::IQ1_M, 0xf5f38f6df498fa85),
    (Format::IQ1_S, 0x75b654877e9546a5),
    (Format::TQ2_0, 0x24b2cf0b7063e325),
    (Format::TQ1_0, 0x68949a56827a6325),
    (Format::Q1_0, 0x153df73b47d06325),
];

#[test]
fn any_bytes_widen_as_an_independent_reader_says() {
    for (format, want) in CHECKSUMS {
        let mut weights = vec![0.0f32; 64 * format.block_len()];
        dequantize_row(format, &random(64 * format.block_bytes()), &mut weights);
        let bits = |w: &f32| match w.is_nan() {
            true => 0x7fc0_0000,
            false => w.to_bits(),
        };
        let got = weights
            .iter()
            .map(bits)
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, bits| {
                (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3)
            });
        assert_eq!(got, want, "{format:?}");
    }
}

#[test]
fn rows_are_whole_blocks() {
    for format in Format::ALL {
        let n = format.block_len();
        assert_eq!(format.row_bytes(3 * n), Some(3 * format.block_bytes()));
        if n > 1 {
            assert_eq!(format.row_bytes(3 * n - 1), None, "{format:?}");
            assert_eq!(format.row_bytes(n / 2), None, "{format:?}");
        }
    }
}
