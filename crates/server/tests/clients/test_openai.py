"""The `openai` package."""
import json

import openai
import pytest
from common import CLOCK, KEY, KEYED_URL, MODEL, QUESTION, SCHEMA, URL, WEATHER, holds

client = openai.OpenAI(base_url=URL + "/v1", api_key="none", max_retries=0, timeout=120)
HELLO = [{"role": "user", "content": "Say hello."}]


def chat(messages=HELLO, **more):
    more.setdefault("max_tokens", 16)
    return client.chat.completions.create(model=MODEL, messages=messages, **more)


def test_chat():
    answer = chat()
    assert answer.object == "chat.completion" and answer.id and answer.created
    assert answer.model == MODEL
    choice = answer.choices[0]
    assert choice.message.role == "assistant" and choice.message.content
    assert choice.finish_reason in ("stop", "length")
    usage = answer.usage
    assert usage.prompt_tokens > 0 and usage.completion_tokens > 0
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_content_parts_and_roles():
    parts = [{"type": "text", "text": "Say"}, {"type": "text", "text": "hello."}]
    messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts, "name": "ann"}]
    assert chat(messages).choices[0].message.content is not None


def test_stream():
    chunks = list(chat(stream=True, seed=1, temperature=0))
    assert all(chunk.object == "chat.completion.chunk" for chunk in chunks)
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] in ("stop", "length")
    assert not any(chunk.usage for chunk in chunks)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == chat(seed=1, temperature=0).choices[0].message.content


def test_stream_usage():
    chunks = list(chat(stream=True, stream_options={"include_usage": True}))
    last = chunks[-1]
    assert last.choices == [] and last.usage.completion_tokens > 0 and last.usage.prompt_tokens > 0
    assert not any(chunk.usage for chunk in chunks[:-1])


def test_stream_helper():
    # The helper raises if the answer is cut, so it must come to an end: greedily it does.
    with client.chat.completions.stream(model=MODEL, messages=HELLO, temperature=0, max_tokens=400) as stream:
        kinds = {event.type for event in stream}
        final = stream.get_final_completion()
    assert "content.delta" in kinds and "chunk" in kinds
    assert final.choices[0].message.content


def test_stream_is_left():
    """A client that leaves early does not hold the server up."""
    stream = chat(stream=True, max_tokens=2000)
    next(iter(stream))
    stream.close()
    assert chat(max_tokens=1).choices


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_weather"}}])
def test_tool_choice(choice):
    answer = chat(QUESTION, tools=[WEATHER], tool_choice=choice, parallel_tool_calls=False, max_tokens=200).choices[0]
    assert answer.finish_reason == "tool_calls" and answer.message.content is None
    call = answer.message.tool_calls[0]
    assert call.id and call.type == "function" and call.function.name == "get_weather"
    holds(json.loads(call.function.arguments))


def test_tool_choice_names_the_second():
    choice = {"type": "function", "function": {"name": "get_time"}}
    answer = chat(QUESTION, tools=[WEATHER, CLOCK], tool_choice=choice, max_tokens=100).choices[0]
    assert [call.function.name for call in answer.message.tool_calls] == ["get_time"]
    assert json.loads(answer.message.tool_calls[0].function.arguments)["zone"] in ("UTC", "CET")


def test_tool_choice_none():
    answer = chat(QUESTION, tools=[WEATHER], tool_choice="none").choices[0]
    assert not answer.message.tool_calls and answer.finish_reason in ("stop", "length")


def test_tool_choice_auto():
    answer = chat(QUESTION, tools=[WEATHER], tool_choice="auto", max_tokens=60).choices[0]
    assert answer.message.content or answer.message.tool_calls


def test_tool_choice_of_nothing():
    with pytest.raises(openai.BadRequestError):
        chat(QUESTION, tools=[WEATHER], tool_choice={"type": "function", "function": {"name": "absent"}})


def test_parallel_calls():
    """How many a small model makes is up to it; what was cut is no part of the answer."""
    for most in (30, 200):
        answer = chat(QUESTION, tools=[WEATHER, CLOCK], tool_choice="required", max_tokens=most).choices[0]
        assert not answer.message.content and answer.finish_reason in ("tool_calls", "length")
        calls = answer.message.tool_calls or []
        assert len({call.id for call in calls}) == len(calls)
        for call in calls:
            assert isinstance(json.loads(call.function.arguments), dict)


def test_no_parallel_calls():
    answer = chat(QUESTION, tools=[WEATHER, CLOCK], tool_choice="required", parallel_tool_calls=False, max_tokens=200)
    assert len(answer.choices[0].message.tool_calls) == 1


