//! Requirements are graded by the lab's own counting, and an answer that lost its content is no gain.
use crate::fixture::{Said, entry, row};
use reckon::assistant::{GuardOutcome, NoTools};
use reckon_lab::{
    GRADER, Question, Row,
    classes::{Labels, inventory, validations},
    read_questions,
    report::{Recording, Report},
    rescore,
};
use serde_json::{Value, json};
use std::fs;

fn question(prompt: &str, constraints: &Value) -> Question {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("q.jsonl");
    let row = json!({ "id": "1", "prompt": prompt, "checks": [{ "constraints": constraints }] });
    fs::write(&path, format!("{row}\n")).expect("written");
    read_questions(&path).expect("a question").remove(0)
}

fn read(prompt: &str) -> Question {
    question(prompt, &json!(true))
}

/// The verdict on an answer; nothing if nobody can tell.
fn holds(prompt: &str, answer: &str) -> Option<bool> {
    read(prompt).is_right(1, answer, &mut NoTools)
}

/// Prompts, answers, and whether they fulfil what is asked.
const SAME: [(&str, &str, bool); 19] = [
    (
        "Describe fog. Use exactly 2 sentences.",
        "It is wet. It is grey.",
        true,
    ),
    (
        "Describe fog. Use exactly 2 sentences.",
        "It is wet, cold and grey.",
        false,
    ),
    (
        "Describe fog in at least three sentences.",
        "Dr. Hill saw it. It was wet.",
        false,
    ),
    (
        "Describe fog in at least three sentences.",
        "Wet! Cold? \"Grey.\" Yes.",
        true,
    ),
    ("Describe fog in fewer than 5 words.", "Wet grey air", true),
    (
        "Describe fog in fewer than 5 words.",
        "It is wet grey air",
        false,
    ),
    (
        "Describe fog in no more than 5 words.",
        "It is wet grey air",
        true,
    ),
    (
        "Write at least 6 words about fog.",
        "It is wet grey air",
        false,
    ),
    (
        "Tell me of fog. Do not use any commas.",
        "Wet, grey.",
        false,
    ),
    (
        "Tell me of fog. Do not use any commas.",
        "Wet and grey.",
        true,
    ),
    (
        "What is fog? Answer in all lowercase letters.",
        "wet air",
        true,
    ),
    (
        "What is fog? Answer in all lowercase letters.",
        "Wet air",
        false,
    ),
    (
        "What is fog? Answer in all capital letters.",
        "WET AIR",
        true,
    ),
    (
        "Start every sentence with the letter F.",
        "Fog is wet. Few see far.",
        true,
    ),
    (
        "Start every sentence with the letter F.",
        "Fog is wet. Nobody sees far.",
        false,
    ),
    (
        "Write about fog in exactly two paragraphs.",
        "Fog is wet air and it hides the boats from us.\n\nIt goes away at noon when the sun is high.",
        true,
    ),
    (
        "Write about fog in exactly two paragraphs.",
        "Fog is wet air and it hides the boats from us.",
        false,
    ),
    (
        "Describe fog. Do not use the word \"grey\".",
        "It is Grey.",
        false,
    ),
    (
        "Describe fog. Do not use the word \"grey\".",
        "It is wet.",
        true,
    ),
];

#[test]
fn what_a_prompt_asks_for_is_read_and_counted() {
    for (prompt, answer, right) in SAME {
        assert_eq!(holds(prompt, answer), Some(right), "{prompt} / {answer}");
    }
}

#[test]
fn what_plain_counting_cannot_tell_is_left_open() {
    // Seen by the guard's reader and not by ours, or not to be counted at all: no answer passes.
    for prompt in [
        "Write a poem about fog whose lines rhyme.",
        "Write a 500-word essay about fog.",
        "Tell me about fog.",
        "Write exactly 2 sentences about fog, and make every line rhyme.",
    ] {
        assert_ne!(
            holds(prompt, "Fog is wet. It is grey."),
            Some(true),
            "{prompt}"
        );
    }
    // One that fails decides all the same.
    let both = "Write exactly 2 sentences about fog, and make every line rhyme.";
    assert_eq!(holds(both, "Fog is wet."), Some(false));
    // Whether a lead-in is a paragraph is not for us to say.
    let one = "Describe fog in fewer than two paragraphs.";
    assert_eq!(
        holds(
            one,
            "Here it is:\n\nFog is wet and grey air that hides the harbour."
        ),
        None
    );
    assert_eq!(
        holds(one, ""),
        Some(false),
        "an empty answer fulfils nothing"
    );
}

const DRAFT: &str =
    "Rain falls from dark clouds, fills the rivers, and waters every garden in the valley.";
const COMMA_FREE: &str =
    "Rain falls from dark clouds and fills the rivers and waters every garden in the valley.";

fn graded(question: &Question, text: &str) -> (Option<bool>, Option<bool>) {
    question.grade(1, DRAFT, text, &mut NoTools)
}

#[test]
fn an_answer_that_lost_its_content_is_no_gain() {
    let commas = question(
        "Tell me of rain.",
        &json!([{ "id": "punctuation:no_comma" }]),
    );
    let gain = (Some(false), Some(true));
    let none = (Some(false), Some(false));
    assert_eq!(graded(&commas, COMMA_FREE), gain);
    assert_eq!(
        graded(
            &commas,
            "Rain fills rivers and gardens in every valley from clouds."
        ),
        gain
    );
    for lost in [
        "",
        " \n",
        "Weather is nice.",
        "Rain falls.",
        "Rain falls from dark clouds\nRain falls from dark clouds\nRain falls from dark clouds",
        &format!("{COMMA_FREE}\n\nYes.\n\nYes.\n\nYes."),
    ] {
        assert_eq!(graded(&commas, lost), none, "{lost:?}");
    }
    // Code says its lines again with good reason.
    let code = format!("{COMMA_FREE}\n```\nend\nend\nend\n```");
    assert_eq!(graded(&commas, &code), gain);
}

