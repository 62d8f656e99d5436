//! Tests of the crate through its public interface.
mod build;
mod bytecode;
mod hostile;
mod logic;
mod random;
