//! Decodes one block of a quantised row, as ggml lays it out, into small integers and scales.
//!
//! Called by `pack` (which lays the parts out anew) and by `dequantize_row`. Every
//! format is seen as the same thing: unsigned integers `u`, an `offset`, and for each
//! sub-block a scale and perhaps a minimum: weight = scale · (u − offset) + min. Formats with a
//! `codebook` store codes instead, places in a table of such integers; `iq` reads those that pack
//! codes into grids. Source: the block layouts of ggml, checked against independent values in `tests/it`.

mod codebook;
mod iq;

pub(crate) use codebook::Codebook;

use crate::Format;
use crate::half::{bf16_to_f32, f16_to_f32};

/// One block of one row: 32 to 256 weights.
pub(crate) struct QuantBlock {
    /// The integers or codes, low to high, four bytes a word: whole words are taken apart at once.
    pub(crate) words: [u32; 64],
    /// The block's scale, a half.
    pub(crate) d: u16,
    /// The block's minimum (Q4_1, Q5_1) or the scale of its minimums (K formats), a half.
    pub(crate) m: u16,
    /// Scale of each sub-block: signed for Q3_K, Q6_K and IQ formats, a tiny float for MXFP4 and NVFP4.
    pub(crate) scales: [u8; 16],
    /// Minimum of each sub-block.
    pub(crate) mins: [u8; 16],
}

/// The lowest bits of each byte of a word.
const BIT: u32 = 0x0101_0101;
const PAIR: u32 = 0x0303_0303;
const NIBBLE: u32 = 0x0f0f_0f0f;

impl QuantBlock {
    pub(crate) const EMPTY: Self = Self {
        words: [0; 64],
        d: 0,
        m: 0,
        scales: [0; 16],
        mins: [0; 16],
    };

    /// Reads the block in `bytes`, which has `format.block_bytes()` bytes.
    #[inline(always)]
    pub(crate) fn read(&mut self, format: Format, bytes: &[u8]) {
        assert_eq!(bytes.len(), format.block_bytes());
        // Most formats begin with their scale; those that do not overwrite this below.
        self.d = half(bytes, 0);
        match format {
            Format::Q4_0 => nibbles(&bytes[2..18], &mut self.words[..8]),
            Format::Q4_1 => {
                self.m = half(bytes, 2);
                nibbles(&bytes[4..20], &mut self.words[..8]);
            }
            Format::Q5_0 => {
                nibbles(&bytes[6..22], &mut self.words[..8]);
                fifth_bits(&bytes[2..6], &mut self.words);
            }
            Format::Q5_1 => {
                self.m = half(bytes, 2);
                nibbles(&bytes[8..24], &mut self.words[..8]);
                fifth_bits(&bytes[4..8], &mut self.words);
            }
            Format::Q8_0 => {
                // Signed bytes become unsigned ones, 128 higher: flipping the top bit adds 128.
                for (out, word) in self.words.iter_mut().zip(words(&bytes[2..34])) {
                    *out = word ^ (BIT << 7);
                }
            }
            Format::Q2_K => self.read_q2k(bytes),
            Format::Q3_K => self.read_q3k(bytes),
            Format::Q4_K => {
                self.read_k_scales(bytes);
                chunks_of_nibbles(&bytes[16..144], &mut self.words);
            }
            Format::Q5_K => {
                self.read_k_scales(bytes);
                chunks_of_nibbles(&bytes[48..176], &mut self.words);
                self.add_high_bits(&bytes[16..48], 4);
            }
            Format::Q6_K => self.read_q6k(bytes),
            Format::IQ4_NL => nibbles(&bytes[2..18], &mut self.words[..8]),
            Format::MXFP4 => {
                self.scales[0] = bytes[0];
                nibbles(&bytes[1..17], &mut self.words[..8]);
            }
            Format::NVFP4 => {
                self.scales[..4].copy_from_slice(&bytes[..4]);
                let parts = bytes[4..36].chunks_exact(8);
                for (bytes, out) in parts.zip(self.words.chunks_exact_mut(4)) {
                    nibbles(bytes, out);
                }
            }
            Format::IQ4_XS => self.read_iq4_xs(bytes),
            Format::IQ3_S => self.read_iq3_s(bytes),
            Format::IQ3_XXS => self.read_iq3_xxs(bytes),
            Format::IQ2_S => self.read_iq2_s(bytes),
            Format::IQ2_XS => self.read_iq2_xs(bytes),
            Format::IQ2_XXS => self.read_iq2_xxs(bytes),
            Format::IQ1_M => self.read_iq1_m(bytes),
            Format::IQ1_S => self.read_iq1_s(bytes),
            Format::TQ2_0 => {
                pairs(&bytes[..64], &mut self.words);
                self.d = half(bytes, 64);
            }
            Format::TQ1_0 => self.read_tq1(bytes),
            Format::Q1_0 => {
                for (i, byte) in bytes[2..18].iter().enumerate() {
                    self.words[2 * i] = iq::spread_bits(byte & 15);
                    self.words[2 * i + 1] = iq::spread_bits(byte >> 4);
                }
            }
            Format::F32 | Format::F16 | Format::BF16 => unreachable!("floats have no blocks"),
        }
    }

