"""A failure on the first screen: short, folded at spaces, its cause first."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rich.console import Console

from autograder.cause.causes import Cause
from autograder.explain.evidence import Errors
from autograder.explain.explanation import Failure, Values, WrongElement
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.report import terminal
from autograder.report.failure import MOST_ROWS, Said, fitting, lines_of
from autograder.report.fold import Line
from autograder.report.result import TaskResult
from autograder.tests.support import graded

FAILING = ("two_races", "race", "outside", "exit0", "host_access", "second_block", "second_block_and_later_race")


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("name", FAILING)
def test_a_failure_is_short_and_folded_at_spaces(name: str, width: int) -> None:
    task = graded(name)
    rows = [row.plain for line in lines_of(task, 3, True, None, width) for row in line.rows(width)]
    assert len(rows) <= MOST_ROWS or width < 80
    assert all(len(row) <= width or " " not in row.strip() for row in rows)
    text = " ".join(" ".join(rows).split())
    assert "…" not in text and "poison" not in text and not re.search(r"block \d+, thread \d+", text)
    assert text.startswith(f"{name}: ") and text.endswith("the next step, without the answer")
    for line in rows:
        assert rows.count(line) == 1


def test_what_matters_least_is_left_out_first() -> None:
    said = [Said(Line("a"))] + [Said(Line(f"{rank}"), rank) for rank in (3, 9, 9, 1)] + [Said(Line("z"))] * 9
    kept = [line.text for line in fitting(said, 80)]
    assert kept == ["a", "3", "1"] + ["z"] * 9
    assert len(fitting([Said(Line("z"))] * 20, 80)) == 20  # but never what must be there


def test_a_proved_cause_comes_first_and_no_guess_stands_beside_it(tmp_path: Path) -> None:
    source = tmp_path / "add.cu"
    source.write_text("one\n    if (t >= offset) s[t] += s[t - offset];\n")
    cause = Cause("overwritten", "a value is overwritten before it is read", "add.cu:2", "with every read first, right")
    task = msgspec.structs.replace(graded("second_block"), cause=cause, reason=cause.title, where=cause.where)
    rows = [row.plain for line in lines_of(task, 3, False, source, 80) for row in line.rows(80)]
    assert rows[0].startswith("second_block: a value is overwritten before it is read ") and rows[0].endswith(
        "add.cu:2"
    )
    assert rows[1] == "  >   2      if (t >= offset) s[t] += s[t - offset];"
    assert rows[2] == "  Tried: with every read first, right."
    assert "not known" not in " ".join(rows)
    assert rows[-1] == "  ./grader show 3 --task second_block · ./grader hint 3 --task second_block"


def test_all_values_of_a_small_call_are_on_the_screen() -> None:
    failure = Failure(
        2, "max", 1, 0, "d_out", 1, 2, (WrongElement(1, "5", "3", "nobody", False),),
        inputs=(Values("d_in", ("-1", "5")),),
        expected=("-1", "5"), got=("-1", "unwritten"),
    )  # fmt: skip
    task = TaskResult("first", 0, 10, True, "WA", reason="wrong from n = 2 on (max)", failure=failure)
    rows = [row.plain for line in lines_of(task, 3, True, None, 80) for row in line.rows(80)]
    assert rows[:5] == [
        "first: wrong from n = 2 on",
        "  n = 2 (max), 1 of 2 values wrong",
        "    input d_in  -1  5",
        "    expected    -1  5",
        "    got d_out   -1  unwritten",
    ]
    element = WrongElement(1, "5", "3", owner="cudaMemcpyAsync, scan.cu:34")
    task = msgspec.structs.replace(task, failure=msgspec.structs.replace(failure, elements=(element,)))
    text = " ".join(row.plain.strip() for line in lines_of(task, 3, True, None, 80) for row in line.rows(80))
    assert "d_out[1] got memory that nobody had written, from cudaMemcpyAsync, scan.cu:34." in text


def test_an_element_of_a_matrix_has_a_row_and_a_column() -> None:
    one = WrongElement(27, "5", "3", place="row 1, column 2")
    failure = Failure(625, "", 1, 0, "d_out", 1, 625, (one,))
    task = TaskResult("tile", 0, 10, True, "WA", reason="wrong from n = 625 on", failure=failure)
    rows = [row.plain for line in lines_of(task, 13, True, None, 100) for row in line.rows(100)]
    assert "  n = 625, 1 of 625 values is wrong: d_out[27] (row 1, column 2) is 3, expected 5" in rows


def test_what_n_counts_is_said_where_the_result_has_another_number_of_values() -> None:
    def rows(n: int, of: int) -> str:
        failure = Failure(n, "gaps", 1, 0, "d_y", 1, of, (WrongElement(0, "0", "2"),))
        task = TaskResult("spmv", 0, 10, True, "WA", reason="wrong", failure=failure, details=("input: 700 x 3",))
        return " | ".join(row.plain.strip() for line in lines_of(task, 7, True, None, 100) for row in line.rows(100))

    assert "n = 0 (gaps; 700 x 3), 1 of 700 values is wrong" in rows(0, 700) and "Input" not in rows(0, 700)
    assert "n = 700 (gaps), 1 of 700 values is wrong" in rows(700, 700) and "Input: 700 x 3" in rows(700, 700)


def test_more_is_shown_if_asked_for() -> None:
    out = io.StringIO()
    manifest = Manifest(3, "add", "Add", "add.cu", [TaskEntry("second_block", 10)])
    terminal.show_task(Console(file=out, width=120), graded("second_block"), manifest, True, None, verbose=True)
    assert "again: ./grader --task second_block --n 257 --seed 1" in out.getvalue()


def test_a_finding_of_another_call_is_not_the_title() -> None:
    """It is told, but the case that failed comes first."""
    task = graded("race")
    details = ("seen in another call, at n = 1,023: race in shared memory, scan.cu:41", "the cause is not known")
    task = msgspec.structs.replace(task, verdict="WA", reason="wrong from n = 3 on", details=details, where="")
    rows = [row.plain for line in lines_of(task, 3, True, None, 80) for row in line.rows(80)]
    assert rows[0] == "race: wrong from n = 3 on"
    assert "  Seen in another call, at n = 1,023: race in shared memory, scan.cu:41" in rows
    assert sum("not known" in row for row in rows) == 1


def test_an_element_has_the_name_that_the_program_gives_it() -> None:
    """Of an array of classes, with its member; indices have no commas, as in the source."""
    none, zeros = np.zeros(2, np.bool_), np.zeros(2, np.float32)
    errors = Errors(2, none, zeros, zeros, none)
    assert errors.name("d_out", 16_479) == "d_out[16479]"
    assert replace(errors, members=("a.x", "a.y", "b")).name("d_out", 5) == "d_out[1].b"
    one = WrongElement(5, "1", "2", name="[1].b", owner="thread 3 of block 0, scan.cu:41")
    failure = Failure(9, "", 1, 0, "d_out", 2, 12, (one,))
    task = msgspec.structs.replace(graded("second_block"), failure=failure, findings=(), cause=None, details=())
    text = " ".join(row.plain.strip() for line in lines_of(task, 3, True, None, 80) for row in line.rows(80))
    assert "2 of 12 values are wrong: d_out[1].b is 2, expected 1" in text
    assert "d_out[1].b was last written by thread 3 of block 0, scan.cu:41." in text


def test_the_file_of_the_title_is_not_named_again() -> None:
    what = "thread 1 read s[0] at scan.cu:7 and thread 0 wrote it, both at scan.cuh:7, called at ../scan.cu:9"
    finding = msgspec.structs.replace(graded("outside").findings[0], what=what)
    task = msgspec.structs.replace(graded("outside"), findings=(finding,))
    rows = [row.plain.strip() for line in lines_of(task, 3, True, None, 200) for row in line.rows(200)]
    assert rows[0].split()[-1].startswith("scan.cu:")
    said = next(row for row in rows if row.startswith("Thread 1"))
    assert "s[0] in line 7 and" in said and "both at scan.cuh:7, called at ../scan.cu:9" in said


def test_a_finding_is_not_said_to_be_the_mistake() -> None:
    outside, race = (
        [line.text for line in lines_of(graded(name), 3, True, None, 200)] for name in ("outside", "two_races")
    )
    words = "It shows in this line; the mistake may be in another one."
    assert words in " ".join(map(str, outside)) and words not in " ".join(map(str, race))


def test_what_is_at_an_address_that_overflowed_is_not_said() -> None:
    task = graded("outside")
    found = msgspec.structs.replace(task.findings[0], what="thread 1 of block 0 read d_out after it was freed")
    task = msgspec.structs.replace(task, findings=[found])
    for kind, is_said in (("overflow", False), ("bound", True)):
        cause = Cause(kind, "a number is wrong", "add.cu:2", "with another number, right")
        one = msgspec.structs.replace(task, cause=cause, reason=cause.title)
        text = " ".join(str(line.text) for line in lines_of(one, 3, True, None, 200))
        assert (("after it was freed") in text) is is_said
