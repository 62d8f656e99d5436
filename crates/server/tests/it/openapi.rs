//! `/openapi.json` against the server that it describes.
use crate::house::House;
use serde_json::{Value, json};

fn document() -> Value {
    serde_json::from_str(reckon_server::DOCUMENT).expect("a document")
}

const SCHEMAS: &str = "/components/schemas";

/// The schema of a call's body.
fn body_schema<'a>(document: &'a Value, path: &str) -> &'a Value {
    let content = &document["paths"][path]["post"]["requestBody"]["content"];
    resolved(document, &content["application/json"]["schema"])
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let Some(at) = schema["$ref"].as_str() else {
        return schema;
    };
    let at = at.strip_prefix('#').expect("a place in this document");
    document.pointer(at).unwrap_or_else(|| panic!("no {at}"))
}

/// All values of a JSON tree.
fn walk<'a>(value: &'a Value, visit: &mut impl FnMut(&'a Value)) {
    visit(value);
    match value {
        Value::Array(all) => all.iter().for_each(|inner| walk(inner, visit)),
        Value::Object(all) => all.values().for_each(|inner| walk(inner, visit)),
        _ => {}
    }
}

fn hello() -> Value {
    json!([{ "role": "user", "content": "Say hello." }])
}

#[test]
fn every_reference_resolves_and_every_component_is_referred_to() {
    let document = document();
    let mut referred = Vec::new();
    walk(&document, &mut |value| {
        if value.get("$ref").is_some_and(Value::is_string) {
            resolved(&document, value);
            referred.push(value["$ref"].as_str().unwrap());
        }
    });
    assert!(referred.len() > 100, "{}", referred.len());
    for name in document
        .pointer(SCHEMAS)
        .unwrap()
        .as_object()
        .unwrap()
        .keys()
    {
        let at = format!("#{SCHEMAS}/{name}");
        assert!(referred.contains(&at.as_str()), "nothing refers to {name}");
    }
}

#[test]
fn every_call_has_a_known_tag_and_the_error_in_words() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    let known = document["tags"].as_array().unwrap().iter();
    let known: Vec<&Value> = known.map(|tag| &tag["name"]).collect();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for call in methods.as_object().unwrap().values() {
            assert!(known.contains(&&call["tags"][0]), "{path}");
            let error = resolved(&document, &call["responses"]["default"]);
            let words = error["description"].as_str().expect("words");
            assert!(words.contains("429"), "{path}");
        }
    }
    let scheme = document.pointer("/components/securitySchemes/key").unwrap();
    assert_eq!(scheme["scheme"], "bearer");
}

/// What a call is described to need is what it needs: with it an answer, without any of it a refusal.
#[test]
fn required_fields_are_those_that_the_parser_requires() {
    let house = House::tiny();
    let document = house.get("/openapi.json").json();
    let calls = [
        ("/v1/chat/completions", json!({ "messages": hello() })),
        ("/v1/completions", json!({ "prompt": "Once" })),
        ("/v1/responses/input_tokens", json!({ "input": "Hello." })),
        ("/v1/messages/count_tokens", json!({ "messages": hello() })),
        ("/api/chat", json!({ "model": "tiny" })),
        ("/api/generate", json!({ "model": "tiny" })),
        ("/tokenize", json!({ "content": "Hello." })),
        ("/detokenize", json!({ "tokens": [1, 2] })),
        ("/apply-template", json!({ "messages": hello() })),
        ("/reckon/run", json!({ "code": "1 + 1" })),
    ];
    for (path, body) in calls {
        let schema = body_schema(&document, path);
        let fields: Vec<&String> = body.as_object().unwrap().keys().collect();
        assert_eq!(schema["required"], json!(fields), "{path}");
        let mut whole = body.clone();
        // Only so that the answer is short.
        for (field, value) in [
            ("max_tokens", json!(1)),
            ("options", json!({ "num_predict": 1 })),
        ] {
            if schema["properties"].get(field).is_some() {
                whole[field] = value;
            }
        }
        let answer = house.post(path, &whole);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        for field in fields {
            let mut less = whole.clone();
            less.as_object_mut().unwrap().remove(field);
            let answer = house.post(path, &less);
            assert_eq!(answer.status, 400, "{path} without {field}");
            assert!(answer.text().contains(field.as_str()), "{}", answer.text());
        }
    }
}

