"""The `ollama` package."""
import json

import ollama
import pytest
from common import CLOCK, KEY, KEYED_URL, MODEL, QUESTION, SCHEMA, URL, WEATHER, holds

client = ollama.Client(host=URL, timeout=120)
HELLO = [{"role": "user", "content": "Say hello."}]
FEW = {"num_predict": 16}


def test_list():
    models = client.list().models
    one = next(model for model in models if model.model == MODEL)
    assert one.size > 0 and len(one.digest) == 64 and one.modified_at
    assert one.details.format == "gguf" and one.details.family and one.details.parameter_size
    assert one.details.quantization_level


def test_show():
    shown = client.show(MODEL)
    assert shown.template and shown.details.family and "tools" in shown.capabilities and shown.modified_at
    architecture = shown.modelinfo["general.architecture"]
    assert shown.modelinfo[architecture + ".context_length"] > 0
    assert "num_ctx" in shown.parameters
    assert client.show(MODEL + ":latest").details == shown.details


def test_ps():
    client.generate(MODEL, "a", options={"num_predict": 1})
    one = next(model for model in client.ps().models if model.model == MODEL)
    assert one.expires_at and one.size > 0 and one.context_length > 0


def test_chat():
    answer = client.chat(MODEL, HELLO, options=FEW)
    assert answer.model == MODEL and answer.message.role == "assistant" and answer.message.content
    assert answer.done and answer.done_reason in ("stop", "length") and answer.created_at
    assert answer.prompt_eval_count > 0 and answer.eval_count > 0
    assert answer.total_duration > 0 and answer.eval_duration > 0


def test_stream():
    parts = list(client.chat(MODEL, HELLO, stream=True, options={**FEW, "temperature": 0}))
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert parts[-1].done_reason and parts[-1].eval_count > 0
    text = "".join(part.message.content for part in parts)
    assert text == client.chat(MODEL, HELLO, options={**FEW, "temperature": 0}).message.content


def test_generate():
    answer = client.generate(MODEL, "Say hello.", system="Be brief.", options={**FEW, "temperature": 0})
    assert answer.response and answer.done and answer.eval_count > 0
    parts = client.generate(MODEL, "Say hello.", system="Be brief.", options={**FEW, "temperature": 0}, stream=True)
    assert "".join(part.response for part in parts) == answer.response
    raw = client.generate(MODEL, "Once upon a time", raw=True, options=FEW)
    assert raw.response


def test_seed_and_stop():
    options = {"seed": 7, "temperature": 1.0, "num_predict": 20}
    texts = [client.chat(MODEL, HELLO, options=options).message.content for _ in range(2)]
    assert texts[0] == texts[1]
    whole = client.chat(MODEL, HELLO, options={"temperature": 0, "num_predict": 20}).message.content
    word = whole.split()[1]
    cut = client.chat(MODEL, HELLO, options={"temperature": 0, "num_predict": 20, "stop": [word]})
    assert word not in cut.message.content and cut.done_reason == "stop"


def test_num_predict():
    answer = client.chat(MODEL, [{"role": "user", "content": "Tell me a long story."}], options={"num_predict": 3})
    assert answer.eval_count == 3 and answer.done_reason == "length"


def test_format():
    answer = client.chat(MODEL, QUESTION, format=SCHEMA, options={"num_predict": 200})
    holds(json.loads(answer.message.content))
    answer = client.generate(MODEL, "The weather in Paris", format=SCHEMA, options={"num_predict": 200})
    holds(json.loads(answer.response))
    answer = client.chat(MODEL, QUESTION, format="json", options={"num_predict": 80, "temperature": 0})
    if answer.done_reason == "stop":
        assert isinstance(json.loads(answer.message.content), dict)


def get_weather(city: str, days: int) -> str:
    """The weather of a city.

    Args:
        city: its name
        days: how many
    """
    return f"{city} {days}"


def test_tools():
    """Nothing forces a call here, so only the shape is checked."""
    for tools in ([WEATHER, CLOCK], [get_weather]):
        answer = client.chat(MODEL, QUESTION, tools=tools, options={"num_predict": 60})
        for call in answer.message.tool_calls or []:
            assert call.function.name and isinstance(call.function.arguments, dict)
    parts = list(client.chat(MODEL, QUESTION, tools=[WEATHER], stream=True, options={"num_predict": 60}))
    assert parts[-1].done


def test_tool_results():
    calls = [{"function": {"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius", "days": 1}}}]
    for result in ({"tool_name": "get_weather"}, {"name": "get_weather"}, {}):
        messages = QUESTION + [{"role": "assistant", "content": "", "tool_calls": calls}]
        messages += [{"role": "tool", "content": "12 degrees", **result}]
        assert client.chat(MODEL, messages, tools=[WEATHER], options=FEW).done


def test_think():
    for think in (False, True, "low"):
        answer = client.chat(MODEL, HELLO, think=think, options=FEW)
        assert answer.done and (think or not answer.message.thinking)


def test_keep_alive():
    for keep in (-1, "300s", 1800, "5m", "1h30m"):
        assert client.chat(MODEL, HELLO, keep_alive=keep, options={"num_predict": 1}).done
    assert client.generate(MODEL, keep_alive=0).done_reason == "unload"
    assert MODEL not in [model.model for model in client.ps().models]
    assert client.generate(MODEL).done_reason == "load"
    assert MODEL in [model.model for model in client.ps().models]


def test_errors():
    for call in (
        lambda: client.chat("absent", HELLO),
        lambda: client.generate("absent", "a"),
        lambda: client.show("absent"),
        lambda: list(client.chat("absent", HELLO, stream=True)),
    ):
        with pytest.raises(ollama.ResponseError) as raised:
            call()
        assert raised.value.status_code == 404 and "absent" in raised.value.error
    with pytest.raises(ollama.ResponseError) as raised:
        client.chat(MODEL, [{"role": "user", "content": "one two three " * 5000}])
    assert raised.value.status_code == 400
    with pytest.raises(ollama.ResponseError) as raised:
        client.embed(MODEL, "a")
    assert raised.value.status_code == 501


@pytest.mark.skipif(not KEYED_URL, reason="needs a server with keys")
def test_keys():
    with pytest.raises(ollama.ResponseError) as raised:
        ollama.Client(host=KEYED_URL).list()
    assert raised.value.status_code == 401
    assert ollama.Client(host=KEYED_URL, headers={"Authorization": f"Bearer {KEY}"}).list().models
