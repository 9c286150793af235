"""python -m classes.gradescope: grades one submission within Gradescope's container.

Gradescope shows what is in results.json. Without that file it says that the autograder failed, and the student may try
again. So a fault of the grader, which must not cost points, writes no file.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from autograder.cage.cage import unavailable
from autograder.errors import GraderError, UsageError
from autograder.files import write_whole
from autograder.plan.labs import find
from autograder.plan.manifest import load
from classes.choose_file import choose, lab_of
from classes.export_formats import gradescope
from classes.grading import Command, Run, run_class
from classes.options import Options
from classes.store import Store
from classes.student_results import rows_of
from classes.submitted_files import Refused, folder_items
from classes.tables import encode, student

ROOT = Path(__file__).resolve().parents[2]
PERSON = "student"
METADATA = "submission_metadata.json"
_HERE_ONLY = re.compile(r" --file \S+| --no-sandbox")  # of the command that repeats a failure at home
OUTSIDE = (
    "no sandbox: {why}. This container is the sandbox: each program runs as a user of its own, without access to the"
    " grader's files and processes"
)


def grade_one(
    root: Path, number: int, submission: Path, results: Path, seconds: float, more: tuple[str, ...] = (),
    command: Command | None = None,
) -> int:  # fmt: skip
    """Writes results.json. Exit status: 0, or 3 if a fault of the grader left nothing to write."""
    why = unavailable()
    if why:
        print(OUTSIDE.format(why=why), flush=True)
        if os.geteuid() != 0:
            raise GraderError("without a sandbox only root can grade safely: run_autograder runs as root on Gradescope")
        closed = [path for path in (root, *root.parents) if not path.stat().st_mode & 0o001]
        if closed:  # otherwise the compiler could not start, which would look like the student's mistake
            raise GraderError(
                f"{closed[-1]} must be open to other users, who run the programs: chmod o+rx {closed[-1]}"
            )
        os.environ["CUDA_LABS_OWN_USERS"] = "1"
    _close_metadata(submission.parent / METADATA)
    results.mkdir(parents=True, exist_ok=True)
    results.chmod(0o700)
    to = results / "results.json"
    to.unlink(missing_ok=True)  # of an earlier run, or put there by somebody
    try:
        chosen = choose(folder_items(submission), lab_of(root, number))
    except Refused as refused:
        one: dict[str, Any] = {"why": refused.sentence(), "result": None}
    else:
        one = _graded(root, chosen.data, Options(number, "virtual", not why, more), seconds, command)
    if one.get("status") in ("fault", "waiting"):
        print(f"grader: {one['why'] or 'it was stopped'}; nobody loses points for it", file=sys.stderr)
        return 3
    for task in (one["result"] or {}).get("tasks", []):
        task["again"] = _HERE_ONLY.sub("", task.get("again") or "")
    made = gradescope(one)
    if one["result"] is None:
        made["tests"] = _nothing(find(root, str(number)), made["output"])
    write_whole(to, encode(made))
    print(f"{made['score']:g} points")
    return 0


def _graded(root: Path, source: bytes, options: Options, seconds: float, command: Command | None) -> dict[str, Any]:
    """Grades a class of one, which has the limits and tells a fault from a mistake."""
    with tempfile.TemporaryDirectory(prefix="gradescope-") as folder:
        top, out = Path(folder) / "class", Path(folder) / "results"
        (top / PERSON).mkdir(parents=True)
        (top / PERSON / lab_of(root, options.lab).file).write_bytes(source)
        run, end = Run(root, out, 1, seconds, Console(stderr=True, quiet=True), command), time.monotonic() + seconds
        if run_class(run, options, top) == 3:  # it may have been the machine's
            left = end - time.monotonic()
            if left > seconds / 2:
                run_class(replace(run, seconds=left), options, top)
        with Store(out, create=False).opened() as store:
            row = rows_of(store)[0]
            one = student(row, store)
    if row.status == "time":
        return one | {"why": f"took more than {seconds:g} s in all, which is what it may take here", "result": None}
    return one


def _close_metadata(path: Path) -> None:
    """Its names, addresses and earlier results are not for the programs, which may run as users of their own."""
    try:
        path.chmod(0o600)
    except FileNotFoundError:
        pass
    except OSError as error:
        print(f"{path} stays as it is: {error.strerror}", file=sys.stderr)


def _nothing(lab: Path, why: str) -> list[dict[str, object]]:
    """A submission that was not graded has no tasks of its own; Gradescope shows the reason with the first."""
    manifest = load(lab)
    return [
        {
            "name": entry.name, "number": str(number), "score": 0.0, "max_score": float(entry.points),
            "status": "failed", "output": why if number == 1 else "", "visibility": "visible",
        }
        for number, entry in enumerate(manifest.task, 1)
    ]  # fmt: skip


def main(arguments: list[str]) -> int:
    """Called by run_autograder; its arguments were written by ./grader package."""
    parser = argparse.ArgumentParser(prog="gradescope")
    parser.add_argument("lab", type=int)
    parser.add_argument("--autograder", type=Path, default=Path("/autograder"))
    parser.add_argument("--limit", type=float, default=540.0)
    parser.add_argument("more", nargs="*")
    asked = parser.parse_args(arguments)
    at = asked.autograder
    try:
        return grade_one(ROOT, asked.lab, at / "submission", at / "results", asked.limit, tuple(asked.more))
    except (UsageError, GraderError, OSError) as error:
        print(f"grader: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
