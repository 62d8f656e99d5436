//! Calls in answers: read however the text is cut, and held to the tools by a grammar.
use crate::fixture::Tiny;
use crate::tools::{GEMMA4, HERMES, LLAMA3, TAGGED, weather};
use crate::whole::{model, prompt, request};
use proptest::prelude::*;
use reckon_engine::{
    Drafting, Error, Event, Finish, Generation, Model, ModelOptions, Request, Sampling, Session,
    Shape, Tool, ToolCall, ToolChoice, ToolParser, ToolPart, ToolStyle,
};
use reckon_gguf::Format;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What a parser gave, with neighbouring pieces joined.
#[derive(Debug, Default, PartialEq)]
struct Heard {
    text: String,
    /// Id, name and JSON of each call that began.
    begun: Vec<(String, String, String)>,
    calls: Vec<ToolCall>,
}

impl Heard {
    fn hear(&mut self, part: ToolPart<'_>) {
        match part {
            ToolPart::Text(text) => self.text += text,
            ToolPart::CallBegin { index, id, name } => {
                assert_eq!(index, self.begun.len());
                self.begun.push((id.into(), name.into(), String::new()));
            }
            ToolPart::CallArguments { index, json } => {
                assert_eq!(index + 1, self.begun.len());
                assert!(!json.is_empty());
                self.begun[index].2 += json;
            }
            ToolPart::CallEnd { index, call } => {
                assert_eq!(index, self.calls.len());
                let (id, name, json) = &self.begun[index];
                assert_eq!((id, name), (&call.id, &call.name));
                let json: Value = serde_json::from_str(json).expect("JSON");
                assert_eq!(json, Value::Object(call.arguments.clone()));
                self.calls.push(call.clone());
            }
        }
    }
}

fn tools() -> Vec<Tool> {
    let other = Tool {
        name: "f".into(),
        description: None,
        parameters: Value::Null,
    };
    vec![weather(), other]
}

fn heard(style: ToolStyle, streaming: bool, pieces: &[&str]) -> Heard {
    let parser = ToolParser::new(style, &tools(), &[1, 2, 3]);
    let mut parser = if streaming {
        parser.streaming()
    } else {
        parser
    };
    let mut heard = Heard::default();
    for piece in pieces {
        parser.push(piece, &mut |part| heard.hear(part));
    }
    parser.finish(&mut |part| heard.hear(part));
    assert_eq!(parser.calls(), heard.calls);
    heard
}

/// Reads a text cut in every way into two, and character by character: always the same.
#[track_caller]
fn read(style: ToolStyle, text: &str) -> (String, Vec<(String, Value)>) {
    let whole = heard(style, false, &[text]);
    for (i, _) in text.char_indices() {
        let cut = heard(style, false, &[&text[..i], &text[i..]]);
        assert_eq!(cut, whole, "{text:?} cut at {i}");
    }
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
    assert_eq!(heard(style, false, &letters), whole, "{text:?}");
    // Given as it comes, a call that is one comes to the same.
    let streamed = heard(style, true, &letters);
    if streamed.begun.len() == whole.begun.len() {
        assert_eq!(streamed, whole, "{text:?}");
    }
    let calls = whole.calls.into_iter();
    let calls = calls.map(|call| (call.name, Value::Object(call.arguments)));
    (whole.text, calls.collect())
}

fn no_calls() -> Vec<(String, Value)> {
    Vec::new()
}

#[test]
fn hermes_calls_are_found() {
    let read = |text: &str| read(ToolStyle::Hermes, text);
    let one = (
        "get_weather".to_owned(),
        json!({ "city": "Köln", "days": 2 }),
    );
    let call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Köln\", \"days\": 2}}\n</tool_call>";
    assert_eq!(read(call), (String::new(), vec![one.clone()]));
    assert_eq!(
        read(&format!("Let me see.\n{call}\n")),
        ("Let me see.".into(), vec![one.clone()])
    );
    let two =
        format!("{call}\n<tool_call>{{\"name\":\"f\",\"arguments\":{{}}}}</tool_call>\n\nDone. ");
    let f = ("f".to_owned(), json!({}));
    assert_eq!(read(&two), ("Done. ".into(), vec![one.clone(), f.clone()]));
    // Another order, another word for the arguments, tags and brackets inside a text, no closing tag.
    for call in [
        r#"<tool_call>{"arguments": {"city": "</tool_call>}{"}, "name": "get_weather"}</tool_call>"#,
        r#"<tool_call>{"name": "get_weather", "parameters": {"city": "</tool_call>}{"}}"#,
        r#"<tool_call> {"name": "get_weather", "arguments": {"city": "<\/tool_call>}{"}} </tool_"#,
        r#"<tool_call>{"id": {"x": 1}, "name": "get_weather", "arguments": {"city": "</tool_call>}{"}}"#,
    ] {
        let want = (
            "get_weather".to_owned(),
            json!({ "city": "</tool_call>}{" }),
        );
        assert_eq!(read(call), (String::new(), vec![want]), "{call}");
    }
}

