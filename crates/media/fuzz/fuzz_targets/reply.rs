//! Arbitrary bytes as what a child says that a file has taken over.
//!
//! In `crates/media`: `cargo +nightly fuzz run reply fuzz/corpus fuzz/seeds`.
#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    reckon_media::replay(bytes);
});