/// Every field that is described can be sent, and left out if it is not required.
#[test]
fn optional_fields_of_chat_completions_are_optional_and_known() {
    let house = House::tiny();
    let document = house.get("/openapi.json").json();
    let schema = body_schema(&document, "/v1/chat/completions");
    let function = json!({ "name": "add", "parameters": { "type": "object" } });
    let whole = json!({
        "model": "tiny", "messages": hello(), "stream": false, "stream_options": { "include_usage": true },
        "max_tokens": 1, "max_completion_tokens": 1, "n": 1, "seed": -1, "stop": ["."], "temperature": 0.5,
        "top_p": 0.9, "top_k": 5, "min_p": 0.1, "repetition_penalty": 1.1, "logprobs": true, "top_logprobs": 2,
        "response_format": { "type": "text" }, "tools": [{ "type": "function", "function": function }],
        "tool_choice": "none", "parallel_tool_calls": false, "reasoning_effort": "none",
        "chat_template_kwargs": {}, "reckon": { "guards": false, "check": "off", "trim": true, "background": false },
    });
    let mut described: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let mut sent: Vec<&String> = whole.as_object().unwrap().keys().collect();
    described.sort();
    sent.sort();
    assert_eq!(described, sent);
    let answer = house.post("/v1/chat/completions", &whole);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let ignored = &answer.json()["reckon"]["receipt"]["ignored"];
    assert!(ignored.as_array().is_none_or(Vec::is_empty), "{ignored}");
    for field in sent.into_iter().filter(|field| *field != "messages") {
        let mut less = whole.clone();
        less.as_object_mut().unwrap().remove(field);
        // One of the two says how short the answer is.
        let answer = house.post("/v1/chat/completions", &less);
        assert_eq!(answer.status, 200, "without {field}: {}", answer.text());
    }
    // What is not described is allowed, and told.
    assert!(schema["additionalProperties"] != json!(false));
}

/// A body that has a word in the field under test.
type BodyOf = fn(&Value) -> Value;

/// Words that a field is described to take are those that it takes.
#[test]
fn words_of_an_enum_are_those_that_are_taken() {
    let house = House::tiny();
    let document = house.get("/openapi.json").json();
    let schema = |name: &str| &document["components"]["schemas"][name];
    let role = |name: &str| schema(name)["properties"]["role"]["enum"].clone();
    let asks: [(&str, Value, BodyOf); 4] = [
        (
            "/apply-template",
            role("ChatMessage"),
            |word| json!({ "messages": [{ "role": word, "content": "a" }] }),
        ),
        ("/api/chat", role("OllamaMessage"), |word| {
            let messages =
                json!([{ "role": "user", "content": "a" }, { "role": word, "content": "a" }]);
            json!({ "model": "tiny", "messages": messages, "options": { "num_predict": 1 } })
        }),
        (
            "/v1/messages/count_tokens",
            role("AnthropicMessage"),
            |word| json!({ "messages": [{ "role": "user", "content": "a" }, { "role": word, "content": "a" }] }),
        ),
        (
            "/v1/chat/completions",
            schema("ReckonOptions")["properties"]["check"]["enum"].clone(),
            |word| json!({ "messages": [{ "role": "user", "content": "a" }], "max_tokens": 1, "reckon": { "check": word } }),
        ),
    ];
    for (path, words, body) in asks {
        for word in words.as_array().expect("an enum") {
            let answer = house.post(path, &body(word));
            assert_eq!(answer.status, 200, "{path} {word}: {}", answer.text());
        }
        assert_eq!(
            house.post(path, &body(&json!("wizard"))).status,
            400,
            "{path}"
        );
    }
}
