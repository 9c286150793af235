"""Thousands of people: what the grader of a class holds in memory does not grow with what it has graded."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from rich.console import Console

from classes import grading
from classes.executor import Ended, Task
from classes.grading import Run, regrade, run_class
from classes.options import Options
from classes.store import Store
from classes.student_results import rows_of
from classes.tests.support import ROOT, put, result

pytestmark = pytest.mark.slow

FEW, MANY = 200, 2200
RESULT = 20_000  # bytes of each
FOR_ONE = 6_000  # bytes that may be held of one person: names, the path of the file, where it was found


class AtOnce:
    """An executor that has graded everything already."""

    slots, where = 8, "at once"

    def __init__(self) -> None:
        self._tasks: list[Task] = []
        answer = result(70.0, "WA", "wrong from n = 33 on")
        self._answer = json.dumps(answer | {"printed": "x" * RESULT}).encode()

    def start(self, task: Task) -> None:
        self._tasks.append(task)

    def wait(self, seconds: float) -> list[Ended]:
        tasks, self._tasks = self._tasks, []
        return [Ended(task.digest, 0, self._answer, seconds=1.0) for task in tasks]

    def close(self) -> None:
        assert not self._tasks


class Nowhere(io.StringIO):
    def write(self, text: str) -> int:
        return len(text)


def grade_many(folder: Path, number: int) -> int:
    """Grades and grades again. Returns the most bytes that were ever held."""
    for at in range(number):
        put(folder / f"top/s{at:05}.cu", f"// {at}\n")
    opened = Store._check_version

    def quick(store: Store) -> None:
        opened(store)
        store._database.execute("PRAGMA synchronous = OFF")

    out, people = folder / "out", Console(file=Nowhere(), width=160)
    with (
        mock.patch("os.fsync"),  # the disk is not what is looked at
        mock.patch.object(Store, "_check_version", quick),
        mock.patch.object(grading, "executor", lambda *_: AtOnce()),
    ):
        run = Run(ROOT, out, 4, 60.0, people, lambda file: ["no"])
        status = run_class(run, Options(3), folder / "top")
        store = Store(out, create=False)
        rows = rows_of(store)
        assert status == 0 and len(rows) == number and rows[number - 1].points == 70
        assert rows[-1].key == rows[-1:][0].key == f"s{number - 1:05}"
        store._database.execute("UPDATE gradings SET lab = 'older'")
        store.close()
        assert regrade(run, []) == 0
    lines = (out / "grades.csv").read_text().splitlines()
    assert len(lines) == number + 1 and all(",graded,70," in line for line in lines[1:])
    assert len(list((out / "students").glob("*.json"))) == number
    assert {path.name for path in out.iterdir()} == {
        "grades.csv",
        "report.html",
        "students",
        "sources",
        "class.sqlite",
        ".lock",
    }
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_memory_does_not_grow_with_the_class() -> None:
    """Of a result, of which there are as many as people, nothing is kept in memory."""
    held = []
    for number in (FEW, MANY):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
            words = [sys.executable, "-m", "classes.tests.test_size", folder, str(number)]
            environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
            done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        held.append(int(done.stdout))
    assert held[1] - held[0] < (MANY - FEW) * FOR_ONE < (MANY - FEW) * RESULT / 3


if __name__ == "__main__":
    print(grade_many(Path(sys.argv[1]), int(sys.argv[2])))
