"""What people see: the table, the explanations, the hints by number, the source listing."""

from __future__ import annotations

import io
import re
import tomllib
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from autograder.errors import CompileError, UsageError
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.report import hints, listing, terminal
from autograder.report.listing import remarks
from autograder.report.result import LabName, Result, TaskResult
from autograder.run.protocol import Counters, Finding, KernelReport, LineCounters, Place
from autograder.submission import Settings
from autograder.tests.support import grade_task, graded


def result_of(*tasks: TaskResult, full: bool = False, partial: bool = False) -> Result:
    return Result(
        grader="0", lab=LabName(3, "add", "Add", "03-add", "add.cu"), source="lab", device="virtual GPU",
        modelled=True, seed="7f3a", points=sum(task.points for task in tasks), of=sum(task.of for task in tasks),
        full_marks=full, passed=all(task.verdict == "AC" for task in tasks), partial=partial, tasks=tasks,
        seconds=1.0,
    )  # fmt: skip


LAB = """
number = 3
name = "add"
title = "Add"
file = "add.cu"
[[task]]
name = "one"
points = 10
hints = ["a?", "b", "c"]
[[task]]
name = "two"
points = 10
hints = ["d?", "e", "f"]
"""


def hinted(number: int, *only: str, upcoming: str = "one") -> str:
    out = io.StringIO()
    manifest = msgspec.convert(tomllib.loads(LAB), Manifest)
    hints.show(Console(file=out, width=120, color_system=None), manifest, upcoming, number, only)
    return out.getvalue()


def test_hints_are_for_the_task_to_do_next() -> None:
    assert hinted(1).splitlines()[:3] == ["one", "  hint 1 of 3: a?", "  more: ./grader hint 3 2 --task one"]
    text = hinted(2, upcoming="two")
    assert "hint 2 of 3: e" in text and "a?" not in text
    assert "hint 1 of 3: a?" in hinted(3, "one", upcoming="")
    with pytest.raises(UsageError, match="full marks"):
        hinted(1, upcoming="")


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
    assert "The cause is not known." in text
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


def test_explain_says_what_its_columns_mean() -> None:
    out = io.StringIO()
    listing.show(Console(file=out, width=120, color_system=None), result_of(graded("good")), [])
    text = out.getvalue()
    assert "actual / ideal" in text and text.count("share: of warp instructions") == 1


def test_explain_names_the_call_and_shows_the_students_file_first() -> None:
    task = graded("good")
    assert task.time is not None
    task = msgspec.structs.replace(task, time=msgspec.structs.replace(task.time, variant="sum_int32"))
    assert listing.call_text(task) == " · n = 5,000, sum_int32"
    race = graded("race")
    assert race.failure is not None
    assert listing.call_text(race) == f" · n = {race.failure.n:,}"
    files = {"/a/lab.h", "/a/primitives.cu", "/b/add.cu", "/b/add.h"}
    assert listing.in_order(files, "add.cu") == ["/b/add.cu", "/a/primitives.cu", "/a/lab.h", "/b/add.h"]


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


def test_a_line_with_atomics_or_local_memory_is_remarked_on() -> None:
    assert remarks(Counters(instructions=5, shared_loads=5)) == []
    said = remarks(Counters(atomics=40, atomic_lanes=1280, most_lanes_on_one_address=32, local_sectors=1000))
    assert said == ["1,280 atomics, up to 32 lanes of a warp at one address", "1,000 sectors of local memory"]
    assert "up to 1 lane of" in remarks(Counters(atomics=1, atomic_lanes=32, most_lanes_on_one_address=1))[0]


@pytest.mark.parametrize("line", [-5, 0, 1, 4, 5, 5000, 10**30])
def test_any_line_of_any_file_may_be_asked_for(tmp_path: Path, line: int) -> None:
    """`#line` names lines that do not exist, and a file may be shortened while the grader runs."""
    source = tmp_path / "add.cu"
    source.write_bytes(b"\xef\xbb\xbfone\r\ntwo \x0c and \xe2\x80\xa8\r\nth\xffree\r\n")
    task = graded("good")
    for path in (source, tmp_path / "none.cu", tmp_path):
        place = Place(str(path), line, "text")
        lines = listing.source_lines(Finding("race", place=place, other_place=Place(str(path), 3)))
        assert len(lines) <= 5
        listing.lines_at(path, f"add.cu:{line}")
        kernels = (KernelReport("k", lines=[LineCounters(place, Counters(instructions=1))]),)
        whole = msgspec.structs.replace(task, kernels=kernels, findings=(Finding("race", place=place),))
        listing.show(Console(file=io.StringIO()), result_of(whole), [])
    assert listing.lines_at(source, "add.cu:2")[1] == ">     2  two  and "


def test_lines_around_a_place_are_shown_only_where_the_device_process_has_read_it(tmp_path: Path) -> None:
    """It does not see solutions and other people's files, which `#line` may name."""
    source = tmp_path / "scan.cu"
    source.write_text("one\ntwo\nthree\n")
    seen, unseen = (Finding("race", place=Place(str(source), 2, text)) for text in ("two", ""))
    assert listing.source_lines(seen) == ["      1  one", ">     2  two", "      3  three"]
    assert listing.source_lines(unseen) == []
    assert listing.read_source(str(source), {2: "two", 3: "another"}) == []
