//! Templates: the pinned ones, files' own, injection, BOS, bounds; and texts equal to what Jinja2 renders.
use crate::vocabularies::{MARKERS, Owned, byte_level, chars};
use proptest::prelude::*;
use reckon_engine::{Error, Kind, Message, Role, Template, TemplateOptions, Token, Tokenizer};
use std::time::{Duration, Instant, SystemTime};

fn message(role: Role, content: &str) -> Message {
    Message {
        role,
        content: content.to_owned(),
    }
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

fn shown(tokenizer: &Tokenizer, tokens: &[Token]) -> String {
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
        let template = Template::new(source).expect("a template");
        let tokens = template
            .prompt(&tokenizer, &[], &TemplateOptions::default())
            .expect("a prompt");
        assert_eq!(shown(&tokenizer, &tokens), "<bos>a", "{source}");
    }
    let tokenizer = byte_level("qwen2").tokenizer();
    let template = Template::new("a").expect("a template");
    let tokens = template
        .prompt(&tokenizer, &[], &TemplateOptions::default())
        .expect("a prompt");
    assert_eq!(shown(&tokenizer, &tokens), "a");
}

fn control_tokens(tokenizer: &Tokenizer, tokens: &[Token]) -> Vec<Token> {
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
        Template::new("{{ '<|im_' + messages[0].content + '<|im_' + messages[1].content + '|>' }}")
            .expect("a template");
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
    let template = Template::new(source).expect("a template");
    let messages = [message(Role::User, " q\"<é"), message(Role::User, "xyz")];
    let text = |now| {
        template
            .text(
                &tokenizer,
                &messages,
                &TemplateOptions {
                    thinking: false,
                    now,
                },
            )
            .expect("text")
    };
    assert_eq!(
        text(None),
        "3Q\"<É{\"a\": [1, 2.5, null, true], \"b\": \" q\\\"<é\"} [\n  {}\n] 26 Jul 2024 False False"
    );
    assert!(text(Some(SystemTime::UNIX_EPOCH)).contains("01 Jan 1970"));
}

#[test]
fn a_templates_refusal_is_its_own_words() {
    let tokenizer = chars("llama").tokenizer();
    let template =
        Template::new("a\n{{ raise_exception('roles must alternate') }}").expect("a template");
    let error = template
        .prompt(&tokenizer, &[], &TemplateOptions::default())
        .expect_err("refused");
    assert_eq!(
        error.to_string(),
        "chat template: roles must alternate (line 2)"
    );
    let error = Template::new("{% if %}").expect_err("no template");
    assert!(
        matches!(&error, Error::Template(why) if why.contains("line 1")),
        "{error}"
    );
}

#[test]
fn hostile_templates_are_stopped() {
    let tokenizer = chars("llama").tokenizer();
    let sources = [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% for a in range(90000) %}{{ 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' * 999 }}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ 'a' * 99999999999 }}",
        "{% include 'chat' %}",
        "{{ messages.pop() }}",
    ];
    for source in sources {
        let start = Instant::now();
        let template = Template::new(source).expect("it parses");
        let error = template
            .prompt(&tokenizer, &[], &TemplateOptions::default())
            .expect_err(source);
        assert!(matches!(error, Error::Template(_)), "{error}");
        assert!(start.elapsed() < Duration::from_secs(10), "{source}");
    }
    assert!(Template::new(&" ".repeat(1 << 19)).is_err());
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
        let role = |name: &str| match name {
            "system" => Role::System,
            "user" => Role::User,
            _ => Role::Assistant,
        };
        let messages: Vec<Message> = case["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|m| {
                message(
                    role(m["role"].as_str().expect("a role")),
                    m["content"].as_str().expect("a content"),
                )
            })
            .collect();
        let options = TemplateOptions {
            thinking: case["thinking"].as_bool().expect("a bool"),
            now: None,
        };
        let template =
            Template::new(str("template")).unwrap_or_else(|e| panic!("{}: {e}", str("name")));
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
    let hidden = |source: &str| {
        Template::new(source)
            .expect("a template")
            .hidden_system(&tokenizer)
    };
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
