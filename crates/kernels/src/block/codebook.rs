//! Codebooks: what the codes of a non-linear format stand for.
//!
//! A code of 3 or 4 bits is the place of a small integer in a table of 16, and a weight is that integer times its
//! scale. The GEMM kernels look integers up with one shuffle instruction, so weights stay as small as their codes in
//! memory. IQ1, IQ2 and IQ3 files store places in grids instead of codes; `iq` turns them into codes of these tables.

use crate::Format;

/// The integers of a format's codes.
#[derive(Clone, Copy)]
pub(crate) struct Codebook {
    /// Each integer plus 128: what a kernel multiplies is unsigned, as for Q8_0.
    pub(crate) table: [u8; 16],
    /// Factor on every scale, a power of two: these formats define scales by halves and quarters, and a packed scale
    /// is a whole number.
    pub(crate) factor: f32,
}

impl Codebook {
    /// The codebook of a format, `None` where integers are stored as they are.
    pub(crate) const fn of(format: Format) -> Option<&'static Self> {
        match format {
            Format::IQ4_NL | Format::IQ4_XS => Some(&IQ4),
            Format::MXFP4 | Format::NVFP4 => Some(&E2M1),
            Format::IQ3_S => Some(&IQ3_S),
            Format::IQ3_XXS => Some(&IQ3_XXS),
            Format::IQ2_S | Format::IQ2_XS | Format::IQ2_XXS => Some(&IQ2),
            Format::IQ1_M | Format::IQ1_S => Some(&IQ1),
            _ => None,
        }
    }

    const fn new(integers: [i8; 16], factor: f32) -> Self {
        let mut table = [0; 16];
        let mut i = 0;
        while i < 16 {
            table[i] = integers[i].cast_unsigned() ^ 128;
            i += 1;
        }
        Self { table, factor }
    }

    /// Half of the codes are the integers given, the other half their negatives.
    const fn signed(size: &[i8], factor: f32) -> Self {
        let mut integers = [0; 16];
        let mut i = 0;
        while i < size.len() {
            integers[i] = size[i];
            integers[i + size.len()] = -size[i];
            i += 1;
        }
        Self::new(integers, factor)
    }
}

/// Steps that grow away from zero.
static IQ4: Codebook = Codebook::new(
    [
        -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113,
    ],
    1.0,
);

/// Floats of 4 bits (a sign, two bits of exponent, one of mantissa), doubled; their scales are halved.
static E2M1: Codebook = Codebook::signed(&[0, 1, 2, 3, 4, 6, 8, 12], 1.0);

/// A scale is d · (1 + 2s).
static IQ3_S: Codebook = Codebook::signed(&[1, 3, 5, 7, 9, 11, 13, 15], 1.0);

/// A scale is d · (½ + s) / 2 = d · (1 + 2s) / 4.
static IQ3_XXS: Codebook = Codebook::signed(&[4, 12, 20, 28, 36, 44, 52, 62], 0.25);

/// A scale is d · (½ + s) / 4 = d · (1 + 2s) / 8. Grids have three sizes; the fourth never occurs.
static IQ2: Codebook = Codebook::signed(&[8, 25, 43, 0], 0.125);

/// Weights are d · (1 + 2s) · (g ± ⅛), g being −1, 0 or 1: here 8g + 1, then 8g − 1, and the rest in the scale.
static IQ1: Codebook = Codebook::new([-7, 1, 9, 0, -9, -1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0.125);
