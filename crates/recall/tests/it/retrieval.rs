//! Which passages are found.
use crate::library;
use reckon_recall::{Document, Error, Library, Page};

/// Three hundred pages of filler, each with one fact of its own.
fn long() -> Vec<String> {
    let filler = "The committee met again and spoke at length about the usual matters of the day. "
        .repeat(30);
    let page = |n: usize| {
        format!(
            "{filler}\n\nThe harbour of Port{n} has {} cranes. {filler}",
            1_000 + n
        )
    };
    (1..=300).map(page).collect()
}

#[test]
fn the_right_page_of_a_long_document_is_found_first() {
    let pages = long();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let library = library(&pages);
    for n in [1, 42, 150, 299] {
        let shown = library
            .search(&format!(
                "How many cranes does the harbour of Port{n} have?"
            ))
            .unwrap();
        let mut best = shown.clone();
        best.passages.truncate(1);
        assert_eq!(
            library.places(&best),
            [("report.pdf".to_owned(), Some(n), 1)]
        );
        let prompt = library.prompt("How many?", &best);
        assert!(
            prompt.starts_with(&format!("[1] report.pdf, page {n}\n```\n")),
            "{prompt}"
        );
        assert!(prompt.contains(&format!("has {} cranes", 1_000 + n)));
    }
}

#[test]
fn a_question_without_a_common_word_finds_nothing() {
    let library = library(&["Dogs are welcome."]);
    assert!(
        library
            .search("Wieviel kostet das Parken?")
            .unwrap()
            .passages
            .is_empty()
    );
    assert!(library.search("").unwrap().passages.is_empty());
    assert!(library.search("\" OR * NEAR(").unwrap().passages.is_empty());
}

#[test]
fn a_later_question_is_known_by_its_words() {
    let library = library(&[
        "The harbour has 12 cranes.",
        "Dogs are welcome in all offices.",
    ]);
    let relevance = |question: &str| {
        library
            .relevance(question, &library.search(question).unwrap())
            .unwrap()
    };
    assert!(relevance("How many cranes are in the harbour?") > 0.9);
    assert!(relevance("What is the capital of Norway?") < 0.1);
}

#[test]
fn what_was_shown_is_not_shown_again() {
    let library = library(&[
        "The harbour has 12 cranes.",
        "Dogs are welcome in all offices.",
    ]);
    let shown = library.search("cranes dogs").unwrap();
    assert_eq!(shown.passages.len(), 2);
    let missing = library.missing(&shown, "before: The harbour has 12 cranes. after");
    assert_eq!(
        library.places(&missing),
        [("report.pdf".to_owned(), Some(2), 1)]
    );
}

#[test]
fn parts_have_every_word_once_and_are_bounded() {
    let pages = long();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let library = library(&pages);
    let parts = library.parts(6_000);
    assert!(parts.iter().all(|part| part.len() <= 6_000));
    let all = parts.concat();
    for n in 1..=300 {
        assert_eq!(all.matches(&format!("Port{n} ")).count(), 1, "page {n}");
    }
}

#[test]
fn fences_inside_a_page_do_not_end_it() {
    let library = library(&["Code:\n````\nlet harbour = 1;\n````"]);
    assert!(
        library
            .prompt("Why?", &library.whole())
            .contains("\n`````\nCode:")
    );
}

#[test]
fn too_much_text_and_odd_text_are_no_panic() {
    let page = |text: String| Document {
        name: "x".into(),
        pages: vec![Page { number: 1, text }],
        is_paged: false,
    };
    let error = Library::new(vec![page("x".repeat((64 << 20) + 1))]).unwrap_err();
    assert!(matches!(error, Error::TooLong { .. }), "{error}");
    for text in [
        "",
        "\u{0}\u{1}",
        "| | |\n| |",
        "é\u{301}…\n-\n-\n",
        "1. 2. 3. ",
        "\u{ad}\u{ad}- \n\n-\na",
        "。。。！",
    ] {
        let library = Library::new(vec![page(text.repeat(50))]).unwrap();
        let shown = library.whole();
        library
            .settle("What is 1?", &format!("“{text}” 1 {text}"), &shown)
            .unwrap();
        library.parts(10);
    }
}