#[test]
fn what_merely_looks_like_a_call_is_text() {
    for text in [
        "<tool_call>",
        "a <tool_call>\n b",
        "  <tool_cal",
        "<tool_call>{\"name\": \"get_weather\"}</tool_call>",
        "<tool_call>{\"name\": \"unknown\", \"arguments\": {}}</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {}",
        "<tool_call>{\"name\": \"f\", \"arguments\": []}</tool_call>",
        "<tool_call>{\"name\": \"f\", \"arguments\": {x}}</tool_call>",
        "<tool_call>[]</tool_call> \n",
        "<tool_call>{{{}}}</tool_call>",
        "{\"name\": \"f\", \"arguments\": {}}",
        "\n\nplain <b>text</b>\n\n",
        "",
    ] {
        assert_eq!(read(ToolStyle::Hermes, text), (text.into(), no_calls()));
    }
    let deep = format!("<tool_call>{}", "{\"a\":".repeat(200));
    assert_eq!(read(ToolStyle::Hermes, &deep).0, deep);
    // A broken one does not hide the next.
    let text = "x <tool_call>no <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let (rest, calls) = read(ToolStyle::Hermes, text);
    assert_eq!((&*rest, calls.len()), ("x <tool_call>no", 1));
    for text in [
        "I say {\"name\": \"f\", \"parameters\": {}}",
        "{\"name\": \"Bob\", \"parameters\": {}}",
        "{\"name\": \"f\", \"age\": 3}",
        " {\"a\": 1} ",
        "<|python_tag|>print(1)",
        "<|python",
    ] {
        assert_eq!(read(ToolStyle::Llama3, text), (text.into(), no_calls()));
    }
    for text in [
        "<|tool_call>call:f",
        "<|tool_call>call:g{}<tool_call|>",
        "<|tool_call>call:f{a}<tool_call|>",
        "<|tool_call>call:f{a:b}<tool_call|>",
        "<|tool_call>call:f{a:1,}<tool_call|>",
        "<|tool_call>call:f{a:[1}<tool_call|>",
        "<|tool_call>call:f{a:<|\"|>x",
        "<|tool_call>f{}<tool_call|>",
        "call:f{}",
    ] {
        assert_eq!(read(ToolStyle::Gemma4, text), (text.into(), no_calls()));
    }
}

#[test]
fn llama_3_answers_with_an_object() {
    let want = ("get_weather".to_owned(), json!({ "city": "x" }));
    for text in [
        "{\"name\": \"get_weather\", \"parameters\": {\"city\": \"x\"}}",
        "\n<|python_tag|>{\"name\": \"get_weather\", \"parameters\": {\"city\": \"x\"}}\n",
        "{ \"name\" : \"get_weather\" , \"arguments\" : {\"city\": \"x\"} }",
    ] {
        assert_eq!(
            read(ToolStyle::Llama3, text),
            (String::new(), vec![want.clone()])
        );
    }
    let two = "{\"name\": \"f\", \"parameters\": {}}; {\"name\": \"get_weather\", \"parameters\": {\"city\": \"x\"}}";
    assert_eq!(read(ToolStyle::Llama3, two).1.len(), 2);
    let text = "{\"name\": \"f\", \"parameters\": {}} is what I call.";
    assert_eq!(read(ToolStyle::Llama3, text).0, "is what I call.");
}

