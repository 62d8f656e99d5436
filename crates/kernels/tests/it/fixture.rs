//! Deterministic random weights and activations for the tests.

use reckon_kernels::{Format, f32_to_f16};

/// A small generator: the tests need variety, not quality.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Between -1 and 1.
    pub(crate) fn float(&mut self) -> f32 {
        self.word() as f32 / (1u32 << 30) as f32 - 1.0
    }

    pub(crate) fn floats(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.float()).collect()
    }
}

/// Where the halves of a block stand.
fn halves(format: Format) -> &'static [usize] {
    match format {
        Format::Q4_0 | Format::Q5_0 | Format::Q8_0 => &[0],
        Format::Q4_1 | Format::Q5_1 | Format::Q4_K | Format::Q5_K => &[0, 2],
        Format::Q2_K => &[80, 82],
        Format::Q3_K => &[108],
        Format::Q6_K => &[208],
        Format::IQ4_NL | Format::IQ4_XS | Format::IQ3_S | Format::IQ3_XXS => &[0],
        Format::IQ2_S | Format::IQ2_XS | Format::IQ2_XXS | Format::IQ1_S | Format::Q1_0 => &[0],
        Format::TQ2_0 => &[64],
        Format::TQ1_0 => &[52],
        Format::F32 | Format::F16 | Format::BF16 => &[],
        Format::MXFP4 | Format::NVFP4 | Format::IQ1_M => &[],
    }
}

/// Makes a half the scale of an IQ1_M block, which has it in four parts.
pub(crate) fn set_iq1_m_half(block: &mut [u8], half: u16) {
    for i in 0..4 {
        let high = &mut block[49 + 2 * i];
        *high = (*high & 15) | ((half >> (4 * i)) as u8) << 4;
    }
}

/// Random bytes of `n` weights whose scales are ordinary numbers.
pub(crate) fn weights(random: &mut Random, format: Format, n: usize) -> Vec<u8> {
    match format {
        Format::F32 => random
            .floats(n)
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect(),
        Format::F16 => random
            .floats(n)
            .iter()
            .flat_map(|&x| f32_to_f16(x).to_le_bytes())
            .collect(),
        Format::BF16 => random
            .floats(n)
            .iter()
            .flat_map(|&x| ((x.to_bits() >> 16) as u16).to_le_bytes())
            .collect(),
        _ => {
            let mut bytes = Vec::new();
            for _ in 0..n / format.block_len() {
                let at = bytes.len();
                bytes.extend((0..format.block_bytes()).map(|_| random.word() as u8));
                for &half in halves(format) {
                    let scale = f32_to_f16(random.float() / 16.0).to_le_bytes();
                    bytes[at + half..at + half + 2].copy_from_slice(&scale);
                }
                match format {
                    // From 2^-10 to 2^5.
                    Format::MXFP4 => bytes[at] = 118 + bytes[at] % 16,
                    Format::IQ1_M => {
                        let scale = f32_to_f16(random.float() / 16.0);
                        set_iq1_m_half(&mut bytes[at..], scale);
                    }
                    _ => {}
                }
            }
            bytes
        }
    }
}
