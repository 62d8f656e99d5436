//! Files and batches: answered to the end, across restarts, and seen by their owner only.
use crate::{
    client::{Answer, send, upload},
    house::House,
};
use reckon_server::Settings;
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Whoever asks, with a key or without.
struct Asker<'a> {
    house: &'a House,
    key: Option<&'a str>,
}

impl Asker<'_> {
    fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        let bearer = self.key.map(|key| format!("Bearer {key}"));
        let headers: Vec<(&str, &str)> = bearer
            .iter()
            .map(|key| ("Authorization", key.as_str()))
            .collect();
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        send(self.house.address, method, path, &headers, body.as_bytes())
    }

    fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &Value::Null)
    }

    fn upload(&self, rows: &str) -> String {
        let bearer = self.key.map(|key| format!("Bearer {key}"));
        let headers: Vec<(&str, &str)> = bearer
            .iter()
            .map(|key| ("Authorization", key.as_str()))
            .collect();
        let fields: [(&str, Option<&str>, &[u8]); 2] = [
            ("purpose", None, b"batch"),
            ("file", Some("rows.jsonl"), rows.as_bytes()),
        ];
        let answer = upload(self.house.address, "/v1/files", &headers, &fields);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let file = answer.json();
        assert_eq!(
            (&file["object"], &file["bytes"]),
            (&json!("file"), &json!(rows.len()))
        );
        file["id"].as_str().expect("an id").to_owned()
    }

    fn create(&self, rows: &str, endpoint: &str) -> String {
        let file = self.upload(rows);
        let body = json!({ "input_file_id": file, "endpoint": endpoint, "completion_window": "24h", "metadata": { "job": "night" } });
        let answer = self.call("POST", "/v1/batches", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        let batch = answer.json();
        assert_eq!(
            (&batch["object"], &batch["metadata"]["job"]),
            (&json!("batch"), &json!("night"))
        );
        batch["id"].as_str().expect("an id").to_owned()
    }

    fn batch(&self, id: &str) -> Value {
        self.get(&format!("/v1/batches/{id}")).json()
    }

    fn ended(&self, id: &str) -> Value {
        let is_over = |batch: &Value| {
            let status = batch["status"].as_str().expect("a status");
            ["completed", "failed", "cancelled"].contains(&status)
        };
        self.house.wait(|| is_over(&self.batch(id)));
        self.batch(id)
    }

    /// The rows of a file by their ids; each is there once.
    fn rows(&self, file: &Value) -> BTreeMap<String, Value> {
        let id = file.as_str().expect("a file");
        let text = self.get(&format!("/v1/files/{id}/content")).text();
        let rows = text.lines().map(|line| {
            let row: Value = serde_json::from_str(line).expect("JSON");
            (row["custom_id"].as_str().expect("an id").to_owned(), row)
        });
        let rows: Vec<_> = rows.collect();
        let by_id: BTreeMap<String, Value> = rows.iter().cloned().collect();
        assert_eq!(by_id.len(), rows.len(), "a row is there twice: {text}");
        by_id
    }
}

fn row(id: &str, url: &str, body: &Value) -> String {
    json!({ "custom_id": id, "method": "POST", "url": url, "body": body }).to_string() + "\n"
}

const CHAT: &str = "/v1/chat/completions";

fn chat(words: &str) -> Value {
    json!({ "model": "tiny", "messages": [{ "role": "user", "content": words }], "max_tokens": 4, "temperature": 0 })
}

/// Without guards, which would have their own questions to a model that always says the same.
fn plain(words: &str) -> Value {
    let mut body = chat(words);
    body["reckon"] = json!({ "guards": false });
    body
}

