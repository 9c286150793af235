"""Points by another lab.toml, from a stored result: what grading again would give, with nothing run."""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.page.tests.support import time as time_of
from autograder.plan.labs import find
from autograder.plan.manifest import Manifest, TaskEntry, load
from autograder.report.result import LabName, Result, TaskResult
from autograder.run.protocol import KernelReport
from autograder.submission import Settings
from autograder.tests.support import grade_task
from classes.export_command import export
from classes.grading import Run, rescore, run_class
from classes.options import Options
from classes.rescore import rescored
from classes.store import Store
from classes.tests.support import ROOT, put, table
from classes.versions import lab_version, without_scoring

EVIDENCE = {"launches": "at most 1", "instructions": "at least n"}  # the fake kernel has one launch, and counts nothing
OTHER = {"launches": "at least 2", "requests": "at most n", "barriers": "at least 1"}


def lab(*entries: TaskEntry) -> Manifest:
    return Manifest(3, "add", "Add", "add.cu", list(entries))


def of(task: TaskResult) -> Result:
    return Result(
        lab=LabName(3, "add", "Add", "03-scan", "scan.cu"), source="scan.cu", device="fake", modelled=True, seed="1",
        points=task.points, of=task.of, full_marks=False, passed=task.verdict == "AC", partial=False, tasks=(task,),
        seconds=1.0,
    )  # fmt: skip


def again(task: TaskResult, entry: TaskEntry, private: Mapping[str, Any] | None = None) -> TaskResult | None:
    whole = json.loads(msgspec.json.encode(of(task)))
    made = rescored(whole, lab(entry), private or {})
    return msgspec.convert(made, Result).tasks[0] if made else None


@pytest.mark.slow
@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("name", ["good", "last_block", "slow"])
@pytest.mark.parametrize("evidence", [{}, EVIDENCE, OTHER])
def test_it_gives_what_grading_gives(tmp_path: Path, name: str, evidence: dict[str, str], timed: bool) -> None:
    """From a grade by one set of bounds to what the grader says by another."""
    settings = Settings(seed=1, timed=timed)
    before = grade_task(tmp_path, name, settings=settings, evidence=EVIDENCE)
    wanted = grade_task(tmp_path, name, settings=settings, evidence=evidence)
    found = again(before, TaskEntry(name, 10, evidence=evidence))
    assert found is not None
    for field in ("verdict", "points", "of", "reason", "details", "evidence"):
        assert getattr(found, field) == getattr(wanted, field), field


def slow_task(ratio: float, **more: Any) -> TaskResult:
    time = msgspec.structs.replace(time_of(), ratio=ratio, low=ratio, high=ratio)
    return TaskResult("t", 5.0, 10.0, True, "SLOW", reason="4.0 times the reference's time at n = 9", time=time, **more)


def test_bounds_of_speed_change_verdict_and_points() -> None:
    task = slow_task(0.25)  # a performance of 0.3
    found = again(task, TaskEntry("t", 20, core=False, slow_below=0.25))
    assert found and (found.verdict, found.points, found.of, found.core) == ("AC", 14.4, 20.0, False)
    found = again(task, TaskEntry("t", 10, slow_below=0.5, far_behind=0.6))
    assert (
        found
        and (found.verdict, found.points) == ("SLOW", 4.2)
        and "do all threads share the work?" in found.details[0]
    )
    found = again(found, TaskEntry("t", 10))
    assert found and (found.verdict, found.points, found.details) == ("SLOW", 7.2, ())


def test_what_was_not_counted_asks_for_a_replay() -> None:
    task = slow_task(0.9, kernels=())
    wide = msgspec.structs.replace(of(task), modelled=False)
    asks = lab(TaskEntry("t", 10, evidence={"launches": "at most 1"}))
    assert rescored(json.loads(msgspec.json.encode(wide)), asks, {}) is not None  # nothing was counted then, either
    counted = msgspec.structs.replace(wide, tasks=(msgspec.structs.replace(task, kernels=(KernelReport(),)),))
    assert rescored(json.loads(msgspec.json.encode(counted)), asks, {}) is None  # counted at a size that is not known
    other = lab(TaskEntry("other", 10))
    assert rescored(json.loads(msgspec.json.encode(wide)), other, {}) is None


def test_private_cases_cost_their_share_of_the_new_points() -> None:
    sets = {"t": [{"name": "x", "verdict": "WA", "weight": "25"}, {"name": "y", "verdict": "AC", "weight": "50"}]}
    task = TaskResult("t", 7.5, 10.0, True, "AC")
    found = again(task, TaskEntry("t", 20, timed=False), sets)
    assert found and found.points == 15.0


def edited(root: Path, old: str, new: str) -> None:
    path = find(root, "3") / "grading/lab.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    shutil.copytree(ROOT / "labs", made / "labs")
    return made


def test_only_points_leave_the_labs_version_as_it_is(root: Path) -> None:
    first = lab_version(root, 3)
    edited(root, "points = ", "points = 1")
    second = lab_version(root, 3)
    assert first != second and without_scoring(first) == without_scoring(second)
    edited(root, "seconds = ", "seconds = 1")
    assert without_scoring(lab_version(root, 3)) != without_scoring(second)


@pytest.mark.slow
def test_a_class_is_rescored_in_seconds(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classes.export_command.ROOT", root)
    people = 200
    first = load(find(root, "3")).task[0]
    task = msgspec.structs.replace(slow_task(1.0), name=first.name, points=10.0, verdict="AC", reason="")
    answer = json.loads(msgspec.json.encode(of(task)))
    put(tmp_path / "answer.json", json.dumps(answer))
    for at in range(people):
        put(tmp_path / f"top/s{at:03}/scan.cu", f"// {at}\n")
    said = Console(file=io.StringIO(), width=160)
    run = Run(root, tmp_path / "out", 2, 60.0, said, lambda file: ["cat", str(tmp_path / "answer.json")])
    run_class(run, Options(3, more=("--no-time",)), tmp_path / "top")
    assert table(tmp_path / "out")["s000"].points == 10.0
    edited(root, f"points = {first.points:g}\n", f"points = {first.points + 7:g}\n")
    with pytest.raises(UsageError, match=r"the points in lab.toml have changed since; first: ./grader rescore"):
        export(tmp_path / "out", "json", None, None)
    start = time.monotonic()
    rescore(run)
    assert time.monotonic() - start < 30
    rows = table(tmp_path / "out")
    assert {(row.points, row.of) for row in rows.values()} == {(first.points + 7, first.points + 7)}
    assert export(tmp_path / "out", "json", None, None)
    text = said.file.getvalue()  # type: ignore[attr-defined]
    assert f"{people} different files have new points" in text and "200 of 200 grades changed" in text
    with Store(tmp_path / "out").opened() as store:  # one file by another version, as a replay that was stopped leaves
        row = next(store.submissions())
        old = store.current(row.digest)
        assert old is not None
        store.add(replace(old, lab="older/x", result=json.dumps(answer).encode()))
    with pytest.raises(UsageError, match=r"graded with 2 versions .* first: ./grader replay"):
        export(tmp_path / "out", "json", None, None)
