//! Bad input, one case a row: the exit code of the contract, one line on stderr, nothing on stdout, no panic.
//!
//! Elsewhere, in `reckon-models`: a rotten or lying part of a model in wheels, every way a hub can be wrong.
use crate::{
    fixture::{Tiny, gguf},
    place::{Ended, Place, bytes, catalogue, hub_entry, sha256},
    server::{Server, nobody},
};
use reckon::gguf::{File, Format, Writer};
use std::{fs, process::Stdio};

/// Refused with this code and one line that has these words, and nothing else was said.
#[track_caller]
fn refused(ended: &Ended, code: i32, words: &[&str]) -> String {
    let line = ended.refused(code, words);
    assert_eq!(ended.out, "", "{ended:?}");
    assert!(!line.contains("panicked"), "{line}");
    assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
    line
}

fn tiny() -> Vec<u8> {
    gguf(&Tiny::new("llama", Format::Q8_0))
}

fn place() -> Place {
    let place = Place::new();
    place.write("m.gguf", &tiny());
    place
}

/// Every command that loads a model refuses `bad.gguf` in the same way.
#[track_caller]
fn refused_everywhere(place: &Place, words: &[&str]) {
    for arguments in [
        &["ask", "--model", "bad.gguf", "hi"][..],
        &["ask", "--model", "bad.gguf", "--json", "hi"],
        &["chat", "--model", "bad.gguf"],
        &[
            "bench", "speed", "--model", "bad.gguf", "-p", "1", "-n", "1",
        ],
        &[
            "debug", "logits", "--model", "bad.gguf", "--tokens", "1", "--out", "x.npy",
        ],
        &[
            "debug",
            "perplexity",
            "--model",
            "bad.gguf",
            "--ctx",
            "8",
            "text.txt",
        ],
    ] {
        refused(&place.piped(arguments, b"hi\n"), 3, words);
    }
    assert!(!place.root.path().join("x.npy").exists());
}

#[test]
fn files_that_are_no_models() {
    let place = place();
    place.write("text.txt", "the ant ".repeat(20).as_bytes());
    let whole = tiny();
    let random = bytes(3, 5000);
    let mut claims = whole[..24].to_vec();
    claims[8..16].fill(0xff);
    let mut rows: Vec<(Vec<u8>, &[&str])> = vec![
        (Vec::new(), &["bad.gguf", "empty", "(hint: "]),
        (random.clone(), &["bad.gguf", "not a GGUF"]),
        ([b"GGUF", &random[..]].concat(), &["bad.gguf", "version"]),
        ([&whole[..8], &random[..]].concat(), &["bad.gguf"]),
        (claims, &["bad.gguf", "claims"]),
        (
            Writer::new().to_vec(&[]).unwrap(),
            &["general.architecture"],
        ),
    ];
    for end in [5, 12, 24, 40, 1000, whole.len() / 2, whole.len() - 1] {
        rows.push((whole[..end].to_vec(), &["bad.gguf", "truncated"]));
    }
    for (content, words) in rows {
        place.write("bad.gguf", &content);
        refused_everywhere(&place, words);
        let tokenize = place.reckon(&["tokenize", "--model", "bad.gguf", "hi"]);
        refused(&tokenize, 3, &[]);
    }
}

#[test]
fn models_that_we_cannot_run() {
    let place = place();
    place.write("text.txt", "the ant ".repeat(20).as_bytes());
    for (content, words) in [
        (
            of_architecture("mamba9"),
            &["mamba9", "gemma4", "llama"][..],
        ),
        (
            of_architecture("a\u{1b}[31m\nb"),
            &["cannot run this model"],
        ),
        (
            with_type(9999),
            &["token_embd.weight", "unsupported type 9999"],
        ),
        (with_type(15), &["token_embd.weight", "Q8_K"]),
    ] {
        place.write("bad.gguf", &content);
        refused_everywhere(&place, words);
    }
}

/// The tiny model under another architecture's name.
fn of_architecture(name: &str) -> Vec<u8> {
    let file = File::parse(tiny()).unwrap();
    let mut writer = Writer::new();
    writer.str("general.architecture", name);
    for (key, value) in file.metadata().iter() {
        if key != "general.architecture" {
            writer.value(key, value);
        }
    }
    let tensors: Vec<_> = file.tensors().collect();
    for tensor in &tensors {
        writer
            .tensor(&tensor.name, tensor.format, &tensor.dims)
            .unwrap();
    }
    let data: Vec<_> = tensors
        .iter()
        .map(|tensor| file.tensor(&tensor.name).unwrap().data)
        .collect();
    writer.to_vec(&data).unwrap()
}

