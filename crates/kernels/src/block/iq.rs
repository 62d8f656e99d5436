//! Reads blocks of the IQ formats, which store several weights as one place in a grid.
//!
//! A grid lists the groups of eight (IQ1, IQ2) or four (IQ3) sizes that occur; signs or shifts are stored apart. A
//! weight becomes a code of the format's `Codebook`: its size from the grid, and on top a bit for its sign. So what a
//! GEMM reads is wider than the file: 3 bits a weight for IQ1 and IQ2, 4 for IQ3.

use super::{BIT, NIBBLE, PAIR, QuantBlock, half};

/// All grids, one after the other.
static GRIDS: [u16; 4608] = parse(include_bytes!("grids.hex"));

/// Where the grid of each format begins.
const IQ2_XXS: usize = 0;
const IQ2_XS: usize = 256;
const IQ2_S: usize = 768;
const IQ3_XXS: usize = 1792;
const IQ3_S: usize = 2048;
const IQ1: usize = 2560;

/// Reads hexadecimal digits, four an entry, low byte first; lines that begin with `#` are comments.
const fn parse(text: &[u8]) -> [u16; 4608] {
    let mut entries = [0; 4608];
    let (mut at, mut digits) = (0, 0);
    while at < text.len() {
        match text[at] {
            b'#' => {
                while text[at] != b'\n' {
                    at += 1;
                }
            }
            b'\n' => {}
            digit => {
                let digit = (digit as char).to_digit(16).expect("a hexadecimal digit") as u16;
                // The digits of an entry, in order: bits 4 to 7, 0 to 3, 12 to 15, 8 to 11.
                entries[digits / 4] |= digit << [4, 0, 12, 8][digits % 4];
                digits += 1;
            }
        }
        at += 1;
    }
    assert!(digits == 4 * 4608, "every grid is whole");
    entries
}

impl QuantBlock {
    #[inline(always)]
    pub(super) fn read_iq4_xs(&mut self, bytes: &[u8]) {
        let high = half(bytes, 2);
        for i in 0..8 {
            let low = (bytes[4 + i / 2] >> (4 * (i % 2))) & 15;
            // Six bits, stored 32 too high; the result is a signed byte.
            let scale = low | (((high >> (2 * i)) & 3) as u8) << 4;
            self.scales[i] = scale.wrapping_sub(32);
        }
        for (bytes, out) in bytes[8..136]
            .chunks_exact(16)
            .zip(self.words.chunks_exact_mut(8))
        {
            super::nibbles(bytes, out);
        }
    }

    #[inline(always)]
    pub(super) fn read_iq3_s(&mut self, bytes: &[u8]) {
        let (places, high, signs) = (&bytes[2..66], &bytes[66..74], &bytes[74..106]);
        for (i, &place) in places.iter().enumerate() {
            let place = usize::from(place) | bit(high[i / 8], i % 8) << 8;
            self.put_four(i, GRIDS[IQ3_S + place], signs[i / 2] >> (4 * (i % 2)));
        }
        for i in 0..8 {
            let scale = (bytes[106 + i / 2] >> (4 * (i % 2))) & 15;
            self.scales[i] = 1 + 2 * scale;
        }
    }

    #[inline(always)]
    pub(super) fn read_iq3_xxs(&mut self, bytes: &[u8]) {
        for (i, &place) in bytes[2..66].iter().enumerate() {
            let signs = self.read_signs(i / 8, word(bytes, 66 + i / 8 * 4), i / 2 % 4);
            self.put_four(
                i,
                GRIDS[IQ3_XXS + usize::from(place)],
                signs >> (4 * (i % 2)),
            );
        }
    }

    #[inline(always)]
    pub(super) fn read_iq2_xxs(&mut self, bytes: &[u8]) {
        for i in 0..32 {
            let part = 2 + i / 4 * 8;
            let signs = self.read_signs(i / 4, word(bytes, part + 4), i % 4);
            let place = usize::from(bytes[part + i % 4]);
            self.put_eight(i, GRIDS[IQ2_XXS + place], signs);
        }
    }

    #[inline(always)]
    pub(super) fn read_iq2_xs(&mut self, bytes: &[u8]) {
        for i in 0..32 {
            let packed = half(bytes, 2 + 2 * i);
            let (place, signs) = (usize::from(packed & 511), (packed >> 9) as u8);
            self.put_eight(i, GRIDS[IQ2_XS + place], eight_signs(signs));
        }
        self.read_small_scales(&bytes[66..74]);
    }

