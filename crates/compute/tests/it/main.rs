//! Tests of the whole crate, through its public functions.

mod direct;
mod everyday;
mod questions;
mod said;