def test_tool_round_trip():
    first = chat(QUESTION, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False, max_tokens=200).choices[0].message
    messages = QUESTION + [first.model_dump(exclude_none=True)]
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "12 degrees"} for call in first.tool_calls]
    answer = chat(messages, tools=[WEATHER])
    assert answer.choices[0].finish_reason in ("stop", "length", "tool_calls")


def test_stream_tools():
    chunks = chat(QUESTION, tools=[WEATHER], tool_choice="required", parallel_tool_calls=False, max_tokens=200, stream=True)
    calls, reasons = {}, []
    for chunk in chunks:
        for choice in chunk.choices:
            if choice.finish_reason:
                reasons.append(choice.finish_reason)
            assert not choice.delta.content
            for delta in choice.delta.tool_calls or []:
                call = calls.setdefault(delta.index, {"id": None, "name": "", "arguments": ""})
                call["id"] = call["id"] or delta.id
                call["name"] += delta.function.name or ""
                call["arguments"] += delta.function.arguments or ""
    assert reasons == ["tool_calls"]
    assert list(calls) == list(range(len(calls))) and calls
    for call in calls.values():
        assert call["id"] and call["name"] == "get_weather"
        holds(json.loads(call["arguments"]))


def test_json_schema():
    form = {"type": "json_schema", "json_schema": {"name": "weather", "schema": SCHEMA, "strict": True}}
    answer = chat(QUESTION, response_format=form, max_tokens=200).choices[0]
    assert answer.finish_reason == "stop"
    holds(json.loads(answer.message.content))


def test_json_schema_stream():
    form = {"type": "json_schema", "json_schema": {"name": "weather", "schema": SCHEMA, "strict": True}}
    chunks = chat(QUESTION, response_format=form, max_tokens=200, stream=True)
    holds(json.loads("".join(c.choices[0].delta.content or "" for c in chunks if c.choices)))


def test_parse():
    """The package makes a schema of a type and reads the answer into it."""
    import pydantic

    class Weather(pydantic.BaseModel):
        sunny: bool
        degrees: int = pydantic.Field(ge=0, le=50)

    answer = client.chat.completions.parse(model=MODEL, messages=QUESTION, response_format=Weather, max_tokens=100)
    assert isinstance(answer.choices[0].message.parsed, Weather)


def test_json_object():
    answer = chat(QUESTION, response_format={"type": "json_object"}, max_tokens=80, temperature=0).choices[0]
    if answer.finish_reason == "stop":
        assert isinstance(json.loads(answer.message.content), dict)
    else:
        assert answer.message.content.lstrip().startswith("{")


@pytest.mark.parametrize("odd", [{"type": "array", "items": {"type": "string"}, "uniqueItems": True}, {"not": {"type": "null"}},
                                 {"type": "object", "propertyNames": {"type": "string"}}, {"type": "string", "pattern": "(?!a)b"},
                                 {"if": {"type": "string"}, "then": {"minLength": 1}}, {"type": "array", "contains": {"type": "string"}}])
def test_tools_with_any_schema(odd):
    """Whoever passes on the tools of others cannot choose their schemas."""
    parameters = {"type": "object", "properties": {"odd": odd, "zone": {"type": "string", "enum": ["UTC"]}}, "required": ["zone"]}
    tool = {"type": "function", "function": {"name": "odd", "parameters": parameters}}
    assert chat(QUESTION, tools=[WEATHER, tool]).choices
    choice = {"type": "function", "function": {"name": "odd"}}
    answer = chat(QUESTION, tools=[WEATHER, tool], tool_choice=choice, max_tokens=100).choices[0]
    if answer.finish_reason == "tool_calls":
        assert json.loads(answer.message.tool_calls[0].function.arguments)["zone"] == "UTC"


def test_closed_objects():
    """An object has the properties that its schema names, and no others, unless it asks for them."""
    schema = {key: value for key, value in SCHEMA.items() if key != "additionalProperties"}
    tool = {"type": "function", "function": {"name": "get_weather", "parameters": schema}}
    choice = {"type": "function", "function": {"name": "get_weather"}}
    for seed in range(3):
        call = chat(QUESTION, tools=[tool], tool_choice=choice, seed=seed, max_tokens=200).choices[0].message.tool_calls[0]
        holds(json.loads(call.function.arguments))
        form = {"type": "json_schema", "json_schema": {"name": "weather", "schema": schema}}
        holds(json.loads(chat(QUESTION, response_format=form, seed=seed, max_tokens=200).choices[0].message.content))


def test_bad_schema():
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "banana"}}}
    with pytest.raises(openai.BadRequestError):
        chat(QUESTION, response_format=form)


