//! `reckon ask` and `reckon chat` with a tiny model, through pipes.
use crate::{
    fixture::{Tiny, gguf},
    place::{Ended, Place, sha256 as sha256_of},
};
use reckon::gguf::Format;
use serde_json::Value;
use std::{io::Read, process::Stdio};

/// A place with three models; `tiny.gguf` is the one that goes on writing for long.
fn place() -> Place {
    let place = Place::new();
    let long = Tiny {
        n_ctx: 8192,
        ..Tiny::new("llama", Format::Q8_0)
    };
    place.write("tiny.gguf", &gguf(&long));
    for (name, architecture) in [("gemma4.gguf", "gemma4"), ("qwen3.gguf", "qwen3")] {
        let other = Tiny {
            seed: 2,
            ..Tiny::new(architecture, Format::Q8_0)
        };
        place.write(name, &gguf(&other));
    }
    place
}

#[test]
fn a_schema_holds_whatever_the_weights_say() {
    let place = place();
    let schema = r#"{"type": "object", "properties": {"age": {"type": "integer", "minimum": 0, "maximum": 99},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2}}, "required": ["age", "tags"],
        "additionalProperties": false}"#;
    place.write("s.json", schema.as_bytes());
    for (model, choice) in [
        ("tiny.gguf", &["--greedy"][..]),
        ("gemma4.gguf", &["--seed", "3", "--temperature", "2"]),
        ("qwen3.gguf", &["--seed", "4"]),
    ] {
        let wishes = [&["ask", "--model", model, "--schema", "s.json"], choice].concat();
        let text = place.piped(&wishes, b"hi\n");
        assert_eq!((text.code, text.err.as_str()), (Some(0), ""));
        let value: Value = serde_json::from_str(&text.out).expect("JSON");
        assert!(value["age"].as_u64().expect("an age") <= 99, "{value}");
        let tags = value["tags"].as_array().expect("tags");
        assert!(
            tags.len() <= 2 && tags.iter().all(|tag| tag == "a" || tag == "b"),
            "{value}"
        );
        let json = place.piped(&[&wishes[..], &["--json"]].concat(), b"hi\n");
        let report: Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!(
            report["text"].as_str(),
            Some(text.out.trim_end()),
            "the same again"
        );
        assert_eq!(report["finish"], "stop");
        assert_eq!(report["receipt"]["schema"]["path"], "s.json");
        let sha256 = report["receipt"]["schema"]["sha256"].as_str().unwrap();
        assert_eq!(sha256, sha256_of(schema.as_bytes()));
    }
    let cut = [
        "ask",
        "--model",
        "tiny.gguf",
        "--schema",
        "s.json",
        "--max-tokens",
        "3",
    ];
    place
        .piped(&cut, b"hi\n")
        .refused(1, &["not complete", "--max-tokens"]);
}

#[test]
fn json_is_the_contract_and_text_is_the_same_answer() {
    let place = place();
    let wishes = [
        "ask",
        "--model",
        "tiny.gguf",
        "--greedy",
        "--seed",
        "7",
        "--max-tokens",
        "6",
    ];
    let json = place.piped(&[&wishes[..], &["--json"]].concat(), b"hi\n");
    assert_eq!((json.code, json.err.as_str()), (Some(0), ""));
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let names: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "text", "tokens", "usage", "timing", "finish", "mark", "receipt"
        ]
    );
    assert_eq!(report["finish"], "length");
    assert_eq!(report["usage"]["completion"], 6);
    assert_eq!(report["tokens"].as_array().unwrap().len(), 6);
    assert_eq!(report["receipt"]["sampler"]["seed"], 7);
    assert_eq!(report["receipt"]["model"]["name"], "tiny");
    let guards = report["receipt"]["guards"].as_array().unwrap();
    assert_eq!(guards.len(), 7, "every guard has an entry");
    // An answer that was cut is not judged, and the receipt says so.
    assert!(guards.iter().all(|guard| guard["outcome"] == "skipped"));
    assert_eq!(report["receipt"]["raw"], report["text"]);
    let raw = place.piped(&[&wishes[..], &["--json", "--raw"]].concat(), b"hi\n");
    let raw: Value = serde_json::from_str(&raw.out).unwrap();
    assert_eq!(raw["receipt"]["guards"], Value::Array(vec![]));
    assert_eq!(raw["text"], report["text"]);
    assert_eq!(raw["tokens"], report["tokens"]);
    let text = place.piped(&wishes, b"hi\n");
    assert_eq!(text.out, report["text"].as_str().unwrap().to_owned() + "\n");
    assert_eq!(text.err, "", "no bar, no colours, no notes");
}

#[test]
fn a_piped_chat_answers_line_by_line_like_ask() {
    let place = place();
    for model in ["tiny.gguf", "gemma4.gguf", "qwen3.gguf"] {
        answers_like_ask(&place, model);
    }
}

fn answers_like_ask(place: &Place, model: &str) {
    // Long enough that something is left when control characters are taken out.
    let wishes = ["--model", model, "--greedy", "--max-tokens", "24"];
    let ask = place.piped(&[&["ask"], &wishes[..]].concat(), b"hi\n");
    let chat = place.piped(
        &[&["chat"], &wishes[..]].concat(),
        b"hi\n/undo\nhi\n/frobnicate\n/quit\nnever\n",
    );
    assert_eq!((chat.code, chat.err.as_str()), (Some(0), ""));
    let answer = &ask.out;
    // A blank answer is not kept, so there would be nothing to take back.
    assert!(!answer.trim().is_empty(), "{model} must say something");
    let expected =
        format!("{answer}taken back: hi\n{answer}no command /frobnicate; /help lists them\n");
    assert_eq!(chat.out, expected);
}

#[test]
fn on_a_pipe_the_mark_goes_beside_the_answer() {
    let place = place();
    for command in ["ask", "chat"] {
        let ended = place.piped(
            &[
                command,
                "--model",
                "tiny.gguf",
                "--greedy",
                "--max-tokens",
                "8",
            ],
            b"What is 17 * 23?\n",
        );
        // What a tiny model says is not it, and the question alone settles it.
        assert!(ended.out.contains("391"), "{command}: {}", ended.out);
        assert!(!ended.out.contains("corrected"), "{command}: {}", ended.out);
        assert!(
            ended.err.starts_with("✎ corrected: "),
            "{command}: {}",
            ended.err
        );
    }
}

#[test]
fn a_full_context_says_how_much_was_asked_and_allowed() {
    let place = place();
    let long = "word ".repeat(200);
    for command in ["ask", "chat"] {
        let ended = place.piped(
            &[command, "--model", "tiny.gguf", "--ctx", "64"],
            long.as_bytes(),
        );
        ended.refused(4, &["context full", "tokens asked for", "allowed"]);
        assert_eq!(ended.out, "");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = place();
    let mut command = place.command(&["ask", "--model", "tiny.gguf", "--greedy", "hi"], &[]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0]).unwrap();
    drop(out);
    let ended = Ended::new(&child.wait_with_output().unwrap());
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_answer_and_keeps_what_there_is() {
    let place = place();
    let arguments = [
        "ask",
        "--model",
        "tiny.gguf",
        "--greedy",
        "--max-tokens",
        "8000",
        "hi",
    ];
    let mut command = place.command(&arguments, &[]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "reckon: stopped\n");
    assert!(output.stdout.ends_with(b"\n"));
}
