"""What runs on a node of a cluster: the check before any work is sent there, and the grading of one file.

python -m classes.node CHECK.json     # in the job's script; the last line says what is wrong
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.build.builder import Builder
from autograder.cage.cage import unavailable
from autograder.errors import GraderError
from autograder.run.machine import gpu_answers
from classes.executor import Ended, Task
from classes.process import Process

NODE_FOLDER = "CUDA_LABS_NODE"  # in a job's environment: the folder of the node's own, for as long as the job runs
_CHECK_SECONDS = 600.0
_POLL = 0.05


@dataclass(frozen=True)
class Check:
    """What a node must have."""

    root: str  # of the repository, on a file system that all nodes share
    lab: int = 0
    build: str = ""  # what build/lab_commands.json must be, as a digest
    sandbox: bool = True
    gpu: bool = False
    words: tuple[str, ...] = ()  # a run of the grader that must end with full output; none: a fake one


def grade_on_node(task: Task) -> Ended:
    """Grades as a local executor does, in the folder that the job has made."""
    host = platform.node()
    try:
        process = Process(task, Path(os.environ[NODE_FOLDER]))
    except OSError as error:
        return Ended(task.digest, 1, errors=f"{error.filename}: {error.strerror}", place=host)
    try:
        while (ended := process.ended()) is None:
            time.sleep(_POLL)
    finally:
        process.close()
    return replace(ended, place=host)


def trouble(check: Check) -> str:
    """Why this node cannot grade; "" if it can."""
    why = unavailable() if check.sandbox else ""
    if why:
        return f"no sandbox: {why}"
    if check.gpu:
        devices = [one for one in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if one]
        if len(devices) != 1:
            return f"one GPU is expected in CUDA_VISIBLE_DEVICES, and there are {len(devices)}; look at gres.conf"
        if check.words and not gpu_answers():
            return "Slurm has given a GPU, but none answers"
    if not check.words:
        return ""
    try:
        return _of_build(check) or _of_run(check)
    except (GraderError, OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def _of_build(check: Check) -> str:
    builder = Builder(Path(check.root))
    if builder.fingerprint(check.lab) != check.build:
        return f"{builder.build} is not what it is where you started; it must be on a file system that nodes share"
    tool = Path(builder.commands(check.lab).compile[0])
    return "" if tool.is_file() else f"{tool}, the CUDA compiler, is not there"


def _of_run(check: Check) -> str:
    """Runs a small task of the reference solution, which needs all that a submission does but the compiler."""
    done = subprocess.run(check.words, capture_output=True, timeout=_CHECK_SECONDS, check=False)
    try:
        verdicts = [(task["verdict"], task["reason"]) for task in json.loads(done.stdout)["tasks"]]
    except (ValueError, KeyError, TypeError):
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        how = f"was ended by signal {-done.returncode}" if done.returncode < 0 else f"status {done.returncode}"
        built = " (built for another processor? build/ is built for that of the machine where make ran)"
        return f"the grader does not run: {how} {said}{built if done.returncode == -4 or 'signal 4' in said else ''}"
    wrong = [f"{verdict} {reason}" for verdict, reason in verdicts if verdict != "AC"]
    return f"the reference solution is not AC here: {wrong[0]}" if wrong else ""


def main() -> None:
    values = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    why = trouble(Check(**{**values, "words": tuple(values["words"])}))
    if why:
        raise SystemExit(why)


if __name__ == "__main__":
    main()
