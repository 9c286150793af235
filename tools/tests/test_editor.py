"""The editor's settings: what they name exists, and the problem matcher reads what compiler and grader print."""

from __future__ import annotations

import json
import re

from tests.test_docs import ROOT

TABLE = """  grid         WA 4/30  wrong from n = 1 on, grid.cu:18   0 / 30

grid: a comparison is wrong at its edge (i < n)  grid.cu:18
  >  18      if (i < (n) - 1) d_out[i] = d_in[i] * d_in[i];
    square.cu(12): error: identifier "oops" is undefined
"""


def test_the_problem_matcher_finds_compiler_errors_and_causes() -> None:
    grade = json.loads((ROOT / ".vscode/tasks.json").read_text())["tasks"][0]
    found = []
    for matcher in grade["problemMatcher"]:
        pattern = matcher["pattern"]
        for match in re.finditer(pattern["regexp"], TABLE, re.MULTILINE):
            found.append((match[pattern["file"]], match[pattern["line"]], match[pattern["message"]]))
    assert found == [
        ("square.cu", "12", 'identifier "oops" is undefined'),
        ("grid.cu", "18", "grid: a comparison is wrong at its edge (i < n)"),
    ]


def test_the_editor_files_are_json() -> None:
    for path in [*(ROOT / ".vscode").glob("*.json"), ROOT / ".devcontainer/devcontainer.json"]:
        assert json.loads(path.read_text()), path
