//! Equalities between every ISA, thread count and batch size, and the plain definitions.
mod activations;
mod attention;
mod delta;
mod fixture;
mod formats;
mod isa;
mod kv_cache;
mod matmul;
mod ops;
mod pack;
mod pool;
mod probe;
