//! Which model a command gets: a path, a name, or the default that the first run fetches.
use crate::{
    place::{Place, noting, quiet, refused},
    samples::{bytes, catalogue, files, hub_entry, sha256},
    server::{Server, nobody},
};
use reckon_models::ErrorKind;
use std::fs;

#[test]
fn a_path_is_used_in_place() {
    let place = Place::new();
    let store = place.store(&nobody(), &catalogue(&[], &[]));
    let file = place.root.path().join("own model");
    fs::write(&file, b"x").unwrap();
    let path = store.resolve(file.to_str().unwrap()).unwrap();
    assert_eq!(path, file);
    assert!(!store.home.exists(), "nothing is copied");
}

#[test]
fn what_is_not_a_model_is_named() {
    let place = Place::new();
    let entry = hub_entry("known-1b", b"x");
    let store = place.store(&nobody(), &catalogue(&[], &[entry]));
    let resolve = |model: &str| store.resolve(model);
    let directory = place.root.path().to_str().unwrap();
    refused(resolve(directory), ErrorKind::NotFound, &["is a directory"]);
    refused(resolve("./none"), ErrorKind::NotFound, &["no file ./none"]);
    refused(
        resolve("none.gguf"),
        ErrorKind::NotFound,
        &["no file none.gguf"],
    );
    refused(
        resolve("knwon-1b"),
        ErrorKind::NotFound,
        &["did you mean known-1b?"],
    );
    refused(resolve("zzz"), ErrorKind::NotFound, &["models list"]);
    refused(
        resolve("known-1b"),
        ErrorKind::NotFetched,
        &["not here", "models pull known-1b"],
    );
    refused(resolve(""), ErrorKind::NotFound, &["no model named"]);
}

#[test]
fn the_first_run_says_what_it_fetches_and_does() {
    let body = bytes(1, 1000);
    let place = Place::new();
    let server = Server::new(&body, &sha256(&body));
    let entries = [hub_entry("other", b"?"), hub_entry("m", &body)];
    let store = place.store(&server.url, &catalogue(&["m", "other"], &entries));
    let mut notes = Vec::new();
    let path = store.locate(None, &mut noting(&mut notes)).unwrap();
    assert_eq!(fs::read(path).unwrap(), body);
    let said = notes.join("\n");
    for word in [
        "No model is here",
        "m (a test, 1.00 kB",
        "CC0",
        &server.url,
        "org/name",
    ] {
        assert!(said.contains(word), "no `{word}` in `{said}`");
    }
    let mut again = Vec::new();
    store.locate(None, &mut noting(&mut again)).unwrap();
    assert!(again.is_empty(), "the second run has nothing to say");
}

#[test]
fn the_first_run_offline_is_refused() {
    let place = Place::new();
    let body = bytes(1, 10);
    let server = Server::new(&body, &sha256(&body));
    let mut store = place.store(&server.url, &catalogue(&["m"], &[hub_entry("m", &body)]));
    store.offline = true;
    let result = store.default_model(&mut quiet);
    refused(
        result,
        ErrorKind::Offline,
        &["no model is here", "forbidden"],
    );
    assert!(server.requests().is_empty());
    assert!(files(place.root.path()).is_empty());
}

#[test]
fn without_hub_and_without_another_source_the_hub_is_blamed() {
    let place = Place::new();
    let entry = hub_entry("m", b"x");
    let store = place.store(&nobody(), &catalogue(&["m"], &[entry]));
    let result = store.default_model(&mut quiet);
    refused(result, ErrorKind::Unreachable, &["cannot be used"]);
}

#[test]
fn an_empty_catalogue_is_no_panic() {
    let place = Place::new();
    let store = place.store(&nobody(), &catalogue(&[], &[]));
    let result = store.default_model(&mut quiet);
    refused(result, ErrorKind::Settings, &["empty"]);
}

#[test]
fn a_file_does_not_shadow_a_name() {
    // Tests run in the directory of their crate: these are files of it.
    let place = Place::new();
    let entries = [hub_entry("Cargo.toml", b"x"), hub_entry("src", b"x")];
    let store = place.store(&nobody(), &catalogue(&[], &entries));
    for name in ["Cargo.toml", "src"] {
        refused(store.resolve(name), ErrorKind::NotFetched, &["not here"]);
    }
    // What is no name is a path only if it looks like one, and the hint says how to write it.
    refused(
        store.resolve("README.md"),
        ErrorKind::NotFound,
        &[
            "no model named README.md",
            "./README.md is a file: write ./README.md",
        ],
    );
    let path = store.resolve("./README.md").unwrap();
    assert_eq!(path, std::path::Path::new("./README.md"));
    // One that was fetched is found although there is a file of its name.
    let body = bytes(1, 10);
    let server = Server::new(&body, &sha256(&body));
    let store = place.store(
        &server.url,
        &catalogue(&[], &[hub_entry("Cargo.toml", &body)]),
    );
    let path = store.pull("Cargo.toml", &mut quiet).unwrap();
    assert_eq!(store.resolve("Cargo.toml").unwrap(), path);
    assert_eq!(fs::read(path).unwrap(), body);
}

#[test]
fn a_split_model_is_named_by_its_first_part() {
    let place = Place::new();
    let store = place.store(&nobody(), &catalogue(&[], &[]));
    let part = |number: usize| {
        place
            .root
            .path()
            .join(format!("m-{number:05}-of-00003.gguf"))
    };
    let resolve = |number| store.resolve(part(number).to_str().unwrap());
    for number in [1, 3] {
        fs::write(part(number), b"x").unwrap();
    }
    refused(
        resolve(1),
        ErrorKind::NotFound,
        &["part 2 of 3 is missing", "m-00002-of-00003.gguf"],
    );
    fs::write(part(2), b"x").unwrap();
    assert_eq!(resolve(1).unwrap(), part(1));
    refused(
        resolve(2),
        ErrorKind::NotFound,
        &[
            "is part 2 of 3",
            "name the first part",
            "m-00001-of-00003.gguf",
        ],
    );
    assert_eq!(reckon_models::parts(&part(1)), [part(1), part(2), part(3)]);
}

#[test]
fn the_environment_is_what_the_lookup_says() {
    let place = Place::new();
    let root = place.root.path().to_owned();
    let store = reckon_models::Store::from_env(|name| {
        let value = match name {
            "RECKON_HOME" => root.join("home").into_os_string(),
            "HF_HOME" => root.join("hf").into_os_string(),
            "HF_ENDPOINT" => "https://hub.example//".into(),
            "HF_TOKEN" => " secret\n".into(),
            "HF_HUB_CACHE" => "".into(),
            "RECKON_OFFLINE" => "0".into(),
            "HF_HUB_OFFLINE" => "yes".into(),
            _ => return None,
        };
        Some(value)
    });
    let store = store.unwrap();
    assert_eq!(store.home, place.home());
    assert_eq!(store.hub_cache, root.join("hf/hub"));
    assert_eq!(store.hub_endpoint, "https://hub.example");
    assert_eq!(store.hub_token.as_deref(), Some("secret"));
    assert!(store.offline);
    assert!(!place.home().exists(), "looking makes nothing");
}
