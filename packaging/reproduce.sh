#!/bin/sh
# Builds a commit twice, in two directories, and compares the bytes: packaging/reproduce.sh [COMMIT]
#
# A binary names the paths of its sources in messages of panics, and the order of a build must not show: paths are replaced,
# times are the commit's, and each build has a target directory of its own. Needs the toolchain of rust-toolchain.toml, some 20
# CPU-minutes.
set -eu
cd "$(dirname "$0")/.."
commit=$(git rev-parse "${1:-HEAD}")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH CARGO_INCREMENTAL=0
cargo_home=${CARGO_HOME:-$HOME/.cargo}
place=$(mktemp -d)
trap 'git worktree remove --force "$place/one" || true; git worktree remove --force "$place/two-with-a-longer-name" || true; rm -rf "$place"' EXIT

for name in one two-with-a-longer-name; do
    git worktree add --quiet --detach "$place/$name" "$commit"
    (
        cd "$place/$name"
        RUSTFLAGS="--remap-path-prefix=$PWD=reckon --remap-path-prefix=$cargo_home=cargo" \
            CFLAGS="-ffile-prefix-map=$PWD=reckon -ffile-prefix-map=$cargo_home=cargo" \
            CARGO_TARGET_DIR=$PWD/target cargo build --release --locked --package reckon-app
    )
done
one=$place/one/target/release/reckon
two=$place/two-with-a-longer-name/target/release/reckon
sha256sum "$one" "$two" | sed "s|$place/||"
if cmp "$one" "$two"; then
    echo "the same bytes"
else
    echo "NOT the same bytes" >&2
    exit 1
fi
