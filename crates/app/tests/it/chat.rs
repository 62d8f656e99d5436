//! `reckon ask` and `reckon chat` with a model, through pipes. The model is the tiny one of the shared specification;
//! where that is not there, these tests say so and pass.
use crate::place::{Ended, Place};
use serde_json::Value;
use std::{
    io::{Read, Write},
    path::Path,
    process::Stdio,
};

const TINY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/models/tiny-gemma4/tiny-text-f32.gguf"
);

/// The tiny model, or nothing and a word about it.
fn tiny() -> Option<&'static str> {
    if Path::new(TINY).is_file() {
        return Some(TINY);
    }
    // Not `println`, which the test harness would hide.
    let _ = writeln!(std::io::stderr(), "SKIPPED: no tiny model at {TINY}");
    None
}

fn piped(arguments: &[&str], input: &str) -> Ended {
    let place = Place::new();
    let mut command = place.command(arguments, &[]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    Ended::new(&child.wait_with_output().unwrap())
}

#[test]
fn json_is_the_contract_and_text_is_the_same_answer() {
    let Some(model) = tiny() else { return };
    let wishes = [
        "ask",
        "--model",
        model,
        "--greedy",
        "--seed",
        "7",
        "--max-tokens",
        "6",
    ];
    let json = piped(&[&wishes[..], &["--json"]].concat(), "hi\n");
    assert_eq!((json.code, json.err.as_str()), (Some(0), ""));
    let report: Value = serde_json::from_str(&json.out).unwrap();
    let names: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["finish", "receipt", "text", "timing", "tokens", "usage"]
    );
    assert_eq!(report["finish"], "length");
    assert_eq!(report["usage"]["completion"], 6);
    assert_eq!(report["tokens"].as_array().unwrap().len(), 6);
    assert_eq!(report["receipt"]["sampler"]["seed"], 7);
    assert_eq!(report["receipt"]["model"]["name"], "tiny-text-f32");
    assert_eq!(report["receipt"]["guards"], Value::Array(vec![]));
    let text = piped(&wishes, "hi\n");
    assert_eq!(text.out, report["text"].as_str().unwrap().to_owned() + "\n");
    assert_eq!(text.err, "", "no bar, no colours, no notes");
}

#[test]
fn a_piped_chat_answers_line_by_line_like_ask() {
    let Some(model) = tiny() else { return };
    let wishes = ["--model", model, "--greedy", "--max-tokens", "4"];
    let ask = piped(&[&["ask"], &wishes[..]].concat(), "hi\n");
    let chat = piped(
        &[&["chat"], &wishes[..]].concat(),
        "hi\n/undo\nhi\n/nope\n/quit\nnever\n",
    );
    assert_eq!((chat.code, chat.err.as_str()), (Some(0), ""));
    let answer = &ask.out;
    let expected = format!("{answer}taken back: hi\n{answer}no command /nope; /help lists them\n");
    assert_eq!(chat.out, expected);
}

#[test]
fn a_full_context_says_how_much_was_asked_and_allowed() {
    let Some(model) = tiny() else { return };
    let long = "word ".repeat(200);
    for command in ["ask", "chat"] {
        let ended = piped(&[command, "--model", model, "--ctx", "64"], &long);
        ended.refused(4, &["context full", "tokens asked for", "allowed"]);
        assert_eq!(ended.out, "");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let Some(model) = tiny() else { return };
    let place = Place::new();
    let mut command = place.command(&["ask", "--model", model, "--seed", "1", "hi"], &[]);
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
    let Some(model) = tiny() else { return };
    let place = Place::new();
    let arguments = [
        "ask",
        "--model",
        model,
        "--seed",
        "1",
        "--max-tokens",
        "4000",
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
