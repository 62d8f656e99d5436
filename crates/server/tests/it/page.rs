//! What the page asks for: answers go on without it, come back whole, and survive a restart.
use crate::{client::Answer, house::House};
use serde_json::{Value, json};
use std::time::Duration;

fn conversation(house: &House) -> String {
    let made = house.post("/reckon/conversations", &json!({}));
    assert_eq!(made.status, 201, "{}", made.text());
    made.json()["id"].as_str().unwrap().to_owned()
}

fn ask(house: &House, conversation: &str, text: &str, most: usize) -> Value {
    let path = format!("/reckon/conversations/{conversation}/messages");
    let asked = house.post(
        &path,
        &json!({ "content": text, "options": { "max_tokens": most } }),
    );
    assert_eq!(asked.status, 202, "{}", asked.text());
    asked.json()["answer"].clone()
}

fn message(house: &House, id: &Value) -> Value {
    house
        .get(&format!("/reckon/messages/{}", id.as_str().unwrap()))
        .json()
}

fn ended(house: &House, id: &Value) -> Value {
    let state = |message: &Value| message["state"].as_str().unwrap().to_owned();
    house.wait(|| !["waiting", "writing"].contains(&state(&message(house, id)).as_str()));
    message(house, id)
}

/// The text that events add up to.
fn text_of(answer: &Answer) -> String {
    let mut text = String::new();
    for (name, value) in answer.names().iter().zip(answer.events()) {
        match name.as_str() {
            "text" => text += value["text"].as_str().unwrap(),
            "revise" => text = value["text"].as_str().unwrap().to_owned(),
            _ => {}
        }
    }
    text
}

#[test]
fn an_answer_goes_on_without_the_page_and_is_replayed_from_any_event() {
    let house = House::saying(
        "one two three four five six seven eight nine ten",
        Duration::from_millis(50),
    );
    let id = ask(&house, &conversation(&house), "Count.", 100)["id"].clone();
    let path = format!("/reckon/messages/{}/events", id.as_str().unwrap());
    let all = house.get(&path);
    assert_eq!(
        text_of(&all),
        "one two three four five six seven eight nine ten"
    );
    assert_eq!(all.names().last().map(String::as_str), Some("done"));
    let count = all.names().len();
    let rest = house.get(&format!("{path}?after={}", count - 2));
    assert_eq!(rest.names().len(), 2, "only what was missed");
    assert_eq!(
        ended(&house, &id)["content"],
        "one two three four five six seven eight nine ten"
    );
}

#[test]
fn stop_continue_retry_and_branches() {
    let text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen";
    let house = House::saying(text, Duration::from_millis(300));
    let conversation = conversation(&house);
    let first = ask(&house, &conversation, "Say hello.", 2000);
    let stop = format!("/reckon/messages/{}/stop", first["id"].as_str().unwrap());
    house.wait(|| message(&house, &first["id"])["state"] == "writing");
    assert_eq!(house.post(&stop, &json!({})).status, 202);
    let stopped = ended(&house, &first["id"]);
    assert_eq!(stopped["state"], "stopped");
    let before = stopped["content"].as_str().unwrap().to_owned();
    assert!(!before.is_empty());
    let path = format!(
        "/reckon/messages/{}/continue",
        first["id"].as_str().unwrap()
    );
    assert_eq!(house.post(&path, &json!({})).status, 202);
    house.wait(|| {
        message(&house, &first["id"])["content"]
            .as_str()
            .unwrap()
            .len()
            > before.len()
    });
    house.post(&stop, &json!({}));
    let continued = ended(&house, &first["id"]);
    assert!(continued["content"].as_str().unwrap().starts_with(&before));
    let path = format!("/reckon/messages/{}/retry", first["id"].as_str().unwrap());
    let second = house
        .post(&path, &json!({ "options": { "max_tokens": 3 } }))
        .json();
    assert_eq!(second["parent"], first["parent"]);
    assert_eq!(ended(&house, &second["id"])["content"], text);
    let all = house
        .get(&format!("/reckon/conversations/{conversation}"))
        .json();
    assert_eq!(all["messages"].as_array().unwrap().len(), 3);
    assert_eq!(all["title"], "Say hello.");
}

#[test]
fn an_answer_that_a_restart_cut_off_is_written_again() {
    let text = "one two three four five six seven eight";
    let house = House::saying(text, Duration::from_millis(400));
    let id = ask(&house, &conversation(&house), "Count.", 300)["id"].clone();
    house.wait(|| message(&house, &id)["state"] == "writing");
    let house = house.restarted();
    let whole = ended(&house, &id);
    assert_eq!(
        (whole["state"].as_str(), whole["content"].as_str()),
        (Some("done"), Some(text))
    );
}

#[test]
fn replay_proves_the_same_bytes() {
    let house = House::saying("17 * 23 is 400.", Duration::ZERO);
    let id = ask(&house, &conversation(&house), "What is 17 * 23?", 50)["id"].clone();
    let answer = ended(&house, &id);
    assert_eq!(answer["mark"]["state"], "corrected", "{answer}");
    assert!(answer["mark"]["text"].as_str().unwrap().contains("391"));
    let path = format!("/reckon/messages/{}/replay", id.as_str().unwrap());
    let replayed = house.post(&path, &json!({})).json();
    assert_eq!(replayed["same"], true, "{replayed}");
}

