"""Times as charts."""

from __future__ import annotations

from msgspec.structs import replace

from autograder.page import charts
from autograder.page.tests.support import Page, result, task, time
from autograder.timing.study import TimeAt


def texts(drawing: object) -> str:
    assert drawing is not None
    return Page(str(drawing.__html__()).encode()).text  # type: ignore[attr-defined]


def test_the_ladder() -> None:
    said = texts(charts.ladder(result(task("slow", time=time(seconds=4e-5)), task("fast", time=time(seconds=5e-6)))))
    assert "slow" in said and "fast" in said and "a plain copy" in said and "100 GB/s" in said
    assert charts.ladder(result(task(verdict="WA"))) is None


def test_time_over_size() -> None:
    sizes = tuple(TimeAt(2**k, 1e-6 * 2**k, 1e-6, 8.0 * 2**k) for k in (8, 10))
    said = texts(charts.over_sizes(task(time=time(), sizes=sizes)))
    for words in ("2⁸", "2¹⁰", "2¹²", "this file", "reference", "a plain copy", "100 µs"):
        assert words in said, words
    assert charts.over_sizes(task(time=time())) is None
    assert charts.over_sizes(task(time=time(), sizes=(TimeAt(0, 0.0, 0.0, 0.0),))) is None  # one point is not a line
    same = tuple(TimeAt(n, 1e-5, 1e-5, 0.0) for n in (100, 1000))
    without = replace(time(1000, 1e-5), copy_bandwidth=None)
    assert "a plain copy" not in texts(charts.over_sizes(task(time=without, sizes=same)))


def test_a_distribution() -> None:
    said = texts(charts.distribution([0.0, 0.05, 0.999, 1.0, 1.1, -0.1]))
    assert "90" in said and "100" in said and said.count("3") >= 1
