"""Verdicts, smallest failing sizes and what is said of them, over the fake runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.explain.explanation import NOT_KNOWN
from autograder.judge.judgement import on_host
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.report.result import TaskResult
from autograder.run.protocol import KernelReport, Reply, Report
from autograder.submission import Settings
from autograder.tests.support import grade_task


def test_full_marks(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "good")
    assert result.verdict == "AC", result.reason
    assert result.points == 10
    assert result.clean is True
    assert result.output.right == result.output.total
    assert result.time is not None and result.time.modelled


def test_not_started(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "skip")
    assert (result.verdict, result.points) == ("SKIP", 0)
    assert result.reason == "not started: add.cu:24 TODO 1"


@pytest.mark.parametrize(
    ("task", "said", "smallest"),
    [
        ("last_block", "at n = 31: all 31 values are wrong", 1),
        ("second_block", "1 of 257 values is wrong, at index 256", 257),
        ("every_fourth", "at n = 31: every 4th value from index 0 on is wrong, and no other", 1),
        ("modifies", "d_in was changed by the call", 1),
        ("flaky", "right on one run and wrong on the next, with the same input", None),
    ],
)
def test_what_is_seen_in_a_wrong_output(tmp_path: Path, task: str, said: str, smallest: int | None) -> None:
    result = grade_task(tmp_path, task)
    assert (result.verdict, result.kind, result.findings) == ("WA", "", ())
    assert said in "\n".join((result.reason, *result.details))
    assert result.details.count(NOT_KNOWN) == (task != "modifies")  # which says itself what is wrong
    assert result.failure is not None
    if smallest is not None:
        assert result.failure.n == smallest
    assert f"--n {result.failure.n} --seed 1" in result.again


def test_of_an_output_without_a_write_this_is_all_that_is_said(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "nothing", settings=Settings(seed=1, n=2))
    assert result.failure is not None and result.failure.n == 2
    assert result.kind == "nothing_written" and result.reason == "wrong at n = 2: nothing was written to the result"
    assert result.details == ("add_one ran, and wrote none of it", "input: 2 numbers")


def test_result_of_variable_size(tmp_path: Path) -> None:
    """What lies past the result is poison, another in every call: that is neither wrong nor unstable."""
    result = grade_task(tmp_path, "variable")
    assert result.verdict == "AC", result.details


def test_more_than_the_result(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "variable_more")
    assert result.verdict == "WA" and "the result has 0 elements, and more were written" in result.details
    assert result.failure is not None
    assert result.failure.n == 1
    assert result.failure.elements[0].expected == "untouched"


def owner_of(task: TaskResult) -> str:
    assert task.failure is not None
    return task.failure.elements[0].owner


def test_who_wrote_the_first_wrong_element(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "second_block")
    assert result.failure is not None
    assert result.failure.elements[0].index == 256
    assert owner_of(result) == "thread 0 of block 1, add.cu:31"


def test_nobody_wrote_an_element(tmp_path: Path) -> None:
    assert owner_of(grade_task(tmp_path, "nothing")) == "nobody wrote it"


def test_who_wrote_an_element_is_not_guessed(tmp_path: Path) -> None:
    """The device says nothing; or what was written is not what is there; or it is another failure each time."""
    for name in ("second_tile", "second_block_unseen"):
        assert owner_of(grade_task(tmp_path, name)) == ""


def test_the_input_is_named(tmp_path: Path) -> None:
    assert "input: 257 numbers" in grade_task(tmp_path, "second_block").details
    race = grade_task(tmp_path, "race")
    assert race.failure is not None
    assert f"input: {race.failure.n} numbers" in race.details


def test_a_race_in_a_right_program(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "race")
    assert (result.verdict, result.points, result.clean) == ("CHECK", 0, False)
    assert result.reason.startswith("race in shared memory")
    assert result.where == "scan.cu:41"
    assert result.time is None


def test_a_note_is_no_defect(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "note")
    assert (result.verdict, len(result.findings), len(result.notes)) == ("AC", 0, 1)


def test_computed_on_the_host(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "on_host")
    assert result.verdict == "CHECK"
    assert "computed on the host" in result.reason


@pytest.mark.parametrize(
    ("n", "allowed", "copied", "told"),
    [
        (1000, 64, 64, ""),
        (1000, 64, 68, "copied"),
        (1000, 1 << 20, 4000, ""),  # a table of 1,000 counts, as large as the input
        (1 << 18, 1 << 20, 1 << 18, ""),
        (1 << 18, 1 << 20, 1 << 20, "copied"),  # all keys: the host can sort them
        (1 << 18, 4096, 4100, "copied"),
    ],
)
def test_how_much_may_be_copied_to_the_host(n: int, allowed: int, copied: int, told: str) -> None:
    report = Report(kernels=[KernelReport()], bytes_to_host=copied)
    call = Case("task", "", n, seed=1, schedule=0)
    outcome = Outcome(call, reply=Reply(status="ok", report=report), input_bytes=4 * n, host_bytes=allowed)
    assert on_host(outcome) == told


def test_slow(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "slow")
    assert result.verdict == "SLOW"
    assert result.points == 7.2  # 10 * (0.6 + 0.4 * 1.2 / 4)
    assert "4.0 times the reference's time" in result.reason


def test_what_is_said_of_sizes(tmp_path: Path) -> None:
    """Of one size that was asked for nothing is claimed about larger ones."""
    assert grade_task(tmp_path, "second_block").reason == "wrong from n = 257 on"
    alone = grade_task(tmp_path, "second_block", settings=Settings(seed=1, n=1000))
    assert alone.reason == "wrong at n = 1,000"


def test_one_size_alone(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "good", settings=Settings(seed=1, n=77))
    assert (result.verdict, result.output.total, result.time) == ("AC", 3, None)
