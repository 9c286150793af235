"""Grades a submission in a process of its own, which an attack may stop, kill or change without harm to this one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.cage.cage import unavailable
from autograder.errors import CompileError, GraderError
from autograder.plan.request import Request
from autograder.report.result import Result, compile_failure
from autograder.session import grade
from mistakes.catalog import Mistake

ATTACKS = (3, 4, 7)  # roots whose attacks aim at the grader
HARMFUL = (3, 4)  # roots whose attacks aim at the machine: tried only in a cage
SECONDS = 400.0
SECRET = "GRADER_SECRET"  # in the environment of the grader: an attack looks for it


def needs_own_process(mistake: Mistake) -> bool:
    return mistake.entry.root in ATTACKS


def why_not(mistake: Mistake) -> str:
    """Why a mistake must not be run on this machine; "" if it may be."""
    return unavailable() if mistake.entry.root in HARMFUL else ""


def graded(root: Path, request: Request) -> Result:
    """The result; if the file does not compile, every task is CE."""
    try:
        return grade(root, request)[0]
    except CompileError as error:
        return compile_failure(request, error)


def graded_alone(root: Path, mistake: Mistake, device: str) -> Result:
    """The same from another process. GraderError: it returned nothing, so an attack has ended or stopped it."""
    if why := why_not(mistake):
        raise GraderError(f"{mistake.name} attacks the machine, and there is no cage: {why}")
    command = [sys.executable, "-m", "mistakes", "--alone", mistake.lab.name, mistake.name, device]
    environment = os.environ | {"PYTHONPATH": str(root / "tools"), SECRET: "1"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        cwd=root,
        env=environment,
    )
    try:
        output, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise GraderError(f"the grader did not end within {SECONDS:g} s") from None
    if process.returncode:
        last = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise GraderError(f"the grader ended with {process.returncode}: {' '.join(last)}")
    return msgspec.json.decode(output, type=Result)


def traces(root: Path, patterns: Sequence[str]) -> list[str]:
    """What exists and must not exist after an attack: files by patterns, processes by `process:NAME`."""
    found = []
    for pattern in patterns:
        kind, _, name = pattern.partition(":")
        if kind == "process":
            found += [f"process {pid}, {name}" for pid in processes(name)]
            continue
        path = Path(pattern).expanduser()
        base = Path("/") if path.is_absolute() else root
        found += _matches(base, str(path).lstrip("/"))
    return found


def _matches(base: Path, pattern: str) -> list[str]:
    while True:
        with contextlib.suppress(FileNotFoundError):  # a folder of another run disappeared while we looked into it
            return [str(one) for one in base.glob(pattern)]


def processes(name: str) -> list[int]:
    """The processes whose name begins with `name`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):
            if path.read_text("utf-8", "replace").startswith(name):
                found.append(int(path.parent.name))
    return found
