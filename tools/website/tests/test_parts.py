"""Checks of a finished site; a lab's figures; where links lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.plan.manifest import load
from bench.ladder import Row
from website import labpage
from website.check import problems, read
from website.links import line_of, page_of_file, relative, repository_path
from website.tree import name_of, section_of

ROOT = Path(__file__).resolve().parents[3]


def site(tmp_path: Path, body: str, index: str = 'Search.setIndex({"docnames": ["index"]})') -> Path:
    (tmp_path / "index.html").write_text(f"<html><body>{body}</body></html>")
    (tmp_path / "searchindex.js").write_text(index)
    return tmp_path


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('<a href="gone.html">x</a>', "gone.html leads nowhere: no file gone.html"),
        ('<a href="#gone">x</a>', "#gone leads nowhere: index.html has no #gone"),
        ('<a href="../out.html">x</a>', "../out.html leads nowhere: no file ../out.html"),
        ('<img src="gone.png">', "gone.png leads nowhere: no file gone.png"),
        ('<img src="//cdn.example/a.png">', "loads //cdn.example/a.png: nothing may come from outside"),
        ('<img srcset="https://a.example/b.png 2x">', "loads https://a.example/b.png: nothing may come from outside"),
        (
            '<script src="https://a.example/b.js"></script>',
            "loads https://a.example/b.js: nothing may come from outside",
        ),
        ('<link rel="preconnect" href="https://a.example">', "loads https://a.example: nothing may come from outside"),
        (
            '<p style="background: url(https://a.example/b)">',
            "loads https://a.example/b: nothing may come from outside",
        ),
    ],
)
def test_what_is_wrong_with_a_page_is_found(tmp_path: Path, body: str, what: str) -> None:
    assert [str(problem) for problem in problems(site(tmp_path, body), ["index"])] == [f"index.html: {what}"]


def test_a_good_page_is_good(tmp_path: Path) -> None:
    body = (
        '<h1 id="top">x</h1><a href="#top">x</a><a href="https://a.example/">x</a><link rel="next" href="index.html">'
    )
    assert list(problems(site(tmp_path, body), ["index"])) == []


def test_a_style_sheet_loads_nothing_from_outside(tmp_path: Path) -> None:
    site(tmp_path, "")
    (tmp_path / "a.css").write_text('@import "https://fonts.example/a"; i { background: url(data:image/svg+xml,x) }')
    assert [problem.path for problem in problems(tmp_path, [])] == ["a.css"]


@pytest.mark.parametrize("index", ["", "Search.setIndex(oops)", 'Search.setIndex({"docnames": ["other"]})'])
def test_a_page_that_search_does_not_know_is_told(tmp_path: Path, index: str) -> None:
    found = [str(problem) for problem in problems(site(tmp_path, "", index), ["index"])]
    assert found == ["index.html: is not in the search index"]


def test_links_are_led_from_the_repository_to_the_site() -> None:
    assert repository_path("labs/03-scan/README.md", "../../docs/grading.md") == "docs/grading.md"
    assert repository_path("docs/a.md", "../..") == ".."
    assert name_of("labs/03-scan/README.md") == "labs/03-scan/index" and name_of("README.md") == "index"
    assert relative("labs/03-scan/index", "docs/grading.html") == "../../docs/grading.html"
    assert page_of_file("docs/a file.txt") == "source/docs/a%20file.txt.html"
    assert line_of(["a", "[x](one)", "[y](two)"], 1, "two") == 3 and line_of(["a"], 1, "none") == 1
    assert section_of("docs/new.md") == "For authors" and section_of("tools/template/README.md") is None
    assert section_of("solutions/03-scan/README.md") == "Reference solutions"
    assert section_of("course/03-scan/answers.md") is None, "students read the site"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0%"), (0.74, "74%"), (0.016, "2%"), (0.004, "0.4%"), (0.00012, "0.01%"), (1e-12, "0.000000%")],
)
def test_small_shares_keep_a_digit(share: float, text: str) -> None:
    assert labpage.percent(share) == text


def test_a_ladder_has_every_task_with_its_points_and_times() -> None:
    manifest = load(ROOT / "labs/03-scan")
    row = Row(3, "naive", "", 1 << 20, 0.002, 0.002, 0.002, 8e6, 8e9, "Some <GPU>")
    html = labpage.ladder(manifest, [row], "times.html")
    for task in manifest.task:
        assert f">{task.name}</code>" in html
    assert "2 ms" in html and "50%" in html and "Some &lt;GPU&gt;" in html and "n = 2<sup>20</sup>" in html
    assert html.count("<tr>") == len(manifest.task) + 1 and html.count("<td>") == len(manifest.task)
    without = labpage.ladder(manifest, [], "times.html")
    assert "measured" not in without and html.count("<tr>") == without.count("<tr>")


def test_a_new_lab_opens_with_its_first_picture() -> None:
    assert (
        labpage.opening(99, ["/labs/99-new/figures/a.svg", "/labs/99-new/figures/b.svg"])
        == "/labs/99-new/figures/a.svg"
    )
    assert labpage.opening(99, []) is None


@pytest.mark.parametrize("lab", sorted(labpage.OPENING))
def test_the_pictures_that_labs_open_with_exist(lab: int) -> None:
    folder = next((ROOT / "labs").glob(f"{lab:02}-*"))
    assert f"figures/{labpage.OPENING[lab]}.svg" in (folder / "README.md").read_text("utf-8")


def test_addresses_in_attributes_are_all_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<a id="a" href="b"><source srcset="c 1x, d 2x"><iframe src="e"></iframe><link rel="icon" href="f">'
    )
    found = read(page)
    assert (found.follows, sorted(found.loads), found.anchors) == (["b"], ["c", "d", "e", "f"], {"a"})
