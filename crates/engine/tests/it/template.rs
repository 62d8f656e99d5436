//! Templates: the pinned ones, files' own, injection, BOS, bounds; and texts equal to what Jinja2 renders.
use crate::fixture::Tiny;
use crate::vocabularies::{MARKERS, Owned, byte_level, chars};
use crate::whole::{model, request};
use proptest::prelude::*;
use reckon_engine::{
    Error, Kind, Message, ModelOptions, Renderer, Role, Session, Template, TemplateOptions, Token,
    Tokenizer, Tool, ToolCall, render,
};
use reckon_gguf::Format;
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

fn message(role: Role, content: &str) -> Message {
    Message::new(role, content)
}

fn conversation() -> Vec<Message> {
    vec![
        message(Role::System, "Be brief."),
        message(Role::User, " Hello "),
        message(Role::Assistant, "Hi"),
        message(Role::User, "the world"),
    ]
}

/// A file with this name and no template.
fn pinned(tokenizer: &Tokenizer, name: &str) -> Template {
    let mut writer = reckon_gguf::Writer::new();
    writer.str("general.name", name);
    let file = reckon_gguf::File::parse(writer.to_vec(&[]).expect("a file")).expect("a sound file");
    let template = Template::from_gguf(&file, tokenizer).expect("one of ours");
    assert!(!template.is_own());
    template
}

pub(crate) fn shown(tokenizer: &Tokenizer, tokens: &[Token]) -> String {
    let bytes: Vec<u8> = tokens
        .iter()
        .flat_map(|&t| tokenizer.piece_with_control(t))
        .copied()
        .collect();
    String::from_utf8(bytes).expect("text")
}

#[test]
fn pinned_templates_follow_their_families() {
    let thinking = TemplateOptions {
        thinking: true,
        ..TemplateOptions::default()
    };
    let plain = TemplateOptions::default();
    let gemma4 = chars("gemma4");
    let chatml = byte_level("qwen2").without(&["<|turn>", "<|start_header_id|>"]);
    let llama3 = byte_level("llama-bpe").without(&["<|turn>"]);
    let gemma3 = || chars("llama").without(&["<|turn>", "<|start_header_id|>", "<|im_start|>"]);
    let cases: [(Owned, &str, &TemplateOptions, &str); 6] = [
        (
            gemma4,
            "x",
            &thinking,
            "<bos><|turn>system\n<|think|>\nBe brief.<turn|>\n<|turn>user\nHello<turn|>\n<|turn>model\nHi<turn|>\n<|turn>user\nthe world<turn|>\n<|turn>model\n",
        ),
        (
            chars("gemma4"),
            "x",
            &plain,
            "<bos><|turn>system\nBe brief.<turn|>\n<|turn>user\nHello<turn|>\n<|turn>model\nHi<turn|>\n<|turn>user\nthe world<turn|>\n<|turn>model\n",
        ),
        (
            chatml,
            "x",
            &plain,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n Hello <|im_end|>\n<|im_start|>assistant\nHi<|im_end|>\n<|im_start|>user\nthe world<|im_end|>\n<|im_start|>assistant\n",
        ),
        (
            llama3,
            "Llama 3 8B Instruct",
            &plain,
            "<bos><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nHi<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nthe world<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
        ),
        (
            gemma3(),
            "gemma-3-1b-it",
            &plain,
            "<bos><start_of_turn>user\nBe brief.\n\nHello<end_of_turn>\n<start_of_turn>model\nHi<end_of_turn>\n<start_of_turn>user\nthe world<end_of_turn>\n<start_of_turn>model\n",
        ),
        (
            gemma3(),
            "Gemma 3 270m",
            &plain,
            "<bos>Be brief.\n\nUser: Hello\nAssistant: Hi\nUser: the world\nAssistant:",
        ),
    ];
    for (owned, name, options, want) in cases {
        let tokenizer = owned.tokenizer();
        let template = pinned(&tokenizer, name);
        let tokens = template
            .prompt(&tokenizer, &conversation(), options)
            .expect("a prompt");
        assert_eq!(shown(&tokenizer, &tokens), want);
        assert_eq!(template.stop().is_some(), want.ends_with("Assistant:"));
    }
}