/// The tiny model with another type's number at its embedding.
fn with_type(id: u32) -> Vec<u8> {
    let mut bytes = tiny();
    let name = b"token_embd.weight";
    let at = bytes
        .windows(name.len())
        .position(|part| part == name)
        .unwrap()
        + name.len();
    // Behind the name: the number of dimensions, two of them, the type.
    assert_eq!(bytes[at..at + 4], 2u32.to_le_bytes());
    assert_eq!(bytes[at + 20..at + 24], 8u32.to_le_bytes(), "Q8_0");
    bytes[at + 20..at + 24].copy_from_slice(&id.to_le_bytes());
    bytes
}

#[test]
fn what_is_no_file() {
    let place = place();
    fs::create_dir(place.root.path().join("folder")).unwrap();
    let mut rows = vec![
        ("folder", "is a directory"),
        ("none.gguf", "no file none.gguf"),
        ("./none", "no file ./none"),
        ("smolm2-135m", "did you mean smollm2-135m?"),
        ("smollm2-135m", "models pull smollm2-135m"),
        ("", "no model named"),
    ];
    if cfg!(unix) {
        rows.push(("/dev/zero", "not a plain file"));
    }
    for (model, word) in rows {
        for arguments in [
            &["ask", "--model", model, "hi"][..],
            &["tokenize", "--model", model, "hi"],
            &["bench", "speed", "--model", model],
        ] {
            refused(&place.reckon(arguments), 3, &[word]);
        }
    }
}

#[test]
fn texts_that_cannot_be_read() {
    let place = place();
    fs::create_dir(place.root.path().join("folder")).unwrap();
    place.write("latin.txt", b"caf\xe9 ".repeat(40).as_slice());
    place.write("short.txt", b"the ant");
    let mut names = vec!["folder", "none.txt", "latin.txt"];
    if cfg!(target_os = "linux") {
        // A file whose reading fails for everybody, and one that never ends.
        names.extend(["/proc/self/mem", "/dev/zero"]);
    }
    let score = ["debug", "perplexity", "--model", "m.gguf", "--ctx", "64"];
    for name in names {
        // An old encoding is read for a question; scores are for UTF-8 alone.
        if name != "latin.txt" {
            let ask = ["ask", "--model", "m.gguf", "-f", name, "hi"];
            refused(&place.reckon(&ask), 4, &[name]);
        }
        refused(&place.reckon(&[&score[..], &[name]].concat()), 4, &[name]);
    }
    refused(
        &place.reckon(&[&score[..], &["short.txt"]].concat()),
        4,
        &["too few", "64"],
    );
    let tokenize = ["tokenize", "--model", "m.gguf", "-"];
    refused(&place.piped(&tokenize, b"\xff"), 4, &["UTF-8"]);
}

#[test]
fn a_context_that_overflows_gives_both_numbers() {
    let place = place();
    let long = "word ".repeat(100);
    for ask in [
        &["ask", "--model", "m.gguf", "--ctx", "32", &long][..],
        &["ask", "--model", "m.gguf", "--ctx", "32", "--json", &long],
    ] {
        let line = refused(&place.reckon(ask), 4, &["context full", "--ctx"]);
        let numbers: Vec<usize> = line
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|digits| digits.parse().ok())
            .collect();
        // The tiny vocabulary has no piece longer than a word.
        assert!(numbers[0] > 100 && numbers[1] == 32, "{line}");
    }
    let tokens = ["1"; 2000].join(",");
    let logits = [
        "debug", "logits", "--model", "m.gguf", "--out", "x.npy", "--tokens",
    ];
    refused(
        &place.reckon(&[&logits[..], &[&tokens]].concat()),
        3,
        &["2000", "1024"],
    );
    refused(
        &place.reckon(&[&logits[..], &["1,99999"]].concat()),
        4,
        &["99999"],
    );
    assert!(!place.root.path().join("x.npy").exists());
}

