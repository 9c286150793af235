"""The workflow for GitHub: its own script, run with a grader that answers at once."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from classes.tests.support import result
from release.package import workflow
from tests.test_docs import ROOT


def graded_by_workflow(tmp_path: Path, status: int, verdict: str) -> tuple[int, dict[str, object]]:
    """The workflow's own script, with a grader that ends with this status; its exit status, and what Classroom gets."""
    root = tmp_path / "repo"
    (root / "labs/03-scan/grading").mkdir(parents=True)
    (root / "labs/03-scan/scan.cu").write_text("begun")
    (root / "labs/03-scan/grading/skeleton.cu.txt").write_text("skeleton")
    for folder in ("common", "virtual_gpu", "tools/setup"):
        (root / folder).mkdir(parents=True)
    (root / "CMakeLists.txt").write_text("")
    (root / "answer.json").write_text(json.dumps(result(70.0, verdict, "why")))
    export = f"PYTHONPATH={ROOT}/tools {sys.executable} -m autograder"
    (root / "grader").write_text(
        f'#!/bin/sh\nif [ "$1" = export ]; then {export} "$@"; exit; fi\ncp answer.json "$3"\nexit {status}\n'
    )
    (root / "Makefile").write_text("lab3:\n")
    (root / "grader").chmod(0o755)
    text = workflow(Path("labs/03-scan")).decode()
    script = text.partition("        shell: bash\n        run: |\n")[2].partition("      - name: Points")[0]
    environment = os.environ | {"GITHUB_STEP_SUMMARY": str(root / "summary"), "GITHUB_OUTPUT": str(root / "output")}
    (root / "script.sh").write_text("".join(line[10:] + "\n" for line in script.splitlines()))
    done = subprocess.run(["bash", "-e", "script.sh"], cwd=root, env=environment, capture_output=True, text=True)
    encoded = (root / "output").read_text().partition("result=")[2]
    return done.returncode, json.loads(base64.b64decode(encoded))


@pytest.mark.slow
@pytest.mark.parametrize(("status", "verdict", "ends"), [(0, "AC", 0), (1, "WA", 0), (3, "IE", 1)])
def test_the_workflow_hands_points_over_and_an_ie_is_red(tmp_path: Path, status: int, verdict: str, ends: int) -> None:
    code, made = graded_by_workflow(tmp_path, status, verdict)
    assert code == ends and made["status"] == ("error" if verdict == "IE" else "pass")
    tests = made["tests"]
    assert isinstance(tests, list) and sum(test["score"] for test in tests) == 70 and made["max_score"] == 100
