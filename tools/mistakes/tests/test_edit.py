"""The edit format: parsed, applied exactly once, and made from two texts."""

from __future__ import annotations

import pytest

from mistakes.diff import edit_between
from mistakes.edit import Hunk, MistakeError, apply, parse, written

TASK = "a\nb\n\nc\nb\nd\n"


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (" a\n-b\n", "a\n\nc\nb\nd\n"),
        ("@@ task.cu\n-d\n+e\n+f\n", "a\nb\n\nc\nb\ne\nf\n"),
        (" b\n\n+x\n c\n", "a\nb\n\nx\nc\nb\nd\n"),
        (" d\n+end\n", TASK + "end\n"),
        ("-a\n@@\n c\n-b\n+B\n", "b\n\nc\nB\nd\n"),
        ("-c\n+C\n@@\n c\n-b\n", "a\nb\n\nC\nd\n"),  # what one hunk removes is context of another
    ],
)
def test_apply(edit: str, after: str) -> None:
    made, misfits = apply({"task.cu": TASK, "a.cuh": "h\n"}, parse(edit, "task.cu"))
    assert (made["task.cu"], made["a.cuh"], misfits) == (after, "h\n", [])


def test_a_hunk_of_another_file() -> None:
    made, misfits = apply({"task.cu": TASK, "a.cuh": "h\n"}, parse("-a\n@@ a.cuh\n-h\n+H\n", "task.cu"))
    assert made == {"task.cu": TASK[2:], "a.cuh": "H\n"} and not misfits
    with pytest.raises(MistakeError, match=r"names b.cuh; there are: task.cu, a.cuh"):
        apply({"task.cu": TASK, "a.cuh": "h\n"}, parse("@@ b.cuh\n-h\n", "task.cu"))


def test_a_hunk_that_does_not_fit_is_left_out_and_its_place_is_named() -> None:
    made, misfits = apply({"task.cu": TASK}, parse("-b\n+x\n@@\n-a\n@@\n c\n-bb\n d\n", "task.cu"))
    assert made["task.cu"] == TASK[2:]
    assert [str(misfit) for misfit in misfits] == [
        "hunk 1 fits 2 times in task.cu, at lines 2, 5: add context",
        "hunk 3 fits nowhere in task.cu; the nearest place differs in line 5: b",
    ]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("a\n", "line 1 of the edit begins with neither"),
        (" a\n@@\n-b\n", "hunk 1 changes nothing"),
        ("@@\n-b\n@@\n", "hunk 2 changes nothing"),
        ("+a\n", "hunk 1 only adds lines"),
    ],
)
def test_an_edit_that_says_nothing(edit: str, message: str) -> None:
    with pytest.raises(MistakeError, match=message):
        parse(edit, "task.cu")


def test_two_hunks_at_one_line() -> None:
    with pytest.raises(MistakeError, match="hunk 2 removes line 1"):
        apply({"task.cu": TASK}, parse("-a\n@@\n-a\n b\n", "task.cu"))


@pytest.mark.parametrize(
    ("after", "edit"),
    [
        ("a\n\nc\nb\nd\n", " a\n-b\n"),  # the second b needs context, the first line of it
        ("a\nb\n\nc\nb\nD\n", "-d\n+D\n"),
        ("A\nb\n\nc\nb\nD\n", "-a\n+A\n@@\n-d\n+D\n"),
        ("A\nb\n\nC\nb\nd\n", "-a\n+A\n b\n\n-c\n+C\n"),  # near each other: one hunk
        ("a\nb\n\nc\nb\nd\nx\n", " d\n+x\n"),
        ("x\na\nb\n\nc\nb\nd\n", "+x\n a\n"),
    ],
)
def test_the_least_context_that_makes_a_hunk_unique(after: str, edit: str) -> None:
    hunks = edit_between({"task.cu": TASK}, {"task.cu": after}, "task.cu")
    assert written(hunks, "task.cu") == edit
    assert apply({"task.cu": TASK}, parse(edit, "task.cu")) == ({"task.cu": after}, [])


def test_contexts_that_overlap_become_one_hunk() -> None:
    before = "x\nx\nx\nx\nx\nx\nx\nx\nx\nx\n"
    after = "x\ny\nx\nx\nx\nx\nx\nx\ny\nx\n"
    hunks = edit_between({"task.cu": before}, {"task.cu": after}, "task.cu")
    assert apply({"task.cu": before}, hunks) == ({"task.cu": after}, [])


def test_a_header_comes_after_the_rung_and_is_named() -> None:
    before = {"task.cu": "a\n", "a.cuh": "h\n", "b.cuh": "i\n"}
    hunks = edit_between(before, {"task.cu": "A\n", "a.cuh": "H\n"}, "task.cu")
    assert hunks == [Hunk("task.cu", ("-a", "+A")), Hunk("a.cuh", ("-h", "+H"))]
    assert written(hunks, "task.cu") == "-a\n+A\n@@ a.cuh\n-h\n+H\n"
