#!/bin/sh
# How long a machine that sleeps takes to say its first word: hosting/wake.sh RECKON MODEL [RUNS]
#
# Starts `reckon serve`, asks as soon as the port is open, and prints the milliseconds from the start of the process to the open port
# and to the first token of a streamed answer. The file of the model is in the page cache from the second run on;
# `sync; echo 3 > /proc/sys/vm/drop_caches` (as root) before each run measures a cold disk.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: hosting/wake.sh RECKON MODEL [RUNS]" >&2
    exit 2
fi
reckon=$1 model=$2 runs=${3:-3}
home=$(mktemp -d)
server=
stop() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$home"
}
trap stop EXIT
now() { date +%s%3N; }

question='{"stream": true, "max_tokens": 8, "temperature": 0, "reckon": {"guards": false},
           "messages": [{"role": "user", "content": "Say hello."}]}'
for run in $(seq "$runs"); do
    begin=$(now)
    RECKON_HOME=$home RECKON_OFFLINE=1 "$reckon" serve --port 0 --model "$model" >"$home/out" 2>/dev/null &
    server=$!
    until [ -s "$home/out" ]; do
        kill -0 "$server" || exit 1
        sleep 0.005
    done
    opened=$(($(now) - begin))
    read -r url <"$home/out"
    # curl prints nothing before the first event with text in it; grep ends at once, which ends curl.
    curl --silent --no-buffer --max-time 600 --header 'Content-Type: application/json' --data "$question" \
        "${url}v1/chat/completions" | grep --max-count=1 --quiet '"content":"[^"]'
    first=$(($(now) - begin))
    echo "run $run: port open after $opened ms, first token after $first ms"
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
    : >"$home/out"
done
