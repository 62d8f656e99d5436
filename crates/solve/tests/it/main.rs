//! Tests of the crate through its public interface.
mod hostile;
mod logic;
mod random;
