//! Questions about documents: the way each message takes, and that every quotation is on its page.
//!
//! `../documents.jsonl` has forty questions over the shared PDFs. Thirty have an answer there, with a key that its
//! quotation must contain; ten have none, with an answer that a model might make up.
use crate::script::scripted;
use reckon::{AttachedFile, Documents, Event, Model, Room, assistant::GuardOutcome};
use std::{fmt::Write as _, ops::ControlFlow, path::PathBuf};

const RULES: &str = "Harbour rules\n\nThe harbour has 12 cranes and 3 tugs. Fishing boats pay no fee. \
    Dogs must be kept on a lead. The office is open from 9 to 17.\n";

fn file(name: &str, text: &str) -> AttachedFile {
    AttachedFile::read(name, text.as_bytes().to_vec(), None).expect("read")
}

fn documents(model: &Model, name: &str, text: &str) -> Documents {
    Documents::read(&[file(name, text)], model)
        .expect("read")
        .documents
}

/// Text of thirty thousand words with one sentence that matters.
fn long() -> String {
    let mut text = String::new();
    for n in 0..3_000 {
        writeln!(
            text,
            "Paragraph {n} speaks of nothing in particular, and at length.\n"
        )
        .expect("a string");
        if n == 2_000 {
            text.push_str("The lighthouse was painted white in 1904.\n\n");
        }
    }
    text
}

#[test]
fn a_question_is_answered_with_a_quotation() {
    let (model, asked) = scripted(4000, &["There are 12 cranes."]);
    let documents = documents(&model, "rules.txt", RULES);
    let mut chat = model.chat();
    let prepared = chat
        .prepare(&documents, "How many cranes are there?")
        .expect("prepared");
    assert!(!prepared.is_direct() && prepared.may_revise());
    let mut heard = String::new();
    let reply = chat
        .ask_prepared(&documents, &prepared, |event| {
            if let Event::Text(text) = event {
                heard.push_str(text);
            }
        })
        .expect("an answer");
    let expected = "There are 12 cranes.\n\n“The harbour has 12 cranes and 3 tugs.” — rules.txt";
    assert_eq!((reply.text.as_str(), heard.as_str()), (expected, expected));
    let prompt = asked.lock().expect("alone")[0][0].content.clone();
    assert!(
        prompt.starts_with("[1] rules.txt\n```\nHarbour rules"),
        "{prompt}"
    );
    assert!(
        prompt.ends_with("Question: How many cranes are there?"),
        "{prompt}"
    );
    let cited = &reply.receipt.documents[0];
    assert_eq!((cited.file.as_str(), cited.page), ("rules.txt", None));
    assert_eq!(cited.quotes, ["The harbour has 12 cranes and 3 tugs."]);
    assert_eq!(reply.receipt.guards[0].outcome, GuardOutcome::Confirmed);
    assert!(
        reply
            .receipt
            .to_string()
            .contains("shown: rules.txt (1 passage)")
    );
    assert_eq!(chat.conversation().last().expect("kept").answer, expected);
    assert_eq!(prepared.kept(), "How many cranes are there?\n\n[rules.txt]");
}

#[test]
fn what_is_not_there_is_not_found_and_the_raw_answer_is_in_the_receipt() {
    let (model, _) = scripted(4000, &["There are 19 cranes."]);
    let documents = documents(&model, "rules.txt", RULES);
    let mut chat = model.chat();
    let prepared = chat
        .prepare(&documents, "How many cranes are there?")
        .expect("prepared");
    let mut revised = None;
    let reply = chat.ask_prepared(&documents, &prepared, |event| {
        if let Event::Revise { guard, text } = event {
            revised = Some(format!("{guard}: {text}"));
        }
    });
    let reply = reply.expect("an answer");
    assert_eq!(reply.text, "not found in rules.txt");
    assert_eq!(revised.as_deref(), Some("quotes: not found in rules.txt"));
    assert_eq!(reply.receipt.raw.as_deref(), Some("There are 19 cranes."));
    assert_eq!(reply.receipt.guards[0].outcome, GuardOutcome::Revised);
}

