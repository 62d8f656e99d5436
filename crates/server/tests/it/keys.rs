//! Keys: who has none stays out, and nobody sees what is another's.
use crate::{
    client::{self, Answer},
    house::House,
};
use reckon_server::{Error, Settings};
use reckon_store::{Limits, Store};
use serde_json::{Value, json};
use std::net::TcpListener;

fn house() -> (House, Store) {
    let house = House::with(Settings {
        keys: true,
        ..Settings::default()
    });
    let store = Store::open(house.home.path().join("reckon.db")).unwrap();
    (house, store)
}

fn with(house: &House, key: &str, method: &str, path: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {key}");
    let headers = [("Authorization", bearer.as_str())];
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    client::send(house.address, method, path, &headers, body.as_bytes())
}

#[test]
fn a_key_is_needed_and_can_be_given_in_each_protocols_way() {
    let (house, store) = house();
    let (_, secret) = store.create_key("me", Limits::default()).unwrap();
    assert_eq!(house.get("/v1/models").status, 401);
    assert_eq!(house.get("/healthz").status, 200);
    assert_eq!(house.get("/").status, 200);
    assert_eq!(
        with(&house, "rk-wrong", "GET", "/v1/models", &Value::Null).status,
        401
    );
    assert_eq!(
        with(&house, &secret, "GET", "/v1/models", &Value::Null).status,
        200
    );
    let own = [("x-api-key", secret.as_str())];
    assert_eq!(
        client::send(house.address, "GET", "/v1/models", &own, b"").status,
        200
    );
    store.revoke_key("me").unwrap();
    assert_eq!(
        with(&house, &secret, "GET", "/v1/models", &Value::Null).status,
        401
    );
}

#[test]
fn one_key_does_not_see_the_others_conversations() {
    let (house, store) = house();
    let (_, mine) = store.create_key("me", Limits::default()).unwrap();
    let (_, yours) = store.create_key("you", Limits::default()).unwrap();
    let made = with(
        &house,
        &mine,
        "POST",
        "/reckon/conversations",
        &json!({ "title": "secret" }),
    )
    .json();
    let path = format!("/reckon/conversations/{}", made["id"].as_str().unwrap());
    let asked = with(
        &house,
        &mine,
        "POST",
        &format!("{path}/messages"),
        &json!({ "content": "hush", "options": { "max_tokens": 3 } }),
    )
    .json();
    let answer = asked["answer"]["id"].as_str().unwrap();
    let null = Value::Null;
    assert_eq!(with(&house, &mine, "GET", &path, &null).status, 200);
    for (method, path) in [
        ("GET", path.clone()),
        ("DELETE", path.clone()),
        ("GET", format!("{path}/export")),
        ("GET", format!("/reckon/messages/{answer}")),
        ("GET", format!("/reckon/messages/{answer}/events")),
        ("POST", format!("/reckon/messages/{answer}/stop")),
        ("POST", format!("/reckon/messages/{answer}/retry")),
        ("POST", format!("/reckon/messages/{answer}/replay")),
    ] {
        assert_eq!(
            with(&house, &yours, method, &path, &null).status,
            404,
            "{method} {path}"
        );
    }
    let list = with(
        &house,
        &yours,
        "GET",
        "/reckon/conversations?q=secret",
        &null,
    )
    .json();
    assert_eq!(list["conversations"], json!([]));
}

#[test]
fn a_key_has_limits() {
    let (house, store) = house();
    let limits = Limits {
        requests_per_minute: Some(3),
        tokens_per_day: None,
    };
    let (_, few) = store.create_key("few", limits).unwrap();
    let statuses: Vec<u16> = (0..5)
        .map(|_| with(&house, &few, "GET", "/v1/models", &Value::Null).status)
        .collect();
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    let limits = Limits {
        requests_per_minute: None,
        tokens_per_day: Some(10),
    };
    let (_, little) = store.create_key("little", limits).unwrap();
    let body =
        json!({ "messages": [{ "role": "user", "content": "Say hello." }], "max_tokens": 5 });
    assert_eq!(
        with(&house, &little, "POST", "/v1/chat/completions", &body).status,
        200
    );
    let refused = with(&house, &little, "POST", "/v1/chat/completions", &body);
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
}

#[test]
fn a_server_that_others_can_reach_does_not_start_without_keys() {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let options = crate::house::options(&tempfile::tempdir().unwrap(), Settings::default());
    assert!(matches!(
        reckon_server::start(listener, options),
        Err(Error::Open(_))
    ));
}

#[test]
fn another_keys_file_is_none_in_a_message() {
    let (house, store) = house();
    let (_, ann) = store.create_key("ann", Limits::default()).unwrap();
    let (_, bob) = store.create_key("bob", Limits::default()).unwrap();
    let bearer = format!("Bearer {ann}");
    let fields: [(&str, Option<&str>, &[u8]); 2] = [
        ("purpose", None, b"user_data"),
        ("file", Some("note.txt"), b"The key is under the mat."),
    ];
    let headers = [("Authorization", bearer.as_str())];
    let kept = client::upload(house.address, "/v1/files", &headers, &fields).json();
    let part = json!({ "type": "file", "file": { "file_id": kept["id"] } });
    let body = json!({ "messages": [{ "role": "user", "content": [part] }], "max_tokens": 2 });
    let ask = |key: &str| with(&house, key, "POST", "/v1/chat/completions", &body);
    assert_eq!(ask(&ann).status, 200, "{}", ask(&ann).text());
    assert_eq!(ask(&bob).status, 404, "{}", ask(&bob).text());
}
