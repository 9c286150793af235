"""Solutions, skeletons, wrong, slow and cheating submissions of every lab get the verdicts they name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder import conformance
from autograder.build.builder import Builder
from autograder.cli import ROOT
from autograder.conformance import Submission, header, submissions
from autograder.errors import CompileError, GraderError
from autograder.plan.request import Request
from autograder.session import grade

ALL = submissions()


@pytest.fixture(scope="module")
def graded(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[str]]]:
    """All submissions that were asked for, on all cores; each test waits for its own."""
    chosen: list[Submission] = []
    for item in request.session.items:
        wanted = item.callspec.params.get("submission") if hasattr(item, "callspec") else None
        if isinstance(wanted, Submission):
            chosen.append(wanted)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        yield conformance.start(pool, chosen)
        pool.shutdown(cancel_futures=True)


@pytest.mark.slow
@pytest.mark.parametrize("submission", ALL, ids=[one.name for one in ALL])
def test_submission(submission: Submission, graded: dict[str, Future[str]]) -> None:
    told = graded[submission.name].result(timeout=900)
    assert not told, told


@pytest.mark.slow
@pytest.mark.skipif(not ALL, reason="no lab is here yet")
def test_a_reference_that_is_wrong_is_the_graders_fault() -> None:
    lab = ALL[0].folder
    wrong = next(one.file for one in ALL if one.folder == lab and one.file and header(one.file).verdicts == ("WA",))
    task = header(wrong).task
    runner = Builder(ROOT).file(int(lab.name[:2]), wrong, partial=True)
    result, _ = grade(ROOT, Request(lab, solution=True, tasks=[task], reference=runner, seed=1, max_n=5000))
    assert result.tasks[0].verdict == "IE", result.tasks[0].reason
    assert "the reference solution fails" in result.tasks[0].reason
    assert result.exit_status == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one_buffer", "zero_for_identity"])  # a plain function, a template
def test_tasks_that_a_submission_leaves_out_are_not_started(name: str, tmp_path: Path) -> None:
    lab = ROOT / "labs" / "03-scan"
    file = ROOT / "solutions" / lab.name / "wrong" / f"{name}.cu"
    result, _ = grade(ROOT, Request(lab, file=file, max_n=2000, timed=False, seed=1))
    started = [task.name for task in result.tasks if task.verdict != "SKIP"]
    assert started == [header(file).task], [(task.name, task.verdict) for task in result.tasks]
    student = tmp_path / "scan.cu"
    student.write_bytes(file.read_bytes())
    with pytest.raises(CompileError, match="is not defined"):  # a student who forgets one is told
        grade(ROOT, Request(lab, file=student))


@pytest.mark.slow
@pytest.mark.skipif(len({one.folder for one in ALL}) < 3, reason="not all labs are here yet")
def test_every_verdict_is_shown_by_some_submission() -> None:
    verdicts = {verdict for one in ALL if one.file for verdict in header(one.file).verdicts}
    assert verdicts >= {"WA", "SLOW", "CE", "RTE", "CHECK", "TLE", "MLE"}
    for lab in {one.folder for one in ALL}:
        assert sum(one.kind == "wrong" and one.folder == lab for one in ALL) >= 6


def test_header(tmp_path: Path) -> None:
    path = tmp_path / "x.cu"
    path.write_text("// verdict: WA or CHECK task=naive seconds=2\n// because: last block\n")
    expected = header(path)
    assert expected.verdicts == ("WA", "CHECK")
    assert (expected.task, expected.because, expected.options) == ("naive", "last block", {"seconds": "2"})
    path.write_text("// wrong\n")
    with pytest.raises(GraderError, match="first two lines"):
        header(path)