    /// Adds bit i of 32 bytes to the i-th 32 integers, as their bit `at`.
    #[inline(always)]
    fn add_high_bits(&mut self, bytes: &[u8], at: u32) {
        for (i, part) in self.words.chunks_exact_mut(8).enumerate() {
            for (out, high) in part.iter_mut().zip(words(bytes)) {
                *out |= ((high >> i) & BIT) << at;
            }
        }
    }

    #[inline(always)]
    fn read_q2k(&mut self, bytes: &[u8]) {
        for (i, &byte) in bytes[..16].iter().enumerate() {
            self.scales[i] = byte & 15;
            self.mins[i] = byte >> 4;
        }
        pairs(&bytes[16..80], &mut self.words);
        self.d = half(bytes, 80);
        self.m = half(bytes, 82);
    }

    #[inline(always)]
    fn read_q3k(&mut self, bytes: &[u8]) {
        pairs(&bytes[32..96], &mut self.words);
        self.add_high_bits(&bytes[..32], 2);
        let packed = &bytes[96..108];
        for i in 0..16 {
            let low = if i < 8 {
                packed[i] & 15
            } else {
                packed[i - 8] >> 4
            };
            let high = (packed[8 + i % 4] >> (2 * (i / 4))) & 3;
            // Six bits, stored 32 too high; the result is a signed byte.
            self.scales[i] = (low | (high << 4)).wrapping_sub(32);
        }
        self.d = half(bytes, 108);
    }

    /// Scale and minimum of Q4_K and Q5_K: 2 × 8 values of 6 bits in 12 bytes.
    #[inline(always)]
    fn read_k_scales(&mut self, bytes: &[u8]) {
        self.m = half(bytes, 2);
        let packed = &bytes[4..16];
        // The first four of each are whole; the last four have their low nibbles in bytes 8 to 11 and their two high
        // bits on top of the first four.
        for j in 0..4 {
            self.scales[j] = packed[j] & 63;
            self.mins[j] = packed[j + 4] & 63;
            self.scales[j + 4] = (packed[j + 8] & 15) | ((packed[j] >> 6) << 4);
            self.mins[j + 4] = (packed[j + 8] >> 4) | ((packed[j + 4] >> 6) << 4);
        }
    }

