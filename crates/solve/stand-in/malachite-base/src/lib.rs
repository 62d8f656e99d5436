//! How a fraction is rounded to a float. See the manifest for why this package exists.

pub mod num {
    pub mod basic {
        pub mod floats {
            /// What a float is asked before it is formatted.
            pub trait PrimitiveFloat {
                fn is_negative_zero(&self) -> bool;
            }

            impl PrimitiveFloat for f64 {
                fn is_negative_zero(&self) -> bool {
                    *self == 0.0 && self.is_sign_negative()
                }
            }
        }
    }

    pub mod conversion {
        pub mod traits {
            use crate::rounding_modes::RoundingMode;
            use std::cmp::Ordering;

            /// A value rounded to another kind of number.
            pub trait RoundingInto<T> {
                /// The rounded value, and how it compares with the exact one.
                fn rounding_into(self, mode: RoundingMode) -> (T, Ordering);
            }
        }
    }
}

pub mod rounding_modes {
    /// The one mode that RustPython asks for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum RoundingMode {
        /// To the nearest value, ties to the even one.
        Nearest,
    }
}
