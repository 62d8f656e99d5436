//! `reckon ask` and `reckon chat` as far as they go without a model: what is refused, with which code and words.
use crate::place::{Ended, Place};
use std::{
    fs,
    process::Stdio,
    time::{Duration, Instant},
};

#[test]
fn nothing_to_ask_is_a_usage_error() {
    let place = Place::new();
    for arguments in [vec!["ask"], vec!["ask", "-"], vec!["ask", " "]] {
        place
            .reckon(&arguments)
            .refused(2, &["nothing to ask", "hint"]);
    }
}

#[test]
fn a_schema_that_cannot_be_followed_is_refused_before_a_model_is_looked_for() {
    let place = Place::new();
    let refused = |text: &[u8], parts: &[&str]| {
        fs::write(place.root.path().join("s.json"), text).unwrap();
        let ended = place.reckon(&["ask", "--schema", "s.json", "hi"]);
        ended.refused(4, parts);
        assert_eq!(ended.out, "");
    };
    refused(b"{", &["s.json", "no JSON"]);
    refused(b"\xff", &["s.json", "UTF-8"]);
    refused(
        b"{\"type\": \"array\", \"uniqueItems\": true}",
        &["s.json", "uniqueItems"],
    );
    refused(
        b"{\"type\": \"array\", \"minItems\": 1e9}",
        &["s.json", "minItems"],
    );
    place
        .reckon(&["ask", "--schema", "missing.json", "hi"])
        .refused(4, &["missing.json"]);
}

#[test]
fn files_that_are_no_text_are_refused_by_name() {
    let place = Place::new();
    fs::write(place.root.path().join("a.bin"), b"\x00\xff\x01").unwrap();
    fs::create_dir(place.root.path().join("folder")).unwrap();
    for name in ["a.bin", "folder", "missing.txt"] {
        place.reckon(&["ask", "-f", name, "hi"]).refused(4, &[name]);
    }
    place
        .piped(&["ask", "sum up"], b"\xff\xfe")
        .refused(4, &["standard input", "UTF-8"]);
}

#[test]
fn input_is_checked_before_a_model_is_looked_for() {
    let place = Place::new();
    place
        .reckon(&["--offline", "ask", "-f", "missing.txt", "hi"])
        .refused(4, &["missing.txt"]);
    let ended = place.reckon(&["--offline", "ask", "hi"]);
    ended.refused(3, &["no model"]);
    assert_eq!(ended.out, "", "stdout is for answers");
}

#[test]
fn a_file_that_is_no_model_is_one_line() {
    let place = Place::new();
    fs::write(place.root.path().join("junk.gguf"), b"not a model").unwrap();
    for command in ["ask", "chat"] {
        let ended = place.piped(&[command, "--model", "junk.gguf"], b"hi\n");
        ended.refused(3, &[]);
        assert_eq!(ended.out, "");
    }
}

#[test]
fn silence_on_standard_input_is_explained() {
    let place = Place::new();
    let mut command = place.command(&["--offline", "ask", "hi"], &[]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let begin = Instant::now();
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take();
    std::thread::sleep(Duration::from_secs(4));
    drop(stdin);
    let ended = Ended::new(&child.wait_with_output().unwrap());
    assert!(
        ended.err.contains("waiting for standard input"),
        "{ended:?}"
    );
    assert!(begin.elapsed() < Duration::from_secs(60));
}
