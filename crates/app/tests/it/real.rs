//! A real model, where `RECKON_TEST_MODELS` names a directory that holds one: what it answers and how much memory it takes.
use crate::place::Place;
use reckon::gguf::File;
use serde_json::Value;
use std::{fs, io::Write, path::PathBuf, process::Stdio, thread, time::Duration};

/// What a process may take beyond the file and the keys and values of its context.
const SPARE: u64 = 300_000_000;

/// The model, or nothing and a word about it.
fn model() -> Option<PathBuf> {
    let path = std::env::var_os("RECKON_TEST_MODELS")
        .map(|directory| PathBuf::from(directory).join("smollm2-135m.gguf"));
    if let Some(path) = path.filter(|path| path.is_file()) {
        return Some(fs::canonicalize(path).unwrap());
    }
    // Not `println`, which the test harness would hide.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED: no smollm2-135m.gguf in RECKON_TEST_MODELS; the answer and the memory of a real model are not tested"
    );
    None
}

/// Bytes of the file and, in f16, of the keys and values of so many tokens, and the spare.
fn allowed(model: &PathBuf, n_ctx: u64) -> u64 {
    let file = File::open(model).unwrap();
    let number = |key: &str| u64::from(file.metadata().u32(&format!("llama.{key}")).unwrap());
    let width = number("embedding_length") / number("attention.head_count");
    let row = width * number("attention.head_count_kv");
    let n_ctx = n_ctx.min(number("context_length"));
    fs::metadata(model).unwrap().len() + number("block_count") * n_ctx * row * 2 * 2 + SPARE
}

#[test]
fn the_capital_of_france_within_the_memory_promised() {
    let Some(model) = model() else { return };
    let place = Place::new();
    let name = model.to_str().unwrap();
    let question = "What is the capital of France?";
    // An answer that runs on without Paris would take minutes to fail.
    let wishes = ["--greedy", "--max-tokens", "64", "--json", question];
    let arguments = [&["ask", "--model", name], &wishes[..]].concat();
    let mut command = place.command(&arguments, &[]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut peak = None;
    while child.try_wait().unwrap().is_none() {
        peak = peak_of(child.id()).or(peak);
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        report["text"].as_str().unwrap().contains("Paris"),
        "{}",
        report["text"]
    );
    if cfg!(target_os = "linux") {
        let (peak, allowed) = (peak.unwrap(), allowed(&model, 8192));
        assert!(peak < allowed, "{peak} bytes, {allowed} allowed");
    }
}

/// The most memory that a running process had, as Linux counts it.
fn peak_of(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[test]
fn a_measured_model_takes_the_memory_promised() {
    let Some(model) = model() else { return };
    let place = Place::new();
    let name = model.to_str().unwrap();
    let measure = ["bench", "speed", "--model", name, "-p", "512", "-n", "16"];
    let ended = place.reckon(&[&measure[..], &["-r", "1", "--json"]].concat());
    let report: Value = serde_json::from_str(&ended.out).unwrap();
    let length = fs::metadata(&model).unwrap().len();
    assert_eq!(report["file_bytes"], length);
    if cfg!(target_os = "linux") {
        let (peak, allowed) = (
            report["peak_memory_bytes"].as_u64().unwrap(),
            allowed(&model, 512),
        );
        assert!(peak < allowed, "{peak} bytes, {allowed} allowed");
    }
}
