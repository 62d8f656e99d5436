//! Exit codes, the one line on stderr, help and completions of the real binary.
use crate::place::{Ended, Place, catalogue, hub_entry};
use std::process::Stdio;

#[test]
fn usage_errors_are_one_line_and_code_2() {
    let place = Place::new();
    for (arguments, word) in [
        (vec!["chatt"], "similar subcommand exists: 'chat'"),
        (vec!["ask", "--nope"], "--nope"),
        (vec!["ask", "--seed", "x", "hi"], "--seed"),
        (vec!["ask", "--max-tokens", "0", "hi"], "at least 1"),
        (vec!["ask", "--top-p", "2", "hi"], "from 0 to 1"),
        (vec!["ask", "--temperature", "NaN", "hi"], "at least 0"),
        (
            vec!["ask", "--greedy", "--temperature", "1", "hi"],
            "--greedy",
        ),
        (vec!["tokenize", "hi"], "--model"),
        (vec!["debug", "logits", "--model", "m"], "--tokens"),
        (vec!["models", "pull"], "NAME"),
        (vec!["models", "search"], "WORDS"),
        (vec!["models", "show"], "NAME"),
        (vec!["models", "rm"], "NAME"),
        (vec!["models", "alias", "none"], "no alias none"),
        (vec!["completions", "tcsh"], "bash"),
    ] {
        place.reckon(&arguments).refused(2, &[word, "(hint: "]);
    }
}

#[test]
fn nothing_at_all_shows_help_and_code_2() {
    let place = Place::new();
    let ended = place.reckon(&[]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.out.is_empty());
    assert!(ended.err.contains("Usage: reckon"));
}

#[test]
fn model_errors_are_one_line_and_code_3() {
    let place = Place::new();
    std::fs::create_dir_all(place.root.path().join("directory")).unwrap();
    for (arguments, word) in [
        (
            vec!["models", "pull", "gema-4-e2b"],
            "did you mean gemma-4-e2b?",
        ),
        (
            vec!["models", "path", "gemma-4-e2b"],
            "models pull gemma-4-e2b",
        ),
        (vec!["models", "verify", "gemma-4-e2b"], "not here"),
        (vec!["models", "rm", "gemma-4-e2b"], "not here"),
        (vec!["models", "rm", "ollama/x"], "ollama rm x"),
        (vec!["models", "show", "ollama/x"], "Ollama has no x"),
        (vec!["models", "pull", "hf.co/x"], "hf.co/OWNER/REPO"),
        (vec!["models", "search", "x", "--offline"], "forbidden"),
        (
            vec!["ask", "--offline", "--model", "hf.co/o/r", "hi"],
            "forbidden",
        ),
        (
            vec!["--offline", "models", "pull", "gemma-4-e2b"],
            "forbidden",
        ),
        (
            vec!["models", "pull", "smollm2-135m", "--offline"],
            "forbidden",
        ),
        (
            vec!["tokenize", "--model", "no.gguf", "hi"],
            "no file no.gguf",
        ),
        (
            vec!["tokenize", "--model", "directory", "hi"],
            "is a directory",
        ),
        (
            vec!["tokenize", "--model", "smolm2-135m", "hi"],
            "did you mean",
        ),
    ] {
        place.reckon(&arguments).refused(3, &[word]);
    }
}

#[test]
fn the_environment_forbids_the_network_too() {
    let place = Place::new();
    let pull = ["models", "pull", "smollm2-135m"];
    let ended = place.reckon_with(&pull, &[("RECKON_OFFLINE", "1")]);
    ended.refused(3, &["forbidden"]);
}

#[test]
fn the_first_question_offline_is_refused() {
    let place = Place::new();
    let ended = place.reckon(&["ask", "--offline", "hi"]);
    ended.refused(3, &["no model is here", "--model FILE.gguf"]);
    assert!(!place.home().exists());
}

