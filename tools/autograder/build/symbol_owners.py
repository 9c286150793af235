"""Who owns the names of functions and variables that a lab's program and the libraries below it define."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePath

from autograder.build.elf import Symbol, defined

LAB = "the program that runs the lab"
_SHARED = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2")


@lru_cache(maxsize=16)
def owners(link: tuple[str, ...]) -> dict[str, str]:
    """The owner of each name, for a lab's link command."""
    found: dict[str, str] = {}
    for name in _SHARED:
        printed = subprocess.run([link[0], f"-print-file-name={name}"], capture_output=True, text=True, check=False)
        owner = "the C++ library" if "stdc++" in name else "the C library"
        found |= _names(Path(printed.stdout.strip()), owner)
    for argument in link:
        if ".so" in PurePath(argument).name and Path(argument).is_file():
            found |= _names(Path(argument), "CUDA" if "cudart" in argument else "a library of the lab's program")
    for argument in link:
        if argument.endswith((".o", ".a")) and Path(argument).is_file():
            found |= _names(Path(argument), LAB)
    return found


def _names(path: Path, owner: str) -> Iterator[tuple[str, str]]:
    try:
        symbols: list[Symbol] = list(defined(path)) if path.is_file() else []
    except ValueError:
        symbols = []  # a linker's script, say
    return ((symbol.name, owner) for symbol in symbols if owner != LAB or not symbol.weak)


def readable(name: str) -> str:
    if not name.startswith("_Z"):
        return name
    found = subprocess.run(["c++filt", name], capture_output=True, text=True, check=False)
    return found.stdout.strip() or name
