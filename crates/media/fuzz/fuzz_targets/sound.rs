//! Arbitrary bytes as sound, in this process: whatever comes of it, no panic.
//!
//! In `crates/media`: `cargo +nightly fuzz run sound fuzz/corpus fuzz/seeds`.
#![no_main]
use libfuzzer_sys::fuzz_target;
use reckon_media::Kind;

fuzz_target!(|bytes: &[u8]| {
    // The kind that the bytes claim, or the first byte's choice: marks are hard to guess.
    const KINDS: &[Kind] = &[Kind::Opus, Kind::Webm, Kind::Ogg, Kind::Mp3, Kind::Wav, Kind::Flac, Kind::M4a, Kind::Aac];
    let kind = Kind::of(bytes, "").filter(|kind| KINDS.contains(kind));
    let chosen = bytes.first().map_or(0, |byte| usize::from(*byte) % KINDS.len());
    let _ = reckon_media::parse_for_tests(kind.unwrap_or(KINDS[chosen]), bytes);
});
