//! Tool calls in all three protocols: the arguments are always what the tool's schema allows.
use crate::house::House;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({ "type": "object", "properties": { "city": { "enum": ["Paris", "Rome"] } }, "required": ["city"], "additionalProperties": false })
}

fn tool() -> Value {
    let function =
        json!({ "name": "weather", "description": "The weather", "parameters": schema() });
    json!({ "type": "function", "function": function })
}

fn asked() -> Value {
    json!([{ "role": "user", "content": "What is the weather in Paris?" }])
}

fn is_valid(arguments: &Value) -> bool {
    ["Paris", "Rome"]
        .map(Value::from)
        .contains(&arguments["city"])
}

#[test]
fn a_required_call_fits_its_schema() {
    let house = House::tiny();
    let body = |stream: bool| json!({ "model": "tiny", "messages": asked(), "tools": [tool()], "tool_choice": "required", "parallel_tool_calls": false, "stream": stream });
    let said = house.post("/v1/chat/completions", &body(false)).json();
    let choice = &said["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls", "{said}");
    let call = &choice["message"]["tool_calls"][0];
    assert_eq!(call["function"]["name"], "weather");
    assert!(call["id"].as_str().is_some_and(|id| !id.is_empty()));
    let arguments: Value =
        serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
    assert!(is_valid(&arguments), "{said}");
    assert!(choice["message"]["content"].is_null());

    let events = house.post("/v1/chat/completions", &body(true)).events();
    let deltas: Vec<&Value> = events
        .iter()
        .map(|event| &event["choices"][0]["delta"]["tool_calls"][0])
        .collect();
    let names: Vec<&str> = deltas
        .iter()
        .filter_map(|delta| delta["function"]["name"].as_str())
        .collect();
    assert_eq!(names, ["weather"]);
    let arguments: String = deltas
        .iter()
        .filter_map(|delta| delta["function"]["arguments"].as_str())
        .collect();
    assert!(
        is_valid(&serde_json::from_str(&arguments).unwrap()),
        "{arguments}"
    );
    let contents: String = events
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(contents, "", "the call is not text");
}

#[test]
fn anthropic_and_responses_call_too() {
    let house = House::tiny();
    let tool = json!({ "name": "weather", "input_schema": schema() });
    let choice = json!({ "type": "tool", "name": "weather", "disable_parallel_tool_use": true });
    let body = json!({ "model": "tiny", "messages": asked(), "max_tokens": 200, "tools": [tool], "tool_choice": choice });
    let said = house.post("/v1/messages", &body).json();
    assert_eq!(said["stop_reason"], "tool_use", "{said}");
    assert!(is_valid(&said["content"][0]["input"]), "{said}");

    let tool = json!({ "type": "function", "name": "weather", "parameters": schema() });
    let body = json!({ "model": "tiny", "input": asked(), "tools": [tool], "tool_choice": "required", "parallel_tool_calls": false, "stream": true });
    let events = house.post("/v1/responses", &body);
    let done: Vec<Value> = events
        .events()
        .into_iter()
        .filter(|event| event["type"] == "response.output_item.done")
        .collect();
    let item = &done[0]["item"];
    assert_eq!(item["type"], "function_call");
    assert!(
        is_valid(&serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap()),
        "{item}"
    );
    assert_eq!(
        events.names().last().map(String::as_str),
        Some("response.completed")
    );
}

#[test]
fn results_of_tools_go_back_in_every_form_that_clients_send() {
    let house = House::tiny();
    let arguments = json!({ "city": "Paris" });
    let openai = json!([
        { "role": "user", "content": "Weather?" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "weather", "arguments": arguments.to_string() } }] },
        { "role": "tool", "tool_call_id": "a", "content": "sunny" },
    ]);
    let body = json!({ "messages": openai, "tools": [tool()], "max_tokens": 3 });
    assert_eq!(house.post("/v1/chat/completions", &body).status, 200);
    // Home Assistant sends neither a name nor an id.
    let ollama = json!([
        { "role": "user", "content": "Weather?" },
        { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "weather", "arguments": arguments } }] },
        { "role": "tool", "content": "sunny" },
    ]);
    let body = json!({ "model": "tiny", "messages": ollama, "tools": [tool()], "stream": false, "options": { "num_predict": 3 } });
    assert_eq!(house.post("/api/chat", &body).status, 200);
    let anthropic = json!([
        { "role": "user", "content": "Weather?" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "weather", "input": arguments }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": "sunny" }] }] },
    ]);
    let body = json!({ "model": "tiny", "messages": anthropic, "max_tokens": 3 });
    let answer = house.post("/v1/messages", &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[test]
fn a_schema_that_cannot_be_followed_is_relaxed_and_the_notes_say_so() {
    let house = House::tiny();
    let ask = |schema: Value| {
        let function = json!({ "name": "f", "parameters": schema });
        let tools = [json!({ "type": "function", "function": function })];
        let body = json!({ "messages": asked(), "tools": tools, "tool_choice": "required", "max_tokens": 60 });
        let answer = house.post("/v1/chat/completions", &body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["reckon"]["notes"].to_string()
    };
    let notes = ask(
        json!({ "type": "object", "properties": { "x": { "type": "array", "uniqueItems": true, "items": { "enum": [1] }, "maxItems": 1 } } }),
    );
    assert!(notes.contains("uniqueItems"), "{notes}");
    let notes = ask(json!({ "type": "object", "properties": { "x": { "type": "nonsense" } } }));
    assert!(notes.contains("not held to its schema"), "{notes}");
}
