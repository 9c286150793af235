"""./grader compare: what counters tell apart, and when it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from autograder.errors import UsageError
from autograder.report.progress import Tasks
from autograder.report.result import TaskResult, TimeResult
from autograder.run.protocol import Counters, KernelReport
from learn import compare as module
from learn.compare import Differences, compare, sentence
from learn.ideas import Work, ideas
from learn.tests.support import make_lab, result, task
from tests.test_docs import ROOT

BASE = Counters(
    instructions=1000, lanes=32000, global_loads=100, global_stores=100, load_sectors=400, store_sectors=400,
    ideal_load_sectors=400, ideal_store_sectors=400, shared_wavefronts=50, ideal_wavefronts=50,
)  # fmt: skip


def work(launches: int = 1, **changes: int) -> Work:
    counters = Counters(**{name: getattr(BASE, name) for name in Counters.__struct_fields__} | changes)
    return Work.of([KernelReport("add", launches=launches, grid=(8, 1, 1), block=(256, 1, 1), total=counters)], 1e-5)


@pytest.mark.parametrize(
    ("mine", "says"),
    [
        (work(load_sectors=3200), "neighbouring threads read neighbouring elements"),
        (work(load_sectors=800, ideal_load_sectors=800), "reads or writes the arrays fewer times"),
        (work(global_loads=400), "wider loads and stores"),
        (work(shared_wavefronts=400), "lanes of a warp meet in one bank"),
        (work(shared_wavefronts=100, ideal_wavefronts=100), "less goes through shared memory"),
        (work(launches=3), "3 launches, 3.00 times the reference's 1"),
        (work(instructions=2000, lanes=64000), "2,000 warp instructions, 2.00 times the reference's 1,000"),
        (work(lanes=16000), "16.0 of 32 lanes are active on average, in the reference's 32.0"),
        (work(atomic_lanes=9), "9 atomics, where the reference has none"),
        (work(local_sectors=9), "do not stay in registers"),
        (work(barriers=9), "__syncwarp() orders them"),
        (work(load_sectors=200, ideal_load_sectors=200), "you need fewer sectors than the reference"),
    ],
)
def test_each_difference_is_a_sentence(mine: Work, says: str) -> None:
    said = ideas(mine, work())
    assert len(said) == 1
    assert says in said[0]


def test_the_largest_difference_comes_first() -> None:
    said = ideas(work(shared_wavefronts=100, load_sectors=3200), work())
    assert ["sectors" in said[0], "wavefronts" in said[1]] == [True, True]


def test_the_same_work_has_no_idea() -> None:
    assert ideas(work(), work()) == []


def measured(kernels: int) -> TaskResult:
    time = TimeResult(1000, 1e-5 * kernels, 1e-5, 1.0, 1.0, 1.0, 1, True, False, 1e9)
    report = [
        KernelReport(f"void s::k{number}<int>(int*)", grid=(8, 1, 1), block=(256, 1, 1), seconds=1e-5, total=BASE)
        for number in range(kernels)
    ]
    return TaskResult("first", 10, 10, True, "AC", time=time, kernels=tuple(report))


def test_ideas_are_folded() -> None:
    out = Console(width=60, color_system=None)
    with out.capture() as captured:
        Differences(1, "first", measured(2), measured(1), "as 1, but " * 20, "solutions/01-add/first.cu").show(out, 5)
    rows = captured.get().splitlines()
    assert max(map(len, rows)) <= 60 and not any("…" in row for row in rows)
    assert sum("as 1, but" in row for row in rows) > 1


def test_both_stand_side_by_side_and_ideas_come_one_at_a_time() -> None:
    out = Console(width=120, color_system=None)
    both = Differences(1, "first", measured(2), measured(1), "as 1, but fused.", "solutions/01-add/first.cu")
    with out.capture() as captured:
        both.show(out, 1)
    text = captured.get()
    assert [line.split() for line in text.splitlines() if "kernel" in line] == [
        ["kernel", "s::k0<int>", "s::k0<int>"],
        ["kernel", "s::k1<int>", "-"],
    ]
    assert [line.split() for line in text.splitlines() if "launches  " in line][-1] == ["launches", "2", "1", "2.00"]
    assert "1 of" in text
    assert "2 of" not in text
    assert "./grader compare 1 first 2" in text
    with pytest.raises(UsageError, match="idea 9: first has"):
        both.show(out, 9)


@pytest.mark.parametrize("verdict", ["WA", "SKIP", "CHECK", "SLOW"])
def test_it_refuses_until_the_task_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: str) -> None:
    lab = make_lab(tmp_path)
    (tmp_path / "solutions" / lab.name).mkdir(parents=True)
    asked = []

    def graded(root: Path, request: object, *_: object) -> object:
        asked.append(request)
        return result(lab, [task("first", verdict)])  # type: ignore[arg-type]

    monkeypatch.setattr(module, "grade", graded)
    with pytest.raises(UsageError, match=f"first is {verdict} .*./grader 1 --task first says more"):
        compare(tmp_path, lab, "first", "", True, Tasks())
    assert len(asked) == 1  # the reference was not run


def test_an_unknown_task_and_an_archive_without_solutions(tmp_path: Path) -> None:
    lab = make_lab(tmp_path)
    with pytest.raises(UsageError, match="no task 'frist'; did you mean 'first'"):
        compare(tmp_path, lab, "frist", "", True, Tasks())
    with pytest.raises(UsageError, match="solutions/01-add is not here"):
        compare(tmp_path, lab, "first", "", True, Tasks())


def test_each_rung_of_the_solutions_has_its_sentence() -> None:
    lessons = {path: sentence(path) for path in (ROOT / "solutions").glob("*/*.cu") if path.stem != "tuned"}
    assert len(lessons) > 50
    assert not [path for path, text in lessons.items() if len(text) < 20]
