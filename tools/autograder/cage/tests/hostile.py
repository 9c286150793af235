"""Hostile little programs for the tests of the cage: started, watched, and looked for afterwards."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import textwrap
import time
from pathlib import Path

import pytest

from autograder.cage.cage import Caged, Limits, Room, start, unavailable

PYTHON = [str(Path(sys.executable).resolve()), "-I", "-S", "-c"]
BASE = Path(sys.base_prefix)
REPOSITORY = Path(__file__).resolve().parents[4]
LIMITS = Limits(memory_mb=200, processes=40, file_mb=10, open_files=64, tmp_mb=20)
MANY = Room(read=(BASE,), children=True, memfd=True)
ONE = Room(read=(BASE,))

caged_only = pytest.mark.skipif(bool(unavailable()), reason=unavailable())
both = pytest.mark.parametrize("caged", [pytest.param(True, marks=caged_only), False], ids=["caged", "free"])


def launched(code: str, room: Room = ONE, limits: Limits = LIMITS, caged: bool = True, mark: str = "") -> Caged:
    return start([*PYTHON, textwrap.dedent(code), mark], room, limits, caged=caged)


def ran(code: str, room: Room = ONE, limits: Limits = LIMITS, caged: bool = True) -> tuple[int, str]:
    """Exit status and output of a program that ends by itself."""
    with launched(code, room, limits, caged) as program:
        text = wait_for(program, "")
        return program.wait(15.0), text


def said(code: str, room: Room = ONE, limits: Limits = LIMITS, caged: bool = True) -> str:
    status, text = ran(code, room, limits, caged)
    assert status == 0, text
    return text.strip()


def exceeded(program: Caged, seconds: float = 15.0) -> str:
    """What the watch says, asked as the grader does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        excess = program.excess()
        if excess:
            return excess
        time.sleep(0.02)
    return ""


def wait_for(program: Caged, word: str, seconds: float = 30.0) -> str:
    """Reads until the program has said the word; without a word, to its end."""
    assert program.stdout is not None
    text = ""
    end = time.monotonic() + seconds
    while not word or word not in text:
        assert select.select([program.stdout], [], [], end - time.monotonic())[0], f"after {seconds} s: {text}"
        data = os.read(program.stdout.fileno(), 1 << 16).decode()
        if not data:
            assert not word, text
            break
        text += data
    return text


def living(mark: str) -> list[str]:
    """The processes that have the mark among their arguments."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                found.append(entry.name)
    return found
