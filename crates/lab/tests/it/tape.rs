//! Files as people and kills leave them.
use reckon_lab::{Expected, Row, Tape, read_lines, read_questions};
use std::{fs, path::PathBuf};

fn file(text: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("f.jsonl");
    fs::write(&path, text).expect("written");
    (dir, path)
}

fn row(id: &str) -> Row {
    Row {
        id: id.into(),
        raw: "a".into(),
        text: "b".into(),
        raw_right: Some(false),
        right: None,
        guards: Vec::new(),
        tokens: 1,
        ms: 2,
    }
}

#[test]
fn a_tape_resumes_after_its_last_whole_row() {
    let (_dir, path) = file(b"");
    let mut tape = Tape::open(&path).expect("opened");
    tape.add(row("one")).expect("written");
    tape.add(row("two")).expect("written");
    drop(tape);
    let whole = fs::read(&path).expect("read");
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).expect("written");
        let mut tape = Tape::open(&path).expect("a cut tape opens");
        for id in ["one", "two"] {
            if !tape.has(id) {
                tape.add(row(id)).expect("written");
            }
        }
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
    assert_eq!(found[0].expected, Some(Expected::Number(1007.0)));
    assert_eq!(found[1].is_right("It is a dog."), Some(true));
    assert_eq!(found[2].prompt, "C.\n\nWhich?\nOptions:\nA) x\nB) y");
    assert_eq!(found[2].is_right("B) y"), Some(false));
    assert_eq!(found[3].is_right("No."), Some(true));
    assert_eq!(found[4].is_right("hi"), None);
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
