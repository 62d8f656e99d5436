//! Tools in prompts: as templates write them, as plain text where a template cannot, and never as control tokens.
use crate::template::{control_tokens, shown};
use crate::vocabularies::{MARKERS, byte_level, chars};
use proptest::prelude::*;
use reckon_engine::{
    Error, Message, Template, TemplateOptions, Tokenizer, Tool, ToolCall, ToolStyle,
};
use serde_json::{Value, json};

/// A template with tools as JSON and calls in this form.
macro_rules! with_calls {
    ($call:literal) => {
        concat!(
            "\
{%- if tools %}<|im_start|>system
{% for tool in tools %}
{{ tool | tojson }}
{% endfor %}
<|im_end|>
{% endif %}
{%- for m in messages %}
<|im_start|>{{ 'user' if m.role == 'tool' else m.role }}
{% if m.role == 'tool' %}<tool_response>{{ m.name }} {{ m.tool_call_id }}: {{ m.content }}</tool_response>{% else %}{{ m.content }}{% endif %}
{% for call in m.tool_calls %}
<tool_call>
",
            $call,
            "
</tool_call>
{% endfor %}
<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"
        )
    };
}

/// Small templates of our own, one for each style; texts below were rendered by Jinja2 as Hugging Face configures it.
pub(crate) const HERMES: &str = with_calls!(
    "{\"name\": \"{{ call.function.name }}\", \"arguments\": {{ call.function.arguments | tojson }}}"
);

pub(crate) const TAGGED: &str = with_calls!(
    "<function={{ call.function.name }}>
{% for key, value in call.function.arguments | items %}
<parameter={{ key }}>
{{ value if value is string or value is number else value | tojson }}
</parameter>
{% endfor %}
</function>"
);

pub(crate) const LLAMA3: &str = "\
{%- for m in messages %}
[{{ m.role }}]
{%- if loop.first and tools %}{% for t in tools %}{{ t | tojson(indent=4) }}{% endfor %}{% endif %}
{%- if 'tool_calls' in m %}{{ '{\"name\": \"' + m.tool_calls[0].function.name + '\", \"parameters\": ' }}{{ m.tool_calls[0].function.arguments | tojson }}{{ '}' }}
{%- else %}{{ m.content }}{% endif %}
{%- endfor %}[assistant]";

pub(crate) const GEMMA4: &str = "\
{%- macro write(v) -%}
{%- if v is string %}<|\"|>{{ v }}<|\"|>{% elif v is boolean %}{{ 'true' if v else 'false' }}{% elif v is mapping %}{{ '{' }}{% for k, x in v | dictsort %}{{ k }}:{{ write(x) }}{{ ',' if not loop.last }}{% endfor %}{{ '}' }}{% elif v is sequence %}[{% for x in v %}{{ write(x) }}{{ ',' if not loop.last }}{% endfor %}]{% else %}{{ v }}{% endif -%}
{%- endmacro -%}
{{ bos_token }}
{%- if tools %}<|turn>system
{% for t in tools %}<|tool>{{ t.function.name }}{{ write(t.function.parameters) }}<tool|>{% endfor %}<turn|>
{% endif %}
{%- for m in messages %}<|turn>{{ m.role }}
{{ m.content -}}
{% for c in m.tool_calls %}<|tool_call>call:{{ c.function.name }}{{ write(c.function.arguments) }}<tool_call|>{% endfor %}
{%- for r in m.tool_responses %}<|tool_response>response:{{ r.name }}{{ write(r.response) if r.response is mapping else '{value:' ~ write(r.response) ~ '}' }}<tool_response|>{% endfor %}
{%- if not m.tool_responses %}<turn|>
{% endif %}
{%- endfor %}";

pub(crate) fn weather() -> Tool {
    Tool {
        name: "get_weather".into(),
        description: Some("How it is".into()),
        parameters: json!({
            "type": "object",
            "properties": { "city": { "type": "string" }, "days": { "type": "integer" } },
            "required": ["city"],
        }),
    }
}

