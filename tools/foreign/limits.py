"""Runs a program of others with a limit of processor time, of memory and of output."""

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
# A run may take so many times its limit by the clock: others use the machine, too, and a program may only wait.
BY_THE_CLOCK = 10


@dataclass(frozen=True)
class Ended:
    """How a run ended."""

    status: int  # negative: the signal
    seconds: float  # of processor time
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
    """`seconds`: processor time, `memory`: resident bytes, both of all its processes together. They are killed when a
    limit is reached, and whatever is left of them when the program has ended."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as source:
        source.write(given.encode())
        source.seek(0)
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=source, stdout=output, stderr=output, start_new_session=True
        )
        watch = _Watch(process, output.fileno(), seconds, memory)
        try:
            stopped = watch.wait()
        finally:  # also when this program is interrupted
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)  # so that nobody waits for it again
        took = max(usage.ru_utime + usage.ru_stime, watch.used)
        output.seek(0)
        text = output.read(MOST_OUTPUT).decode("utf-8", "replace")
    if len(text) > KEPT:
        text = f"{text[: KEPT // 2]}\n{text[-KEPT // 2 :]}"
    return Ended(process.returncode, took, text, stopped)


class _Watch:
    def __init__(self, process: subprocess.Popen[bytes], output: int, seconds: float, memory: int) -> None:
        self.process = process
        self.output = output
        self.seconds = seconds
        self.memory = memory
        self.used = 0.0  # seconds of processor time

    def wait(self) -> str:
        """Until the program has ended, or a limit is reached, whose name it returns. The process is still to be
        reaped."""
        end = time.monotonic() + BY_THE_CLOCK * self.seconds
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(min(LOOK_EVERY, 0.01 + self.used / 10))
            used, resident = usage_of(self.process.pid)
            self.used = max(self.used, used)
            if self.used > self.seconds or time.monotonic() > end:
                return "time"
            if resident > self.memory:
                return "memory"
            if os.fstat(self.output).st_size > MOST_OUTPUT:
                return "output"
        return ""


def usage_of(group: int) -> tuple[float, int]:
    """Seconds of processor time and bytes in memory of a process group."""
    seconds, resident = 0.0, 0
    page, tick = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if os.getpgid(int(folder.name)) == group:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                seconds += sum(map(int, fields[11:15])) / tick  # its own, and of children that it has waited for
                resident += int(fields[21]) * page
    return seconds, resident
