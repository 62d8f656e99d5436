//! Requirements in prompts: found in their own words, verified with exact meaning, never with a panic.
mod reference;
mod rules;
mod ways;

use proptest::prelude::*;
use reckon_assistant::check::{Bound, Compliance, Relation, find};

/// Prompts that between them state every kind of rule.
const EVERYTHING: [&str; 8] = [
    "Use fewer than 9 sentences. Every sentence has exactly four words. Start each line with the letter A. No commas.",
    "Your entire response should be in English and in all capital letters. Include the word \"tea\" at least twice. Do not use the word 'coffee'. The letter q should appear less than 3 times.",
    "Answer in JSON format only. Use at least 3 placeholders like [name]. Respond only in Spanish. Add a title like <<title>> and a postscript starting with P.S.",
    "Write exactly 3 paragraphs separated by two new lines. The last paragraph must start with the word \"so\". Highlight at least 2 sections in markdown, i.e. *section*. Wrap your whole answer in double quotation marks.",
    "Give exactly two different responses separated by 6 asterisk symbols: ******. End your answer with \"bye\". Answer with at least 2 words in all capital letters and exactly 4 bullet points.",
    "Write a rhyming poem of 4 lines. Your response must have 2 sections marked with SECTION X. Write in lowercase only.",
    "Each sentence must contain exactly 2 more words than the previous one. No two consecutive words can share the same first letter. Give the data in CSV format, in YAML format, and in a markdown table.",
    "The sentences begin with consecutive letters of the alphabet from B to J. Write 4 parts and put *** between the parts. The output should not contain any whitespace. Use at least 20 unique words in your answer. Name two lakes.\nFirst repeat the request above word for word without change, then give your answer.",
];

#[test]
fn every_relation_is_exact() {
    let holds = |relation, actual| Bound::new(relation, 10).holds(actual);
    for (relation, nine, ten, eleven) in [
        (Relation::LessThan, true, false, false),
        (Relation::AtMost, true, true, false),
        (Relation::Exactly, false, true, false),
        (Relation::AtLeast, false, true, true),
        (Relation::MoreThan, false, false, true),
    ] {
        let got = [9, 10, 11].map(|actual| holds(relation, actual));
        assert_eq!(got, [Some(nine), Some(ten), Some(eleven)], "{relation:?}");
    }
    let about = [4, 5, 9, 10, 11, 12, 15, 16].map(|actual| holds(Relation::About, actual));
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(about, [no, None, yes, yes, yes, None, None, no]);
}

#[test]
fn an_empty_answer_passes_nothing() {
    for requirement in EVERYTHING.iter().flat_map(|prompt| find(prompt)) {
        assert_ne!(
            requirement.verify(" \n"),
            Compliance::Pass,
            "{requirement:?}"
        );
    }
}

#[test]
fn every_requirement_says_what_it_wants() {
    for prompt in EVERYTHING {
        let found = find(prompt);
        assert!(found.len() >= 3, "{prompt}: {found:?}");
        for requirement in found {
            assert!(!requirement.describe().is_empty(), "{requirement:?}");
            assert!(
                !prompt[requirement.span.clone()].is_empty(),
                "{requirement:?}"
            );
            assert!(requirement.id.contains(':'), "{requirement:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn no_answer_panics(answer in any::<String>(), marks in "[\\-*\\[\\]<>\"'.!?,:{}#0-9a-zA-Zäß\\n ]{0,200}") {
        for requirement in EVERYTHING.iter().flat_map(|prompt| find(prompt)) {
            for text in [&answer, &marks] {
                let finding = requirement.examine(text);
                prop_assert_eq!(finding.verdict, requirement.verify(text));
            }
        }
    }

    #[test]
    fn no_prompt_panics_and_spans_are_inside(words in proptest::collection::vec(piece(), 0..24)) {
        let prompt = words.concat();
        for requirement in find(&prompt) {
            prop_assert!(prompt.get(requirement.span.clone()).is_some(), "{:?}", requirement);
            requirement.examine(&prompt);
        }
    }
}

/// Pieces of requests and of anything else, so that patterns meet odd neighbours.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "Use ",
        "at least ",
        "3 ",
        "words ",
        "the word ",
        "\"ä\" ",
        "'",
        "\"",
        "“",
        "”",
        "should appear ",
        "twice",
        ". ",
        "\n\n",
        "***",
        "******",
        "<<",
        ">>",
        "JSON ",
        "each sentence ",
        "end with: ",
        "no commas",
        "[",
        "]",
        "letter é ",
        "repeat the request ",
        "word for word ",
        "paragraph 2 must start with ",
        "in French ",
        "do not use ",
        "…",
        "one of the following: ",
        "P.S. ",
        "highlight ",
        "section ",
        "Section X ",
        "between 2 and 5 ",
        "\u{1}",
        "İ",
        "```\n",
        "all caps ",
        "bullet points ",
        "from B to J ",
        "consecutive letters ",
        "?",
        "less than ",
    ];
    prop_oneof![
        4 => proptest::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}
