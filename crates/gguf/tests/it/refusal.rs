//! Each way in which a file can be wrong, and what the reader says to it.
use crate::fixture;
use reckon_gguf::{Error, File, Format, Value, Writer};

/// What the reader says to `bytes`, which it must refuse, in one line.
fn refusal(bytes: Vec<u8>) -> String {
    let error = File::parse(bytes).unwrap_err().to_string();
    assert!(!error.contains(char::is_control), "{error:?}");
    error
}

/// A header by hand: version 3, counts, and the rest.
fn header(n_tensors: u64, n_entries: u64, rest: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend(n_tensors.to_le_bytes());
    bytes.extend(n_entries.to_le_bytes());
    bytes.extend(rest.concat());
    bytes
}

fn string(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u64).to_le_bytes(), bytes].concat()
}

/// One metadata entry with a value given as bytes.
fn entry(key: &[u8], kind: u32, value: &[u8]) -> Vec<u8> {
    [&string(key)[..], &kind.to_le_bytes(), value].concat()
}

/// One tensor's description.
fn tensor(name: &[u8], dims: &[u64], id: u32, offset: u64) -> Vec<u8> {
    let dim_bytes: Vec<u8> = dims.iter().flat_map(|d| d.to_le_bytes()).collect();
    [
        &string(name)[..],
        &(dims.len() as u32).to_le_bytes(),
        &dim_bytes,
        &id.to_le_bytes(),
        &offset.to_le_bytes(),
    ]
    .concat()
}

/// What the reader says to a file with these tensors and `data` bytes after the header.
fn tensor_refusal(tensors: &[Vec<u8>], data: usize) -> String {
    let rest = tensors.concat();
    let mut bytes = header(tensors.len() as u64, 0, &[&rest]);
    bytes.resize(bytes.len().next_multiple_of(32) + data, 0);
    refusal(bytes)
}

#[test]
fn every_cut_of_a_good_file_is_refused() {
    let bytes = fixture::bytes();
    let file = File::parse(bytes.clone()).unwrap();
    let last = file.tensors().map(|t| t.offset + t.bytes).max().unwrap();
    for len in 0..last {
        assert!(File::parse(bytes[..len].to_vec()).is_err(), "cut at {len}");
    }
    // Only the padding after the last tensor may be missing.
    assert!(File::parse(bytes[..last].to_vec()).is_ok());
}

