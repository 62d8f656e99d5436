#!/usr/bin/env bash
# The bot against npm's telegram-test-api. Usage: run.sh ECHO, the example of this crate:
#   cargo build -p reckon-bot --example echo && crates/bot/tests/clients/run.sh target/debug/examples/echo
# Everything is made in a folder that is deleted at the end. PORT (20190) must be free.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: run.sh ECHO" >&2; exit 2; }
BOT=$(realpath "$1") && [ -x "$BOT" ] || { echo "there is no program $1" >&2; exit 2; }
command -v npm >/dev/null || { echo "SKIPPED: there is no npm" >&2; exit 75; }
here=$(cd "$(dirname "$0")" && pwd)
FOLDER=$(mktemp -d) PORT=${PORT:-20190}
trap 'rm -rf "$FOLDER"' EXIT
export BOT FOLDER PORT
mkdir "$FOLDER/node" && cp "$here"/package.json "$here"/*.mjs "$FOLDER/node" && cd "$FOLDER/node"
[ ! -f "$here/package-lock.json" ] || cp "$here/package-lock.json" .
npm install --ignore-scripts --no-audit --no-fund --silent
node --test text.test.mjs