#[test]
fn a_long_document_is_asked_by_passages_and_a_foreign_question_not_at_all() {
    let (model, asked) = scripted(2000, &["In 1904."]);
    let documents = documents(&model, "long.txt", &long());
    let mut chat = model.chat();
    let question = "When was the lighthouse painted white?";
    let prepared = chat.prepare(&documents, question).expect("prepared");
    let reply = chat
        .ask_prepared(&documents, &prepared, |_| ())
        .expect("an answer");
    assert!(
        reply
            .text
            .ends_with("“The lighthouse was painted white in 1904.” — long.txt"),
        "{}",
        reply.text
    );
    let prepared = chat
        .prepare(&documents, "Wer hat den Leuchtturm gestrichen?")
        .expect("prepared");
    let reply = chat
        .ask_prepared(&documents, &prepared, |_| ())
        .expect("an answer");
    assert_eq!(reply.text, "not found in long.txt");
    assert_eq!(asked.lock().expect("alone").len(), 1, "no model was asked");
}

#[test]
fn a_later_question_is_answered_from_the_same_documents() {
    let (model, asked) = scripted(4000, &["There are 12 cranes.", "They pay no fee.", "Oslo."]);
    let documents = documents(&model, "rules.txt", RULES);
    let mut chat = model.chat();
    let prepared = chat
        .prepare(&documents, "How many cranes are there?")
        .expect("prepared");
    chat.ask_prepared(&documents, &prepared, |_| ())
        .expect("an answer");
    let later = chat
        .prepare_later(&documents, "What fee do fishing boats pay?")
        .expect("prepared");
    let later = later.expect("it is about them");
    assert!(
        !later.prompt().contains("tugs"),
        "the text stands there already"
    );
    let reply = chat
        .ask_prepared(&documents, &later, |_| ())
        .expect("an answer");
    assert!(
        reply
            .text
            .ends_with("“Fishing boats pay no fee.” — rules.txt"),
        "{}",
        reply.text
    );
    assert_eq!(asked.lock().expect("alone")[1].len(), 3);
    let other = chat
        .prepare_later(&documents, "What is the capital of Norway?")
        .expect("prepared");
    assert!(other.is_none());
}

#[test]
fn work_and_source_code_are_asked_as_they_are() {
    let (model, asked) = scripted(4000, &["done"]);
    for (name, message) in [
        ("rules.txt", "Translate this into French."),
        ("rules.txt", "What does this say?"),
        ("main.rs", "What does this function return?"),
        ("data.csv", "Which row is the largest?"),
    ] {
        let documents = documents(&model, name, RULES);
        let mut chat = model.chat();
        let prepared = chat.prepare(&documents, message).expect("prepared");
        assert!(prepared.is_direct(), "{message}");
        let reply = chat
            .ask_prepared(&documents, &prepared, |_| ())
            .expect("an answer");
        assert_eq!(reply.text, "done");
    }
    let asked = asked.lock().expect("alone");
    assert!(
        asked[0][0]
            .content
            .starts_with("rules.txt:\n```\nHarbour rules")
    );
    assert!(
        asked[0][0]
            .content
            .ends_with("\n\nTranslate this into French.")
    );
}

#[test]
fn a_summary_of_what_is_too_long_is_made_part_by_part() {
    let (model, asked) = scripted(4000, &["A note."]);
    let documents = documents(&model, "long.txt", &long());
    let mut chat = model.chat();
    let prepared = chat
        .prepare(&documents, "Summarise this in two sentences.")
        .expect("prepared");
    let mut heard = Vec::new();
    let reply = chat.ask_prepared(&documents, &prepared, |event| {
        if let Event::Part { part, parts } = event {
            heard.push((part, parts));
        }
    });
    assert_eq!(reply.expect("an answer").text, "A note.");
    heard.dedup();
    let (_, parts) = heard[0];
    assert!(parts > 5, "{parts}");
    assert_eq!(
        heard,
        (1..=parts).map(|part| (part, parts)).collect::<Vec<_>>()
    );
    let asked = asked.lock().expect("alone");
    assert_eq!(asked.len(), parts + 1);
    let all: String = asked[..parts]
        .iter()
        .map(|one| one[0].content.as_str())
        .collect();
    for n in [0, 1_500, 2_999] {
        assert_eq!(
            all.matches(&format!("Paragraph {n} ")).count(),
            1,
            "nothing is left out"
        );
    }
    let last = &asked[parts][0].content;
    assert!(
        last.starts_with("Notes on the parts of long.txt, in order:\n\nA note.\n\nA note."),
        "{last}"
    );
    assert!(last.ends_with("Summarise this in two sentences."));
}