#[test]
fn a_batch_says_what_the_call_says() {
    let house = House::tiny();
    let asker = Asker {
        house: &house,
        key: None,
    };
    let mut hot = chat("Hi");
    hot["temperature"] = 1000.into();
    let mut streamed = chat("Hi");
    streamed["stream"] = true.into();
    let rows = [
        row("a", CHAT, &chat("Say hello.")),
        row("b", CHAT, &chat("Say hello.")),
        row("c", CHAT, &chat("Count to three.")),
        row("hot", CHAT, &hot),
        row("streamed", CHAT, &streamed),
        row("elsewhere", "/v1/embeddings", &chat("Hi")),
        row(
            "absent",
            CHAT,
            &json!({ "model": "gpt-4o", "messages": [{ "role": "user", "content": "Hi" }] }),
        ),
    ];
    let id = asker.create(&rows.concat(), CHAT);
    let batch = asker.ended(&id);
    assert_eq!(batch["status"], "completed", "{batch}");
    assert_eq!(
        batch["request_counts"],
        json!({ "total": 7, "completed": 3, "failed": 4 })
    );
    let answers = asker.rows(&batch["output_file_id"]);
    for (id, words) in [
        ("a", "Say hello."),
        ("b", "Say hello."),
        ("c", "Count to three."),
    ] {
        let response = &answers[id]["response"];
        assert_eq!(response["status_code"], 200);
        let said = asker.call("POST", CHAT, &chat(words)).json();
        assert_eq!(response["body"]["choices"], said["choices"]);
        assert_eq!(
            response["body"]["reckon"]["receipt"]["model"]["name"],
            "tiny"
        );
        assert!(answers[id]["error"].is_null());
    }
    let errors = asker.rows(&batch["error_file_id"]);
    for (id, word) in [
        ("hot", "temperature"),
        ("streamed", "stream"),
        ("elsewhere", CHAT),
        ("absent", "gpt-4o"),
    ] {
        let message = errors[id]["error"]["message"].as_str().expect("words");
        assert!(message.contains(word), "{message}");
    }
    let listed = asker.get("/v1/batches?limit=5").json();
    assert_eq!(
        (&listed["data"][0]["id"], &listed["has_more"]),
        (&json!(id), &json!(false))
    );
    let files = asker.get("/v1/files").json();
    assert_eq!(files["data"].as_array().expect("files").len(), 3);
    let files = asker.get("/v1/files?purpose=batch_output&limit=1").json();
    assert_eq!(files["has_more"], true);
    let output = batch["output_file_id"].as_str().expect("a file");
    let deleted = asker.call("DELETE", &format!("/v1/files/{output}"), &Value::Null);
    assert_eq!(deleted.json()["deleted"], true);
    assert_eq!(
        asker.get(&format!("/v1/files/{output}/content")).status,
        404
    );
}

#[test]
fn rows_may_be_for_the_other_calls_too() {
    let house = House::tiny();
    let asker = Asker {
        house: &house,
        key: None,
    };
    let text =
        json!({ "model": "tiny", "prompt": ["One", "Two"], "max_tokens": 2, "temperature": 0 });
    let first = asker.create(&row("t", "/v1/completions", &text), "/v1/completions");
    let input =
        json!({ "model": "tiny", "input": "Say hello.", "max_output_tokens": 3, "temperature": 0 });
    let second = asker.create(&row("r", "/v1/responses", &input), "/v1/responses");
    let rows = asker.rows(&asker.ended(&first)["output_file_id"]);
    let choices = rows["t"]["response"]["body"]["choices"]
        .as_array()
        .expect("choices");
    assert_eq!(choices.len(), 2);
    let rows = asker.rows(&asker.ended(&second)["output_file_id"]);
    assert_eq!(rows["r"]["response"]["body"]["object"], "response");
}

#[test]
fn batches_that_are_made_while_the_first_one_starts_all_end_with_answers() {
    let house = House::saying("yes", Duration::ZERO);
    let asker = Asker {
        house: &house,
        key: None,
    };
    // The thread that answers rows starts with the first, and looks for files that nobody has read.
    let made: Vec<String> = (0..6)
        .map(|i| asker.create(&row("one", CHAT, &plain(&format!("Question {i}"))), CHAT))
        .collect();
    for id in made {
        let batch = asker.ended(&id);
        assert_eq!(batch["request_counts"]["completed"], 1, "{batch}");
    }
}

#[test]
fn a_batch_goes_on_after_a_restart_and_answers_each_row_once() {
    let house = House::saying("one two three four", Duration::from_millis(60));
    let rows: String = (0..16)
        .map(|i| row(&format!("row {i}"), CHAT, &plain(&format!("Question {i}"))))
        .collect();
    let id = {
        let asker = Asker {
            house: &house,
            key: None,
        };
        let id = asker.create(&rows, CHAT);
        let done = |batch: &Value| batch["request_counts"]["completed"].as_u64().unwrap_or(0);
        house.wait(|| done(&asker.batch(&id)) >= 3);
        assert_eq!(asker.batch(&id)["status"], "in_progress");
        id
    };
    let house = house.restarted();
    let asker = Asker {
        house: &house,
        key: None,
    };
    let batch = asker.ended(&id);
    assert_eq!(
        batch["request_counts"],
        json!({ "total": 16, "completed": 16, "failed": 0 }),
        "{batch}"
    );
    let rows = asker.rows(&batch["output_file_id"]);
    assert_eq!(rows.len(), 16);
    for row in rows.values() {
        assert_eq!(
            row["response"]["body"]["choices"][0]["message"]["content"],
            "one two three four"
        );
    }
}

