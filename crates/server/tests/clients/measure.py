#!/usr/bin/env python3
"""Measures a running server, with nothing but Python's own library (schemas: the package jsonschema).

    measure.py tools    URL MODEL          100 prompts with tools: calls made, valid, right
    measure.py schemas  URL MODEL [N]      N answers held to random schemas: all that finish are valid
    measure.py load     URL MODEL [S] [K]  K streams at a time for S seconds: errors, memory, same text as alone
    measure.py first    URL MODEL          seconds to the first word of a prompt of some 4,000 tokens
    measure.py latency  URL MODEL          what the server adds to a short answer
"""
import json
import random
import sys
import threading
import time
import urllib.error
import urllib.request

CITIES = "Paris Rome Oslo Lima Cairo Tokyo Delhi Quito Sofia Dakar".split()
MONEY = [("dollars", "euros", 50), ("euros", "yen", 120), ("pounds", "dollars", 75), ("yen", "euros", 9000), ("francs", "pounds", 33)]
TOOLS = [
    ("get_weather", "Current weather of a city", {"city": {"type": "string"}}, ["city"]),
    ("convert_currency", "Convert an amount of money from one currency to another",
     {"amount": {"type": "number"}, "from": {"type": "string"}, "to": {"type": "string"}}, ["amount", "from", "to"]),
    ("set_timer", "Set a timer", {"minutes": {"type": "integer", "minimum": 1}}, ["minutes"]),
    ("send_mail", "Send an e-mail", {"to": {"type": "string"}, "text": {"type": "string"}}, ["to", "text"]),
]


def post(url, path, body, timeout=600):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=timeout)


def chat(url, body):
    return json.load(post(url, "/v1/chat/completions", body))


def prompts():
    """100 prompts with the tool and the words that a right call has."""
    for i in range(10):
        city = CITIES[i]
        yield f"What is the weather in {city}?", "get_weather", [city]
        yield f"Will I need an umbrella in {city} today?", "get_weather", [city]
        yield f"How warm is it in {city} right now?", "get_weather", [city]
    for i in range(30):
        a, b, n = MONEY[i % 5]
        n += i
        yield f"How much are {n} {a} in {b}?", "convert_currency", [str(n)]
    for i in range(20):
        yield f"Set a timer for {i + 3} minutes.", "set_timer", [str(i + 3)]
    for i in range(20):
        name = f"ann{i}@example.org"
        yield f"Write to {name} that I will be late.", "send_mail", [name]


def fits(call, schemas):
    """Whether a call's arguments are what its tool takes."""
    import jsonschema

    try:
        jsonschema.validate(json.loads(call["arguments"]), schemas[call["name"]])
    except (ValueError, KeyError, jsonschema.ValidationError):
        return False
    return True


def tools(url, model):
    offered = [{"type": "function", "function": {"name": name, "description": what, "parameters": {
        "type": "object", "properties": properties, "required": required}}} for name, what, properties, required in TOOLS]
    schemas = {one["function"]["name"]: one["function"]["parameters"] for one in offered}
    made = valid = right = asked = 0
    for prompt, tool, words in prompts():
        asked += 1
        body = {"model": model, "messages": [{"role": "user", "content": prompt}], "tools": offered, "temperature": 0, "max_tokens": 200}
        message = chat(url, body)["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        made += bool(calls)
        valid += bool(calls) and all(fits(call["function"], schemas) for call in calls)
        if calls:
            first = calls[0]["function"]
            right += first["name"] == tool and all(word.lower() in first["arguments"].lower() for word in words)
        print(f"{asked} asked, {made} called, {right} right", end="\r", flush=True)
    print(f"{asked} asked, {made} called a tool, {valid} valid by their schemas, {right} right" + " " * 20)


def schema(rng, depth=0):
    kind = rng.choice(["string", "integer", "boolean", "enum", "array", "object"] if depth < 2 else ["integer", "boolean", "enum"])
    if kind == "string":
        return {"type": "string", "maxLength": rng.randint(1, 20)}
    if kind == "integer":
        return {"type": "integer", "minimum": 0, "maximum": rng.randint(1, 1000)}
    if kind == "boolean":
        return {"type": "boolean"}
    if kind == "enum":
        return {"enum": [rng.choice(CITIES), rng.randint(0, 9), None]}
    if kind == "array":
        return {"type": "array", "items": schema(rng, depth + 1), "maxItems": rng.randint(1, 3)}
    names = rng.sample("name size kind city tags done note".split(), rng.randint(1, 3))
    return {"type": "object", "properties": {name: schema(rng, depth + 1) for name in names}, "required": names}


def schemas(url, model, n=1000):
    import jsonschema

    rng = random.Random(1)
    jobs = [(i, {"type": "object", "properties": {"a": schema(rng, 1), "b": schema(rng, 1)}, "required": ["a"]}) for i in range(int(n))]
    done, bad, lock = {"stop": 0, "length": 0}, [], threading.Lock()

    def work():
        while True:
            with lock:
                if not jobs:
                    return
                i, wanted = jobs.pop()
            body = {"model": model, "messages": [{"role": "user", "content": f"Make up record {i}."}], "max_tokens": 300, "seed": i,
                    "response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": wanted}}}
            choice = chat(url, body)["choices"][0]
            with lock:
                done[choice["finish_reason"]] += 1
                if choice["finish_reason"] == "stop":
                    try:
                        jsonschema.validate(json.loads(choice["message"]["content"]), wanted)
                    except Exception as error:  # a report, whatever it is
                        bad.append((wanted, choice["message"]["content"], str(error)[:80]))

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    print(f"{done['stop']} finished, {len(bad)} of them not valid; {done['length']} cut by max_tokens")
    for one in bad[:5]:
        print(one)


