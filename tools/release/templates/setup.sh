#!/bin/sh
# Gradescope runs this once, as root, when it builds the image of the assignment. Made by ./grader package.
set -eu
umask 022
source=/autograder/source
home=/opt/cuda-labs

python=""
for name in python3 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
        python=$name
        break
    fi
done
packages=""
command -v g++ > /dev/null || packages="$packages g++"
command -v make > /dev/null || packages="$packages make"
command -v bwrap > /dev/null || packages="$packages bubblewrap"
if [ -z "$python" ]; then # Ubuntu 22.04's python3 is 3.10
    python=python3.11
    packages="$packages python3.11 python3.11-venv"
fi
if [ -n "$packages" ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    # shellcheck disable=SC2086
    apt-get install -q -y --no-install-recommends $packages
fi

mkdir -p "$home"
tar -xzf "$source/@ARCHIVE@" -C "$home" --strip-components=1 --no-same-owner
chmod 700 "$source"
cd "$home"
make PYTHON="$python" lab@LAB@
make PYTHON="$python" solution@LAB@
