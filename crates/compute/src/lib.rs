//! Exact computation without a model: what a question states ([`direct`]), and numbers as texts write them
//! ([`number`]).
//!
//! Pure functions: no IO, no clock. Whatever text comes in, the work is bounded and nothing panics.

pub mod direct;
pub mod equation;
pub mod listing;
pub mod literal;
pub mod misread;
pub mod number;
pub mod pattern;
