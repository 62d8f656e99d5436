#!/bin/sh
# Builds a static release binary for Linux and prints its path: hosting/static.sh [x86_64|aarch64]
#
# Needs the musl target of Rust (`rustup target add`) and a C compiler for it: musl-gcc of this machine (Debian: musl-tools), a
# cross compiler such as aarch64-linux-musl-gcc, or zig, which is one for both (`pip install ziglang cargo-zigbuild`).
set -eu
cd "$(dirname "$0")/.."
machine=${1:-$(uname -m)}
target=$machine-unknown-linux-musl
case $machine in
    "$(uname -m)") compiler=musl-gcc ;;
    *) compiler=$machine-linux-musl-gcc ;;
esac
if [ ! -d "$(rustc --print target-libdir --target "$target")" ]; then
    echo "no standard library for $target (rustup target add $target)" >&2
    exit 1
fi
if command -v "$compiler" >/dev/null; then
    export "CC_$(echo "$target" | tr - _)=$compiler"
    # Rust has its own start files and libc for musl, and links them with the machine's plain linker. musl-gcc as a linker would
    # put a loader into the program that other machines do not have.
    if [ "$compiler" != musl-gcc ]; then
        export "CARGO_TARGET_$(echo "$target" | tr a-z- A-Z_)_LINKER=$compiler"
    fi
    build=build
elif command -v cargo-zigbuild >/dev/null; then
    build=zigbuild
else
    echo "no $compiler (Debian: apt install musl-tools) and no cargo-zigbuild (pip install ziglang cargo-zigbuild)" >&2
    exit 1
fi
cargo $build --release --locked --package reckon-app --target "$target" >&2
echo "${CARGO_TARGET_DIR:-target}/$target/release/reckon"
