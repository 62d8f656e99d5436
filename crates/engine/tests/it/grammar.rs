//! Answers under a grammar: whatever the weights say, the text is what was asked for.
use crate::fixture::Tiny;
use crate::whole::{EVERY, model, prompt, request};
use reckon_engine::{
    Drafting, Error, Event, Finish, Generation, Model, ModelOptions, Priority, Request, Sampling,
    Scheduler, SchedulerOptions, Session, Shape,
};
use reckon_gguf::Format;
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Every part of it is bounded, so that an answer ends.
const SCHEMA: &str = r##"{
    "type": "object",
    "properties": {
        "name": { "type": "string", "maxLength": 6 },
        "size": { "enum": ["small", "large"] },
        "ages": { "type": "array", "items": { "type": "integer", "minimum": -9, "maximum": 120 }, "minItems": 1, "maxItems": 3 },
        "next": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/point" }] }
    },
    "required": ["name", "size", "ages", "next"],
    "additionalProperties": false,
    "$defs": { "point": { "type": "object", "properties": { "x": { "type": "boolean" } }, "required": ["x"], "additionalProperties": false } }
}"##;

const SENTENCES: &str = r#"start: SENTENCE (" " SENTENCE){0,2}
SENTENCE: WORD " " WORD " " WORD "."
WORD: /[a-z]{1,5}/"#;

const CHOICES: [&str; 4] = ["yes", "no", "it \"depends\"\n", "ja ▁ 🙂"];

fn shapes() -> [Shape; 4] {
    [
        Shape::Schema(SCHEMA.into()),
        Shape::Regex(r"(the [a-c/é]{2,4} [0-9]{1,2}\n){1,3}".into()),
        Shape::Lark(SENTENCES.into()),
        Shape::Choices(CHOICES.map(String::from).to_vec()),
    ]
}

/// Whether a text is what a shape of `shapes` asks for, told without any grammar.
fn fits(which: usize, text: &str) -> bool {
    match which {
        0 => is_person(&serde_json::from_str(text).expect("JSON")),
        1 => {
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            (1..=3).contains(&lines.len()) && lines.iter().all(|line| is_line(line))
        }
        2 => {
            let sentences: Vec<&str> = text.split_inclusive('.').map(str::trim_start).collect();
            let three = |s: &&str| s.ends_with('.') && s.split(' ').count() == 3;
            (1..=3).contains(&sentences.len()) && sentences.iter().all(three)
        }
        _ => CHOICES.contains(&text),
    }
}

fn is_person(value: &Value) -> bool {
    let map = value.as_object().expect("an object");
    let name = value["name"].as_str().expect("a name");
    let ages = value["ages"].as_array().expect("ages");
    let next = &value["next"];
    map.len() == 4
        && name.chars().count() <= 6
        && ["small", "large"].contains(&value["size"].as_str().expect("a size"))
        && (1..=3).contains(&ages.len())
        && ages
            .iter()
            .all(|age| (-9..=120).contains(&age.as_i64().expect("an integer")))
        && (next.is_null() || next["x"].is_boolean())
}

fn is_line(line: &str) -> bool {
    let parts: Vec<&str> = line.trim_end().split(' ').collect();
    let [the, letters, digits] = parts[..] else {
        return false;
    };
    the == "the"
        && (2..=4).contains(&letters.chars().count())
        && letters.chars().all(|c| "abc/é".contains(c))
        && (1..=2).contains(&digits.len())
        && digits.chars().all(|c| c.is_ascii_digit())
}

fn ways() -> impl Iterator<Item = Sampling> {
    (0..6).map(|seed| Sampling {
        temperature: [0.0, 0.7, 3.0][seed % 3],
        top_k: [0, 40][seed % 2],
        repetition_penalty: [1.0, 1.2][seed % 2],
        seed: seed as u64,
        ..Sampling::default()
    })
}

fn constrained(model: &Model, shape: &Shape, sampling: Sampling) -> Request {
    Request {
        sampling,
        grammar: Some(model.grammar(shape).expect("a grammar")),
        ..request(prompt(model, 23), 600)
    }
}

