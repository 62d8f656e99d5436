//! Files on disk: mapping them, and the things that are no files.
use crate::fixture;
use crate::walk::walk;
use reckon_gguf::{Error, File, Format, Writer};
use std::fs;

#[test]
fn a_mapped_file_equals_a_parsed_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    fs::write(&path, fixture::bytes()).unwrap();
    let mapped = File::open(&path).unwrap();
    let parsed = File::parse(fixture::bytes()).unwrap();
    assert_eq!(mapped.path(), Some(path.as_path()));
    assert_eq!(mapped.len(), parsed.len());
    assert_eq!(walk(&mapped), walk(&parsed));
}

#[test]
fn released_tensors_stay_readable() {
    let mut writer = Writer::new();
    writer.tensor("a", Format::F32, &[100_000]).unwrap();
    writer.tensor("b", Format::F32, &[100_000]).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let data: Vec<u8> = (0..400_000u32).map(|i| (i % 251) as u8).collect();
    fs::write(&path, writer.to_vec(&[&data, &data]).unwrap()).unwrap();
    let file = File::open(&path).unwrap();
    for name in ["a", "b"] {
        let tensor = file.tensor(name).unwrap();
        assert_eq!(tensor.data, data);
        for part in tensor.data.chunks(70_000) {
            file.release_part(part);
        }
        assert_eq!(tensor.data, data);
        file.release(&tensor);
        // Bytes of nobody's are none of the file's business.
        file.release_part(&data);
        assert_eq!(tensor.data, data);
    }
}

#[test]
fn no_file_is_an_error_that_names_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing.gguf");
    let error = File::open(&missing).unwrap_err();
    assert!(matches!(error, Error::Io { .. }));
    assert!(error.to_string().contains("missing.gguf"), "{error}");

    let error = File::open(dir.path()).unwrap_err();
    assert!(matches!(error, Error::NotAFile { .. }));
    assert!(error.to_string().ends_with("is not a regular file"));
}

#[test]
fn bad_contents_are_an_error_that_names_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.gguf");
    let whole = fixture::bytes();
    for (bytes, text) in [
        (&b""[..], "the file is empty"),
        (b"PK\x03\x04 a zip file", "not a GGUF file: it begins with"),
        (&whole[..100], "the file is truncated"),
        (&whole[..whole.len() - 40], "the file is truncated"),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = File::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("bad.gguf: ") && error.contains(text),
            "{error}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_device_is_refused_without_waiting() {
    let error = File::open("/dev/null").unwrap_err();
    assert!(matches!(error, Error::NotAFile { .. }));
}
