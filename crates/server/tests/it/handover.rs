//! Other machines behind the server: doubtful answers, roles that are asked for like models, and a model elsewhere.
use crate::{
    elsewhere::{Elsewhere, last},
    house::{House, options},
};
use reckon::{
    Ask, Endpoint, EndpointOptions, Generation, Message, Model, ModelInfo, OnEvent, Peers,
    TextModel, engine,
};
use reckon_server::{ServerOptions, Settings};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc, time::Duration};

const QUESTION: &str = "12 boxes of 8 rolls, 37 sold. How many are left?";
/// Programs contradict it.
const LOCAL: &str = "There are 49 rolls left.";
const RIGHT: &str = "There are 59 rolls left.";
const PROGRAM: &str =
    "    boxes = 12\n    rolls = boxes * 8\n    left = rolls - 37\n    return left\n```";

/// Answers wrongly, and writes programs that say so.
struct Wrong;

impl TextModel for Wrong {
    fn count(&self, messages: &[Message]) -> reckon::assistant::Result<usize> {
        Ok(messages.iter().map(|one| one.content.len()).sum())
    }

    fn generate(
        &mut self,
        ask: &Ask,
        on_event: &mut OnEvent<'_>,
    ) -> reckon::assistant::Result<Generation> {
        let begun = ask.messages.iter().map(|one| one.content.as_str());
        let mut begun = begun.chain([ask.prefix.as_str()]);
        let text = match begun.any(|text| text.contains("def solution")) {
            true => PROGRAM,
            false => LOCAL,
        };
        let _ = on_event(engine::Event::Text(text));
        Ok(Generation {
            text: text.to_owned(),
            ..Generation::default()
        })
    }
}

/// A stronger machine.
fn peer() -> Elsewhere {
    Elsewhere::new(Duration::ZERO, |body| {
        let is_program = body.to_string().contains("def solution");
        if is_program { PROGRAM } else { RIGHT }.to_owned()
    })
}

/// A server whose own model is wrong, with a peer at this address.
fn house(url: &str, role: &str, more: &str) -> House {
    let home = tempfile::tempdir().expect("a directory");
    let table = format!(
        "[peers.mini]\nurl = \"{url}\"\nmodels = [\"large\"]\nrole = \"{role}\"\ntimeout = 5\n"
    );
    let options = ServerOptions {
        peers: Peers::parse(&(table + more), false, |_| None).expect("settings"),
        load: Arc::new(|_, _: &Path| {
            let info = ModelInfo {
                name: "tiny".into(),
                ..ModelInfo::default()
            };
            Ok(Model::custom(info, || Wrong))
        }),
        ..options(&home, Settings::default())
    };
    House::start(home, options)
}

fn asked(model: &str, stream: bool) -> Value {
    let message = json!({ "role": "user", "content": QUESTION });
    json!({ "model": model, "messages": [message], "stream": stream, "max_tokens": 99 })
}

const ON: &str = "[handover]\ndoubtful = \"premium\"\n";

#[test]
fn a_doubtful_answer_becomes_a_peers_and_nothing_of_the_other_is_streamed() {
    let peer = peer();
    let house = house(&peer.url, "premium", ON);
    let said = house.post("/v1/chat/completions", &asked("tiny", false));
    let said = said.json();
    assert_eq!(said["choices"][0]["message"]["content"], RIGHT, "{said}");
    assert_eq!(said["reckon"]["mark"]["state"], "verified");
    let handover = &said["reckon"]["receipt"]["handover"];
    assert_eq!(handover["replaced"], LOCAL);
    assert_eq!(handover["peers"][0]["outcome"], "used");
    let sent: usize = peer.asked().len();
    assert_eq!(handover["peers"][0]["sent"]["requests"], sent);
    let events = house.post("/v1/chat/completions", &asked("tiny", true));
    let text: String = events
        .events()
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(text, RIGHT, "{}", events.text());
    let counts = house.get("/metrics").text();
    let bytes = counts
        .lines()
        .find_map(|line| line.strip_prefix("reckon_handover_bytes_total "));
    assert!(bytes.is_some_and(|bytes| bytes != "0"), "{counts}");
    // Guards that are off doubt nothing.
    let before = peer.asked().len();
    let mut raw = asked("tiny", false);
    raw["reckon"] = json!({ "guards": false });
    let said = house.post("/v1/chat/completions", &raw).json();
    assert_eq!(said["choices"][0]["message"]["content"], LOCAL, "{said}");
    assert_eq!(peer.asked().len(), before);
}

#[test]
fn off_nothing_leaves_and_the_doubt_is_said() {
    let peer = peer();
    let house = house(&peer.url, "premium", "");
    let said = house.post("/v1/chat/completions", &asked("tiny", false));
    let said = said.json();
    assert_eq!(said["choices"][0]["message"]["content"], LOCAL, "{said}");
    assert_eq!(said["reckon"]["mark"]["state"], "doubtful");
    assert!(said["reckon"]["receipt"].get("handover").is_none());
    assert!(peer.asked().is_empty());
}

