"""Grades files one after the other, n at a time, each in a process of its own, and stores each result at once."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from autograder.cage import tree
from autograder.classes.items import shown
from autograder.classes.store import Grading, Store
from autograder.errors import GraderError

MOST_RESULT = 64 << 20  # bytes of one result
FAULTS_IN_A_ROW = 5  # then it is the machine, and the rest would fare no better
_POLL = 0.02
_LOOK = 0.5
_MOST_PROCESSES = 300
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Plan:
    """How each file is graded. `command` gets the file as its last word."""

    command: Callable[[Path], Sequence[str]]
    file: str  # scan.cu
    workers: int
    seconds: float  # for one submission in all
    environment: Mapping[str, str]
    grader: str  # versions, to be stored with each result
    lab: str


@dataclass
class _Running:
    digest: str
    source: Path
    process: subprocess.Popen[bytes]
    output: IO[bytes]
    errors: IO[bytes]
    start: float = field(default_factory=time.monotonic)
    memory: int = 0  # bytes, the most that was seen
    looked: float = 0.0

    def look(self) -> None:
        """At its memory, now and then: all of its processes, compiler and device included."""
        now = time.monotonic()
        if now - self.looked > _LOOK:
            self.looked = now
            pids = [self.process.pid, *tree.descendants(self.process.pid, _MOST_PROCESSES)]
            self.memory = max(self.memory, tree.proportional(pids) + tree.shared_memory(pids, ()))


def grade_all(store: Store, digests: Sequence[str], plan: Plan, tell: Callable[[Grading], None]) -> None:
    """Grades each of `digests`. Stopped by KeyboardInterrupt, it ends what runs and keeps what is finished.

    Raises GraderError if one file after the other meets a fault of the grader or the machine.
    """
    waiting, faults = list(reversed(digests)), 0
    running: list[_Running] = []
    try:
        while waiting or running:
            while waiting and len(running) < plan.workers:
                running.append(_start(store, waiting.pop(), plan))
            done = [(one, status) for one in running if (status := _ended(one, plan)) is not None]
            for one, code in done:
                running.remove(one)
                grading = store.add(_grading(one, code, plan))
                tell(grading)
                faults = faults + 1 if grading.outcome == "fault" else 0
                if faults >= FAULTS_IN_A_ROW:
                    many = f"{faults} submissions in a row could not be graded, the last because: {grading.message}"
                    raise GraderError(f"{many}. When that is mended, run the same command again")
            if not done:
                time.sleep(_POLL)
    finally:
        for one in running:
            _kill(one.process)
            one.process.wait()
            one.output.close()
            one.errors.close()


def _start(store: Store, digest: str, plan: Plan) -> _Running:
    source = store.source(digest, plan.file)
    # Files, not pipes: nobody has to read while it writes. They have no name, so that nothing is left of them.
    output = tempfile.TemporaryFile(dir=store.folder)  # noqa: SIM115
    errors = tempfile.TemporaryFile(dir=store.folder)  # noqa: SIM115
    process = subprocess.Popen(
        plan.command(source),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=errors,
        env=dict(plan.environment),
        start_new_session=True,  # ^C is for us
        preexec_fn=_die_with_parent,
    )
    return _Running(digest, source, process, output, errors)


_libc = ctypes.CDLL(None)


def _die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _ended(one: _Running, plan: Plan) -> int | Literal["time"] | None:
    """Its exit status, once it has ended; "time" if it was ended for its time; None while it runs."""
    status = one.process.poll()
    if status is None and time.monotonic() - one.start <= plan.seconds:
        one.look()
        return None
    _kill(one.process)  # or what it has left behind
    one.process.wait()
    return "time" if status is None else status


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _grading(one: _Running, code: int | Literal["time"], plan: Plan) -> Grading:
    with one.output, one.errors:
        one.output.seek(0)
        one.errors.seek(0)
        output, errors = one.output.read(MOST_RESULT + 1), one.errors.read(1 << 16).decode("utf-8", "replace")
    # What the student reads shall not name our folders.
    output = output.replace(str(one.source).encode(), plan.file.encode())
    outcome, points, maximum, message = _read(output, errors, code, plan)
    return Grading(
        one.digest,
        outcome,
        points,
        maximum,
        result=output if points is not None else b"",
        message=message,
        seconds=round(time.monotonic() - one.start, 3),
        memory_mb=round(one.memory / (1 << 20), 1),
        time_limit=plan.seconds,
        grader=plan.grader,
        lab=plan.lab,
    )


def _read(
    output: bytes, errors: str, code: int | Literal["time"], plan: Plan
) -> tuple[str, float | None, float | None, str]:
    """Outcome, points, maximum and message. Whatever is not a whole result is a fault."""
    if code == "time":
        return "time", None, None, f"grading took longer than {plan.seconds:g} s in all (--limit)"
    said = shown(errors.strip().rpartition("\n")[2], 300)
    if len(output) > MOST_RESULT:
        return "fault", None, None, "the grader wrote too long a result"
    try:
        result = json.loads(output)
        points, maximum = float(result["points"]), float(result["of"])
        verdicts = [(task["verdict"], task["reason"]) for task in result["tasks"]]
    except (ValueError, KeyError, TypeError):
        how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        return "fault", None, None, said if said != "(no name)" else f"the grader {how} without a result"
    for verdict, reason in verdicts:
        if verdict == "IE":
            return "fault", points, maximum, f"IE: {shown(reason, 300)}"
    return "graded", points, maximum, ""
