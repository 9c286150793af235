"""What is said at the end of a class."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from classes.needs_person import SIMILAR, attention
from classes.store import Store
from classes.student_results import ALIKE, rows_of
from classes.tests.support import fake_grader, grade_class, put, result

pytestmark = pytest.mark.slow


def test_the_summary_names_who_does_not_compile_and_stays_short(tmp_path: Path, top: Path) -> None:
    for at in range(8):
        put(top / f"x{at}/scan.cu", f"// {at}\n")
    broken = result(0.0, "CE", 'expected a ";"', compiler="scan.cu:12: error")
    for task in broken["tasks"]:  # type: ignore[attr-defined]
        task |= {"verdict": "CE", "points": 0.0}
    code = f"case \"$text\" in *second) cat <<'END'\n{json.dumps(broken)}\nEND\nexit;; esac"
    grade_class(top, tmp_path / "out", fake_grader(tmp_path, code))
    store = Store(tmp_path / "out")
    digests = [row.submission.digest for row in rows_of(store) if row.key.startswith("x")]
    pairs = [(one, other, 60 + at) for at, one in enumerate(digests) for other in digests[:at]]
    put(store.folder / ALIKE, json.dumps(pairs))
    found = attention(rows_of(store))
    store.close()
    alike = [one for one in found if one.link == SIMILAR]
    assert len(alike) == 1 and alike[0].why.startswith("61 to 67 % of one file is in another: x")
    _, said = grade_class(top, tmp_path / "out", fake_grader(tmp_path, code))
    assert "1 file does not compile, or uses what is not allowed: grace" in said
    assert "1 handed in nothing" in said
    assert re.search(r"  9 people +not in the roster: stranger, x0, x1, x2, x3, x4, x5, x6, x7\n", said)
