//! Tests of the crate through its public interface.
mod control;
mod grade;
mod ifeval;
mod tape;