fn answer(model: &Arc<Model>, request: &Request) -> Generation {
    let mut shown = String::new();
    let generation = Session::new(model.clone())
        .generate(request, &mut |event| {
            if let Event::Text(text) = event {
                shown += text;
            }
            ControlFlow::Continue(())
        })
        .expect("an answer");
    assert_eq!(shown, generation.text);
    generation
}

#[test]
fn whatever_the_weights_say_the_answer_fits() {
    for (architecture, format) in EVERY {
        let model = model(&Tiny::new(architecture, format), &ModelOptions::default());
        let mut texts = Vec::new();
        for (which, shape) in shapes().iter().enumerate() {
            for sampling in ways() {
                let generation = answer(&model, &constrained(&model, shape, sampling));
                let text = generation.text;
                assert_eq!(generation.finish, Finish::Stop, "{architecture} {text:?}");
                assert!(fits(which, &text), "{architecture} {shape:?}: {text:?}");
                assert_eq!(generation.thought, "");
                texts.push(text);
            }
        }
        texts.sort();
        texts.dedup();
        assert!(
            texts.len() > 8,
            "{architecture}: the model has no say: {texts:?}"
        );
    }
}

#[test]
fn guesses_and_company_do_not_change_a_byte() {
    let tiny = Tiny::new("gemma4", Format::Q4_0);
    let load = |drafting| {
        let options = ModelOptions {
            drafting,
            ..ModelOptions::default()
        };
        model(&tiny, &options)
    };
    let (plain, guessing) = (load(Drafting::Never), load(Drafting::Always));
    let requests = |model: &Arc<Model>| -> Vec<Request> {
        let shapes = shapes();
        let pairs = ways().zip(shapes.iter().cycle());
        pairs
            .map(|(sampling, shape)| constrained(model, shape, sampling))
            .collect()
    };
    let want: Vec<Generation> = requests(&plain).iter().map(|r| answer(&plain, r)).collect();
    for (request, want) in requests(&guessing).iter().zip(&want) {
        assert_eq!(answer(&guessing, request).tokens, want.tokens);
    }
    let mut scheduler = Scheduler::new(guessing.clone(), SchedulerOptions::default());
    for request in requests(&guessing) {
        let submitted = scheduler.submit(request, Priority::Interactive);
        submitted.expect("room");
    }
    let mut answers = scheduler.run(&mut |_, _| ControlFlow::Continue(()));
    answers.sort_by_key(|(ticket, _)| *ticket);
    assert_eq!(answers.len(), want.len());
    for ((_, got), want) in answers.iter().zip(&want) {
        assert_eq!((&got.text, got.finish), (&want.text, want.finish));
    }
}

#[test]
fn an_answer_that_is_cut_says_so() {
    let model = model(&Tiny::new("qwen2", Format::Q8_0), &ModelOptions::default());
    let whole = constrained(&model, &Shape::Schema(SCHEMA.into()), Sampling::default());
    let text = answer(&model, &whole).text;
    let cut = Request {
        max_tokens: Some(5),
        ..whole
    };
    let generation = answer(&model, &cut);
    assert_eq!(generation.finish, Finish::Length);
    assert!(text.starts_with(&generation.text), "{:?}", generation.text);
}

#[test]
fn the_end_is_the_models_choice_where_the_grammar_allows_it() {
    let model = model(&Tiny::new("llama", Format::Q6_K), &ModelOptions::default());
    let mut lengths = Vec::new();
    for seed in 0..20 {
        let sampling = Sampling {
            temperature: 30.0,
            top_k: 0,
            top_p: 1.0,
            seed,
            ..Sampling::default()
        };
        let generation = answer(
            &model,
            &constrained(&model, &Shape::Regex("a{3,}".into()), sampling),
        );
        assert!(generation.text.len() >= 3, "no end before it is allowed");
        assert!(generation.text.bytes().all(|b| b == b'a'));
        lengths.push((generation.text.len(), generation.finish));
    }
    assert!(lengths.iter().any(|(_, finish)| *finish == Finish::Stop));
    assert!(lengths.iter().any(|(len, _)| *len > 3), "{lengths:?}");
}

