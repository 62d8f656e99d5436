//! Questions and what they come to.

use crate::questions::{ASKED, SILENT, TALKS};
use reckon_compute::direct::compute;

#[test]
fn what_is_stated_is_computed() {
    let mut wrong = Vec::new();
    for (question, expected) in ASKED {
        let text = compute(&[], question).map_or_else(String::new, |found| found.text);
        if !text.contains(expected) {
            wrong.push(format!("{question}: {text:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_computation_or_open_has_no_answer() {
    let fired =
        |question: &&str| compute(&[], question).map(|found| format!("{question}: {}", found.text));
    let wrong: Vec<String> = SILENT.iter().filter_map(fired).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn follow_ups_lean_on_the_conversation() {
    for talk in TALKS {
        let questions: Vec<&str> = talk.iter().map(|(question, _)| *question).collect();
        for (turn, (question, expected)) in talk.iter().enumerate() {
            let text =
                compute(&questions[..turn], question).map_or_else(String::new, |found| found.text);
            let right = if expected.is_empty() {
                text.is_empty()
            } else {
                text.contains(expected)
            };
            assert!(right, "{question}: {text:?} instead of {expected:?}");
        }
    }
}

#[test]
fn a_negated_roll_is_not_the_roll() {
    let text = |question: &str| compute(&[], question).map(|found| found.text);
    assert_eq!(
        text("What's the chance of not rolling a six with one die?")
            .map(|text| text.starts_with("5/6")),
        Some(true)
    );
    assert_eq!(
        text("Chance of rolling a six with one die?").map(|text| text.starts_with("1/6")),
        Some(true)
    );
}

#[test]
fn a_loud_question_is_no_factorial() {
    assert_eq!(compute(&[], "What is 5 + 5!"), None);
    assert_eq!(
        compute(&[], "6! / 4!").map(|found| found.text),
        Some("30".to_owned())
    );
}

#[test]
fn hostile_questions_are_bounded_and_silent() {
    let nines = "9".repeat(1900);
    let deep = "(".repeat(900) + "1+1" + &")".repeat(900);
    let signs = "-".repeat(1500) + "1 + 1";
    let chain = "2^".repeat(600) + "2";
    let list = format!("sum of {}", "1, ".repeat(600));
    for question in [
        "10^10^10",
        "100000!",
        "2^99999999",
        "9^9^9^9",
        "0^0",
        "1/0",
        "5 mod 0",
        "(((((",
        "%%%",
        "",
        " ",
        "?",
        "=",
        "🦀 + 🦀",
        "½ of ½ of",
        "prime number 99999999999999999999",
        "the 99999999999th prime number",
        "999999999 choose 5000000",
        "tan 90 degrees",
        "What date is 99999999 days after January 1, 2020?",
        "13:45 plus 99999999999999999999 hours",
        "0 mpg in l/100km",
        "How long does it take to drive 100 km at 0 km/h?",
        "999999999999 factorial",
        "How many ways can 100000 people line up?",
        "sum of the numbers from 1 to 99999999999",
        "log base 1 of 5",
        "square root of -4",
        "1e999 + 1",
        "02/30/2020 plus 3 days",
        nines.as_str(),
        deep.as_str(),
        signs.as_str(),
        chain.as_str(),
    ] {
        assert_eq!(
            compute(&[], question),
            None,
            "{}",
            question.chars().take(60).collect::<String>()
        );
    }
    // Long, but a sum.
    let _ = compute(&[], &list);
    let _ = compute(&[nines.as_str(), deep.as_str()], "And 5?");
    let long = "1 + 1 ".repeat(400);
    assert_eq!(compute(&[], &long), None, "over 2,000 characters");
}
