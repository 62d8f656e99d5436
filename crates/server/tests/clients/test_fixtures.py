"""Plays the requests of `fixtures/`: what clients send that are not tested themselves.

They were written by hand, not captured. Those of Codex, Home Assistant, Zed, Continue, Roo and Open WebUI follow the clients'
sources in part; those of Claude Code, Copilot, Cline and n8n were written from what is known of them, without their sources.

A file is a list of requests. `expect` has
    status     of the response
    stream     "sse" or "ndjson"; without, the body is one JSON value
    has        paths that must be there: in the body, or in every line or event of a stream
    equals     paths and their values: in the body, or in the last line or event
    last_has   paths that must be there in the last line or event
    events     names of events that come in this order, others between them
A path is keys and indices with dots between them; a key that has dots itself is taken as a whole where it is there.
"""
import http.client
import json
import pathlib
import urllib.parse

import pytest
from common import URL

FILES = sorted((pathlib.Path(__file__).parent / "fixtures").glob("*.json"))
REQUESTS = [(file.stem, request) for file in FILES for request in json.loads(file.read_text())]


def find(value, path):
    """Whether there is a value at this path, and which."""
    if isinstance(value, list):
        head, _, rest = path.partition(".")
        if not head.isdigit() or int(head) >= len(value):
            return False, None
        value = value[int(head)]
        return find(value, rest) if rest else (True, value)
    if not isinstance(value, dict):
        return False, None
    if path in value:
        return True, value[path]
    head, _, rest = path.partition(".")
    return find(value[head], rest) if rest and head in value else (False, None)


def lines(text):
    """The values of a stream of lines; a blank line breaks clients."""
    assert text.endswith("\n")
    return [json.loads(line) for line in text[:-1].split("\n")]


def events(text):
    """The names and the values of server-sent events; comments are passed over."""
    assert text.endswith("\n\n")
    names, values = [], []
    for frame in text[:-2].split("\n\n"):
        data = None
        for line in frame.split("\n"):
            field, _, rest = line.partition(": ")
            assert line.startswith(":") or field in ("event", "data", "id"), line
            if field == "event":
                names.append(rest)
            elif field == "data":
                assert data is None
                data = rest
        if data not in (None, "[DONE]"):
            values.append(json.loads(data))
    return names, values


def check(expect, status, kind, text):
    assert status == expect["status"], text[:500]
    names = []
    match expect.get("stream"):
        case "ndjson":
            assert kind == "application/x-ndjson"
            values = lines(text)
        case "sse":
            assert kind == "text/event-stream"
            names, values = events(text)
            if not names:
                assert text.endswith("data: [DONE]\n\n")
        case _:
            assert kind == "application/json"
            values = [json.loads(text)]
    for value in values:
        for path in expect.get("has", []):
            assert find(value, path)[0], (path, value)
    for path in expect.get("last_has", []):
        assert find(values[-1], path)[0], (path, values[-1])
    for path, wanted in expect.get("equals", {}).items():
        assert find(values[-1], path) == (True, wanted), (path, values[-1])
    left = iter(names)
    for name in expect.get("events", []):
        assert name in left, (name, names)


@pytest.mark.parametrize("client,request_", REQUESTS, ids=[f"{client}-{one['name']}" for client, one in REQUESTS])
def test_recorded(client, request_):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(URL).netloc, timeout=120)
    body = json.dumps(request_["body"]) if "body" in request_ else None
    connection.request(request_["method"], request_["path"], body, request_.get("headers", {}))
    response = connection.getresponse()
    text = response.read().decode()
    check(request_["expect"], response.status, response.headers.get_content_type(), text)
