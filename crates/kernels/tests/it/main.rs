//! Equalities between every ISA, thread count and batch size, and the plain definitions.
mod activations;
mod attention;
mod cache;
mod fixture;
mod formats;
mod isa;
mod matmul;
mod ops;
mod pack;
mod pool;
mod probe;
