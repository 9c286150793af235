"""A small lab without CUDA, and a grading process that does what the lab's file says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.errors import CompileError
from autograder.explain.explanation import Failure
from autograder.plan.manifest import Manifest, load
from autograder.plan.request import Request
from autograder.report.result import OutputResult, Result, TaskResult, lab_result
from autograder.verdict import Verdict
from learn import messages

TASKS = ("first", "second")
SKELETON = "skeleton\n"


def make_lab(root: Path, number: int = 1, name: str = "add") -> Path:
    """labs/01-add with two tasks of 10 points."""
    lab = root / "labs" / f"{number:02}-{name}"
    (lab / "grading").mkdir(parents=True)
    (root / "build").mkdir(exist_ok=True)
    head = [f"number = {number}", f'name = "{name}"', 'title = "Add"', f'file = "{name}.cu"', "hours = [1, 2]"]
    hints = json.dumps(["ask yourself", "a nudge", "nearly the answer"])
    tasks = [f'[[task]]\nname = "{task}"\npoints = 10\nhints = {hints}' for task in TASKS]
    (lab / "grading" / "lab.toml").write_text("\n".join([*head, *tasks]) + "\n")
    (lab / "grading" / "skeleton.cu.txt").write_text(SKELETON)
    (lab / f"{name}.cu").write_text(SKELETON)
    (lab / "README.md").write_text("# Add\n")
    return lab


def task(name: str, verdict: Verdict, points: float = 0.0) -> TaskResult:
    reason = {"WA": "wrong from n = 257 on", "SKIP": "not started: add.cu:1 TODO 1"}.get(verdict, "")
    right = OutputResult(30 if verdict == "AC" else 12, 30)
    return TaskResult(
        name,
        points,
        10.0,
        True,
        verdict,
        right,
        verdict == "AC" or None,
        reason,
        where="" if verdict == "AC" else "add.cu:1",
        failure=Failure(257, "", 1, 0) if verdict == "WA" else None,
    )


def result(lab: Path, tasks: Sequence[TaskResult]) -> tuple[Result, Manifest]:
    manifest = load(lab)
    made = lab_result(
        Request(lab), manifest, tasks, device="fake GPU", modelled=True, seed=1, all_tasks=True, seconds=0.1
    )
    return made, manifest


class FakeWorker:
    """What the file says: two words, the verdicts of the tasks; or CE, BUILDING, HANG, DIE."""

    def __init__(self, root: Path, fd: int) -> None:
        self.root, self.fd = root, fd

    def tell(self, message: messages.Message) -> None:
        os.write(self.fd, messages.encode(message))

    def obey(self, order: messages.Order) -> None:
        lab = self.root / "labs" / order.lab
        words = (lab / f"{order.lab[3:]}.cu").read_text().split()
        with (self.root / "orders").open("a") as file:
            file.write(f"{' '.join(order.first)} {order.look} {' '.join(words)}\n")
        if words[0] == "CE":
            error = CompileError("add.cu(1): error: expected", "add.cu:1", "expected a semicolon")
            self.tell(messages.NotBuilt(error.text, error.where, error.first))
            return
        if words[0] == "BUILDING":
            time.sleep(1000)
        self.tell(messages.Built(0.1))
        if words[0] == "HANG":
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            (self.root / "child").write_text(str(child.pid))
            self.tell(messages.Began(list(TASKS)))
            self.tell(messages.Part("first", 0.4))
            time.sleep(1000)
        if words[0] == "DIE":
            print("segmentation fault of a library", flush=True)
            os._exit(1)
        verdicts: list[Verdict] = [("SKIP" if word == "skeleton" else word) for word in (words * 2)[:2]]  # type: ignore[misc]
        tasks = [task(name, verdict, 10.0 * (verdict == "AC")) for name, verdict in zip(TASKS, verdicts, strict=True)]
        for one in tasks if order.look else []:
            if one.name in order.first:
                self.tell(messages.Looked(one, 2100))
        self.tell(messages.Began(list(TASKS)))
        for one in tasks:
            self.tell(messages.Finished(one))
        self.tell(messages.Graded(*result(lab, tasks), False))


def main(words: Sequence[str]) -> None:
    worker = FakeWorker(Path(words[0]), int(words[1]))
    for line in sys.stdin.buffer:
        worker.obey(messages.order_decoder.decode(line))


if __name__ == "__main__":
    main(sys.argv[1:])
