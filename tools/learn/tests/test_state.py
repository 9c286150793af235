"""Points so far: kept through runs, graders at once, broken files and a reset; and what ./grader list makes of them."""

from __future__ import annotations

import multiprocessing
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from autograder.errors import UsageError
from autograder.plan.manifest import load
from autograder.plan.request import Request
from autograder.report.terminal import next_task
from learn import overview, state
from learn.reset import reset
from learn.tests.support import SKELETON, make_lab, result, task
from tests.test_docs import ROOT


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return make_lab(tmp_path)


def test_of_other_labs_a_line_each_where_a_screen_must_do(lab: Path) -> None:
    make_lab(lab.parents[1], 2, "scan")
    assert listed(lab.parents[1], tasks_of=lab).count("first") == 2  # of lab 1, and in what is next
    assert listed(lab.parents[1]).count("first") == 1  # in what is next


def record(lab: Path, *tasks: tuple[str, str, float]) -> str:
    made, _ = result(lab, [task(name, verdict, points) for name, verdict, points in tasks])  # type: ignore[arg-type]
    return state.record(lab.parents[1], Request(lab), made)


def listed(root: Path, tasks_of: Path | None = None) -> str:
    return "\n".join("".join(text for text, _ in row) for row in overview.rows(root, 120, tasks_of=tasks_of))


def test_a_run_is_kept_and_the_best_with_it(lab: Path) -> None:
    assert record(lab, ("first", "AC", 10), ("second", "WA", 0)) == ""
    assert record(lab, ("first", "SLOW", 7.5)) == ""
    known = state.read(lab)
    assert known.task["first"].points == 7.5
    assert known.task["first"].best == 10
    assert known.task["second"].verdict == "WA"
    assert known.device == "fake GPU"
    text = state.path_of(lab).read_text()
    assert "# 7.5 of 20 points; best so far 10" in text
    assert state.next_name(load(lab), known) == "first"


def test_the_next_task_is_that_of_the_last_line(lab: Path) -> None:
    for verdicts in (("AC", "WA"), ("SKIP", "WA"), ("SKIP", "AC"), ("AC", "SKIP"), ("AC", "SLOW")):
        tasks = [task(name, verdict, 0) for name, verdict in zip(("first", "second"), verdicts, strict=True)]  # type: ignore[arg-type]
        made, _ = result(lab, tasks)
        state.record(lab.parents[1], Request(lab), made)
        upcoming = next_task(made)
        assert upcoming and state.next_name(load(lab), state.read(lab)) == upcoming.name


def test_nothing_is_written_before_anybody_has_begun(lab: Path) -> None:
    record(lab, ("first", "SKIP", 0), ("second", "SKIP", 0))
    assert not state.path_of(lab).exists()


@pytest.mark.parametrize(
    "changes",
    [{"solution": True}, {"file": Path("x.cu")}, {"n": 5}, {"max_n": 5}, {"timed": False}, {"variant": "sum"}],
)
def test_other_runs_do_not_count(lab: Path, changes: dict[str, object]) -> None:
    assert state.counts(Request(lab, tasks=("first",)))
    assert not state.counts(replace(Request(lab), **changes))  # type: ignore[arg-type]


def test_the_graders_own_faults_change_nothing(lab: Path) -> None:
    record(lab, ("first", "AC", 10))
    record(lab, ("first", "IE", 0))
    assert state.read(lab).task["first"].points == 10


@pytest.mark.parametrize("text", ["[task", "task = 3", '[task.first]\nverdict = "XX"\npoints = 1\nbest = 1', "\udcff"])
def test_a_file_that_cannot_be_read_is_kept_aside(lab: Path, text: str) -> None:
    broken = text.encode("utf-8", "surrogateescape")
    state.path_of(lab).write_bytes(broken)
    with pytest.raises(UsageError, match=r"progress\.toml: .*fix it, or delete it"):
        state.read(lab)
    assert "progress.toml" in listed(lab.parents[1])
    assert "could not be read: it is progress.toml.unreadable-" in record(lab, ("first", "AC", 10))
    assert state.read(lab).task["first"].points == 10
    assert [path.read_bytes() for path in lab.glob("*.unreadable-*")] == [broken]


def test_where_nothing_can_be_written_a_line_says_so(lab: Path) -> None:
    state.path_of(lab).mkdir()
    assert record(lab, ("first", "AC", 10)).startswith("points so far are not kept: ")


