//! Inputs as people and strangers write them.
use proptest::prelude::*;
use reckon_batch::{Error, Queue, Refused, Submitted};
use std::io::{BufReader, Read};

pub(crate) fn queue() -> (tempfile::TempDir, Queue) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.db");
    let queue = Queue::open(&format!("sqlite:{}", path.display())).unwrap();
    (folder, queue)
}

fn read(input: &[u8]) -> (Submitted, Vec<Refused>) {
    let (_folder, queue) = queue();
    let submitted = queue.submit(None, input).unwrap();
    let refused = queue.refused(&submitted.batch, 0, 100).unwrap();
    (submitted, refused)
}

#[test]
fn bad_lines_cost_only_themselves() {
    let long = format!("{{\"id\":\"{}\",\"prompt\":\"p\"}}", "x".repeat(600));
    let deep = format!(
        "{{\"id\":1,\"prompt\":\"p\",\"more\":{}}}",
        "[".repeat(100_000)
    );
    let cases: &[(&str, &str)] = &[
        ("{\"id\":1,\"prompt\":", "not JSON, column 17"),
        ("\"text\"", "not a JSON object"),
        ("{\"prompt\":\"p\"}", "no id"),
        ("{\"id\":\"\",\"prompt\":\"p\"}", "an empty id"),
        (
            "{\"id\":1.5,\"prompt\":\"p\"}",
            "an id is a string or an integer",
        ),
        (
            "{\"id\":null,\"prompt\":\"p\"}",
            "an id is a string or an integer",
        ),
        (&long, "an id of more than 512 bytes"),
        ("{\"id\":1}", "no prompt and no messages"),
        ("{\"id\":1,\"prompt\":\" \"}", "an empty prompt"),
        ("{\"id\":1,\"messages\":[]}", "no messages"),
        (
            "{\"id\":1,\"messages\":[{\"content\":\"x\"}]}",
            "a message has no role",
        ),
        (
            "{\"id\":1,\"prompt\":\"p\",\"messages\":[{\"role\":\"user\"}]}",
            "both prompt and messages",
        ),
        (
            "{\"id\":1,\"prompt\":\"p\",\"max_tokens\":0}",
            "max_tokens is 0",
        ),
        (
            "{\"id\":1,\"prompt\":\"p\",\"temperature\":-1}",
            "temperature is not between 0 and 100",
        ),
        (
            "{\"id\":1,\"prompt\":\"p\",\"schema\":\"s\"}",
            "schema is not a JSON schema",
        ),
        ("{\"custom_id\":\"a\",\"body\":{}}", "no url"),
        (
            "{\"custom_id\":\"a\",\"url\":\"http://x\",\"body\":{}}",
            "url is not a path such as /v1/chat/completions",
        ),
        ("{\"custom_id\":\"a\",\"url\":\"/v1/x\"}", "no body"),
        (
            "{\"custom_id\":\"a\",\"url\":\"/v1/x\",\"method\":\"GET\",\"body\":{}}",
            "method is not POST",
        ),
        (&deep, "not JSON, column 155"),
    ];
    let mut input = String::from("{\"id\":\"first\",\"prompt\":\"p\"}\n\n");
    for (line, _) in cases {
        input += &format!("{line}\n");
    }
    input += "{\"id\":\"last\",\"prompt\":\"p\"}";
    let (submitted, refused) = read(input.as_bytes());
    assert_eq!((submitted.rows, submitted.refused), (2, cases.len() as u64));
    for (i, (line, reason)) in cases.iter().enumerate() {
        assert_eq!(refused[i].line, i as u64 + 3);
        assert_eq!(
            refused[i].reason,
            *reason,
            "{}",
            &line[..line.len().min(80)]
        );
    }
    let types =
        read(b"{\"id\":1,\"prompt\":7}\n{\"id\":2,\"prompt\":\"p\",\"max_tokens\":\"many\"}\n").1;
    assert!(types[0].reason.contains("expected a string"), "{types:?}");
    assert!(types[1].reason.contains("expected u32"), "{types:?}");
}

#[test]
fn an_id_comes_once() {
    let input = "{\"id\":\"a\",\"prompt\":\"p\",\"seed\":1}\n\
                 {\"seed\":1,\"prompt\":\"p\",\"id\":\"a\"}\n\
                 {\"id\":\"a\",\"prompt\":\"other\"}\n\
                 {\"id\":7,\"prompt\":\"p\"}\n\
                 {\"id\":\"7\",\"prompt\":\"p\"}\n";
    let (submitted, refused) = read(input.as_bytes());
    assert_eq!(
        (submitted.rows, submitted.repeated, submitted.refused),
        (3, 1, 1)
    );
    assert_eq!(refused[0].line, 3);
    assert_eq!(
        refused[0].reason,
        "id \"a\" is also on line 1, with other content"
    );
    assert_eq!(
        submitted.copies, 1,
        "7 and \"7\" are two ids that ask the same"
    );
}

