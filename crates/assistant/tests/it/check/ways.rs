//! Ways to ask: the examples of every row of the table, and prompts that hold several rows against each other.
use reckon_assistant::check::{examples, find};

fn ids(prompt: &str) -> Vec<String> {
    let mut ids: Vec<String> = find(prompt).into_iter().map(|one| one.id).collect();
    ids.sort();
    ids
}

#[track_caller]
fn found(wanted: &[&str], prompts: &[&str]) {
    for prompt in prompts {
        assert_eq!(ids(prompt), wanted, "{prompt}");
    }
}

#[test]
fn every_row_finds_its_examples_and_leaves_talk_alone() {
    let mut wrong = Vec::new();
    for (id, asks, talks) in examples() {
        for prompt in asks {
            let got = ids(prompt);
            if got != [id] {
                wrong.push(format!("{id}: {got:?} in {prompt:?}"));
            }
        }
        for prompt in talks {
            let got = ids(prompt);
            if got.iter().any(|one| one == id) {
                wrong.push(format!("{id} is not asked for in {prompt:?}"));
            }
        }
        assert!(!talks.is_empty(), "{id} has no prompt that does not ask so");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_between_two_numbers() {
    found(
        &[
            "length_constraints:number_words",
            "length_constraints:number_words",
        ],
        &[
            "Your answer should be between 100 and 150 words long.",
            "Write a letter to a landlord. It should contain 200 to 300 words.",
        ],
    );
}

#[test]
fn counted_words_each() {
    found(
        &["keywords:frequency", "keywords:frequency"],
        &["The words 'sun' and 'rain' should each appear at least twice."],
    );
}

#[test]
fn talk_asks_for_nothing() {
    found(
        &[],
        &[
            "I have 3 sentences here, fix them.",
            "A 500 word essay by John was lost.",
            "How many words are in the bible?",
            "What does the word 'set' mean?",
            "Write a function that takes a string with at least 3 words and returns JSON.",
            "She wrote at least 300 words every day. How many words in a week?",
            "Translate 'good morning' into French.",
            "What language is spoken in Brazil?",
            "Fix the commas in this sentence: I came saw and conquered.",
            "Summarize: \"You must use at least 300 words and no commas in your response to this letter of mine.\"",
            "How do I say 'cheese' in Polish?",
            "Why do people write in all caps?",
            "What is JSON?",
            "Write a python script that reads a JSON file.",
            "Is it true that the letter e is the most used letter?",
            "Who used the word 'robot' first?",
            "The bullet points in my slides look bad. Help.",
            "List 10 facts about ants.",
            "What is the difference between a paragraph and a sentence?",
            "My teacher said the essay must have 5 paragraphs. Is that normal?",
            "Explain the meaning of P.S. in letters.",
            "How can I highlight text in Word?",
            "Write a SQL query that selects at most 10 words.",
            "Tell me the two words for hello in Thai.",
        ],
    );
}