#[test]
fn magic_and_version() {
    assert_eq!(refusal(vec![]), "the file is empty");
    let error = refusal(b"\x1b[31mggml".to_vec());
    assert_eq!(error, r#"not a GGUF file: it begins with "\\x1b[31""#);
    assert!(refusal(b"GG".to_vec()).contains("truncated"));
    assert!(refusal(b"GGUF\x03\0".to_vec()).contains("inside the version at byte 4"));
    for (version, text) in [
        (&[1, 0, 0, 0], "GGUF version 1 is not supported"),
        (&[4, 0, 0, 0], "GGUF version 4 is not supported"),
        (&[0, 0, 0, 3], "big-endian"),
    ] {
        let mut bytes = fixture::bytes();
        bytes[4..8].copy_from_slice(version);
        assert!(refusal(bytes).contains(text));
    }
}

#[test]
fn counts_beyond_the_file() {
    let error = refusal(header(0, 1000, &[&[0; 64]]));
    assert!(
        error.ends_with("claims 1000 metadata entries, but 4 are possible"),
        "{error}"
    );
    let error = refusal(header(1000, 0, &[&[0; 64]]));
    assert!(
        error.ends_with("claims 1000 tensors, but 1 are possible"),
        "{error}"
    );
    let error = refusal(header(0, u64::MAX, &[]));
    assert!(
        error.contains("18446744073709551615 metadata entries"),
        "{error}"
    );
    // Enough bytes for as many entries, but nobody needs them.
    for (n_tensors, n_entries) in [(100_000, 0), (0, 100_000)] {
        let error = File::parse(header(n_tensors, n_entries, &[&vec![0; 4 << 20]])).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Count {
                    count: 100_000,
                    most: 65_536,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn keys() {
    let value = 1u32.to_le_bytes();
    for (key, text) in [
        (&b""[..], "the name is empty"),
        (b"\xff\xff", "the name is not valid UTF-8"),
        (&[b'k'; 70_000], "the name is too long"),
    ] {
        let error = refusal(header(0, 1, &[&entry(key, 4, &value)]));
        assert!(error.contains(text) && error.len() < 400, "{error}");
    }
    let twice = [entry(b"k", 4, &value), entry(b"k", 4, &value)].concat();
    let error = refusal(header(0, 2, &[&twice]));
    assert_eq!(error, "metadata \"k\": appears more than once");
    let error = refusal(header(0, 1, &[&entry(b"a\nb\x1b[0m", 99, &value)]));
    assert_eq!(error, r#"metadata "a\nb\u{1b}[0m": unknown value type 99"#);
    let long = (u64::MAX - 3).to_le_bytes();
    let error = refusal(header(0, 1, &[&long, &[0; 32]]));
    assert!(
        error.contains("inside a metadata key at byte 24"),
        "{error}"
    );
}

#[test]
fn values() {
    let huge = u64::MAX.to_le_bytes();
    let array = |element: u32, len: u64, values: &[u8]| {
        let head = [&element.to_le_bytes()[..], &len.to_le_bytes()].concat();
        entry(b"k", 9, &[&head[..], values].concat())
    };
    for (entry, text) in [
        (entry(b"k", 7, &[2]), "a bool is neither 0 nor 1"),
        (entry(b"k", 8, &huge), "truncated"),
        (entry(b"k", 10, &[0; 4]), "truncated"),
        (
            array(4, u64::MAX, &[]),
            "array elements, but 0 are possible",
        ),
        (array(4, u64::MAX / 4 + 1, &[]), "array elements"),
        (array(8, 1 << 60, &[0; 16]), "but 2 are possible"),
        (array(8, 2, &[1; 16]), "truncated"),
        (array(9, 1, &[0; 16]), "arrays of arrays"),
        (array(13, 1, &[0; 16]), "unknown value type 13"),
        (array(7, 3, &[0, 1, 2]), "a bool is neither 0 nor 1"),
    ] {
        let error = refusal(header(0, 1, &[&entry]));
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn alignments() {
    let aligned = |value| {
        let mut writer = Writer::new();
        writer.value("general.alignment", value);
        File::parse(writer.to_vec(&[]).unwrap())
    };
    for value in [
        Value::U32(0),
        Value::U32(24),
        Value::I32(-32),
        Value::U64(1 << 40),
    ] {
        let error = aligned(value).unwrap_err().to_string();
        assert!(error.contains("is not a sane power of two"), "{error}");
    }
    let error = aligned(Value::String(b"32")).unwrap_err().to_string();
    assert!(
        error.contains("should be an integer, but is string"),
        "{error}"
    );
    assert!(aligned(Value::U64(64)).is_ok());
}

#[test]
fn tensor_shapes() {
    let max = u64::MAX;
    for (dims, id, text) in [
        (&[][..], 0, "0 dimensions, not 1 to 4"),
        (&[1; 5], 0, "5 dimensions, not 1 to 4"),
        (&[4, 0], 0, "has a dimension of zero"),
        (&[max, max], 0, "is too large"),
        (&[1 << 32, 1 << 32], 0, "is too large"),
        (&[1 << 62], 0, "is too large"),
        (&[33], 8, "Q8_0 [33] has rows that are not whole blocks"),
        (&[128], 12, "Q4_K [128] has rows that are not whole blocks"),
        (&[16], 39, "MXFP4 [16] has rows that are not whole blocks"),
        (&[96], 40, "NVFP4 [96] has rows that are not whole blocks"),
        (&[64], 41, "Q1_0 [64] has rows that are not whole blocks"),
        (
            &[128],
            23,
            "IQ4_XS [128] has rows that are not whole blocks",
        ),
        (&[0], 26, "i32 [0] has a dimension of zero"),
        (&[1 << 61], 27, "is too large"),
    ] {
        let error = tensor_refusal(&[tensor(b"t", dims, id, 0)], 256);
        assert!(
            error.contains("tensor \"t\"") && error.contains(text),
            "{error}"
        );
    }
}

#[test]
fn tensor_types() {
    for (id, text) in [
        (9, "tensor \"t\" has the unsupported type Q8_1 (9)"),
        (15, "tensor \"t\" has the unsupported type Q8_K (15)"),
        (31, "tensor \"t\" has the unsupported type Q4_0_4_4 (31)"),
        (42, "tensor \"t\" has the unsupported type Q2_0 (42)"),
        (4, "tensor \"t\" has the unsupported type 4"),
        (u32::MAX, "tensor \"t\" has the unsupported type 4294967295"),
    ] {
        assert_eq!(tensor_refusal(&[tensor(b"t", &[32], id, 0)], 256), text);
    }
}

#[test]
fn tensor_places() {
    for (offset, data, text) in [
        (16, 256, "offset 16 is not a multiple of 32"),
        (0, 127, "inside the data of tensor \"t\""),
        (32, 128, "inside the data of tensor \"t\""),
        (u64::MAX - 31, 256, "truncated"),
        (1 << 62, 256, "truncated"),
    ] {
        for id in [0, 26] {
            let error = tensor_refusal(&[tensor(b"t", &[32], id, offset)], data);
            assert!(error.contains(text), "{error}");
        }
    }
}

#[test]
fn tensor_names() {
    let t = |name| tensor(name, &[8], 0, 0);
    let error = tensor_refusal(&[t(b"t"), t(b"t")], 64);
    assert_eq!(error, "tensor \"t\": appears more than once");
    let error = tensor_refusal(&[t(b"t"), tensor(b"t", &[8], 26, 0)], 64);
    assert_eq!(error, "tensor \"t\": appears more than once");
    assert!(tensor_refusal(&[t(b"")], 64).contains("is empty"));
    assert!(tensor_refusal(&[t(b"\xc3")], 64).contains("is not valid UTF-8"));
}

#[test]
fn tensors_that_share_bytes() {
    // F32 of 16 and 8 numbers: 64 and 32 bytes; type 26 holds integers of 4 bytes.
    let (a, b) = (
        |offset| tensor(b"a", &[16], 0, offset),
        |id, offset| tensor(b"b", &[8], id, offset),
    );
    for id in [0, 26] {
        for (first, second) in [(0, 0), (0, 32), (32, 32), (32, 64)] {
            for tensors in [[a(first), b(id, second)], [b(id, second), a(first)]] {
                let error = tensor_refusal(&tensors, 128);
                assert!(
                    error.contains("overlaps tensor"),
                    "{first} {second}: {error}"
                );
            }
        }
    }
    // Gigabytes out of a small file: every layer's weights are the same bytes.
    let many: Vec<Vec<u8>> = (0..5000)
        .map(|i| tensor(format!("blk.{i}").as_bytes(), &[1024], 0, 0))
        .collect();
    assert!(tensor_refusal(&many, 4096).contains("overlaps tensor"));
}

#[test]
fn tensors_in_any_order_and_with_gaps_are_fine() {
    for offsets in [[64, 0, 32], [0, 128, 32], [96, 64, 0]] {
        let names: [&[u8]; 3] = [b"a", b"b", b"c"];
        let tensors = names.into_iter().zip(offsets);
        let rest: Vec<u8> = tensors
            .flat_map(|(name, offset)| tensor(name, &[8], 0, offset))
            .collect();
        let mut bytes = header(3, 0, &[&rest]);
        let data = bytes.len().next_multiple_of(32);
        bytes.resize(data + 160, 0);
        for offset in offsets {
            bytes[data + offset as usize] = offset as u8;
        }
        let file = File::parse(bytes).unwrap();
        for (name, offset) in ["a", "b", "c"].into_iter().zip(offsets) {
            let tensor = file.tensor(name).unwrap();
            assert_eq!((tensor.data.len(), u64::from(tensor.data[0])), (32, offset));
            assert_eq!(tensor.info.format, Format::F32);
        }
    }
}

#[test]
fn no_tensor_is_empty() {
    for dims in [&[0][..], &[0, 4], &[8, 0], &[8, 2, 0, 2]] {
        let error = tensor_refusal(&[tensor(b"t", dims, 0, 0)], 64);
        assert!(error.contains("a dimension of zero"), "{error}");
    }
}