#[test]
fn gemma_4_has_a_notation_of_its_own() {
    let read = |text: &str| read(ToolStyle::Gemma4, text);
    let all = "<|tool_call>call:get_weather{city:<|\"|>Köln \"a\\n\"\n, {x}<|\"|>,days:-2,deep:{a:[1.5e3,true,null,None,[]],b:{}},<|\"|>e<|\"|>:\"j\\u00e9\"}<tool_call|>";
    let want = json!({
        "city": "Köln \"a\\n\"\n, {x}", "days": -2,
        "deep": { "a": [1.5e3, true, null, null, []], "b": {} }, "e": "jé",
    });
    let weather = ("get_weather".to_owned(), want);
    assert_eq!(read(all), (String::new(), vec![weather.clone()]));
    let two = format!("So:\n{all}<|tool_call>call:f{{}}<tool_call|>");
    let f = ("f".to_owned(), json!({}));
    assert_eq!(read(&two), ("So:".into(), vec![weather, f]));
}

#[test]
fn values_between_tags_are_what_the_schema_says() {
    let read = |text: &str| read(ToolStyle::Tagged, text);
    let all = "<tool_call>\n<function=get_weather>\n<parameter=city>\n 12\n\"<b>\" </para\n\n</parameter>\n<parameter=days>\n-2\n</parameter>\n<parameter=else>\ntrue\n</parameter>\n</function>\n</tool_call>";
    let want = json!({ "city": " 12\n\"<b>\" </para\n", "days": -2, "else": "true" });
    let weather = ("get_weather".to_owned(), want);
    assert_eq!(read(all), (String::new(), vec![weather.clone()]));
    let two = format!("So:\n{all}\n<tool_call><function=f></function></tool_call>\n");
    let f = ("f".to_owned(), json!({}));
    assert_eq!(read(&two), ("So:".into(), vec![weather, f]));
    // In one line, an empty value, and what is no number although it should be one.
    let close = "<tool_call><function=get_weather><parameter=city></parameter><parameter=days>two</parameter></function></tool_call>";
    let want = json!({ "city": "", "days": "two" });
    assert_eq!(read(close).1, [("get_weather".to_owned(), want)]);
    for text in [
        "<tool_call>\n<function=other>\n</function>\n</tool_call>",
        "<tool_call>\n<function=f>\nwhat?</function>\n</tool_call>",
        "<tool_call>\n<function=f\n>\n</function>\n</tool_call>",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>",
        "<tool_call>\n<function=f>\n<parameter=a>\n1",
    ] {
        assert_eq!(read(text), (text.into(), no_calls()));
    }
    let word = |name: &str, schema: Value, bare: &str| {
        let tool = Tool {
            name: name.into(),
            description: None,
            parameters: json!({
                "type": "object", "properties": { "a": schema }, "additionalProperties": { "type": "integer" },
                "$defs": { "point": { "type": "object", "properties": { "x": {} } }, "word": { "type": "string" } },
            }),
        };
        let mut parser = ToolParser::new(ToolStyle::Tagged, &[tool], &[1]);
        let text = format!(
            "<tool_call>\n<function={name}>\n<parameter=a>\n{bare}\n</parameter>\n</function>\n</tool_call>"
        );
        parser.push(&text, &mut |_| {});
        parser.finish(&mut |_| {});
        parser.calls()[0].arguments["a"].clone()
    };
    for (schema, bare, want) in [
        (Value::Null, "7", json!(7)),
        (json!({ "type": "string" }), "null", json!("null")),
        (json!({ "type": ["string", "null"] }), "null", json!(null)),
        (json!({ "type": ["string", "null"] }), "None", json!(null)),
        (json!({ "enum": ["1", 1, 2] }), "2", json!(2)),
        (json!({ "enum": ["a", 1] }), "a", json!("a")),
        (json!({ "type": "boolean" }), "True", json!(true)),
        (json!({ "type": "number" }), " 1.5e3\n", json!(1.5e3)),
        (json!({}), "{\"x\": 1}", json!("{\"x\": 1}")),
        (
            json!({ "$ref": "#/$defs/point" }),
            "{\"x\": [1]}",
            json!({ "x": [1] }),
        ),
        (json!({ "$ref": "#/$defs/word" }), "7", json!("7")),
        (
            json!({ "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/word" }] }),
            "null",
            json!(null),
        ),
        (
            json!({ "type": "array", "items": {} }),
            "[1, \"a\"]",
            json!([1, "a"]),
        ),
    ] {
        assert_eq!(word("f", schema.clone(), bare), want, "{schema} {bare}");
    }
}

