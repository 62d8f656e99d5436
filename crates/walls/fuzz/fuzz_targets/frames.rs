//! Arbitrary bytes as what a child says to its parent.
//!
//! In `crates/walls`: `cargo +nightly fuzz run frames fuzz/corpus fuzz/seeds -- -malloc_limit_mb=64`.
#![no_main]
use libfuzzer_sys::fuzz_target;
use reckon_walls::Limits;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    match reckon_walls::replay(bytes, &limits) {
        Ok(output) => assert!(output.len() <= limits.output),
        Err(error) => {
            let line = error.to_string();
            assert!(line.chars().count() <= 600 && !line.contains(char::is_control));
        }
    }
});
