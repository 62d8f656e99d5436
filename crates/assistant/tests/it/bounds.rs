//! What holds for every text: no panic, spans on characters, cutting once is cutting for good, time linear in length.
use proptest::prelude::*;
use reckon_assistant::{
    choice,
    detect::{
        EVIDENCE, Finding, Mask, Side, arithmetic, conclusion, correction, counting, logic,
        persona, qualifier,
    },
    scan::scan,
};
use std::time::{Duration, Instant};

/// Pieces from which texts are made that come close to what detectors look for.
const PIECES: &[&str] = &[
    "As an AI language model, ",
    "I ",
    "cannot. ",
    "Wait, that's wrong. ",
    "The total is 44. ",
    "So 4 * 12 = 48. ",
    "The total is 48. ",
    "**Corrected Answer:**\n",
    "```json\n{\"answer\": \"3\"}\n```\n",
    "```",
    "`",
    "\n",
    "\n\n",
    "<think>",
    "</think>",
    "> ",
    "é",
    "’",
    "“",
    "”",
    "\"",
    "{",
    "}",
    "Act as a pirate. ",
    "without using sorted() ",
    "(not LCA) ",
    "How many ways ",
    "for n = 3 there are 5, ",
    "1, 1, 2, 5 ",
    "Ann and Ben swap. ",
    "?",
    "Catalan ",
    "🦀",
    "\u{0}",
    "\r\n",
];

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 0..24)
        .prop_map(|pieces| pieces.concat());
    prop_oneof![3 => pieces, 1 => any::<String>()]
}

fn check(finding: &Finding, prompt: &str, response: &str) {
    let text = match finding.side {
        Side::Prompt => prompt,
        Side::Response => response,
    };
    assert!(
        text.get(finding.span.clone()).is_some(),
        "{finding:?} in {text:?}"
    );
    assert!(finding.evidence.len() <= EVIDENCE && text.contains(&finding.evidence));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn spans_lie_on_characters(prompt in texts(), response in texts()) {
        let found = scan(&prompt, &response, &[]);
        for seen in found.looked.iter().chain(&found.fired) {
            check(&seen.finding, &prompt, &response);
        }
        let mask = Mask::new(&response);
        let mut at = 0;
        for (span, _) in mask.spans() {
            prop_assert!(at <= span.start && span.start < span.end && response.get(span.clone()).is_some());
            at = span.end;
        }
        prop_assert_eq!(mask.blank(&response).len(), response.len());
    }

    #[test]
    fn cutting_once_is_cutting_for_good(prompt in texts(), response in texts()) {
        let found = scan(&prompt, &response, &[]);
        let again = scan(&prompt, &found.text, &[]);
        prop_assert_eq!(&again.text, &found.text);
        let cut = found.fired.iter().any(|seen| seen.guard == "correction");
        prop_assert_eq!(cut, found.text != response);
    }
}

#[test]
fn long_hostile_texts_take_no_time() {
    // A quarter of a megabyte each: what is quadratic takes minutes, what is linear an instant.
    let hostile = [
        "As an AI language model, I ".repeat(10_000),
        "Wait, that's wrong. The total is 44. ".repeat(7_000),
        "```\n".repeat(65_000),
        "`".repeat(1 << 18),
        "{\"a\": [".repeat(37_500),
        "> ".repeat(125_000),
        "a".repeat(1 << 18),
        "1. ".repeat(87_500),
        "<think></think>".repeat(17_500),
        "\"".repeat(1 << 18),
        "as a ".repeat(50_000),
        "Mr. ".repeat(62_500),
    ];
    for text in &hostile {
        let start = Instant::now();
        for found in [
            arithmetic::look(text, text),
            logic::look(text, text),
            persona::look(text, text),
            correction::look("", text),
            qualifier::look(text, text),
            counting::look(text, text),
        ]
        .into_iter()
        .flatten()
        {
            check(&found, text, text);
        }
        let _ = counting::claims(text);
        let _ = arithmetic::look_in(&[text, text, "What is 3% of 9?"], text);
        let _ = conclusion::wants(text, text);
        let _ = conclusion::wants("What is 3% of 9?", text);
        let _ = choice::named(text, &["Wait", "wrong", "a", "as"]);
        let _ = choice::chosen(text, &choice::options(text));
        let took = start.elapsed();
        assert!(
            took < Duration::from_secs(30),
            "{took:?} for {:?}…",
            &text[..20]
        );
    }
}
