//! `malachite-bigint` began as a copy of `num-bigint`'s interface, so nothing is left to write here. See the manifest.
pub use num_bigint::*;
