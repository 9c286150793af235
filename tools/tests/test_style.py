"""What docs/style.md says and a formatter cannot see to."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from mistakes.catalog import RECORD, mistakes_of, place
from tests.test_docs import ROOT, files

LONGEST = {".cu": 300, ".cuh": 300, ".py": 300, ".cc": 500, ".h": 500}


@pytest.mark.parametrize("ending", LONGEST)
def test_files_are_short(ending: str) -> None:
    lengths = {path: path.read_text("utf-8").count("\n") for path in files(ending)}
    # A program that tests run holds many short cases, as a test does.
    tests = ROOT / "virtual_gpu" / "tests"
    most = {path: LONGEST[".cc" if path.is_relative_to(tests) else ending] for path in lengths}
    long = {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > most[path]}
    assert not long


def test_a_solution_is_a_lesson() -> None:
    """What is longer, for speed, is a record: solutions/README.md."""
    lessons = [path for ending in (".cu", ".cuh") for path in (ROOT / "solutions").glob(f"*/*{ending}")]
    lengths = {path: path.read_text("utf-8").count("\n") for path in lessons if path.name != RECORD}
    assert not {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > 120}
    assert not [str(path) for path in lengths if path.suffix == ".cu" and "asm" in path.read_text("utf-8")]


def test_includes_go_downwards_only() -> None:
    """virtual_gpu/ knows no other; toolbox/ and grading/ know neither each other nor harness/, which drives both."""
    allowed = {
        "virtual_gpu": {"virtual_gpu"},
        "toolbox": {"toolbox"},
        "grading": {"grading"},
        "harness": {"harness", "toolbox", "grading"},
    }
    wrong = []
    for folder, may in allowed.items():
        for path in files(".cc", ".h"):
            if not path.is_relative_to(ROOT / ("" if folder == "virtual_gpu" else "common") / folder):
                continue
            for name in re.findall(r'^#include "(\w+)/', path.read_text("utf-8"), re.MULTILINE):
                if name in allowed and name not in may:
                    wrong.append(f"{path.relative_to(ROOT)} includes {name}/")
    assert not wrong


def test_every_lab_has_what_a_lab_needs() -> None:
    missing = []
    for manifest in sorted((ROOT / "labs").glob("*/grading/lab.toml")):
        folder = manifest.parents[1]
        name = folder.name[3:]
        parts = ["README.md", f"{name}.cu", f"{name}.h", f"grading/{name}_test.cc"]
        parts += [f"grading/{part}.cc" for part in ("bindings", "cases", "oracle")]
        needed: list[Path] = [folder / part for part in parts]
        needed += [ROOT / "solutions" / folder.name / "README.md", place(folder) / "not_started.cc"]
        missing += [str(path.relative_to(ROOT)) for path in needed if not path.exists()]
        if sum(mistake.entry.kind == "wrong" for mistake in mistakes_of(folder)) < 6:
            missing.append(f"{place(folder).relative_to(ROOT)}/wrong: six at least")
    assert not missing


@pytest.mark.parametrize("lab", sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*")))
def test_a_skeleton_is_code_with_few_questions(lab: str) -> None:
    text = (ROOT / "labs" / lab / f"{lab[3:]}.cu").read_text("utf-8")
    if text.count('todo("') < len(tomllib.loads((ROOT / "labs" / lab / "grading/lab.toml").read_text("utf-8"))["task"]):
        pytest.skip("somebody has begun this lab")
    lines = text.splitlines()
    comments = sum(line.lstrip().startswith("//") for line in lines)
    asked = len(re.findall(r"^// Kernel \w+", text, re.MULTILINE))  # a comment stands for the code of a kernel
    assert comments <= 0.22 * len(lines) + 2 * asked, f"{comments} of {len(lines)} lines are comments"
    questions = re.findall(r"^ *// (\d+)\.\d+  ", text, re.MULTILINE)
    assert max(map(questions.count, questions)) <= 6


@pytest.mark.parametrize("lab", sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*")))
def test_the_solution_has_the_kernels_that_a_skeleton_asks_for(lab: str) -> None:
    skeleton = (ROOT / "labs" / lab / "grading/skeleton.cu.txt").read_text("utf-8")
    parts = re.split(r"^// -{4} Task \d+, (\w+)", skeleton, flags=re.MULTILINE)
    for task, text in zip(parts[1::2], parts[2::2], strict=True):
        folder = ROOT / "solutions" / lab
        solution = "".join(path.read_text("utf-8") for path in (folder / f"{task}.cu", *folder.glob("*.cuh")))
        asked = set(re.findall(r"\bKernel (\w+)[,:]", text))
        assert len(asked) == text.count("Kernel ")
        kernels = set(re.findall(r"__global__ void\s+(?:__launch_bounds__\([\w, ]+\)\s+)?(\w+)\(", solution))
        assert asked <= kernels, f"{lab}, {task}: {asked - kernels}"
