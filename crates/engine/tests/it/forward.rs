//! The forward pass of every architecture against logits computed elsewhere: tiny committed models whose reference
//! logits `tests/reference/forward.py` made in double precision, without a KV cache, batches or a shortcut; those with
//! experts were made with `transformers`, by `tests/reference/experts.py`.
//!
//! Where `RECKON_FORWARD_CASES` names a directory that `tests/reference/dense.py` filled, models of `transformers`, too.
//!
//! Weights are halves and the KV cache holds full floats, so nothing is quantised and only the rounding of `f32` is
//! left.

use crate::parity::{doubles, numbers};
use reckon_engine::{
    ARCHITECTURES, Drafting, Isa, Model, ModelOptions, Precision, Request, Sampling, Session,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest difference of a logit that rounding to `f32` explains: logits reach ±8, and this is about fifty units in
/// the last place of that.
const LIMIT: f64 = 5e-5;

/// The largest difference from `transformers`, which computes cosine and sine in single precision.
const TRANSFORMERS_LIMIT: f64 = 1e-3;

/// The largest difference where keys and values are kept as halves (11 bits).
const HALF_LIMIT: f64 = 2e-2;

/// A model of each architecture, and those that differ by more than that.
fn models() -> impl Iterator<Item = &'static str> {
    ARCHITECTURES
        .into_iter()
        .chain(["gemma4-moe", "gemma4-31b"])
}

fn file(architecture: &str, ending: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/forward")
        .join(format!("{architecture}.{ending}"))
}

fn load(architecture: &str, options: &ModelOptions) -> Arc<Model> {
    let path = file(architecture, "gguf");
    Arc::new(Model::load(&path, options, &mut |_| ()).unwrap())
}

/// The largest difference of a logit of any position.
fn apart(model: &Arc<Model>, prompt: &[u32], want: &[f64]) -> f64 {
    let mut got = Vec::new();
    Session::new(model.clone())
        .logits(prompt, 0, |_, row| got.extend_from_slice(row))
        .unwrap();
    assert_eq!(got.len(), want.len());
    let pairs = got.iter().zip(want);
    pairs.fold(0.0, |most, (a, b)| (f64::from(*a) - b).abs().max(most))
}

/// Logits and greedy tokens of a case are those of the reference, on every ISA.
fn equals(architecture: &str, case: &str, n_ctx: Option<usize>) {
    let (model, case) = (file(architecture, "gguf"), file(case, "json"));
    let worst = off_by(&model, &case, n_ctx);
    assert!(worst < LIMIT, "{}: off by {worst:.1e}", case.display());
}

/// The largest difference of a logit on any ISA; greedy tokens are equal.
fn off_by(model: &Path, case: &Path, n_ctx: Option<usize>) -> f64 {
    let mut most: f64 = 0.0;
    let want = doubles(case.with_extension("npy"));
    let json = std::fs::read_to_string(case).unwrap();
    let (prompt, greedy) = (numbers(&json, "prompt"), numbers(&json, "greedy"));
    for isa in Isa::available() {
        // Chunks of 5 tokens, so that the prompt takes several passes, and guesses, so that several rows decode.
        let options = ModelOptions {
            isa: Some(isa),
            cpus: vec![0; 2],
            n_ctx,
            batch: Some(5),
            kv: Some(Precision::Full),
            drafting: Drafting::Always,
            ..ModelOptions::default()
        };
        let model = Arc::new(Model::load(model, &options, &mut |_| ()).unwrap());
        most = most.max(apart(&model, &prompt, &want));
        let request = Request {
            prompt: (&prompt).into(),
            sampling: Sampling {
                temperature: 0.0,
                ..Sampling::default()
            },
            max_tokens: Some(greedy.len()),
            ..Request::default()
        };
        let answer = Session::new(model)
            .generate(&request, &mut |_| ControlFlow::Continue(()))
            .unwrap();
        assert_eq!(answer.tokens, greedy, "{} on {isa}", case.display());
    }
    most
}

#[test]
fn logits_and_greedy_tokens_are_those_of_the_reference_on_every_isa() {
    for architecture in models() {
        equals(architecture, architecture, None);
    }
}

#[test]
fn a_longer_context_takes_the_long_factors_of_longrope() {
    assert_eq!(load("phi3", &ModelOptions::default()).n_ctx(), 64);
    equals("phi3", "phi3", Some(64));
    equals("phi3", "phi3-long", Some(65));
}

#[test]
fn a_kv_cache_of_halves_changes_logits_little() {
    for architecture in models() {
        let case = std::fs::read_to_string(file(architecture, "json")).unwrap();
        let want = doubles(file(architecture, "npy"));
        let model = load(architecture, &ModelOptions::default());
        assert_eq!(model.kv(), Precision::Half);
        let worst = apart(&model, &numbers(&case, "prompt"), &want);
        assert!(worst < HALF_LIMIT, "{architecture}: off by {worst:.1e}");
        assert!(worst > LIMIT, "{architecture}: were they halves at all?");
    }
}

#[test]
fn logits_and_greedy_tokens_are_those_of_transformers() {
    let Some(folder) = std::env::var_os("RECKON_FORWARD_CASES") else {
        say!("SKIPPED: set RECKON_FORWARD_CASES to what tests/reference/dense.py wrote");
        return;
    };
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).expect("the directory of cases") {
        let case = entry.expect("an entry").path();
        if case.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let json = std::fs::read_to_string(&case).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let n_ctx = json["n_ctx"].as_u64().map(|n| n as usize);
        let worst = off_by(&case.with_extension("gguf"), &case, n_ctx);
        let name = case.display();
        say!("{name}: largest difference of a logit {worst:.1e}, greedy tokens equal");
        assert!(worst < TRANSFORMERS_LIMIT, "{name}: off by {worst:.1e}");
        cases += 1;
    }
    assert!(cases > 0, "no cases in that directory");
}
