"""What people see of a result: the table, the failures, what is next."""

from __future__ import annotations

import io
import re
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from autograder.errors import CompileError
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.report import terminal
from autograder.report.result import LabName, Result, TaskResult
from autograder.submission import Settings
from autograder.tests.support import grade_task, graded


def result_of(*tasks: TaskResult, full: bool = False, partial: bool = False) -> Result:
    return Result(
        grader="0", lab=LabName(3, "add", "Add", "03-add", "add.cu"), source="lab", device="virtual GPU",
        modelled=True, seed="7f3a", points=sum(task.points for task in tasks), of=sum(task.of for task in tasks),
        full_marks=full, passed=all(task.verdict == "AC" for task in tasks), partial=partial, tasks=tasks,
        seconds=1.0,
    )  # fmt: skip


def shown(result: Result, following: str = "", no_gpu: bool = False, width: int = 120) -> str:
    tasks = [TaskEntry(task.name, 10, hints=["a?", "b", "c"], teaches=f"{task.name} taught.") for task in result.tasks]
    manifest = Manifest(3, "add", "Add", "add.cu", tasks, next=following)
    out = io.StringIO()
    root = Path("/x")
    console = Console(file=out, width=width, color_system=None, highlight=False)
    terminal.show(console, result, manifest, root / "labs" / "03-add", root, "./grader 3 --solution", no_gpu)
    return out.getvalue()


def test_report_of_a_wrong_answer() -> None:
    task = graded("second_block")
    text = shown(result_of(task))
    assert "Lab 3 · Add" in text and "modelled" in text
    assert re.search(r"second_block +WA \d+/\d+ +wrong from n = 257 on +0 / 10", text)
    assert "The cause is not known." in text and "The cause is not known." in shown(result_of(task), width=40)
    assert re.search(r"n = 257, 1 of 257 values is wrong: d_out\[256\] is .*, expected ", text)
    assert "./grader show 3  the case" in text and "./grader hint 3  the next step" in text
    assert "again: ./grader" not in text and "a?" not in text  # behind `show`, and behind `hint`
    assert text.rstrip().splitlines()[-1].lstrip().startswith("next: second_block")


def test_report_of_a_race_names_line_reason_and_remedy() -> None:
    text = shown(result_of(graded("race")))
    assert re.search(r"race +AC \d+/\d+ +CHECK +race, scan.cu:41 +0 / 10", text)
    assert re.search(r"race: race in shared memory, .*scan.cu:41\n", text)
    assert "Right here only by luck" in text and "What helps: a barrier" in text and "why it matters" not in text


def test_report_of_a_skeleton_says_where_to_start() -> None:
    text = shown(result_of(graded("skip")))
    assert "not started: add.cu:24 TODO 1" in text
    first, last = text.rstrip().splitlines()[-2:]
    assert first.strip() == "start here: skip, labs/03-add/add.cu line 24"
    assert last.strip() == "handout: labs/03-add/README.md · ./grader watch 3 grades on every save"


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_the_table_fits_the_terminal(width: int) -> None:
    """On a narrow one with fewer words and a shorter head; a cell is never cut."""
    tasks = [graded("skip"), graded("second_block"), graded("good")]
    tasks[0] = msgspec.structs.replace(tasks[0], name="a_name_as_long_as_any")
    table = shown(result_of(*tasks), width=width).split("\n\n")[1]
    assert "…" not in table and len(table.splitlines()) == 5
    assert all(len(line.rstrip()) <= width for line in table.splitlines())
    assert "not started" in table and ("wrong from n = 257 on" if width > 60 else " n = 257 ") in table
    assert ("speed, of reference" in table) == (width >= 80)


def test_report_of_full_marks_has_the_ladder() -> None:
    text = shown(result_of(graded("good"), full=True))
    assert "█" in text
    assert "./grader solution 3" in text.rstrip().splitlines()[-1]