    #[inline(always)]
    pub(super) fn read_iq2_s(&mut self, bytes: &[u8]) {
        for i in 0..32 {
            let high = usize::from(bytes[66 + i / 4] >> (2 * (i % 4))) & 3;
            let place = usize::from(bytes[2 + i]) | high << 8;
            self.put_eight(i, GRIDS[IQ2_S + place], bytes[34 + i]);
        }
        self.read_small_scales(&bytes[74..82]);
    }

    #[inline(always)]
    pub(super) fn read_iq1_s(&mut self, bytes: &[u8]) {
        for i in 0..32 {
            let packed = half(bytes, 34 + i / 4 * 2);
            let high = usize::from(packed >> (3 * (i % 4))) & 7;
            let place = usize::from(bytes[2 + i]) | high << 8;
            self.put_eight(i, GRIDS[IQ1 + place], shifts(packed >> 15 != 0));
            self.scales[i / 4] = 1 + 2 * ((packed >> 12) & 7) as u8;
        }
    }

    #[inline(always)]
    pub(super) fn read_iq1_m(&mut self, bytes: &[u8]) {
        for i in 0..32 {
            let high = bytes[32 + i / 2] >> (4 * (i % 2));
            let place = usize::from(bytes[i]) | usize::from(high & 7) << 8;
            self.put_eight(i, GRIDS[IQ1 + place], shifts(high & 8 != 0));
        }
        // The four bits above the scales of each 64 weights are a quarter of the block's half.
        self.d = 0;
        for i in 0..4 {
            let packed = half(bytes, 48 + 2 * i);
            self.d |= packed >> 12 << (4 * i);
            for j in 0..4 {
                self.scales[4 * i + j] = 1 + 2 * ((packed >> (3 * j)) & 7) as u8;
            }
        }
    }

    /// Signs `k` of a word that has four times seven and, in its top four bits, the scale of part `i`.
    #[inline(always)]
    fn read_signs(&mut self, i: usize, packed: u32, k: usize) -> u8 {
        self.scales[i] = 1 + 2 * (packed >> 28) as u8;
        eight_signs((packed >> (7 * k)) as u8 & 127)
    }

    /// Scales of 16 weights, four bits each.
    #[inline(always)]
    fn read_small_scales(&mut self, bytes: &[u8]) {
        for (scales, byte) in self.scales.chunks_exact_mut(2).zip(bytes) {
            scales[0] = 1 + 2 * (byte & 15);
            scales[1] = 1 + 2 * (byte >> 4);
        }
    }

    /// Eight weights of 3 bits: two from the grid, and one of `signs` on top of each.
    #[inline(always)]
    fn put_eight(&mut self, i: usize, entry: u16, signs: u8) {
        let [low, high] = entry.to_le_bytes().map(u32::from);
        self.words[2 * i] = spread_pairs(low) | spread_bits(signs & 15) << 2;
        self.words[2 * i + 1] = spread_pairs(high) | spread_bits(signs >> 4) << 2;
    }

    /// Four weights of 4 bits: three from the grid, and one of the low four `signs` on top of each.
    #[inline(always)]
    fn put_four(&mut self, i: usize, entry: u16, signs: u8) {
        self.words[i] = spread_nibbles(u32::from(entry)) | spread_bits(signs & 15) << 3;
    }
}

/// The eighth sign makes the number of minuses even.
#[inline(always)]
const fn eight_signs(seven: u8) -> u8 {
    seven | ((seven.count_ones() & 1) as u8) << 7
}

/// IQ1 shifts eight weights together.
#[inline(always)]
const fn shifts(down: bool) -> u8 {
    if down { 0xff } else { 0 }
}

#[inline(always)]
fn bit(byte: u8, at: usize) -> usize {
    usize::from(byte >> at) & 1
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Four bits, one a byte.
#[inline(always)]
pub(super) const fn spread_bits(four: u8) -> u32 {
    // The product puts a copy of the four bits so that the k-th stands lowest in the k-th byte.
    (four as u32).wrapping_mul(0x0020_4081) & BIT
}

/// Four pairs of bits, one a byte.
#[inline(always)]
const fn spread_pairs(byte: u32) -> u32 {
    let halves = (byte | byte << 12) & 0x000f_000f;
    (halves | halves << 6) & PAIR
}

/// Four nibbles, one a byte.
#[inline(always)]
const fn spread_nibbles(packed: u32) -> u32 {
    let halves = (packed | packed << 8) & 0x00ff_00ff;
    (halves | halves << 4) & NIBBLE
}
