//! Names of the hub: which file is meant, what is fetched, what is found without a network, and what a hub may get wrong.
use crate::{
    place::{Place, noting, quiet, refused},
    samples::{Repository, bytes, catalogue, files, hub_entry, sha256},
    server::{COMMIT, Server, nobody},
};
use reckon_models::{Error, ErrorKind, Planned, Store};
use std::{fs, path::PathBuf};

const API: &str = "GET /api/models/o/r?blobs=true";

/// A hub with the repository `o/r` of these files, and a store that knows nothing of it.
fn hub(architecture: &str, files: &[(&str, &[u8])]) -> (Place, Server, Store) {
    let place = Place::new();
    let server = Server::new(b"", "");
    let repository = Repository {
        name: "o/r",
        architecture,
        files,
    };
    for (path, body) in repository.routes(COMMIT) {
        server.serve(&path, &body);
    }
    let store = place.store(&server.url, &catalogue(&[], &[]));
    (place, server, store)
}

fn pull(store: &Store, name: &str) -> Result<PathBuf, Error> {
    store.pull(name, &mut quiet)
}

#[test]
fn a_name_of_the_hub_is_fetched_once_and_then_found_without_it() {
    let (small, large) = (bytes(1, 3000), bytes(2, 9000));
    let (_place, server, mut store) = hub(
        "llama",
        &[("m-Q8_0.gguf", &large), ("m-Q4_K_M.gguf", &small)],
    );
    refused(
        store.resolve("hf.co/o/r"),
        ErrorKind::NotFetched,
        &["hf.co/o/r is not here", "models pull hf.co/o/r"],
    );
    assert!(server.requests().is_empty(), "resolving asks nobody");
    let mut notes = Vec::new();
    let path = store
        .locate(Some("hf.co/o/r"), &mut noting(&mut notes))
        .unwrap();
    assert_eq!(fs::read(&path).unwrap(), small);
    let file = format!("/o/r/resolve/{COMMIT}/m-Q4_K_M.gguf");
    assert_eq!(
        server.requests(),
        [
            API.to_owned(),
            format!("HEAD {file}"),
            format!("GET {file}")
        ]
    );
    let said = notes.join("\n");
    for word in [
        "hf.co/o/r:Q4_K_M",
        "3.00 kB",
        "licence apache-2.0",
        "m-Q4_K_M.gguf",
    ] {
        assert!(said.contains(word), "no `{word}` in `{said}`");
    }
    store.offline = true;
    for name in [
        "hf.co/o/r",
        "huggingface.co/o/r:q4_k_m",
        "hf.co/o/r:m-Q4_K_M.gguf",
    ] {
        assert_eq!(store.resolve(name).unwrap(), path, "{name}");
        assert_eq!(
            store.locate(Some(name), &mut quiet).unwrap(),
            path,
            "{name}"
        );
    }
    refused(
        pull(&store, "hf.co/o/r:Q8_0"),
        ErrorKind::Offline,
        &["forbidden", "--offline"],
    );
    refused(
        store.resolve("hf.co/o/r:Q8_0"),
        ErrorKind::NotFetched,
        &["here are Q4_K_M (3.00 kB)"],
    );
    assert!(server.requests().is_empty());
}

#[test]
fn a_plan_says_everything_and_fetches_nothing() {
    let body = bytes(1, 5000);
    let (place, server, store) = hub("llama", &[("m-Q4_0.gguf", &body)]);
    let planned = store.plan("hf.co/o/r", &mut quiet).unwrap();
    let Planned::Absent(plan) = planned else {
        panic!("{planned:?}");
    };
    assert_eq!((plan.bytes, plan.exact, plan.is_gated), (5000, true, false));
    assert_eq!(plan.licence.as_deref(), Some("apache-2.0"));
    assert_eq!(server.requests(), [API]);
    assert!(files(place.root.path()).is_empty());
    let path = store.fetch(&plan, &mut quiet).unwrap();
    assert_eq!(fs::read(path).unwrap(), body);
    let planned = store.plan("hf.co/o/r:Q4_0", &mut quiet).unwrap();
    assert!(matches!(planned, Planned::Here(_)), "{planned:?}");
}

