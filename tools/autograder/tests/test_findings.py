"""What is said about findings: the cause first, words that fit the verdict, hints for the finding."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from autograder.explain.causes import two_mistakes
from autograder.explain.explanation import Explanation
from autograder.explain.findings import LUCK, NEVER_START, TITLES, WHY, finding_lines, finding_title, merged
from autograder.explain.hints import with_hints
from autograder.explain.places import short_name
from autograder.explain.reasons import host_text
from autograder.judge.outcome import Outcome
from autograder.plan.cases import case
from autograder.plan.manifest import Manifest, Symptom, TaskEntry
from autograder.run.protocol import FINDING_KINDS, Finding, Place, Reply, Report
from autograder.tests.support import grade_task

SYMPTOMS = [
    Symptom("every_kth", "which lanes?"),
    Symptom("from_second_block", "who adds what came before?"),
    Symptom("race", "a barrier?"),
    Symptom("nondeterministic", "the order?"),
    Symptom("out_of_bounds", "how long is s?"),
]


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
    assert (result.verdict, result.pattern, result.where) == ("RTE", "out_of_bounds", "scan.cu:52")
    assert result.reason.startswith("out of bounds: read outside an array in shared memory (at n = 1")
    assert "CUDA says: cudaErrorIllegalAddress" in result.details
    assert "also found: race in shared memory (scan.cu:41)" in result.details


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


def test_a_race_of_another_run_explains_a_result_that_changes(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "races_sometimes", symptoms=SYMPTOMS)
    assert (result.verdict, result.pattern, result.where) == ("WA", "nondeterministic", "scan.cu:41")
    assert result.hint == "a barrier?"


@pytest.mark.parametrize(
    ("task", "hint"), [("two_races", "a barrier?"), ("outside", "how long is s?"), ("flaky", "the order?")]
)
def test_the_hint_is_for_what_was_found(tmp_path: Path, task: str, hint: str) -> None:
    assert grade_task(tmp_path, task, symptoms=SYMPTOMS).hint == hint


def test_errors_that_no_race_makes_are_a_second_mistake(tmp_path: Path) -> None:
    """The finding, whose line is known, comes first; each has a hint of its own."""
    result = grade_task(tmp_path, "every_fourth_and_race", symptoms=SYMPTOMS)
    race, output = result.mistakes
    assert (result.verdict, race.pattern, race.where, race.hint) == ("WA", "race", "scan.cu:39", "a barrier?")
    assert "what helps: a barrier" in race.details
    assert (output.pattern, output.where, output.hint) == ("every_kth", "", "which lanes?")
    assert "every 4th element is wrong" in output.reason
    assert output.reason not in result.details


def test_memory_that_is_lost_comes_after_the_wrong_output() -> None:
    said = ["block 0 is right"]
    assert [one.pattern for one in two_mistakes([Finding("leak")], said, "from_second_block")] == [
        "from_second_block",
        "leak",
    ]
    assert [one.pattern for one in two_mistakes([Finding("race")], said, "from_second_block")] == [
        "race",
        "from_second_block",
    ]


def test_what_is_seen_at_other_sizes_only_comes_second(tmp_path: Path) -> None:
    result = grade_task(tmp_path, "second_block_and_later_race", symptoms=SYMPTOMS)
    output, race = result.mistakes
    assert result.failure is not None and result.failure.n == 257
    assert (output.pattern, output.hint, result.where) == ("from_second_block", "who adds what came before?", "")
    assert (race.reason, race.where) == ("race in shared memory, 12 times (at n = 1,023)", "scan.cu:41")
    assert race.hint == "a barrier?"


def test_where_the_output_has_a_hint_of_its_own_both_are_told(tmp_path: Path) -> None:
    symptoms = [Symptom("race", "a barrier?"), Symptom("every_kth", "which lanes?"), Symptom("single_element", "one?")]
    result = grade_task(tmp_path, "first_and_race", symptoms=symptoms)
    assert (result.pattern, result.hint, result.mistakes) == ("single_element", "a barrier?", ())
    assert "hint for output like this: one?" in result.details


def test_a_race_that_may_be_the_cause_is_no_second_mistake(tmp_path: Path) -> None:
    for task in ("two_races", "races_sometimes"):
        assert grade_task(tmp_path, task, symptoms=SYMPTOMS).mistakes == ()


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


def test_findings_of_two_kinds_have_a_place_and_a_hint_each(tmp_path: Path) -> None:
    symptoms = [Symptom("race", "a barrier?"), Symptom("out_of_bounds", "a guard?")]
    result = grade_task(tmp_path, "outside", symptoms=symptoms)
    assert (result.where, result.hint) == ("scan.cu:52", "a guard?")
    assert "also found: race in shared memory (scan.cu:41)" in result.details
    assert "hint for the other finding, race: a barrier?" in result.details


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


def test_a_race_between_blocks_has_a_hint_of_its_own() -> None:
    symptoms = [Symptom("race", "a barrier?"), Symptom("race_between_blocks", "another launch?")]
    manifest = Manifest(3, "add", "Add", "add.cu", [TaskEntry("naive", 10)], symptom=symptoms)
    inside = Finding("race", space="shared", thread=(1, 0, 0))
    between = Finding("race", space="global", other_block=(1, 0, 0))

    def told(*findings: Finding) -> Explanation:
        return with_hints(Explanation(pattern="race", findings=findings), manifest, "naive")

    assert (told(inside).hint, told(inside).details) == ("a barrier?", ())
    assert (told(between).hint, told(between).details) == ("another launch?", ())
    assert told(between, inside).details == ("hint for the other finding, race: a barrier?",)


def test_a_mask_that_does_not_name_its_lane_is_no_address() -> None:
    assert finding_title(Finding("invalid_access", kernel="k")) == "invalid operation in a kernel"
    assert "belongs to no array" in finding_title(Finding("invalid_access", kernel="k", access="read"))
    assert "belongs to no array" in finding_title(Finding("invalid_access"))


def test_words_come_from_the_virtual_gpus_table() -> None:
    table = (Path(__file__).parents[3] / "virtual_gpu/findings.inc").read_text("utf-8")
    assert len(TITLES) == len(re.findall(r"^X\(", table, re.MULTILINE)), "a row that cannot be read"
    assert {*FINDING_KINDS, "early_exit"} <= set(TITLES)
    assert WHY["race"] and "host_access" not in WHY