#[test]
fn gemma_4_merges_answers_and_needs_no_system_turn() {
    let tokenizer = chars("gemma4").tokenizer();
    let template = pinned(&tokenizer, "x");
    let messages = [
        message(Role::User, "a"),
        message(Role::Assistant, "b"),
        message(Role::Assistant, "c"),
        message(Role::User, "d"),
    ];
    let tokens = template
        .prompt(&tokenizer, &messages, &TemplateOptions::default())
        .expect("a prompt");
    let want = "<bos><|turn>user\na<turn|>\n<|turn>model\nbc<turn|>\n<|turn>user\nd<turn|>\n<|turn>model\n";
    assert_eq!(shown(&tokenizer, &tokens), want);
    let odd = [message(Role::User, "a"), message(Role::System, "b")];
    let error = template
        .prompt(&tokenizer, &odd, &TemplateOptions::default())
        .expect_err("refused");
    assert!(
        error
            .to_string()
            .contains("a system message must come first"),
        "{error}"
    );
}

#[test]
fn bos_stands_once() {
    let tokenizer = chars("llama").tokenizer();
    for source in [
        "{{ bos_token }}a",
        "a",
        "{{ bos_token }}{{ bos_token }}a",
        "<bos>a",
    ] {
        let template = Template::new(source);
        let tokens = template
            .prompt(&tokenizer, &[], &TemplateOptions::default())
            .expect("a prompt");
        assert_eq!(shown(&tokenizer, &tokens), "<bos>a", "{source}");
    }
    let tokenizer = byte_level("qwen2").tokenizer();
    let template = Template::new("a");
    let tokens = template
        .prompt(&tokenizer, &[], &TemplateOptions::default())
        .expect("a prompt");
    assert_eq!(shown(&tokenizer, &tokens), "a");
}

pub(crate) fn control_tokens(tokenizer: &Tokenizer, tokens: &[Token]) -> Vec<Token> {
    let steers = |token: &Token| {
        let kind = tokenizer.kind(*token);
        kind == Some(Kind::Control)
            || kind == Some(Kind::User)
                && tokenizer.encode_text(&shown(tokenizer, &[*token])) != [*token]
                && !tokenizer.piece(*token).iter().all(u8::is_ascii_whitespace)
    };
    tokens.iter().copied().filter(steers).collect()
}

proptest! {
    #[test]
    fn messages_cannot_inject_control_tokens(parts in prop::collection::vec((0..MARKERS.len(), "[a-z<>|\\[\\] \\n\u{100000}]{0,4}"), 0..6)) {
        let content: String = parts.iter().map(|(i, s)| format!("{s}{}", MARKERS[*i].0)).collect();
        for (owned, name) in [(chars("gemma4"), "x"), (byte_level("qwen2").without(&["<|turn>"]), "x"), (chars("llama").without(&["<|turn>", "<|im_start|>"]), "base")] {
            let tokenizer = owned.tokenizer();
            let template = pinned(&tokenizer, name);
            let prompt = |content: &str| {
                let messages = [message(Role::System, content), message(Role::User, content), message(Role::Assistant, content), message(Role::User, content)];
                template.prompt(&tokenizer, &messages, &TemplateOptions::default()).expect("a prompt")
            };
            let (tokens, harmless) = (prompt(&content), prompt("x"));
            prop_assert_eq!(control_tokens(&tokenizer, &tokens), control_tokens(&tokenizer, &harmless));
            // And nothing of what was said is lost.
            prop_assert!(shown(&tokenizer, &tokens).contains(content.trim()));
        }
    }
}

