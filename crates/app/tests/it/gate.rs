//! `lab gate`, `models lock`, `models verify` and the line at a start: whatever changed is named, and the exit code says so.
use crate::{
    fixture::{Tiny, gguf},
    guard::PACK,
    place::{Ended, Place},
};
use reckon::gguf::Format;
use serde_json::{Value, json};
use std::{fs, process::Stdio, thread, time::Duration};

/// Two templates that differ in one byte.
const TEMPLATE: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";
const CHANGED: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant:";

/// Few questions: the model is random, and what it says does not matter here.
const CANARIES: &str = r#"{"id": "sum", "category": "arithmetic", "prompt": "Tom has 3 apples and buys 4 more. How many apples does he have?", "answer": 7}
{"id": "hello", "category": "control", "prompt": "Say hello."}
{"id": "capital", "prompt": "What is the capital of Portugal?"}
"#;

fn tiny(template: &'static str, seed: u64) -> Vec<u8> {
    gguf(&Tiny {
        n_layer: 1,
        seed,
        template: Some(template),
        ..Tiny::new("llama", Format::Q8_0)
    })
}

fn place() -> Place {
    let place = Place::new();
    place.write("m.gguf", &tiny(TEMPLATE, 1));
    place.write("c.jsonl", CANARIES.as_bytes());
    place
}

fn gate(place: &Place, model: &str) -> Ended {
    let ended = place.reckon(&["lab", "gate", "-m", model, "--canary", "c.jsonl", "--json"]);
    assert!(!ended.out.is_empty(), "{ended:?}");
    ended
}

fn lock(place: &Place) -> Ended {
    place.reckon(&["models", "lock", "m.gguf"])
}

/// With a model that passed the gate and is locked.
fn locked() -> Place {
    let place = place();
    let first = gate(&place, "m.gguf");
    assert_eq!(first.code, Some(0), "{first:?}");
    let accepted = lock(&place);
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(accepted.out.contains("m is locked"), "{accepted:?}");
    place
}

fn verify(place: &Place) -> (Ended, Value) {
    let ended = place.reckon(&["models", "verify", "--json"]);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    (ended, report["models"][0].clone())
}

fn ask(place: &Place, more: &[&str]) -> Ended {
    let ask = ["ask", "-m", "m.gguf", "--greedy", "--max-tokens", "2", "Hi"];
    let ended = place.reckon(&[&ask[..], more].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}

fn parts(report: &Value) -> Vec<String> {
    let changes = report["changes"].as_array().unwrap().iter();
    changes
        .map(|one| match one["guard"].as_str() {
            Some(guard) => format!("guard {guard}"),
            None => one["part"].as_str().unwrap().to_owned(),
        })
        .collect()
}

const USERS: [&str; 6] = [
    "arithmetic",
    "constraints",
    "counting",
    "logic",
    "persona",
    "qualifier",
];

/// Everything that must speak up does, and names these parts.
fn alarms(place: &Place, expected: &[&str], affected: &[&str]) {
    let (ended, report) = verify(place);
    ended.refused(1, &["of m changed since reckon.lock", "hint", expected[0]]);
    assert_eq!(
        (parts(&report), &report["ok"]),
        (expected.iter().map(|&s| s.into()).collect(), &json!(false))
    );
    assert_eq!(report["affected"], json!(affected));
    let ended = gate(place, "m.gguf");
    ended.refused(1, &["the gate does not pass", expected[0]]);
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(
        (parts(&report), &report["ok"]),
        (expected.iter().map(|&s| s.into()).collect(), &json!(false))
    );
}

#[test]
fn a_locked_model_is_quiet_and_the_gate_passes_again() {
    let place = locked();
    let again = gate(&place, "m.gguf");
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""), "{again:?}");
    let report: Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(report["compared_with"], "reckon.lock");
    assert_eq!(
        report["control"],
        json!({"n": 2, "same_bytes": 2, "looked": 0})
    );
    let fixed = &report["fixed"];
    assert!(
        fixed["n"].as_u64().unwrap() >= 25 && fixed["n"] == fixed["right"],
        "{fixed}"
    );
    let (ended, model) = verify(&place);
    assert_eq!(
        (ended.code, &model["ok"]),
        (Some(0), &json!(true)),
        "{ended:?}"
    );
    assert_eq!(ask(&place, &[]).err, "");
}