/// A schema whose options are itself, again and again, and one that refers to much in every part.
#[test]
fn schemas_that_grow_end_soon() {
    let again: Vec<Value> = (0..2000).map(|_| json!({ "$ref": "#/$defs/a" })).collect();
    let circle = json!({
        "type": "object", "properties": { "a": { "$ref": "#/$defs/a" } },
        "$defs": { "a": { "anyOf": again } },
    });
    let long: serde_json::Map<String, Value> = (0..2000)
        .map(|i| (format!("k{i}"), json!({ "type": "integer" })))
        .collect();
    let copied = json!({ "type": "object", "properties": long, "$defs": { "b": { "const": "x".repeat(20_000) } } });
    let model = models()
        .into_iter()
        .find(|(style, _)| *style == ToolStyle::Tagged);
    let (_, model) = model.expect("a model");
    let begin = std::time::Instant::now();
    for (schema, is_refused) in [(circle, false), (copied, true)] {
        let tool = Tool {
            name: "f".into(),
            description: None,
            parameters: schema,
        };
        let tools = [tool];
        let grammar = model.tool_grammar(&tools, &ToolChoice::Required, false);
        assert!(grammar.is_err() || !is_refused);
        let mut parser = ToolParser::new(ToolStyle::Tagged, &tools, &[1]);
        parser.push(
            "<tool_call><function=f><parameter=a>1</parameter></function></tool_call>",
            &mut |_| {},
        );
        assert_eq!(parser.calls().len(), 1);
    }
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

#[test]
fn ids_follow_from_the_prompt_and_the_place() {
    let call = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
    let ids = |prompt: &[u32]| {
        let mut parser = ToolParser::new(ToolStyle::Hermes, &tools(), prompt);
        parser.push(&call.repeat(2), &mut |_| ());
        let calls = parser.into_calls().into_iter();
        calls.map(|call| call.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[1, 2]), ids(&[1, 2]));
    let mut all = [ids(&[1, 2]), ids(&[1, 3]), ids(&[])].concat();
    assert!(
        all.iter()
            .all(|id| id.starts_with("call_") && id.len() < 40)
    );
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}

#[test]
fn a_call_that_is_cut_has_a_begin_and_no_end() {
    for (style, text, json) in [
        (
            ToolStyle::Hermes,
            "a <tool_call>\n{\"name\": \"f\", \"arguments\": {\"x\": [1, \"b",
            "{\"x\": [1, \"b",
        ),
        (
            ToolStyle::Gemma4,
            "a <|tool_call>call:f{x:[1,<|\"|>b<|",
            "{\"x\":[1,\"b",
        ),
    ] {
        let heard = heard(style, true, &[text]);
        assert_eq!((&*heard.text, &*heard.begun[0].2), ("a", json));
        assert!(heard.calls.is_empty());
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_or_panics(parts in prop::collection::vec(prop::sample::select(vec![
        "<tool_call>", "</tool_call>", "{\"name\": \"f\", \"arguments\": {", "}", "}}", "\"", "\\", "x", " ", "\n", "{", "[", "]", ",",
        "<|tool_call>", "<tool_call|>", "call:", "f{", "a:", "<|\"|>", "é", "1", "{\"name\": \"f\", \"parameters\": {}}", "<|python_tag|>", ";",
    ]), 0..12)) {
        let text = parts.concat();
        for style in [ToolStyle::Hermes, ToolStyle::Llama3, ToolStyle::Gemma4] {
            let (rest, calls) = read(style, &text);
            if calls.is_empty() {
                prop_assert_eq!(rest, text.clone());
            }
        }
    }
}

/// Every part of it is bounded, so that an answer ends.
fn bounded() -> Vec<Tool> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "maxLength": 6 },
            "Size": { "enum": ["small", "large", 3, null] },
            "ages": { "type": "array", "items": { "type": "integer", "minimum": -9, "maximum": 120 }, "minItems": 1, "maxItems": 3 },
            "next": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/point" }] },
            "code": { "type": "string", "pattern": "^[a-c]/?[0-9]{1,2}$" },
            "rank": { "allOf": [{ "type": "integer", "minimum": 0, "maximum": 9 }] },
            "unit": { "type": ["string", "integer"], "enum": ["km", 7, null] },
        },
        "required": ["name", "ages"],
        "additionalProperties": false,
        "$defs": { "point": { "type": "object", "properties": { "x": { "type": "boolean" } }, "required": ["x"], "additionalProperties": false } },
    });
    let tool = |name: &str, parameters: Value| Tool {
        name: name.into(),
        description: Some("((([[[ \"unbalanced".into()),
        parameters,
    };
    vec![
        tool("people", schema),
        tool(
            "set.flag",
            json!({ "properties": { "on": { "type": ["boolean", "null"] } }, "additionalProperties": false }),
        ),
        tool("none", Value::Null),
    ]
}