#[test]
fn a_cancelled_batch_keeps_what_was_answered() {
    let house = House::saying("one two three four", Duration::from_millis(60));
    let asker = Asker {
        house: &house,
        key: None,
    };
    let rows: String = (0..60)
        .map(|i| row(&format!("row {i}"), CHAT, &plain(&format!("Question {i}"))))
        .collect();
    let id = asker.create(&rows, CHAT);
    let done = |batch: &Value| batch["request_counts"]["completed"].as_u64().unwrap_or(0);
    house.wait(|| done(&asker.batch(&id)) >= 2);
    let cancelled = asker.call("POST", &format!("/v1/batches/{id}/cancel"), &Value::Null);
    assert_eq!(
        (cancelled.status, &cancelled.json()["status"]),
        (200, &json!("cancelling"))
    );
    let batch = asker.ended(&id);
    assert_eq!(batch["status"], "cancelled");
    let completed = done(&batch);
    assert!((2..60).contains(&completed), "{batch}");
    assert_eq!(asker.rows(&batch["output_file_id"]).len() as u64, completed);
    let again = asker.call("POST", &format!("/v1/batches/{id}/cancel"), &Value::Null);
    assert_eq!(again.status, 400, "{}", again.text());
}

#[test]
fn what_is_no_batch_is_refused_in_words() {
    let house = House::tiny();
    let asker = Asker {
        house: &house,
        key: None,
    };
    let rows = row("a", CHAT, &chat("Hi")) + "not JSON\n" + &row("b", CHAT, &chat("Hi"));
    let batch = asker.ended(&asker.create(&rows, CHAT));
    assert_eq!(
        (&batch["status"], &batch["errors"]["data"][0]["line"]),
        (&json!("failed"), &json!(2))
    );
    let batch = asker.ended(&asker.create("\n\n", CHAT));
    assert_eq!(batch["status"], "failed", "no rows");
    let file = asker.upload(&rows);
    let body = |file: &str, endpoint: &str, window: &str| json!({ "input_file_id": file, "endpoint": endpoint, "completion_window": window });
    for (param, body, status) in [
        ("endpoint", body(&file, "/v1/embeddings", "24h"), 400),
        ("completion_window", body(&file, CHAT, "1h"), 400),
        (
            "input_file_id",
            body("file-000000000000000000000000", CHAT, "24h"),
            404,
        ),
        ("input_file_id", body("../../reckon", CHAT, "24h"), 404),
    ] {
        let answer = asker.call("POST", "/v1/batches", &body);
        assert_eq!(answer.status, status, "{}", answer.text());
        assert_eq!(answer.json()["error"]["param"], param);
    }
    let fields: [(&str, Option<&str>, &[u8]); 2] =
        [("purpose", None, b"fine-tune"), ("file", Some("a"), b"x")];
    let answer = upload(house.address, "/v1/files", &[], &fields);
    assert_eq!(
        (answer.status, &answer.json()["error"]["param"]),
        (400, &json!("purpose"))
    );
    for path in [
        "/v1/files/x",
        "/v1/batches/x",
        "/v1/files/%2e%2e%2freckon.db/content",
    ] {
        assert_eq!(asker.get(path).status, 404, "{path}");
    }
}

#[test]
fn another_key_sees_nothing_of_it() {
    let (ann, bob) = ("ann-has-a-secret-of-her-own", "bob-has-a-secret-of-his-own");
    let settings = Settings {
        keys: true,
        secrets: vec![ann.into(), bob.into()],
        ..Settings::default()
    };
    let home = tempfile::tempdir().expect("a directory");
    let house = House::at(
        home,
        settings,
        Arc::new(|options, path| options.threads(2).open(path)),
    );
    let (ann, bob) = (
        Asker {
            house: &house,
            key: Some(ann),
        },
        Asker {
            house: &house,
            key: Some(bob),
        },
    );
    let id = ann.create(&row("a", CHAT, &chat("Hi")), CHAT);
    let batch = ann.ended(&id);
    let (input, output) = (
        batch["input_file_id"].as_str().unwrap(),
        batch["output_file_id"].as_str().unwrap(),
    );
    for path in [
        format!("/v1/batches/{id}"),
        format!("/v1/files/{input}"),
        format!("/v1/files/{output}"),
        format!("/v1/files/{output}/content"),
    ] {
        assert_eq!(
            (ann.get(&path).status, bob.get(&path).status),
            (200, 404),
            "{path}"
        );
    }
    for path in ["/v1/files", "/v1/batches"] {
        assert_eq!(bob.get(path).json()["data"], json!([]));
    }
    assert_eq!(
        bob.call("POST", &format!("/v1/batches/{id}/cancel"), &Value::Null)
            .status,
        404
    );
    assert_eq!(
        bob.call("DELETE", &format!("/v1/files/{output}"), &Value::Null)
            .status,
        404
    );
    let body = json!({ "input_file_id": input, "endpoint": CHAT, "completion_window": "24h" });
    assert_eq!(
        bob.call("POST", "/v1/batches", &body).status,
        404,
        "nor uses it"
    );
    assert_eq!(
        send(house.address, "GET", "/v1/files", &[], b"").status,
        401
    );
}
