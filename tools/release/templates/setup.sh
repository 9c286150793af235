#!/bin/sh
# Gradescope runs this once, as root, when it builds the image of the assignment. Made by ./grader package.
set -eu
umask 022
source=/autograder/source
home=/opt/cuda-labs

install() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -q -y --no-install-recommends "$@"
}

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
# shellcheck disable=SC2086
[ -z "$packages" ] || install $packages
version=$(g++ -dumpversion)
if [ "${version%%.*}" -lt 12 ]; then # Ubuntu 22.04's is 11, whose library lacks a part of C++20
    install g++-12
    for name in gcc g++; do
        ln -sf "/usr/bin/$name-12" "/usr/local/bin/$name"
    done
    ln -sf /usr/bin/gcc-12 /usr/local/bin/cc
    ln -sf /usr/bin/g++-12 /usr/local/bin/c++
fi

mkdir -p "$home"
tar -xzf "$source/@ARCHIVE@" -C "$home" --strip-components=1 --no-same-owner
chmod 700 "$source"
cd "$home"
make PYTHON="$python" lab@LAB@
make PYTHON="$python" solution@LAB@
