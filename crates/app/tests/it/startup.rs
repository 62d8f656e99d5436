//! Which model a command gets: a path, a name, or the default that the first run fetches.
use crate::{
    place::{Place, bytes, catalogue, files, hub_entry, refused, sha256},
    server::{Server, nobody},
};
use reckon_app::{Kind, models};
use std::fs;

#[test]
fn a_path_is_used_in_place() {
    let place = Place::new();
    let context = place.context(&nobody(), &catalogue(&[], &[]));
    let file = place.root.path().join("own model");
    fs::write(&file, b"x").unwrap();
    let path = models::resolve(file.to_str().unwrap(), &context).unwrap();
    assert_eq!(path, file);
    assert!(!context.home.exists(), "nothing is copied");
}

#[test]
fn what_is_not_a_model_is_named() {
    let place = Place::new();
    let entry = hub_entry("known-1b", b"x");
    let context = place.context(&nobody(), &catalogue(&[], &[entry]));
    let resolve = |model: &str| models::resolve(model, &context);
    let directory = place.root.path().to_str().unwrap();
    refused(resolve(directory), Kind::Model, &["is a directory"]);
    refused(resolve("./none"), Kind::Model, &["no file ./none"]);
    refused(resolve("none.gguf"), Kind::Model, &["no file none.gguf"]);
    refused(
        resolve("knwon-1b"),
        Kind::Model,
        &["did you mean known-1b?"],
    );
    refused(resolve("zzz"), Kind::Model, &["models list"]);
    refused(
        resolve("known-1b"),
        Kind::Model,
        &["not here", "models pull known-1b"],
    );
    refused(resolve(""), Kind::Model, &["no model named"]);
}

#[test]
fn the_first_run_says_what_it_fetches_and_does() {
    let body = bytes(1, 1000);
    let place = Place::new();
    let server = Server::new(&body, &sha256(&body));
    let entries = [hub_entry("other", b"?"), hub_entry("m", &body)];
    let context = place.context(&server.url, &catalogue(&["m", "other"], &entries));
    let mut said = Vec::new();
    let path = models::locate(None, &context, &mut said).unwrap();
    assert_eq!(fs::read(path).unwrap(), body);
    let said = String::from_utf8(said).unwrap();
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
    models::locate(None, &context, &mut again).unwrap();
    assert!(again.is_empty(), "the second run has nothing to say");
}

#[test]
fn the_first_run_offline_is_refused() {
    let place = Place::new();
    let body = bytes(1, 10);
    let server = Server::new(&body, &sha256(&body));
    let mut context = place.context(&server.url, &catalogue(&["m"], &[hub_entry("m", &body)]));
    context.offline = true;
    let result = models::default_model(&context, &mut Vec::new());
    refused(result, Kind::Model, &["no model is here", "forbidden"]);
    assert!(server.requests().is_empty());
    assert!(files(place.root.path()).is_empty());
}

#[test]
fn without_hub_and_without_another_source_the_hub_is_blamed() {
    let place = Place::new();
    let entry = hub_entry("m", b"x");
    let context = place.context(&nobody(), &catalogue(&["m"], &[entry]));
    let result = models::default_model(&context, &mut Vec::new());
    refused(result, Kind::Model, &["cannot be used"]);
}

#[test]
fn an_empty_catalogue_is_no_panic() {
    let place = Place::new();
    let context = place.context(&nobody(), &catalogue(&[], &[]));
    let result = models::default_model(&context, &mut Vec::new());
    refused(result, Kind::Model, &["empty"]);
}