#[test]
fn a_wrong_or_missing_quantisation_lists_what_there_is() {
    let (_place, server, store) = hub("llama", &[("m-Q8_0.gguf", b"12345"), ("m-Q6_K.gguf", b"1")]);
    for name in ["hf.co/o/r", "hf.co/o/r:Q4_K_M", "hf.co/o/r:none.gguf"] {
        let words = ["Q6_K (1 B)", "Q8_0 (5 B)", "name one: hf.co/o/r:Q6_K"];
        refused(pull(&store, name), ErrorKind::NotFound, &words);
    }
    refused(
        pull(&store, "hf.co/o/none"),
        ErrorKind::NotFound,
        &["no repository o/none", "models search"],
    );
    refused(
        pull(&store, "hf.co/o"),
        ErrorKind::NotFound,
        &["hf.co/OWNER/REPO"],
    );
    assert!(server.requests().iter().all(|line| line.contains("/api/")));
}

#[test]
fn all_parts_of_a_split_model_come() {
    let (one, two) = (bytes(1, 4000), bytes(2, 6000));
    let (_place, server, store) = hub(
        "llama",
        &[
            ("Q8_0/m-Q8_0-00001-of-00002.gguf", &one),
            ("Q8_0/m-Q8_0-00002-of-00002.gguf", &two),
            (
                "Q4_0/m-Q4_0-00001-of-00002.gguf",
                b"its second part is missing",
            ),
        ],
    );
    let path = pull(&store, "hf.co/o/r").unwrap();
    assert!(path.ends_with("Q8_0/m-Q8_0-00001-of-00002.gguf"));
    let parts: Vec<_> = reckon_models::parts(&path)
        .iter()
        .map(|part| fs::read(part).unwrap())
        .collect();
    assert_eq!(parts, [one, two]);
    assert_eq!(store.resolve("hf.co/o/r:Q8_0").unwrap(), path);
    let found = store.found();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].name.as_str(), found[0].bytes),
        ("hf.co/o/r:Q8_0", 10_000)
    );
    assert_eq!(server.gets().len(), 3);
    // A part that goes away makes the model absent, not broken.
    fs::remove_file(path.with_file_name("m-Q8_0-00002-of-00002.gguf")).unwrap();
    refused(store.resolve("hf.co/o/r:Q8_0"), ErrorKind::NotFetched, &[]);
}

#[test]
fn a_download_of_the_hub_goes_on_where_it_broke_off() {
    let body = bytes(3, 50_000);
    let (_place, server, store) = hub("llama", &[("m-Q4_0.gguf", &body)]);
    // The first answer is the API's and comes whole.
    server.behave(|how| how.cuts = [usize::MAX, 20_000, 0].into());
    refused(
        pull(&store, "hf.co/o/r"),
        ErrorKind::Interrupted,
        &["broke off"],
    );
    server.behave(|how| how.cuts.clear());
    server.requests();
    assert_eq!(fs::read(pull(&store, "hf.co/o/r").unwrap()).unwrap(), body);
    let gets = server.gets();
    assert!(gets[1].ends_with("bytes=20000-"), "{gets:?}");
}

#[test]
fn bytes_that_are_not_what_the_hub_promised_are_deleted() {
    let body = bytes(3, 5000);
    let (_place, server, store) = hub("llama", &[("m-Q4_0.gguf", &body)]);
    let path = format!("/o/r/resolve/{COMMIT}/m-Q4_0.gguf");
    server.serve(&path, &bytes(4, 5000));
    refused(
        pull(&store, "hf.co/o/r"),
        ErrorKind::Mismatch,
        &["has changed"],
    );
    server.serve(&path, &bytes(4, 5001));
    refused(
        pull(&store, "hf.co/o/r"),
        ErrorKind::Mismatch,
        &["has changed"],
    );
    assert!(store.found().is_empty());
}

#[test]
fn encoders_come_where_the_architecture_has_senses() {
    let files: &[(&str, &[u8])] = &[
        ("m-Q4_0.gguf", b"model"),
        ("mmproj-F32.gguf", b"encoders in full"),
        ("mmproj-F16.gguf", b"encoders"),
    ];
    let (_place, _server, store) = hub("gemma4", files);
    let path = pull(&store, "hf.co/o/r").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"model");
    let mmproj = store.mmproj_of(&path).unwrap();
    assert_eq!(fs::read(mmproj).unwrap(), b"encoders");
    let (_place, _server, store) = hub("llama", files);
    let path = pull(&store, "hf.co/o/r").unwrap();
    assert_eq!(store.mmproj_of(&path), None);
}