/// An integer; `-0` is one that JSON parsers take for a float.
fn is_whole(value: &Value) -> Option<i64> {
    let float = value.as_f64().filter(|float| float.fract() == 0.0);
    float.map(|float| float as i64)
}

/// Whether arguments are what the schemas of `bounded` ask for, told without any grammar.
fn fits(call: &ToolCall) -> bool {
    let get = |key: &str| call.arguments.get(key);
    let any = |key: &str, is: &dyn Fn(&Value) -> bool| get(key).is_none_or(is);
    let known = |keys: &[&str]| call.arguments.keys().all(|key| keys.contains(&&**key));
    match &*call.name {
        "people" => {
            let ages = get("ages").and_then(Value::as_array).expect("ages");
            let is_age = |age: &Value| is_whole(age).is_some_and(|age| (-9..=120).contains(&age));
            let is_code = |code: &Value| {
                let code = code.as_str().expect("a text");
                let digits = code[1..].trim_start_matches('/');
                code.starts_with(['a', 'b', 'c']) && (1..=2).contains(&digits.len())
            };
            get("name")
                .and_then(Value::as_str)
                .expect("a name")
                .chars()
                .count()
                <= 6
                && (1..=3).contains(&ages.len())
                && ages.iter().all(is_age)
                && any("Size", &|size| {
                    [json!("small"), json!("large"), json!(3), json!(null)].contains(size)
                })
                && any("next", &|next| next.is_null() || next["x"].is_boolean())
                && any("code", &is_code)
                && any("rank", &|rank| {
                    is_whole(rank).is_some_and(|rank| (0..=9).contains(&rank))
                })
                && any("unit", &|unit| [json!("km"), json!(7)].contains(unit))
                && known(&["name", "Size", "ages", "next", "code", "rank", "unit"])
        }
        "set.flag" => any("on", &|on| on.is_boolean() || on.is_null()) && known(&["on"]),
        "none" => call.arguments.is_empty(),
        _ => false,
    }
}

const LETTERS: &[(&str, i32)] = &[];
const MARKERS: &[(&str, i32)] = &[("<tool_call>", 4), ("</tool_call>", 4)];
const CONTROL: &[(&str, i32)] = &[("<tool_call>", 3), ("</tool_call>", 3)];
const GEMMA: &[(&str, i32)] = &[
    ("<|tool_call>", 4),
    ("<tool_call|>", 4),
    ("<|\"|>", 4),
    ("<|tool_response>", 3),
];
const GEMMA_CONTROL: &[(&str, i32)] = &[("<|tool_call>", 3), ("<tool_call|>", 3), ("<|\"|>", 3)];

/// Models of every style, with the tags as letters, as user-defined tokens and as control tokens.
fn models() -> Vec<(ToolStyle, Arc<Model>)> {
    let qwen = |markers| ("qwen2", Format::Q8_0, ToolStyle::Hermes, HERMES, markers);
    let gemma = |markers| ("gemma4", Format::Q4_0, ToolStyle::Gemma4, GEMMA4, markers);
    let tagged = |markers| ("qwen3", Format::Q8_0, ToolStyle::Tagged, TAGGED, markers);
    let llama = ("llama", Format::Q6_K, ToolStyle::Llama3, LLAMA3, LETTERS);
    let cases = [
        qwen(LETTERS),
        qwen(MARKERS),
        qwen(CONTROL),
        tagged(LETTERS),
        tagged(MARKERS),
        tagged(CONTROL),
        llama,
        gemma(LETTERS),
        gemma(GEMMA),
        gemma(GEMMA_CONTROL),
    ];
    let load = |(architecture, format, style, template, markers)| {
        let tiny = Tiny {
            template: Some(template),
            markers,
            ..Tiny::new(architecture, format)
        };
        let model = model(&tiny, &ModelOptions::default());
        assert_eq!(model.tool_style(), style);
        (style, model)
    };
    cases.map(load).into()
}

fn generate(model: &Arc<Model>, request: &Request) -> Generation {
    let mut session = Session::new(model.clone());
    let mut shown = String::new();
    let answer = session.generate(request, &mut |event| {
        if let Event::Text(text) = event {
            shown += text;
        }
        ControlFlow::Continue(())
    });
    let answer = answer.expect("an answer");
    assert_eq!(shown, answer.text);
    answer
}

