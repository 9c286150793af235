"""What tests of several files need."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from classes.people import NOTHING, Submission
from classes.roster import Person
from classes.store import Grading, Store
from classes.tests.small_class import ROSTER, seeds
from classes.tests.support import HOSTILE, fake_grader, grade_class, put, result


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """What a class has handed in: three files, two of them equal."""
    put(tmp_path / "top/ada/scan.cu", "// first\n")
    put(tmp_path / "top/grace.cu", "// second\n")
    put(tmp_path / "top/stranger/scan.cu", "// first\n")
    return tmp_path / "top"


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """A class with one of each: full marks, wrong, does not compile, refused, nothing, stranger, hostile, a fault."""

    def person(key: str, number: int, name: str = "", known: bool = True) -> Person:
        name = name or f"{key.title()} Example"
        fields = {"name": name, "login": key, "email": f"{key}@example.edu", "sid": str(100 + number)}
        fields |= {"canvas": str(number), "moodle": f"Participant {number}", "section": "A"}
        return Person(key, name, fields if known else {}, known)

    broken = result(0.0, "CE", 'expected a ";"', compiler='scan.cu:12: error: expected a ";"')
    for task in broken["tasks"]:  # type: ignore[attr-defined]
        task |= {"verdict": "CE", "points": 0.0, "reason": 'expected a ";"'}
    hostile = result(60.0, "RTE", HOSTILE)
    hostile["tasks"][0]["printed"] = HOSTILE * 40  # type: ignore[index]
    store = Store(tmp_path / "results")
    store.set_fact("lab", "3")
    rows = []
    kinds: list[tuple[str, dict[str, object] | None]] = [
        ("ada", result()), ("bob", result(73.5, "WA", "wrong from n = 33 on")), ("ced", broken), ("dan", None),
        ("eve", None), ("mallory", hostile), ("stranger", result(90.0, "SLOW")), ("fay", result(60.0, "IE", "no GPU")),
    ]  # fmt: skip
    for number, (key, data) in enumerate(kinds, 1):
        who = person(key, number, '=HYPERLINK("x")' if key == "mallory" else "", key != "stranger")
        problem = "" if data else NOTHING if key == "eve" else "scan.cu is empty"
        rows.append(
            Submission(who, key, "scan.cu" if data else "", key if data else "", key, key == "bob", problem=problem)
        )
        if data:
            ended = "fault" if key == "fay" else "graded"
            points, text = float(str(data["points"])), json.dumps(data).encode()
            at = "2026-02-01T12:00:00+00:00"
            store.add(Grading(key, ended, points, 100.0, result=text, seconds=9.0, finished=at, grader="0", lab="x"))
    store.replace_submissions(rows)
    store.close()
    return tmp_path / "results"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    put(tmp_path / "top/ada/scan.cu", "// first\n")
    put(tmp_path / "top/grace/my_scan.cu", "// second\n")
    put(tmp_path / "top/ref/scan.cu", "")
    grade_class(tmp_path / "top", tmp_path / "out", seeds(fake_grader(tmp_path), tmp_path), roster=ROSTER)
    return tmp_path / "out"
