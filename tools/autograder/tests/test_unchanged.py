"""A verdict is kept only while nothing has changed on which it depends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.plan.labs import folders
from autograder.plan.manifest import load
from autograder.report.result import TaskResult
from autograder.run.protocol import Finding, KernelReport
from autograder.unchanged import Kept, Unchanged, codes_of

ROOT = Path(__file__).resolve().parents[3]
TASKS = ("first", "second")
FILE = b"""
#include "scan.h"
constexpr int kBlock = 256;
__device__ int twice(int x) { return 2 * x; }
template <class T> __device__ T half(T x) { return x / 2; }
struct Pair { int a; __device__ int sum() const { return a; } };
__device__ Pair operator+(Pair x, Pair y) { return {x.a + y.a}; }
__global__ void first_kernel(int* d) { d[0] = twice(1); }
__global__ void second_kernel(int* d) { d[0] = half(2); }
void second(int* d);
void first(int* d) { first_kernel<<<1, kBlock>>>(d); }
void second(int* d) { second_kernel<<<1, kBlock>>>(d); }
"""


def changed(was: bytes, now: bytes) -> set[str]:
    """The tasks whose code is another one after an edit."""
    assert was in FILE
    before, after = codes_of(FILE, TASKS), codes_of(FILE.replace(was, now), TASKS)
    return {task for task in TASKS if before[task] != after.get(task)}


@pytest.mark.parametrize(
    ("was", "now", "tasks"),
    [
        (b"twice(1)", b"twice(3)", {"first"}),
        (b"return 2 * x", b"return x + x", {"first"}),
        (b"x / 2", b"x >> 1", {"second"}),
        (b"class T>", b"typename T>", {"second"}),
        (b"1, kBlock>>>(d); }\nvoid second(int* d) {", b"2, kBlock>>>(d); }\nvoid second(int* d) {", {"first"}),
        (b"= 256", b"= 128", set(TASKS)),
        (b"x.a + y.a", b"x.a - y.a", set(TASKS)),  # an operator has no name by which it is called
        (b"return a;", b"return -a;", set(TASKS)),
        (b"void second(int* d);", b"void second(int* d = nullptr);", set(TASKS)),
        (b"int x) { return 2", b"int x) {\n  // two times\n  return 2", set()),
    ],
)
def test_an_edit_counts_for_the_tasks_that_reach_it(was: bytes, now: bytes, tasks: set[str]) -> None:
    assert changed(was, now) == tasks


@pytest.mark.parametrize(
    "line", [b"#define N 5", b"# line 3", b'__device__ void f() { asm(""); }', b"int l = __LINE__;"]
)
def test_where_names_or_lines_are_hidden_all_is_graded(line: bytes) -> None:
    assert codes_of(FILE + line + b"\n", TASKS) == {}


def test_a_value_before_main_counts_for_all() -> None:
    text = FILE + b"static int before = start();\nint start() { return 1; }\n"
    assert codes_of(text, TASKS) != codes_of(text.replace(b"return 1;", b"return 2;"), TASKS)
    for task in TASKS:
        assert codes_of(text, TASKS)[task] != codes_of(text.replace(b"return 1;", b"return 2;"), TASKS)[task]


def test_a_task_without_a_function_of_its_name_asks_for_all() -> None:
    before, after = (codes_of(text, ("third",)) for text in (FILE, FILE.replace(b"twice(1)", b"twice(3)")))
    assert before["third"] != after["third"]


def test_what_the_lab_calls_besides_counts_for_all() -> None:
    before, after = (codes_of(text, TASKS, {"half"}) for text in (FILE, FILE.replace(b"x / 2", b"x >> 1")))
    assert before["first"] != after["first"] and before["second"] != after["second"]


def test_every_task_of_every_skeleton_is_found() -> None:
    for folder in folders(ROOT).values():
        manifest = load(folder)
        names = [entry.name for entry in manifest.task]
        assert set(codes_of((folder / manifest.file).read_bytes(), names)) == set(names), folder.name


RIGHT = TaskResult("first", 10, 10, True, "AC", clean=True, seconds=3.0, kernels=(KernelReport("k"),))


def kept(path: Path, result: TaskResult, key: str = "k") -> dict[str, TaskResult]:
    """What is kept of a result, for a file with this key."""
    Unchanged(path, {"first": "k"}, {}).keep({"first": (result, "virtual GPU")})
    return Unchanged(path, {"first": key}, msgspec.json.decode(path.read_bytes(), type=Kept).task).results


def test_full_points_are_kept_with_their_time(tmp_path: Path) -> None:
    found = kept(tmp_path / "lab.json", RIGHT)["first"]
    assert (found.verdict, found.points, found.kernels) == ("AC", 10, ())
    assert found.unchanged.replace(":", "").isdecimal()


def test_another_key_is_graded(tmp_path: Path) -> None:
    assert kept(tmp_path / "lab.json", RIGHT, "other") == {}


@pytest.mark.parametrize(
    "how",
    [
        {"verdict": "WA"}, {"verdict": "SLOW"}, {"points": 9.5}, {"clean": False}, {"reason": "noisy"},
        {"printed": "x"}, {"notes": (Finding(kind="early_exit"),)}, {"details": ("note: x",)},
    ],
)  # fmt: skip
def test_less_than_full_points_and_all_that_names_a_line_is_graded(tmp_path: Path, how: dict[str, Any]) -> None:
    assert kept(tmp_path / "lab.json", msgspec.structs.replace(RIGHT, **how)) == {}


def test_what_was_not_graded_again_stays_and_what_has_failed_goes(tmp_path: Path) -> None:
    path, keys = tmp_path / "lab.json", {"first": "k", "second": "l"}
    second = msgspec.structs.replace(RIGHT, name="second")
    Unchanged(path, keys, {}).keep({"first": (RIGHT, ""), "second": (second, "")})
    known = msgspec.json.decode(path.read_bytes(), type=Kept).task
    wrong = msgspec.structs.replace(second, verdict="WA", points=0)
    Unchanged(path, keys | {"second": "m"}, known).keep({"second": (wrong, "")})
    assert set(msgspec.json.decode(path.read_bytes(), type=Kept).task) == {"first"}
