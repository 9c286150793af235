"""`regrade` and `replay`: what is graded again, and what is said of it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from autograder.errors import UsageError
from classes.grading import Run, regrade
from classes.options import Options
from classes.store import Grading, Store
from classes.tests.support import ROOT, fake_grader, grade_class, put, result, table


def again(out: Path, names: Sequence[str], grader: Path) -> str:
    people: Any = Console(file=io.StringIO(), width=160)
    regrade(Run(ROOT, out, 1, 60, people, lambda file: ["/bin/sh", str(grader), str(file)]), names, Options(3))
    return str(people.file.getvalue())


def test_regrade_says_what_changed(tmp_path: Path) -> None:
    put(tmp_path / "top/ada/scan.cu", "// a\n")
    put(tmp_path / "top/grace/scan.cu", "// b\n")
    out, grader = tmp_path / "out", fake_grader(tmp_path)
    grade_class(tmp_path / "top", out, grader)
    better = put(tmp_path / "better.sh", grader.read_text().replace('"points": 70.0', '"points": 99.0'))
    said = again(out, ["Ada Lovelace"], better)
    assert "1 of 1 grades changed" in said and "70 → ada" in said
    assert "report.html" not in said, "one person's grade is no news of the class"
    said = again(out, ["Ada Lovelace"], better)
    assert "0 of 1 grades changed" in said and re.search(r"as before: ada +99 / 100", said)
    assert {key: row.points for key, row in table(out).items()} == {"ada": 99.0, "grace": 70.0, "soren": None}
    assert "nothing to grade" in again(out, ["soren"], better)
    with pytest.raises(UsageError, match=r"nobody is called 'grac'; did you mean grace\?"):
        again(out, ["grac"], better)


def test_replay_grades_what_older_versions_have_graded(tmp_path: Path) -> None:
    put(tmp_path / "top/ada/scan.cu", "// a\n")
    put(tmp_path / "top/grace/scan.cu", "// b\n")
    out, grader = tmp_path / "out", fake_grader(tmp_path)
    grade_class(tmp_path / "top", out, grader)
    said = again(out, [], grader)
    assert "0 files to grade" in said and "every grade stays" in said and "0 of 0" not in said
    store = Store(out)
    old = store.current(next(row.digest for row in store.submissions() if row.digest))
    assert old
    store.add(Grading(old.digest, "graded", 10.0, 100.0, result=json.dumps(result(10.0)).encode(), lab="older"))
    store.close()
    said = again(out, [], grader)
    assert "1 file to grade" in said and "1 of 1 grades changed" in said and "10 → ada" in said
    assert "naive AC -50 → WA 10" in said
