"""The `anthropic` package."""
import anthropic
import pytest
from common import KEY, KEYED_URL, MODEL, QUESTION, SCHEMA, URL, holds

client = anthropic.Anthropic(base_url=URL, api_key="none", max_retries=0, timeout=120)
TOOL = {"name": "get_weather", "description": "The weather of a city", "input_schema": SCHEMA}
HELLO = [{"role": "user", "content": "Say hello."}]
# The package no longer names it; the protocol has it.
COLD = {"temperature": 0}


def ask(messages=HELLO, **more):
    more.setdefault("max_tokens", 16)
    return client.messages.create(model=MODEL, messages=messages, **more)


def test_message():
    answer = ask()
    assert answer.type == "message" and answer.role == "assistant" and answer.id.startswith("msg_")
    assert answer.model == MODEL and answer.content[0].type == "text" and answer.content[0].text
    assert answer.stop_reason in ("end_turn", "max_tokens")
    assert answer.usage.output_tokens > 0 and answer.usage.input_tokens + answer.usage.cache_read_input_tokens > 0


def test_max_tokens():
    answer = ask([{"role": "user", "content": "Tell me a long story."}], max_tokens=3)
    assert answer.stop_reason == "max_tokens" and answer.usage.output_tokens == 3


def test_system_as_blocks():
    system = [
        {"type": "text", "text": "You are brief."},
        {"type": "text", "text": "You are kind.", "cache_control": {"type": "ephemeral"}},
    ]
    content = [{"type": "text", "text": "Say hello.", "cache_control": {"type": "ephemeral"}}]
    assert ask([{"role": "user", "content": content}], system=system).content
    assert ask(system="You are brief.").content


def test_stream_events():
    kinds, last = [], None
    for event in ask(stream=True):
        kinds.append(event.type)
        if event.type == "message_start":
            assert event.message.id and event.message.role == "assistant" and event.message.content == []
        if event.type == "message_delta":
            last = event
    order = ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"]
    at = [kinds.index(kind) for kind in order]
    assert at == sorted(at) and kinds[-1] == "message_stop"
    assert last.delta.stop_reason in ("end_turn", "max_tokens") and last.usage.output_tokens > 0


def test_stream_helper():
    with client.messages.stream(model=MODEL, messages=HELLO, max_tokens=16, extra_body=COLD) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert final.content[0].text == text
    assert ask(extra_body=COLD).content[0].text == text
    assert final.usage.input_tokens + (final.usage.cache_read_input_tokens or 0) > 0


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "get_weather"},
                                    {"type": "any", "disable_parallel_tool_use": True}])
def test_tool_choice(choice):
    answer = ask(QUESTION, tools=[TOOL], tool_choice=choice, max_tokens=200)
    # Several calls may be cut by the length; one is whole.
    assert answer.stop_reason in ("tool_use", "max_tokens")
    use = [block for block in answer.content if block.type == "tool_use"]
    assert use and use[0].id and use[0].name == "get_weather"
    holds(use[0].input)
    if choice != {"type": "any"}:
        assert len(use) == 1 and answer.stop_reason == "tool_use"


def test_tool_choice_none_and_auto():
    none = ask(QUESTION, tools=[TOOL], tool_choice={"type": "none"})
    assert all(block.type == "text" for block in none.content)
    assert ask(QUESTION, tools=[TOOL], tool_choice={"type": "auto"}).content


def test_tool_round_trip():
    first = ask(QUESTION, tools=[TOOL], tool_choice={"type": "any"}, max_tokens=200)
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": [{"type": "text", "text": "12 degrees"}]}
        for block in first.content if block.type == "tool_use"
    ]
    history = QUESTION + [{"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    assert ask(history, tools=[TOOL]).content
    failed = [{**result, "content": "no such city", "is_error": True} for result in results]
    history[-1] = {"role": "user", "content": failed + [{"type": "text", "text": "Try again."}]}
    assert ask(history, tools=[TOOL]).content


def test_stream_tools():
    with client.messages.stream(
        model=MODEL, messages=QUESTION, tools=[TOOL], max_tokens=200,
        tool_choice={"type": "any", "disable_parallel_tool_use": True},
    ) as stream:
        events = list(stream)
        final = stream.get_final_message()
    assert any(event.type == "input_json" for event in events)
    use = [block for block in final.content if block.type == "tool_use"]
    assert final.stop_reason == "tool_use" and use
    holds(use[0].input)


def test_count_tokens():
    counted = client.messages.count_tokens(model=MODEL, messages=HELLO, system="Be brief.")
    usage = ask(system="Be brief.", max_tokens=1).usage
    assert counted.input_tokens == usage.input_tokens + usage.cache_read_input_tokens
    assert client.messages.count_tokens(model=MODEL, messages=HELLO, tools=[TOOL]).input_tokens > counted.input_tokens


def test_stop_sequences():
    whole = ask(extra_body=COLD, max_tokens=30).content[0].text
    word = whole.split()[1]
    answer = ask(extra_body=COLD, max_tokens=30, stop_sequences=[word])
    assert answer.stop_reason == "stop_sequence" and answer.stop_sequence == word
    assert word not in answer.content[0].text


def test_thinking_is_accepted():
    more = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 1100, "stop_sequences": [".", "!", " a"]}
    assert ask(**more).content
    assert ask(thinking={"type": "disabled"}).content


def test_errors():
    with pytest.raises(anthropic.NotFoundError) as raised:
        client.messages.create(model="absent", messages=HELLO, max_tokens=1)
    assert raised.value.body["type"] == "error" and raised.value.body["error"]["type"] == "not_found_error"
    for stream in (False, True):
        with pytest.raises(anthropic.BadRequestError) as raised:
            ask([{"role": "user", "content": "one two three " * 5000}], stream=stream)
        assert raised.value.body["error"]["type"] == "invalid_request_error"
    with pytest.raises(anthropic.BadRequestError):
        ask([])
    with pytest.raises(anthropic.BadRequestError):
        ask([{"role": "banana", "content": "a"}])
    with pytest.raises(anthropic.BadRequestError):
        ask(extra_body={"temperature": -1})


@pytest.mark.skipif(not KEYED_URL, reason="needs a server with keys")
def test_keys():
    with pytest.raises(anthropic.AuthenticationError) as raised:
        anthropic.Anthropic(base_url=KEYED_URL, api_key="wrong", max_retries=0).messages.create(
            model=MODEL, messages=HELLO, max_tokens=1)
    assert raised.value.body["error"]["type"] == "authentication_error"
    for key in ({"api_key": KEY}, {"auth_token": KEY}):
        other = anthropic.Anthropic(base_url=KEYED_URL, **key)
        assert other.messages.count_tokens(model=MODEL, messages=HELLO).input_tokens > 0


def test_models():
    """The package lists models in its own form."""
    models = client.models.list()
    assert MODEL in [model.id for model in models]
    assert client.models.retrieve(MODEL).id == MODEL
