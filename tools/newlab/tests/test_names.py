"""Which names a lab and its tasks may have, and its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.plan.labs import folders
from autograder.plan.manifest import load
from newlab.names import LONGEST, check_name, check_tasks, choose_number, names_of_toolbox
from tests.test_docs import ROOT


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Transpose", "small letters, digits"),
        ("2d", "small letters, digits"),
        ("two-d", "small letters, digits"),
        ("two__d", "single underscores"),
        ("../up", "small letters, digits"),
        ("", "small letters, digits"),
        ("grün", "small letters, digits"),
        ("x" * (LONGEST + 1), f"at most {LONGEST}"),
        ("union", "a keyword of C++"),
        ("import", "a keyword of Python"),
        ("lab", "another meaning"),
        ("scan", "there is a lab scan already: labs/03-scan"),
        ("svg", "tools/figures/svg.py is there already"),
        ("string", r"would hide string\.h"),
        ("stdio", r"would hide stdio\.h"),
        ("pthread", r"would hide pthread\.h"),
        ("harness", "CMake has a target harness_test"),
        ("scan_skeleton", "CMake has a target scan_skeleton_test"),
    ],
)
def test_names_that_a_lab_cannot_have(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        check_name(ROOT, name)


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        (["todo"], r"the toolbox has that name \(toolbox/basics\.h\)"),
        (["cuda_check"], "the toolbox has that name"),
        (["naive", "naive"], "naive appears twice"),
        (["fast", "fast_kernel"], "another function of the lab gets that name"),
        (["stripes_lab"], "another function of the lab gets that name"),
        (["log2"], "another meaning"),
        (["naive", ""], "small letters"),
        (["try"], "a keyword of C\\+\\+"),
        ([f"t{at}" for at in range(11)], "11 tasks: a lab begins with 1 to 10"),
    ],
)
def test_names_that_a_task_cannot_have(tasks: list[str], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        check_tasks(ROOT, "stripes", tasks)


def test_the_tasks_of_all_labs_would_be_allowed() -> None:
    for folder in folders(ROOT).values():
        check_tasks(ROOT, folder.name[3:], [task.name for task in load(folder).task])


def test_what_the_toolbox_declares() -> None:
    assert {"todo", "CUDA_CHECK", "ceil_div", "Workspace", "Sum", "kLeast"} <= set(names_of_toolbox(ROOT))


def test_a_number_is_the_next_or_one_that_is_free(tmp_path: Path) -> None:
    for folder in ("labs/01-square", "labs/03-scan", "solutions/04-begun"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "CMakeLists.txt").write_text("add_lab(NUMBER 6 NAME later FOLDER 06-later)\n")
    assert choose_number(tmp_path, None) == 7
    assert choose_number(tmp_path, 2) == 2
    for number, says in ((3, "labs/03-scan"), (4, "solutions/04-begun"), (6, "add_lab in CMakeLists.txt")):
        with pytest.raises(UsageError, match=f"there is a lab {number} already: {says}; without --number it is 7"):
            choose_number(tmp_path, number)
    for number in (0, -1, 100):
        with pytest.raises(UsageError, match=f"1 to 99, not {number}"):
            choose_number(tmp_path, number)


def test_the_names_of_all_labs_would_be_allowed(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").touch()
    for folder in folders(ROOT).values():
        check_name(tmp_path, folder.name[3:])
