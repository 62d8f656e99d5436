//! What of an answer stands.
use crate::library;
use reckon_recall::{Library, Settled};

const PAGES: [&str; 2] = [
    "Annual report\n\nThe harbour has 12 cranes and 3 tugs. It was built in 1904 by Ane Holm. \
     Fishing boats pay no fee.\n\nTable 1. Ships by year\nYear | Ships | Tonnes\n2021 | 1,310 | 20.5\n2022 | 1,422 | 23.0\n",
    "The lighthouse is painted white. It is open on Sundays from 10 to 16. Visitors need no ticket, \
     but the stairs are steep and narrow.",
];

fn settle(question: &str, answer: &str) -> Settled {
    let library = library(&PAGES);
    library.settle(question, answer, &library.whole()).unwrap()
}

/// Every quotation is on its page: spaces aside, which the page breaks lines with.
fn is_there(library: &Library, settled: &Settled) {
    for quote in &settled.quotes {
        let pages = &library.documents()[0].pages;
        let page = pages
            .iter()
            .find(|page| Some(page.number) == quote.page)
            .expect("a page");
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = quote.text.trim_end_matches('…');
        assert!(plain(&page.text).contains(&plain(text)), "{quote}");
    }
}

#[test]
fn an_answer_ends_with_the_sentence_that_it_rests_on() {
    for (question, answer, quote, page) in [
        (
            "How many cranes are there?",
            "There are 12 cranes.",
            "The harbour has 12 cranes and 3 tugs.",
            1,
        ),
        (
            "Who built the harbour?",
            "Ane Holm",
            "It was built in 1904 by Ane Holm.",
            1,
        ),
        (
            "When is the lighthouse open?",
            "On Sundays, 10–16.",
            "It is open on Sundays from 10 to 16.",
            2,
        ),
        (
            "How many ships came in 2022?",
            "1422 ships",
            "2022 | 1,422 | 23.0",
            1,
        ),
        (
            "How many tonnes in 2022?",
            "23 tonnes [1]",
            "2022 | 1,422 | 23.0",
            1,
        ),
        (
            "Do fishing boats pay a fee?",
            "No, fishing boats pay no fee.",
            "Fishing boats pay no fee.",
            1,
        ),
    ] {
        let settled = settle(question, answer);
        assert!(settled.why.is_none(), "{question}: {settled:?}");
        assert_eq!(settled.quotes[0].text, quote, "{question}");
        assert_eq!(settled.quotes[0].page, Some(page), "{question}");
        is_there(&library(&PAGES), &settled);
        let line = format!("“{quote}” — report.pdf, page {page}");
        assert!(settled.text.contains(&line), "{}", settled.text);
        assert!(!settled.text.contains("[1]"), "{}", settled.text);
    }
}

#[test]
fn what_is_not_there_is_not_found() {
    for (question, answer) in [
        ("How many cranes are there?", "There are 14 cranes."),
        (
            "Who painted the lighthouse?",
            "It was painted by Edvard Munch.",
        ),
        ("Who is the mayor?", "The mayor is Ane Holm."),
        (
            "How deep is the harbour?",
            "The text does not mention how deep it is.",
        ),
        ("How deep is the harbour?", "not found"),
        (
            "How high is the lighthouse?",
            "The lighthouse is 45 metres high.",
        ),
        ("How many ships came in 2023?", "1,500 ships came in 2023."),
    ] {
        let settled = settle(question, answer);
        assert_eq!(
            settled.text, "not found in report.pdf",
            "{question} {answer}"
        );
        assert!(settled.quotes.is_empty() && settled.why.is_some());
    }
}

#[test]
fn an_invented_quotation_is_taken_out_and_said_to_be() {
    let settled = settle(
        "How many cranes are there?",
        "There are 12 cranes: “The harbour boasts a dozen mighty cranes.” It also says \"The harbour has 12  cranes\".",
    );
    assert_eq!(
        settled.removed,
        ["The harbour boasts a dozen mighty cranes."]
    );
    assert!(!settled.text.contains("boasts"), "{}", settled.text);
    assert!(
        settled.text.contains("\"The harbour has 12  cranes\""),
        "a true one stays"
    );
    assert!(
        settled
            .text
            .contains("[a quotation that is not in report.pdf was removed]")
    );
    // A term in marks is no quotation, and code has marks of its own.
    let settled = settle(
        "How many cranes are there?",
        "12 \"big\" cranes: `\"12 cranes 3 tugs harbour\"`",
    );
    let expected = "12 big cranes: `\"12 cranes 3 tugs harbour\"`";
    assert!(settled.text.starts_with(expected), "{}", settled.text);
}

#[test]
fn a_page_that_the_model_names_is_left_out() {
    for named in [
        "— report.pdf, page 2",
        "(report.pdf, page 9)",
        "- report.pdf",
    ] {
        let answer = format!("There are 12: “The harbour has 12 cranes” {named}.");
        let settled = settle("How many cranes are there?", &answer);
        let expected = "There are 12: “The harbour has 12 cranes”.\n\n\
                        “The harbour has 12 cranes and 3 tugs.” — report.pdf, page 1";
        assert_eq!(settled.text, expected, "{named}");
    }
}

#[test]
fn words_of_the_question_may_be_quoted() {
    let settled = settle(
        "What does “cranes in the harbour” mean: how many?",
        "“cranes in the harbour” are 12.",
    );
    assert!(
        settled.text.contains("“cranes in the harbour”"),
        "{}",
        settled.text
    );
}

#[test]
fn only_what_was_shown_is_quoted() {
    let library = library(&PAGES);
    let mut shown = library.search("lighthouse stairs steep").unwrap();
    shown.passages.truncate(1);
    let settled = library
        .settle("How many cranes are there?", "There are 12 cranes.", &shown)
        .unwrap();
    assert!(settled.why.is_some());
}