#[test]
fn thinking_is_free_and_the_answer_is_not() {
    let tiny = Tiny::new("gemma4", Format::Q4_0);
    let model = model(&tiny, &ModelOptions::default());
    let mut closed = 0;
    for seed in 0..8 {
        let mut request = constrained(
            &model,
            &Shape::Choices(vec!["yes".into(), "no".into()]),
            Sampling {
                temperature: 30.0,
                top_k: 0,
                top_p: 1.0,
                seed,
                ..Sampling::default()
            },
        );
        request.prompt = model
            .tokenizer()
            .encode_template("<|turn>model\n<|channel>thought\n")
            .into();
        let generation = answer(&model, &request);
        // Chance also ends answers inside their thinking; then there is no text.
        if generation.text.is_empty() {
            continue;
        }
        closed += 1;
        assert!(
            ["yes", "no"].contains(&&*generation.text),
            "{}",
            generation.text
        );
        assert!(!generation.thought.is_empty());
    }
    assert!(closed > 0, "no thinking was closed: nothing was tested");
}

#[test]
fn a_marker_in_letters_is_text_under_a_grammar() {
    let model = model(&Tiny::new("qwen3", Format::Q4_K), &ModelOptions::default());
    for text in ["<think>a</think> b", " <think>", "  x \n"] {
        let shape = Shape::Choices(vec![text.into()]);
        let generation = answer(&model, &constrained(&model, &shape, Sampling::default()));
        assert_eq!((&*generation.text, &*generation.thought), (text, ""));
    }
}

#[test]
fn a_grammar_belongs_to_its_model() {
    let load = || model(&Tiny::new("qwen2", Format::Q8_0), &ModelOptions::default());
    let (one, other) = (load(), load());
    let request = constrained(&one, &Shape::Regex("a".into()), Sampling::default());
    let mut session = Session::new(other.clone());
    let refused = session.generate(&request, &mut |_| ControlFlow::Continue(()));
    let error = refused.expect_err("another model's");
    assert!(error.to_string().contains("another model"), "{error}");
}

#[test]
fn a_shape_tells_which_texts_it_allows() {
    let shapes = shapes();
    let allowed = [
        r#"{"name": "é\"x", "size":"small",
  "ages": [1, -9], "next": {"x":true}}"#,
        "the a/é 12\nthe bb 3\n",
        "a b c. d e f.",
        "ja ▁ 🙂",
    ];
    let others = [
        r#"{"name": "x", "size": "small", "ages": [121], "next": null}"#,
        "the a/é 12",
        "a b c. d e",
        "ja",
    ];
    for ((shape, yes), no) in shapes.iter().zip(allowed).zip(others) {
        assert!(shape.allows(yes).expect("a shape"), "{yes}");
        assert!(!shape.allows(no).expect("a shape"), "{no}");
        assert!(!shape.allows("").expect("a shape"));
        assert!(!shape.allows(&format!("{yes} ")).expect("a shape"));
    }
}

