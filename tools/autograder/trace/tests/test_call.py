"""A failing call made again, and what `show` prints of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np
from rich.console import Console

from autograder.judge.check import Checker
from autograder.plan.cases import Case, case
from autograder.plan.manifest import Limits, Manifest, TaskEntry
from autograder.plan.request import Request
from autograder.processes import Processes
from autograder.report import show_call
from autograder.run.process import Runner
from autograder.submission import Settings, Submission
from autograder.tests.support import MACHINE, FakeOracles, runner_script
from autograder.trace.call import Shown, look

# ---- A call, made again ----


class Bench:
    """What `show` works with, for one task of the fake device."""

    def __init__(self, folder: Path, task: str) -> None:
        self.manifest = Manifest(3, "add", "Add", "add.cu", [TaskEntry(task, 10)], Limits(2.0, 2048, 100))
        runner = runner_script(folder)
        submission = Submission(self.manifest, runner, lambda: runner, MACHINE)
        self.checker = Checker(FakeOracles(), 3, self.manifest)
        self.processes = Processes(submission, Settings(seed=1), self.checker)
        self.task, self.runner = task, runner

    def look(self, n: int, endless: bool = False) -> Shown:
        one = case(1, self.task, "", n)
        return look(self.checker, partial(self.starts, one), one, endless=endless)

    @contextlib.contextmanager
    def starts(self, one: Case) -> Iterator[Runner]:
        with self.processes.started(self.runner, [one]) as runner:
            yield runner


def test_what_a_value_was_made_from(tmp_path: Path) -> None:
    """The line that made a value which was only passed on, and what it had read."""
    text = page(tmp_path, "last_block")
    for part in (
        "s[12] = 7, written by thread 12 of block 1, add.cu:29 (add_one)",
        ">  29  s[t] = in[t];", "which had read, 3 earlier reads left out:", "d_in[256] = 9, the input",
    ):  # fmt: skip
        assert part in text, text


def test_a_changed_input_beside_a_right_output(tmp_path: Path) -> None:
    text = page(tmp_path, "modifies", n=5)
    assert "input and output" in text and "expected" not in text.split("saved")[0], text


def page(folder: Path, task: str, n: int = 300, verdict: str = "WA", tried: str = "") -> str:
    bench = Bench(folder, task)
    told = bench.look(n)
    out = Console(file=StringIO(), width=80, highlight=False)
    show_call.show(out, told, task, verdict, "the reason", tried, "add.cu")
    show_call.save(out, told, folder, folder / "show")
    show_call.again(out, told.outcome.case, 3, "1", Request(Path("03-add")), "")
    assert isinstance(out.file, StringIO)
    text = out.file.getvalue()
    assert all(len(line) <= 80 for line in text.splitlines() if "--seed" not in line), text
    return text


def test_a_wrong_answer(tmp_path: Path) -> None:
    text = page(tmp_path, "second_block")
    for part in (
        "add.cu · second_block · WA", "the reason", "the call: n = 300; 300 numbers",
        "d_out: 44 of 300 values wrong, the first at 256", "elements 248 to 264 of 300", "expected", "^",
        "add_one<<<4096, 256>>>", "how d_out[256] came about",
        "written by thread 0 of block 1, add.cu:31 (add_one), the last of 2 writes",
        "d_in[256] = 7, the input", "all writes, in order:", "by thread 9 of block 1",
        "saved in show/", "./grader show 3 --task second_block --n 300 --seed 1",
        "build/lab3 --task second_block --n 300 --seed",
    ):  # fmt: skip
        assert part in text, text
    names = sorted(path.name for path in (tmp_path / "show").iterdir())
    assert names == ["d_in.npy", "d_out.expected.npy", "d_out.got.npy"]
    given, wanted, got = (np.load(tmp_path / "show" / name) for name in names)
    assert np.array_equal(given + 1, wanted) and np.flatnonzero(wanted != got)[0] == 256


def test_an_element_that_nobody_wrote(tmp_path: Path) -> None:
    text = page(tmp_path, "nothing", 3)
    assert "and nobody wrote it" in text and "elements" not in text.replace("3 elements", "")


def test_what_does_not_lead_to_the_value_is_not_shown(tmp_path: Path) -> None:
    assert "came about" not in page(tmp_path, "second_block_unseen")


def test_a_finding_beside_a_right_output(tmp_path: Path) -> None:
    text = page(tmp_path, "race", 5, "CHECK")
    assert "found: race in shared memory, 12 times · scan.cu:41" in text and "input and output" in text
    assert "thread 32 read s[31] while thread 31 wrote it" in text and "came about" not in text
    assert "Tried" not in text and "why it matters" in text


def test_a_proved_cause_takes_the_place_of_general_advice(tmp_path: Path) -> None:
    text = page(tmp_path, "race", 5, "CHECK", tried="with a barrier, right in 9 of 9 cases")
    assert "Tried: with a barrier, right in 9 of 9 cases." in text and "thread 32 read s[31]" in text
    assert "why it matters" not in text and "what helps" not in text


def test_a_call_that_failed(tmp_path: Path) -> None:
    assert "It ended so: /labs/add.cu:30: launch(n / 2): invalid configuration" in page(
        tmp_path, "cuda_error", 5, "RTE"
    )


def test_a_process_that_died(tmp_path: Path) -> None:
    text = page(tmp_path, "crash", 5, "RTE")
    assert "It ended so: the process was ended by SIGSEGV" in text and "d_in" in text and "expected" not in text


def test_a_call_that_does_not_end(tmp_path: Path) -> None:
    text = page(tmp_path, "stopped_kernel", 5, "TLE")
    assert "no answer within 2 s" in text and "kernel add_one at add.cu:31" in text


def test_what_was_printed(tmp_path: Path) -> None:
    text = page(tmp_path, "prints_some", 5)
    assert "printed by the program (1 line)" in text and "hello [31mred" in text


def test_a_call_that_is_right_by_itself(tmp_path: Path) -> None:
    assert "Made by itself it does not fail" in page(tmp_path, "good", 5)
