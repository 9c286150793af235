"""The source with counters and findings beside it."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from autograder.report import listing
from autograder.report.listing import remarks
from autograder.report.tests.test_terminal import result_of
from autograder.run.protocol import Counters, Finding, KernelReport, LineCounters, Place
from autograder.tests.support import graded


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


@pytest.mark.parametrize("width", [60, 120])
def test_the_last_line_adds_up_all_lines(width: int) -> None:
    """Also of a call that is not the timed one, which it names."""
    two = [LineCounters(Place("/x/a.cu", at), Counters(instructions=10, lanes=320, global_loads=at)) for at in (3, 4)]
    kernel = KernelReport("k", lines=[msgspec.structs.replace(one) for one in two])
    task = msgspec.structs.replace(graded("good"), time=None, kernels=(kernel,), counted_n=70, counted_variant="even")
    out = io.StringIO()
    listing.show_tasks(Console(file=out, width=width, color_system=None), [task], "a.cu")
    assert " · n = 70, even" in out.getvalue() and "20 instructions of warps" in out.getvalue()
    assert "100.0 %" in out.getvalue() and "total" in out.getvalue()


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
    assert listing.lines_at(source, "add.cu:2")[0] == ">     2  two  and "


def test_lines_around_a_place_are_shown_only_where_the_device_process_has_read_it(tmp_path: Path) -> None:
    """It does not see solutions and other people's files, which `#line` may name."""
    source = tmp_path / "scan.cu"
    source.write_text("one\ntwo\nthree\n")
    seen, unseen = (Finding("race", place=Place(str(source), 2, text)) for text in ("two", ""))
    assert listing.source_lines(seen) == ["      1  one", ">     2  two", "      3  three"]
    assert listing.source_lines(unseen) == []
    assert listing.read_source(str(source), {2: "two", 3: "another"}) == []
