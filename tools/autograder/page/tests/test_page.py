"""Pages: no text becomes markup, nothing is loaded, files that are not ours are left alone."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from autograder.errors import UsageError
from autograder.page.page import MARK, TEMPLATES, render, write
from autograder.page.result_page import report
from autograder.page.sources import Sources, of_lab
from autograder.page.svg import Drawing, compact
from autograder.page.tests.support import (
    HOSTILE,
    ROOT,
    SHOWN,
    Page,
    decoded,
    hostile_page,
    hostile_task,
    result,
    task,
    time,
)
from autograder.report.result import encode
from autograder.report_command import default_path, kept_result, own_file

# All elements that our templates and drawings have.
ELEMENTS = set(
    re.findall(
        r"\w+",
        """html head meta title style body main script header footer section h1 h2 h3 p a span strong code pre br ul li
        dl dt dd div table thead tbody tr th td figure figcaption details summary label input output svg rect text path
        circle""",
    )
)
FREE = ("title", "content", "data-steps", "viewbox", "d", "value")  # attributes whose values may be anything


def test_hostile_text_is_text() -> None:
    page = Page(hostile_page())
    assert {name for name, _ in page.elements} <= ELEMENTS
    names = [name for name, _ in page.elements]
    assert names.count("script") == 1 and names.count("style") == 1 and names.count("html") == 1
    for name, attributes in page.elements:
        for key, value in attributes.items():
            assert not key.startswith("on") and key not in ("style", "src", "srcset", "action", "srcdoc"), (name, key)
            assert key in FREE or "alert" not in value, (name, key, value)
    assert page.text.count(SHOWN) > 25  # nothing is lost
    assert page.inside["script"] == (TEMPLATES / "lanes.js").read_text()
    assert page.inside["style"] == (TEMPLATES / "style.css").read_text()
    assert "49" not in page.text.split(SHOWN)[0], "a text was taken for a template"


def test_no_control_character_is_left() -> None:
    text = hostile_page().decode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert len(text) < 400_000


@pytest.mark.parametrize("templates", sorted(path.name for path in TEMPLATES.glob("*.html")))
def test_templates_escape_all_that_they_print(templates: str) -> None:
    text = (TEMPLATES / templates).read_text()
    assert not re.search(r"\|\s*safe|autoescape|Markup|style=|\son\w+=|https?:", text)


def test_nothing_is_loaded() -> None:
    page = Page(hostile_page())
    assert all(value.startswith("#task-") for value in page.values("href"))
    assert not {"link", "img", "iframe", "object", "embed", "base", "form", "image", "use"} & {
        n for n, _ in page.elements
    }
    assert "url(" not in page.inside["style"] and "@import" not in page.inside["style"]
    assert not re.search(r"fetch|XMLHttp|import\b|eval|innerHTML|document\.write", page.inside["script"])


def test_the_policy_names_what_is_there() -> None:
    page = Page(hostile_page())
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.inside[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_a_page_without_a_slider_has_no_script() -> None:
    page = Page(report(result(task()), ROOT, None))
    assert "script" not in {name for name, _ in page.elements}
    policy = next(a["content"] for _, a in page.elements if "http-equiv" in a)
    assert "script-src" not in policy


def test_a_file_that_does_not_compile() -> None:
    broken = result(task(verdict="CE", reason=HOSTILE, where="scan.cu:3", details=(HOSTILE,)), compiler=HOSTILE)
    page = Page(report(broken, ROOT, None))
    assert "It does not compile" in page.text and page.text.count(SHOWN) == 3
    rules = Page(report(result(task(verdict="CE", reason="includes cub")), ROOT, None))
    assert "It uses what the lab does not allow" in rules.text


def test_a_lab_that_nobody_has_begun() -> None:
    page = Page(report(result(task("one", "SKIP"), task("two", "SKIP"), source="lab"), ROOT, None))
    assert "Not started" in page.text and page.values("id") == ["task-1", "task-2"]
    assert "The ladder" not in page.text


def test_all_marks_stand_in_the_page_after_json() -> None:
    page = Page(report(decoded(result(hostile_task(), task("best", time=time()), source="lab")), ROOT, None))
    for words in ("Which elements are wrong", "Time over size", "Who touches what", "What it printed", "The ladder",
                  "3 of 33 wrong", "12.3 k", "3,200 / 400", "320 / 10", "0.50×"):  # fmt: skip
        assert words in page.text, words


def test_a_file_that_is_no_page_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "scan.cu"
    mine.write_text("my work")
    with pytest.raises(UsageError, match="exists and is not a report"):
        write(mine, b"page")
    with pytest.raises(UsageError, match="not a report"):
        write(tmp_path, b"page")
    assert mine.read_text() == "my work"
    page = tmp_path / "deep" / "page.html"
    write(page, hostile_page())
    assert MARK in page.read_text()
    write(page, hostile_page())  # one of ours is replaced
    assert [path.name for path in page.parent.iterdir()] == ["page.html"]
    with pytest.raises(UsageError, match="in the place of its folder"):
        write(mine / "page.html", b"page")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "cannot be read as a result"),
        (b"{", "cannot be read as a result"),
        (b"[1]", "cannot be read as a result"),
        (b"{}", "is not a result of ./grader"),
        (b'{"schema": "cuda-labs/class/v1"}', "is not a result of ./grader"),
        (b'{"schema": "cuda-labs/result/v1", "points": "many"}', "cannot be read as a result"),
        (b'{"schema": "cuda-labs/result/v1", "a": ' + b"[" * 100_000, "cannot be read as a result"),
        (b"\xff\xfe", "cannot be read as a result"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=says) as refused:
        kept_result(path)
    assert "./grader 3 --out result.json" in str(refused.value) and len(str(refused.value)) < 600


def test_without_its_packages_only_pages_are_missing() -> None:
    """In one line; and ./grader starts without them."""
    code = """