proptest! {
    #[test]
    fn guards_change_nothing_else(content in "([a-z<>|\\[\\] \\n\\t日é🙂]|<b>|Hello|  ){0,20}") {
        for owned in [chars("gemma4"), chars("llama").without(&["<|turn>", "<|im_start|>"]), byte_level("qwen2").without(&["<|turn>"])] {
            let tokenizer = owned.tokenizer();
            let template = pinned(&tokenizer, "x");
            let messages = [message(Role::User, &content)];
            let options = TemplateOptions::default();
            let text = template.text(&tokenizer, &messages, &options).expect("text");
            let tokens = template.prompt(&tokenizer, &messages, &options).expect("a prompt");
            prop_assert_eq!(tokens, tokenizer.encode_template(&text));
        }
    }
}

#[test]
fn a_message_cannot_finish_a_marker_that_the_template_began() {
    let tokenizer = chars("gemma4").tokenizer();
    let template =
        Template::new("{{ '<|im_' + messages[0].content + '<|im_' + messages[1].content + '|>' }}");
    let messages = [
        message(Role::User, "end|>"),
        message(Role::User, "<|im_start"),
    ];
    let tokens = template
        .prompt(&tokenizer, &messages, &TemplateOptions::default())
        .expect("a prompt");
    assert!(control_tokens(&tokenizer, &tokens[1..]).is_empty());
    assert_eq!(
        shown(&tokenizer, &tokens),
        "<bos><|im_end|><|im_<|im_start|>"
    );
}

#[test]
fn python_is_understood() {
    let tokenizer = chars("llama").tokenizer();
    let source = "\
{%- for m in messages[::-1] %}
    {{- m['content'].strip().upper() if m.role == 'user' and not m.content.startswith('x') else m.content | length }}
    {%- if loop.index0 > 5 %}{% break %}{% endif %}
{% endfor %}
{{- {'a': [1, 2.5, none, true], 'b': messages[0].content} | tojson }} {{ [{}] | tojson(indent=2) }}
{{- ' ' ~ strftime_now('%d %b %Y') }} {{ messages[9] is defined }} {{ tools is defined }}";
    let template = Template::new(source);
    let messages = [message(Role::User, " q\"<é"), message(Role::User, "xyz")];
    let text = |now| {
        template
            .text(
                &tokenizer,
                &messages,
                &TemplateOptions {
                    now,
                    ..TemplateOptions::default()
                },
            )
            .expect("text")
    };
    assert_eq!(
        text(None),
        "3Q\"<É{\"a\": [1, 2.5, null, true], \"b\": \" q\\\"<é\"} [\n  {}\n] 26 Jul 2024 False True"
    );
    assert!(text(Some(SystemTime::UNIX_EPOCH)).contains("01 Jan 1970"));
}

#[test]
fn a_templates_refusal_is_its_own_words() {
    let tokenizer = chars("llama").tokenizer();
    let template = Template::new("a\n{{ raise_exception('roles must alternate') }}");
    let error = template
        .prompt(&tokenizer, &[], &TemplateOptions::default())
        .expect_err("refused");
    assert_eq!(
        error.to_string(),
        "chat template: roles must alternate (line 2)"
    );
    let broken = Template::new("{% if %}");
    let error = broken
        .prompt(&tokenizer, &[], &TemplateOptions::default())
        .expect_err("no template");
    assert!(
        matches!(&error, Error::Template(why) if why.contains("line 1")),
        "{error}"
    );
}

fn rendered(source: &str, messages: &[Message]) -> Result<String, Error> {
    let tokenizer = chars("llama").tokenizer();
    Template::new(source).text(&tokenizer, messages, &TemplateOptions::default())
}

#[test]
fn what_hugging_face_passes_is_there() {
    let source = "{{ tools is none }} {{ documents is none }} {{ add_generation_prompt }} {{ date_string is defined }}";
    let text = rendered(source, &[]).expect("text");
    assert_eq!(text, "True True True False");
    let source = "{% if tools %}T{% endif %}{% if tools is not none and tools|length %}T{% endif %}{% if documents %}D{% endif %}.";
    assert_eq!(rendered(source, &[]).expect("text"), ".");
    let source = "{{ tools is iterable and tools|length > 0 }} {{ 'a' is iterable }} {{ [] is iterable }} {{ 1 is iterable }}";
    let text = rendered(source, &[]).expect("text");
    assert_eq!(text, "False True True False");
}

