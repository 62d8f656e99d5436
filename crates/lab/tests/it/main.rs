//! Tests of the crate through its public interface.
mod classes;
mod compare;
mod control;
mod coverage;
mod fixture;
mod ifeval;
mod report;
mod statistics;
mod tape;