#[test]
fn openai_rows_are_read() {
    let input = "{\"custom_id\":\"r1\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"model\":\"m\",\"messages\":[]}}\r\n\
                 {\"custom_id\":\"r2\",\"method\":\"POST\",\"url\":\"/v1/embeddings\",\"body\":{\"model\":\"m\",\"messages\":[]}}\r\n";
    let (submitted, refused) = read(input.as_bytes());
    assert_eq!((submitted.rows, submitted.copies, refused.len()), (2, 0, 0));
}

#[test]
fn marks_of_editors_and_other_bytes() {
    let mut input = b"\xef\xbb\xbf{\"id\":1,\"prompt\":\"p\"}\r\n".to_vec();
    input
        .extend(b"\xff\xfe\n{\"id\":2,\"prompt\":\"\xff\"}\n{\"id\":3,\"prompt\":\"a\\u0000b\"}\n");
    let (submitted, refused) = read(&input);
    assert_eq!(submitted.rows, 2);
    assert_eq!(
        refused
            .iter()
            .map(|refused| refused.line)
            .collect::<Vec<_>>(),
        [2, 3]
    );
}

#[test]
fn a_line_of_a_quarter_of_a_gigabyte_is_one_bad_line() {
    // Never in memory as a whole: this reader makes it up.
    let endless = std::io::repeat(b'x').take(1 << 28);
    let input = endless.chain(&b"\n{\"id\":1,\"prompt\":\"p\"}\n"[..]);
    let (_folder, queue) = queue();
    let submitted = queue
        .submit(None, BufReader::with_capacity(1 << 20, input))
        .unwrap();
    assert_eq!((submitted.rows, submitted.refused), (1, 1));
    let refused = queue.refused(&submitted.batch, 0, 9).unwrap();
    assert_eq!(
        refused,
        [Refused {
            line: 1,
            reason: "longer than 8 MiB".into()
        }]
    );
}

#[test]
fn a_file_that_is_something_else_is_refused_early() {
    let (_folder, queue) = queue();
    let input = "no row\n".repeat(20_000);
    let error = queue.submit(None, input.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "more than 10000 lines are no rows: is this the right file?"
    );
}

#[test]
fn the_same_name_finds_the_same_batch_and_another_input_is_noticed() {
    let (_folder, queue) = queue();
    let input = "{\"id\":1,\"prompt\":\"p\"}\n";
    let first = queue.submit(Some("n"), input.as_bytes()).unwrap();
    let second = queue.submit(Some("n"), input.as_bytes()).unwrap();
    assert_eq!((first.resumed, second.resumed), (false, true));
    assert_eq!(first.batch, second.batch);
    let changed = queue.submit(Some("n"), &b"{\"id\":1,\"prompt\":\"q\"}\n"[..]);
    assert!(matches!(changed, Err(Error::Changed(_))), "{changed:?}");
    queue.delete("n").unwrap();
    assert!(matches!(queue.batch(&first.batch), Err(Error::NoBatch(_))));
    assert!(
        !queue
            .submit(Some("n"), &b"{\"id\":1,\"prompt\":\"q\"}\n"[..])
            .unwrap()
            .resumed
    );
}

#[test]
fn what_is_no_queue_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(
        &path,
        "my notes, which are long enough to be a header of something. ".repeat(20),
    )
    .unwrap();
    let before = std::fs::read(&path).unwrap();
    let opened = Queue::open(&format!("sqlite:{}", path.display()));
    assert!(matches!(opened, Err(Error::NotAQueue(_))), "{opened:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    for address in ["", "mysql://x", "queue.db"] {
        assert!(
            matches!(Queue::open(address), Err(Error::Invalid(_))),
            "{address}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every line that is not blank is a row, repeated or refused; none is lost, and nothing panics.
    #[test]
    fn any_bytes_are_counted(input in prop::collection::vec(prop_oneof![
        "[ -~]{0,12}",
        "\\{\"id\":[0-9],\"prompt\":\"[ab]\"\\}",
        "\\{\"id\":\"[ab]\",\"messages\":\\[[^\n]{0,5}\\]\\}",
    ], 0..40)) {
        let lines = input.iter().filter(|line| !line.trim_ascii().is_empty()).count() as u64;
        let (submitted, _) = read(input.join("\n").as_bytes());
        prop_assert_eq!(submitted.rows + submitted.repeated + submitted.refused, lines);
    }
}
