//! `reckon guard`: the contract of its output, packs good and bad, and input that is none.
use crate::place::Place;
use serde_json::Value;
use std::fs;

pub(crate) const PACK: &str = r#"
class = "shout"
summary = "Cuts a shout."
action = "strip"
[trigger]
response = ['^HEY!+\s*$']
[[triggered]]
response = "hello\nhey!"
[[triggered]]
response = "HEY!!\nhello"
[[control]]
response = "they said hey! to me"
[[control]]
response = "hello"
"#;

fn json(out: &str) -> Value {
    serde_json::from_str(out.trim()).unwrap_or_else(|error| panic!("{error}: {out}"))
}

fn guards<'a>(row: &'a Value, list: &str) -> Vec<&'a str> {
    let list = row[list].as_array().unwrap();
    list.iter()
        .map(|one| one["guard"].as_str().unwrap())
        .collect()
}

#[test]
fn a_scan_says_what_fires_and_what_is_left() {
    let place = Place::new();
    place.write("p", "Act as a pirate: what is 3 + 4?".as_bytes());
    place.write("r", "Ähem. As an AI, I cannot be a pirate.".as_bytes());
    let ended = place.reckon(&[
        "guard",
        "scan",
        "--prompt",
        "p",
        "--response",
        "r",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let row = json(&ended.out);
    assert_eq!(guards(&row, "fired"), ["persona"]);
    assert_eq!(guards(&row, "looked"), ["arithmetic", "persona"]);
    let leak = &row["fired"][0];
    assert_eq!(leak["span"], serde_json::json!([6, 14]), "characters");
    assert_eq!(leak["evidence"], "As an AI");
    assert_eq!(leak["acts"], true);
    assert_eq!(row["text"], "Ähem. As an AI, I cannot be a pirate.");

    let alone = place.reckon(&["guard", "scan", "--response", "r", "--json"]);
    assert_eq!(
        json(&alone.out)["fired"][0]["acts"],
        false,
        "nobody asked for a persona"
    );
    let lines = place.reckon(&["guard", "scan", "--prompt", "p", "--response", "r"]);
    assert!(
        lines.out.contains("fired  persona: \"As an AI\""),
        "{lines:?}"
    );
}

#[test]
fn rows_come_out_in_order_with_their_ids() {
    let place = Place::new();
    let rows = concat!(
        "{\"id\": 7, \"prompt\": \"Why?\", \"response\": \"Because.\"}\n",
        "\n",
        "{\"id\": \"b\", \"response\": \"The total is 44.\\n\\nWait, that's wrong. With 4 sides of 12, 4 * 12 = 48. The total is 48.\"}\n",
        "{\"output\": \"no id, no prompt\", \"other\": 1}",
    );
    place.write("rows", rows.as_bytes());
    let ended = place.reckon(&["guard", "scan", "--jsonl", "rows", "--json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let rows: Vec<Value> = ended.out.lines().map(json).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (&rows[0]["id"], &rows[1]["id"]),
        (&Value::from(7), &Value::from("b"))
    );
    assert_eq!(rows[0]["fired"], serde_json::json!([]));
    assert_eq!(
        rows[1]["text"],
        "With 4 sides of 12, 4 * 12 = 48. The total is 48."
    );
    assert_eq!(guards(&rows[1], "fired"), ["correction"]);
    assert_eq!(rows[2]["text"], "no id, no prompt");
    assert!(rows[2].get("id").is_none());
}

#[test]
fn packs_are_listed_explained_and_used() {
    let place = Place::new();
    let guards = place.home().join("guards");
    fs::create_dir_all(&guards).unwrap();
    fs::write(guards.join("a.toml"), PACK).unwrap();
    fs::write(guards.join("b.toml"), "class = 3").unwrap();
    fs::write(
        guards.join("c.toml"),
        PACK.replace("they said hey! to me", "HEY!"),
    )
    .unwrap();
    let listed = place.reckon(&["guard", "list"]);
    assert_eq!(listed.code, Some(0));
    for name in [
        "arithmetic",
        "logic",
        "constraints",
        "persona",
        "correction",
        "qualifier",
        "counting",
        "shout",
    ] {
        assert!(
            listed.out.lines().any(|line| line.starts_with(name)),
            "{name}: {}",
            listed.out
        );
    }
    assert_eq!(listed.err.lines().count(), 2, "{}", listed.err);
    assert!(
        listed.err.contains("b.toml is left out: "),
        "{}",
        listed.err
    );
    let all = json(&place.reckon(&["guard", "list", "--json"]).out);
    assert_eq!(
        (
            all["guards"].as_array().unwrap().len(),
            all["packs"].as_array().unwrap().len()
        ),
        (7, 1)
    );
    assert!(
        place
            .reckon(&["guard", "explain", "shout"])
            .out
            .contains("strip")
    );
    let explained = place.reckon(&["guard", "explain", "persona"]);
    for part in ["trigger", "action", "accepts", "costs", "figures"] {
        assert!(explained.out.contains(part), "{part}");
    }
    for broken in ["b.toml", "c.toml"] {
        fs::remove_file(guards.join(broken)).unwrap();
    }
    place
        .reckon(&["guard", "explain", "nobody"])
        .refused(2, &["nobody", "guard list"]);
    place.write("r", b"good day\nHEY!");
    let row = json(
        &place
            .reckon(&["guard", "scan", "--response", "r", "--json"])
            .out,
    );
    assert_eq!(
        (row["text"].as_str(), row["fired"][0]["guard"].as_str()),
        (Some("good day"), Some("shout"))
    );
}

#[test]
fn a_pack_that_fires_on_its_controls_is_refused() {
    let place = Place::new();
    place.write("good.toml", PACK.as_bytes());
    let good = place.reckon(&["guard", "test", "good.toml"]);
    assert_eq!(good.code, Some(0), "{good:?}");
    assert_eq!(
        json(&place.reckon(&["guard", "test", "good.toml", "--json"]).out)["ok"],
        true
    );
    place.write(
        "bad.toml",
        PACK.replace("they said hey! to me", "HEY!").as_bytes(),
    );
    let bad = place.reckon(&["guard", "test", "bad.toml"]);
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert!(
        bad.out.contains("control 1: fires on \"HEY!\""),
        "{}",
        bad.out
    );
    place.write(
        "missing.toml",
        PACK.replace("hello\\nhey!", "hello").as_bytes(),
    );
    let missing = place.reckon(&["guard", "test", "missing.toml", "--json"]);
    assert_eq!(
        (missing.code, &json(&missing.out)["ok"]),
        (Some(1), &Value::from(false))
    );
    place.write(
        "strange.toml",
        PACK.replace("[trigger]", "colour = 1\n[trigger]")
            .as_bytes(),
    );
    place
        .reckon(&["guard", "test", "strange.toml"])
        .refused(4, &["strange.toml", "line 5", "colour"]);
    place
        .reckon(&["guard", "test", "nowhere.toml"])
        .refused(4, &["nowhere.toml"]);
}

#[test]
fn what_is_no_text_is_refused() {
    let place = Place::new();
    place.write("bytes", b"\xff\xfe\x00");
    place.write("rows", b"{\"response\": \"a\"}\n{\"response\": 3}\n");
    place.write("nul", b"a\x00b");
    place
        .reckon(&["guard", "scan", "--response", "bytes"])
        .refused(4, &["bytes", "UTF-8"]);
    place
        .reckon(&["guard", "scan", "--response", "nowhere"])
        .refused(4, &["nowhere"]);
    let rows = place.reckon(&["guard", "scan", "--jsonl", "rows", "--json"]);
    assert_eq!(rows.code, Some(4));
    assert_eq!(rows.out.lines().count(), 1, "the row before is printed");
    assert!(rows.err.contains("line 2"), "{}", rows.err);
    assert_eq!(place.reckon(&["guard", "scan"]).code, Some(2));
    place
        .reckon(&["guard", "scan", "--response", "nul"])
        .refused(4, &["nul has a NUL byte"]);
}
