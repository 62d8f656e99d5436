//! Names the weight formats a GGUF tensor can have and how many bytes each takes.
//!
//! Called by `gguf` to check tensor sizes and by `pack` to choose a layout. A format is
//! a run of blocks: `block_len` weights stored in `block_bytes` bytes, row after row.

/// How the weights of one tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
#[expect(non_camel_case_types, reason = "spelled as GGUF spells them")]
pub enum Format {
    F32,
    F16,
    BF16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    MXFP4,
    NVFP4,
    IQ4_NL,
    IQ4_XS,
    IQ3_S,
    IQ3_XXS,
    IQ2_S,
    IQ2_XS,
    IQ2_XXS,
    IQ1_M,
    IQ1_S,
    TQ2_0,
    TQ1_0,
    Q1_0,
}

impl Format {
    /// Every format, in the order of the enum.
    pub const ALL: [Self; 27] = [
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::Q4_0,
        Self::Q4_1,
        Self::Q5_0,
        Self::Q5_1,
        Self::Q8_0,
        Self::Q2_K,
        Self::Q3_K,
        Self::Q4_K,
        Self::Q5_K,
        Self::Q6_K,
        Self::MXFP4,
        Self::NVFP4,
        Self::IQ4_NL,
        Self::IQ4_XS,
        Self::IQ3_S,
        Self::IQ3_XXS,
        Self::IQ2_S,
        Self::IQ2_XS,
        Self::IQ2_XXS,
        Self::IQ1_M,
        Self::IQ1_S,
        Self::TQ2_0,
        Self::TQ1_0,
        Self::Q1_0,
    ];

    /// Weights in one block.
    pub const fn block_len(self) -> usize {
        match self {
            Self::F32 | Self::F16 | Self::BF16 => 1,
            Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 | Self::Q8_0 => 32,
            Self::IQ4_NL | Self::MXFP4 => 32,
            Self::NVFP4 => 64,
            Self::Q1_0 => 128,
            Self::Q2_K | Self::Q3_K | Self::Q4_K | Self::Q5_K | Self::Q6_K => 256,
            Self::IQ4_XS | Self::IQ3_S | Self::IQ3_XXS => 256,
            Self::IQ2_S | Self::IQ2_XS | Self::IQ2_XXS | Self::IQ1_M | Self::IQ1_S => 256,
            Self::TQ2_0 | Self::TQ1_0 => 256,
        }
    }

    /// Bytes of one block.
    pub const fn block_bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
            Self::Q2_K => 84,
            Self::Q3_K => 110,
            Self::Q4_K => 144,
            Self::Q5_K => 176,
            Self::Q6_K => 210,
            Self::MXFP4 => 17,
            Self::NVFP4 => 36,
            Self::IQ4_NL => 18,
            Self::IQ4_XS => 136,
            Self::IQ3_S => 110,
            Self::IQ3_XXS => 98,
            Self::IQ2_S => 82,
            Self::IQ2_XS => 74,
            Self::IQ2_XXS => 66,
            Self::IQ1_M => 56,
            Self::IQ1_S => 50,
            Self::TQ2_0 => 66,
            Self::TQ1_0 => 54,
            Self::Q1_0 => 18,
        }
    }

    /// Bytes of a row of `len` weights, or `None` if `len` is not a whole number of blocks.
    pub const fn row_bytes(self, len: usize) -> Option<usize> {
        if !len.is_multiple_of(self.block_len()) {
            return None;
        }
        (len / self.block_len()).checked_mul(self.block_bytes())
    }

    /// The name as GGUF tools print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::BF16 => "BF16",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q8_0 => "Q8_0",
            Self::Q2_K => "Q2_K",
            Self::Q3_K => "Q3_K",
            Self::Q4_K => "Q4_K",
            Self::Q5_K => "Q5_K",
            Self::Q6_K => "Q6_K",
            Self::MXFP4 => "MXFP4",
            Self::NVFP4 => "NVFP4",
            Self::IQ4_NL => "IQ4_NL",
            Self::IQ4_XS => "IQ4_XS",
            Self::IQ3_S => "IQ3_S",
            Self::IQ3_XXS => "IQ3_XXS",
            Self::IQ2_S => "IQ2_S",
            Self::IQ2_XS => "IQ2_XS",
            Self::IQ2_XXS => "IQ2_XXS",
            Self::IQ1_M => "IQ1_M",
            Self::IQ1_S => "IQ1_S",
            Self::TQ2_0 => "TQ2_0",
            Self::TQ1_0 => "TQ1_0",
            Self::Q1_0 => "Q1_0",
        }
    }
}
