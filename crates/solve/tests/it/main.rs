//! Tests of the crate through its public interface.
mod build;
mod bytecode;
mod logic;
mod random;