def test_n():
    answer = chat(n=2, seed=3, temperature=1.5)
    assert [choice.index for choice in answer.choices] == [0, 1]
    assert answer.usage.completion_tokens > max(1, len(answer.choices) - 1)


def test_n_stream():
    texts, ends, roles = {}, {}, {}
    for chunk in chat(n=2, seed=3, stream=True):
        for choice in chunk.choices:
            texts[choice.index] = texts.get(choice.index, "") + (choice.delta.content or "")
            if choice.delta.role:
                roles[choice.index] = choice.delta.role
            if choice.finish_reason:
                ends[choice.index] = choice.finish_reason
    assert sorted(texts) == [0, 1] and sorted(ends) == [0, 1]
    assert roles == {0: "assistant", 1: "assistant"}


def test_logprobs():
    choice = chat(logprobs=True, top_logprobs=3, max_tokens=5).choices[0]
    content = choice.logprobs.content
    assert 1 <= len(content) <= 6
    for token in content:
        assert token.logprob <= 0 and bytes(token.bytes).decode(errors="replace") == token.token
        assert len(token.top_logprobs) == 3
        values = [top.logprob for top in token.top_logprobs]
        assert values == sorted(values, reverse=True)
    assert "".join(token.token for token in content).startswith(choice.message.content[:1])


def test_logprobs_stream():
    tokens, with_text = [], 0
    for chunk in chat(logprobs=True, max_tokens=5, stream=True, temperature=0, extra_body={"reckon": {"guards": False}}):
        for choice in chunk.choices:
            if choice.logprobs:
                tokens += choice.logprobs.content
                with_text += bool(choice.delta.content)
    assert 1 <= len(tokens) <= 5 and with_text >= 1, "they come with the text"


def test_no_logprobs():
    assert chat().choices[0].logprobs is None


def test_seed():
    texts = [chat(seed=7, temperature=1.0).choices[0].message.content for _ in range(2)]
    assert texts[0] == texts[1]
    others = {chat(seed=seed, temperature=1.5).choices[0].message.content for seed in (11, 12, 13)}
    assert len(others) > 1


def test_stop():
    whole = chat(temperature=0, max_tokens=30).choices[0].message.content
    word = whole.split()[1]
    choice = chat(temperature=0, max_tokens=30, stop=[word]).choices[0]
    assert choice.finish_reason == "stop" and word not in choice.message.content
    assert whole.startswith(choice.message.content)
    streamed = chat(temperature=0, max_tokens=30, stop=word, stream=True)
    text = "".join(c.choices[0].delta.content or "" for c in streamed if c.choices)
    assert text == choice.message.content


def test_max_tokens():
    for name in ("max_tokens", "max_completion_tokens"):
        tell = [{"role": "user", "content": "Tell me a long story about the sea."}]
        answer = client.chat.completions.create(model=MODEL, messages=tell, **{name: 4})
        assert answer.usage.completion_tokens == 4 and answer.choices[0].finish_reason == "length"


def test_fields_that_mean_nothing_here():
    answer = chat(
        user="ann", store=False, metadata={"a": "b"}, service_tier="auto", presence_penalty=0.5, frequency_penalty=0.5,
        logit_bias={}, reasoning_effort="low", verbosity="low", extra_body={"foo": 1},
    )
    assert answer.choices


def test_completions():
    answer = client.completions.create(model=MODEL, prompt="Once upon a time", max_tokens=8, temperature=0)
    assert answer.object == "text_completion" and answer.choices[0].text
    assert answer.choices[0].finish_reason in ("stop", "length") and answer.usage.completion_tokens == 8
    chunks = client.completions.create(model=MODEL, prompt="Once upon a time", max_tokens=8, temperature=0, stream=True)
    assert "".join(c.choices[0].text for c in chunks if c.choices) == answer.choices[0].text
    echoed = client.completions.create(model=MODEL, prompt="Once", max_tokens=2, echo=True)
    assert echoed.choices[0].text.startswith("Once")


def test_completions_of_several_prompts():
    answer = client.completions.create(model=MODEL, prompt=["One", "Two"], max_tokens=2)
    assert [choice.index for choice in answer.choices] == [0, 1]


def test_completions_logprobs():
    answer = client.completions.create(model=MODEL, prompt="Once upon a time", max_tokens=3, logprobs=2)
    logprobs = answer.choices[0].logprobs
    assert len(logprobs.tokens) == len(logprobs.token_logprobs) == len(logprobs.top_logprobs) >= 1