def test_speed_is_named_as_such_and_what_was_not_timed_is_said(tmp_path: Path) -> None:
    good = graded("good")
    assert "speed, of reference" in shown(result_of(good, full=True))
    untimed = grade_task(tmp_path, "good", settings=Settings(seed=1, n=1025))
    text = shown(result_of(untimed, partial=True))
    assert "6 / 10" in text
    assert "not timed: 40 % of a task's points are for its speed · to time it: ./grader 3 --solution" in text
    assert text.rstrip().splitlines()[-1].endswith("with times: ./grader 3 --solution")
    assert "not timed" not in shown(result_of(good, full=True))
    no_time = grade_task(tmp_path, "good", settings=Settings(seed=1, timed=False))
    text = shown(result_of(no_time, partial=True))
    assert "10 / 10" in text and "not timed: the points for speed follow the evidence alone" in text


def test_a_lab_that_is_not_there_is_not_announced() -> None:
    good = result_of(graded("good"), full=True)
    assert "Lab 4" not in shown(good, "Lab 4, compact, keeps some elements.")
    assert "That was all." in shown(good, "That was all.")


def test_what_a_finished_task_has_taught_leads_on_to_the_next() -> None:
    good, skip = graded("good"), graded("skip")
    lines = shown(result_of(good, skip)).rstrip().splitlines()
    assert lines[-2].strip() == "good taught." and lines[-1].strip().startswith("next: skip")
    assert "taught" not in shown(result_of(skip, good))


def test_header_says_why_the_gpu_is_a_virtual_one() -> None:
    good = result_of(graded("good"), full=True)
    assert "virtual GPU, no NVIDIA GPU found · modelled time" in shown(good, no_gpu=True)
    assert "no NVIDIA GPU" not in shown(good)


def test_where_even_the_short_head_does_not_fit_a_task_has_two_rows() -> None:
    tasks = [graded("second_block"), msgspec.structs.replace(graded("good"), name="a_name_as_long_as_any")]
    table = shown(result_of(*tasks), width=40).split("\n\n")[1].splitlines()
    assert [line.strip() for line in table if "/" not in line] == ["second_block", "a_name_as_long_as_any"]
    assert all(len(line) <= 40 for line in table)


def test_a_note_about_a_right_task_is_told() -> None:
    task = msgspec.structs.replace(graded("good"), details=("note: 3 threads left before the barrier", "more"))
    text = shown(result_of(task, full=True))
    assert "  good: note: 3 threads left before the barrier\n" in text and "more" not in text


def test_todo_that_is_left_in_written_code_is_said() -> None:
    left = msgspec.structs.replace(graded("skip"), reason="todo() is left in add.cu:24: take it out, and ...")
    text = shown(result_of(left))
    assert "SKIP    todo() is left, add.cu:24" in text
    assert text.rstrip().splitlines()[-1].strip().startswith("next: take todo() out of skip, add.cu line 24")


def test_a_finding_of_another_call_is_shown_with_its_call() -> None:
    text = shown(result_of(graded("second_block_and_later_race")))
    line = "Seen in another call, at n = 1,023: race in shared memory, 12 times, scan.cu:41"
    assert line in text and text.index("Thread 32 read s[31]") > text.index(line)
    assert "cause is not known" not in text


def test_compile_error_keeps_the_compilers_text() -> None:
    out = io.StringIO()
    error = CompileError('scan.cu(12): error: expected a ";"', "scan.cu:12", 'expected a ";"\na semicolon is missing')
    terminal.show_compile_error(Console(file=out, width=120, color_system=None), error, "./grader 3")
    assert 'scan.cu(12): error: expected a ";"' in out.getvalue()
    assert out.getvalue().rstrip().splitlines()[-1].lstrip() == "next: fix scan.cu:12 · then: ./grader 3"


def test_exit_status() -> None:
    good = graded("good")
    assert result_of(good, full=True).exit_status == 0
    assert result_of(good, partial=True).exit_status == 0
    assert result_of(graded("slow")).exit_status == 1
    assert result_of(graded("skip")).exit_status == 1
    assert result_of(good, TaskResult("x", 0, 10, True, "IE")).exit_status == 3


def test_what_was_not_graded_again_is_named() -> None:
    kept = msgspec.structs.replace(graded("right"), unchanged="10:32")
    text = shown(result_of(kept, graded("skip")))
    assert "unchanged, not graded again: right (since 10:32) · to grade all: ./grader 3 --solution --all" in text
    assert "unchanged" not in shown(result_of(graded("right")))
