"""Whether the grades of a class can be compared: graded by one grader, with one lab and one set of private cases.

A grading's version of the lab is LAB/SCORING+PRIVATE. SCORING changes with what only decides the points of a result
that is stored: `rescore` computes them again in seconds. LAB changes with anything else, which asks for `replay`.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

from autograder.errors import UsageError
from autograder.plan.labs import find
from classes.student_results import Row
from classes.submitted_files import is_junk

SCORING = ("points", "core", "slow_below", "far_behind", "evidence")  # of a task in lab.toml


def lab_version(root: Path, number: int) -> str:
    """Changes with everything that decides points: cases, oracle, points, contract; not with the lab's tests."""
    folder = find(root, str(number))
    grading = (path for path in (folder / "grading").iterdir() if path.is_file() and "_test." not in path.name
               and not is_junk(path.name))  # fmt: skip
    files = sorted([*folder.glob("*.h"), *grading])
    parts, scoring = list[bytes](), ""
    for path in files:
        data = path.read_bytes()
        if path.name == "lab.toml":
            data, scoring = _without_scoring(data)
        parts.append(path.name.encode() + data)
    return f"{hashlib.sha256(bytes(1).join(parts)).hexdigest()[:12]}/{scoring}"


def _without_scoring(data: bytes) -> tuple[bytes, str]:
    """What else the file says, in one form; and a digest of what decides points."""
    lab = tomllib.loads(data.decode("utf-8"))
    scoring = [[task["name"], {key: task.pop(key) for key in SCORING if key in task}] for task in lab.get("task", [])]
    digest = hashlib.sha256(json.dumps(scoring, sort_keys=True).encode()).hexdigest()[:12]
    return json.dumps(lab, sort_keys=True).encode(), digest


def without_scoring(version: str) -> str:
    """The version of everything but SCORING. One from before it was told apart equals nothing of today."""
    lab, _, rest = version.partition("/")
    return f"{lab}+{rest.partition('+')[2]}"


def can_rescore(row: Row, grader: str, lab: str) -> bool:
    """Whether only the scoring has changed since."""
    one = row.grading
    same = one is not None and one.grader == grader and without_scoring(one.lab) == without_scoring(lab)
    return bool(same and one and one.lab != lab and one.outcome == "graded" and "/" in one.lab)


def check_one_version(rows: Iterable[Row], lab: str, folder: Path) -> None:
    """Raises UsageError where grades would be handed over that cannot be compared."""
    versions = {(row.grading.grader, row.grading.lab) for row in rows if row.grading and row.graded is not None}
    if len({(grader, without_scoring(one)) for grader, one in versions}) > 1:
        raise UsageError(f"{folder}: graded with {len(versions)} versions of grader, lab or private cases, and grades"
                         f" of two versions are not handed over together; first: ./grader replay {folder}")  # fmt: skip
    now = without_scoring(lab)
    if any(one != lab and without_scoring(one) == now for _, one in versions) or len(versions) > 1:
        raise UsageError(f"{folder}: the points in lab.toml have changed since; first: ./grader rescore {folder}")