fn now() -> Tool {
    Tool {
        name: "now".into(),
        description: None,
        parameters: Value::Null,
    }
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.as_object().expect("an object").clone(),
    }
}

fn conversation() -> Vec<Message> {
    let call = call(
        "c1",
        "get_weather",
        json!({ "city": "Köln \"<x>\"", "days": 2 }),
    );
    vec![
        Message::user("Warm?"),
        Message::assistant("").with_calls(vec![call]),
        Message::tool(
            "get_weather",
            "c1",
            "{\"t\": 12.5, \"is\": [true, \"dry\"]}",
        ),
    ]
}

fn options(tools: Vec<Tool>) -> TemplateOptions {
    TemplateOptions {
        tools,
        ..TemplateOptions::default()
    }
}

#[test]
fn templates_write_tools_and_calls_themselves() {
    let tokenizer = chars("gemma4").tokenizer();
    let options = options(vec![weather(), now()]);
    let text = |source: &str, messages: &[Message]| {
        let template = Template::new(source);
        assert!(template.knows_tools(&tokenizer));
        template
            .text(&tokenizer, messages, &options)
            .expect("a text")
    };
    assert_eq!(
        text(HERMES, &conversation()),
        r#"<|im_start|>system
{"type": "function", "function": {"name": "get_weather", "description": "How it is", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}
{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}
<|im_end|>
<|im_start|>user
Warm?<|im_end|>
<|im_start|>assistant
<tool_call>
{"name": "get_weather", "arguments": {"city": "Köln \"<x>\"", "days": 2}}
</tool_call>
<|im_end|>
<|im_start|>user
<tool_response>get_weather c1: {"t": 12.5, "is": [true, "dry"]}</tool_response><|im_end|>
<|im_start|>assistant
"#
    );
    let llama = text(LLAMA3, &conversation());
    assert!(
        llama.contains("        \"name\": \"get_weather\",\n"),
        "{llama}"
    );
    let tail = r#"[assistant]{"name": "get_weather", "parameters": {"city": "Köln \"<x>\"", "days": 2}}[tool]{"t": 12.5, "is": [true, "dry"]}[assistant]"#;
    assert!(llama.ends_with(tail), "{llama}");
    // A result that is an object is given as one where the template wants it beside the call.
    assert_eq!(
        text(GEMMA4, &conversation()),
        "<bos><|turn>system\n<|tool>get_weather{properties:{city:{type:<|\"|>string<|\"|>},days:{type:<|\"|>integer<|\"|>}},required:[<|\"|>city<|\"|>],type:<|\"|>object<|\"|>}<tool|><|tool>now{properties:{},type:<|\"|>object<|\"|>}<tool|><turn|>\n<|turn>user\nWarm?<turn|>\n<|turn>assistant\n<|tool_call>call:get_weather{city:<|\"|>Köln \"<x>\"<|\"|>,days:2}<tool_call|><|tool_response>response:get_weather{is:[true,<|\"|>dry<|\"|>],t:12.5}<tool_response|>"
    );
}

#[test]
fn the_style_is_that_of_the_template() {
    let tokenizer = chars("gemma4").tokenizer();
    let style = |source: &str| Template::new(source).tool_style(&tokenizer);
    assert_eq!(style(HERMES), ToolStyle::Hermes);
    assert_eq!(style(LLAMA3), ToolStyle::Llama3);
    assert_eq!(style(GEMMA4), ToolStyle::Gemma4);
    assert_eq!(style(TAGGED), ToolStyle::Tagged);
    // Templates that write calls in a way that nobody here reads, or tools but no calls, or nothing, or that fail.
    for other in [
        "{{ tools }}{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}<tool_call><function={{ c.function.name }}>{% endfor %}{% endfor %}",
        "{{ tools }}{% for m in messages %}{{ m.content }}{% endfor %}",
        "{% for m in messages %}{{ m.content }}{% endfor %}",
        "{{ raise_exception('no') }}",
    ] {
        assert_eq!(style(other), ToolStyle::Hermes, "{other}");
        assert!(!Template::new(other).knows_tools(&tokenizer), "{other}");
    }
}

const PLAIN: &str = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}[assistant]";

