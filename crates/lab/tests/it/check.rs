//! Checks of question files: what they accept, and what is refused in one line.

use reckon::assistant::{Outcome, Tools};
use reckon_lab::Check;
use serde_json::json;

/// No check here runs anything.
struct Nothing;

impl Tools for Nothing {
    fn python(&mut self, _: &str) -> Outcome {
        Outcome::default()
    }

    fn logic(&mut self, _: &str) -> Outcome {
        Outcome::default()
    }
}

fn holds(check: &serde_json::Value, text: &str) -> Option<bool> {
    let checks = Check::parse(std::slice::from_ref(check), "").expect("a check");
    checks[0].holds(text, &mut Nothing)
}

#[test]
fn a_number_may_be_some_way_off_and_no_further() {
    let near = json!({"near": [5.24, 0.01]});
    for (text, right) in [
        ("About 5.24.", true),
        ("It is 5.25", true),
        ("5.23, I think", true),
        ("It is 5.3", false),
        ("5.24? No: 4", false),
        ("\\boxed{5.24} in 2 steps", true),
        ("no number", false),
    ] {
        assert_eq!(holds(&near, text), Some(right), "{text}");
    }
    assert_eq!(holds(&json!({"near": [-9, 0]}), "so -9 %"), Some(true));
    assert_eq!(holds(&json!({"number": 5.24}), "It is 5.25"), Some(false));
}

#[test]
fn a_distance_that_makes_no_sense_is_refused() {
    for bad in [
        json!({"near": 3}),
        json!({"near": [3]}),
        json!({"near": [3, -1]}),
        json!({"near": [3, "x"]}),
        json!({"near": [3, 1, 2]}),
    ] {
        assert!(
            Check::parse(std::slice::from_ref(&bad), "").is_err(),
            "{bad}"
        );
    }
}
