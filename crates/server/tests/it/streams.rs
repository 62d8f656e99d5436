//! Answers that come bit by bit: the same text as whole ones, pings, and ends.
use crate::{client, house::House};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

fn hello() -> Value {
    json!([{ "role": "user", "content": "Say hello." }])
}

#[test]
fn a_stream_says_what_a_whole_answer_says_in_every_protocol() {
    let house = House::tiny();
    let body = |stream: bool| json!({ "model": "tiny", "messages": hello(), "max_tokens": 12, "temperature": 0, "stream": stream, "stream_options": { "include_usage": true } });
    let whole = house.post("/v1/chat/completions", &body(false)).json();
    let text = whole["choices"][0]["message"]["content"].as_str().unwrap();
    let stream = house.post("/v1/chat/completions", &body(true));
    assert!(stream.text().ends_with("data: [DONE]\n\n"));
    let events = stream.events();
    let said: String = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(said, text);
    let last = events.last().unwrap();
    assert_eq!(
        (
            last["usage"]["completion_tokens"].as_u64(),
            &last["choices"]
        ),
        (Some(12), &json!([]))
    );
    assert!(
        events
            .iter()
            .any(|event| event["reckon"]["receipt"].is_object())
    );

    let events = house.post("/v1/messages", &body(true));
    let names = events.names();
    assert_eq!(names.first().map(String::as_str), Some("message_start"));
    assert_eq!(names.last().map(String::as_str), Some("message_stop"));
    let said: String = events
        .events()
        .iter()
        .filter_map(|event| event["delta"]["text"].as_str())
        .collect();
    assert_eq!(said, text);

    let options = json!({ "num_predict": 12, "temperature": 0 });
    let lines = house
        .post(
            "/api/chat",
            &json!({ "model": "tiny", "messages": hello(), "options": options }),
        )
        .lines();
    let said: String = lines
        .iter()
        .filter_map(|line| line["message"]["content"].as_str())
        .collect();
    assert_eq!(said, text);
    assert!(
        lines
            .iter()
            .all(|line| line["message"]["role"] == "assistant" && line["created_at"].is_string())
    );
    assert_eq!(lines.last().unwrap()["done_reason"], "length");

    let body = json!({ "model": "tiny", "input": [{ "role": "user", "content": "Say hello." }], "max_output_tokens": 12, "temperature": 0, "stream": true });
    let events = house.post("/v1/responses", &body);
    let said: String = events
        .events()
        .iter()
        .filter(|event| event["type"] == "response.output_text.delta")
        .filter_map(|event| event["delta"].as_str())
        .collect();
    assert_eq!(said, text);
    let names = events.names();
    assert_eq!(names.first().map(String::as_str), Some("response.created"));
    assert_eq!(
        names.last().map(String::as_str),
        Some("response.incomplete")
    );
}

#[test]
fn a_wrong_number_is_never_streamed_where_it_cannot_be_taken_back() {
    let house = House::saying("17 * 23 is 400.", Duration::ZERO);
    let body = |stream: bool| json!({ "messages": [{ "role": "user", "content": "What is 17 * 23?" }], "stream": stream });
    let whole = house.post("/v1/chat/completions", &body(false)).json();
    assert_eq!(whole["reckon"]["mark"]["state"], "corrected", "{whole}");
    assert!(
        whole["choices"][0]["message"]["content"]
            .as_str()
            .unwrap()
            .contains("391")
    );
    let events = house.post("/v1/chat/completions", &body(true)).events();
    let said: String = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert!(said.contains("391") && !said.contains("400"), "{said}");
    let raw = json!({ "messages": [{ "role": "user", "content": "What is 17 * 23?" }], "reckon": { "guards": false } });
    let raw = house.post("/v1/chat/completions", &raw).json();
    assert_eq!(raw["choices"][0]["message"]["content"], "17 * 23 is 400.");
    let text =
        json!({ "messages": [{ "role": "user", "content": "What is 17 * 23?" }] }).to_string();
    let header = [("X-Reckon-Guards", "off")];
    let raw = client::send(
        house.address,
        "POST",
        "/v1/chat/completions",
        &header,
        text.as_bytes(),
    )
    .json();
    assert_eq!(raw["choices"][0]["message"]["content"], "17 * 23 is 400.");
}

#[test]
fn a_client_that_leaves_stops_its_answer() {
    let house = House::saying(include_str!("streams.rs"), Duration::from_millis(20));
    let body = json!({ "messages": hello(), "stream": true }).to_string();
    let mut stream = TcpStream::connect(house.address).unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut some = [0; 64];
    stream.read_exact(&mut some).unwrap();
    let running = || house.get("/reckon/state").json()["queue"]["running"].as_u64();
    house.wait(|| running() == Some(1));
    drop(stream);
    house.wait(|| running() == Some(0));
}

#[test]
fn headers_come_at_once_and_a_silent_stream_is_kept_alive() {
    let house = House::saying("Well .", Duration::from_secs(5));
    let body = json!({ "model": "tiny", "messages": hello() }).to_string();
    let mut stream = TcpStream::connect(house.address).unwrap();
    let begin = Instant::now();
    let head = format!(
        "POST /api/chat HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "before the first word"
    );
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("\"done\":true"));
}

#[test]
fn log_probabilities_come_with_the_text_they_belong_to() {
    let house = House::tiny();
    let mut body = json!({
        "messages": [{ "role": "user", "content": "Say hello." }], "max_tokens": 6, "temperature": 0,
        "logprobs": true, "top_logprobs": 2, "reckon": { "guards": false },
    });
    let whole = house.post("/v1/chat/completions", &body).json();
    body["stream"] = true.into();
    let events = house.post("/v1/chat/completions", &body).events();
    let tokens = |event: &Value| {
        event["choices"][0]["logprobs"]["content"]
            .as_array()
            .cloned()
    };
    let all: Vec<Value> = events.iter().filter_map(tokens).flatten().collect();
    assert_eq!(json!(all), whole["choices"][0]["logprobs"]["content"]);
    let with_text = |event: &Value| {
        let text = event["choices"][0]["delta"]["content"].as_str();
        text.is_some_and(|text| !text.is_empty()) && tokens(event).is_some()
    };
    assert!(events.iter().any(with_text), "{events:?}");
}

#[test]
fn several_prompts_are_completed_side_by_side() {
    let house = House::tiny();
    let mut body = json!({
        "model": "tiny", "prompt": ["One", "Two", "Three"], "n": 2, "max_tokens": 4, "temperature": 1.0, "seed": 3,
        "echo": true, "stream_options": { "include_usage": true },
    });
    let whole = house.post("/v1/completions", &body).json();
    let wanted: Vec<&str> = whole["choices"]
        .as_array()
        .expect("choices")
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    assert_eq!(wanted.len(), 6);
    body["stream"] = true.into();
    let events = house.post("/v1/completions", &body).events();
    let mut texts = vec![String::new(); 6];
    let mut ends = 0;
    for choice in events.iter().filter_map(|event| event["choices"].get(0)) {
        let at = choice["index"].as_u64().expect("an index") as usize;
        texts[at] += choice["text"].as_str().expect("a text");
        ends += usize::from(choice["finish_reason"].is_string());
    }
    assert_eq!(
        (texts, ends),
        (wanted.iter().map(|text| (*text).to_owned()).collect(), 6)
    );
    let usage = |said: &Value| {
        (
            said["usage"]["prompt_tokens"].clone(),
            said["usage"]["completion_tokens"].clone(),
        )
    };
    assert_eq!(usage(events.last().expect("an end")), usage(&whole));
}
