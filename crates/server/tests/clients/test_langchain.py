"""LangChain, by way of OpenAI's and of Ollama's protocol."""
import pydantic
import pytest
from common import MODEL, URL
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI


def open_ai(**more):
    return ChatOpenAI(model=MODEL, base_url=URL + "/v1", api_key="none", max_retries=0, timeout=120,
                      max_tokens=more.pop("max_tokens", 16), **more)


def by_ollama(**more):
    return ChatOllama(model=MODEL, base_url=URL, num_predict=more.pop("max_tokens", 16), **more)


both = pytest.mark.parametrize("make", [open_ai, by_ollama])
HELLO = [SystemMessage("Be brief."), HumanMessage("Say hello.")]


@tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


class Number(pydantic.BaseModel):
    """A number between 0 and 9."""

    value: int = pydantic.Field(ge=0, le=9)


@both
def test_invoke(make):
    answer = make().invoke(HELLO)
    assert answer.content and answer.usage_metadata["output_tokens"] > 0
    assert answer.response_metadata.get("finish_reason", answer.response_metadata.get("done_reason"))


@both
def test_stream(make):
    whole = None
    for chunk in make().stream(HELLO):
        whole = chunk if whole is None else whole + chunk
    assert whole.content


def test_stream_usage():
    chunks = list(open_ai(stream_usage=True).stream(HELLO))
    assert sum((chunk.usage_metadata or {}).get("output_tokens", 0) for chunk in chunks) > 0


@both
def test_tool_messages(make):
    """A call and its result in the history; whether another call comes is up to the model."""
    call = {"name": "add", "args": {"a": 1, "b": 2}, "id": "call_1", "type": "tool_call"}
    history = [HumanMessage("1 + 2?"), AIMessage("", tool_calls=[call]), ToolMessage("3", tool_call_id="call_1")]
    assert make().bind_tools([add]).invoke(history) is not None


def test_bind_tools():
    model = open_ai(max_tokens=120).bind_tools([add], tool_choice="add", parallel_tool_calls=False)
    answer = model.invoke("What is 1 + 2?")
    call = answer.tool_calls[0]
    assert call["name"] == "add" and isinstance(call["args"]["a"], int) and isinstance(call["args"]["b"], int)
    assert not answer.invalid_tool_calls


def test_bind_tools_stream():
    model = open_ai(max_tokens=120).bind_tools([add], tool_choice="required", parallel_tool_calls=False)
    whole = None
    for chunk in model.stream("What is 1 + 2?"):
        whole = chunk if whole is None else whole + chunk
    assert whole.tool_calls[0]["name"] == "add" and isinstance(whole.tool_calls[0]["args"]["a"], int)


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_structured_open_ai(method):
    answer = open_ai(max_tokens=100).with_structured_output(Number, method=method).invoke("Give me a number.")
    assert isinstance(answer, Number)


def test_structured_ollama():
    answer = by_ollama(max_tokens=100).with_structured_output(Number, method="json_schema").invoke("Give me a number.")
    assert isinstance(answer, Number)


def test_responses():
    answer = open_ai(use_responses_api=True).invoke(HELLO)
    assert answer.text and answer.usage_metadata["output_tokens"] > 0


def test_batch():
    answers = open_ai(max_tokens=4).batch([HELLO] * 3)
    assert all(answer.content for answer in answers)