#[test]
fn conversations_are_found_moved_exported_and_brought_back() {
    let house = House::saying("The zebra sleeps.", Duration::ZERO);
    let id = conversation(&house);
    let answer = ask(&house, &id, "Tell me of animals.", 50);
    ended(&house, &answer["id"]);
    let found = house.get("/reckon/conversations?q=zebra").json();
    assert_eq!(found["conversations"][0]["id"], id.as_str());
    assert!(
        found["conversations"][0]["snippet"]
            .as_str()
            .unwrap()
            .contains('\u{1}')
    );
    let path = format!("/reckon/conversations/{id}");
    let body = json!({ "folder": "zoo" }).to_string();
    let moved = crate::client::send(house.address, "PATCH", &path, &[], body.as_bytes()).json();
    assert_eq!(moved["folder"], "zoo");
    let exported = house.get(&format!("{path}/export")).json();
    assert_eq!(
        crate::client::send(house.address, "DELETE", &path, &[], b"").status,
        204
    );
    assert_eq!(house.get(&path).status, 404);
    let imported = house.post("/reckon/import", &exported);
    assert_eq!(imported.status, 201, "{}", imported.text());
    assert_eq!(
        house.get("/reckon/conversations?folder=zoo").json()["conversations"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn code_runs_in_the_sandbox_and_nothing_else_does() {
    let house = House::tiny();
    let ran = house
        .post(
            "/reckon/run",
            &json!({ "code": "print(6 * 7)", "language": "python" }),
        )
        .json();
    assert_eq!(
        (ran["ok"].as_bool(), ran["stdout"].as_str()),
        (Some(true), Some("42\n")),
        "{ran}"
    );
    let ran = house
        .post("/reckon/run", &json!({ "code": "open('/etc/passwd')" }))
        .json();
    assert_eq!(ran["ok"], false);
    assert_eq!(
        house
            .post("/reckon/run", &json!({ "code": "ls", "language": "sh" }))
            .status,
        400
    );
}

#[test]
fn the_page_comes_with_a_policy_and_from_nowhere_else() {
    let house = House::tiny();
    let page = house.get("/");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    let text = page.text();
    assert!(
        !text.contains("http://") && !text.contains("https://"),
        "{text}"
    );
    let tag = page.header("etag").unwrap().to_owned();
    let again = crate::client::send(house.address, "GET", "/", &[("If-None-Match", &tag)], b"");
    assert_eq!(again.status, 304);
}

#[test]
fn an_attachment_is_kept_with_its_conversation() {
    let house = House::tiny();
    let add = |name: &str, bytes: &[u8]| {
        crate::client::send(
            house.address,
            "POST",
            &format!("/reckon/attachments?name={name}"),
            &[],
            bytes,
        )
    };
    let added = add("list%5B1%5D.txt", b"Bring two loaves.");
    assert_eq!(added.status, 201, "{}", added.text());
    let added = added.json();
    assert_eq!(
        (&added["name"], &added["family"]),
        (&json!("list_1_.txt"), &json!("document"))
    );
    let id = added["id"].as_str().unwrap().to_owned();
    let path = format!("/reckon/attachments/{id}");
    let bytes = house.get(&path);
    assert_eq!(
        (bytes.text().as_str(), bytes.header("content-type")),
        ("Bring two loaves.", Some("application/octet-stream"))
    );
    for (name, bytes) in [("a.bin", &[0, 1, 2, 255][..]), ("empty.txt", b"")] {
        assert_eq!(add(name, bytes).status, 400, "{name}");
    }
    assert!(
        house.get("/v1/files").json()["data"]
            .as_array()
            .unwrap()
            .is_empty(),
        "no file of a batch"
    );

    let thread = conversation(&house);
    let question = format!("What to bring?\n\n[list_1_.txt](attachment:{id})");
    let with = ended(&house, &ask(&house, &thread, &question, 2)["id"]);
    assert_ne!(with["state"], "failed", "{with}");
    let spelled = "list_1_.txt:\n```\nBring two loaves.\n```\n\nWhat to bring?";
    let same = ended(&house, &ask(&house, &thread, spelled, 2)["id"]);
    assert_eq!(
        with["stats"]["prompt"], same["stats"]["prompt"],
        "the model reads the file, not the reference"
    );
    assert!(
        house
            .get(&format!("/reckon/conversations/{thread}"))
            .text()
            .contains(&id)
    );

    // A picture is refused in words that the page shows, and the question stays.
    let png = add("dot.png", b"\x89PNG\r\n\x1a\n....").json();
    let question = format!("[dot.png](attachment:{})", png["id"].as_str().unwrap());
    let failed = ended(&house, &ask(&house, &thread, &question, 2)["id"]);
    assert_eq!(failed["state"], "failed");
    assert!(
        failed["error"].as_str().unwrap().contains("cannot see"),
        "{failed}"
    );

    let gone = crate::client::send(
        house.address,
        "DELETE",
        &format!("/reckon/conversations/{thread}"),
        &[],
        b"",
    );
    assert_eq!(gone.status, 204);
    assert_eq!(
        house.get(&path).status,
        404,
        "it went with its conversation"
    );
    let thread = conversation(&house);
    let question = format!("What to bring?\n[list_1_.txt](attachment:{id})");
    let missing = ended(&house, &ask(&house, &thread, &question, 2)["id"]);
    assert_ne!(
        missing["state"], "failed",
        "the model is told that it is gone: {missing}"
    );
}
