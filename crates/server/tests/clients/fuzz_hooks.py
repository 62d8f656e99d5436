"""Hooks of schemathesis for fuzz.sh: answers stay short, and every second name of a model is a real one.

The document sets no limit to the length of an answer, so made-up requests would ask for thousands of tokens. What is not a
number is left as it is: the server must refuse it by itself.
"""

import os

import schemathesis

MODEL = os.environ["RECKON_MODEL"]
# Fields that say how long an answer may be, by path; without them it is as long as it likes.
LIMITS = {
    "/v1/chat/completions": ("max_tokens", "max_completion_tokens"),
    "/v1/completions": ("max_tokens",),
    "/v1/responses": ("max_output_tokens",),
    "/v1/messages": ("max_tokens",),
    "/api/chat": ("num_predict",),
    "/api/generate": ("num_predict",),
}
MOST = 8


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shorten(body, field):
    value = body.get(field)
    # Below 1 is "until it is done" for some.
    if value is None or (is_number(value) and not 1 <= value <= MOST):
        body[field] = MOST


@schemathesis.hook
def before_call(context, case, kwargs):
    body = case.body
    if not isinstance(body, dict):
        return
    model = body.get("model")
    if isinstance(model, str) and len(model) % 2 == 0:
        body["model"] = MODEL
    limited = body
    if case.path.startswith("/api/") and body.get("options") is None:
        body["options"] = {}
    if case.path.startswith("/api/"):
        limited = body["options"]
    if isinstance(limited, dict):
        for field in LIMITS.get(case.path, ()):
            shorten(limited, field)
    if is_number(body.get("n")) and body["n"] > 2:
        body["n"] = 2
