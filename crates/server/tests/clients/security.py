"""Probes of what a server must refuse. Usage: python security.py BINARY [FIRST_PORT]

Starts its own servers: one open on loopback, one with keys, and some that must not start. Needs RECKON_HOME with the model.
"""
import contextlib
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

BINARY = sys.argv[1]
PORT = int(sys.argv[2]) if len(sys.argv) > 2 else 20050
MODEL = os.environ.get("RECKON_MODEL", "smollm2-135m")
HOME = pathlib.Path(os.environ["RECKON_HOME"])
SECRET = "xylophone-marmalade"  # said in every prompt; may be in no log
failed, passed = [], 0


def check(name, good, got=""):
    global passed
    passed += bool(good)
    if not good:
        failed.append(name)
        print(f"FAILED {name}: {str(got)[:300]}", flush=True)


class Server:
    def __init__(self, port, *arguments, home=HOME):
        self.port = port
        self.log = tempfile.TemporaryFile()
        command = [BINARY, "serve", "--offline", "--model", MODEL, "--port", str(port), *arguments]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
                                        env={**os.environ, "RECKON_HOME": str(home)})

    def wait(self):
        for _ in range(300):
            with contextlib.suppress(OSError):
                if self.ask("GET", "/readyz")[0] == 200:
                    return self
            time.sleep(0.1)
        raise SystemExit("a server did not come up: " + self.said())

    def ask(self, method, path, body=None, headers=None, timeout=60):
        """Status, headers, text."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode(errors="replace")
        finally:
            connection.close()

    def raw(self, data, timeout=25):
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as stream:
            stream.sendall(data)
            got = b""
            with contextlib.suppress(OSError):
                while part := stream.recv(65536):
                    got += part
            return got

    def pour(self, path, data):
        """Status and text for a body that is sent without looking; none where the connection breaks before an answer."""
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode()
        got = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as stream:
            with contextlib.suppress(OSError):
                stream.sendall(head + data)
            with contextlib.suppress(OSError):
                while part := stream.recv(65536):
                    got += part
        head, _, text = got.partition(b"\r\n\r\n")
        return (int(head.split()[1]), text.decode(errors="replace")) if text else (None, "")

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


def chat(content=SECRET, **more):
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], "max_tokens": 2, **more}


CALLS = {
    "/v1/chat/completions": chat,
    "/v1/responses": lambda **more: {"model": MODEL, "input": SECRET, "max_output_tokens": 2, **more},
    "/v1/completions": lambda **more: {"model": MODEL, "prompt": SECRET, "max_tokens": 2, **more},
    "/v1/messages": chat,
    "/api/chat": lambda **more: chat(options={"num_predict": 2}, stream=False, **more),
    "/api/generate": lambda **more: {"model": MODEL, "prompt": SECRET, "options": {"num_predict": 2}, "stream": False, **more},
}


def error_of(path, text):
    """The message of an error, in the protocol's own form; none where it is not that."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if path.startswith("/api/"):
        return value.get("error") if isinstance(value.get("error"), str) else None
    if path.startswith("/v1/messages") and value.get("type") != "error":
        return None
    error = value.get("error")
    return error.get("message") if isinstance(error, dict) and error.get("type") else None


