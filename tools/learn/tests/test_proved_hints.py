"""The last hints: where a proved cause is, and the edit, which is tried before it is shown."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autograder.cause.causes import Cause
from autograder.explain.explanation import Failure
from autograder.explain.started import is_written
from autograder.plan.manifest import load
from autograder.plan.request import Request
from autograder.report.result import TaskResult
from learn import proved_hints, state
from learn.edit import edits, is_source
from learn.proved import Proved
from learn.reset import reset
from learn.tests.support import make_lab, result, task

SOURCE = """\
void first(int n) {
    for (int i = 0; i < n / 2; ++i) {
        if (i < n) s[i] += s[i - 1];
    }
    return;
}
"""


def texts(was: str, now: str, line: int = 2) -> list[str]:
    """The changed line of each edit."""
    found = edits(SOURCE, Proved("", line, "", was=was, now=now))
    return [
        next(b for a, b in zip(SOURCE.splitlines(), one.text.splitlines(), strict=False) if a != b) for one in found
    ]


@pytest.mark.parametrize(
    ("was", "now", "line", "becomes"),
    [
        ("i < n / 2", "i <= n / 2", 2, ["    for (int i = 0; i <= n / 2; ++i) {"]),
        ("n / 2", "n / 2, rounded up", 2, ["    for (int i = 0; i < (n + 2 - 1) / 2; ++i) {"]),
        ("s[i] += s[i - 1];", "", 3, ["        if (i < n) "]),
        ("0", "1", 2, ["    for (int i = 1; i < n / 2; ++i) {"]),
        ("return;", "return; behind the if", 5, []),
        ("", "__syncthreads(); after each statement", 3, []),
        ("i < n / 2", "int(i) < int(5)", 2, ["    for (int i = 0; int(i) < 5; ++i) {"]),
        ("not there", "x", 2, []),
        ("i < n", "i <= n", 99, []),
        ("", "", 2, []),
    ],
)  # fmt: skip
def test_an_edit_is_written_into_its_line(was: str, now: str, line: int, becomes: list[str]) -> None:
    assert texts(was, now, line) == becomes


def test_a_sum_of_long_long_has_an_atomic_of_its_own() -> None:
    plain, wide = texts("s[i] += s[i - 1];", "atomicAdd(&s[i], s[i - 1])", 3)
    assert plain == "        if (i < n) atomicAdd(&s[i], s[i - 1]);"
    assert "atomicAdd(reinterpret_cast<unsigned long long*>(&s[i]), static_cast<unsigned long long>(s[i - 1]));" in wide


def test_a_name_is_not_changed_within_another() -> None:
    assert [one.text for one in edits("int sin = in;\n", Proved("", 1, "", was="in", now="out"))] == [
        "int sin = out;\n"
    ]


def test_a_barrier_goes_behind_its_line_or_into_the_body_of_its_loop() -> None:
    source = "a();\nfor (;;)\n    b();\nc();\n"
    made = [one.text for one in edits(source, Proved("", 3, "", was="", now="__syncthreads();"))]
    assert made == [
        "a();\nfor (;;)\n    b();\n    __syncthreads();\nc();\n",
        "a();\nfor (;;)\n    { b(); __syncthreads(); }\nc();\n",
    ]


def failed(was: str, now: str, line: int = 2) -> TaskResult:
    cause = Cause("edge", "a comparison is wrong at its edge", f"add.cu:{line}", "tried", was=was, now=now)
    return msgspec.structs.replace(task("first", "WA"), cause=cause, failure=Failure(33, "", 1, 0))


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    lab = make_lab(tmp_path)
    (lab / "add.cu").write_text(SOURCE)
    made, _ = result(lab, [failed("i < n / 2", "i <= n / 2"), task("second", "WA")])
    state.record(tmp_path, Request(lab), made)
    return lab


def said(lab: Path, right: bool = True) -> list[list[str]]:
    tried: list[str] = []

    def is_right(file: Path) -> bool:
        tried.append(file.read_text())
        return right

    found = [list(hint()) for hint in proved_hints.hints(lab.parents[1], lab, load(lab), "first", is_right)]
    return [*found, tried]


def test_first_the_place_and_then_the_edit_that_was_tried(lab: Path) -> None:
    place, edit, tried = said(lab)
    assert place == [
        "a comparison is wrong at its edge: add.cu, line 2",
        ">     2      for (int i = 0; i < n / 2; ++i) {",
    ]
    assert edit == ["in place of: i < n / 2", "write: i <= n / 2", "tried: with this edit the task is right"]
    assert len(tried) == 1 and "i <= n / 2" in tried[0]
    assert said(lab)[2] == []  # once for a state of the file
    assert proved_hints.hints(lab.parents[1], lab, load(lab), "second") == []


def test_an_edit_that_does_not_help_is_not_shown(lab: Path) -> None:
    assert said(lab, right=False)[1] == ["no edit of this line alone makes the task right: look at what it works with"]


def test_a_cause_is_forgotten_with_its_line_and_with_the_next_run(lab: Path) -> None:
    (lab / "add.cu").write_text(SOURCE.replace("return;", "return ;"))
    assert len(said(lab)) == 3
    (lab / "add.cu").write_text(SOURCE.replace("n / 2", "n / 3"))
    assert said(lab) == [[]]
    (lab / "add.cu").write_text(SOURCE)
    made, _ = result(lab, [task("first", "WA"), task("second", "WA")])
    state.record(lab.parents[1], Request(lab, n=5), made)  # says less than a whole run
    assert len(said(lab)) == 3
    state.record(lab.parents[1], Request(lab), made)
    assert said(lab) == [[]]


def test_a_reset_forgets_it(lab: Path) -> None:
    reset(lab.parents[1], lab)
    assert said(lab) == [[]]


@pytest.mark.parametrize(("reveal", "count"), [("cause", 0), ("place", 1), ("edit", 2)])
def test_an_instructor_may_stop_earlier(lab: Path, reveal: str, count: int) -> None:
    path = lab / "grading" / "lab.toml"
    path.write_text(f'reveal = "{reveal}"\n{path.read_text()}')
    assert len(said(lab)) == count + 1


def test_a_rule_of_the_device_has_a_place_and_no_edit() -> None:
    assert not is_source(Proved("an update is lost", 3, "", kind="lost_update"))
    assert is_source(Proved("", 3, "", was="", now="__syncthreads();"))


SKELETON = """\
void k(int n) {
    // 1.1  why?
}
void first(int n) {
    todo("1");
    k(n);
}
void other() { todo("2"); }
"""


@pytest.mark.parametrize(
    ("written", "is_begun"),
    [
        (SKELETON, False),
        (SKELETON.replace("// 1.1  why?", "// because, and a long note about it"), False),
        (SKELETON.replace("// 1.1  why?", "int i = n;"), True),  # in what it uses
        (SKELETON.replace("    k(n);", "    k(n);\n    k(n + 1);"), True),
        (SKELETON.replace("{ todo(", "{ int a = 1; todo("), False),  # another task's
        (SKELETON.replace("    k(n);\n", ""), False),
        (SKELETON.replace("k(n);\n}", "k(n;\n"), False),  # no parser understands this
    ],
)
def test_whether_a_task_that_calls_todo_is_written(written: str, is_begun: bool) -> None:
    assert is_written("first", written, SKELETON) == is_begun