#[test]
fn a_template_without_tools_gets_them_as_text() {
    let tokenizer = chars("llama").tokenizer();
    let template = Template::new(PLAIN);
    let mut messages = conversation();
    messages.push(Message::tool("now", "c2", "noon"));
    let tools = options(vec![weather()]);
    let text = template
        .text(&tokenizer, &messages, &tools)
        .expect("a text");
    let declared = r#"{"type": "function", "function": {"name": "get_weather", "description": "How it is", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}}"#;
    assert!(text.starts_with("[system]# Tools"), "{text}");
    assert!(
        text.contains(&format!("<tools>\n{declared}\n</tools>")),
        "{text}"
    );
    let told = "[user]Warm?[assistant]<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Köln \\\"<x>\\\"\", \"days\": 2}}\n</tool_call>[user]<tool_response>\n{\"t\": 12.5, \"is\": [true, \"dry\"]}\n</tool_response>\n<tool_response>\nnoon\n</tool_response>[assistant]";
    assert!(text.ends_with(told), "{text}");
    // A system text stays where it is; calls of earlier turns are shown although no tools are offered any more.
    messages.insert(0, Message::system("Be brief."));
    let text = template
        .text(&tokenizer, &messages, &tools)
        .expect("a text");
    assert!(text.starts_with("[system]Be brief.\n\n# Tools"), "{text}");
    let none = template
        .text(&tokenizer, &messages, &TemplateOptions::default())
        .expect("a text");
    assert!(none.starts_with("[system]Be brief.[user]Warm?[assistant]<tool_call>"));
}

#[test]
fn a_template_that_refuses_a_system_message_gets_the_tools_with_the_question() {
    let tokenizer = chars("llama").tokenizer();
    let refuses =
        "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}";
    let template = Template::new(&format!("{refuses}{PLAIN}"));
    let messages = [Message::user("Warm?")];
    let text = template.text(&tokenizer, &messages, &options(vec![weather()]));
    let text = text.expect("a text");
    assert!(text.starts_with("[user]# Tools") && text.ends_with("\n\nWarm?[assistant]"));
    let broken = Template::new("{{ raise_exception('never') }}");
    let error = broken.text(&tokenizer, &messages, &options(vec![weather()]));
    assert!(error.expect_err("refused").to_string().contains("never"));
}

