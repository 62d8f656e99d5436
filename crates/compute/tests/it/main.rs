//! Tests of the whole crate, through its public functions.
