//! Exact computation without a model: numbers as texts write them, and their values.
//!
//! Pure functions: no IO, no clock. Whatever text comes in, the work is bounded and nothing panics.

pub mod equation;
pub mod listing;
pub mod literal;
pub mod number;