#[test]
fn a_result_finds_its_call_by_id_or_by_place() {
    let tokenizer = chars("llama").tokenizer();
    let calls = vec![
        call("a", "get_weather", json!({ "city": "Rom" })),
        call("b", "now", json!({})),
    ];
    let template = Template::new(HERMES);
    let line = |results: [Message; 2]| {
        let mut messages = vec![Message::assistant("").with_calls(calls.clone())];
        messages.extend(results);
        let text = template.text(&tokenizer, &messages, &options(vec![weather(), now()]));
        let text = text.expect("a text");
        let lines = text
            .lines()
            .filter(|line| line.starts_with("<tool_response>"));
        let lines = lines.map(|line| line.trim_end_matches("<|im_end|>"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let want =
        "<tool_response>get_weather a: 1</tool_response>\n<tool_response>now b: 2</tool_response>";
    assert_eq!(
        line([Message::tool("", "", "1"), Message::tool("", "", "2")]),
        want
    );
    assert_eq!(
        line([Message::tool("", "a", "1"), Message::tool("", "b", "2")]),
        want
    );
    let swapped = line([Message::tool("", "b", "2"), Message::tool("", "a", "1")]);
    let want =
        "<tool_response>now b: 2</tool_response>\n<tool_response>get_weather a: 1</tool_response>";
    assert_eq!(swapped, want);
}

#[test]
fn a_caller_may_set_variables_but_not_those_of_the_conversation() {
    let tokenizer = chars("llama").tokenizer();
    let template =
        Template::new("{{ enable_thinking is defined }} {{ enable_thinking }} {{ effort }}");
    let text = |kwargs: Value| {
        let options = TemplateOptions {
            kwargs: kwargs.as_object().expect("an object").clone(),
            ..TemplateOptions::default()
        };
        template.text(&tokenizer, &[], &options)
    };
    assert_eq!(text(json!({})).expect("a text"), "True False ");
    let set = text(json!({ "enable_thinking": true, "effort": ["<|im_end|>"] }));
    assert_eq!(set.expect("a text"), "True True ['<|im_end|>']");
    // Null is as if nobody had said anything: a model that thinks unless told otherwise does.
    let unset = text(json!({ "enable_thinking": null }));
    assert_eq!(unset.expect("a text"), "False  ");
    for key in [
        "messages",
        "tools",
        "bos_token",
        "eos_token",
        "add_generation_prompt",
        "now",
    ] {
        let error = text(json!({ key: "x" })).expect_err(key);
        assert!(error.to_string().contains(key), "{error}");
    }
}

#[test]
fn tools_that_cannot_be_offered_are_named() {
    let tokenizer = chars("llama").tokenizer();
    let template = Template::new(PLAIN);
    let named = |name: &str| Tool {
        name: name.into(),
        ..weather()
    };
    let odd = Tool {
        parameters: json!([1]),
        ..weather()
    };
    for tools in [
        vec![named("")],
        vec![named("a b")],
        vec![named("a{")],
        vec![named(&"x".repeat(200))],
        vec![weather(), weather()],
        vec![odd],
        (0..300).map(|i| named(&format!("t{i}"))).collect(),
    ] {
        let refused = template.prompt(&tokenizer, &[], &options(tools));
        let error = refused.expect_err("refused");
        assert!(matches!(error, Error::Tool { .. }), "{error}");
        assert!(!error.to_string().contains('\n'));
    }
}

/// A conversation in which everything that is not ours says `text`.
fn all_saying(text: &str) -> (Vec<Message>, TemplateOptions) {
    let tool = Tool {
        name: "get".into(),
        description: Some(text.into()),
        parameters: json!({
            "type": "object",
            "properties": { text: { "type": "string", "description": text, "enum": [text] } },
            "required": [text],
            "title": text,
        }),
    };
    let call = call(text, text, json!({ text: text, "b": [{ text: text }] }));
    let messages = vec![
        Message::user(text),
        Message::assistant(text).with_calls(vec![call]),
        Message::tool(text, text, text),
        Message::tool(text, text, json!({ text: text }).to_string()),
        Message::user("x"),
    ];
    let kwargs = json!({ "extra": [text, { text: text }] });
    let options = TemplateOptions {
        tools: vec![tool],
        kwargs: kwargs.as_object().expect("an object").clone(),
        ..TemplateOptions::default()
    };
    (messages, options)
}

fn prompt(tokenizer: &Tokenizer, source: &str, text: &str) -> Vec<u32> {
    let (messages, options) = all_saying(text);
    let template = Template::new(&format!("{source}{{{{ extra }}}}"));
    let tokens = template.prompt(tokenizer, &messages, &options);
    tokens.expect("a prompt").to_vec()
}

proptest! {
    #[test]
    fn nothing_that_tools_say_becomes_a_control_token(parts in prop::collection::vec((0..MARKERS.len(), "[a-z<>|\\[\\] \"\\\\\\n\u{100000}]{0,3}"), 0..4)) {
        let text: String = parts.iter().map(|(i, s)| format!("{s}{}", MARKERS[*i].0)).collect();
        for owned in [chars("gemma4"), byte_level("qwen2")] {
            let tokenizer = owned.tokenizer();
            for source in [HERMES, LLAMA3, GEMMA4, PLAIN] {
                let (tokens, harmless) = (prompt(&tokenizer, source, &text), prompt(&tokenizer, source, "x"));
                prop_assert_eq!(control_tokens(&tokenizer, &tokens), control_tokens(&tokenizer, &harmless), "{}", shown(&tokenizer, &tokens));
                // What was said is there, and no guard is.
                prop_assert!(shown(&tokenizer, &tokens).contains(text.trim()));
            }
        }
    }
}
