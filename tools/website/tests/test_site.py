"""A small site, and all of this repository's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.ladder import Row
from bench.page import ROWS
from bench.rows import read_csv
from website.__main__ import ROOT, make
from website.check import read, searched
from website.tree import SECTIONS, Tree

MEASURED = {row.lab for row in read_csv(Row, ROWS)}  # a new lab has no times yet
LABS = sorted(path.name for path in (ROOT / "labs").glob("[0-9][0-9]-*"))


def test_a_small_site_is_made(repository: Path, tmp_path: Path) -> None:
    to = tmp_path / "site"
    assert make(repository, to) == []
    assert not (tmp_path / "site-work").exists()
    start = (to / "index.html").read_text("utf-8")
    assert start.index("A start.") < start.index('class="ways"') < start.index('<img alt="A picture"')
    assert 'href="docs/notes.html#two-words"' in start
    notes = (to / "docs/notes.html").read_text("utf-8")
    assert "% no comment" in notes and re.search(r"<td><p>\{1\}</p></td>", notes)  # as a forge shows it
    assert 'href="../source/common/code.cu.html"' in notes and 'href="../source/common.html"' in notes
    code = (to / "source/common/code.cu.html").read_text("utf-8")
    assert "__global__" in code and "&lt;" in code and 'href="raw/common/code.cu"' not in code
    assert (to / "source/raw/common/code.cu").read_bytes() == (repository / "common/code.cu").read_bytes()
    folder = (to / "source/common.html").read_text("utf-8")
    assert folder.index("deep/") < folder.index("code.cu</a>") and "Not a text" in (
        to / "source/common/data.bin.html"
    ).read_text("utf-8")
    assert searched(to) == {"index", "docs/notes"}


def test_what_leads_nowhere_is_told_with_file_and_line(repository: Path, tmp_path: Path) -> None:
    to = tmp_path / "site"
    to.mkdir()
    (to / "index.html").write_text("the site of before")
    (repository / "docs/notes.md").write_text(
        "# Notes\n\nA paragraph with [a file](../common/none.cu) and, on its\nsecond line, [a heading](#nowhere).\n\n"
        "| a |\n|---|\n| [out](../../secret.txt) |\n\n![gone](figures/gone.svg)\n"
        "\n![a stranger](https://example.org/a.svg)\n"
    )
    assert make(repository, to) == [
        "README.md:7: the link docs/notes.md#two-words leads nowhere: docs/notes.md has no heading #two-words",
        "docs/notes.md:3: the link ../common/none.cu leads nowhere: no file common/none.cu",
        "docs/notes.md:4: the link #nowhere leads nowhere: docs/notes.md has no heading #nowhere",
        "docs/notes.md:8: the link ../../secret.txt leads nowhere: it leaves the repository",
        "docs/notes.md:10: the picture figures/gone.svg is missing",
        "docs/notes.md:12: the picture https://example.org/a.svg is not of this repository",
    ]
    assert (to / "index.html").read_text() == "the site of before"


def test_a_students_text_in_a_page_is_no_markup(repository: Path, tmp_path: Path) -> None:
    (repository / "docs/notes.md").write_text("# Notes\n\n## Two words\n\n[c](../common/code.cu)\n")
    (repository / "common/code.cu").write_text("// </pre><script>alert(1)</script>\n")
    assert make(repository, tmp_path / "site") == []
    page = (tmp_path / "site/source/common/code.cu.html").read_text("utf-8")
    assert "<script>alert" not in page


def test_every_page_has_its_section() -> None:
    tree = Tree(ROOT)
    names = {page.source for page in tree.pages}
    assert {f"labs/{lab}/README.md" for lab in LABS} <= names
    written = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert written <= names
    assert not [name for name in tree.files if name.endswith(("answers.md", "exam.md"))], "students read the site"
    assert {name for named in SECTIONS.values() for name in named} <= names, "a page that SECTIONS names is gone"
    assert [page.lab for page in tree.pages if page.section == "The labs" and page.lab] == [
        int(lab[:2]) for lab in LABS
    ]
    assert len({page.name.lower() for page in tree.pages}) == len(names)


@pytest.mark.slow
def test_the_site_is_whole(tmp_path: Path) -> None:
    """make() finds what is broken, loads from outside or cannot be searched; here, what a lab's page has."""
    to, reports = tmp_path / "site", tmp_path / "reports"
    reports.mkdir()
    (reports / f"{LABS[0]}-solution.html").write_text("<title>Full marks</title>")
    (reports / f"{LABS[0]}-mine.html").write_text("<title>A student's own</title>")
    assert make(ROOT, to, reports) == []
    assert [path.name for path in (to / "reports").iterdir()] == [f"{LABS[0]}-solution.html"]
    assert f'href="../../reports/{LABS[0]}-solution.html"' in (to / "labs" / LABS[0] / "index.html").read_text("utf-8")
    assert {f"labs/{lab}/index" for lab in LABS} <= searched(to)
    for lab in LABS:
        page = to / "labs" / lab / "index.html"
        text = page.read_text("utf-8")
        article = text[text.index('<article role="main"') :]
        assert re.match(r'.*?<h1>.*?<div class="[^"]*\bopening\b[^"]*">\s*<img .*?<h2>', article, re.DOTALL), lab
        assert 'class="facts"' in article and 'id="the-ladder-in-figures"' in article
        if int(lab[:2]) in MEASURED:
            assert article.count('<td class="share">') == article.count('<span class="bar">'), (
                f"{lab}: a rung has no time"
            )
        assert "the-ladder-in-figures" in read(page).anchors
    assert "grader.svg" in (to / "index.html").read_text("utf-8")
