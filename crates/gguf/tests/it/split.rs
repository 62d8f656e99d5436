//! Models split into several files: found beside each other, checked against each other, read as one.
use reckon_gguf::{Error, File, Format, Writer};
use std::fs;
use std::path::{Path, PathBuf};

/// Tensors of each part; the first has none, as `llama-gguf-split --no-tensor-first-split` writes it.
const PARTS: [&[&str]; 3] = [&[], &["a", "b"], &["c"]];

fn path(dir: &Path, part: usize) -> PathBuf {
    dir.join(format!("model-{:05}-of-00003.gguf", part + 1))
}

/// A part as it should be, after `change`.
fn part(i: usize, change: impl Fn(&mut Writer)) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.str("general.architecture", ["llama", "ignored", "ignored"][i]);
    change(&mut writer);
    for name in PARTS[i] {
        writer.tensor(name, Format::F32, &[4]).unwrap();
    }
    let data: Vec<[u8; 16]> = PARTS[i]
        .iter()
        .map(|name| [name.as_bytes()[0]; 16])
        .collect();
    let data: Vec<&[u8]> = data.iter().map(|bytes| &bytes[..]).collect();
    writer.to_vec(&data).unwrap()
}

fn write_all(dir: &Path) {
    for i in 0..PARTS.len() {
        let bytes = part(i, |writer| {
            writer.split(i as u16, 3, 3);
        });
        fs::write(path(dir, i), bytes).unwrap();
    }
}

#[test]
fn the_first_part_opens_all() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path());
    let file = File::open(path(dir.path(), 0)).unwrap();
    assert_eq!(
        file.metadata().str("general.architecture").unwrap(),
        "llama"
    );
    assert_eq!(file.tensors().len(), 3);
    for (name, part) in [("a", 1), ("b", 1), ("c", 2)] {
        let tensor = file.tensor(name).unwrap();
        assert_eq!(
            (tensor.data, tensor.info.part),
            (&[name.as_bytes()[0]; 16][..], part)
        );
        file.release(&tensor);
        assert_eq!(tensor.data[0], name.as_bytes()[0]);
    }
    let sizes = (0..3).map(|i| fs::metadata(path(dir.path(), i)).unwrap().len());
    assert_eq!(file.len() as u64, sizes.sum::<u64>());
    assert_eq!(file.path(), Some(&*path(dir.path(), 0)));
}

/// What opening the first part says after one file was changed.
fn refusal(change: impl FnOnce(&Path)) -> String {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path());
    change(dir.path());
    let error = File::open(path(dir.path(), 0)).unwrap_err().to_string();
    assert!(!error.contains(char::is_control), "{error:?}");
    error
}

#[test]
fn a_missing_part_is_named() {
    let error = refusal(|dir| fs::remove_file(path(dir, 2)).unwrap());
    assert!(error.contains("model-00003-of-00003.gguf"), "{error}");
}

#[test]
fn a_part_that_is_cut_or_foreign_is_named() {
    let rewrite = |i: usize, bytes: Vec<u8>| refusal(|dir| fs::write(path(dir, i), bytes).unwrap());
    let whole = part(1, |writer| {
        writer.split(1, 3, 3);
    });
    let split = |number, count, n| {
        part(1, |writer| {
            writer.split(number, count, n);
        })
    };
    for (bytes, text) in [
        (whole[..whole.len() - 40].to_vec(), "truncated"),
        (part(1, |_| ()), "no part of a split model"),
        (split(2, 3, 3), "part 3 of 3, not 2 of 3"),
        (split(1, 4, 3), "part 2 of 4, not 2 of 3"),
        (split(1, 3, 9), "of the same model"),
    ] {
        let error = rewrite(1, bytes);
        assert!(error.contains("model-00002-of-00003.gguf: "), "{error}");
        assert!(error.contains(text), "{error}");
    }
    // A tensor of another part's name.
    let twice = part(1, |writer| {
        writer.split(2, 3, 3);
    });
    assert!(rewrite(2, twice).contains("more than once"));
    let none = refusal(|dir| {
        for i in 0..3 {
            let bytes = part(i, |writer| {
                writer.split(i as u16, 3, 4);
            });
            fs::write(path(dir, i), bytes).unwrap();
        }
    });
    assert!(none.contains("3 tensors in all parts, not 4"), "{none}");
}

#[test]
fn only_the_first_part_opens_and_only_under_its_name() {
    let dir = tempfile::tempdir().unwrap();
    write_all(dir.path());
    let error = File::open(path(dir.path(), 1)).unwrap_err();
    assert!(matches!(error.reason(), Error::Split(_)));
    assert!(
        error.to_string().contains("part 2 of 3, open the first"),
        "{error}"
    );
    let renamed = dir.path().join("model.gguf");
    fs::rename(path(dir.path(), 0), &renamed).unwrap();
    let error = File::open(renamed).unwrap_err().to_string();
    assert!(
        error.contains("should end with -00001-of-00003.gguf"),
        "{error}"
    );
    let bytes = fs::read(path(dir.path(), 2)).unwrap();
    assert!(matches!(File::parse(bytes), Err(Error::Split(_))));
}

#[test]
fn a_count_that_nobody_needs_is_refused_before_anything_is_opened() {
    let error = refusal(|dir| {
        let bytes = part(0, |writer| {
            writer.split(0, u16::MAX, 3);
        });
        fs::write(path(dir, 0), bytes).unwrap();
    });
    assert!(error.contains("65535 parts, 1000 allowed"), "{error}");
    // A count of one is a whole file.
    let whole = part(1, |writer| {
        writer.split(0, 1, 2);
    });
    assert_eq!(File::parse(whole).unwrap().tensors().len(), 2);
}