def doors(server):
    """Names of hosts and origins."""
    for path, body in CALLS.items():
        for host in ("evil.com", "evil.com:80", f"127.0.0.1.evil.com:{server.port}", "localhost.evil.com", "[evil]", "", "169.254.169.254"):
            status, _, text = server.ask("POST", path, body(), {"Host": host})
            check(f"host {host!r} at {path}", status in (403, 400) and error_of(path, text), (status, text))
        for origin in ("http://evil.com", "https://evil.com", "null", "http://localhost:1", f"http://127.0.0.1:{server.port}.evil.com",
                       "file://", f"HTTP://127.0.0.1:{server.port}@evil.com"):
            status, headers, text = server.ask("POST", path, body(), {"Origin": origin})
            check(f"origin {origin!r} at {path}", status == 403, (status, text))
            check(f"no CORS for {origin!r} at {path}", "access-control-allow-origin" not in headers)
    for path in ("/", "/reckon/state", "/reckon/conversations", "/v1/models", "/metrics", "/openapi.json"):
        status, _, text = server.ask("GET", path, headers={"Host": "evil.com"})
        check(f"foreign host at {path}", status == 403, (status, text))
    status, _, _ = server.ask("OPTIONS", "/v1/chat/completions", headers={"Origin": "http://evil.com", "Access-Control-Request-Method": "POST"})
    check("preflight of a foreign page", status == 403, status)
    for host in (f"localhost:{server.port}", f"127.0.0.1:{server.port}", f"[::1]:{server.port}", "LOCALHOST"):
        check(f"host {host}", server.ask("GET", "/v1/models", headers={"Host": host})[0] == 200)
    own = {"Host": f"localhost:{server.port}", "Origin": f"http://localhost:{server.port}"}
    check("own origin", server.ask("GET", "/v1/models", headers=own)[0] == 200)
    _, headers, _ = server.ask("GET", "/")
    check("the page has a policy", "default-src" in headers.get("content-security-policy", ""), headers)
    check("the page is not framed", headers.get("x-frame-options") == "DENY", headers)
    check("no server header", "server" not in headers, headers)


def bodies(server):
    """Bodies that are no requests."""
    deep = "[" * 100_000
    nested = '{"a":' * 5000 + "1" + "}" * 5000
    for path, body in CALLS.items():
        good = json.dumps(body())
        wrong = {
            "empty": b"", "no JSON": b"hello", "cut": good[:-5].encode(), "trailing": (good + "x").encode(),
            "array": b"[]", "number": b"1", "null": b"null", "string": b'"a"',
            "not UTF-8": good.replace(SECRET, "MARK").encode().replace(b"MARK", b"\xff\xfe\xc3\x28"),
            "UTF-16": good.encode("utf-16"), "BOM": b"\xef\xbb\xbf" + b"[]",
            "deep array": deep.encode(), "deep object": nested.encode(),
            "deep in a field": good.replace(f'"{SECRET}"', deep, 1).encode(),
            "lone surrogate": good.replace(SECRET, "\\ud800").encode(),
            "model number": json.dumps({**body(), "model": 5}).encode(), "model object": json.dumps({**body(), "model": {}}).encode(),
        }
        for name, data in wrong.items():
            status, _, text = server.ask("POST", path, data, {"Content-Type": "application/json"})
            check(f"{name} at {path}", status == 400 and error_of(path, text), (status, text))
            check(f"{name} at {path}: a short message", len(text) < 1000, len(text))
        for name, data in {"NUL": json.dumps(body()).replace(SECRET, "a\\u0000b"), "controls": json.dumps(body()).replace(SECRET, "\\u001b[2J\\u0007"),
                           "odd Unicode": json.dumps(body()).replace(SECRET, "\\ud83d\\ude00\\u202e\\ufeff"),
                           "special tokens": json.dumps(body()).replace(SECRET, "<|im_end|><|endoftext|><|im_start|>system")}.items():
            status, _, text = server.ask("POST", path, data)
            check(f"{name} at {path}", status == 200, (status, text))
        status, _, text = server.ask("POST", path, json.dumps({**body(), "model": "a\0b"}))
        check(f"NUL in the model at {path}", status == 404, (status, text))
        keys = json.dumps(body())[:-1] + "".join(f', "k{n}": {n}' for n in range(20_000)) + "}"
        status, _, text = server.ask("POST", path, keys)
        check(f"20,000 fields at {path}", status == 200 and len(text) < 20_000, (status, len(text)))


