"""Runs a program of others with a limit of seconds, of memory and of output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK_EVERY = 0.1  # seconds
MOST_OUTPUT = 64 << 20  # bytes
KEPT = 200_000  # characters of the output, half from its beginning and half from its end


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    status: int  # negative: the signal
    seconds: float  # of the clock
    output: str  # both streams
    stopped: str = ""  # "time", "memory" or "output": the limit that ended it


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    memory: int,
    given: str = "",
) -> Ended:
    """`memory`: resident bytes of all its processes. The process group is killed when a limit is reached."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as source:
        source.write(given.encode())
        source.seek(0)
        start = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=source, stdout=output, stderr=output, start_new_session=True
        )
        stopped = _watch(process, output.fileno(), start, seconds, memory)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)  # also what the program has left behind
        status = process.wait()
        took = time.monotonic() - start
        output.seek(0)
        text = output.read(MOST_OUTPUT).decode("utf-8", "replace")
    if len(text) > KEPT:
        text = f"{text[: KEPT // 2]}\n{text[-KEPT // 2 :]}"
    return Ended(status, took, text, stopped)


def _watch(process: subprocess.Popen[bytes], output: int, start: float, seconds: float, memory: int) -> str:
    while True:
        left = start + seconds - time.monotonic()
        if left <= 0:
            return "time"
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(min(LOOK_EVERY, left))
            return ""
        if resident(process.pid) > memory:
            return "memory"
        if os.fstat(output).st_size > MOST_OUTPUT:
            return "output"


def resident(group: int) -> int:
    """The bytes of a process group in memory."""
    total = 0
    page = os.sysconf("SC_PAGE_SIZE")
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if os.getpgid(int(folder.name)) == group:
                total += int((folder / "statm").read_text().split()[1]) * page
    return total