#[test]
fn one_changed_byte_of_the_template_is_named_and_can_be_accepted() {
    let place = locked();
    place.write("m.gguf", &tiny(CHANGED, 1));
    let said = ask(&place, &[]).err;
    assert_eq!(
        said,
        "reckon: the template of m changed since reckon.lock (hint: reckon models verify)\n"
    );
    lock(&place).refused(
        1,
        &[
            "another state",
            "template",
            "reckon lab gate --model m.gguf",
        ],
    );
    alarms(&place, &["template"], &USERS);
    let (_, model) = verify(&place);
    assert_eq!(model["locked"], true);
    let accepted = lock(&place);
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(
        accepted.out.contains("accepted: the template"),
        "{accepted:?}"
    );
    assert_eq!(gate(&place, "m.gguf").code, Some(0));
    assert_eq!(ask(&place, &[]).err, "");
}

#[test]
fn another_model_in_its_place_is_named() {
    let place = locked();
    place.write("m.gguf", &tiny(TEMPLATE, 2));
    assert!(
        ask(&place, &[])
            .err
            .contains("the file of m was not hashed")
    );
    alarms(&place, &["weights"], &USERS);
    assert!(ask(&place, &[]).err.contains("the weights of m changed"));
    let other = Tiny {
        n_layer: 2,
        template: Some(TEMPLATE),
        ..Tiny::new("qwen2", Format::Q4_0)
    };
    place.write("m.gguf", &gguf(&other));
    let said = ask(&place, &[]).err;
    assert!(
        said.contains("the metadata") && said.contains("the quantisation"),
        "{said}"
    );
    let all = [
        "weights",
        "tokenizer",
        "metadata",
        "quantisation",
        "sampler",
    ];
    alarms(&place, &all, &USERS);
}

#[test]
fn a_model_that_is_not_in_the_lock_is_compared_with_the_nearest() {
    let place = locked();
    place.write("other.gguf", &tiny(CHANGED, 1));
    let words = ["other is not in reckon.lock", "of m differ the template"];
    gate(&place, "other.gguf").refused(1, &words);
    place
        .reckon(&["models", "verify", "other.gguf"])
        .refused(1, &words);
    let said = place.reckon(&["ask", "-m", "other.gguf", "--max-tokens", "1", "Hi"]);
    assert!(said.err.contains("other is not in reckon.lock"), "{said:?}");
    let accepted = place.reckon(&["models", "lock", "other.gguf"]);
    assert_eq!(accepted.code, Some(0), "all canaries held: {accepted:?}");
    assert_eq!(gate(&place, "other.gguf").code, Some(0));
}

/// Puts `to` in the place of what follows `key` in the lock.
fn edit(place: &Place, key: &str, to: &str) {
    let path = place.home().join("reckon.lock");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.starts_with(key)).unwrap();
    let edited = text.replace(line, &format!("{key}{to}"));
    assert_ne!(edited, text);
    fs::write(path, edited).unwrap();
}

#[test]
fn another_version_of_a_guard_is_named_also_without_a_model() {
    let place = locked();
    assert_eq!(place.reckon(&["lab", "gate", "--fixed"]).code, Some(0));
    edit(&place, "persona = ", &format!("\"{}\"", "0".repeat(64)));
    let ended = place.reckon(&["lab", "gate", "--fixed"]);
    ended.refused(1, &["the guard persona", "changed since reckon.lock"]);
    assert!(
        ask(&place, &[])
            .err
            .contains("the guard persona of m changed")
    );
    assert_eq!(ask(&place, &["--raw"]).err, "", "no guard looks");
    alarms(&place, &["guard persona"], &["persona"]);
}

#[test]
fn other_defaults_of_the_sampler_are_named() {
    let place = locked();
    edit(&place, "top_k = ", "41");
    assert!(ask(&place, &[]).err.contains("the sampler of m changed"));
    alarms(&place, &["sampler"], &USERS);
}

