"""Times as drawings: the ladder as bars, time over size with the roof that a copy sets, a class's points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from autograder.page.svg import Drawing, power_of_two
from autograder.report.result import Result, TaskResult
from autograder.timing.measure import seconds
from autograder.timing.study import TimeAt

WIDTH = 620

LABEL = 150  # room for a rate and a time beside a bar


def ladder(result: Result) -> Drawing | None:
    """Each task's rate as a bar, with the reference's as a tick, and a plain copy's below."""
    timed = [(task, task.time) for task in result.tasks if task.time and task.time.bytes_per_second > 0]
    if not timed:
        return None
    copy = next((time.copy_bandwidth for _, time in timed if time.copy_bandwidth), None)
    rates = [time.bytes_per_second * max(1.0, time.seconds / time.reference_seconds) for _, time in timed]
    top = max([*rates, copy or 0.0])
    left, right, step = 178.0, 140.0, 28.0
    scale = (WIDTH - left - right) / top
    d = Drawing(WIDTH, step * (len(timed) + bool(copy)) + 8, "required bytes per second of each task", "chart ladder")
    for at, (task, time) in enumerate(timed):
        y = at * step + 4
        reference = time.bytes_per_second * time.seconds / time.reference_seconds
        tip = f"{task.name}: {rate(time.bytes_per_second)}, the reference {rate(reference)}"
        d.text(left - 10, y + 14, task.name, "", "end")
        d.box(left, y, max(1.5, scale * time.bytes_per_second), 18, "yours", tip, 2)
        d.line([(left + scale * reference, y - 3), (left + scale * reference, y + 21)], "reference")
        own, tick = left + scale * time.bytes_per_second, left + scale * reference
        end = tick if own - 8 < tick < own + LABEL else own  # keeps the tick out of the label
        words = f"{rate(time.bytes_per_second)} · {seconds(time.seconds)}"
        d.text(end + 8, y + 14, words, "faint wide")
        d.text(end + 8, y + 14, rate(time.bytes_per_second), "faint narrow")  # a page shows one of the two
    if copy:
        y = len(timed) * step + 4
        d.text(left - 10, y + 14, "a plain copy", "faint", "end")
        d.box(left, y, scale * copy, 18, "copy", "", 2)
        d.text(left + scale * copy + 8, y + 14, rate(copy), "faint")
    return d


def rate(bytes_per_second: float) -> str:
    value = bytes_per_second / 1e9
    return f"{value:,.0f} GB/s" if value >= 100 else f"{value:.3g} GB/s"


def over_sizes(task: TaskResult) -> Drawing | None:
    """Time over size on two logarithmic axes: yours, the reference's, and the least that the memory allows."""
    time = task.time
    if time is None or not task.sizes:
        return None
    last = TimeAt(time.n, time.seconds, time.reference_seconds, time.bytes_per_second * time.seconds)
    points = [one for one in (*task.sizes, last) if one.n > 0 and min(one.seconds, one.reference_seconds) > 0]
    if len(points) < 2:
        return None
    roof = [(one.n, one.bytes / time.copy_bandwidth) for one in points if time.copy_bandwidth and one.bytes > 0]
    times = [value for one in points for value in (one.seconds, one.reference_seconds)]
    low, high = min(times), max(times)
    roof = [(n, value) for n, value in roof if value > low / 30]  # a copy has no launch, so small sizes say nothing
    low = min([low, *(value for _, value in roof)])
    left, right, top, bottom, height = 56.0, 104.0, 12.0, 40.0, 290.0
    x = _log(points[0].n, points[-1].n, left, WIDTH - right)
    y = _log(low / 1.4, high * 1.4, height - bottom, top)
    d = Drawing(WIDTH, height, f"time of {task.name} over size", "chart")
    for value in _marks(low / 1.4, high * 1.4):
        d.line([(left, y(value)), (WIDTH - right, y(value))], "grid")
        d.text(left - 8, y(value) + 4, seconds(value), "faint", "end")
    for one in points:
        power = math.log2(one.n)
        d.text(
            x(one.n),
            height - bottom + 18,
            power_of_two(round(power)) if power == round(power) else f"{one.n:,}",
            "faint",
            "middle",
        )
    d.text((left + WIDTH - right) / 2, height - 4, "n, elements", "faint", "middle")
    labels = []
    if len(roof) > 1:
        d.line([(x(n), y(value)) for n, value in roof], "copy")
        labels.append((y(roof[-1][1]), "a plain copy", "copy"))
    series: tuple[tuple[str, str, Callable[[TimeAt], float]], ...] = (
        ("reference", "reference", lambda one: one.reference_seconds),
        ("yours", "this file", lambda one: one.seconds),
    )
    for kind, word, value_of in series:
        d.line([(x(one.n), y(value_of(one))) for one in points], kind)
        for one in points:
            tip = f"{word}, n = {one.n:,}: {seconds(value_of(one))}"
            d.dot(x(one.n), y(value_of(one)), kind, tip, "circle" if kind == "yours" else "square")
        labels.append((y(value_of(points[-1])), word, kind))
    for at, word, kind in _apart(labels):
        d.text(WIDTH - right + 10, at + 4, word, f"label {kind}")
    return d


def _log(low: float, high: float, begin: float, end: float) -> Callable[[float], float]:
    span = math.log(high / low) or 1.0
    return lambda value: begin + (end - begin) * math.log(value / low) / span


def _marks(low: float, high: float) -> list[float]:
    """Powers of ten, or 1, 2 and 5 times powers of ten if there would be fewer than three."""
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    for steps in ((1,), (1, 2, 5)):
        marks = [step * 10.0**power for power in powers for step in steps]
        marks = [value for value in marks if low <= value <= high]
        if len(marks) >= 3:
            break
    return marks


def _apart(labels: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """The labels from top to bottom, moved apart so that none overlap."""
    placed: list[tuple[float, str, str]] = []
    for at, word, kind in sorted(labels):
        placed.append((max(at, placed[-1][0] + 17.0) if placed else at, word, kind))
    return placed


def distribution(shares: Sequence[float]) -> Drawing:
    """How many people reached which part of the points; full marks have a column of their own."""
    counts = [0] * 11
    for share in shares:
        counts[10 if share >= 1 else min(9, max(0, int(share * 10)))] += 1
    top, base, unit = 22.0, 160.0, (WIDTH - 20) / 11
    d = Drawing(WIDTH, base + 26, "distribution of points", "chart bins")
    for at, count in enumerate(counts):
        label = f"{at * 10}"  # "10–19" is too wide for a phone
        height = (base - top) * count / max(counts)
        x = 10 + at * unit
        d.box(
            x + 4, base - height, unit - 8, height, "yours" if at < 10 else "yours full", f"from {label} %: {count}", 2
        )
        if count:
            d.text(x + unit / 2, base - height - 6, count, "", "middle")
        d.text(x + unit / 2, base + 18, label, "faint", "middle")
    d.line([(10, base + 0.5), (WIDTH - 10, base + 0.5)], "axis")
    return d


def share_bar(share: float, kind: str = "yours") -> Drawing:
    """A small bar for a cell of a table."""
    d = Drawing(64, 8, f"{100 * share:.0f} %", "bar")
    d.box(0, 0, 64, 8, "track", "", 2)
    d.box(0, 0, 64 * min(1.0, max(0.0, share)), 8, kind, "", 2)
    return d
