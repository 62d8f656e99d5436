"""Chat templates rendered with Jinja2 as Hugging Face configures it, for tests/it/template.rs.

    python template.py OUT.jsonl TEMPLATE.jinja...
    RECKON_TEMPLATE_CASES=OUT.jsonl cargo test -p reckon-engine --test it template::texts -- --nocapture

Needs `jinja2`. A template is a file that holds the `chat_template` of a model. A rendering that the template refuses has
no text.
"""

import json
import sys
from datetime import datetime

from jinja2 import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

CONVERSATIONS = [
    [("user", "Hello")],
    [("user", "  Hello\n\n")],
    [("system", "Be brief."), ("user", "What is 2 < 3 & \"4\"?")],
    [("user", "a"), ("assistant", "b"), ("user", "c")],
    [("system", " s "), ("user", "a"), ("assistant", " b "), ("user", "日本 🙂"), ("assistant", ""), ("user", "")],
    [("user", "a"), ("user", "b")],
    [("user", "a"), ("assistant", "b"), ("assistant", "c")],
    [("user", "a"), ("system", "b")],
    [("assistant", "a")],
    [("system", "only")],
    [("user", "x\n" * 50)],
]

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "How the weather is <here>",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Where"},
                    "days": {"type": "integer"},
                    "unit": {"type": "string", "enum": ["C", "F"]},
                    "at": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "now", "description": "The time", "parameters": {"type": "object", "properties": {}}}},
]


def call(i, name, **arguments):
    return {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": arguments}}


def result(i, name, content):
    return {"role": "tool", "content": content, "name": name, "tool_call_id": f"call_{i}"}


USER = {"role": "user", "content": "Is it warm?"}
ONE = {"role": "assistant", "content": "", "tool_calls": [call(0, "weather", city="Köln \"<x>\"", days=2, at={"x": -1.5}, tags=["a", "b"])]}
TWO = {"role": "assistant", "content": "Let me see.", "tool_calls": [call(0, "weather", city="Rom"), call(1, "now")]}

WITH_TOOLS = [
    [USER],
    [{"role": "system", "content": "Be brief."}, USER],
    [USER, ONE, result(0, "weather", "12 °C")],
    [USER, ONE, result(0, "weather", '{"t": 12}'), {"role": "assistant", "content": "Cold."}, {"role": "user", "content": "And now?"}],
    [USER, TWO, result(0, "weather", "20"), result(1, "now", "noon")],
]


class Generation(Extension):
    """`{% generation %}`, which marks what a model is trained on and changes no text."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def raise_exception(message):
    raise TemplateError(message)


def main(out, *paths):
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
    env.filters["tojson"] = lambda x, indent=None: json.dumps(x, ensure_ascii=False, indent=indent)
    env.globals["raise_exception"] = raise_exception
    with open(out, "w", encoding="utf-8") as file:
        for path in paths:
            source = open(path, encoding="utf-8").read()
            # Without a time the engine has a fixed day, and none for templates that can do without.
            env.globals.pop("strftime_now", None)
            if "strftime_now is defined" not in source:
                env.globals["strftime_now"] = datetime(2024, 7, 26).strftime
            plain = [([{"role": role, "content": content} for role, content in conversation], None) for conversation in CONVERSATIONS]
            for messages, tools in plain + [(messages, TOOLS) for messages in WITH_TOOLS]:
                for thinking in (False, True):
                    context = {"bos_token": "<bos>", "eos_token": "<eos>", "add_generation_prompt": True, "enable_thinking": thinking, "tools": tools, "documents": None}
                    try:
                        text = env.from_string(source).render(messages=messages, **context)
                    except (TemplateError, TypeError):
                        text = None
                    case = {"name": path, "template": source, "messages": messages, "thinking": thinking, "tools": tools, "text": text}
                    print(json.dumps(case), file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
