"""How a class is called: what is refused before anything is graded, and what a line of it says."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from autograder.errors import GraderError, UsageError
from classes.grading import Run, run_class
from classes.options import Options
from classes.people import Submission
from classes.roster import Person
from classes.store import Grading, Store, shortened
from classes.student_results import Row
from classes.summary import line_of
from classes.tests.support import ROOT, fake_grader, grade_class, put, result


def test_a_line_says_why_points_are_missing() -> None:
    answer = result(90.0, "SLOW", "3 times the reference's time")
    grading = Grading("", "graded", 90.0, 100.0, shortened(json.dumps(answer).encode()))
    row = Row(Submission(Person("ada", "Ada", {}), digest="1"), grading)
    assert line_of(row).endswith("90 / 100      0 s   1 slow")
    assert line_of(row, {"blelloch": "WA"}).endswith("blelloch WA in private cases, 1 slow")


def test_options_bind_from_the_first_result_on(tmp_path: Path, top: Path) -> None:
    def run(grader: Path, *words: str) -> int:
        people = Console(file=io.StringIO())
        command = Run(ROOT, tmp_path / "out", 2, 60.0, people, lambda file: ["/bin/sh", str(grader), str(file)])
        return run_class(command, Options(3, more=words), top)

    assert run(fake_grader(tmp_path, "exit 3"), "--max-n", "5") == 3
    assert run(fake_grader(tmp_path), "--max-n", "50") == 0
    with pytest.raises(UsageError, match="was graded with --max-n 50, this run has no such options: use the same"):
        run(fake_grader(tmp_path))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--task", "naiv"], "no task 'naiv'; did you mean 'naive'"), (["--max-n", "ten"], "--max-n: 'ten' is not a"),
        (["--cluster", "x.toml"], "--cluster x.toml: is for --executor slurm"), (["--executor", "ssh"], "choose from"),
    ],
)  # fmt: skip
def test_what_no_submission_could_be_graded_with_leaves_no_folder(tmp_path: Path, words: list[str], said: str) -> None:
    command = [sys.executable, "-m", "autograder", "class", str(tmp_path), "--lab", "3", "--out", str(tmp_path / "out")]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run([*command, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr and not (tmp_path / "out").exists()


def test_a_disk_that_is_full_before_it_begins_is_no_broken_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody moves away what is safe."""

    def full(path: Path, **options: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite3, "connect", full)
    with pytest.raises(GraderError, match=r"disk I/O error; is the disk full\? What is stored there is safe"):
        Store(tmp_path / "out")


def test_a_class_that_is_not_there_leaves_no_folder(tmp_path: Path) -> None:
    """Its options would bind the next class."""
    (tmp_path / "empty").mkdir()
    for top, roster in ((tmp_path / "nowhere", "name\nada\n"), (tmp_path / "empty", None)):
        with pytest.raises(UsageError, match=f"{top.name}.*submissions"):
            grade_class(top, tmp_path / "out", fake_grader(tmp_path), roster=roster)
        assert not (tmp_path / "out").exists()


def test_nobody_elses_folder_is_written_to(tmp_path: Path, top: Path) -> None:
    for out in (top, put(tmp_path / "mine/students/thesis.tex").parents[1]):
        before = sorted(path.name for path in out.rglob("*"))
        with pytest.raises(UsageError, match="holds other files"):
            grade_class(top, out, fake_grader(tmp_path))
        assert sorted(path.name for path in out.rglob("*")) == before