#[test]
fn command_lines_that_ask_for_nonsense() {
    let place = place();
    let most = u64::MAX.to_string();
    let speed = ["bench", "speed", "--model", "m.gguf"];
    for (more, code, word) in [
        (&["-p", "0", "-n", "0"][..], 2, "nothing to measure"),
        (&["--parallel", &most], 2, "at most"),
        (&["-r", "0"], 2, "at least 1"),
        (&["-p", &most, "-n", "1"], 3, "1024"),
        (&["-d", &most], 3, "1024"),
    ] {
        refused(&place.reckon(&[&speed[..], more].concat()), code, &[word]);
    }
    let ask = ["ask", "--model", "m.gguf", "--ctx", &most, "hi"];
    refused(&place.reckon(&ask), 3, &[&most, "1024"]);
    let before = tiny();
    let logits = [
        "debug", "logits", "--model", "m.gguf", "--tokens", "1", "--out",
    ];
    refused(
        &place.reckon(&[&logits[..], &["./m.gguf"]].concat()),
        2,
        &["overwrite"],
    );
    assert!(
        fs::read(place.root.path().join("m.gguf")).unwrap() == before,
        "the model is whole"
    );
    for command in [&["ask", "--model", "m.gguf", "hi"][..], &["doctor"]] {
        let ended = place.reckon_with(command, &[("RECKON_ISA", "nonsense")]);
        refused(&ended, 2, &["RECKON_ISA=nonsense", "scalar"]);
    }
}

/// The last line of a fetch that failed; the lines before it announce the fetch.
#[track_caller]
fn fetch_failed(ended: &Ended, words: &[&str]) {
    let last = ended.err.lines().last().unwrap_or_default().to_owned() + "\n";
    let said = ended.err.strip_suffix(&last).unwrap();
    assert!(
        !said.contains("reckon: ") && !said.contains("panicked"),
        "{ended:?}"
    );
    let out = ended.out.clone();
    let code = ended.code;
    refused(
        &Ended {
            code,
            out,
            err: last,
        },
        3,
        words,
    );
}

#[test]
fn wrong_bytes_no_room_and_nobody_there() {
    let place = Place::new();
    let body = bytes(1, 1000);
    let server = Server::new(&body, &sha256(&body));
    place.write_catalogue(&catalogue(&[], &[hub_entry("m", &body)]));
    let pull =
        |endpoint: &str| place.reckon_with(&["models", "pull", "m"], &[("HF_ENDPOINT", endpoint)]);
    fetch_failed(&pull(&nobody()), &["cannot be used", "(hint: "]);
    if cfg!(unix) {
        // The catalogue must say so, too: another size than the one it knows is refused before that.
        let huge = 1_u64 << 60;
        let entry = hub_entry("m", &body).replace(":1000,", &format!(":{huge},"));
        place.write_catalogue(&catalogue(&[], &[entry]));
        server.behave(|how| how.claimed = Some(huge));
        fetch_failed(&pull(&server.url), &["not enough disk space", "(hint: "]);
        place.write_catalogue(&catalogue(&[], &[hub_entry("m", &body)]));
    }
    server.behave(|how| {
        how.claimed = None;
        how.body = bytes(2, 1000);
    });
    fetch_failed(&pull(&server.url), &["wrong sha256", "deleted"]);
    server.requests();
    let offline = ["--offline", "models", "pull", "m"];
    let ended = place.reckon_with(&offline, &[("HF_ENDPOINT", &server.url)]);
    refused(&ended, 3, &["forbidden", "--offline"]);
    assert!(server.requests().is_empty());
}

/// Linux has a device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_what_is_written() {
    let place = place();
    let logits = [
        "debug",
        "logits",
        "--model",
        "m.gguf",
        "--tokens",
        "1,2",
        "--out",
        "/dev/full",
    ];
    refused(&place.reckon(&logits), 1, &["/dev/full", "No space"]);
    for arguments in [
        &[
            "ask",
            "--model",
            "m.gguf",
            "--greedy",
            "--max-tokens",
            "9",
            "hi",
        ][..],
        &[
            "ask",
            "--model",
            "m.gguf",
            "--greedy",
            "--max-tokens",
            "9",
            "--json",
            "hi",
        ],
        &["tokenize", "--model", "m.gguf", "hi"],
        &["models", "list"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = place.command(arguments, &[]);
        let output = command.stdin(Stdio::null()).stdout(full).output().unwrap();
        refused(&Ended::new(&output), 1, &["No space"]);
    }
}