def test_completions_of_several_prompts_stream():
    ask = dict(model=MODEL, prompt=["One", "Two"], max_tokens=4, temperature=0)
    whole = [choice.text for choice in client.completions.create(**ask).choices]
    texts = ["", ""]
    for chunk in client.completions.create(stream=True, **ask):
        for choice in chunk.choices:
            texts[choice.index] += choice.text
    assert texts == whole


RESPONSE_TOOL = {"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": True}


def test_responses():
    answer = client.responses.create(model=MODEL, input="Say hello.", instructions="Be brief.", max_output_tokens=16)
    assert answer.object == "response" and answer.id.startswith("resp_")
    assert answer.status in ("completed", "incomplete")
    assert answer.output_text and answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0


def test_responses_stream():
    events = list(client.responses.create(model=MODEL, input=HELLO, stream=True, max_output_tokens=40))
    kinds = [event.type for event in events]
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] in ("response.completed", "response.incomplete")
    for kind in ("response.output_item.added", "response.content_part.added", "response.output_text.delta",
                 "response.output_text.done", "response.content_part.done", "response.output_item.done"):
        assert kind in kinds
    assert [event.sequence_number for event in events] == list(range(len(events)))
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    assert events[-1].response.output_text == text


def test_responses_stream_helper():
    with client.responses.stream(model=MODEL, input="Say hello.", max_output_tokens=64) as stream:
        kinds = {event.type for event in stream}
    assert "response.output_text.delta" in kinds


def test_responses_function_call():
    answer = client.responses.create(
        model=MODEL, input=QUESTION, tools=[RESPONSE_TOOL], tool_choice="required", parallel_tool_calls=False,
        max_output_tokens=200,
    )
    calls = [item for item in answer.output if item.type == "function_call"]
    assert answer.status == "completed" and calls and calls[0].call_id and calls[0].name == "get_weather"
    holds(json.loads(calls[0].arguments))
    result = {"type": "function_call_output", "call_id": calls[0].call_id, "output": "12 degrees"}
    history = QUESTION + [item.model_dump(exclude_none=True) for item in answer.output] + [result]
    assert client.responses.create(model=MODEL, input=history, tools=[RESPONSE_TOOL], max_output_tokens=8).output


def test_responses_function_call_stream():
    choice = {"type": "function", "name": "get_weather"}
    with client.responses.stream(
        model=MODEL, input=QUESTION, tools=[RESPONSE_TOOL], tool_choice=choice, max_output_tokens=200
    ) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    assert "response.function_call_arguments.delta" in kinds and "response.function_call_arguments.done" in kinds
    item = [event.item for event in events if event.type == "response.output_item.done"][-1]
    assert item.type == "function_call" and item.name == "get_weather"
    holds(json.loads(item.arguments))
    assert final.output[-1].arguments == item.arguments


def test_responses_form():
    form = {"format": {"type": "json_schema", "name": "weather", "schema": SCHEMA, "strict": True}}
    answer = client.responses.create(model=MODEL, input=QUESTION, text=form, max_output_tokens=200)
    holds(json.loads(answer.output_text))


def test_responses_input_tokens():
    counted = client.responses.input_tokens.count(model=MODEL, input="Say hello.")
    answer = client.responses.create(model=MODEL, input="Say hello.", max_output_tokens=1)
    assert counted.input_tokens == answer.usage.input_tokens


