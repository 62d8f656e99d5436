//! No bytes make the reader panic: random ones, damaged files, and the fuzzer's finds.
use crate::fixture;
use crate::walk::walk;
use proptest::prelude::*;
use reckon_gguf::File;

/// Reads everything that can be read; a refusal is fine, a panic is not.
fn survives(bytes: Vec<u8>) {
    match File::parse(bytes) {
        Ok(file) => drop(walk(&file)),
        Err(error) => assert!(!error.to_string().contains('\n')),
    }
}

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(bytes);
    }

    #[test]
    fn random_bytes_after_a_good_start(bytes in prop::collection::vec(0u8..12, 0..400)) {
        survives([b"GGUF\x03\0\0\0", &bytes[..]].concat());
    }

    #[test]
    fn damaged_files(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = fixture::bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        survives(bytes);
    }

    #[test]
    fn damaged_words(
        at in any::<prop::sample::Index>(),
        word in prop_oneof![Just(u64::MAX), Just(1u64 << 63), Just(0), 0u64..4096, any::<u64>()],
    ) {
        let mut bytes = fixture::bytes();
        let at = at.index(bytes.len() - 8);
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        survives(bytes);
    }
}

#[test]
fn every_byte_damaged_in_turn() {
    let bytes = fixture::bytes();
    for at in 0..bytes.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] = byte;
            survives(bytes);
        }
    }
}

#[test]
fn fuzz_seeds() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds");
    let mut count = 0;
    for seed in std::fs::read_dir(seeds).unwrap() {
        survives(std::fs::read(seed.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0, "no seeds in {seeds}");
}
