//! Files that other programs fetched: found by name, used in place, and what a hostile store cannot make us do.
use crate::{
    place::{Place, quiet, refused},
    samples::{bytes, catalogue, files, sha256},
    server::nobody,
};
use reckon_models::{ErrorKind, Store};
use std::{
    fs,
    path::{Path, PathBuf},
};

const MODEL: &str = "application/vnd.ollama.image.model";

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn empty() -> (Place, Store) {
    let place = Place::new();
    let store = place.store(&nobody(), &catalogue(&[], &[]));
    (place, store)
}

fn names(store: &Store) -> Vec<String> {
    store.found().into_iter().map(|one| one.name).collect()
}

/// Writes a manifest of Ollama's with these layers.
fn manifest(store: &Store, path: &str, layers: &[(&str, &str, usize)]) {
    let layer = |(kind, digest, size): &(&str, &str, usize)| {
        format!(r#"{{"mediaType":"{kind}","digest":"{digest}","size":{size}}}"#)
    };
    let layers: Vec<_> = layers.iter().map(layer).collect();
    let text = format!(
        r#"{{"schemaVersion":2,"config":{{"digest":"sha256:0"}},"layers":[{}]}}"#,
        layers.join(",")
    );
    let path = store.others.ollama[0].join("manifests").join(path);
    write(&path, text.as_bytes());
}

fn blob(store: &Store, body: &[u8]) -> PathBuf {
    let blobs = store.others.ollama[0].join("blobs");
    let path = blobs.join(format!("sha256-{}", sha256(body)));
    write(&path, body);
    path
}

#[test]
fn models_of_ollama_are_used_in_place() {
    let (place, store) = empty();
    let body = bytes(1, 5000);
    let path = blob(&store, &body);
    let digest = format!("sha256:{}", sha256(&body));
    let layers = [
        ("application/vnd.ollama.image.license", "sha256:1", 1),
        (MODEL, &digest, 5000),
    ];
    manifest(&store, "registry.ollama.ai/library/llama3.2/1b", &layers);
    manifest(
        &store,
        "registry.ollama.ai/library/llama3.2/latest",
        &layers,
    );
    manifest(&store, "hf.co/o/r/Q4_0", &layers);
    let before = files(&store.others.ollama[0]);
    assert_eq!(
        names(&store),
        [
            "ollama/hf.co/o/r:Q4_0",
            "ollama/llama3.2:1b",
            "ollama/llama3.2:latest"
        ]
    );
    for name in names(&store)
        .iter()
        .map(String::as_str)
        .chain(["ollama/llama3.2"])
    {
        assert_eq!(store.resolve(name).unwrap(), path, "{name}");
        assert_eq!(store.pull(name, &mut quiet).unwrap(), path, "{name}");
    }
    assert_eq!(
        files(&store.others.ollama[0]),
        before,
        "nothing is written there"
    );
    refused(
        store.resolve("ollama/llama3.2:70b"),
        ErrorKind::NotFound,
        &["Ollama has no llama3.2:70b", "models list"],
    );
    assert!(!files(&place.home()).is_empty(), "its digest is remembered");
}

#[test]
fn a_damaged_blob_is_refused_and_left_alone() {
    let (_place, store) = empty();
    let body = bytes(1, 5000);
    let path = blob(&store, &body);
    let digest = format!("sha256:{}", sha256(&body));
    manifest(
        &store,
        "registry.ollama.ai/library/m/latest",
        &[(MODEL, &digest, 5000)],
    );
    fs::write(&path, bytes(2, 5000)).unwrap();
    refused(
        store.resolve("ollama/m"),
        ErrorKind::Mismatch,
        &["sha256", "not its name"],
    );
    fs::write(&path, bytes(2, 400)).unwrap();
    refused(
        store.resolve("ollama/m"),
        ErrorKind::NotFound,
        &["not whole"],
    );
    assert!(path.exists());
}

#[test]
fn a_hostile_manifest_leads_nowhere() {
    let (place, store) = empty();
    let secret = place.root.path().join("secret");
    write(&secret, b"precious");
    let zeros = format!("sha256:{}", "0".repeat(64));
    let own = format!("sha256:{}", sha256(b"precious"));
    for (digest, why) in [
        ("../../secret", "a digest that is none"),
        ("sha256:../../../secret", "a digest that is none"),
        ("sha256:", "a digest that is none"),
        (zeros.as_str(), "not here"),
    ] {
        manifest(
            &store,
            "registry.ollama.ai/library/m/latest",
            &[(MODEL, digest, 8)],
        );
        refused(store.resolve("ollama/m"), ErrorKind::NotFound, &[why]);
    }
    let adapter = "application/vnd.ollama.image.adapter";
    for layers in [
        &[(MODEL, own.as_str(), 8), (adapter, &own, 8)][..],
        &[(MODEL, own.as_str(), 8); 2],
        &[],
    ] {
        manifest(&store, "registry.ollama.ai/library/m/latest", layers);
        refused(
            store.resolve("ollama/m"),
            ErrorKind::NotFound,
            &["ollama/m:latest: it "],
        );
    }
    let path = store.others.ollama[0].join("manifests/registry.ollama.ai/library/m/latest");
    for text in ["{", "[]", &"[".repeat(100_000), &" ".repeat(2 << 20)] {
        write(&path, text.as_bytes());
        refused(
            store.resolve("ollama/m"),
            ErrorKind::NotFound,
            &["not understood"],
        );
    }
    assert!(store.found().is_empty());
    for name in ["ollama/../secret", "ollama/..:x", "ollama/a/../../b"] {
        refused(store.resolve(name), ErrorKind::NotFound, &["no file"]);
    }
}

#[test]
fn models_of_lm_studio_are_used_in_place() {
    let (_place, store) = empty();
    let root = &store.others.lm_studio[0];
    let directory = root.join("org/repo-GGUF");
    write(&directory.join("m-Q4_K_M.gguf"), b"four");
    write(&directory.join("m-Q8_0.gguf"), b"eight");
    write(&directory.join("mmproj-m-f16.gguf"), b"eyes");
    write(&directory.join("notes.txt"), b"x");
    let before = files(root);
    assert_eq!(
        names(&store),
        [
            "lmstudio/org/repo-GGUF:Q4_K_M",
            "lmstudio/org/repo-GGUF:Q8_0"
        ]
    );
    let four = directory.join("m-Q4_K_M.gguf");
    assert_eq!(store.resolve("lmstudio/org/repo-GGUF").unwrap(), four);
    let eight = directory.join("m-Q8_0.gguf");
    assert_eq!(store.resolve("lmstudio/org/repo-GGUF:q8_0").unwrap(), eight);
    assert_eq!(
        store.mmproj_of(&four),
        Some(directory.join("mmproj-m-f16.gguf"))
    );
    refused(
        store.resolve("lmstudio/org/repo-GGUF:Q2_K"),
        ErrorKind::NotFound,
        &["has no Q2_K", "Q4_K_M (4 B)"],
    );
    refused(
        store.resolve("lmstudio/org/none"),
        ErrorKind::NotFound,
        &["LM Studio has no"],
    );
    assert_eq!(files(root), before);
    // Encoders beside a file of one's own are one's own business.
    let own = _place.root.path().join("own");
    write(&own.join("m.gguf"), b"x");
    write(&own.join("mmproj-f16.gguf"), b"x");
    assert_eq!(store.mmproj_of(&own.join("m.gguf")), None);
}

#[cfg(unix)]
#[test]
fn links_that_leave_a_store_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (place, store) = empty();
    let outside = place.root.path().join("outside/m-Q4_0.gguf");
    write(&outside, b"precious");
    let repository = store.others.lm_studio[0].join("org/repo");
    fs::create_dir_all(&repository).unwrap();
    symlink(&outside, repository.join("m-Q4_0.gguf")).unwrap();
    symlink(outside.parent().unwrap(), repository.join("directory")).unwrap();
    symlink(&repository, repository.join("circle")).unwrap();
    let snapshot = store.hub_cache.join("models--o--r/snapshots/abcdef0");
    fs::create_dir_all(&snapshot).unwrap();
    symlink(&outside, snapshot.join("m-Q4_0.gguf")).unwrap();
    let blobs = store.others.ollama[0].join("blobs");
    fs::create_dir_all(&blobs).unwrap();
    let digest = sha256(b"precious");
    symlink(&outside, blobs.join(format!("sha256-{digest}"))).unwrap();
    let layer = format!("sha256:{digest}");
    manifest(
        &store,
        "registry.ollama.ai/library/m/latest",
        &[(MODEL, &layer, 8)],
    );
    assert!(store.found().is_empty(), "{:?}", store.found());
    for name in ["lmstudio/org/repo", "hf.co/o/r", "ollama/m"] {
        store.resolve(name).unwrap_err();
    }
    // A link inside the store is how the hub's cache works.
    let blob = store.hub_cache.join("models--o--r/blobs").join(&digest);
    write(&blob, b"precious");
    fs::remove_file(snapshot.join("m-Q4_0.gguf")).unwrap();
    symlink(
        Path::new("../../blobs").join(&digest),
        snapshot.join("m-Q4_0.gguf"),
    )
    .unwrap();
    assert_eq!(names(&store), ["hf.co/o/r:Q4_0"]);
}

#[test]
fn what_the_catalogue_knows_is_not_listed_twice() {
    let (place, _) = empty();
    let entry = crate::samples::hub_entry("m", b"x");
    let store = place.store(&nobody(), &catalogue(&[], &[entry]));
    let snapshot = store.hub_cache.join("models--org--name/snapshots/abcdef0");
    write(&snapshot.join("model.gguf"), b"x");
    write(&snapshot.join("other-Q8_0.gguf"), b"y");
    assert_eq!(names(&store), ["hf.co/org/name:Q8_0"]);
}
