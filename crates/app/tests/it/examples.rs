//! The examples of every `--help`, run as they are printed.
//!
//! They run in a directory that has the files they name, with a tiny model under the names of the catalogue. Left out are
//! those that need a network, a person or an id that only the reader's machine has; each is named below with its reason.
use crate::{
    fixture::{Tiny, gguf},
    place::{Place, catalogue},
    samples::wheels_entry,
};
use reckon::gguf::Format;
use std::{fs, process::Stdio};

/// Examples that are not run, by a part of their text.
const LEFT_OUT: &[(&str, &str)] = &[
    ("mt-bench", "needs the network"),
    ("--endpoint", "needs a server"),
    ("solve setup", "needs the network"),
    ("models search", "needs the network"),
    ("hf.co/", "needs the network"),
    ("models rm", "the other examples need it"),
    ("lab grade", "needs a person"),
    ("1f3a9c02", "an id of the reader's"),
    ("reckon serve", "stays, and its port may be taken"),
    ("git diff", "needs a repository"),
    ("--set fields=", "a random model finds no end of a text"),
    ("arecord", "needs a microphone"),
    ("--watch", "stays until Ctrl-C"),
    ("--hours", "waits for the night"),
    ("postgres://", "needs a database"),
    ("bot setup", "needs Telegram"),
    ("bot telegram", "needs Telegram"),
    ("bot approve", "needs somebody who asked"),
    ("bot revoke", "needs somebody who is answered"),
    ("debug media", "needs encoders"),
    ("reckon models lock", "comes after a gate"),
    ("bench speed", "measures for a minute"),
    ("lab gate", "asks a model many questions"),
    ("lab report --from-judgments", "needs judgments of FastChat"),
    ("lab report mt.jsonl", "needs MT-Bench"),
    ("lab classes mt.jsonl", "needs MT-Bench"),
    ("vicuna", "needs judgments of FastChat"),
    ("raw.jsonl guarded.jsonl", "needs two runs of some length"),
    ("puzzles.jsonl", "needs a hundred puzzles"),
    ("judge_prompts.jsonl", "needs FastChat's files"),
    ("guard explain sign-off", "a pack that is not installed"),
];

#[test]
fn they_run_as_printed() {
    let place = prepared();
    let mut examples = Vec::new();
    collect(&place, &mut Vec::new(), &mut examples);
    assert!(examples.len() > 100, "only {} examples", examples.len());
    let is_out = |line: &str| LEFT_OUT.iter().any(|(part, _)| line.contains(part));
    for (part, _) in LEFT_OUT {
        let known = examples.iter().any(|line| line.contains(part));
        assert!(known, "no example has {part:?} any more");
    }
    examples.retain(|line| !is_out(line));
    // Twice the same example needs no second run, but the order matters: some go on with what others made.
    let mut seen = std::collections::HashSet::new();
    examples.retain(|line| seen.insert(line.clone()));
    let failed: Vec<String> = examples
        .iter()
        .filter_map(|line| run(&place, line))
        .collect();
    println!("{} examples ran", examples.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A directory with everything that the examples name.
fn prepared() -> Place {
    let place = Place::new();
    let model = gguf(&Tiny::new("llama", Format::Q8_0));
    let entry = |name: &str| wheels_entry(name, std::slice::from_ref(&model));
    let names = ["qwen2.5-coder-1.5b", "smollm2-135m"];
    place.write_catalogue(&catalogue(&names, &names.map(entry)));
    let models = place.home().join("models");
    fs::create_dir_all(&models).unwrap();
    for name in names {
        fs::write(models.join(format!("{name}.gguf")), &model).unwrap();
    }
    for directory in [
        "packs",
        ".zfunc",
        ".config/fish/completions",
        ".local/share/bash-completion/completions",
    ] {
        fs::create_dir_all(place.root.path().join(directory)).unwrap();
    }
    place.write("my.gguf", &model);
    let question = r#"{"id": "1", "question": "What is 2 + 2?", "answer": "4"}"#;
    let pack = include_bytes!("../../../../packs/sign-off.toml");
    for (name, content) in [
        ("notes.txt", &b"hello hello hello hello"[..]),
        ("letter.txt", b"Yours, Ann"),
        ("report.pdf", b"Travel cost 120 euros."),
        ("text.txt", "hello world ".repeat(300).as_bytes()),
        ("person.json", br#"{"enum": ["Ann", "Bob"]}"#),
        ("prompt.txt", b"Answer in at most 10 words."),
        ("question.txt", b"What is 2 + 2?"),
        ("answer.txt", b"It is 4."),
        (
            "rows.jsonl",
            br#"{"id": 1, "prompt": "In one word.", "response": "Yes"}"#,
        ),
        ("program.py", b"answer = 17 * 23"),
        (
            "puzzle.py",
            b"from z3 import *\nx = Int('x')\ns = Solver()\ns.add(x > 1, x < 3)\nprint(s.check(), s.model())",
        ),
        (
            "problem.smt2",
            b"(declare-const x Int)(assert (= x 2))(check-sat)",
        ),
        (
            "programs.jsonl",
            br#"{"id": 1, "program": "answer = 1 + 1"}"#,
        ),
        ("gsm8k.jsonl", question.as_bytes()),
        ("my-pack.toml", pack),
        ("packs/sign-off.toml", pack),
    ] {
        fs::write(place.root.path().join(name), content).unwrap();
    }
    place
}

/// The examples of a command and of all below it.
fn collect(place: &Place, command: &mut Vec<String>, into: &mut Vec<String>) {
    let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = place.reckon(&arguments).out;
    let mut goes_on = false;
    for line in section(&help, "Example") {
        // What an example is for stands behind it, after blanks.
        let text = line.trim().split("   ").next().unwrap_or("").trim();
        let (part, more) = match text.strip_suffix('\\') {
            Some(part) => (part, true),
            None => (text, false),
        };
        match into.last_mut().filter(|_| goes_on) {
            Some(last) => last.push_str(part),
            None => into.push(part.to_owned()),
        }
        goes_on = more;
    }
    let below: Vec<String> = section(&help, "Commands:")
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect();
    for name in below {
        command.push(name);
        collect(place, command, into);
        command.pop();
    }
}

/// The indented lines below a heading; an empty line within does not end them.
fn section<'a>(help: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = help
        .lines()
        .skip_while(move |line| !line.starts_with(heading))
        .skip(1);
    lines
        .take_while(|line| line.is_empty() || line.starts_with("  "))
        .filter(|line| !line.is_empty())
}

/// Runs one; says what is wrong if it does not end well.
fn run(place: &Place, line: &str) -> Option<String> {
    let binary = crate::place::binary();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    // The same environment as for other tests, but through a shell.
    let inner = place.command(&[], &[]);
    let mut command = std::process::Command::new("sh");
    // At the lowest priority a batch would wait for all other tests.
    let is_batch = ["run", "resume"].map(|word| line.starts_with(&format!("reckon batch {word}")));
    let eager = match is_batch.contains(&true) && !line.contains("--eager") {
        true => " --eager",
        false => "",
    };
    command
        .args(["-c", &format!("{line}{eager}")])
        .current_dir(place.root.path());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
        .env("PATH", path)
        .env("HOME", place.root.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then(|| format!("{line}: {told}"))
}
