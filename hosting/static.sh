#!/bin/sh
# Builds a static release binary for Linux and prints its path: hosting/static.sh [x86_64|aarch64]
#
# Needs the musl target of Rust (`rustup target add`) and a C compiler for it (Debian: musl-tools; for the other processor
# a cross compiler such as aarch64-linux-musl-gcc). musl's allocator is slow with many threads; Reckon allocates at load and then
# hardly at all, so measure before you bother: `reckon bench speed` with both binaries.
set -eu
cd "$(dirname "$0")/.."
machine=${1:-$(uname -m)}
target=$machine-unknown-linux-musl
case $machine in
    "$(uname -m)") compiler=musl-gcc ;;
    *) compiler=$machine-linux-musl-gcc ;;
esac
if ! command -v "$compiler" >/dev/null; then
    echo "no $compiler (Debian: apt install musl-tools)" >&2
    exit 1
fi
if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
    echo "no standard library for $target (rustup target add $target)" >&2
    exit 1
fi
name=$(echo "$target" | tr a-z- A-Z_)
export "CARGO_TARGET_${name}_LINKER=$compiler" "CC_$(echo "$target" | tr - _)=$compiler"
cargo build --release --locked --package reckon-app --target "$target" >&2
echo "target/$target/release/reckon"
