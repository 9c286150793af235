"""Who needs a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.plan.labs import find
from classes.needs_person import attention
from classes.store import Store
from classes.student_results import rows_of
from classes.tests.support import ROOT, fake_grader, grade_class, put

pytestmark = pytest.mark.slow


def test_who_needs_a_person(tmp_path: Path) -> None:
    skeleton = (find(ROOT, "3") / "grading/skeleton.cu.txt").read_text()
    put(tmp_path / "top/a/scan.cu", "// one\n")
    put(tmp_path / "top/a/old/scan.cu", "// two\n")
    put(tmp_path / "top/b/scan.cu", skeleton)
    put(tmp_path / "top/b/scan_final.cu", "// work\n")
    put(tmp_path / "top/c/my_scan.cu", "// three\n")
    put(tmp_path / "top/d/scan.cu", "/* fork() */\nint f() { return fork (); }\n")
    put(tmp_path / "top/e/scan.cu", "// four\n")
    put(tmp_path / "top/g/scan.cu", '// #include </a>\n#include <math.h>\n # include "/etc/passwd"\nint g;\n')
    put(tmp_path / "top/h/scan.cu", '#include "scan.h"\n#include <../solutions/scan.cu>\n')
    put(tmp_path / "top/f/scan.cu", "// four \n")
    put(tmp_path / "top/lovelaceada_31_9001_scan.cu", "// five\n")
    put(tmp_path / "top/lovelaceada_31_9002_scan-1.cu", "// six\n")
    put(tmp_path / "top/hoppergrace_32_9003_scan.cu", "// seven\n")
    put(tmp_path / "top/hoppergrace_32_9004_scan-1.cu", "// seven\n")
    grade_class(tmp_path / "top", tmp_path / "out", fake_grader(tmp_path), roster=None)
    with Store(tmp_path / "out", alone=False).opened() as store:
        found = {one.who: (one.why, one.link) for one in attention(rows_of(store), {"a": "a", "d": "d"})}
    assert found["a"] == ("of 2 different files, scan.cu was taken", "students/a.html")
    assert found["b"][0].startswith("a skeleton beside it was left out: scan.cu; its name is scan_final.cu") or \
        found["b"][0] == "a skeleton beside it was left out: scan.cu"  # fmt: skip
    assert found["c"][0] == "its name is my_scan.cu, not scan.cu"
    assert found["d"] == ("calls fork() in line 2, which no task needs", "students/d.html")
    assert found["g"][0] == "includes /etc/passwd in line 3, which no task needs"
    assert found["h"][0] == "includes ../solutions/scan.cu in line 2, which no task needs"
    assert found["e"][0] == "handed in the same file as f" and found["e"][1].startswith("sources/")
    assert "the submission holds 2 different files that may be scan.cu" in found["lovelaceada"][0]
    assert set(found) == {"a", "b", "c", "d", "e", "g", "h", "lovelaceada"}
    page = (tmp_path / "out/report.html").read_text()
    assert 'href="students/d.html"' in page and 'href="sources/' in page