#[test]
fn no_network_is_one_clear_line() {
    let place = Place::new();
    let ended = place.reckon(&["models", "pull", "gemma-4-e2b"]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let lines: Vec<_> = ended.err.lines().collect();
    assert_eq!(lines.len(), 2, "the announcement and the error: {ended:?}");
    assert!(lines[0].contains("Fetching gemma-4-e2b"));
    assert!(lines[1].starts_with("reckon: the hub") && lines[1].contains("(hint: "));
    assert!(ended.out.is_empty());
}

#[test]
fn a_broken_catalogue_is_named() {
    let place = Place::new();
    for broken in ["{", "[]", r#"{"models":[{"name":"x"}]}"#] {
        place.write_catalogue(broken);
        let ended = place.reckon(&["models", "list"]);
        ended.refused(3, &["catalogue.json", "catalogue is wrong"]);
    }
}

#[test]
fn the_list_is_a_table_or_json() {
    let place = Place::new();
    place.write_catalogue(&catalogue(&[], &[hub_entry("own", b"xyz")]));
    let table = place.reckon(&["models", "list"]);
    assert_eq!(table.code, Some(0));
    for line in table.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let json = place.reckon(&["models", "list", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let models = json["models"].as_array().unwrap();
    assert_eq!(models.len(), table.out.lines().count() - 1);
    let own = models.iter().find(|model| model["name"] == "own").unwrap();
    assert_eq!(own["bytes"], 3);
    assert_eq!(own["here"], false);
}

#[test]
fn verify_of_an_empty_store_is_fine() {
    let place = Place::new();
    let ended = place.reckon(&["models", "verify", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let json: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json["models"].as_array().map(Vec::len), Some(0));
}

#[test]
fn every_help_has_an_example_and_fits_80_columns() {
    let place = Place::new();
    let commands = [
        "",
        "chat",
        "ask",
        "models",
        "models list",
        "models pull",
        "models path",
        "models search",
        "models show",
        "models rm",
        "models alias",
        "models verify",
        "models lock",
        "tokenize",
        "guard",
        "guard list",
        "guard explain",
        "guard test",
        "guard scan",
        "lab",
        "lab pull",
        "lab run",
        "lab judge",
        "lab report",
        "lab compare",
        "lab classes",
        "bench",
        "bench speed",
        "lab gate",
        "debug",
        "debug logits",
        "debug perplexity",
        "debug media",
        "serve",
        "keys",
        "fleet",
        "log",
        "batch",
        "batch run",
        "batch status",
        "bot",
        "bot telegram",
        "bot setup",
        "doctor",
        "completions",
    ];
    for command in commands {
        let mut arguments: Vec<_> = command.split_whitespace().collect();
        arguments.push("--help");
        let help = place.reckon(&arguments);
        assert_eq!(help.code, Some(0), "{help:?}");
        assert!(help.err.is_empty());
        assert!(help.out.contains("Example"), "{command}");
        for line in help.out.lines() {
            // clap does not break the line that says how a command is used.
            let is_usage = line.starts_with("Usage:");
            assert!(is_usage || line.chars().count() <= 80, "{command}: {line}");
        }
    }
}

#[test]
fn completions_know_the_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.reckon(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        for word in ["perplexity", "tokenize", "pull"] {
            assert!(script.out.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    for arguments in [
        &["completions", "bash"][..],
        &["models", "list", "--json"],
        &["--help"],
    ] {
        let mut child = place
            .command(arguments, &[])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ended = Ended::new(&child.wait_with_output().unwrap());
        assert_eq!(
            (ended.code, ended.err.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn doctor_looks_and_changes_nothing() {
    let place = Place::new();
    let text = place.reckon(&["doctor", "--offline"]);
    assert_eq!(text.code, Some(0), "{text:?}");
    for word in [
        "cpu",
        "threads",
        "bandwidth",
        "forbidden",
        "sandbox",
        "solver",
    ] {
        assert!(text.out.contains(word), "no {word} in {text:?}");
    }
    let json = place.reckon(&["doctor", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert!(json["bandwidth"]["one"].as_f64().unwrap() > 0.0);
    assert!(!json["cpus"].as_array().unwrap().is_empty());
    assert!(!place.home().exists());
}
