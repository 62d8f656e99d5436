#!/bin/sh
# Installs the .deb and the wheel of target/package in a Debian without Rust, asks a question, removes them again.
# Usage: packaging/clean-root.sh MODEL.gguf [amd64|arm64 [DIRECTORY]]
#
# As root; needs debootstrap. DIRECTORY is kept for the next time. For another processor this machine must run its programs: see
# "ARM64" in docs/release.md.
set -eu
model=$1
arch=${2:-$(dpkg --print-architecture)}
root=${3:-target/clean-root-$arch}
case $arch in
    amd64) processor=x86_64 ;;
    arm64) processor=aarch64 ;;
    *)
        echo "no packages for $arch" >&2
        exit 2
        ;;
esac
packages=$(cd "$(dirname "$0")/../target/package" && pwd)
[ -x "$root/usr/bin/python3" ] ||
    debootstrap --arch="$arch" --variant=minbase --include=python3-venv bookworm "$root"
rm -rf "$root/packages"
mkdir "$root/packages"
cp "$packages"/*_"$arch".deb "$packages"/*"_$processor.whl" "$root/packages/"
cp "$model" "$root/packages/model.gguf"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
trap 'umount "$root/proc" "$root/dev"' EXIT
cat > "$root/packages/try.sh" <<'TRY'
set -eu
export RECKON_HOME=/tmp/home
if command -v cargo; then echo "there is Rust in here" >&2; exit 1; fi
timed() {
    begin=$(date +%s%N)
    "$@" > /tmp/said 2>&1 || { cat /tmp/said; exit 1; }
    echo "$((($(date +%s%N) - begin) / 1000000)) ms: $*"
}
ask() {
    timed "$1" ask --model /packages/model.gguf --offline --max-tokens 24 "What is 17 * 23?"
    grep 391 /tmp/said
}
timed apt-get install -y --no-install-recommends /packages/*.deb
ask reckon
timed apt-get remove -y reckon
if [ -e /usr/bin/reckon ]; then echo "something is left" >&2; exit 1; fi
timed python3 -m venv --clear /tmp/venv
timed /tmp/venv/bin/pip install --no-index /packages/*.whl
ask /tmp/venv/bin/reckon
timed /tmp/venv/bin/pip uninstall -y reckon
if [ -e /tmp/venv/bin/reckon ]; then echo "something is left" >&2; exit 1; fi
ls -l /packages
uname -m
TRY
chroot "$root" sh /packages/try.sh
