#!/usr/bin/env bash
# Made-up requests to every call of /openapi.json: none may end in a 500 or hang. Usage: fuzz.sh BINARY [EXAMPLES]
# Needs RECKON_HOME with the model; nothing is kept. The context is short and fuzz_hooks.py bounds every answer.
set -euo pipefail
binary=$(realpath "$1"); here=$(realpath "$(dirname "$0")"); examples=${2:-25}
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
# Left out: calls that are not served, or not with this model, which is a 501.
unserved='^/(infill|v1/embeddings|api/(embed|embeddings|create|copy|push|delete))$'
status=0
export RECKON_MODEL=$model SCHEMATHESIS_HOOKS=$here/fuzz_hooks.py PYTHONDONTWRITEBYTECODE=1
(cd "$folder" && venv/bin/schemathesis run "http://127.0.0.1:$port/openapi.json" --checks not_a_server_error \
  --exclude-path-regex "$unserved" --max-examples "$examples" --phases coverage,fuzzing --request-timeout 90 \
  --max-response-time 60 --no-shrink --continue-on-failure --suppress-health-check all --warnings off --workers 1 --seed 1) || status=$?
kill -0 "$server" || { echo "the server has died"; status=1; }
if grep -q panicked "$folder/log"; then cat "$folder/log"; status=1; fi
exit "$status"
