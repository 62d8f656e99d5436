#!/usr/bin/env bash
# Made-up requests to every call of /openapi.json: none may end in a 500 or hang. Usage: fuzz.sh BINARY [EXAMPLES]
# Needs RECKON_HOME with the model; nothing is kept. The context is short, so that no answer is long.
set -euo pipefail
binary=$(realpath "$1"); examples=${2:-25}
model=${RECKON_MODEL:-smollm2-135m}; port=${PORT:-20060}
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check schemathesis==4.32.5
mkdir "$folder/home"
ln -s "$(realpath "${RECKON_HOME:-$HOME/.reckon}/models")" "$folder/home/models"
RECKON_HOME=$folder/home "$binary" serve --offline --context 512 --model "$model" --port "$port" >"$folder/log" 2>&1 &
server=$!
for _ in $(seq 300); do curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && break; sleep 0.1; done
# Answers are short, and names of models are real ones half of the time; calls that are not served by this model, which is a 501, are left out.
curl -s "http://127.0.0.1:$port/openapi.json" | python3 -c '
import json, sys
document = json.load(sys.stdin)
def walk(value):
    if isinstance(value, dict):
        if "model" in value.get("properties", {}):
            value["properties"]["model"] = {"enum": [sys.argv[1], "absent"]}
            limits = {"max_tokens", "max_output_tokens", "options"} & set(value["properties"])
            value["required"] = sorted(limits.union(value.get("required", [])))
        for inner in value.values():
            walk(inner)
    elif isinstance(value, list):
        for inner in value:
            walk(inner)
paths = document["paths"]
few = {"type": "object", "properties": {"num_predict": {"type": "integer", "minimum": 1, "maximum": 8}}, "required": ["num_predict"]}
for path in ("/api/chat", "/api/generate"):
    paths[path]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["options"] = few
walk(document)
document["paths"] = {p: c for p, c in paths.items() if not any("not served" in one.get("summary", "") or p == "/infill" for one in c.values())}
json.dump(document, sys.stdout)' "$model" >"$folder/openapi.json"
status=0
(cd "$folder" && venv/bin/schemathesis run openapi.json --url "http://127.0.0.1:$port" --checks not_a_server_error \
  --max-examples "$examples" --phases coverage,fuzzing --request-timeout 90 --max-response-time 60 --no-shrink \
  --continue-on-failure --suppress-health-check all --warnings off --workers 1 --seed 1) || status=$?
kill -0 "$server" || { echo "the server has died"; status=1; }
if grep -q panicked "$folder/log"; then cat "$folder/log"; status=1; fi
exit "$status"
