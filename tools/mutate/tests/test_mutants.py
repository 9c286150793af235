"""Names that last, and the order of choice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from autograder.plan.labs import folders
from autograder.plan.manifest import load
from mutate.mutants import Mutant, candidates, ordered
from mutate.source import Solution
from mutate.tests.support import ONE, write_solution

ROOT = Path(__file__).resolve().parents[3]
ENOUGH = 20


def mutants(folder: Path) -> list[Mutant]:
    solution = Solution(folder)
    return candidates(solution, solution.code_of("one"))


def test_ids_outlive_changes_elsewhere(tmp_path: Path) -> None:
    before = mutants(write_solution(tmp_path))
    (tmp_path / "one.cu").write_text("// a new line\n" + ONE.replace("int i =", "/* new */ int i ="))
    after = mutants(tmp_path)
    kept = {one.id for one in before} & {one.id for one in after}
    moved = [one for one in before if "blockIdx.x * blockDim.x" in one.text]
    assert moved and kept == {one.id for one in before} - {one.id for one in moved}


def test_equal_lines_have_ids_of_their_own(tmp_path: Path) -> None:
    write_solution(tmp_path)
    (tmp_path / "one.cu").write_text(ONE.replace("    if (n == 0) return;\n", "    if (n == 0) return;\n" * 2))
    found = mutants(tmp_path)
    assert len({one.id for one in found}) == len(found)


def test_every_mutant_differs_in_one_place(tmp_path: Path) -> None:
    write_solution(tmp_path)
    for one in mutants(tmp_path):
        text = (tmp_path / one.file).read_bytes()
        changed = one.apply(text)
        assert changed != text
        assert one.diff(text).count("\n+") == 2 or one.edit.helper  # the second is the file's name


def test_a_helper_keeps_the_numbers_of_the_lines(tmp_path: Path) -> None:
    write_solution(tmp_path)
    (tmp_path / "one.cu").write_text(ONE.replace("d_out[i] = helper(i) + 1", "atomicAdd(&d_out[i], 1)"))
    atomic = next(one for one in mutants(tmp_path) if one.operator == "atomic")
    assert atomic.apply(b"first\n" + b" " * 500).split(b"\n")[1:3] == [b"#line 1", b"first"]


def test_the_choice_is_spread_and_always_the_same(tmp_path: Path) -> None:
    found = mutants(write_solution(tmp_path))
    chosen = ordered(found)
    assert [one.id for one in chosen] == [one.id for one in ordered(list(reversed(found)))]
    assert sorted(one.id for one in chosen) == sorted(one.id for one in found)
    operators = {one.operator for one in found}
    assert {one.operator for one in chosen[: len(operators)]} == operators, "each once before any twice"
    assert max(Counter(one.line for one in chosen[:5]).values()) <= 2


@pytest.mark.parametrize("lab", folders(ROOT))
def test_every_task_has_enough(lab: int) -> None:
    folder = folders(ROOT)[lab]
    solution = Solution(ROOT / "solutions" / folder.name)
    for entry in load(folder).task:
        found = candidates(solution, solution.code_of(entry.name))
        assert len(found) >= ENOUGH, entry.name
        assert len({one.id for one in found}) == len(found)
