//! Models by any name through the real binary: search, show, fetch on demand, aliases, removal, and questions at a terminal.
use crate::{
    fixture::{Tiny, gguf},
    mmproj::Mmproj,
    place::{Ended, Place, bytes, catalogue, hub_entry, sha256},
    samples::{Repository, wheels_entry},
    server::{COMMIT, Server},
    terminal::Terminal,
};
use reckon::gguf::Format;
use serde_json::Value;
use std::fs;

/// A hub with the repository `o/r` of these files.
fn hub(architecture: &str, files: &[(&str, &[u8])]) -> Server {
    let server = Server::new(b"", "");
    let repository = Repository {
        name: "o/r",
        architecture,
        files,
    };
    for (path, body) in repository.routes(COMMIT) {
        server.serve(&path, &body);
    }
    server
}

#[track_caller]
fn json(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(&ended.out).unwrap()
}

/// A short answer of the model whose name comes next.
const ASK: [&str; 8] = [
    "ask",
    "--raw",
    "--greedy",
    "--max-tokens",
    "3",
    "--json",
    "hi",
    "--model",
];

#[test]
fn a_model_of_the_hub_from_search_to_removal() {
    let place = Place::new();
    let model = gguf(&Tiny::new("llama", Format::Q8_0));
    let server = hub(
        "llama",
        &[("tiny-Q8_0.gguf", &model), ("tiny-Q2_K.gguf", b"x")],
    );
    let query = "/api/models?search=tiny%20one&filter=gguf&sort=downloads&direction=-1&limit=3";
    server.serve(query, br#"[{"id":"o/r"}]"#);
    let environment = [("HF_ENDPOINT", server.url.as_str())];
    let reckon = |arguments: &[&str]| place.reckon_with(arguments, &environment);

    let found = reckon(&["models", "search", "tiny", "one", "--limit", "3"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    for word in ["hf.co/o/r", "several", "1234", "apache-2.0"] {
        assert!(found.out.contains(word), "no `{word}` in {found:?}");
    }
    let shown = json(&reckon(&["models", "show", "hf.co/o/r:q8_0", "--json"]));
    assert_eq!(shown["here"], false);
    assert_eq!(shown["bytes"], model.len());
    assert_eq!(shown["sha256"], sha256(&model));
    assert_eq!(shown["licence"], "apache-2.0");
    let listed = reckon(&["models", "show", "hf.co/o/r"]).out;
    assert!(listed.contains("Q2_K (1 B), Q8_0 ("), "{listed}");
    reckon(&["models", "pull", "hf.co/o/r"]).refused(3, &["several files", "hf.co/o/r:Q2_K"]);

    // Asked for, it is fetched; then it is here.
    let first = reckon(&[&ASK[..], &["hf.co/o/r:Q8_0"]].concat());
    let said = json(&first);
    assert!(first.err.contains("licence apache-2.0"), "{first:?}");
    assert!(!first.err.contains("[Y/n]"), "nobody is there to answer");
    assert_eq!(said["receipt"]["model"]["name"], "hf.co/o/r:Q8_0", "{said}");
    assert_eq!(said["receipt"]["model"]["sha256"], sha256(&model), "{said}");
    let alias = place.reckon(&["models", "alias", "short", "hf.co/o/r:Q8_0"]);
    assert_eq!(alias.code, Some(0), "{alias:?}");
    let again = place.reckon(&[&ASK[..], &["short", "--offline"]].concat());
    assert_eq!(json(&again)["text"], said["text"]);

    let shown = json(&place.reckon(&["models", "show", "short", "--json"]));
    assert_eq!(
        (&shown["here"], &shown["store"]),
        (&true.into(), &"Hugging Face".into())
    );
    assert_eq!(
        (&shown["architecture"], &shown["quantisation"]),
        (&"llama".into(), &"Q8_0".into())
    );
    assert_eq!(shown["sha256"], sha256(&model));
    assert!(shown["n_ctx"].as_u64().unwrap() > 0, "{shown}");
    let list = json(&place.reckon(&["models", "list", "--json"]));
    assert_eq!(list["found"][0]["name"], "hf.co/o/r:Q8_0");
    assert!(
        place
            .reckon(&["models", "list"])
            .out
            .contains("hf.co/o/r:Q8_0")
    );

    place
        .reckon(&["models", "rm", "short"])
        .refused(3, &["an alias of hf.co/o/r:Q8_0"]);
    let removed = place.reckon(&["models", "rm", "hf.co/o/r:Q8_0"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert!(removed.out.contains("freed"), "{removed:?}");
    place
        .reckon(&["models", "path", "short"])
        .refused(3, &["not here", "models pull"]);
}

#[test]
fn models_of_other_programs_answer_in_place() {
    let place = Place::new();
    let model = gguf(&Tiny::new("llama", Format::Q8_0));
    let digest = sha256(&model);
    let ollama = place.root.path().join("ollama");
    let manifest = ollama.join("manifests/registry.ollama.ai/library/tiny/1b");
    fs::create_dir_all(manifest.parent().unwrap()).unwrap();
    let layer = format!(
        r#"{{"layers":[{{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:{digest}","size":{}}}]}}"#,
        model.len()
    );
    fs::write(&manifest, layer).unwrap();
    fs::create_dir_all(ollama.join("blobs")).unwrap();
    let blob = ollama.join("blobs").join(format!("sha256-{digest}"));
    fs::write(&blob, &model).unwrap();
    let studio = place
        .root
        .path()
        .join("user/.lmstudio/models/org/tiny-GGUF");
    fs::create_dir_all(&studio).unwrap();
    fs::write(studio.join("tiny-Q8_0.gguf"), &model).unwrap();
    let list = place.reckon(&["models", "list"]).out;
    for word in ["ollama/tiny:1b", "lmstudio/org/tiny-GGUF:Q8_0", "LM Studio"] {
        assert!(list.contains(word), "no `{word}` in {list}");
    }
    let texts = ["ollama/tiny:1b", "lmstudio/org/tiny-GGUF"]
        .map(|name| json(&place.reckon(&[&ASK[..], &[name]].concat()))["text"].clone());
    assert_eq!(texts[0], texts[1]);
    place
        .reckon(&["models", "rm", "ollama/tiny:1b"])
        .refused(3, &["ollama rm tiny:1b"]);
    fs::write(&blob, vec![0; model.len()]).unwrap();
    place
        .reckon(&[&ASK[..], &["ollama/tiny:1b"]].concat())
        .refused(3, &["sha256", "damaged"]);
}

/// Half a second of a tone, 16 kHz.
fn tone() -> Vec<u8> {
    let samples: Vec<u8> = (0..8000)
        .flat_map(|i| (((f64::from(i) * 0.2).sin() * 9000.0) as i16).to_le_bytes())
        .collect();
    let mut wav = b"RIFF".to_vec();
    wav.extend((36 + samples.len() as u32).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(16_000u32.to_le_bytes());
    wav.extend(32_000u32.to_le_bytes());
    wav.extend(b"\x02\0\x10\0data");
    wav.extend((samples.len() as u32).to_le_bytes());
    wav.extend(samples);
    wav
}

#[test]
fn a_pulled_model_hears_with_the_encoders_that_came_with_it() {
    let place = Place::new();
    let model = gguf(&Tiny::with_senses());
    let encoders = Mmproj::with_positions(Format::F32, 48).to_vec();
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
        r#""companions":[{{"role":"mmproj","repository":"org/name","file":"eyes-mmproj.gguf","sha256":"{}"}}]}}"#,
        sha256(&encoders)
    );
    let entry = hub_entry("m", &model);
    let entry = format!("{},{companion}", entry.strip_suffix('}').unwrap());
    place.write_catalogue(&catalogue(&["m"], &[entry]));
    place.write("memo.wav", &tone());
    let pulled = place.reckon_with(&["models", "pull", "m"], &[("HF_ENDPOINT", &server.url)]);
    assert_eq!(pulled.code, Some(0), "{pulled:?}");
    let ask = [
        "ask",
        "--raw",
        "--greedy",
        "--max-tokens",
        "3",
        "--json",
        "--model",
        "m",
    ];
    let ask = [&ask[..], &["-f", "memo.wav", "what is it?"]].concat();
    let heard = json(&place.reckon(&ask));
    let tokens = heard["usage"]["prompt"].as_u64().unwrap();
    let shown = json(&place.reckon(&["models", "show", "m", "--json"]));
    let mmproj = shown["mmproj"].as_str().unwrap().to_owned();
    // The same by hand, and nothing without.
    let named = json(&place.reckon(&[&ask[..], &["--mmproj", &mmproj]].concat()));
    assert_eq!(named["text"], heard["text"]);
    assert_eq!(named["usage"]["prompt"], tokens);
    // What the encoders give, once and timed.
    let media = ["debug", "media", "--model", "m", "--mmproj", &mmproj];
    let media = [&media[..], &["memo.wav", "--stage", "embeddings", "--out"]].concat();
    let once = place.reckon(&[&media[..], &["once.npy"]].concat());
    assert_eq!((once.code, once.out.as_str()), (Some(0), ""), "{once:?}");
    let timed = place.reckon(&[&media[..], &["timed.npy", "--repeat", "3"]].concat());
    let times: Vec<f64> = timed.out.lines().map(|ms| ms.parse().unwrap()).collect();
    assert!(
        times.len() == 3 && times.iter().all(|ms| *ms > 0.0),
        "{timed:?}"
    );
    let read = |name: &str| fs::read(place.root.path().join(name)).unwrap();
    assert_eq!(read("once.npy"), read("timed.npy"));
    fs::remove_file(&mmproj).unwrap();
    place.reckon(&ask).refused(4, &["memo.wav"]);
}

/// A repository whose only model is said to have two gigabytes.
fn large() -> Server {
    let server = Server::new(b"", "");
    let info = format!(
        r#"{{"sha":"{COMMIT}","tags":["license:mit"],"siblings":[{{"rfilename":"m-Q4_0.gguf",
        "lfs":{{"sha256":"{}","size":2000000000}}}}]}}"#,
        "0".repeat(64)
    );
    server.serve("/api/models/o/r?blobs=true", info.as_bytes());
    server
}

