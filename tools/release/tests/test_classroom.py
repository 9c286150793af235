"""What GitHub Classroom's reporter makes of the results that the workflow hands over."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

from classes.export_command import export
from classes.tests.support import put, result
from release.package import JOIN


def test_the_points_are_what_the_reporter_adds_up(tmp_path: Path) -> None:
    """src/notify-classroom.js of autograding-grading-reporter: the scores of all tests, of max_score."""
    paths = []
    for number, points in enumerate((95.6, 100.0), 1):
        whole = put(tmp_path / f"{number}.json", json.dumps(result(points)))
        paths.append(put(tmp_path / f"{number}.classroom.json", export(whole, "github-classroom", None, None)))
    command = [sys.executable, "-c", JOIN, *map(str, paths)]
    made = json.loads(base64.b64decode(subprocess.run(command, capture_output=True, check=True).stdout))
    scores = [test["score"] for test in made["tests"]]
    assert all(isinstance(score, int) for score in (*scores, made["max_score"])), "nothing says that it takes others"
    assert (made["status"], made["max_score"]) == ("pass", 200) and 190 <= sum(scores) < 200