def run_often(lab: Path, name: str) -> None:
    for number in range(25):
        record(lab, (name, "AC", number / 10))


def test_two_graders_at_once_lose_nothing(lab: Path) -> None:
    names = [entry.name for entry in load(lab).task]
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=run_often, args=(lab, name)) for name in names]
    for process in both:
        process.start()
    while any(process.is_alive() for process in both):
        state.read(lab)  # whole at any moment
    assert [process.exitcode for process in both] == [0, 0]
    assert {name: task.best for name, task in state.read(lab).task.items()} == {"first": 2.4, "second": 2.4}
    assert not list(lab.glob(".progress*"))


def test_the_list_of_labs(lab: Path, tmp_path: Path) -> None:
    make_lab(tmp_path, 2, "sort")
    text = listed(tmp_path)
    assert "not started" in text
    assert "next: lab 1, Add: first · edit labs/01-add/add.cu · ./grader watch 1" in text
    record(lab, ("first", "AC", 10), ("second", "WA", 0))
    text = listed(tmp_path)
    assert "10 / 20    1, 2" in text
    assert "10 of 40 points" in text
    assert "next: lab 1, Add: second, add.cu:1 ·" in text
    record(lab, ("second", "AC", 10))
    assert "next: lab 2, Add: first ·" in listed(tmp_path)


def test_a_reset_saves_first_and_keeps_the_best(lab: Path) -> None:
    record(lab, ("first", "AC", 10))
    root, file = lab.parents[1], lab / "add.cu"
    file.write_bytes(b"mine \xff")
    saved, back, done = reset(root, lab)
    assert done == "labs/01-add/add.cu is the skeleton again"
    assert file.read_text() == SKELETON
    assert (root / saved.removeprefix("saved: ")).read_bytes() == b"mine \xff"
    assert back.split()[-3:] == ["cp", saved.removeprefix("saved: "), "labs/01-add/add.cu"]
    assert state.read(lab).task["first"] == state.TaskState("SKIP", 0, 10, state.read(lab).task["first"].graded)
    assert "best 10" in listed(root)
    assert reset(root, lab) == ["labs/01-add/add.cu is the skeleton already: nothing to do"]


def test_copies_of_one_second_have_names_of_their_own(lab: Path) -> None:
    for text in ("a", "b", "c"):
        (lab / "add.cu").write_text(text)
        reset(lab.parents[1], lab)
    assert sorted(copy.read_text() for copy in lab.glob("add.cu.saved-*")) == ["a", "b", "c"]


def test_a_file_that_is_gone_comes_back(lab: Path) -> None:
    (lab / "add.cu").unlink()
    assert reset(lab.parents[1], lab) == ["labs/01-add/add.cu is the skeleton again"]
    assert (lab / "add.cu").read_text() == SKELETON


def test_what_cannot_be_saved_is_not_reset(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path, text: bytes) -> Path:
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr("learn.reset.save_copy", full)
    (lab / "add.cu").write_text("mine")
    with pytest.raises(UsageError, match=r"No space left on device; labs/01-add/add\.cu is as it was"):
        reset(lab.parents[1], lab)
    assert (lab / "add.cu").read_text() == "mine"


@pytest.mark.parametrize("lab_name", sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*")))
def test_skeletons_are_what_is_handed_out(lab_name: str) -> None:
    lab = ROOT / "labs" / lab_name
    same = (lab / "grading/skeleton.cu.txt").read_bytes() == (lab / f"{lab_name[3:]}.cu").read_bytes()
    assert same, (
        f"after a change of the skeleton: cp labs/{lab_name}/{lab_name[3:]}.cu labs/{lab_name}/grading/skeleton.cu.txt"
    )


def test_a_task_that_was_not_graded_again_keeps_its_time(lab: Path) -> None:
    root, request = lab.parents[1], Request(lab)
    state.record(root, request, result(lab, [task("first", "AC", 10.0)])[0])
    path = state.path_of(lab)
    path.write_text(re.sub(r'graded = ".*"', 'graded = "2026-01-01 10:32"', path.read_text()))
    kept = msgspec.structs.replace(task("first", "AC", 10.0), unchanged="10:32")
    state.record(root, request, result(lab, [kept])[0])
    assert state.read(lab).task["first"].graded == "2026-01-01 10:32"
    path.unlink()
    state.record(root, request, result(lab, [kept])[0])
    assert state.read(lab).task["first"].points == 10.0
