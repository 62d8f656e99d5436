//! Runs what a model wrote: untrusted programs in, verdicts out.
pub mod logic;