#[test]
fn a_summary_can_be_stopped_and_has_a_bound() {
    let (model, asked) = scripted(4000, &["A note."]);
    let documents = documents(&model, "long.txt", &long());
    let mut chat = model.chat();
    let prepared = chat
        .prepare(&documents, "Summarise this.")
        .expect("prepared");
    let reply = chat.ask_prepared(&documents, &prepared, |event| match event {
        Event::Part { part: 3, .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let reply = reply.expect("nothing");
    assert!(reply.stopped && reply.text.is_empty());
    assert_eq!(asked.lock().expect("alone").len(), 2);
    assert!(chat.conversation().is_empty());
    let huge = self::documents(&model, "huge.txt", &long().repeat(6));
    let error = chat
        .prepare(&huge, "Summarise this.")
        .expect_err("too many parts");
    let line = error.to_string();
    assert!(
        line.starts_with("huge.txt makes ") && line.contains("at most 64"),
        "{line}"
    );
}

struct Question {
    file: String,
    question: String,
    answer: String,
    key: Option<String>,
}

fn questions() -> Vec<Question> {
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().map(str::to_owned);
    let row = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        Question {
            file: text(&row, "file").expect("a file"),
            question: text(&row, "question").expect("a question"),
            answer: text(&row, "answer").expect("an answer"),
            key: text(&row, "key"),
        }
    };
    include_str!("../documents.jsonl")
        .lines()
        .map(row)
        .collect()
}

fn shared() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/documents");
    if folder.exists() {
        return Some(folder);
    }
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        b"SKIPPED: questions over real documents need ../shared/data/documents beside the project\n",
    );
    None
}

fn pdf(folder: &std::path::Path, name: &str) -> AttachedFile {
    let bytes = std::fs::read(folder.join(name)).expect("a file");
    AttachedFile::read(name, bytes, None).expect("read")
}

/// The right document among all of them, in a thousand words.
#[test]
fn forty_questions_find_their_page() {
    let Some(folder) = shared() else { return };
    let (model, _) = scripted(4000, &["-"]);
    let mut names: Vec<String> = questions().into_iter().map(|one| one.file).collect();
    names.extend([
        "text_minimal.pdf".to_owned(),
        "table_multiple.pdf".to_owned(),
    ]);
    names.sort();
    names.dedup();
    let files: Vec<AttachedFile> = names.iter().map(|name| pdf(&folder, name)).collect();
    let documents = Documents::read(&files, &model).expect("read").documents;
    let count = |text: &str| Ok(text.split_whitespace().count());
    let room = Room {
        tokens: 1_000,
        count: &count,
    };
    let answered = questions().into_iter().filter(|one| one.key.is_some());
    let missed: Vec<String> = answered
        .filter(|one| {
            let prepared = documents.prepare(&one.question, room).expect("prepared");
            !prepared
                .prompt()
                .contains(&format!("] {}, page ", one.file))
        })
        .map(|one| one.question)
        .collect();
    // One question's words are so common in another document that a reader of the text would look there, too.
    assert!(missed.len() <= 1, "{missed:#?}");
}

/// Right answers get a quotation with the right words, made-up ones none.
#[test]
fn forty_answers_are_quoted_or_not_found() {
    let Some(folder) = shared() else { return };
    let (mut unquoted, mut invented) = (Vec::new(), Vec::new());
    for one in questions() {
        let (model, _) = scripted(4000, &[&one.answer]);
        let documents = Documents::read(&[pdf(&folder, &one.file)], &model)
            .expect("read")
            .documents;
        let mut chat = model.chat();
        let prepared = chat.prepare(&documents, &one.question).expect("prepared");
        let reply = chat
            .ask_prepared(&documents, &prepared, |_| ())
            .expect("an answer");
        let quotes: Vec<&String> = reply
            .receipt
            .documents
            .iter()
            .flat_map(|one| &one.quotes)
            .collect();
        let is_right = match &one.key {
            Some(key) => quotes.iter().any(|quote| quote.contains(key.as_str())),
            None => quotes.is_empty() && reply.text == format!("not found in {}", one.file),
        };
        if !is_right {
            let line = format!("{} {} → {}", one.question, one.answer, reply.text);
            match one.key {
                Some(_) => unquoted.push(line),
                None => invented.push(line),
            }
        }
    }
    assert!(invented.is_empty(), "{invented:#?}");
    // A right answer may go without a quotation; that is a loss, not a lie.
    assert!(unquoted.len() <= 2, "{unquoted:#?}");
}