#[test]
fn white_space_in_json_is_bounded() {
    let shape = Shape::Schema(r#"{"type": "array", "items": {"type": "null"}}"#.into());
    let allows = |text: &str| shape.allows(text).expect("a shape");
    assert!(allows("[null, null]") && allows("[\n    null,\n    null\n]"));
    assert!(!allows("[null,  null]") && !allows("[\n\nnull]"));
    assert!(!allows(&format!("[\n{}null]", " ".repeat(25))));
}

#[track_caller]
fn schema_allows(schema: &str, allowed: &[&str], others: &[&str]) {
    let shape = Shape::Schema(schema.into());
    let check = |text: &str| shape.allows(text).expect("a shape");
    for text in allowed {
        assert!(check(text), "{schema}: {text}");
    }
    for text in others {
        assert!(!check(text), "{schema}: {text}");
    }
}

#[test]
fn a_key_has_one_spelling() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}"#;
    let others = [r#"{"\u0061": "x"}"#, r#"{"a": "x"}"#, r#"{"b": "\u0061"}"#];
    schema_allows(
        schema,
        &[r#"{"a": 1, "b": "x"}"#, r#"{"b\n": "\"é🙂"}"#],
        &others,
    );
}

#[test]
fn a_key_written_twice_satisfies_no_minimum() {
    let schema = r#"{"type": "object", "required": ["a"], "minProperties": 2, "properties": {"a": {"type": "null"}}, "additionalProperties": {"type": "null"}}"#;
    let others = [r#"{"a": null}"#, r#"{"a": null, "a": null}"#];
    schema_allows(schema, &[r#"{"a": null, "b": null}"#], &others);
    for schema in [
        r#"{"type": "object", "minProperties": 2}"#,
        r#"{"type": "object", "minProperties": 3.0, "required": ["a"]}"#,
        r#"{"type": "object", "minProperties": 3, "required": ["a", "a"]}"#,
        r#"{"items": {"anyOf": [{"minProperties": 2}]}}"#,
        r#"{"properties": {"enum": {"minProperties": 2}}}"#,
        r##"{"$ref": "#/$defs/x", "$defs": {"x": {"minProperties": 2}}}"##,
    ] {
        let error = Shape::Schema(schema.into()).check().expect_err(schema);
        assert!(error.to_string().contains("`minProperties`"), "{error}");
    }
    assert!(
        Shape::Schema(r#"{"type": "object", "minProperties": 1}"#.into())
            .check()
            .is_ok()
    );
}

#[test]
fn references_are_followed_however_they_are_written() {
    let defs = r#""$defs": {"a b": {"type": "null"}, "c/d": {"type": "array", "items": {"$ref": "REF"}}, "e~f": {"type": "integer"}, "é": {"type": "boolean"}, "part 0": {"type": "string"}}"#;
    for (reference, allowed, other) in [
        ("#/$defs/a b", "null", "1"),
        ("#/$defs/a%20b", "null", "1"),
        ("#/%24defs/a%20b", "null", "1"),
        ("#/$defs/e~0f", "1", "null"),
        ("#/$defs/%C3%A9", "true", "null"),
        ("s.json#/$defs/a%20b", "null", "1"),
        ("https://a.b/x/s.json#/$defs/e~0f", "1", "null"),
        ("#/$defs/c~1d", "[[], [[]]]", "[1]"),
        ("#/$defs/c%2Fd", "", ""),
    ] {
        let defs = defs.replace("REF", "#/$defs/c~1d");
        let schema = format!(r#"{{"$id": "https://a.b/x/s.json", "$ref": "{reference}", {defs}}}"#);
        if allowed.is_empty() {
            // A slash that is percent-encoded is still a slash: there is no such part.
            assert!(Shape::Schema(schema).check().is_err());
            continue;
        }
        schema_allows(&schema, &[allowed], &[other]);
    }
    let own = r#"{"$id": "https://a.b/s.json", "type": "array", "items": {"$ref": "https://a.b/s.json"}}"#;
    schema_allows(own, &["[[], [[]]]"], &["[1]"]);
    let hash = own.replace("s.json\"}", "s.json#\"}");
    schema_allows(&hash, &["[[], [[]]]"], &["[1]"]);
    let named = r##"{"properties": {"const": {"$ref": "#/$defs/x~0y"}}, "required": ["const"], "$defs": {"x~y": {"type": "null"}}}"##;
    schema_allows(named, &[r#"{"const": null}"#], &[r#"{"const": 1}"#]);
}

#[test]
fn an_integer_may_be_written_with_a_point() {
    let schema =
        r#"{"type": "array", "minItems": 2.0, "maxItems": 2.0, "items": {"type": "integer"}}"#;
    schema_allows(schema, &["[1, 2]"], &["[1]", "[1, 2, 3]", "[1, 2.5]"]);
    schema_allows(r#"{"type": "integer", "const": 2.0}"#, &["2"], &["3"]);
    schema_allows(r#"{"enum": [1.0, 2.5]}"#, &["1", "2.5"], &["2"]);
}

#[test]
fn a_format_that_nobody_knows_is_an_annotation() {
    let schema = r#"{"type": "string", "format": "no-such", "maxLength": 2}"#;
    schema_allows(schema, &[r#""ab""#], &[r#""abc""#, "1"]);
    schema_allows(
        r#"{"type": "string", "format": "date"}"#,
        &[r#""2024-02-28""#],
        &[r#""x""#],
    );
    // A property of that name is no keyword.
    let property = r#"{"type": "object", "properties": {"format": {"const": "x"}}, "required": ["format"], "additionalProperties": false}"#;
    schema_allows(property, &[r#"{"format": "x"}"#], &[r#"{"format": "y"}"#]);
}

#[test]
fn what_cannot_be_followed_is_refused_in_one_line() {
    let deep = "[".repeat(5000);
    let brackets = "(".repeat(3000) + &")".repeat(3000);
    let rule = format!("start: {brackets}");
    let long = format!("{{\"title\": \"{}\"}}", "x".repeat(1 << 18));
    let wide = format!("{{\"enum\": [{}1]}}", "1,".repeat(30_000));
    let cut = format!(
        r#"{{"not": {{"const": "{}é"}}, "type": 5}}"#,
        "x".repeat(70)
    );
    let json = [
        ("", "no JSON"),
        ("[1]", "is an object"),
        ("false", "allows nothing"),
        (&deep, "no JSON"),
        (&long, "bytes"),
        (&wide, "parts"),
        (r#"{"type": "array", "minItems": 1000000000}"#, "minItems"),
        (r#"{"type": "string", "maxLength": 1e300}"#, "maxLength"),
        (r#"{"type": "array", "uniqueItems": true}"#, "uniqueItems"),
        (r#"{"not": {"type": "null"}}"#, "not"),
        (r#"{"if": {"type": "null"}, "then": true}"#, "if"),
        (r##"{"$ref": "#/$defs/none"}"##, "none"),
        (r#"{"$ref": "https://example.com/s.json"}"#, "ref"),
        (r#"{"type": "object", "minProperties": 2}"#, "minProperties"),
        (
            r#"{"oneOf": [{"type": "object"}, {"minProperties": 1}]}"#,
            "anyOf",
        ),
        (r##"{"$ref": "#/$defs/a%ff"}"##, "UTF-8"),
        (
            r#"{"$id": "https://a.b/s.json", "$ref": "https://a.b/t.json"}"#,
            "own parts",
        ),
        (r#"{"type": "string", "pattern": "(?=a)"}"#, ""),
        (r#"{"type": "integer", "minimum": 5, "maximum": 4}"#, ""),
        (r#"{"type": 5}"#, "type"),
        (r#"{"x-guidance": {"lenient": true}}"#, "x-guidance"),
        (&cut, ""),
    ];
    let regexes = ["(", "(?=a)b", &brackets];
    let larks = [
        "",
        "begin: \"a\"",
        "start: other",
        "start: \"a",
        "start: start \"a\"",
        &rule,
    ];
    let mut shapes: Vec<(Shape, &str)> = Vec::new();
    shapes.extend(
        json.iter()
            .map(|(text, why)| (Shape::Schema((*text).into()), *why)),
    );
    shapes.extend(
        regexes
            .iter()
            .map(|text| (Shape::Regex((*text).into()), "")),
    );
    shapes.extend(larks.iter().map(|text| (Shape::Lark((*text).into()), "")));
    shapes.extend([
        (Shape::Choices(Vec::new()), "choices"),
        (Shape::Choices(vec!["a".into(), String::new()]), "empty"),
    ]);
    for (shape, why) in shapes {
        let short: String = format!("{shape:?}").chars().take(100).collect();
        let started = Instant::now();
        let error = shape.check().expect_err(&short);
        assert!(started.elapsed() < Duration::from_secs(5), "slow: {short}");
        let Error::Grammar(line) = &error else {
            panic!("{error}")
        };
        assert!(line.contains(why), "{short}: {line}");
        assert!(!line.contains('\n') && line.len() < 1300, "{line}");
    }
}
