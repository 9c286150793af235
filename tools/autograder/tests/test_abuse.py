"""Whatever the student's process does to its end is the student's RTE, and never the grader's fault."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.errors import CompileError
from autograder.explain.explanation import NOT_KNOWN
from autograder.plan.request import Request
from autograder.report.result import COMPILER, PRINTED, compile_failure
from autograder.sanitize import LINE, LINES, cut
from autograder.submission import Settings
from autograder.tests.support import MACHINE, FakeOracles, grade_task, runner_script
from classes.tests.support import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("task", "because"),
    [
        ("exit0", "exited with status 0 before it answered"),
        ("late_exit", "exited with status 0 before it answered"),
        ("crash", "SIGSEGV"),
        ("closes", "closed its channel"),
        ("prints", "printed more than"),
        ("cuda_error", "add.cu:30: launch(n / 2): invalid configuration"),
        ("bad_request", "unknown op"),
        ("liar", "below what the memory can do"),
    ],
)
def test_run_time_errors(tmp_path: Path, task: str, because: str) -> None:
    result = grade_task(tmp_path, task)
    assert result.verdict == "RTE", result.reason
    assert because in result.reason
    assert result.points == 0


def test_endless_loop_is_named_a_timeout_and_leaves_no_process(tmp_path: Path) -> None:
    start = time.monotonic()
    result = grade_task(tmp_path, "hang_with_child", seconds=0.3)
    assert result.verdict == "TLE"
    assert "0.3 s" in result.reason
    assert time.monotonic() - start < 6
    time.sleep(0.1)
    found = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in read(path)]
    assert not found


@pytest.mark.parametrize(
    ("task", "where"),
    [
        ("stopped_kernel", "add.cu:31"),
        ("stopped_launches", "add.cu:40"),
        ("stopped_host", "add.cu:12"),
        ("stopped_answers", "add.cu:31"),
    ],
)
def test_a_timeout_says_where_the_program_was_and_stays_one(tmp_path: Path, task: str, where: str) -> None:
    result = grade_task(tmp_path, task, seconds=1.0)
    assert (result.verdict, result.kind, result.points) == ("TLE", "", 0)
    assert result.where == where
    assert result.details[0].startswith("running when the time was up: ") and where in result.details[0]
    assert any("ever end?" in line for line in result.details) == (task == "stopped_launches")


def test_a_timeout_tells_what_was_seen_before_it(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "stopped_seen", seconds=1.0)
    assert (result.verdict, result.kind, result.where) == ("TLE", "uninitialized", "add.cu:25")
    assert result.details[0] == "what the virtual GPU saw before: thread 3 read d_x at index 3: nobody wrote it"
    assert result.details[1].startswith("running when the time was up: ")


def test_host_access_is_told_by_its_first_line(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "host_access")
    assert (result.verdict, result.kind, result.where) == ("RTE", "host_access", "add.cu:35")
    assert result.reason.startswith("host code at add.cu:35 uses device memory: byte 0 of d_in")
    assert result.details[:2] == ("> 35: d_in[0]", "what helps: copy it with cudaMemcpy first")


def test_exit_says_what_helps(tmp_path: Path) -> None:
    assert "return from the task" in grade_task(tmp_path, "exit0").details[0]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_memory_limit(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "eats_memory", memory=200)
    assert (result.verdict, result.kind) == ("MLE", "")
    assert "memory" in result.reason and NOT_KNOWN in result.details


def test_device_memory(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "no_memory")
    assert result.verdict == "MLE"
    assert "out of memory" in result.reason


@pytest.mark.parametrize("task", ["forged", "nothing"])
def test_a_reply_alone_is_no_answer(tmp_path: Path, task: str) -> None:
    result = grade_task(tmp_path, task)
    assert result.verdict == "WA"
    assert result.reason.endswith(": nothing was written to the result")


def test_timed_outputs_are_checked(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "cached")
    assert result.verdict == "WA"
    assert "in the timed call" in result.reason


def test_escape_sequences_do_not_reach_the_terminal(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "escape")
    assert result.verdict == "RTE"
    assert "\x1b" not in result.reason + "".join(result.details)
    assert "\x1b" not in grade_task(tmp_path, "prints_some").printed


def test_the_environment_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    assert "SECRET" not in MACHINE.environment


def test_a_failing_reference_is_the_graders_fault(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("#!/bin/sh\nexit 7\n")
    bad.chmod(0o755)
    result = grade_task(tmp_path, "good", reference=bad)
    assert result.verdict == "IE"
    assert "the reference solution fails" in result.reason


def test_a_program_that_insists_on_children_takes_too_long(tmp_path: Path) -> None:
    """It is refused each of them, in a cage and without one."""
    result = grade_task(tmp_path, "insists_on_children", seconds=0.3)
    assert result.verdict == "TLE" and "the process started more than" not in result.reason


@pytest.mark.parametrize("task", ["long_words", "long_message"])
def test_no_text_of_a_submission_is_long(tmp_path: Path, task: str) -> None:
    result = grade_task(tmp_path, task)
    assert result.verdict == "RTE"
    texts = [result.reason, *result.details, result.where, result.again, result.kind]
    assert max(map(len, texts)) <= LINE and len(result.details) <= LINES + 1 and len(result.printed) <= PRINTED


def test_a_cut_is_seen(tmp_path: Path) -> None:
    long = "n" * 16_405
    manifest = "labs/03-scan"
    request = Request(ROOT / manifest, file=tmp_path / "scan.cu")
    found = compile_failure(request, CompileError("\n".join([long] * 500), where=long))
    task = found.tasks[0]
    assert len(task.reason) == LINE and task.reason.endswith(" … (cut: 16,405 characters)")
    assert len(task.where) == LINE
    assert len(task.details) == LINES + 1 and task.details[-1] == "… (cut: 399 more lines)"
    assert len(found.compiler) == COMPILER
    assert cut("abc", 3) == "abc" and cut("abcdefgh", 5) == "abc …"


@pytest.mark.parametrize(
    ("task", "how"),
    [
        ("device_dies", "was ended by SIGSEGV during this call (at n = 1,023)"),
        ("device_exits", "ended with status 7 during this call (at n = 1)"),
        ("device_closes", "closed its channel to the grader during this call (at n = 1)"),
        ("device_babbles", "cannot be understood, the reply is invalid"),
        ("device_dies_timed", "in the timed call: the device process was ended by SIGSEGV during this call"),
    ],
)
def test_who_ends_the_device_process_has_a_run_time_error(tmp_path: Path, task: str, how: str) -> None:
    result = grade_task(tmp_path, task)
    assert (result.verdict, result.points) == ("RTE", 0.0)
    assert how in result.reason
    assert any("the reference solution's call with this input does not end it" in line for line in result.details)


def test_a_device_process_that_the_reference_ends_too_is_the_graders_fault(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "device_dies_of_any")
    assert result.verdict == "IE"
    assert result.reason.startswith("with the reference solution, too: the device process was ended by SIGSEGV")
    runner = runner_script(tmp_path)  # graded itself
    result = grade_task(tmp_path, "device_exits", reference=runner)
    assert result.verdict == "IE" and result.reason.startswith("the reference solution itself: the device process")


def test_a_missing_runner_is_the_graders_fault(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "good", reference=tmp_path / "none")
    assert result.verdict == "IE"


def test_a_broken_oracle_condemns_nobody_silently(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "good", oracles=FakeOracles(broken=True), settings=Settings(seed=1))
    assert result.verdict == "IE"
    assert "oracle" in result.reason
