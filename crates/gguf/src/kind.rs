//! The numbers GGUF uses for the types of metadata values and of tensors.
use crate::Format;
use std::fmt;

/// The type of a metadata value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64,
}

impl Kind {
    /// Every kind, at the place of its number.
    const ALL: [Self; 13] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::Bool,
        Self::String,
        Self::Array,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    pub(crate) fn from_id(id: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(id).ok()?).copied()
    }

    pub(crate) fn id(self) -> u32 {
        self as u32
    }

    /// Bytes of one value; `None` for strings and arrays, which carry their length.
    pub(crate) const fn bytes(self) -> Option<usize> {
        match self {
            Self::U8 | Self::I8 | Self::Bool => Some(1),
            Self::U16 | Self::I16 => Some(2),
            Self::U32 | Self::I32 | Self::F32 => Some(4),
            Self::U64 | Self::I64 | Self::F64 => Some(8),
            Self::String | Self::Array => None,
        }
    }

    pub(crate) const fn is_integer(self) -> bool {
        !matches!(
            self,
            Self::F32 | Self::F64 | Self::Bool | Self::String | Self::Array
        )
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Array => "array",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
        })
    }
}

/// ggml's tensor types at the place of their number; an empty name was never given or is gone.
const TENSOR_TYPES: [&str; 43] = [
    "F32",
    "F16",
    "Q4_0",
    "Q4_1",
    "",
    "",
    "Q5_0",
    "Q5_1",
    "Q8_0",
    "Q8_1",
    "Q2_K",
    "Q3_K",
    "Q4_K",
    "Q5_K",
    "Q6_K",
    "Q8_K",
    "IQ2_XXS",
    "IQ2_XS",
    "IQ3_XXS",
    "IQ1_S",
    "IQ4_NL",
    "IQ3_S",
    "IQ2_S",
    "IQ4_XS",
    "I8",
    "I16",
    "I32",
    "I64",
    "F64",
    "IQ1_M",
    "BF16",
    "Q4_0_4_4",
    "Q4_0_4_8",
    "Q4_0_8_8",
    "TQ1_0",
    "TQ2_0",
    "IQ4_NL_4_4",
    "IQ4_NL_4_8",
    "IQ4_NL_8_8",
    "MXFP4",
    "NVFP4",
    "Q1_0",
    "Q2_0",
];

/// The name ggml gave to a tensor type, if any.
pub(crate) fn tensor_type_name(id: u32) -> Option<&'static str> {
    let name = TENSOR_TYPES.get(usize::try_from(id).ok()?)?;
    (!name.is_empty()).then_some(*name)
}

/// The format of a tensor type's number, if it is one of ours.
pub(crate) fn format_from_id(id: u32) -> Option<Format> {
    let name = tensor_type_name(id)?;
    Format::ALL.into_iter().find(|format| format.name() == name)
}

/// The kind of integers of a tensor type's number, if it holds any.
pub(crate) fn integers_from_id(id: u32) -> Option<Kind> {
    match tensor_type_name(id)? {
        "I8" => Some(Kind::I8),
        "I16" => Some(Kind::I16),
        "I32" => Some(Kind::I32),
        "I64" => Some(Kind::I64),
        _ => None,
    }
}

/// The number of a tensor type that holds integers.
pub(crate) fn integers_id(kind: Kind) -> Option<u32> {
    (0..TENSOR_TYPES.len() as u32).find(|&id| integers_from_id(id) == Some(kind))
}

/// The number of a format in a file.
pub(crate) fn format_id(format: Format) -> u32 {
    let place = TENSOR_TYPES.iter().position(|&name| name == format.name());
    place.expect("every format has its name in the list") as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_numbers_and_names_agree() {
        for format in Format::ALL {
            assert_eq!(format_from_id(format_id(format)), Some(format));
        }
        // Numbers as ggml has them, one from each stretch of the list.
        for (format, id) in [
            (Format::F32, 0),
            (Format::Q4_0, 2),
            (Format::Q8_0, 8),
            (Format::Q6_K, 14),
            (Format::IQ2_XXS, 16),
            (Format::IQ4_XS, 23),
            (Format::IQ1_M, 29),
            (Format::BF16, 30),
            (Format::TQ1_0, 34),
            (Format::MXFP4, 39),
            (Format::Q1_0, 41),
        ] {
            assert_eq!(format_id(format), id, "{format:?}");
        }
        assert_eq!(tensor_type_name(23), Some("IQ4_XS"));
        assert_eq!(tensor_type_name(4), None);
        assert_eq!(tensor_type_name(u32::MAX), None);
    }

    #[test]
    fn kind_numbers_are_places() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_id(kind.id()), Some(kind));
        }
        assert_eq!(Kind::from_id(13), None);
    }
}