#[test]
fn a_model_of_the_catalogue_comes_with_its_encoders() {
    let (model, encoders) = (bytes(1, 3000), bytes(2, 2000));
    let place = Place::new();
    let server = Server::new(b"", "");
    let files: &[(&str, &[u8])] = &[("model.gguf", &model), ("eyes-mmproj.gguf", &encoders)];
    let repository = Repository {
        name: "org/name",
        architecture: "gemma4",
        files,
    };
    for (path, body) in repository.routes("main") {
        server.serve(&path, &body);
    }
    let companion = format!(
        r#""companions":[{{"role":"mmproj","repository":"org/name","file":"eyes-mmproj.gguf","bytes":2000,"sha256":"{}"}},
        {{"role":"drafter","repository":"org/name","file":"none.gguf","sha256":"{}"}}]}}"#,
        sha256(&encoders),
        sha256(b"never fetched")
    );
    let entry = hub_entry("m", &model);
    let entry = format!("{},{companion}", entry.strip_suffix('}').unwrap());
    let mut store = place.store(&server.url, &catalogue(&["m"], &[entry]));
    let mut notes = Vec::new();
    let path = store.pull("m", &mut noting(&mut notes)).unwrap();
    assert!(
        notes[0].contains("about 5.00 kB, with its eyes and ears"),
        "{notes:?}"
    );
    let mmproj = store.mmproj_of(&path).unwrap();
    assert_eq!(fs::read(&mmproj).unwrap(), encoders);
    // What is missing is fetched alone; offline, its absence is told and no error.
    server.requests();
    fs::remove_file(&mmproj).unwrap();
    assert_eq!(store.mmproj_of(&path), None);
    store.offline = true;
    let mut notes = Vec::new();
    assert_eq!(store.pull("m", &mut noting(&mut notes)).unwrap(), path);
    let last = notes.last().unwrap();
    assert!(last.contains("without its eyes and ears"), "{notes:?}");
    store.offline = false;
    assert_eq!(pull(&store, "m").unwrap(), path);
    assert!(store.mmproj_of(&path).is_some());
    let asked = server.requests();
    assert!(
        asked.iter().all(|line| line.contains("eyes-mmproj")),
        "{asked:?}"
    );
    // The first run goes on without them if they cannot be had.
    fs::remove_dir_all(&store.hub_cache).unwrap();
    server.behave(|how| how.routes.retain(|path, _| !path.contains("mmproj")));
    let mut notes = Vec::new();
    let path = store.default_model(&mut noting(&mut notes)).unwrap();
    assert_eq!(fs::read(path).unwrap(), model);
    assert!(
        notes.last().unwrap().contains("Without eyes and ears"),
        "{notes:?}"
    );
}

#[test]
fn a_gated_repository_needs_a_token_and_gets_it_alone_there() {
    let body = bytes(1, 1000);
    let (_place, server, mut store) = hub("llama", &[("m-Q4_0.gguf", &body)]);
    server.behave(|how| how.gated = Some("/o/r/resolve/".into()));
    refused(
        pull(&store, "hf.co/o/r"),
        ErrorKind::Denied,
        &["401", "accept the licence of o/r", "HF_TOKEN"],
    );
    store.hub_token = Some("secret".into());
    server.requests();
    assert_eq!(fs::read(pull(&store, "hf.co/o/r").unwrap()).unwrap(), body);
    let asked = server.requests();
    assert_eq!(asked[0], API, "what is open is asked for without a token");
    assert!(
        asked[2].ends_with("+token") && asked[3].ends_with("+token"),
        "{asked:?}"
    );
}

#[test]
fn no_hub_and_no_network_are_different_errors() {
    let place = Place::new();
    let mut store = place.store(&nobody(), &catalogue(&[], &[]));
    let words = ["cannot be used", "HF_ENDPOINT"];
    refused(pull(&store, "hf.co/o/r"), ErrorKind::Unreachable, &words);
    refused(store.search("x", 5), ErrorKind::Unreachable, &words);
    store.offline = true;
    refused(store.search("x", 5), ErrorKind::Offline, &["--offline"]);
    refused(store.repository("o/r"), ErrorKind::Offline, &["--offline"]);
    for wrong in ["{}", "[]", "<html>", r#"{"sha":"../up"}"#, ""] {
        let server = Server::new(b"", "");
        server.serve("/api/models/o/r?blobs=true", wrong.as_bytes());
        let store = place.store(&server.url, &catalogue(&[], &[]));
        refused(
            pull(&store, "hf.co/o/r"),
            ErrorKind::Unreachable,
            &["not a model hub"],
        );
    }
}