#[test]
fn a_pack_that_comes_changes_or_goes_is_named() {
    let place = locked();
    let guards = place.home().join("guards");
    fs::create_dir_all(&guards).unwrap();
    fs::write(guards.join("shout.toml"), PACK).unwrap();
    alarms(&place, &["guard shout"], &["shout"]);
    assert_eq!(lock(&place).code, Some(0));
    let changed = PACK.replace("HEY!+", "HEY[!?]+");
    fs::write(guards.join("shout.toml"), changed).unwrap();
    assert!(
        ask(&place, &[])
            .err
            .contains("the guard shout of m changed")
    );
    alarms(&place, &["guard shout"], &["shout"]);
    fs::remove_file(guards.join("shout.toml")).unwrap();
    alarms(&place, &["guard shout"], &["shout"]);
}

#[test]
fn only_what_has_passed_the_gate_is_accepted_unless_forced() {
    let place = place();
    lock(&place).refused(1, &["never run", "`reckon lab gate --model m.gguf`"]);
    assert!(!place.home().join("reckon.lock").exists());
    let forced = place.reckon(&["models", "lock", "m.gguf", "--force", "--json"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert!(forced.err.contains("FORCED"), "{forced:?}");
    let row: Value = serde_json::from_str(&forced.out).unwrap();
    assert_eq!((&row["name"], &row["forced"]), (&json!("m"), &json!(true)));
    let text = fs::read_to_string(place.home().join("reckon.lock")).unwrap();
    assert!(text.contains("forced = true"), "{text}");
    assert_eq!(gate(&place, "m.gguf").code, Some(0));
}

#[test]
fn without_a_lock_the_gate_compares_with_its_first_run() {
    let place = place();
    assert_eq!(gate(&place, "m.gguf").code, Some(0));
    place.write("m.gguf", &tiny(CHANGED, 1));
    gate(&place, "m.gguf").refused(1, &["the template of m changed since the first run"]);
    assert_eq!(ask(&place, &[]).err, "", "nothing is locked");
    assert_eq!(lock(&place).code, Some(0));
    assert_eq!(gate(&place, "m.gguf").code, Some(0));
}

#[test]
fn a_lock_beside_the_work_goes_with_it() {
    let place = place();
    assert_eq!(gate(&place, "m.gguf").code, Some(0));
    let accepted = place.reckon(&["models", "lock", "m.gguf", "--here"]);
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(!place.home().join("reckon.lock").exists());
    let text = fs::read_to_string(place.root.path().join("reckon.lock")).unwrap();
    assert!(text.contains("path = \"m.gguf\""), "relative: {text}");
    assert_eq!(verify(&place).0.code, Some(0));
    // A lock of the machine does not hold where there is one of the work.
    fs::write(place.home().join("reckon.lock"), "form = 9").unwrap();
    assert_eq!(ask(&place, &[]).err, "");
    fs::remove_file(place.root.path().join("m.gguf")).unwrap();
    let gone = place.reckon(&["models", "verify"]);
    gone.refused(1, &["in reckon.lock and not here: m"]);
}

#[test]
fn a_file_that_is_called_like_a_model_of_the_catalogue_is_not_that_model() {
    let place = place();
    place.write("smollm2-135m.gguf", &tiny(TEMPLATE, 1));
    let model = "smollm2-135m.gguf";
    let forced = place.reckon(&["models", "lock", model, "--force"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    let (ended, report) = verify(&place);
    assert_eq!(
        (ended.code, &report["ok"]),
        (Some(0), &json!(true)),
        "{ended:?}"
    );
    place.write(model, &tiny(CHANGED, 1));
    let (ended, report) = verify(&place);
    ended.refused(1, &["the template of smollm2-135m changed"]);
    assert_eq!(parts(&report), ["template"]);
}

/// A file of the working directory, or a lock that came with it, took the place of a model of the catalogue.
#[test]
fn what_is_verified_by_a_name_of_the_catalogue_is_never_a_file_here() {
    let place = place();
    let model = place.write("smollm2-135m.gguf", &tiny(TEMPLATE, 1));
    let forced = place.reckon(&["models", "lock", model, "--force", "--here"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    place.write("smollm2-135m", &tiny(TEMPLATE, 1));
    let named = place.reckon(&["models", "verify", "smollm2-135m"]);
    named.refused(3, &["the model smollm2-135m is not here"]);
    let path = place.reckon(&["models", "verify", "./smollm2-135m.gguf"]);
    assert_eq!(path.code, Some(0), "{path:?}");
}

/// A file without an ending that was called like a locked model kept its entry from being found.
#[test]
fn a_file_that_is_called_like_a_locked_model_does_not_hide_it() {
    let place = locked();
    place.write("m", b"not a model");
    let named = place.reckon(&["models", "verify", "m"]);
    assert_eq!(named.code, Some(0), "{named:?}");
}

#[test]
fn a_lock_that_cannot_be_read_is_one_line_and_no_reason_not_to_answer() {
    let place = locked();
    fs::write(
        place.home().join("reckon.lock"),
        "form = 1\n[[model]]\nname = 3\n",
    )
    .unwrap();
    place
        .reckon(&["models", "verify"])
        .refused(4, &["reckon.lock: line 3"]);
    let said = ask(&place, &[]).err;
    assert!(
        said.starts_with("reckon: reckon.lock: line 3") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn a_canary_file_that_makes_no_sense_is_refused() {
    let place = place();
    let refused = |text: &str, words: &[&str]| {
        place.write("bad.jsonl", text.as_bytes());
        place
            .reckon(&["lab", "gate", "-m", "m.gguf", "--canary", "bad.jsonl"])
            .refused(4, words);
    };
    refused(
        "{\"prompt\": \"x\", \"category\": \"maths\"}\n",
        &["no guard is called \"maths\"", "hint"],
    );
    refused("{\"prompt\": \"x\"}\nnonsense\n", &["line 2"]);
    refused("", &["no canary"]);
}

#[cfg(unix)]
#[test]
fn a_kill_while_the_lock_is_written_leaves_a_whole_one() {
    let place = locked();
    let path = place.home().join("reckon.lock");
    for i in 0..20u64 {
        let mut command = place.command(&["models", "lock", "m.gguf"], &[]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(i * 4));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        reckon_lab::lock::Lock::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(text.contains("name = \"m\""));
    }
    assert_eq!(lock(&place).code, Some(0));
}

#[test]
fn a_lock_that_cannot_be_written_leaves_nothing_behind() {
    let place = locked();
    let path = place.home().join("reckon.lock");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    lock(&place).refused(3, &["cannot write", "reckon.lock"]);
    let left = crate::place::files(&place.home());
    assert!(!left.iter().any(|name| name.contains(".tmp")), "{left:?}");
}

/// A question whose file says another number than the one that is computed: what the answer is marked with is not true.
const FALSE: &str = r#"{"id": "sum", "category": "arithmetic", "prompt": "What is 3 + 4?", "answer": 8}
{"id": "hello", "category": "control", "prompt": "Say hello."}
"#;

#[test]
fn a_mark_that_is_not_true_fails_until_a_person_accepts_it() {
    let place = locked();
    let text = fs::read_to_string(place.home().join("reckon.lock")).unwrap();
    assert!(text.contains("[model.gate.marks.verified]"), "{text}");
    place.write("c.jsonl", FALSE.as_bytes());
    let ended = gate(&place, "m.gguf");
    ended.refused(1, &["a wrong answer has this mark", "(sum)", "--accept"]);
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
    lock(&place).refused(1, &["the gate did not pass"]);
    let run = ["lab", "gate", "-m", "m.gguf", "--canary", "c.jsonl"];
    let accepted = place.reckon(&[&run[..], &["--accept"]].concat());
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    assert!(accepted.out.contains("m is locked"), "{accepted:?}");
    let again = gate(&place, "m.gguf");
    assert_eq!(again.code, Some(0), "{again:?}");
    // Right again: better, and said so.
    place.write("c.jsonl", CANARIES.as_bytes());
    let other = place.reckon(&run);
    assert_eq!(
        other.code,
        Some(0),
        "another set is another measure: {other:?}"
    );
    place
        .reckon(&["lab", "gate", "--fixed", "--accept"])
        .refused(2, &["--accept"]);
}
