//! The versions of the built-in guards: what `reckon.lock` holds, so that a changed guard is named.
//!
//! Nobody counts them up: each is a digest of the guard's own source and prompts, made when this crate is built
//! (`build/digest.rs`).

/// Name and version of each guard, by name.
pub const VERSIONS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/digests.rs"));
