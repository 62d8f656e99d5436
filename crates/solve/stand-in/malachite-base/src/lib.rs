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
            /// RustPython imports this name; the method is `Rational`'s own.
            #[derive(Clone, Copy, Debug)]
            pub struct RoundingInto;
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