#[test]
fn generation_blocks_are_transparent() {
    let source = "\
{% for m in messages %}
{% if m.role == 'assistant' %}
    {%- generation -%}
    {{ m.content }}
    {% endgeneration %}
{%- else -%}
{{ m.content }}
{%- endif %}
{%- endfor %}
{% if false %}{% generation %}x{% endgeneration %}{% endif %}{{ {'generation': 1}.generation }}";
    let messages = [message(Role::User, "a"), message(Role::Assistant, "b")];
    // The line break behind `{{ … }}` stays, as in Jinja.
    assert_eq!(rendered(source, &messages).expect("text"), "ab\n1");
}

#[test]
fn operators_do_what_pythons_do() {
    for (expression, want) in [
        ("1 + 2 * 3 - 4", "3"),
        ("2 * 2.5 + true", "6.0"),
        ("'a' * 3 ~ 1 ~ none ~ nothing", "aaa1None"),
        ("'a' * -1 ~ '.'", "."),
        ("3 * 'ab' + 'c'", "abababc"),
        ("([1] + [2]) * 2", "[1, 2, 1, 2]"),
        ("((1,) + (2,))[::-1]", "(2, 1)"),
        ("9223372036854775807 + 1", "9223372036854775808"),
        (
            "'abcdef'[1:4] ~ 'abcdef'[::-2] ~ 'abcdef'[-2:] ~ 'abcdef'[4:1:-1]",
            "bcdfdbefedc",
        ),
        ("'日本語'[1:] ~ 'ab'[5:] ~ 'ab'[:-5] ~ 'ab'[-5:1]", "本語a"),
        ("[1, 2, 3][1:] + [4][:1]", "[2, 3, 4]"),
        ("nothing[1:]", "[]"),
        ("dict(a=1, **{'b': 2})|tojson", "{\"a\": 1, \"b\": 2}"),
        (
            "'-'.join(['a', 'b']) ~ ['a', 'b']|join('+') ~ 'a-b'.split('-')|last",
            "a-ba+bb",
        ),
        (
            "'a\nb'|indent(2) ~ 'aXa'|replace('X', '--') ~ '%s=%d'|format('a', 1)",
            "a\n  ba--aa=1",
        ),
        ("range(5)|select('odd')|map('string')|list", "['1', '3']"),
        (
            "[{'a': 1}, {'a': 2}]|selectattr('a', 'equalto', 2)|map(attribute='a')|list",
            "[2]",
        ),
        ("[{'a': 1}, {'b': 2}]|rejectattr('a')|list|length", "1"),
        ("1 < 2 < 3 and 2 in [1, 2] and 'b' not in 'aac'", "True"),
    ] {
        let text = rendered(&format!("{{{{ {expression} }}}}"), &[]);
        assert_eq!(text.expect(expression), want, "{expression}");
    }
    let macros = "{% macro f(a, b=2 * 3) %}{{ a * b }}{% endmacro %}{{ f(2) }}{{ f('x', b=2) }}{% for k, v in {'a': 1}.items() if v %}{{ k ~ v }}{% endfor %}";
    assert_eq!(rendered(macros, &[]).expect("text"), "12xxa1");
    let set = "{% set n = namespace(a=[], s='') %}{% for i in range(3) %}{% set n.a = n.a + [i * 2] %}{% set n.s = n.s ~ i %}{% endfor %}{{ n.a }}{{ n.s }}{% set x %}a{{ n.s }}{% endset %}{{ x|upper }}";
    assert_eq!(rendered(set, &[]).expect("text"), "[0, 2, 4]012A012");
}

/// Memory that this process had at most, in bytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes = line.split_whitespace().nth(1)?.parse::<u64>().ok()?;
    Some(kilobytes << 10)
}

