//! Tests of the GGUF reader and writer, from outside.
mod disk;
mod fixture;
mod hostile;
mod refusal;
mod round_trip;
mod split;
mod walk;
