"""What is said about findings: the cause first, words that fit the verdict, and no guess beside it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from autograder.cause.causes import Cause
from autograder.explain.explanation import NOT_KNOWN
from autograder.explain.findings import (
    LUCK,
    NEVER_START,
    TITLES,
    WHY,
    explaining_first,
    finding_lines,
    finding_title,
    merged,
)
from autograder.explain.places import short_name
from autograder.explain.reasons import explain, host_text
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan.cases import case
from autograder.run.protocol import FINDING_KINDS, Finding, Place, Reply, Report
from autograder.tests.support import grade_task


def test_a_race_between_warps_comes_before_one_in_a_warp(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "two_races")
    assert [finding.place.line for finding in result.findings] == [41, 39]


def test_an_uninitialised_read_that_no_race_explains_comes_first(tmp_path: Path) -> None:
    found = grade_task(tmp_path, "never_set").findings
    assert [(one.kind, one.place.line) for one in found] == [("uninitialized", 55), ("race", 41), ("uninitialized", 47)]


def test_a_grid_that_is_too_large_says_on_which_gpu_it_never_ends() -> None:
    def why(kind: str, what: str) -> str:
        return "\n".join(finding_lines(msgspec.convert({"kind": kind, "what": what}, Finding), right=False))

    assert NEVER_START in why("deadlock", "block 0 cannot go on; 8 blocks had not started (8..15)")
    assert WHY["deadlock"] in why("deadlock", "block 0 cannot go on")
    assert WHY["block_order"] in why("block_order", "thread 0 waited for a block that had not started")


def test_a_wrong_output_is_not_called_right_by_luck(tmp_path: Path) -> None:
    wrong, right = grade_task(tmp_path, "two_races"), grade_task(tmp_path, "race")
    assert wrong.verdict == "WA" and LUCK not in "\n".join(wrong.details)
    assert right.verdict == "CHECK" and LUCK in "\n".join(right.details)


def test_what_stopped_the_kernel_is_the_headline(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "outside")
    assert (result.verdict, result.kind, result.where) == ("RTE", "out_of_bounds", "scan.cu:52")
    assert result.reason.startswith("out of bounds: read outside an array in shared memory (at n = 1")
    assert "CUDA says: cudaErrorIllegalAddress" in result.details
    assert "also found: race in shared memory, 12 times (scan.cu:41)" not in result.details


def test_what_ended_the_call_comes_first_unless_a_race_is_its_cause() -> None:
    race = Finding("race", place=Place("/x/scan.cu", 41), other_place=Place("/x/scan.cu", 43))
    outside = Finding("out_of_bounds", place=Place("/x/scan.cu", 52))
    assert explaining_first((race, outside), stopped=True) == (outside, race)
    of_race = msgspec.structs.replace(outside, of_race=True)
    assert explaining_first((race, of_race), stopped=True) == (race, of_race)
    assert explaining_first((race, outside), stopped=False) == (race, outside)
    barrier = Finding("divergent_barrier")
    assert explaining_first((barrier, outside), stopped=True) == (barrier, outside)


def test_findings_come_in_the_order_in_which_they_happened() -> None:
    race = Finding("race", place=Place("/x/scan.cu", 41), other_place=Place("/x/scan.cu", 43))
    outside = Finding("out_of_bounds", place=Place("/x/scan.cu", 52))
    leak, refused = Finding("leak"), Finding("invalid_ptx")

    def kinds(*found: Finding) -> list[str]:
        reply = Reply(status="cuda_error", report=Report(findings=list(found)))
        return [one.kind for one in merged([Outcome(case(7, "expand", "", 1000), reply=reply)])]

    assert kinds(race, outside) == ["race", "out_of_bounds"]  # the cause, although the other stops the kernel
    assert kinds(outside, race) == ["out_of_bounds", "race"]
    assert kinds(leak, outside, refused) == ["invalid_ptx", "out_of_bounds", "leak"]


def test_a_finding_names_its_launch_and_the_number_of_its_threads() -> None:
    text = b"""{"kind": "out_of_bounds", "what": "thread 1 of block 3 read x at index 1025; 7 threads did this",
        "space": "global", "access": "read", "count": 7, "threads": 7,
        "launch": {"place": {"file": "/x/scan.cu", "line": 56}, "grid": [4, 1, 1], "block": [256, 1, 1],
                   "what": "launched at scan.cu:56: 4 blocks of 256 threads"}}"""
    found = msgspec.json.decode(text, type=Finding)
    assert finding_lines(found, right=False)[:2] == [found.what, "launched at scan.cu:56: 4 blocks of 256 threads"]
    assert finding_title(found) == "out of bounds: read outside an array in global memory"
    twice = msgspec.structs.replace(found, count=14)
    assert finding_title(twice).endswith("global memory, 14 times")


def test_a_refused_launch_says_which_limit_it_breaks(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "refused")
    assert result.verdict == "RTE"
    assert "the launch of add at add.cu:30 was refused: 2,048 threads in a block; 1,024 is the most" in result.details
    assert not any("CUDA refuses" in line for line in result.details)


def test_threads_that_left_early_are_told_under_a_right_result(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "note")
    assert (result.verdict, result.points) == ("AC", result.of)
    assert [note.kind for note in result.notes] == ["early_exit"]
    assert [line for line in result.details if line.startswith("note: ")]


def test_threads_that_left_early_are_mentioned(tmp_path: Path) -> None:
    assert (
        "note: 255 threads had left the kernel, at scan.cu:49 (its closing brace)"
        in grade_task(tmp_path, "two_races").details
    )


@pytest.mark.parametrize("task", ["two_races", "every_fourth_and_race", "first_and_race", "outside", "race"])
def test_beside_a_finding_nothing_is_said_of_the_output(tmp_path: Path, task: str) -> None:
    result = grade_task(tmp_path, task)
    text = "\n".join([result.reason, *result.details])
    assert result.findings and result.kind == result.findings[0].kind
    assert result.details.count(NOT_KNOWN) == 0 and "?" not in text
    for guess in ("is wrong", "are wrong", "never written", "nothing was written"):
        assert guess not in text


def test_a_finding_of_another_call_is_told_with_its_call(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "second_block_and_later_race")
    other = next(line for line in result.details if line.startswith("seen in another call, at n = "))
    assert "race in shared memory" in other and other.endswith("scan.cu:41")
    assert (result.kind, result.where) == ("race", "") and NOT_KNOWN not in result.details
    assert "1 of 257 values is wrong, at index 256" in result.details


def test_a_race_in_a_result_that_changes_is_told_with_it(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "races_sometimes")
    assert (result.verdict, result.kind, result.where) == ("WA", "race", "scan.cu:41")
    assert result.details[:2] == (
        "right on one run and wrong on the next, with the same input",
        "seen: race in shared memory, 12 times",
    )


def test_which_variants_are_wrong_is_said_if_only_some_are() -> None:
    def ran(n: int, variant: str, is_wrong: bool) -> Outcome:
        return Outcome(case(7, "layouts", variant, n), Reply(status="ok"), unfinished=is_wrong)

    wrong, right, small = ran(257, "rows", True), ran(300, "columns", False), ran(3, "tiles", False)
    told = explain(Judgement("WA", (wrong, right, small), wrong), "scan.cu", "")
    assert "wrong with rows; right with columns" in told.details  # of tiles, no call was large enough
    told = explain(Judgement("WA", (wrong, ran(300, "columns", True)), wrong), "scan.cu", "")
    assert not any("right with" in line for line in told.details)


@pytest.mark.parametrize(
    ("larger", "said"),
    [
        ((True, True), "wrong from n = 33 on"),
        ((False, True), "wrong at n = 33 and 1 of 2 larger"),
        ((False, False), "wrong at n = 33 only"),
        ((), "wrong from n = 33 on"),
    ],
)
def test_from_which_size_on_is_said_only_if_it_is_so(larger: tuple[bool, ...], said: str) -> None:
    def ran(n: int, is_wrong: bool) -> Outcome:
        return Outcome(case(7, "naive", "", n), Reply(status="ok"), unfinished=is_wrong)

    first = ran(33, True)
    outcomes = (ran(7, False), first, *(ran(100 * (1 + at), is_wrong) for at, is_wrong in enumerate(larger)))
    assert explain(Judgement("WA", outcomes, first), "scan.cu", "").reason == said


def test_a_proved_cause_stands_alone(tmp_path: Path) -> None:
    cause = Cause("edge", "a comparison is wrong at its edge", "scan.cu:9", "with the edge moved")
    one = case(7, "scan", "", 300)
    found = Finding("race", what="thread 32 read s[31]", place=Place("scan.cu", 41))
    clear, raced = (
        Outcome(one, Reply(status="ok", report=Report(findings=list(f))), unfinished=True) for f in ((), (found,))
    )
    for outcomes, seen in (
        ([clear], ()), ([raced], ("seen: race in device memory: thread 32 read s[31]",)),
        ([clear, raced], ()),  # what another call shows is gone with the repair, too
    ):  # fmt: skip
        told = explain(Judgement("WA", tuple(outcomes), outcomes[0]), "scan.cu", "", cause=cause)
        assert (told.reason, told.where, told.kind, told.cause) == (cause.title, "scan.cu:9", "edge", cause)
        assert told.details == (f"tried: {cause.tried}", "wrong from n = 300 on", *seen)
        assert told.failure is not None and told.failure.n == 300


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("naive_step(const int *, int *, int, int)", "naive_step"),
        ("void scatter<int>(const int *, int *)", "scatter<int>"),
        ("void scan<(Scan)1, Sum<int>>(const int *)", "scan<1, Sum<int>>"),
        ("void fast::(anonymous namespace)::sum_tiles<fast::(anonymous namespace)::Values>(int)",
         "fast::sum_tiles<fast::Values>"),
    ],
)  # fmt: skip
def test_kernels_are_named_without_parameters(kernel: str, name: str) -> None:
    assert short_name(kernel) == name


def test_what_was_seen_beside_what_stopped_the_kernel_is_told_once(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "outside")
    race = "race in shared memory, 12 times, scan.cu:41: thread 32 read s[31] while thread 31 wrote it"
    assert f"seen in this call, too: {race}" in result.details
    assert not any(line.startswith("also found") for line in result.details)


def test_a_result_without_elements_needs_no_kernel() -> None:
    one = case(7, "expand", "", 1000)
    reply = Reply(status="ok", report=Report())
    assert "no kernel was launched" in host_text(Outcome(one, reply=reply))
    assert host_text(Outcome(one, reply=reply, empty=True)) == ""


def test_relying_on_the_order_of_blocks_is_a_note_unless_the_lab_forbids_it(tmp_path: Path) -> None:
    allowed = grade_task(tmp_path, "in_block_order")
    assert (allowed.verdict, allowed.findings) == ("AC", ())
    assert [note.kind for note in allowed.notes] == ["block_order"]
    forbidden = grade_task(tmp_path, "in_block_order", any_order=True)
    assert (forbidden.verdict, forbidden.where, forbidden.notes) == ("CHECK", "scan.cu:60", ())
    assert "relies on the order in which blocks start" in forbidden.reason
    assert grade_task(tmp_path, "note", any_order=True).verdict == "AC"


def test_an_undefined_value_is_named_by_where_it_comes_from() -> None:
    at, read = Place("scan.cu", 44), Place("scan.cu", 41)
    titles = [
        finding_title(Finding("uninitialized", space=space, place=at, other_place=read))
        for space in ("shared", "register", "shuffle")
    ]
    assert titles == [
        "uninitialized shared memory was read",
        "uninitialized: a variable was used before it had a value",
        "uninitialized: a shuffle's value from a lane that takes no part was used",
    ]


def test_a_mask_that_does_not_name_its_lane_is_no_address() -> None:
    assert finding_title(Finding("invalid_access", kernel="k")) == "invalid operation in a kernel"
    assert "belongs to no array" in finding_title(Finding("invalid_access", kernel="k", access="read"))
    assert "belongs to no array" in finding_title(Finding("invalid_access"))


def test_words_come_from_the_virtual_gpus_table() -> None:
    table = (Path(__file__).parents[4] / "virtual_gpu/findings.inc").read_text("utf-8")
    assert len(TITLES) == len(re.findall(r"^X\(", table, re.MULTILINE)), "a row that cannot be read"
    assert {*FINDING_KINDS, "early_exit"} == {name.partition(" ")[0] for name in TITLES}
    assert WHY["race"] and "host_access" not in WHY