#[test]
fn a_gigabyte_is_asked_about_at_a_terminal() {
    let server = large();
    let environment = [("HF_ENDPOINT", server.url.as_str())];
    let pull = ["models", "pull", "hf.co/o/r"];
    let place = Place::new();
    let Some(mut terminal) = Terminal::start_with(&place, &pull, &environment) else {
        return;
    };
    terminal.wait(0, "question", |shown| shown.contains("Fetch it? [Y/n]"));
    terminal.press(b"n\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(3), "{shown}");
    for word in [
        "hf.co/o/r:Q4_0",
        "2.00 GB",
        "licence mit",
        "nothing was fetched",
    ] {
        assert!(shown.contains(word), "no `{word}` in `{shown}`");
    }
    assert_eq!(server.requests(), ["GET /api/models/o/r?blobs=true"]);
    // With --yes, and where nobody is there, it begins at once; this hub has no such file, and the disk may be full.
    let yes = [&pull[..], &["--yes"]].concat();
    let terminal = Terminal::start_with(&place, &yes, &environment).unwrap();
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(3), "{shown}");
    assert!(
        shown.contains("2.00 GB") && !shown.contains("[Y/n]"),
        "{shown}"
    );
    let piped = place.reckon_with(&pull, &environment);
    assert_eq!(piped.code, Some(3), "{piped:?}");
    assert!(
        !piped.err.contains("[Y/n]") && piped.err.contains("2.00 GB"),
        "{piped:?}"
    );
}

#[test]
fn a_removal_is_asked_about_at_a_terminal() {
    let place = Place::new();
    let body = bytes(1, 5000);
    place.write_catalogue(&catalogue(
        &[],
        &[wheels_entry("w", std::slice::from_ref(&body))],
    ));
    let path = place.home().join("models/w.gguf");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, &body).unwrap();
    let rm = ["models", "rm", "w"];
    for (keys, code) in [(&b"\r"[..], 1), (b"n\r", 1), (b"y\r", 0)] {
        let Some(mut terminal) = Terminal::start_with(&place, &rm, &[]) else {
            return;
        };
        terminal.wait(0, "question", |shown| {
            shown.contains("Remove w (5.00 kB)? [y/N]")
        });
        terminal.press(keys);
        let (ended, shown) = terminal.end();
        assert_eq!(ended, Some(code), "{shown}");
        assert_eq!(path.exists(), code == 1, "{shown}");
    }
}