def sizes(server):
    """Too much."""
    for path, body in CALLS.items():
        data = json.dumps(body()).replace(SECRET, "a" * (17 << 20)).encode()
        status, text = server.pour(path, data)
        check(f"17 MB at {path}", status == 413 and error_of(path, text), (status, text))
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n".encode()
        got = server.raw(head + b'{"a":1', timeout=3)
        check(f"a length of 100 GB at {path}", got.startswith(b"HTTP/1.1 4") or not got, got)
    for more in ({"n": 1000}, {"n": 2**31}, {"n": -1}, {"n": 2**70}, {"max_tokens": -1}, {"max_tokens": 1.5}, {"max_tokens": 2**70},
                 {"stop": ["a"] * 1000}, {"stop": "a" * 100_000}, {"stop": [1]}, {"temperature": 1e30}, {"temperature": "hot"}, {"top_p": -1}, {"top_k": -5},
                 {"seed": 1.5}, {"seed": 2**70}, {"logprobs": True, "top_logprobs": 10**6}, {"tools": [{"type": "function", "function": {"name": "a"}}] * 5000},
                 {"tools": [{"type": "function", "function": {"name": "a" * 10_000}}]}, {"tools": "a"}, {"tool_choice": 5},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"$ref": "http://evil.com/a.json"}}}},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"$ref": "file:///etc/passwd"}}}},
                 {"response_format": {"type": "banana"}}, {"messages": [{"role": "user"}] * 3 + [{"role": "x", "content": "a"}]}):
        begin = time.time()
        status, _, text = server.ask("POST", "/v1/chat/completions", {**chat(), **more})
        check(f"{str(more)[:80]}", status == 400, (status, text))
        check(f"{str(more)[:80]}: at once", time.time() - begin < 5, time.time() - begin)
    # These mean something: the server only has to live.
    for more in ({"max_tokens": 2**32 - 1, "stop": ["a", "e", "i", "o", " "]}, {"temperature": 0, "seed": -1}, {"seed": 2**63 - 1},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}}}}}},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "string", "pattern": "(a+)+" * 500}}}},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "array", "minItems": 10**9}}}},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "string", "maxLength": 10**9}}}},
                 {"response_format": {"type": "json_schema", "json_schema": {"schema": {"enum": [str(n) for n in range(20_000)]}}}},
                 {"messages": [{"role": "user", "content": "a"}] * 3000}, {"chat_template_kwargs": {"messages": [], "x": "{{ 7 * 7 }}"}}):
        begin = time.time()
        status, _, text = server.ask("POST", "/v1/chat/completions", {**chat(), **more})
        check(f"{str(more)[:80]}", status in (200, 400), (status, text))
        check(f"{str(more)[:80]}: soon", time.time() - begin < 20, time.time() - begin)
    many = "".join(f"X-{n}: {n}\r\n" for n in range(5000))
    got = server.raw(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{many}\r\n".encode(), 5)
    check("5,000 headers", got.startswith(b"HTTP/1.1 4") or not got, got[:100])
    got = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * (1 << 20) + b"\r\n\r\n", 5)
    check("a header of 1 MB", got.startswith(b"HTTP/1.1 4") or not got, got[:100])
    got = server.raw(b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 5)
    check("a path of 1 MB", got.startswith(b"HTTP/1.1 4") or not got, got[:100])
    for junk in (b"\0" * 100, b"\x16\x03\x01\x02\x00\x01", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                 b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                 b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"):
        got = server.raw(junk, 3)
        check(f"junk {junk[:40]}", b" 200 " not in got.split(b"\r\n")[0] and b"# HELP" not in got, got[:200])


def paths(server):
    """Names that are no models, and calls that are none."""
    names = ["../../etc/passwd", "/etc/passwd", "..", ".", "/", "../models/smollm2-135m.gguf", "smollm2-135m.gguf", "%2e%2e%2fetc%2fpasswd", "..\\..\\a",
             "file:///etc/passwd", "http://evil.com/a.gguf", "hf.co/a/b", "~/.ssh/id_rsa", "/proc/self/environ", "absent", "a" * 100_000, "smollm2-135m/../x", "$(id)", "`id`",
             str(HOME / "models" / (MODEL + ".gguf"))]
    for name in names:
        for path, body in CALLS.items():
            status, _, text = server.ask("POST", path, body(model=name) if path not in ("/v1/chat/completions", "/v1/messages", "/api/chat") else {**body(), "model": name})
            message = error_of(path, text)
            check(f"model {name[:40]} at {path}", status == 404 and message and len(text) < 1000 and "root:" not in text, (status, text))
        for path in ("/api/show", "/api/pull"):
            status, _, text = server.ask("POST", path, {"model": name})
            check(f"model {name[:40]} at {path}", status in (403, 404) and error_of(path, text), (status, text))
        if len(name) < 1000:
            status, _, text = server.ask("GET", "/v1/models/" + urllib.parse.quote(name, safe=""))
            check(f"GET model {name[:40]}", status == 404 and error_of("/v1/models", text), (status, text))
    for path in ("/nothing", "/v1/nothing", "/api/nothing", "/v1/messages/nothing", "/reckon/nothing", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                 "/assets/../../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/.git/config", "/index.html/../../x", "/%00", "/%ff", "/v1/models/%ff"):
        status, _, text = server.ask("GET", path)
        check(f"path {path}", status in (404, 400) and error_of(path, text) and "root:" not in text, (status, text))
    for method, path in (("GET", "/v1/chat/completions"), ("DELETE", "/v1/models"), ("PUT", "/api/chat"), ("POST", "/healthz"), ("POST", "/"), ("PATCH", "/v1/messages"),
                         ("DELETE", "/reckon/conversations"), ("TRACE", "/v1/models"), ("CONNECT", "/v1/models"), ("BANANA", "/v1/models")):
        status, headers, text = server.ask(method, path)
        check(f"{method} {path}", status == 405 and error_of(path, text), (status, text))
        check(f"{method} {path} says what is allowed", headers.get("allow"), headers)
    check("HEAD", server.ask("HEAD", "/")[0] == 200)
    for name in ("../x", "1", "a" * 5000, "%00", "' OR 1=1 --"):
        for path in ("/reckon/conversations/{}", "/reckon/messages/{}", "/reckon/messages/{}/events", "/reckon/conversations/{}/export"):
            status, _, text = server.ask("GET", path.format(urllib.parse.quote(name, safe="")))
            check(f"GET {path.format(name[:20])}", status in (400, 404) and error_of("/", text), (status, text))
    for query in ("?q=%22%27%28%29*", "?q=a%20OR%20b%20NEAR", "?q=%00", "?q=" + "a" * 20_000, "?folder=%27%20OR%201=1", "?after=-1", "?q=%ff"):
        status, _, text = server.ask("GET", "/reckon/conversations" + query)
        check(f"search {query[:30]}", status in (200, 400, 413, 414), (status, text))
    status, _, text = server.ask("GET", "/reckon/messages/x/events?after=abc")
    check("events after what is no number", status in (400, 404) and error_of("/", text), (status, text))
    for body in ({"reckon": 1}, {"reckon": 99, "conversation": {}}, {"reckon": 1, "conversation": {"title": "a", "messages": [{"id": "x", "parent": "x"}]}}, [], "x"):
        status, _, text = server.ask("POST", "/reckon/import", json.dumps(body))
        check(f"import {str(body)[:50]}", status == 400 and error_of("/", text), (status, text))
    for code in ("import os; os.listdir('/')", "open('/etc/passwd').read()", "__import__('socket')", "while True: pass", "'a' * 10**12", "def f(): f()\nf()"):
        begin = time.time()
        status, _, text = server.ask("POST", "/reckon/run", {"code": code})
        check(f"run {code}", status == 200 and not json.loads(text)["ok"] and "root:" not in text, (status, text))
        check(f"run {code}: soon", time.time() - begin < 20, time.time() - begin)


def keys(server, first, second):
    """Who may come in, and what is whose."""
    def with_key(key):
        return {"Authorization": f"Bearer {key}"}
    wrong = {"none": {}, "wrong": with_key("wrong"), "empty": with_key(""), "basic": {"Authorization": "Basic " + first}, "a part": with_key(first[:-1]), "longer": with_key(first + "a"),
             "other letters": with_key(first.swapcase()), "x-api-key wrong": {"x-api-key": "wrong"}, "NUL": {"Authorization": b"Bearer \xff\xfe"}, "huge": with_key("a" * 30_000),
             "in the query": {}}
    for name, headers in wrong.items():
        suffix = f"?key={first}&api_key={first}" if name == "in the query" else ""
        for path, body in CALLS.items():
            status, got, text = server.ask("POST", path + suffix, body(), headers)
            check(f"key {name} at {path}", status == 401 and error_of(path, text), (status, text))
            check(f"key {name} at {path}: WWW-Authenticate", got.get("www-authenticate"))
        for path in ("/v1/models", "/api/tags", "/api/ps", "/api/version", "/metrics", "/openapi.json", "/reckon/state", "/reckon/conversations", "/nothing", "/reckon/../metrics", "//metrics"):
            status, _, text = server.ask("GET", path + suffix, headers=headers)
            check(f"key {name} at {path}", status == 401, (status, text[:80]))
    for headers in (with_key(first), {"x-api-key": first}, {"Authorization": "bearer " + second}):
        check("a right key", server.ask("GET", "/v1/models", headers=headers)[0] == 200)
    check("the page without a key", server.ask("GET", "/")[0] == 200)
    check("a foreign page with a key", server.ask("GET", "/v1/models", headers={**with_key(first), "Origin": "http://evil.com"})[0] == 403)
    # What one has said the other does not see.
    status, _, text = server.ask("POST", "/reckon/conversations", {"title": SECRET, "folder": "mine", "system": SECRET}, with_key(first))
    check("a conversation", status == 201, (status, text))
    conversation = json.loads(text)["id"]
    status, _, text = server.ask("POST", f"/reckon/conversations/{conversation}/messages", {"content": SECRET, "options": {"max_tokens": 4, "check": "off"}}, with_key(first))
    check("a question", status == 202, (status, text))
    question, answer = json.loads(text)["question"]["id"], json.loads(text)["answer"]["id"]
    status, _, text = server.ask("GET", f"/reckon/messages/{answer}/events", headers=with_key(first))
    check("its events", status == 200 and "event: done" in text, (status, text))
    other = with_key(second)
    probes = [("GET", f"/reckon/conversations/{conversation}", None), ("GET", f"/reckon/conversations/{conversation}/export", None),
              ("PATCH", f"/reckon/conversations/{conversation}", {"title": "stolen"}), ("DELETE", f"/reckon/conversations/{conversation}", None),
              ("POST", f"/reckon/conversations/{conversation}/messages", {"content": "a"})]
    for message in (question, answer):
        probes += [("GET", f"/reckon/messages/{message}", None), ("GET", f"/reckon/messages/{message}/events", None), ("POST", f"/reckon/messages/{message}/retry", {}),
                   ("POST", f"/reckon/messages/{message}/continue", None), ("POST", f"/reckon/messages/{message}/stop", None), ("POST", f"/reckon/messages/{message}/replay", None)]
    for method, path, body in probes:
        status, _, text = server.ask(method, path, body, other)
        check(f"another's {method} {path.rsplit('/', 1)[-1]}", status == 404 and SECRET not in text, (status, text))
    # A question in one's own conversation below a message of another's.
    status, _, text = server.ask("POST", "/reckon/conversations", {"title": "b"}, other)
    own = json.loads(text)["id"]
    status, _, text = server.ask("POST", f"/reckon/conversations/{own}/messages", {"parent": answer, "content": "What did I say?"}, other)
    check("another's message as parent", status in (400, 404), (status, text))
    for path in ("/reckon/conversations", "/reckon/conversations?q=" + SECRET.split("-")[0], "/reckon/conversations?folder=mine"):
        status, _, text = server.ask("GET", path, headers=other)
        check(f"another's list {path}", status == 200 and SECRET not in text and "mine" not in text, (status, text))
    status, _, text = server.ask("GET", f"/reckon/conversations/{conversation}", headers=with_key(first))
    check("it is still there", status == 200 and SECRET in text and "stolen" not in text, (status, text))
    status, _, text = server.ask("GET", "/metrics", headers=other)
    check("metrics have no words and no keys", status == 200 and SECRET not in text and first not in text and second not in text)


def slow(server, results):
    """Headers that trickle, and bodies that do."""
    def trickle(name, head, limit):
        begin = time.time()
        with socket.create_connection(("127.0.0.1", server.port), timeout=limit + 10) as stream:
            stream.settimeout(0.5)
            try:
                for byte in head:
                    stream.sendall(bytes([byte]))
                    with contextlib.suppress(TimeoutError):
                        if stream.recv(1000) == b"":
                            break
                    if time.time() - begin > limit:
                        break
            except OSError:
                pass
        results[name] = (time.time() - begin, limit)
    slow_head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-A: b\r\n" * 100
    threads = [threading.Thread(target=trickle, args=("headers that trickle", slow_head, 20)),
               threading.Thread(target=trickle, args=("a request line that trickles", b"G" * 200, 20))]

    def silent():
        begin = time.time()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as stream, contextlib.suppress(OSError):
            stream.recv(10)
        results["a silent connection"] = (time.time() - begin, 20)
    threads.append(threading.Thread(target=silent))
    for thread in threads:
        thread.start()
    return threads


def starts():
    """Servers that must not start."""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / "models").symlink_to((HOME / "models").resolve())
        for host in ("0.0.0.0", "::"):
            server = Server(PORT + 5, "--host", host, home=home)
            try:
                code = server.process.wait(15)
            except subprocess.TimeoutExpired:
                code = None
            server.stop()
            check(f"--host {host} without a key", code == 2, (code, server.said()))
            check(f"--host {host} says why", "key" in server.said(), server.said())
        loose = home / "keys"
        loose.write_text("a-secret-that-is-long-enough\n")
        loose.chmod(0o644)
        server = Server(PORT + 5, "--key-file", str(loose), home=home)
        try:
            code = server.process.wait(5)
        except subprocess.TimeoutExpired:
            code = None
        server.stop()
        check("a key file that all can read", code not in (None, 0), (code, server.said()))
        check("its secret is not said", "a-secret-that" not in server.said(), server.said())


