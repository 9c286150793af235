"""Pages in a real browser: nothing is loaded, nothing is complained of, the slider draws what Python draws."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import escape

from autograder.page import charts
from autograder.page.lanes import drawing, sentence
from autograder.page.page import TEMPLATES
from autograder.page.result_page import report
from autograder.page.tests.browser import CHROMIUM, Browser
from autograder.page.tests.support import ROOT, hostile_page, hostile_task, result, steps, task, time
from autograder.timing.study import TimeAt
from classes.similarity_page import page as similar
from classes.token_similarity import Likeness, Pair

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    pytest.mark.xdist_group("browser"),  # one for all
]

PHONE = 360
SVG = "document.querySelector('figure[data-steps] svg').outerHTML"
# Words of a chart beyond the edges of the page.
CUT_OFF = """[...document.querySelectorAll('svg.chart text')].filter((text) => {
  const at = text.getBoundingClientRect();
  return at.width && (at.right > innerWidth || at.left < 0);
}).map((text) => text.textContent)"""
# The background that a text stands on is its nearest ancestor's that has one.
CONTRAST = """(() => {
  const light = (c) => {
    const linear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = c.match(/[\\d.]+/g).map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const clear = "rgba(0, 0, 0, 0)";
  const found = {};
  for (const one of document.querySelectorAll("main *")) {
    if (one.closest("svg") || ![...one.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    let under = one;
    while (under && getComputedStyle(under).backgroundColor === clear) under = under.parentElement;
    const back = under ? getComputedStyle(under).backgroundColor : "rgb(255, 255, 255)";
    const [a, b] = [light(getComputedStyle(one).color), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found[one.className + " " + one.tagName] = ratio.toFixed(2);
  }
  return found;
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as one:
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "hostile.html"
    path.write_bytes(hostile_page())
    return path


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "media"), [(PHONE, "screen"), (1200, "screen"), (700, "print")])
def test_a_page_is_quiet_and_fits(browser: Browser, page: Path, width: int, media: str, dark: bool) -> None:
    browser.show(width, dark=dark, media=media)
    browser.open(page)
    assert browser.requests == [page.as_uri()]
    assert browser.complaints == []
    assert browser.value("document.documentElement.scrollWidth") <= width  # only figures and tables scroll
    assert browser.value("document.querySelectorAll('script, img, svg[onload]').length") == 1
    if media == "screen":
        assert browser.value(CONTRAST) == {}


@pytest.mark.parametrize("width", [PHONE, 1200])
def test_no_word_of_a_chart_is_cut_off(browser: Browser, tmp_path: Path, width: int) -> None:
    """With the longest name of a task that a lab has."""
    sizes = tuple(TimeAt(2**k, 1e-7 * 2**k, 1e-7, 8.0 * 2**k) for k in (8, 10))
    tasks = [task(name, time=time(seconds=1e-5), sizes=sizes) for name in ("gather_multiply_reduce", "naive")]
    drawn = (charts.ladder(result(*tasks)), charts.over_sizes(tasks[0]))
    html = "".join(f'<div class="scroll">{escape(one)}</div>' for one in drawn)
    (tmp_path / "charts.html").write_text(f"<style>{(TEMPLATES / 'style.css').read_text()}</style><main>{html}</main>")
    browser.show(width)
    browser.open(tmp_path / "charts.html")
    assert browser.value("document.querySelectorAll('svg.ladder text').length") == 8
    assert browser.value(CUT_OFF) == []


def test_a_page_of_similar_files_fits_a_phone(browser: Browser, tmp_path: Path) -> None:
    path, long = tmp_path / "similar.html", f"int {'a' * 300};\n" * 9
    one, other = "one" * 40, "other" * 40
    found = Likeness([Pair("a", "b", 90, 80)])
    path.write_bytes(similar("Similar", found, [], {"a": one, "b": other}, {"a": long, "b": long}, 60))
    browser.show(PHONE)
    browser.open(path)
    assert browser.value("document.documentElement.scrollWidth") <= PHONE  # sources scroll in their boxes


def test_dark_is_dark(browser: Browser, page: Path) -> None:
    browser.show(1200)
    browser.open(page)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = browser.value(ground)
    browser.show(1200, dark=True)
    assert (light, browser.value(ground)) == ("rgb(255, 255, 255)", "rgb(20, 23, 26)")


def test_the_slider_draws_what_python_draws(browser: Browser, page: Path) -> None:
    browser.show(1200)
    browser.open(page)
    assert browser.value("document.querySelector('.slider').hidden") is False
    for at, step in enumerate(steps()):
        move = f"(() => {{ const s = document.querySelector('figure[data-steps] input'); s.value = {at + 1};"
        browser.value(move + " s.dispatchEvent(new Event('input')); })()")
        assert shape_of(browser.value(SVG)) == shape_of(str(drawing(step).__html__()))
        assert browser.value("document.querySelector('.said').textContent") == sentence(step)
        assert browser.value("document.querySelector('figure output').textContent") == f"{at + 1} of 8"
    assert browser.complaints == []


def shape_of(svg: str) -> list[tuple[str, frozenset[tuple[str, str]], str]]:
    """Elements in their order, with attributes in any, and their texts."""
    found = []
    for name, attributes, text in re.findall(r"<(svg|rect|text)([^>]*)>([^<]*)", svg):
        pairs = frozenset(re.findall(r'([\w-]+)="([^"]*)"', attributes.rstrip("/")))
        found.append((name, pairs, text.strip()))
    return found


def test_without_scripts_all_but_the_slider_is_there(browser: Browser, page: Path) -> None:
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page)
        hidden = browser.ask("DOM.getDocument", depth=-1, pierce=True)
        assert "figure" in str(hidden)
    finally:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.complaints == []
    assert browser.value("document.querySelector('.slider').hidden") is True
    assert browser.value("document.querySelectorAll('figure[data-steps] svg rect').length") > 32


def test_what_is_folded_is_printed(browser: Browser, tmp_path: Path) -> None:
    """A sheet of paper has nothing to click at."""
    page = tmp_path / "page.html"
    page.write_bytes(report(result(task("fine", time=time(), printed="folded " * 400)), ROOT, None))
    browser.show(700)
    browser.open(page)
    tall = "[...document.querySelectorAll('details')].at(-1).getBoundingClientRect().height"
    folded = browser.value(tall)
    browser.show(700, media="print")
    assert browser.value(tall) > folded + 100
    assert browser.pdf().startswith(b"%PDF-")


def test_the_picture_of_a_page_is_not_empty(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(report(result(hostile_task(), task("best", time=time())), ROOT, None))
    browser.show(1100)
    browser.open(page)
    assert browser.picture().startswith(b"\x89PNG") and len(browser.picture()) > 50_000
