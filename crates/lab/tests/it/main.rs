//! Tests of the crate through its public interface.
mod control;
mod gate;
mod ifeval;
mod lock;
mod tape;
