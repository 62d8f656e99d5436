//! What is too much, too slow or broken is refused in one clear line, and never logged.
use crate::{client, house::House};
use reckon_server::Settings;
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

fn hello() -> Value {
    json!([{ "role": "user", "content": "Say hello." }])
}

#[test]
fn a_prompt_over_the_context_is_refused_with_its_tokens_or_trimmed_if_asked() {
    let house = House::tiny();
    let long = json!([{ "role": "user", "content": "word ".repeat(20_000) }]);
    let answer = house.post("/v1/chat/completions", &json!({ "messages": long }));
    assert_eq!(answer.status, 400);
    let error = answer.json()["error"].clone();
    assert_eq!(error["code"], "context_length_exceeded");
    assert!(
        error["message"].as_str().unwrap().contains("tokens"),
        "{error}"
    );
    let many: Vec<Value> = (0..300).map(|i| json!({ "role": if i % 2 == 0 { "user" } else { "assistant" }, "content": "word ".repeat(30) })).chain([hello()[0].clone()]).collect();
    assert_eq!(
        house
            .post("/v1/chat/completions", &json!({ "messages": many }))
            .status,
        400
    );
    let body = json!({ "messages": many, "max_tokens": 2, "reckon": { "trim": true } });
    let said = house.post("/v1/chat/completions", &body).json();
    assert!(
        said["reckon"]["notes"].to_string().contains("left out"),
        "{said}"
    );
}

#[test]
fn the_queue_is_bounded_and_says_when_to_come_back() {
    let settings = Settings {
        parallel: 1,
        queue: 1,
        ..Settings::default()
    };
    let house = House::with(settings);
    let body = json!({ "messages": hello(), "max_tokens": 400 });
    let answers: Vec<client::Answer> = thread::scope(|scope| {
        let asks: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| house.post("/v1/chat/completions", &body)))
            .collect();
        asks.into_iter().map(|ask| ask.join().unwrap()).collect()
    });
    let refused: Vec<&client::Answer> = answers
        .iter()
        .filter(|answer| answer.status == 429)
        .collect();
    assert!(!refused.is_empty() && refused.len() < 6, "{answers:?}");
    for answer in refused {
        assert!(
            answer
                .header("retry-after")
                .unwrap()
                .parse::<u64>()
                .unwrap()
                >= 1
        );
    }
}

#[test]
fn broken_requests_get_the_right_status_and_one_line() {
    let house = House::tiny();
    let send = |path: &str, body: &[u8]| client::send(house.address, "POST", path, &[], body);
    for path in [
        "/v1/chat/completions",
        "/api/chat",
        "/v1/messages",
        "/v1/responses",
        "/tokenize",
    ] {
        for body in [
            &b"{"[..],
            b"[]",
            b"null",
            b"\xff\xfe",
            b"{\"messages\": \"\xff\"}",
            b"",
        ] {
            let answer = send(path, body);
            assert_eq!(answer.status, 400, "{path} {body:?}");
            assert!(answer.json()["error"].is_object() || answer.json()["error"].is_string());
        }
        let deep = format!("{{\"messages\": {}", "[".repeat(100_000));
        assert_eq!(send(path, deep.as_bytes()).status, 400);
    }
    assert_eq!(house.get("/nowhere").status, 404);
    assert_eq!(house.get("/v1/chat/completions").status, 405);
    let large = vec![b' '; 17 << 20];
    assert_eq!(send("/v1/chat/completions", &large).status, 413);
}

#[test]
fn only_this_machine_by_its_own_name_and_only_our_own_page() {
    let house = House::tiny();
    let with = |headers: &[(&str, &str)]| {
        client::send(house.address, "GET", "/v1/models", headers, b"").status
    };
    let own = house.address.to_string();
    assert_eq!(with(&[("Host", &own)]), 200);
    assert_eq!(with(&[("Host", "localhost:1")]), 200);
    assert_eq!(with(&[("Host", "evil.example")]), 403);
    assert_eq!(with(&[("Host", "127.0.0.1.evil.example")]), 403);
    assert_eq!(
        with(&[("Host", &own), ("Origin", "http://evil.example")]),
        403
    );
    assert_eq!(with(&[("Host", &own), ("Origin", "null")]), 403);
    assert_eq!(
        with(&[("Host", &own), ("Origin", &format!("http://{own}"))]),
        200
    );
    let answer = house.get("/v1/models");
    assert!(answer.header("access-control-allow-origin").is_none());
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[test]
fn who_trickles_headers_is_let_go() {
    let house = House::tiny();
    let mut stream = TcpStream::connect(house.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(40)))
        .unwrap();
    stream
        .write_all(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        .unwrap();
    let begin = Instant::now();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(begin.elapsed() < Duration::from_secs(30));
}