    #[inline(always)]
    fn read_q6k(&mut self, bytes: &[u8]) {
        // Each half of the block: 64 bytes of low nibbles and 32 bytes of high pairs, four groups of 32 integers
        // interleaved.
        for (half_block, out) in self.words.chunks_exact_mut(32).enumerate() {
            let (low, _) = bytes[64 * half_block..][..64].as_chunks::<4>();
            let (high, _) = bytes[128 + 32 * half_block..][..32].as_chunks::<4>();
            for l in 0..8 {
                let (first, second) = (u32::from_le_bytes(low[l]), u32::from_le_bytes(low[l + 8]));
                let high = u32::from_le_bytes(high[l]);
                out[l] = (first & NIBBLE) | ((high & PAIR) << 4);
                out[l + 8] = (second & NIBBLE) | (((high >> 2) & PAIR) << 4);
                out[l + 16] = ((first >> 4) & NIBBLE) | (((high >> 4) & PAIR) << 4);
                out[l + 24] = ((second >> 4) & NIBBLE) | (((high >> 6) & PAIR) << 4);
            }
        }
        self.scales.copy_from_slice(&bytes[192..208]);
        self.d = half(bytes, 208);
    }

    /// Integers of three values, five to a byte (four in the last four bytes): digits to the base of 3.
    #[inline(always)]
    fn read_tq1(&mut self, bytes: &[u8]) {
        let runs = [(0, 32, 5), (32, 16, 5), (48, 4, 4)];
        let mut at = 0;
        for (first, len, digits) in runs {
            let mut power = 1u8;
            for _ in 0..digits {
                for word in words(&bytes[first..first + len]) {
                    // A byte over 256 is a fraction whose digits to the base of 3 are the integers: times 3^k drops the
                    // first k of them, times 3 makes the next one whole.
                    let digit = |byte: u8| ((u16::from(byte.wrapping_mul(power)) * 3) >> 8) as u8;
                    self.words[at] = u32::from_le_bytes(word.to_le_bytes().map(digit));
                    at += 1;
                }
                power = power.wrapping_mul(3);
            }
        }
        self.d = half(bytes, 52);
    }
}

#[inline(always)]
fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

#[inline(always)]
fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
}

/// Low nibbles first, then the high ones.
#[inline(always)]
fn nibbles(bytes: &[u8], out: &mut [u32]) {
    let (low, high) = out.split_at_mut(bytes.len() / 4);
    for ((low, high), word) in low.iter_mut().zip(high).zip(words(bytes)) {
        *low = word & NIBBLE;
        *high = (word >> 4) & NIBBLE;
    }
}

#[inline(always)]
fn chunks_of_nibbles(bytes: &[u8], out: &mut [u32; 64]) {
    for (bytes, out) in bytes.chunks_exact(32).zip(out.chunks_exact_mut(16)) {
        nibbles(bytes, out);
    }
}

/// Two-bit integers: each run of 32 bytes holds 128 of them, a shift for each 32.
#[inline(always)]
fn pairs(bytes: &[u8], out: &mut [u32; 64]) {
    for (bytes, out) in bytes.chunks_exact(32).zip(out.chunks_exact_mut(32)) {
        for (shift, out) in out.chunks_exact_mut(8).enumerate() {
            for (out, word) in out.iter_mut().zip(words(bytes)) {
                *out = (word >> (2 * shift)) & PAIR;
            }
        }
    }
}

/// Adds one bit of 32 to each of the first 32 integers, as their fifth.
#[inline(always)]
fn fifth_bits(bytes: &[u8], out: &mut [u32; 64]) {
    let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    for (i, out) in out[..8].iter_mut().enumerate() {
        let four = ((bits >> (4 * i)) & 15) as u8;
        *out |= iq::spread_bits(four) << 4;
    }
}