fn asked(model: &Model, choice: &ToolChoice, parallel: bool, seed: u64) -> Request {
    let grammar = model.tool_grammar(&bounded(), choice, parallel);
    Request {
        grammar: grammar.expect("a grammar"),
        sampling: Sampling {
            temperature: [0.0, 0.8, 3.0, 10.0][seed as usize % 4],
            top_k: 0,
            top_p: 1.0,
            seed,
            ..Sampling::default()
        },
        ..request(prompt(model, 17), 900)
    }
}

fn calls(model: &Model, request: &Request, answer: &Generation) -> (String, Vec<ToolCall>) {
    let mut text = String::new();
    let mut parser = model.tool_parser(&bounded(), &request.prompt).streaming();
    let mut hear = |part: ToolPart<'_>| {
        if let ToolPart::Text(new) = part {
            text += new;
        }
    };
    for piece in answer.text.split_inclusive(['"', '>']) {
        parser.push(piece, &mut hear);
    }
    parser.finish(&mut hear);
    (text, parser.into_calls())
}

#[test]
fn whatever_the_weights_say_required_calls_fit_their_tools() {
    let (mut n, mut several, mut names) = (0, 0, std::collections::BTreeMap::new());
    for (style, model) in models() {
        for seed in 0..30 {
            let parallel = seed % 2 == 0;
            let request = asked(&model, &ToolChoice::Required, parallel, seed);
            let answer = generate(&model, &request);
            let what = format!("{style:?} {seed}: {:?}", answer.text);
            assert!(
                matches!(
                    answer.finish,
                    Finish::Stop | Finish::Length | Finish::Context
                ),
                "{what}"
            );
            let (text, calls) = calls(&model, &request, &answer);
            // Chance may call and call until there is no room.
            if answer.finish == Finish::Stop {
                assert_eq!(text, "", "{what}");
                assert!(!calls.is_empty(), "{what}");
            }
            assert!(parallel || calls.len() <= 1, "{what}");
            assert!(calls.iter().all(fits), "{what}");
            n += calls.len();
            several += usize::from(calls.len() > 1);
            for call in calls {
                *names.entry(call.name).or_insert(0) += 1;
            }
        }
    }
    say!("{n} calls, {several} answers with several: {names:?}");
    assert!(
        n >= 200 && several > 5 && names.len() == 3,
        "{n} {several} {names:?}"
    );
}

#[test]
fn a_named_tool_is_the_only_one() {
    for (style, model) in models() {
        for name in ["set.flag", "people"] {
            let request = asked(&model, &ToolChoice::Named(name.into()), false, 1);
            let answer = generate(&model, &request);
            let (text, calls) = calls(&model, &request, &answer);
            assert_eq!(
                (&*text, calls.len()),
                ("", 1),
                "{style:?} {:?}",
                answer.text
            );
            assert_eq!(calls[0].name, name);
        }
        let none = model.tool_grammar(&bounded(), &ToolChoice::Named("x".into()), false);
        assert!(matches!(none, Err(Error::Tool { name, .. }) if name == "x"));
        let none = model.tool_grammar(&bounded(), &ToolChoice::None, false);
        assert!(none.expect("nothing to hold").is_none());
        let none = model.tool_grammar(&[], &ToolChoice::Auto, false);
        assert!(none.expect("nothing to hold").is_none());
    }
}

/// The tag that opens a call.
fn open(style: ToolStyle) -> &'static str {
    match style {
        ToolStyle::Gemma4 => "<|tool_call>",
        _ => "<tool_call>",
    }
}

#[test]
fn an_answer_is_the_same_with_tools_and_without_until_it_calls_one() {
    let (mut same, mut parted) = (0, 0);
    for (style, model) in models() {
        let marker = model.tokenizer().marker(open(style));
        for seed in 0..12 {
            let free = Request {
                max_tokens: Some(80),
                ..asked(&model, &ToolChoice::Auto, true, seed)
            };
            let plain = Request {
                grammar: None,
                ..free.clone()
            };
            let (with, without) = (generate(&model, &free), generate(&model, &plain));
            // Chance spells no tag in letters.
            match without
                .tokens
                .iter()
                .position(|&token| Some(token) == marker)
            {
                Some(at) => {
                    parted += 1;
                    assert_eq!(
                        with.tokens[..=at],
                        without.tokens[..=at],
                        "{style:?} {seed}"
                    );
                    assert!(with.text.contains(open(style)));
                }
                None => {
                    same += 1;
                    assert_eq!(with.tokens, without.tokens, "{style:?} {seed}");
                    assert_eq!((&with.text, with.finish), (&without.text, without.finish));
                }
            }
        }
    }
    assert!(same > 40 && parted > 4, "{same} {parted}");
}

