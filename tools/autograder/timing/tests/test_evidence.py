"""A task's evidence: bounds on the counters of its timed call, and what they decide."""

from __future__ import annotations

import html
from pathlib import Path

import msgspec
import pytest

from autograder.explain.explanation import Explanation
from autograder.page.result_page import report
from autograder.page.tests.support import ROOT, Page, result
from autograder.plan.manifest import TaskEntry
from autograder.report.markdown import markdown
from autograder.report.result import TaskResult, TimeResult
from autograder.report.table import time_of
from autograder.run.protocol import Counters, KernelReport, LineCounters, Place
from autograder.submission import Settings, Timed, points_of
from autograder.tests.support import grade_task
from autograder.timing.evidence import Evidence, evidence_in, evidence_of, evidence_text, share_met, without
from classes.student_text import told

KERNELS = [
    KernelReport("up", launches=3, grid=(10, 1, 1), block=(48, 1, 1), total=Counters(instructions=100, lanes=1600)),
    KernelReport(
        "down", grid=(1, 1, 1), block=(256, 1, 1),
        total=Counters(load_sectors=900, store_sectors=90, atomic_sectors=10, shared_wavefronts=234_441, barriers=7),
    ),
]  # fmt: skip


def entry(**evidence: str) -> TaskEntry:
    return TaskEntry("one", 10, evidence=evidence)


def test_counters_are_totals_of_all_launches() -> None:
    names = ("launches", "instructions", "lanes", "sectors", "wavefronts", "barriers")
    found = evidence_of(entry(**dict.fromkeys(names, "at least 0")), 1024, KERNELS)
    assert [one.value for one in found] == [4, 100, 16.0, 1000, 234_441, 7]
    (warps,) = evidence_of(entry(sectors="at most warps"), 1024, KERNELS)
    assert warps.limit == 3 * 10 * 2 + 8


def test_what_is_missing_is_said_and_costs_its_part_of_the_time() -> None:
    found = evidence_of(entry(sectors="at most n", lanes="at least 24", wavefronts="at most 70_000"), 1024, KERNELS)
    assert [one.met for one in found] == [True, False, False]
    few = "too few active lanes of 32, on average: 16, at least 24"
    many = "too many wavefronts (passes through shared memory): 234,441, at most 70,000"
    assert evidence_text(found) == f"{few}; {many}"
    time = TimeResult(1024, 1e-6, 1e-6, 1.0, 1.0, 1.0, 1, True, False, 1e9)
    explanation = without(Explanation(), found)
    assert explanation.reason == evidence_text(found)
    (lost,) = explanation.details
    assert lost == "67 % of the points for time are lost: the handout says how the task is meant to be done"
    conflicts = [KernelReport("k", total=Counters(bank_conflicts=9))]
    assert without(Explanation(), found, conflicts).details[-1].startswith("lanes that read or write different words")
    slow = without(Explanation("2 times the reference's time"), found)
    assert slow.reason == "2 times the reference's time" and slow.details[0].startswith(few)
    timed = Timed("AC", explanation, time, KERNELS, evidence=found)
    assert points_of(entry(), timed) == 7.3  # 6 for the output, a third of 4 for the time
    assert points_of(entry(), Timed("AC", Explanation(), time, KERNELS)) == 10
    assert points_of(entry(), Timed("AC", Explanation(), time, KERNELS, evidence=found[:1])) == 10


def test_nothing_is_asked_where_nothing_was_counted() -> None:
    assert evidence_of(entry(sectors="at most 1"), 1024, ()) == () and share_met(()) == 1.0
    assert evidence_of(entry(), 1024, KERNELS) == () and evidence_text(()) == "" and evidence_in({}) == ()
    assert without(Explanation("x"), ()) == Explanation("x")


def test_a_task_that_was_done_another_way(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "good", evidence={"launches": "at most 1", "barriers": "at least 1"})
    assert (result.verdict, result.points) == ("AC", 8.0)
    assert result.reason == "too few waits of warps at barriers: 0, at least 1"
    assert time_of(result) == "1.00x ✓✗"
    result = grade_task(tmp_path, "good", evidence={"launches": "at most 1"})
    assert (result.verdict, result.points, result.reason) == ("AC", 10.0, "") and time_of(result) == "1.00x ✓"
    assert grade_task(tmp_path, "second_block", evidence={"launches": "at most 0"}).evidence == ()


def with_evidence() -> TaskResult:
    met, missing = Evidence("sectors", 100, 200), Evidence("wavefronts", 234_441, 70_000, met=False)
    time = TimeResult(1024, 1e-6, 1e-6, 1.0, 1.0, 1.0, 1, True, False, 1e9)
    return TaskResult("naive", 8.0, 10.0, True, "AC", reason="too many", time=time, evidence=(met, missing))


def test_pages_and_exports_show_it() -> None:
    task = with_evidence()
    text = Page(report(result(task), ROOT, None)).text
    assert "✓ sectors of 32 bytes in global memory: 100, at most 200" in text
    assert "✗ wavefronts (passes through shared memory): 234,441, at most 70,000" in text
    as_json = msgspec.to_builtins(task)
    said = "too many wavefronts (passes through shared memory): 234,441, at most 70,000"
    assert said in told(as_json) and evidence_in(as_json) == task.evidence
    assert said in html.unescape(markdown(msgspec.to_builtins(result(task))))
    assert told({**as_json, "reason": said}).count("wavefronts") == 1


def test_the_line_with_most_of_what_was_counted_is_named() -> None:
    """An access pattern that misses a limit: the right way with wrong addresses."""
    wasteful = Counters(global_loads=100, load_sectors=3_200, ideal_load_sectors=400)
    other = Counters(global_stores=100, store_sectors=400, ideal_store_sectors=400)
    lines = [LineCounters(Place("labs/x.cu", 41), wasteful), LineCounters(Place("labs/x.cu", 42), other)]
    kernel = KernelReport("k", total=Counters(load_sectors=3_200, store_sectors=400), lines=lines)
    told_of = without(Explanation(), evidence_of(entry(sectors="at most n"), 1024, [kernel]), [kernel])
    assert told_of.reason == "too many sectors of 32 bytes in global memory: 3,600, at most 1,024"
    assert told_of.details[0].startswith("x.cu:41: 89 % of them, 32.0 sectors a request where 4.0")
    assert told_of.details[1] == "100 % of the points for time are lost"
    spilled = [LineCounters(Place("x.cu", 7), Counters(local_sectors=64))]
    kernel = KernelReport("k", total=Counters(local_sectors=64), lines=spilled)
    told_of = without(Explanation(), evidence_of(entry(spills="at most 0"), 1024, [kernel]), [kernel])
    assert told_of.details[0] == "x.cu:7: 100 % of them"


@pytest.mark.slow
def test_without_times_the_share_for_time_follows_the_evidence(tmp_path: Path) -> None:
    """All of it where none is asked, a part where some is missing; of a single call, only the output is certain."""
    no_time, single = Settings(seed=1, timed=False), Settings(seed=1, timed=False, n=1025)
    assert grade_task(tmp_path, "good", settings=no_time).points == 10
    half = {"launches": "at most 1", "barriers": "at least 1"}
    found = grade_task(tmp_path, "good", settings=no_time, evidence=half)
    assert (found.points, found.time, found.counted_n) == (8.0, None, 5000)
    assert [one.met for one in found.evidence] == [True, False] and found.reason.startswith(
        "too few waits of warps at barriers"
    )
    assert grade_task(tmp_path, "good", settings=single).points == 6
    assert grade_task(tmp_path, "cached", settings=no_time, evidence=half).points == 0