/// Widens one row to floats: the plain meaning of every format.
///
/// # Panics
/// If `bytes` is not the bytes of `out.len()` weights.
pub fn dequantize_row(format: Format, bytes: &[u8], out: &mut [f32]) {
    assert_eq!(
        Some(bytes.len()),
        format.row_bytes(out.len()),
        "a row of {}",
        format.name()
    );
    match format {
        Format::F32 => {
            for (x, b) in out.iter_mut().zip(bytes.chunks_exact(4)) {
                *x = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        }
        Format::F16 => {
            for (x, b) in out.iter_mut().zip(bytes.chunks_exact(2)) {
                *x = f16_to_f32(half(b, 0));
            }
        }
        Format::BF16 => {
            for (x, b) in out.iter_mut().zip(bytes.chunks_exact(2)) {
                *x = bf16_to_f32(half(b, 0));
            }
        }
        _ => {
            let mut block = QuantBlock::EMPTY;
            let weights = out.chunks_exact_mut(format.block_len());
            for (bytes, out) in bytes.chunks_exact(format.block_bytes()).zip(weights) {
                block.read(format, bytes);
                dequantize_block(format, &block, out);
            }
        }
    }
}

fn dequantize_block(format: Format, block: &QuantBlock, out: &mut [f32]) {
    let codebook = Codebook::of(format);
    let integer = |u: u8| match codebook {
        Some(codebook) => f32::from(codebook.table[usize::from(u)]) - 128.0,
        None if format == Format::Q1_0 => f32::from(2 * u) - 1.0,
        None => f32::from(u) - offset(format),
    };
    let parts = out
        .chunks_exact_mut(16)
        .zip(block.words.chunks_exact(4))
        .enumerate();
    for (i, (out, words)) in parts {
        let (scale, min) = scale_and_min(format, block, i);
        let quants = words.iter().flat_map(|word| word.to_le_bytes());
        for (x, u) in out.iter_mut().zip(quants) {
            *x = scale * integer(u);
            if let Some(min) = min {
                *x += min;
            }
        }
    }
}

/// What was added to make integers unsigned.
const fn offset(format: Format) -> f32 {
    match format {
        Format::Q4_0 => 8.0,
        Format::Q5_0 => 16.0,
        Format::Q8_0 => 128.0,
        Format::Q3_K => 4.0,
        Format::Q6_K => 32.0,
        Format::TQ2_0 | Format::TQ1_0 => 1.0,
        _ => 0.0,
    }
}

/// Scale and minimum of the `i`-th 16 weights of a block.
fn scale_and_min(format: Format, block: &QuantBlock, i: usize) -> (f32, Option<f32>) {
    let (d, m) = (f16_to_f32(block.d), f16_to_f32(block.m));
    let d = Codebook::of(format).map_or(d, |codebook| d * codebook.factor);
    let signed = |i: usize| d * f32::from(block.scales[i].cast_signed());
    let with_min = |i: usize| {
        let min = -m * f32::from(block.mins[i]);
        (d * f32::from(block.scales[i]), Some(min))
    };
    match format {
        Format::Q4_1 | Format::Q5_1 => (d, Some(m)),
        Format::Q4_K | Format::Q5_K => with_min(i / 2),
        Format::Q2_K => with_min(i),
        Format::Q3_K | Format::Q6_K => (signed(i), None),
        Format::IQ2_XS | Format::IQ2_S | Format::IQ1_M => (signed(i), None),
        Format::IQ4_XS | Format::IQ3_S | Format::IQ3_XXS => (signed(i / 2), None),
        Format::IQ2_XXS | Format::IQ1_S => (signed(i / 2), None),
        Format::MXFP4 => (e8m0_to_f32(block.scales[0]), None),
        Format::NVFP4 => (e4m3_to_f32(block.scales[i]), None),
        _ => (d, None),
    }
}

/// A scale of MXFP4, 2^(x − 127), halved because its codebook is doubled.
fn e8m0_to_f32(x: u8) -> f32 {
    match x {
        // Subnormal numbers.
        0 | 1 => f32::from_bits(0x0020_0000 << x),
        _ => f32::from_bits(u32::from(x - 1) << 23),
    }
}

/// A scale of NVFP4, four bits of exponent and three of mantissa without a sign, halved because its codebook is
/// doubled. What would be no number counts as 0.
pub(crate) fn e4m3_to_f32(x: u8) -> f32 {
    if x == 0x7f {
        return 0.0;
    }
    let (exponent, mantissa) = ((x >> 3) & 15, f32::from(x & 7));
    match exponent {
        0 => mantissa / 1024.0,
        _ => (8.0 + mantissa) * f32::from_bits(u32::from(exponent + 127 - 11) << 23),
    }
}
