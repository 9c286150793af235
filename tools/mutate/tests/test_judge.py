"""One mutant and some, graded; and tasks that call others."""

from __future__ import annotations

import pytest

from autograder.cli import ROOT
from autograder.plan.labs import find
from mutate.__main__ import main
from mutate.judge import result_of
from mutate.source import Solution

pytestmark = pytest.mark.slow


def test_one_mutant_is_shown_with_what_the_grader_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["1", "grid"]) == 0
    listed = next(line for line in capsys.readouterr().out.splitlines() if "n → (n) - 1" in line)
    assert main(["1", "grid", listed.split()[0]]) == 0
    shown = capsys.readouterr().out
    assert "-    if (i < n)" in shown and "+    if (i < (n) - 1)" in shown
    assert "\nWA\n" in shown and "wrong from n = 1 on" in shown


def test_the_first_few_are_graded(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["1", "grid", "3"]) == 0
    *rows, last = capsys.readouterr().out.splitlines()
    assert len(rows) == 3 and last == "grid: 3 mutants, 0 survive"
    assert all(row.split()[0] in ("WA", "RTE", "CHECK", "TLE") for row in rows)


@pytest.mark.parametrize(("lab", "task"), [("7", "pagerank"), ("10", "by_index")])
def test_the_solution_itself_passes_with_the_rungs_that_it_calls(lab: str, task: str) -> None:
    solution = Solution(ROOT / "solutions" / find(ROOT, lab).name)
    code = solution.code_of(task)
    assert code.calls
    assert result_of(ROOT, solution, code, None).tasks[0].verdict == "AC"
