//! Tests of the crate through its public interface.
mod control;
mod gate;
mod lock;
mod tape;
