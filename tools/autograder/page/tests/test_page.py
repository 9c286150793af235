"""Pages: no text becomes markup, nothing is loaded, files that are not ours are left alone."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.errors import UsageError
from autograder.page.page import MARK, TEMPLATES, render, write
from autograder.page.tests.support import (
    ROOT,
    SHOWN,
    Page,
    hostile_page,
)

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


def test_undefined_values_are_errors() -> None:
    with pytest.raises(Exception, match="undefined"):
        render("report.html", {})
