//! Files as people and kills leave them.
use reckon::assistant::NoTools;
use reckon_lab::{Receipt, Row, Tape, Usage, read_lines, read_questions, read_tape};
use std::{fs, path::PathBuf};

fn file(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f.jsonl");
    fs::write(&path, text).expect("written");
    (dir, path)
}

fn row(id: &str, turn: usize) -> Row {
    Row {
        id: id.into(),
        turn,
        category: None,
        raw: "a".into(),
        text: "b".into(),
        raw_right: Some(false),
        right: None,
        graded: None,
        finish: "stop".into(),
        usage: Usage::default(),
        ms: 2,
        receipt: Receipt::default(),
    }
}

#[test]
fn a_tape_resumes_after_its_last_whole_row() {
    let (_dir, path) = file(b"");
    let mut tape = Tape::open(&path).expect("opened");
    let turns = [("one", 1), ("two", 1), ("one", 2)];
    for (id, turn) in turns {
        tape.add(row(id, turn)).expect("written");
    }
    drop(tape);
    let whole = fs::read(&path).expect("read");
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).expect("written");
        let mut tape = Tape::open(&path).expect("a cut tape opens");
        for (id, turn) in turns {
            if tape.said(id).len() < turn {
                tape.add(row(id, turn)).expect("written");
            }
        }
        drop(tape);
        assert_eq!(fs::read(&path).expect("read"), whole, "cut at {cut}");
    }
}

#[test]
fn lines_are_read_as_they_come() {
    let (_dir, path) = file(b"\xef\xbb\xbf{\"a\":1}\r\n\r\n{\"a\":2}\n{\"a\":");
    let lines = read_lines(&path).expect("read");
    let numbers: Vec<usize> = lines.iter().map(|line| line.number).collect();
    assert_eq!(numbers, [1, 3]);
    let (_dir, path) = file(b"{\"a\":1}\n{oops}\n{}\n");
    let error = read_lines(&path).expect_err("refused").to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn questions_of_every_shape() {
    let (_dir, path) = file(
        br###"{"id":"g","question":"How many?","answer":"9 - 2 = 7\n#### 1,007"}
{"question_id":5,"input":"Who?\nOptions:\n(A) the cat\n(B) a dog","target":"(B)"}
{"context":"C.","question":"Which?","options":["A) x","B) y"],"answer":"A"}
{"input":"Does it?","target":"No"}
{"prompt":"Say hi."}
"###,
    );
    let found = read_questions(&path).expect("read");
    let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["g", "5", "line-3", "line-4", "line-5"]);
    let right = |at: usize, text: &str| found[at].is_right(1, text, &mut NoTools);
    assert_eq!(right(0, "It is 1,007."), Some(true));
    assert_eq!(right(1, "It is a dog."), Some(true));
    assert_eq!(found[2].turns, ["C.\n\nWhich?\nOptions:\nA) x\nB) y"]);
    assert_eq!(right(2, "B) y"), Some(false));
    assert_eq!(right(3, "No."), Some(true));
    assert_eq!(right(4, "hi"), None);
}

#[test]
fn two_questions_of_one_id_are_refused() {
    let (_dir, path) = file(b"{\"id\":1,\"prompt\":\"a\"}\n{\"id\":\"1\",\"prompt\":\"b\"}\n");
    let error = read_questions(&path).expect_err("refused").to_string();
    assert!(
        error.contains("line 2") && error.contains("twice"),
        "{error}"
    );
}

#[test]
fn a_turn_that_is_there_twice_is_refused() {
    let line = serde_json::to_string(&row("one", 1)).expect("plain data");
    let (_dir, path) = file(format!("{line}\n\n{line}\n").as_bytes());
    for error in [
        read_tape(&path).map(drop).expect_err("refused"),
        Tape::open(&path).map(drop).expect_err("refused"),
    ] {
        let error = error.to_string();
        assert!(
            error.contains("line 3") && error.contains("twice"),
            "{error}"
        );
    }
}

#[test]
fn a_tape_has_one_writer() {
    let (_dir, path) = file(b"");
    let _tape = Tape::open(&path).expect("opened");
    let error = Tape::open(&path).expect_err("refused").to_string();
    assert!(error.contains("another process"), "{error}");
}
