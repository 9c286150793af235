"""The site of this repository, and what stops it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import ROOT
from website.conf import PAGES

LABS = sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*"))
LOADS = re.compile(
    r"""<(?:img|script|iframe|source)[^>]*\ssrc="(?:https?:)?//|<link rel="(?:stylesheet|icon)" href="http"""
)


def build(source: Path, to: Path) -> list[str]:
    """What Sphinx complains of."""
    words = ["-m", "sphinx", "-qW", "--keep-going", "-c", str(ROOT / "tools/website"), str(source), str(to)]
    said = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False).stderr
    return said.splitlines()


def test_every_document_has_its_section() -> None:
    names = [name for names in PAGES.values() for name in names]
    assert len(set(names)) == len(names) and all((ROOT / f"{name}.md").is_file() for name in names)
    assert {f"docs/{path.stem}" for path in (ROOT / "docs").glob("*.md")} <= set(names)
    assert PAGES["The labs"][: len(LABS)] == [f"labs/{lab}/README" for lab in LABS]


@pytest.mark.slow
def test_the_site_is_whole(tmp_path: Path) -> None:
    assert build(ROOT, tmp_path) == []
    start = (tmp_path / "index.html").read_text("utf-8")
    index = (tmp_path / "searchindex.js").read_text("utf-8")
    assert "grader.svg" in start
    for lab in LABS:
        assert f'href="labs/{lab}/README.html"' in start and f'"labs/{lab}/README"' in index
    made = [path for path in tmp_path.rglob("*.html") if "reports" not in path.parts]
    assert not [path for path in made if LOADS.search(path.read_text("utf-8"))], "it works without a network"
    hidden = [path for path in tmp_path.rglob("*") if path.stem in ("answers", "exam") and "course" in str(path)]
    downloads = [path for path in (tmp_path / "_downloads").rglob("*.md") if path.stem in ("answers", "exam")]
    assert not hidden + downloads, "students read the site"


@pytest.mark.slow
def test_what_leads_nowhere_stops_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "docs").mkdir(parents=True)
    (source / "README.md").write_text("# Small\n\n% no comment, {1} `2`\n\n[a](docs/course.md#two-words)\n")
    (source / "docs/course.md").write_text("# Notes\n\n## Two words\n\n[a](none.cu) [b](#nowhere)\n\n![c](gone.svg)\n")
    told = "\n".join(build(source, tmp_path / "site"))
    for what in ("none.cu", "nowhere", "gone.svg"):
        assert re.search(rf"docs/course\.md:\d+: WARNING: .*{re.escape(what)}", told), told
    assert "two-words" not in told
    page = (tmp_path / "site/README.html").read_text("utf-8")
    assert "% no comment, {1}" in page and 'href="docs/course.html#two-words"' in page
