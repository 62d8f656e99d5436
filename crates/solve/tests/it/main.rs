//! Tests of the crate through its public interface.
mod bytecode;
mod logic;
mod random;
