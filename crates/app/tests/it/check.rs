//! `reckon check`: verdicts as lines, as one object and as rows; what is refused and with which code.
use crate::place::Place;
use serde_json::{Value, json};

const PROMPT: &str =
    "Größe zählt. Explain tides in fewer than 6 words. Do not use commas. Write a haiku.";

fn place() -> Place {
    let place = Place::new();
    place.write("p.txt", PROMPT.as_bytes());
    place.write("good.txt", b"The moon pulls the sea.");
    place.write("bad.txt", b"The moon, as we all know, pulls the sea.");
    place
}

#[test]
fn one_line_a_requirement_and_code_1_when_one_fails() {
    let place = place();
    let good = place.reckon(&["check", "--prompt", "p.txt", "--response", "good.txt"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    let verdicts: Vec<_> = good
        .out
        .lines()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(verdicts, ["pass", "pass", "unknown"]);
    let bad = place.reckon(&["check", "--prompt", "p.txt", "--response", "bad.txt"]);
    bad.refused(1, &["2 of 3 requirements do not hold"]);
}

#[test]
fn spans_count_characters() {
    let place = place();
    let ended = place.reckon(&[
        "check",
        "--prompt",
        "p.txt",
        "--response",
        "bad.txt",
        "--json",
    ]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let object: Value = serde_json::from_str(&ended.out).unwrap();
    let constraints = object["constraints"].as_array().unwrap();
    let verdicts: Vec<_> = constraints
        .iter()
        .map(|one| one["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["fail", "fail", "unknown"]);
    let characters: Vec<char> = PROMPT.chars().collect();
    for one in constraints {
        let at = |index: usize| one["span"][index].as_u64().unwrap() as usize;
        let text: String = characters[at(0)..at(1)].iter().collect();
        assert_eq!(one["text"], json!(text));
    }
    assert_eq!(constraints[0]["id"], "length_constraints:number_words");
    assert_eq!(constraints[1]["id"], "punctuation:no_comma");
}

#[test]
fn rows_give_one_object_each_in_order() {
    let place = place();
    let rows = [
        json!({"key": 7, "prompt": "Answer in one word.", "response": "Paris"}),
        json!({"id": "b", "prompt": "Hello", "response": "Hi"}),
    ];
    let text: String = rows.iter().map(|row| format!("{row}\n\n")).collect();
    place.write("rows.jsonl", text.as_bytes());
    let ended = place.reckon(&["check", "--jsonl", "rows.jsonl"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let objects: Vec<Value> = ended
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects.len(), 2);
    assert_eq!(
        (&objects[0]["key"], &objects[0]["constraints"][0]["verdict"]),
        (&json!(7), &json!("pass"))
    );
    assert_eq!(objects[1], json!({"id": "b", "constraints": []}));
}

#[test]
fn bad_input_is_refused_in_one_line() {
    let place = place();
    place.write("long.txt", &vec![b'a'; (1 << 20) + 1]);
    place.write("latin.txt", b"\xff\xfe");
    place.write("broken.jsonl", b"{\"prompt\": \"a\"}\n");
    place.write("nul.txt", b"Use no commas.\0");
    let check =
        |prompt, response| place.reckon(&["check", "--prompt", prompt, "--response", response]);
    check("long.txt", "good.txt").refused(4, &["long.txt is longer than"]);
    check("p.txt", "long.txt").refused(4, &["long.txt is longer than"]);
    check("p.txt", "latin.txt").refused(4, &["not UTF-8"]);
    check("p.txt", "absent.txt").refused(4, &["cannot read absent.txt"]);
    check("nul.txt", "good.txt").refused(4, &["nul.txt has a NUL byte"]);
    place
        .reckon(&["check", "--jsonl", "broken.jsonl"])
        .refused(4, &["row 1", "response", "(hint: "]);
    place
        .reckon(&["check", "--prompt", "p.txt"])
        .refused(2, &["--response"]);
    place.reckon(&["check"]).refused(2, &["--prompt"]);
}
