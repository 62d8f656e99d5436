//! Widening a block equals what an independent reader of the same bytes gives.
//!
//! The expected numbers were computed with the Python package `gguf` 0.19 (`gguf.quants.dequantize`)
//! from the bytes that `bytes` makes; they are not output of this crate.

use reckon_kernels::{Format, dequantize_row};

/// A block of pseudo-random bytes whose halves are 0x2c11 and 0x2c22.
fn bytes(format: Format, halves: &[usize]) -> Vec<u8> {
    let mut x = 1u32;
    let mut bytes: Vec<u8> = (0..format.block_bytes())
        .map(|_| {
            x = x.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
            (x >> 16) as u8
        })
        .collect();
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