#[test]
fn who_asks_for_less_gets_less() {
    let few = json!([{ "id": "length_constraints:number_words", "kwargs": { "relation": "less than", "num_words": 5 } }]);
    let few = question("Tell me of rain.", &few);
    assert_eq!(
        graded(&few, "Rain fills rivers."),
        (Some(false), Some(true))
    );
    assert_eq!(graded(&few, "no\nno\nno"), (Some(false), Some(false)));
    // The draft was short enough: what is asked for besides is no reason to drop its content.
    let both = json!([
        { "id": "length_constraints:number_words", "kwargs": { "relation": "less than", "num_words": 50 } },
        { "id": "punctuation:no_comma" },
    ]);
    let both = question("Tell me of rain.", &both);
    assert_eq!(graded(&both, "Rain falls."), (Some(false), Some(false)));
    // Another language has other words.
    let german = question(
        "Tell me of rain.",
        &json!([{ "id": "language:response_language", "kwargs": { "language": "de" } }]),
    );
    let said =
        "Der Regen fällt aus den Wolken und füllt die Flüsse, und er ist gut für den Garten.";
    assert_eq!(graded(&german, said), (Some(false), Some(true)));
}

/// A row in which the constraints guard replaced the draft.
fn revised(text: &str) -> Row {
    let said = Said {
        right: None,
        raw: DRAFT.into(),
        text: text.into(),
        guards: vec![entry("constraints", GuardOutcome::Revised)],
    };
    row("1", 1, "form", said)
}

#[test]
fn reports_and_classes_book_what_the_lab_counted_and_say_so() {
    let commas = [question(
        "Tell me of rain.",
        &json!([{ "id": "punctuation:no_comma" }]),
    )];
    for (text, fixed) in [(COMMA_FREE, 1), ("Nice.", 0), ("Nice\nNice\nNice", 0)] {
        let mut rows = vec![revised(text)];
        // What an earlier grading said counts for nothing.
        (rows[0].raw_right, rows[0].right) = (Some(false), Some(true));
        rescore(&mut rows, &commas, &mut NoTools);
        assert_eq!(rows[0].graded.as_deref(), Some(GRADER));
        assert_eq!(validations(&rows)["constraints"].fixed, fixed, "{text}");
        let name = "t".into();
        let tape = Recording { name, rows };
        let found = inventory(&tape, &commas, &Labels::default());
        let report = Report::new(vec![tape], &[], commas.to_vec(), vec![found]);
        assert_eq!(report.checked[0].fixed.len(), fixed);
        let said = "Graded by: 1 turn, requirements, counted by the lab. No guard graded itself.";
        assert!(report.markdown().contains(said), "{}", report.markdown());
    }
    let mut old = revised(COMMA_FREE);
    (old.raw_right, old.right) = (Some(false), Some(true));
    let tape = Recording {
        name: "t".into(),
        rows: vec![old],
    };
    let text = Report::new(vec![tape], &[], Vec::new(), Vec::new()).markdown();
    assert!(text.contains("the tape does not say by what"), "{text}");
    assert!(!text.contains("No guard graded itself"), "{text}");
}

/// The guard decides by `reckon_assistant::check`; who grades it by the same functions asks it how well it did.
#[test]
fn the_grader_has_nothing_of_the_guard_in_it() {
    for source in [
        include_str!("../../src/check.rs"),
        include_str!("../../src/canary.rs"),
        include_str!("../../src/ifeval.rs"),
        include_str!("../../src/requirement.rs"),
        include_str!("../../src/requirement/count.rs"),
        include_str!("../../src/requirement/content.rs"),
        include_str!("../../src/requirement/language.rs"),
    ] {
        for word in ["Compliance", "check::find", ".verify(", "assistant::check"] {
            let uses = |line: &str| line.contains(word) && !line.trim_start().starts_with("//");
            assert!(!source.lines().any(uses), "{word}");
        }
    }
}

#[test]
fn long_and_odd_texts_end_soon() {
    let odd = "a, \u{301}\u{200d}<<>>***[]((.!?\n\n".repeat(20_000);
    let ids = json!([
        { "id": "length_constraints:number_sentences", "kwargs": { "relation": "at least", "num_sentences": 1 } },
        { "id": "detectable_format:title" },
        { "id": "detectable_content:number_placeholders", "kwargs": { "num_placeholders": 1 } },
        { "id": "detectable_format:number_highlighted_sections", "kwargs": { "num_highlights": 1 } },
        { "id": "length_constraints:nth_paragraph_first_word", "kwargs": { "num_paragraphs": 1e9, "nth_paragraph": 1e9, "first_word": "a" } },
        { "id": "keywords:forbidden_words", "kwargs": { "forbidden_words": ["(", "", "\\b"] } },
        { "id": "units:consecutive_letters", "kwargs": { "unit": "word", "letter": "é" } },
        { "id": "language:response_language", "kwargs": { "language": "hi" } },
    ]);
    let all = question(&odd[..1000], &ids);
    assert_eq!(graded(&all, &odd).1, Some(false));
    let prompt = "Use exactly 2 sentences. ".repeat(5_000);
    assert_eq!(holds(&prompt, "One. Two."), Some(true));
}