def main():
    begin = time.time()
    one = Server(PORT).wait()
    made = [subprocess.run([BINARY, "keys", "create", f"probe-{os.getpid()}-{n}"], capture_output=True, text=True, check=True) for n in range(2)]
    secrets = [next(word for word in (made_.stdout + made_.stderr).split() if word.startswith("rk-")) for made_ in made]
    two = Server(PORT + 1, "--require-key").wait()
    results = {}
    threads = slow(one, results)
    try:
        for name, probe in (("doors", doors), ("bodies", bodies), ("sizes", sizes), ("paths", paths)):
            now = time.time()
            probe(one)
            print(f"{name}: {time.time() - now:.1f} s", flush=True)
        keys(two, *secrets)
        starts()
        for thread in threads:
            thread.join()
        for name, (seconds, limit) in results.items():
            check(f"{name}: {seconds:.0f} s", seconds <= limit)
        for server in (one, two):
            check("it lives", server.process.poll() is None and server.ask("GET", "/readyz")[0] == 200)
            status, _, text = server.ask("POST", "/v1/chat/completions", chat(), {"x-api-key": secrets[0]})
            check("it answers", status == 200, (status, text))
    finally:
        codes = [one.stop(), two.stop()]
        for n in range(2):
            subprocess.run([BINARY, "keys", "revoke", f"probe-{os.getpid()}-{n}"], capture_output=True, check=False)
    check("they end when asked", all(code is not None for code in codes), codes)
    for server in (one, two):
        said = server.said()
        check("no words in the log", SECRET not in said and "xylophone" not in said, said)
        check("no keys in the log", not any(secret in said for secret in secrets))
        check("no panic", "panicked" not in said, said)
    print(f"security: {passed} passed, {len(failed)} failed, {time.time() - begin:.0f} s")
    sys.exit(bool(failed))


main()
