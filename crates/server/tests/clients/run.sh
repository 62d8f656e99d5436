#!/usr/bin/env bash
# Real clients against a real server. Usage: run.sh BINARY
# Takes a model that is here already, else fetches it. Everything else is made in a folder that is deleted at the end.
# Ports from PORT (20070) on; RECKON_MODEL is another model than smollm2-135m.
set -uo pipefail
[ $# -eq 1 ] || { echo "usage: run.sh BINARY" >&2; exit 2; }
binary=$(realpath "$1") && [ -x "$binary" ] || { echo "there is no program $1" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
model=${RECKON_MODEL:-smollm2-135m} port=${PORT:-20070}
folder=$(mktemp -d) began=$SECONDS status=0
servers=()
finish() {
  for one in "${servers[@]}"; do kill "$one" 2>/dev/null && wait "$one" 2>/dev/null; done
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

# step NAME COMMAND…: runs it, keeps what it prints, says how long it took, and shows the end of it if it failed.
step() {
  local name=$1 from=$SECONDS code=0
  shift
  "$@" >"$folder/$name.log" 2>&1 || code=$?
  echo "$name: $([ $code = 0 ] && echo ok || echo FAILED), $((SECONDS - from)) s"
  if [ $code != 0 ]; then tail -n 60 "$folder/$name.log"; fi
  return $code
}
install_python() {
  python3 -m venv "$folder/venv" &&
    "$folder/venv/bin/pip" install -q --disable-pip-version-check --no-compile -r "$here/requirements.txt" -c "$here/constraints.txt"
}
install_node() {
  mkdir "$folder/node" && cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$folder/node" && cd "$folder/node" &&
    npm ci --ignore-scripts --no-audit --no-fund
}
ready() {
  for _ in $(seq 600); do
    curl -sf "http://127.0.0.1:$1/readyz" >/dev/null && return 0
    sleep 0.1
  done
  return 1
}

"$binary" models path "$model" >/dev/null 2>&1 || step "model" "$binary" models pull "$model" || exit 1
file=$("$binary" models path "$model") || exit 1
mkdir "$folder/home" && ln -s "$(dirname "$(realpath "$file")")" "$folder/home/models"
export RECKON_HOME=$folder/home RECKON_OFFLINE=1 RECKON_MODEL=$model

step "install python" install_python & python=$!
step "install node" install_node & node=$!
step "security" python3 "$here/security.py" "$binary" "$((port + 10))" & security=$!
wait "$python" || status=1
wait "$node" || status=1
wait "$security" || status=1
tail -n 1 "$folder/security.log"
[ $status = 0 ] || [ -x "$folder/venv/bin/pytest" ] || exit 1

RECKON_KEY=$("$binary" keys create tests 2>&1 | grep -o 'rk-[^ ]*') || exit 1
"$binary" serve --model "$model" --port "$port" >"$folder/open.log" 2>&1 & servers+=($!)
"$binary" serve --model "$model" --port "$((port + 1))" --require-key >"$folder/keyed.log" 2>&1 & servers+=($!)
step "start" ready "$port" && step "start with keys" ready "$((port + 1))" || { cat "$folder"/open.log "$folder"/keyed.log; exit 1; }
export RECKON_KEY RECKON_URL=http://127.0.0.1:$port RECKON_KEYED_URL=http://127.0.0.1:$((port + 1))
export PYTHONDONTWRITEBYTECODE=1 LITELLM_LOCAL_MODEL_COST_MAP=True LANGSMITH_TRACING=false NO_PROXY=127.0.0.1,localhost
cd "$here"
step "node" node --test "$folder/node/openai.test.mjs" & node=$!
# Most answers are sampled, and a tiny model now and then says something that a client does not expect of any: what fails
# is run once more, and counts if it fails again.
python() { "$folder/venv/bin/pytest" -q --tb=short --durations=5 -o cache_dir="$folder/cache" -W ignore "$@" .; }
step "python" python || step "again" python --last-failed || status=1
wait "$node" || status=1
grep -hE '^[0-9]+ (passed|failed)' "$folder/python.log" "$folder/again.log" 2>/dev/null
grep -E '^# (pass|fail) ' "$folder/node.log" | tr '\n' ' '
echo
if grep -h panicked "$folder/open.log" "$folder/keyed.log"; then status=1; fi
echo "clients: $([ $status = 0 ] && echo ok || echo FAILED), $((SECONDS - began)) s"
exit $status