PNG = ("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
       "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def test_files_in_a_message():
    note = {"type": "file", "file": {"filename": "note.txt", "file_data": "data:text/plain;base64,QnJpbmcgdHdvIGxvYXZlcy4="}}
    without = chat([{"role": "user", "content": [{"type": "text", "text": "What?"}]}])
    answer = chat([{"role": "user", "content": [note, {"type": "text", "text": "What?"}]}])
    assert answer.usage.prompt_tokens > without.usage.prompt_tokens
    for part in ({"type": "image_url", "image_url": {"url": PNG}},
                 {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}):
        with pytest.raises(openai.BadRequestError) as raised:
            chat([{"role": "user", "content": [part]}])
        assert raised.value.message and raised.value.param == "messages"


def test_transcriptions_need_ears():
    with pytest.raises(openai.BadRequestError) as raised:
        client.audio.transcriptions.create(model=MODEL, file=("a.wav", b"RIFF\x24\0\0\0WAVEfmt "))
    assert "cannot hear" in raised.value.message


def test_files_and_batches():
    import time

    def row(name, **more):
        body = {"model": MODEL, "messages": HELLO, "max_tokens": 8, "temperature": 0, **more}
        return json.dumps({"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body})

    lines = "\n".join([row("a"), row("b", seed=1), row("bad", temperature=-1)]) + "\n"
    file = client.files.create(file=("rows.jsonl", lines.encode()), purpose="batch")
    assert file.id in [one.id for one in client.files.list(purpose="batch")]
    assert client.files.retrieve(file.id).bytes == len(lines) and client.files.content(file.id).text == lines
    batch = client.batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"for": "tests"})
    assert batch.status == "validating" and batch.metadata == {"for": "tests"}
    for _ in range(240):
        batch = client.batches.retrieve(batch.id)
        if batch.status in ("completed", "failed", "cancelled"):
            break
        time.sleep(0.5)
    assert batch.status == "completed", batch
    assert (batch.request_counts.total, batch.request_counts.completed, batch.request_counts.failed) == (3, 2, 1)
    rows = [json.loads(line) for line in client.files.content(batch.output_file_id).text.splitlines()]
    answers = {row["custom_id"]: row["response"]["body"]["choices"][0]["message"]["content"] for row in rows}
    assert sorted(answers) == ["a", "b"]
    assert answers["a"] == chat(max_tokens=8, temperature=0).choices[0].message.content
    errors = [json.loads(line) for line in client.files.content(batch.error_file_id).text.splitlines()]
    assert [row["custom_id"] for row in errors] == ["bad"] and "temperature" in errors[0]["error"]["message"]
    assert batch.id in [one.id for one in client.batches.list(limit=5)]
    for name in (file.id, batch.output_file_id, batch.error_file_id):
        assert client.files.delete(name).deleted
    with pytest.raises(openai.NotFoundError):
        client.files.retrieve(file.id)


def test_models():
    names = [model.id for model in client.models.list()]
    assert MODEL in names
    assert client.models.retrieve(MODEL).id == MODEL
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("absent")


def test_embeddings_are_refused():
    with pytest.raises(openai.APIStatusError) as raised:
        client.embeddings.create(model=MODEL, input="a")
    assert raised.value.status_code == 501 and raised.value.body["message"]


def test_wrong_model():
    for stream in (False, True):
        with pytest.raises(openai.NotFoundError) as raised:
            client.chat.completions.create(model="absent", messages=HELLO, stream=stream)
        assert raised.value.code == "model_not_found" and "absent" in raised.value.message
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="absent", input="a")


LONG = [{"role": "user", "content": "one two three " * 5000}]


def test_too_long():
    for stream in (False, True):
        with pytest.raises(openai.BadRequestError) as raised:
            chat(LONG, stream=stream)
        assert raised.value.code == "context_length_exceeded"
        numbers = [int(word) for word in raised.value.message.replace(",", " ").split() if word.isdigit()]
        assert any(number > 10_000 for number in numbers), raised.value.message
    with pytest.raises(openai.BadRequestError) as raised:
        client.responses.create(model=MODEL, input=LONG)
    assert raised.value.code == "context_length_exceeded"
    # A stream of this protocol has an event for it.
    last = list(client.responses.create(model=MODEL, input=LONG, stream=True))[-1]
    assert last.type == "response.failed" and last.response.error.code == "context_length_exceeded"
    with pytest.raises(openai.BadRequestError):
        client.completions.create(model=MODEL, prompt=LONG[0]["content"])


@pytest.mark.parametrize("more", [{"temperature": -1}, {"top_p": 2}, {"n": 0}, {"max_tokens": 0}, {"messages": []},
                                  {"tool_choice": "banana"}, {"top_logprobs": 99, "logprobs": True}])
def test_bad_requests(more):
    with pytest.raises(openai.BadRequestError) as raised:
        chat(**more)
    assert raised.value.message and raised.value.type == "invalid_request_error"


@pytest.mark.skipif(not KEYED_URL, reason="needs a server with keys")
def test_keys():
    keyed = KEYED_URL + "/v1"
    with pytest.raises(openai.AuthenticationError) as raised:
        openai.OpenAI(base_url=keyed, api_key="wrong", max_retries=0).models.list()
    assert raised.value.code == "invalid_api_key"
    with pytest.raises(openai.AuthenticationError):
        openai.OpenAI(base_url=keyed, api_key="wrong", max_retries=0).chat.completions.create(
            model=MODEL, messages=HELLO, stream=True)
    assert list(openai.OpenAI(base_url=keyed, api_key=KEY).models.list())


def test_async():
    import asyncio

    async def both():
        async with openai.AsyncOpenAI(base_url=URL + "/v1", api_key="none", max_retries=0) as other:
            asks = [other.chat.completions.create(model=MODEL, messages=HELLO, max_tokens=8) for _ in range(4)]
            return await asyncio.gather(*asks)

    assert all(answer.choices[0].message.content for answer in asyncio.run(both()))
