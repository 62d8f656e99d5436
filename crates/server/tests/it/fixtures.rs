//! Requests as clients send them, from `tests/clients/fixtures`; `test_fixtures.py` there says what a file has, and plays
//! the same requests against a real model.
use crate::{client, house::House};
use serde_json::Value;
use std::{fs, path::Path};

#[test]
fn what_clients_send_gets_the_fields_that_they_rely_on() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/fixtures");
    let house = House::named("smollm2-135m");
    let mut played = 0;
    for file in fs::read_dir(directory).expect("fixtures") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        let requests: Vec<Value> = serde_json::from_str(&text).expect("JSON");
        for request in &requests {
            let client = path.file_stem().unwrap_or_default().display();
            play(&house, request, &format!("{client}: {}", request["name"]));
            played += 1;
        }
    }
    assert!(played > 80, "only {played} requests");
}

fn play(house: &House, request: &Value, name: &str) {
    let text = |key: &str| request[key].as_str().expect("a text");
    let headers = request["headers"].as_object().into_iter().flatten();
    let headers: Vec<(&str, &str)> = headers
        .map(|(key, value)| (key.as_str(), value.as_str().expect("a header")))
        .collect();
    let body = match &request["body"] {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let answer = client::send(
        house.address,
        text("method"),
        text("path"),
        &headers,
        body.as_bytes(),
    );
    let expect = &request["expect"];
    let said = answer.text();
    assert_eq!(u64::from(answer.status), expect["status"], "{name}: {said}");
    let values = match expect["stream"].as_str() {
        Some("ndjson") => answer.lines(),
        Some(_) => answer.events(),
        None => vec![answer.json()],
    };
    let last = values.last().expect("something");
    for path in paths(&expect["has"]) {
        let lacks = values.iter().find(|value| find(value, path).is_none());
        assert_eq!(lacks, None, "{name}: no {path}");
    }
    for path in paths(&expect["last_has"]) {
        assert!(find(last, path).is_some(), "{name}: no {path} in {last}");
    }
    for (path, wanted) in expect["equals"].as_object().into_iter().flatten() {
        // See below.
        if wanted != "stop" {
            assert_eq!(find(last, path), Some(wanted), "{name}: {path} in {last}");
        }
    }
    let names = answer.names();
    let mut left = names.iter();
    for event in paths(&expect["events"]) {
        // A random model is cut where a real one comes to an end.
        let is_it = |name: &String| {
            name == event || event == "response.completed" && name == "response.incomplete"
        };
        assert!(left.any(is_it), "{name}: no {event} in {names:?}");
    }
}

fn paths(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// What stands at a path of keys and indices; a key that has dots itself is taken as a whole where it is there.
fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let (head, rest) = match path.split_once('.') {
        Some((head, rest)) => (head, Some(rest)),
        None => (path, None),
    };
    let inner = match value {
        Value::Array(list) => list.get(head.parse::<usize>().ok()?)?,
        value => value.get(head)?,
    };
    rest.map_or(Some(inner), |rest| find(inner, rest))
}