#[test]
fn hostile_answers_become_no_paths_and_no_escapes() {
    let place = Place::new();
    let server = Server::new(b"", "");
    let digest = sha256(b"x");
    let file =
        |name: &str| format!(r#"{{"rfilename":"{name}","lfs":{{"sha256":"{digest}","size":1}}}}"#);
    let names = [
        "../../up-Q4_0.gguf",
        "/etc/x-Q4_0.gguf",
        "a b-Q4_0.gguf",
        "x?y-Q4_0.gguf",
        "a/b/c/d/e-Q4_0.gguf",
        "fine-Q4_0.gguf",
    ];
    let siblings: Vec<_> = names.iter().map(|name| file(name)).collect();
    let info = format!(
        r#"{{"sha":"{COMMIT}","gated":"manual","tags":["license:evil\u001b[2J\u202e"],"siblings":[{},
        {{"rfilename":"no-Q8_0.gguf","lfs":{{"sha256":"../../x","size":1}}}}],"gguf":{{"architecture":"\u001b[31mx"}}}}"#,
        siblings.join(",")
    );
    server.serve("/api/models/o/r?blobs=true", info.as_bytes());
    let store = place.store(&server.url, &catalogue(&[], &[]));
    let found = store.repository("o/r").unwrap();
    let paths: Vec<_> = found.variants.iter().map(|one| one.path()).collect();
    assert_eq!(paths, ["fine-Q4_0.gguf"]);
    assert!(found.is_gated);
    let shown = format!("{:?} {:?}", found.licence, found.architecture);
    assert!(
        !shown.contains("\\u{1b}") && !shown.contains("\\u{202e}"),
        "{shown}"
    );
}

#[test]
fn a_search_is_bounded_and_tells_sizes() {
    let (_place, server, store) = hub("llama", &[("m-Q4_K_M.gguf", b"12345")]);
    let row = r#"{"id":"o/r","downloads":1},{"id":"../x"},{"id":"o/gone"}"#;
    let list = format!("[{row}]");
    let query =
        "/api/models?search=two%20words%26x&filter=gguf&sort=downloads&direction=-1&limit=30";
    server.serve(query, list.as_bytes());
    let found = store.search("two words&x", 1000).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    let one = &found[0];
    assert_eq!((one.name.as_str(), one.downloads), ("o/r", Some(1234)));
    assert_eq!(
        (one.parameters, one.n_ctx),
        (Some(1_500_000_000), Some(32768))
    );
    assert_eq!((one.variants[0].bytes(), one.has_template), (5, true));
}

#[test]
fn an_alias_is_another_name() {
    let body = bytes(1, 1000);
    let (_place, _server, store) = hub("llama", &[("m-Q4_0.gguf", &body)]);
    store.set_alias("mine", Some("hf.co/o/r:Q4_0")).unwrap();
    refused(
        store.resolve("mine"),
        ErrorKind::NotFetched,
        &["hf.co/o/r:Q4_0 is not here"],
    );
    let path = store.locate(Some("mine"), &mut quiet).unwrap();
    assert_eq!(store.resolve("mine").unwrap(), path);
    assert_eq!(store.aliases().len(), 1);
    // An alias of an alias is not followed: it could lead around in circles.
    store.set_alias("round", Some("round")).unwrap();
    refused(
        store.resolve("round"),
        ErrorKind::NotFound,
        &["no model named round"],
    );
    assert!(store.set_alias("round", None).unwrap());
    assert!(!store.set_alias("round", None).unwrap());
    for wrong in ["a/b", "x.gguf", "", "hf.co/o/r", "a b"] {
        refused(
            store.set_alias(wrong, Some("m")),
            ErrorKind::Settings,
            &["cannot be an alias"],
        );
    }
    // A file that cannot be read is not written over.
    let file = store.home.join("aliases.toml");
    fs::write(&file, "not toml").unwrap();
    refused(
        store.set_alias("x", Some("m")),
        ErrorKind::Settings,
        &["aliases.toml"],
    );
    assert_eq!(fs::read(&file).unwrap(), b"not toml");
}
