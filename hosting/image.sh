#!/bin/sh
# Makes the image of hosting/Dockerfile: hosting/image.sh BINARY MODEL.gguf [TAG]
#
# IMAGE_CONTEXT=DIR only writes the context there, for machines without docker.
set -eu
if [ $# -lt 2 ]; then
    echo "usage: hosting/image.sh BINARY MODEL.gguf [TAG]" >&2
    exit 2
fi
binary=$1 model=$2 tag=${3:-reckon}
here=$(cd "$(dirname "$0")" && pwd)

# A binary that wants a loader or libraries cannot start where there are none. `readelf` is in binutils.
if readelf --program-headers --wide "$binary" | grep -q INTERP; then
    echo "$binary is not static: build it with hosting/static.sh" >&2
    exit 1
fi
if [ "$(head -c 4 "$model")" != GGUF ]; then
    echo "$model is no GGUF file" >&2
    exit 1
fi
context=${IMAGE_CONTEXT:-$(mktemp -d)}
mkdir -p "$context/data"
cp "$binary" "$context/reckon"
cp "$model" "$context/model.gguf"
cp "$here/Dockerfile" "$context/Dockerfile"
if [ -n "${IMAGE_CONTEXT:-}" ]; then
    echo "$context"
    exit 0
fi
trap 'rm -rf "$context"' EXIT
docker build --tag "$tag" "$context"