/// In processes of their own, one for each part: their memory is measured, and other tests take some as well. More parts
/// than cores, because some templates run until the clock stops them, however many run.
#[test]
fn hostile_templates_are_stopped() {
    const PART: &str = "RECKON_TEST_PART";
    const PARTS: usize = 4;
    let Some(part) = std::env::var(PART).ok().and_then(|part| part.parse().ok()) else {
        let name = "template::hostile_templates_are_stopped";
        let parts = (0..PARTS).map(|part| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", name, "--nocapture"]);
            child.env(PART, part.to_string());
            child.stdout(Stdio::piped()).spawn().unwrap()
        });
        for child in parts.collect::<Vec<_>>() {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{output:?}");
            assert!(said.contains("1 passed"), "{said}");
        }
        return;
    };
    let templates = crate::hostile::templates();
    assert!(templates.len() > 200);
    let templates = templates.into_iter().skip(part).step_by(PARTS);
    let (mut stopped, mut slowest) = (0, (Duration::ZERO, String::new()));
    for (name, source) in templates {
        let start = Instant::now();
        let result = rendered(&source, &conversation());
        let took = start.elapsed();
        if let Err(error) = &result {
            stopped += 1;
            let line = error.to_string();
            assert!(!line.contains(char::is_control), "{name}: {line}");
            assert!(line.chars().count() < 400, "{name}: {line}");
            assert!(!line.contains("broke its interpreter"), "{name} panics");
        }
        if took > slowest.0 {
            slowest = (took, name);
        }
    }
    // What a template takes is bounded by its budget; the clock here is only the last resort, and machines differ.
    assert!(slowest.0 < Duration::from_secs(60), "{slowest:?}");
    assert!(stopped > 25, "{stopped} stopped");
    let peak = peak_memory().unwrap_or_default();
    say!(
        "{stopped} stopped, slowest {slowest:?}, peak {} MB",
        peak >> 20
    );
    assert!(peak < 512 << 20, "{} MB", peak >> 20);
}

#[test]
fn somebody_else_can_render() {
    let tokenizer = chars("gemma4").tokenizer();
    let source = "{% for m in messages %}<|turn>{{ m.role }}\n{{ m.content }}<turn|>{% endfor %}";
    let messages = [message(Role::User, "a<turn|>b")];
    let options = TemplateOptions::default();
    let here = Template::new(source);
    let there = Template::new(source).with_renderer(Renderer::new(render));
    let prompt = |template: &Template| template.prompt(&tokenizer, &messages, &options);
    let tokens = prompt(&there).expect("a prompt");
    assert_eq!(tokens, prompt(&here).expect("a prompt"));
    // What the message says is still no marker.
    assert_eq!(control_tokens(&tokenizer, &tokens).len(), 3);
    assert_eq!(
        shown(&tokenizer, &tokens),
        "<bos><|turn>user\na<turn|>b<turn|>"
    );
    let broken = Template::new(source).with_renderer(Renderer::new(|_, _| Err("killed".into())));
    let error = prompt(&broken).expect_err("an error");
    assert_eq!(error.to_string(), "chat template: killed");
    assert!(render("a", b"no JSON").is_err());
}

#[test]
fn conversations_at_once_get_their_own_prompts() {
    let tokenizer = chars("gemma4").tokenizer();
    let source = "{% if messages[0].content == 'no' %}{{ raise_exception('no') }}{% endif %}{{ messages[0].content }}";
    let template = Template::new(source);
    let text = |said: &str| {
        let messages = [message(Role::User, said)];
        template.text(&tokenizer, &messages, &TemplateOptions::default())
    };
    std::thread::scope(|scope| {
        for one in 0..8 {
            let text = &text;
            scope.spawn(move || {
                for other in 0..25 {
                    let said = format!("{one} and {other}");
                    assert_eq!(text(&said).expect("a prompt"), said);
                    assert!(text("no").is_err());
                }
            });
        }
    });
}