#[test]
fn from_the_tag_on_a_free_answer_is_held() {
    let (mut free, mut held) = (0, 0);
    for (style, model) in models() {
        let Some(marker) = model.tokenizer().marker(open(style)) else {
            continue;
        };
        for seed in (0..60).filter(|seed| seed % 4 >= 2) {
            let parallel = seed % 8 < 4;
            let request = Request {
                max_tokens: Some(400),
                ..asked(&model, &ToolChoice::Auto, parallel, seed)
            };
            let answer = generate(&model, &request);
            let (text, calls) = calls(&model, &request, &answer);
            let what = format!("{style:?} {seed}: {:?}", answer.text);
            let begun = answer
                .tokens
                .iter()
                .filter(|&&token| token == marker)
                .count();
            // The last one may be cut.
            let cut = usize::from(answer.finish != Finish::Stop);
            assert!(
                begun - begun.min(cut) <= calls.len() && calls.len() <= begun,
                "{what}"
            );
            assert!(calls.iter().all(fits), "{what}");
            assert!(
                parallel || begun <= 1 && (calls.is_empty() || answer.finish == Finish::Stop),
                "{what}"
            );
            assert!(cut == 1 || !text.contains(open(style)), "{what}");
            free += usize::from(!text.is_empty());
            held += calls.len();
        }
    }
    say!("{held} calls in free answers, {free} of them with text");
    assert!(held > 40 && free > 40, "{held} {free}");
}

#[test]
fn guesses_change_no_call() {
    let load = |drafting| {
        let tiny = Tiny {
            template: Some(HERMES),
            markers: MARKERS,
            ..Tiny::new("qwen2", Format::Q8_0)
        };
        let options = ModelOptions {
            drafting,
            ..ModelOptions::default()
        };
        model(&tiny, &options)
    };
    let (plain, guessing) = (load(Drafting::Never), load(Drafting::Always));
    for seed in 0..6 {
        for choice in [ToolChoice::Auto, ToolChoice::Required] {
            let run = |model: &Arc<Model>| {
                let request = Request {
                    max_tokens: Some(200),
                    ..asked(model, &choice, true, seed)
                };
                generate(model, &request).tokens
            };
            assert_eq!(run(&plain), run(&guessing));
        }
    }
}

#[test]
fn a_schema_that_cannot_be_followed_names_its_tool() {
    for (style, model) in models() {
        for schema in [
            json!({ "type": "object", "properties": { "a": { "type": "array", "uniqueItems": true } } }),
            json!({ "type": "object", "properties": { "a": { "type": "string", "pattern": "(?=a)" } } }),
            json!({ "type": "object", "properties": { "a": { "$ref": "https://a.b/c" } } }),
            json!({ "type": "object", "minProperties": 5 }),
            json!({ "type": "object", "properties": { "a": { "type": "string", "maxLength": 1e9 } } }),
            json!({ "type": "object", "properties": { "a": { "not": {} } } }),
        ] {
            let mut tools = bounded();
            tools.push(Tool {
                name: "odd".into(),
                description: None,
                parameters: schema.clone(),
            });
            let refused = model.tool_grammar(&tools, &ToolChoice::Auto, true);
            let error = refused.expect_err("refused");
            let Error::Tool { name, why } = &error else {
                panic!("{style:?} {schema}: {error}")
            };
            assert!(
                name == "odd" && !why.contains('\n'),
                "{style:?} {schema}: {error}"
            );
        }
    }
}

#[test]
fn other_grammars_cannot_write_the_marks_of_calls() {
    let (_, model) = models().remove(1);
    let token = model.tokenizer().marker("<tool_call>").expect("a token");
    let shape = Shape::Choices(vec!["<tool_call>".into()]);
    let request = Request {
        grammar: Some(model.grammar(&shape).expect("a grammar")),
        ..request(prompt(&model, 9), 50)
    };
    let answer = generate(&model, &request);
    assert_eq!(answer.text, "<tool_call>");
    assert!(!answer.tokens.contains(&token));
}
