//! The packed layout of each quantised format: how many bits an integer has, and how scales lie.

use crate::Format;

/// How the scales of a format are laid out: constants rather than an enum, because they parametrise GEMM kernels.
pub(crate) mod scales {
    /// A half per 32 columns; integers are centred on zero, as in all that say so.
    pub(crate) const CENTRED: u8 = 0;
    /// A half and a minimum per 32 columns.
    pub(crate) const MINIMUM: u8 = 1;
    /// K: two halves per 256, a byte each per 32.
    pub(crate) const SUPER: u8 = 2;
    /// K: one half per 256, a signed byte per 16; centred.
    pub(crate) const SUPER_CENTRED: u8 = 3;
    /// K: two halves per 256, a byte each per 16.
    pub(crate) const SUPER_SMALL: u8 = 4;
    /// Q4_0: a step per 256, a whole multiple of it per 32; centred. The last unit may have fewer columns.
    pub(crate) const STEPS: u8 = 5;
    /// IQ: one half per 256, a signed byte per 32; centred.
    pub(crate) const SUPER_SIGNED: u8 = 6;
    /// MXFP4: the exponent of a float per 32; centred.
    pub(crate) const EXPONENT: u8 = 7;
    /// NVFP4: a half per 16; centred.
    pub(crate) const CENTRED_SMALL: u8 = 8;
    /// TQ: one half per 256; integers are 1 too high.
    pub(crate) const TERNARY: u8 = 9;
    /// Q1_0: one half per 128, plus for ones and minus for zeros.
    pub(crate) const BINARY: u8 = 10;
}

/// The packed shape of a quantised format.
#[derive(Clone, Copy)]
pub(crate) struct PackedLayout {
    /// Bits of an integer.
    pub(crate) bits: usize,
    /// One of `scales`.
    pub(crate) scales: u8,
}

impl PackedLayout {
    /// The layout of a format, `None` for floats.
    pub(crate) const fn of(format: Format) -> Option<Self> {
        let (bits, scales) = match format {
            Format::F32 | Format::F16 | Format::BF16 => return None,
            Format::Q4_0 => (4, scales::STEPS),
            Format::Q5_0 => (5, scales::CENTRED),
            Format::Q8_0 => (8, scales::CENTRED),
            Format::Q4_1 => (4, scales::MINIMUM),
            Format::Q5_1 => (5, scales::MINIMUM),
            Format::Q4_K => (4, scales::SUPER),
            Format::Q5_K => (5, scales::SUPER),
            Format::Q3_K => (3, scales::SUPER_CENTRED),
            Format::Q6_K => (6, scales::SUPER_CENTRED),
            Format::Q2_K => (2, scales::SUPER_SMALL),
            Format::IQ4_NL => (4, scales::CENTRED),
            Format::MXFP4 => (4, scales::EXPONENT),
            Format::NVFP4 => (4, scales::CENTRED_SMALL),
            Format::IQ4_XS | Format::IQ3_S | Format::IQ3_XXS => (4, scales::SUPER_SIGNED),
            Format::IQ2_XXS | Format::IQ1_S => (3, scales::SUPER_SIGNED),
            Format::IQ2_S | Format::IQ2_XS | Format::IQ1_M => (3, scales::SUPER_CENTRED),
            Format::TQ2_0 | Format::TQ1_0 => (2, scales::TERNARY),
            Format::Q1_0 => (1, scales::BINARY),
        };
        Some(Self { bits, scales })
    }

    /// Whether GEMMs read activations of which 256 share a scale.
    pub(crate) const fn is_per256(self) -> bool {
        self.scales == scales::STEPS
    }

    /// Columns that share what is in front.
    pub(crate) const fn unit_cols(self) -> usize {
        match self.scales {
            scales::CENTRED | scales::MINIMUM | scales::EXPONENT => 32,
            scales::CENTRED_SMALL => 64,
            scales::BINARY => 128,
            _ => 256,
        }
    }

    /// Bytes before the blocks of a unit.
    pub(crate) const fn head_bytes(self) -> usize {
        match self.scales {
            scales::SUPER | scales::SUPER_SMALL => 64,
            scales::SUPER_CENTRED | scales::SUPER_SIGNED => 32,
            scales::TERNARY | scales::BINARY => 32,
            scales::STEPS => 16,
            _ => 0,
        }
    }

    /// Bytes of scales at the start of each block.
    pub(crate) const fn scale_bytes(self) -> usize {
        match self.scales {
            scales::MINIMUM | scales::SUPER_SMALL | scales::CENTRED_SMALL => 64,
            scales::SUPER_SIGNED | scales::EXPONENT => 16,
            scales::TERNARY | scales::BINARY => 0,
            _ => 32,
        }
    }

    /// Bytes of a block of 16 rows by 32 columns.
    pub(crate) const fn block_bytes(self) -> usize {
        self.scale_bytes() + 64 * self.bits
    }

    /// Bytes of a unit of 16 rows.
    pub(crate) const fn unit_bytes(self) -> usize {
        self.head_bytes() + self.unit_cols() / 32 * self.block_bytes()
    }

    /// Bytes of 16 rows.
    pub(crate) const fn group_bytes(self, cols: usize) -> usize {
        cols.div_ceil(self.unit_cols()) * self.head_bytes() + cols / 32 * self.block_bytes()
    }
}