import sys
import autograder.cli
assert not {"jinja2", "markupsafe"} & set(sys.modules)
import autograder.page.requirements as needed
needed.PACKAGES = ("jinja2_that_is_missing",)
sys.argv = ["./grader", "report", "1"]
autograder.cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "tools", capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "grader: pages need the Python package jinja2_that_is_missing; to install it: make setup\n"


def test_a_kept_result_is_read(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(encode(result(hostile_task())))
    assert kept_result(path) == result(hostile_task())
    with pytest.raises(UsageError, match="No such file"):
        kept_result(tmp_path / "missing.json")
    with pytest.raises(UsageError, match="Is a directory"):
        kept_result(tmp_path)


def test_where_the_page_goes(tmp_path: Path) -> None:
    assert default_path(tmp_path, result(source="lab")) == tmp_path / "build/reports/03-scan.html"
    assert default_path(tmp_path, result(source="solution")).name == "03-scan-solution.html"
    assert default_path(tmp_path, result(source="../../etc/my scan.cu")).name == "03-scan-my_scan.html"
    strange = msgspec.structs.replace(result(source="lab"), lab=msgspec.structs.replace(result().lab, folder="../.."))
    assert default_path(tmp_path, strange).parent == tmp_path / "build/reports"
    assert own_file(tmp_path, strange, None) is None
    assert own_file(tmp_path, result(source="lab"), None) == tmp_path / "labs/03-scan/scan.cu"


def test_sources_of_others_are_not_shown(tmp_path: Path) -> None:
    """`#line 1 "/etc/secret.h"` makes a compiler say anything."""
    secret = tmp_path / "secret.h"
    secret.write_text("the answer\n")
    link = tmp_path / "labs/03-scan/link.h"
    link.parent.mkdir(parents=True)
    link.symlink_to(secret)
    own = tmp_path / "scan.cu"
    own.write_text("one\ntwo\n")
    (tmp_path / "labs/03-scan/scan.h").write_text("contract\n")
    (tmp_path / "solutions/03-scan").mkdir(parents=True)
    solution = tmp_path / "solutions/03-scan/naive.cu"
    solution.write_text("the solution\n")
    sources = Sources("scan.cu", own, of_lab(tmp_path, "03-scan", False))
    for file in (secret, link, solution, tmp_path / "labs/03-scan/../../solutions/03-scan/naive.cu", Path("secret.h")):
        assert sources.lines(str(file), {}) == []
    assert sources.lines(str(tmp_path / "labs/03-scan/scan.h"), {})[0] == "contract"
    assert sources.lines("/anywhere/scan.cu", {2: "two"})[1] == "two" and not sources.stale
    assert Sources("scan.cu", None, of_lab(tmp_path, "03-scan", True)).lines(str(solution), {})[0] == "the solution"


def test_a_file_that_has_changed_is_not_shown(tmp_path: Path) -> None:
    own = tmp_path / "scan.cu"
    own.write_text("one\ntwo\n// new\n")
    counted = hostile_task()
    page = Page(report(result(counted), ROOT, own))
    assert "The file has changed since it was graded" in page.text and "// new" not in page.text
    assert SHOWN[:100] in page.text  # the line as it was
    own.write_text(f"one\ntwo\n{HOSTILE}\n// four\n")
    page = Page(report(result(counted), ROOT, own))
    assert "has changed" not in page.text and "// four" in page.text


def test_drawings_escape() -> None:
    d = Drawing(10, 10, HOSTILE, HOSTILE)
    d.text(1, 2, HOSTILE, HOSTILE)
    d.box(1, 2, 3, 4, HOSTILE, HOSTILE)
    d.dot(1, 2, HOSTILE, HOSTILE)
    page = Page(str(d.__html__()).encode())
    assert {name for name, _ in page.elements} == {"svg", "title", "text", "rect", "circle"}
    assert page.text.count(SHOWN) == 4


def test_undefined_values_are_errors() -> None:
    with pytest.raises(Exception, match="undefined"):
        render("report.html", {})


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (9_999, "9,999"), (12_345, "12.3 k"), (8_388_608, "8.39 M"), (100_000, "100 k"), (2**63, "9,223,372 T")],
)
def test_counts_are_short(count: int, text: str) -> None:
    assert compact(count) == text
