"""LiteLLM, by way of each protocol."""
import json
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
import litellm
import pytest
from common import MODEL, QUESTION, URL, WEATHER, holds

litellm.telemetry = False
HELLO = [{"role": "user", "content": "Say hello."}]
PROVIDERS = {
    "openai": {"model": "openai/" + MODEL, "api_base": URL + "/v1", "api_key": "none"},
    "ollama": {"model": "ollama/" + MODEL, "api_base": URL},
    "ollama_chat": {"model": "ollama_chat/" + MODEL, "api_base": URL},
    "anthropic": {"model": "anthropic/" + MODEL, "api_base": URL, "api_key": "none"},
}
all_of_them = pytest.mark.parametrize("provider", PROVIDERS)
with_tools = pytest.mark.parametrize("provider", ["openai", "anthropic"])


def ask(provider, messages=HELLO, **more):
    more.setdefault("max_tokens", 16)
    return litellm.completion(messages=messages, num_retries=0, timeout=120, **PROVIDERS[provider], **more)


@all_of_them
def test_completion(provider):
    answer = ask(provider)
    assert answer.choices[0].message.content and answer.usage.completion_tokens > 0
    assert answer.choices[0].finish_reason in ("stop", "length")


@all_of_them
def test_stream(provider):
    chunks = list(ask(provider, stream=True))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason in ("stop", "length")


@with_tools
def test_tools(provider):
    answer = ask(provider, QUESTION, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False, max_tokens=200)
    choice = answer.choices[0]
    assert choice.finish_reason == "tool_calls"
    holds(json.loads(choice.message.tool_calls[0].function.arguments))
    history = QUESTION + [choice.message.model_dump(exclude_none=True)]
    history.append({"role": "tool", "tool_call_id": choice.message.tool_calls[0].id, "content": "12 degrees"})
    assert ask(provider, history, tools=[WEATHER]).choices


@with_tools
def test_tools_stream(provider):
    chunks = list(ask(provider, QUESTION, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False,
                      max_tokens=200, stream=True))
    arguments = ""
    for chunk in chunks:
        for call in chunk.choices[0].delta.tool_calls or []:
            arguments += call.function.arguments or ""
    holds(json.loads(arguments))


def test_tools_of_ollama():
    answer = ask("ollama_chat", QUESTION, tools=[WEATHER], max_tokens=60)
    assert answer.choices[0].message.content is not None or answer.choices[0].message.tool_calls


def test_text_completion():
    answer = litellm.text_completion(prompt="Once upon a time", max_tokens=4, **{
        **PROVIDERS["openai"], "model": "text-completion-openai/" + MODEL})
    assert answer.choices[0].text


def test_responses():
    answer = litellm.responses(input="Say hello.", max_output_tokens=16, **PROVIDERS["openai"])
    assert answer.output


@all_of_them
def test_wrong_model(provider):
    wrong = {**PROVIDERS[provider], "model": provider + "/absent"}
    with pytest.raises((litellm.NotFoundError, litellm.APIConnectionError, litellm.APIError)) as raised:
        litellm.completion(messages=HELLO, max_tokens=1, num_retries=0, **wrong)
    assert "absent" in str(raised.value)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_too_long(provider):
    with pytest.raises(litellm.BadRequestError) as raised:
        ask(provider, [{"role": "user", "content": "one two three " * 5000}])
    if provider == "openai":
        assert isinstance(raised.value, litellm.ContextWindowExceededError)
