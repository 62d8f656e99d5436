//! Feeds arbitrary bytes to the GGUF reader and, if it accepts them, reads everything.
//!
//! In `crates/gguf`: `cargo +nightly fuzz run parse fuzz/corpus fuzz/seeds -- -malloc_limit_mb=64`.
//! The crate's own tests do the same with damaged files and with everything in `seeds`; a
//! find goes there once it is fixed.
#![no_main]
use libfuzzer_sys::fuzz_target;
use reckon_gguf::File;

#[path = "../../tests/it/walk.rs"]
mod walk;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = File::parse(bytes.to_vec()) {
        walk::walk(&file);
    }
});
