//! Tests of the crate through its public interface, with files that they make themselves.
