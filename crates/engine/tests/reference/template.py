"""Chat templates rendered with Jinja2 as Hugging Face configures it, for tests/it/template.rs.

    python template.py OUT.jsonl TEMPLATE.jinja...
    RECKON_TEMPLATE_CASES=OUT.jsonl cargo test -p reckon-engine --test it template::texts -- --nocapture

Needs `jinja2`. A template is a file that holds the `chat_template` of a model. A rendering that the template refuses has
no text.
"""

import json
import sys

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
            for conversation in CONVERSATIONS:
                messages = [{"role": role, "content": content} for role, content in conversation]
                for thinking in (False, True):
                    context = {"bos_token": "<bos>", "eos_token": "<eos>", "add_generation_prompt": True, "enable_thinking": thinking, "tools": None, "documents": None}
                    try:
                        text = env.from_string(source).render(messages=messages, **context)
                    except (TemplateError, TypeError):
                        text = None
                    case = {"name": path, "template": source, "messages": messages, "thinking": thinking, "text": text}
                    print(json.dumps(case), file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
