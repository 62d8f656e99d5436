//! Guesses equal to those of Hugging Face `transformers`: the cases that `tests/reference/drafter.py` makes. They are
//! skipped, loudly, without them.

use reckon_engine::{Isa, Model, ModelOptions, Session, Token};
use reckon_gguf::File;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The largest difference of a score or of a hidden state that rounding explains.
const LIMIT: f64 = 5e-5;

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|n| n.as_f64().expect("a number")).collect()
}

fn tokens(value: &Value) -> Vec<Token> {
    numbers(value).into_iter().map(|n| n as Token).collect()
}

/// The largest difference between the two.
fn apart(got: impl IntoIterator<Item = f32>, want: impl IntoIterator<Item = f64>) -> f64 {
    let pairs = got.into_iter().zip(want);
    pairs
        .map(|(a, b)| (f64::from(a) - b).abs())
        .fold(0.0, f64::max)
}

fn pair(folder: &Path, drafter: &str, isa: Isa) -> Arc<Model> {
    let options = ModelOptions {
        isa: Some(isa),
        cpus: vec![0; 2],
        ..ModelOptions::default()
    };
    let model = Model::load(&folder.join("target.gguf"), &options, &mut |_| ()).unwrap();
    let file = File::open(folder.join(format!("{drafter}.gguf"))).unwrap();
    Arc::new(model.with_drafter(file).unwrap())
}

/// Runs a case; gives the largest differences of a score and of a hidden state.
fn check(model: &Arc<Model>, case: &Value) -> (f64, f64) {
    let mut read = tokens(&case["prompt"]);
    read.push(case["chosen"].as_u64().expect("an id") as Token);
    let want = tokens(&case["tokens"]);
    let (mut got, mut scores_apart, mut states_apart) = (Vec::new(), 0f64, 0f64);
    Session::new(model.clone())
        .guesses(&read, want.len(), |guess| {
            let step = got.len();
            let all = numbers(&case["logits"][step]);
            // Beyond a shortlist, transformers fills in one less than the lowest score.
            let lowest = all.iter().copied().fold(f64::INFINITY, f64::min);
            if guess.ids.is_empty() {
                assert_eq!(guess.scores.len(), all.len());
                scores_apart = scores_apart.max(apart(guess.scores.iter().copied(), all));
            } else {
                let considered = all.iter().filter(|score| **score > lowest).count();
                assert_eq!(guess.ids.len(), considered, "the same shortlist");
                let chosen = guess.ids.iter().map(|id| all[*id as usize]);
                scores_apart = scores_apart.max(apart(guess.scores.iter().copied(), chosen));
            }
            let state = numbers(&case["states"][step]);
            assert_eq!(guess.hidden.len(), state.len());
            states_apart = states_apart.max(apart(guess.hidden.iter().copied(), state));
            got.push(guess.token);
        })
        .unwrap();
    assert_eq!(got, want, "{}", case["name"]);
    (scores_apart, states_apart)
}

#[test]
fn guesses_equal_transformers() {
    let Some(folder) = std::env::var_os("RECKON_DRAFTER_CASES") else {
        say!("SKIPPED: set RECKON_DRAFTER_CASES to what tests/reference/drafter.py wrote");
        return;
    };
    let folder = Path::new(&folder);
    let text = std::fs::read_to_string(folder.join("cases.json")).expect("the cases open");
    let cases: Value = serde_json::from_str(&text).expect("JSON");
    let cases = cases["cases"].as_array().expect("a list of cases");
    for isa in Isa::available() {
        for drafter in ["full", "shortlist", "shortlist-floats"] {
            let model = pair(folder, drafter, isa);
            let (mut count, mut worst) = (0, (0f64, 0f64));
            for case in cases {
                if drafter.starts_with(case["drafter"].as_str().expect("a name")) {
                    let (scores, states) = check(&model, case);
                    worst = (worst.0.max(scores), worst.1.max(states));
                    assert!(
                        worst.0 < LIMIT && worst.1 < LIMIT,
                        "{isa}, {}: {worst:?}",
                        case["name"]
                    );
                    count += 1;
                }
            }
            assert!(count > 0, "no cases for {drafter}");
            say!(
                "{drafter} on {isa}: {count} cases equal, scores within {:.1e}, states within {:.1e}",
                worst.0,
                worst.1
            );
        }
    }
}