def rss(url):
    for line in urllib.request.urlopen(url + "/metrics").read().decode().splitlines():
        if line.startswith("reckon_resident_bytes"):
            return float(line.split()[-1])
    return 0


def load(url, model, seconds=300, streams=64):
    questions = [f"Tell me something about {city}, number {i}." for i, city in enumerate(CITIES)]
    body = lambda text: {"model": model, "messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 48, "stream": True}
    read = lambda text: "".join(
        (json.loads(line[6:])["choices"] or [{"delta": {}}])[0]["delta"].get("content") or ""
        for line in post(url, "/v1/chat/completions", body(text)).read().decode().splitlines()
        if line.startswith("data: {"))
    alone = {text: read(text) for text in questions}
    end, lock = time.time() + float(seconds), threading.Lock()
    counts, memory = {"same": 0, "other": 0, "429": 0, "error": 0}, []

    def work(i):
        rng = random.Random(i)
        while time.time() < end:
            text = rng.choice(questions)
            try:
                kind = "same" if read(text) == alone[text] else "other"
            except urllib.error.HTTPError as error:
                kind = "429" if error.code == 429 else "error"
                time.sleep(0.2)
            except Exception:  # a connection that broke is an error like any other
                kind = "error"
            with lock:
                counts[kind] += 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(int(streams))]
    [thread.start() for thread in threads]
    while time.time() < end:
        time.sleep(5)
        memory.append(rss(url) / 2**20)
    [thread.join() for thread in threads]
    half = memory[len(memory) // 5:]
    print(counts, f"resident {min(half):.0f} to {max(half):.0f} MiB after the first fifth")


def first(url, model):
    text = " ".join(f"Line {i}: the {CITIES[i % 10]} train of {i} o'clock." for i in range(250))
    begin = time.time()
    body = {"model": model, "messages": [{"role": "system", "content": text}, {"role": "user", "content": "Say hello."}],
            "max_tokens": 4, "temperature": 0, "stream": True, "reckon": {"guards": False}}
    said = ""
    for line in post(url, "/v1/chat/completions", body):
        if line.startswith(b"data: {"):
            event = json.loads(line[6:])
            delta = (event["choices"] or [{"delta": {}}])[0]["delta"].get("content")
            if delta and not said:
                took = time.time() - begin
            said += delta or ""
            timings = event.get("timings") or {}
    print(f"first word after {took:.2f} s; {timings.get('cache_n')} of {timings.get('cache_n', 0) + timings.get('prompt_n', 0)} tokens known; said {said!r}")


def latency(url, model):
    """What the server adds to the engine's own time, seen by a client that adds next to nothing: one connection, raw bytes."""
    import socket
    import urllib.parse

    at = urllib.parse.urlsplit(url)
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4, "temperature": 0,
                       "reckon": {"guards": False}}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {at.netloc}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection = socket.create_connection((at.hostname, at.port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    added = []
    for _ in range(200):
        begin = time.perf_counter()
        connection.sendall(head.encode() + body)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        fields, _, said = answer.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in fields.lower().split(b"\r\n") if line.startswith(b"content-length"))
        while len(said) < length:
            said += connection.recv(65536)
        took = (time.perf_counter() - begin) * 1e3
        timings = json.loads(said)["timings"]
        added.append(took - timings["prompt_ms"] - timings["predicted_ms"])
    added = sorted(added[20:])
    print(f"added: median {added[len(added) // 2]:.2f} ms, 90 % within {added[len(added) * 9 // 10]:.2f} ms")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("tools", "schemas", "load", "first", "latency"):
        sys.exit(__doc__)
    globals()[sys.argv[1]](*sys.argv[2:])