#[test]
fn a_template_that_cannot_be_used_stops_only_conversations() {
    for template in [
        "{% if %}",
        "{{ 'a' * 99999999 }}",
        "{{ raise_exception('no') }}",
    ] {
        let tiny = Tiny {
            template: Some(template),
            ..Tiny::new("llama", Format::Q8_0)
        };
        let model = model(&tiny, &ModelOptions::default());
        let error = model
            .prompt(&[message(Role::User, "a")], &TemplateOptions::default())
            .expect_err("no conversation");
        assert!(matches!(error, Error::Template(_)), "{error}");
        assert_eq!(model.default_system(), None);
        // A completion needs no template.
        let tokens = model.tokenizer().encode_text("Hello");
        let request = request(tokens, 4);
        let mut session = Session::new(model.clone());
        let answer = session.generate(&request, &mut |_| ControlFlow::Continue(()));
        assert_eq!(answer.expect("an answer").usage.completion, 4);
    }
}

/// A message as Hugging Face writes it.
fn said(json: &serde_json::Value) -> Message {
    let str = |key: &str| json[key].as_str().unwrap_or_default();
    let call = |call: &serde_json::Value| ToolCall {
        id: call["id"].as_str().expect("an id").into(),
        name: call["function"]["name"].as_str().expect("a name").into(),
        arguments: call["function"]["arguments"]
            .as_object()
            .expect("arguments")
            .clone(),
    };
    let calls = json["tool_calls"].as_array().into_iter().flatten();
    match str("role") {
        "system" => Message::system(str("content")),
        "user" => Message::user(str("content")),
        "tool" => Message::tool(str("name"), str("tool_call_id"), str("content")),
        _ => Message::assistant(str("content")).with_calls(calls.map(call).collect()),
    }
}

/// A tool as OpenAI's interface writes it.
fn offered(json: &serde_json::Value) -> Tool {
    Tool {
        name: json["name"].as_str().expect("a name").into(),
        description: json["description"].as_str().map(str::to_owned),
        parameters: json["parameters"].clone(),
    }
}

/// Texts that `tests/reference/template.py` renders with Jinja2 from real templates.
#[test]
fn texts_equal_jinja2() {
    let Some(path) = std::env::var_os("RECKON_TEMPLATE_CASES") else {
        say!("SKIPPED: set RECKON_TEMPLATE_CASES to what tests/reference/template.py wrote");
        return;
    };
    let cases = std::fs::read_to_string(path).expect("the cases");
    let tokenizer = chars("llama").tokenizer();
    let mut n = 0;
    for case in cases
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
    {
        let str = |key: &str| case[key].as_str().expect("a string");
        let messages = case["messages"].as_array().expect("messages");
        let messages: Vec<Message> = messages.iter().map(said).collect();
        let tools = case["tools"].as_array().into_iter().flatten();
        let options = TemplateOptions {
            thinking: case["thinking"].as_bool().expect("a bool"),
            tools: tools.map(|tool| offered(&tool["function"])).collect(),
            ..TemplateOptions::default()
        };
        let template = Template::new(str("template"));
        // Of a template that knows no tools the text is ours.
        if !options.tools.is_empty() && !template.knows_tools(&tokenizer) {
            say!("no tools: {}", str("name"));
            continue;
        }
        match (
            template.text(&tokenizer, &messages, &options),
            case["text"].as_str(),
        ) {
            (Ok(text), Some(want)) => assert_eq!(text, want, "{}", str("name")),
            (Err(_), None) => {}
            (got, want) => panic!("{}: got {got:?}, want {want:?}", str("name")),
        }
        n += 1;
    }
    say!("{n} renderings equal");
    assert!(n > 0);
}

#[test]
fn a_persona_that_a_template_puts_in_is_found() {
    let tokenizer = byte_level("qwen2").tokenizer();
    let hidden = |source: &str| Template::new(source).hidden_system(&tokenizer);
    let body = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}";
    let persona = "{% if messages[0].role != 'system' %}[system]You are Bob.{% endif %}";
    assert_eq!(
        hidden(&format!("{persona}{body}")),
        Some("You are Bob.".into())
    );
    assert_eq!(hidden(body), None);
    // A fixed text that stands there in any case is not instead of a message.
    assert_eq!(hidden(&format!("Date: today.{body}")), None);
    let no_system = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}";
    assert_eq!(hidden(&format!("{no_system}{body}")), None);
}
