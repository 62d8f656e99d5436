//! The tiny random Gemma 4 whose outputs were computed by another program in double precision.
//!
//! Needs `../shared` beside the project; says so where it is not.

use reckon_engine::{Isa, Model, ModelOptions, Request, Sampling, Session, Token};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

/// The largest difference of a logit that rounding explains.
const LIMIT: f64 = 1e-2;

fn folder() -> Option<PathBuf> {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/tiny-gemma4");
    if folder.exists() {
        return Some(folder);
    }
    say!("SKIPPED: parity with the tiny Gemma 4 needs ../shared/models beside the project");
    None
}

/// The numbers of an array in a JSON text, by the name before it.
pub(crate) fn numbers(json: &str, name: &str) -> Vec<Token> {
    let start = json
        .find(&format!("\"{name}\":"))
        .expect("the name is there");
    let list = &json[start..];
    let (open, close) = (list.find('[').unwrap(), list.find(']').unwrap());
    list[open + 1..close]
        .split(',')
        .map(|n| n.trim().parse().unwrap())
        .collect()
}

/// The f64 values of a NumPy file.
pub(crate) fn doubles(path: PathBuf) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(String::from_utf8_lossy(&bytes[10..start]).contains("'<f8'"));
    bytes[start..]
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn logits_and_greedy_tokens_equal_the_reference_on_every_isa() {
    let Some(folder) = folder() else { return };
    let json = std::fs::read_to_string(folder.join("ref/text.json")).unwrap();
    let (prompt, greedy) = (numbers(&json, "prompt"), numbers(&json, "greedy"));
    let want = doubles(folder.join("ref/text_logits_f64.npy"));
    let mut first: Option<Vec<u32>> = None;
    for isa in Isa::available() {
        let options = ModelOptions {
            isa: Some(isa),
            cpus: vec![0; 2],
            ..ModelOptions::default()
        };
        let model = Arc::new(
            Model::load(&folder.join("tiny-text-f32.gguf"), &options, &mut |_| ()).unwrap(),
        );
        let mut got = Vec::new();
        Session::new(model.clone())
            .logits(&prompt, 0, |_, row| got.extend_from_slice(row))
            .unwrap();
        let worst = got
            .iter()
            .zip(&want)
            .map(|(a, b)| (f64::from(*a) - b).abs())
            .fold(0.0, f64::max);
        assert_eq!(got.len(), want.len());
        assert!(worst < LIMIT, "{isa}: a logit is off by {worst}");
        let bits: Vec<u32> = got.iter().map(|x| x.to_bits()).collect();
        assert_eq!(first.get_or_insert_with(|| bits.clone()), &bits, "{isa}");

        let sampling = Sampling {
            temperature: 0.0,
            ..Sampling::default()
        };
        let request = Request {
            prompt: (&prompt).into(),
            sampling,
            max_tokens: Some(greedy.len()),
            ..Request::default()
        };
        let answer = Session::new(model.clone())
            .generate(&request, &mut |_| ControlFlow::Continue(()))
            .unwrap();
        assert_eq!(answer.tokens, greedy, "{isa}");
        say!(
            "parity on {isa}: largest difference of a logit {worst:.2e}, {} greedy tokens equal",
            greedy.len()
        );
    }
}

#[test]
fn the_last_logits_do_not_depend_on_the_shortcut() {
    let Some(folder) = folder() else { return };
    let json = std::fs::read_to_string(folder.join("ref/text.json")).unwrap();
    let prompt = numbers(&json, "prompt");
    for file in ["tiny-text-f32.gguf", "tiny-text-q8_0.gguf"] {
        let last = |full_prefill: bool| {
            let options = ModelOptions {
                full_prefill,
                ..ModelOptions::default()
            };
            let model = Arc::new(Model::load(&folder.join(file), &options, &mut |_| ()).unwrap());
            let mut out = Vec::new();
            Session::new(model.clone())
                .logits(&prompt, prompt.len() - 1, |_, row| out = row.to_vec())
                .unwrap();
            out
        };
        assert_eq!(last(true), last(false), "{file}");
    }
}