#[test]
fn a_role_is_asked_for_like_a_model_in_every_protocol() {
    let peer = peer();
    let house = house(&peer.url, "premium", "");
    let models = house.get("/v1/models").json();
    let names: Vec<&str> = models["data"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["id"].as_str())
        .collect();
    assert!(names.contains(&"premium"), "{models}");
    let one = house.get("/v1/models/premium").json();
    assert_eq!(one["owned_by"], "peers", "{one}");
    let body = asked("premium", false);
    let said = house.post("/v1/chat/completions", &body).json();
    assert_eq!(said["choices"][0]["message"]["content"], RIGHT, "{said}");
    assert_eq!(said["model"], "premium");
    assert_eq!(said["reckon"]["receipt"]["model"]["name"], "large");
    let said = house.post("/v1/messages", &body).json();
    assert_eq!(said["content"][0]["text"], RIGHT, "{said}");
    let said = house.post("/api/chat", &body).json();
    assert_eq!(said["message"]["content"], RIGHT, "{said}");
    let events = house.post("/v1/chat/completions", &asked("premium", true));
    assert!(events.text().contains("59 rolls"), "{}", events.text());
    // What is no conversation is not sent anywhere, nor silently answered by somebody else.
    let refused = house.post(
        "/v1/completions",
        &json!({ "model": "premium", "prompt": "a" }),
    );
    assert_eq!(refused.status, 400, "{}", refused.text());
    assert!(refused.text().contains("role"), "{}", refused.text());
}

#[test]
fn a_peer_that_is_away_leaves_the_answer_of_this_machine() {
    let house = house("http://127.0.0.1:9", "premium", ON);
    for model in ["premium", "tiny"] {
        let answer = house.post("/v1/chat/completions", &asked(model, false));
        let said = answer.json();
        assert_eq!(said["choices"][0]["message"]["content"], LOCAL, "{said}");
        let entry = &said["reckon"]["receipt"]["handover"]["peers"][0];
        assert_eq!(
            (&entry["outcome"], &entry["sent"]["bytes"]),
            (&"failed".into(), &0.into())
        );
    }
}

#[test]
fn a_role_with_the_name_of_a_model_does_not_take_its_questions() {
    let peer = peer();
    let house = house(&peer.url, "tiny", "");
    let said = house.post("/v1/chat/completions", &asked("tiny", false));
    assert_eq!(said.json()["choices"][0]["message"]["content"], LOCAL);
    let models = house.get("/v1/models").json();
    assert_eq!(models["data"].as_array().map(Vec::len), Some(1), "{models}");
    assert!(peer.asked().is_empty());
}

#[test]
fn a_model_elsewhere_is_given_the_tools_and_its_calls_come_back() {
    let elsewhere = Elsewhere::with_messages(Duration::ZERO, |body| match last(body) {
        "sunny" => json!({ "role": "assistant", "content": "It is sunny." }),
        "nonsense" => {
            json!({ "role": "assistant", "tool_calls": [{ "id": "x", "function": { "name": "format_disk", "arguments": "{}" } }] })
        }
        _ => json!({ "role": "assistant", "content": null, "tool_calls": [
                { "id": "c1", "type": "function", "function": { "name": "weather", "arguments": "{\"city\": \"Paris\"}" } },
                { "id": "c2", "type": "function", "function": { "name": "weather", "arguments": { "city": "Rome" } } },
            ] }),
    });
    let home = tempfile::tempdir().expect("a directory");
    let endpoint = Endpoint::new(&elsewhere.url, "far", EndpointOptions::default());
    let options = ServerOptions {
        remote: Some(endpoint.expect("an address")),
        ..options(&home, Settings::default())
    };
    let house = House::start(home, options);
    assert_eq!(house.get("/v1/models").json()["data"][0]["id"], "far");
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let tool = json!({ "type": "function", "function": { "name": "weather", "description": "The weather", "parameters": schema } });
    let body = |stream: bool| json!({ "model": "far", "messages": [{ "role": "user", "content": "Weather?" }], "tools": [tool], "tool_choice": { "type": "function", "function": { "name": "weather" } }, "stop": ["END"], "stream": stream });
    let said = house.post("/v1/chat/completions", &body(false)).json();
    let choice = &said["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls", "{said}");
    assert_eq!(choice["message"]["tool_calls"][0]["id"], "c1");
    let arguments = choice["message"]["tool_calls"][1]["function"]["arguments"].as_str();
    let arguments: Value = serde_json::from_str(arguments.expect("a text")).expect("JSON");
    assert_eq!(arguments["city"], "Rome");
    let (_, sent) = elsewhere.asked().pop().expect("a request");
    assert_eq!(sent["tools"][0]["function"]["name"], "weather");
    assert_eq!(sent["tool_choice"]["function"]["name"], "weather");
    assert_eq!(sent["stop"], json!(["END"]));
    let events = house.post("/v1/chat/completions", &body(true)).events();
    let names = events.iter().filter_map(|event| {
        event["choices"][0]["delta"]["tool_calls"][0]["function"]["name"].as_str()
    });
    assert_eq!(names.collect::<Vec<_>>(), ["weather", "weather"]);
    // Results go back with the call that they belong to; Ollama's clients name neither.
    let messages = json!([
        { "role": "user", "content": "Weather?" },
        { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "weather", "arguments": { "city": "Paris" } } }] },
        { "role": "tool", "content": "sunny" },
    ]);
    let body = json!({ "model": "far", "messages": messages, "tools": [tool], "stream": false });
    let said = house.post("/api/chat", &body).json();
    assert_eq!(said["message"]["content"], "It is sunny.", "{said}");
    let (_, sent) = elsewhere.asked().pop().expect("a request");
    let id = &sent["messages"][1]["tool_calls"][0]["id"];
    assert!(id.as_str().is_some_and(|id| !id.is_empty()), "{sent}");
    assert_eq!(sent["messages"][2]["tool_call_id"], *id);
    // A tool that nobody offered is not called.
    let body = json!({ "model": "far", "messages": [{ "role": "user", "content": "nonsense" }], "tools": [tool] });
    let refused = house.post("/v1/chat/completions", &body);
    assert_eq!(refused.status, 502, "{}", refused.text());
    assert!(!refused.text().contains(&elsewhere.url));
    assert!(refused.text().contains("not offered"), "{}", refused.text());
}
