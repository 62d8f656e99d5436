//! Each protocol's calls, whole answers.
use crate::house::House;
use serde_json::{Value, json};

fn hello() -> Value {
    json!([{ "role": "user", "content": "Say hello." }])
}

#[test]
fn openai_chat_answers_with_usage_mark_and_receipt() {
    let house = House::tiny();
    let body = json!({ "model": "tiny", "messages": hello(), "max_tokens": 5, "temperature": 0 });
    let answer = house.post("/v1/chat/completions", &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let said = answer.json();
    assert_eq!(said["object"], "chat.completion");
    assert_eq!(said["choices"][0]["message"]["role"], "assistant");
    assert_eq!(said["choices"][0]["finish_reason"], "length");
    assert_eq!(said["usage"]["completion_tokens"], 5);
    assert_eq!(said["reckon"]["receipt"]["model"]["name"], "tiny");
    assert!(
        said["reckon"]["receipt"]["model"].get("path").is_none(),
        "no path leaves"
    );
    assert_eq!(
        house.post("/v1/chat/completions", &body).json()["choices"],
        said["choices"]
    );
}

#[test]
fn several_answers_differ_and_are_the_same_again_with_the_same_seed() {
    let house = House::tiny();
    let body = json!({ "model": "tiny", "messages": hello(), "max_tokens": 8, "temperature": 1.5, "seed": 7, "n": 3 });
    let said = house.post("/v1/chat/completions", &body).json();
    let texts: Vec<&str> = (0..3)
        .map(|i| said["choices"][i]["message"]["content"].as_str().unwrap())
        .collect();
    assert!(texts[0] != texts[1] && texts[1] != texts[2]);
    assert_eq!(
        house.post("/v1/chat/completions", &body).json()["choices"],
        said["choices"]
    );
}

#[test]
fn log_probabilities_come_for_each_token() {
    let house = House::tiny();
    let body = json!({ "messages": hello(), "max_tokens": 4, "temperature": 0, "logprobs": true, "top_logprobs": 3 });
    let said = house.post("/v1/chat/completions", &body).json();
    let tokens = said["choices"][0]["logprobs"]["content"]
        .as_array()
        .expect("tokens");
    assert_eq!(tokens.len(), 4);
    for token in tokens {
        let top = token["top_logprobs"].as_array().unwrap();
        assert_eq!(top.len(), 3);
        assert_eq!(
            top[0]["logprob"], token["logprob"],
            "greedy takes the likeliest"
        );
    }
}

#[test]
fn a_text_that_stops_an_answer_is_left_out_and_named_where_the_protocol_can() {
    let house = House::tiny();
    let ask = |stop: Value| json!({ "model": "tiny", "messages": hello(), "max_tokens": 30, "temperature": 0, "stop_sequences": stop });
    let whole = house.post("/v1/messages", &ask(json!([]))).json();
    let text = whole["content"][0]["text"].as_str().unwrap().to_owned();
    let stop: String = text.chars().skip(3).take(2).collect();
    let said = house.post("/v1/messages", &ask(json!([stop]))).json();
    assert_eq!(said["stop_reason"], "stop_sequence");
    assert_eq!(said["stop_sequence"], stop);
    let cut = said["content"][0]["text"].as_str().unwrap();
    assert_eq!(Some(cut), text.split(&stop).next());
}

#[test]
fn an_answer_is_held_to_a_schema_in_every_protocol() {
    let house = House::tiny();
    let schema = json!({ "type": "object", "properties": { "n": { "enum": [1, 2] } }, "required": ["n"], "additionalProperties": false });
    let is_valid = |text: &Value| {
        let value: Value = serde_json::from_str(text.as_str().unwrap()).expect("JSON");
        [1, 2].map(Value::from).contains(&value["n"])
    };
    let format = json!({ "type": "json_schema", "json_schema": { "name": "a", "schema": schema } });
    let said = house
        .post(
            "/v1/chat/completions",
            &json!({ "messages": hello(), "response_format": format }),
        )
        .json();
    assert!(
        is_valid(&said["choices"][0]["message"]["content"]),
        "{said}"
    );
    let said = house
        .post(
            "/api/chat",
            &json!({ "model": "tiny", "messages": hello(), "format": schema, "stream": false }),
        )
        .json();
    assert!(is_valid(&said["message"]["content"]), "{said}");
    let text = json!({ "format": { "type": "json_schema", "name": "a", "schema": schema } });
    let said = house
        .post(
            "/v1/responses",
            &json!({ "model": "tiny", "input": "Say hello.", "text": text }),
        )
        .json();
    assert!(is_valid(&said["output"][0]["content"][0]["text"]), "{said}");
}

#[test]
fn ollama_tells_what_clients_look_for() {
    let house = House::tiny();
    let version = house.get("/api/version").json();
    assert!(version["version"].as_str().unwrap().split('.').count() == 3);
    let tags = house.get("/api/tags").json();
    let one = &tags["models"][0];
    for field in ["name", "model", "modified_at", "size", "digest"] {
        assert!(!one[field].is_null(), "{field}");
    }
    for field in ["format", "family", "parameter_size", "quantization_level"] {
        assert!(one["details"][field].is_string(), "{field}");
    }
    for body in [json!({ "model": "tiny" }), json!({ "name": "tiny:latest" })] {
        let show = house.post("/api/show", &body).json();
        let info = show["model_info"].as_object().unwrap();
        assert!(
            info.keys().any(|key| key.ends_with(".context_length")),
            "{show}"
        );
        let words: Vec<&str> = show["capabilities"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert!(words.contains(&"tools") && words.contains(&"completion"));
        assert!(show["template"].as_str().unwrap().contains("tools"));
    }
    let running = house.get("/api/ps").json();
    assert!(running["models"][0]["expires_at"].is_string(), "{running}");
    for path in ["/", "/api/tags", "/api/version"] {
        let head = crate::client::send(house.address, "HEAD", path, &[], b"");
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
    }
    for path in [
        "/api/create",
        "/api/copy",
        "/api/push",
        "/api/delete",
        "/api/embed",
    ] {
        let answer = house.post(path, &json!({}));
        assert_eq!(answer.status, 501, "{path}");
        assert!(answer.json()["error"].is_string());
    }
    assert_eq!(
        house
            .post("/api/pull", &json!({ "model": "smollm2-135m" }))
            .status,
        403,
        "offline"
    );
}

#[test]
fn a_model_is_unloaded_and_comes_back() {
    let house = House::tiny();
    let body = json!({ "model": "tiny", "prompt": "", "keep_alive": 0 });
    let said = house.post("/api/generate", &body).json();
    assert_eq!(said["done_reason"], "unload");
    assert_eq!(house.get("/api/ps").json()["models"], json!([]));
    let body = json!({ "model": "tiny", "prompt": "Hi", "stream": false, "options": { "num_predict": 3 } });
    let said = house.post("/api/generate", &body).json();
    assert_eq!(
        (said["done"].as_bool(), said["eval_count"].as_u64()),
        (Some(true), Some(3))
    );
}

#[test]
fn options_that_mean_nothing_are_named_and_wrong_types_are_refused() {
    let house = House::tiny();
    let options = json!({ "num_predict": 2, "num_gpu": 1, "low_vram": true, "num_ctx": 2048 });
    let body = json!({ "model": "tiny", "messages": hello(), "stream": false, "options": options });
    let notes = house.post("/api/chat", &body).json()["reckon"]["notes"].to_string();
    assert!(
        notes.contains("num_gpu") && notes.contains("low_vram"),
        "{notes}"
    );
    assert!(!notes.contains("num_ctx"));
    let wrong =
        json!({ "model": "tiny", "messages": hello(), "options": { "temperature": "hot" } });
    assert_eq!(house.post("/api/chat", &wrong).status, 400);
    let wrong = json!({ "model": "tiny", "messages": "hello" });
    assert_eq!(house.post("/v1/chat/completions", &wrong).status, 400);
}

#[test]
fn tokens_come_and_go() {
    let house = House::tiny();
    let tokens = house
        .post("/tokenize", &json!({ "content": "Once upon a time" }))
        .json();
    let back = house.post("/detokenize", &tokens).json();
    assert_eq!(back["content"], "Once upon a time");
    assert_eq!(
        house
            .post("/detokenize", &json!({ "tokens": [4_000_000] }))
            .status,
        400
    );
    let prompt = house
        .post("/apply-template", &json!({ "messages": hello() }))
        .json();
    assert!(prompt["prompt"].as_str().unwrap().contains("Say hello."));
    let counted = house
        .post(
            "/v1/messages/count_tokens",
            &json!({ "model": "tiny", "messages": hello() }),
        )
        .json();
    let answered = house
        .post(
            "/v1/messages",
            &json!({ "model": "tiny", "messages": hello(), "max_tokens": 1 }),
        )
        .json();
    let usage = &answered["usage"];
    let read = usage["input_tokens"].as_u64().unwrap()
        + usage["cache_read_input_tokens"].as_u64().unwrap();
    assert_eq!(counted["input_tokens"], read);
}

#[test]
fn names_have_spellings_and_aliases() {
    let house = House::tiny();
    let home = house.home.path();
    let own = home.join("own.gguf");
    std::fs::copy(home.join("tiny.gguf"), &own).unwrap();
    let aliases = format!("gpt-4o = \"tiny\"\nown = {own:?}\nabsent = \"hf.co/o/r:Q4_0\"\n");
    std::fs::write(home.join("aliases.toml"), aliases).unwrap();
    for name in ["tiny", "tiny:latest", "Tiny", "gpt-4o", "own"] {
        let body = json!({ "model": name, "messages": hello(), "max_tokens": 1 });
        assert_eq!(
            house.post("/v1/chat/completions", &body).status,
            200,
            "{name}"
        );
    }
    for name in [
        "gpt-5",
        "../tiny.gguf",
        "/etc/passwd",
        "tiny.gguf",
        "absent",
        "hf.co/o/r",
        "ollama/x",
    ] {
        let body = json!({ "model": name, "messages": hello() });
        let answer = house.post("/v1/chat/completions", &body);
        assert_eq!(answer.status, 404, "{name}");
        assert_eq!(answer.json()["error"]["code"], "model_not_found");
    }
}

#[test]
fn every_route_is_described_and_counts_are_given() {
    let house = House::tiny();
    let document = house.get("/openapi.json").json();
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.len() > 30);
    // A router does not tell its routes, so they are read where they are written.
    let sources = [
        include_str!("../../src/router.rs"),
        include_str!("../../src/page.rs"),
    ];
    for written in sources
        .iter()
        .flat_map(|text| text.split(".route(").skip(1))
    {
        let path = written.trim_start().trim_start_matches('"');
        let path = path.split('"').next().unwrap_or_default();
        assert!(path.starts_with('/'), "{written}");
        assert!(paths.contains_key(path), "{path} is not described");
    }
    for (path, methods) in paths {
        let path = path.replace("{id}", "00000000000000000000000000000000");
        for method in methods.as_object().unwrap().keys() {
            let body = if method == "get" || method == "delete" {
                &b""[..]
            } else {
                b"{}"
            };
            let answer =
                crate::client::send(house.address, &method.to_uppercase(), &path, &[], body);
            let routed = answer.status != 405 && !answer.text().contains("there is no such call");
            assert!(
                routed && answer.status != 500,
                "{method} {path}: {}",
                answer.status
            );
        }
    }
    let counts = house.get("/metrics").text();
    for name in [
        "reckon_answers",
        "reckon_queue_waiting",
        "reckon_completion_tokens",
    ] {
        assert!(counts.contains(name), "{name}: {counts}");
    }
}
