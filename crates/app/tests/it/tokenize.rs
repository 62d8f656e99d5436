//! `reckon tokenize` on a small vocabulary of our own, and on files that are no models.
use crate::place::{Ended, Place};
use reckon::gguf::Writer;
use std::{fs, io::Write, process::Stdio};

/// A file with a byte-level vocabulary and no tensors.
fn vocabulary(model: &str) -> Vec<u8> {
    let mut writer = Writer::new();
    writer
        .str("general.architecture", "llama")
        .str("tokenizer.ggml.model", model)
        .str("tokenizer.ggml.pre", "smollm")
        .strings(
            "tokenizer.ggml.tokens",
            &["H", "i", "Hi", "Ġ", "â", "<|end|>"],
        )
        .i32s("tokenizer.ggml.token_type", &[1, 1, 1, 1, 1, 3])
        .strings("tokenizer.ggml.merges", &["H i"])
        .u32("tokenizer.ggml.eos_token_id", 5);
    writer.to_vec(&[]).unwrap()
}

fn place() -> Place {
    let place = Place::new();
    fs::write(place.root.path().join("v.gguf"), vocabulary("gpt2")).unwrap();
    place
}

#[test]
fn ids_and_pieces_as_lines_and_as_json() {
    let place = place();
    let lines = place.reckon(&["tokenize", "--model", "v.gguf", "Hi Hi"]);
    assert_eq!(lines.code, Some(0), "{lines:?}");
    assert_eq!(lines.out, "2\t\"Hi\"\n3\t\" \"\n2\t\"Hi\"\n");
    let json = place.reckon(&["tokenize", "--model", "v.gguf", "--json", "iH"]);
    assert_eq!(json.out.trim(), r#"{"ids":[1,0],"pieces":["i","H"]}"#);
}

#[test]
fn text_comes_from_standard_input() {
    let place = place();
    let ask = |input: &[u8]| {
        let mut child = place
            .command(&["tokenize", "--model", "v.gguf", "-"], &[])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Ended::new(&child.wait_with_output().unwrap())
    };
    assert_eq!(ask(b"Hi").out, "2\t\"Hi\"\n");
    assert_eq!(ask(b"").out, "");
    ask(b"\xff\xfe").refused(4, &["not UTF-8"]);
}

#[test]
fn files_that_are_no_models_are_refused_in_one_line() {
    let place = place();
    let whole = vocabulary("gpt2");
    let random: Vec<u8> = crate::place::bytes(7, 4096);
    let mut escape = b"\x1b]0;".to_vec();
    escape.extend(&random);
    for (name, content, word) in [
        ("empty", Vec::new(), "empty"),
        ("random", random, "not a GGUF"),
        ("escape", escape, "not a GGUF"),
        ("truncated", whole[..whole.len() / 2].to_vec(), "truncated"),
        ("unknown", vocabulary("wordpiece\u{1b}[2J"), "wordpiece"),
        (
            "bare",
            Writer::new().to_vec(&[]).unwrap(),
            "tokenizer.ggml.model",
        ),
    ] {
        fs::write(place.root.path().join("bad.gguf"), content).unwrap();
        let ended = place.reckon(&["tokenize", "--model", "bad.gguf", "hi"]);
        let line = ended.refused(3, &[word]);
        assert!(!line.contains('\u{1b}'), "{name}: {line:?}");
    }
}
