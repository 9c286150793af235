"""The figures of lab 8's handout, drawn from the values that the networks really carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from figures.svg import Drawing

VALUES = [5, 2, 7, 1, 8, 3, 6, 4]
NOTHING = 99  # stands behind all values: a place that is padded
PITCH, BOX, GAP = 34, 34, 13  # from wire to wire; width of a value; between comparators side by side


@dataclass(frozen=True)
class Comparator:
    """Places low < high; the smaller value goes to low, or to high in a run that descends."""

    low: int
    high: int
    descends: bool = False


@dataclass(frozen=True)
class Step:
    """Comparators that work at the same time."""

    label: str
    comparators: tuple[Comparator, ...]


def brick(count: int) -> list[Step]:
    """Odd-even transposition: as many phases as there are places."""
    return [
        Step("even" if phase % 2 == 0 else "odd",
             tuple(Comparator(i, i + 1) for i in range(phase % 2, count - 1, 2)))
        for phase in range(count)
    ]  # fmt: skip


def bitonic(places: int, count: int) -> list[Step]:
    """The bitonic network on a power of two of places, of which the first `count` hold something."""
    steps = []
    size = 2
    while size <= places:
        stride = size // 2
        while stride:
            lower = [i for i in range(places) if not i & stride]
            directed = (Comparator(i, i + stride, bool((i ^ (count - 1)) & size)) for i in lower)
            steps.append(Step(f"{size}, {stride}", tuple(directed)))
            stride //= 2
        size *= 2
    return steps


def side_by_side(comparators: Sequence[Comparator]) -> list[tuple[int, Comparator]]:
    """Each with its column: none crosses another in the same column."""
    columns: list[int] = []  # the lowest wire that is still free in each
    placed = []
    for c in comparators:
        column = next((k for k, free in enumerate(columns) if free <= c.low), len(columns))
        columns[column:] = [c.high + 1] if column == len(columns) else [c.high + 1, *columns[column + 1 :]]
        placed.append((column, c))
    return placed


def apply(values: list[int], c: Comparator) -> bool:
    """Orders two places; whether they changed places."""
    first, second = (c.high, c.low) if c.descends else (c.low, c.high)
    swaps = values[second] < values[first]
    if swaps:
        values[first], values[second] = values[second], values[first]
    return swaps


def draw(values: Sequence[int], steps: Sequence[Step], title: str, description: str, notes: Sequence[str],
         directed: bool = False) -> Drawing:  # fmt: skip
    """Wires from left to right, values on them between the steps. Blue comparators swap, orange values are sorted."""
    now = list(values)
    left, top = 58, 50
    widths = [GAP * (1 + max(column for column, _ in side_by_side(s.comparators))) + BOX + 26 for s in steps]
    bottom = top + PITCH * len(now)
    drawing = Drawing(left + BOX + sum(widths) + 22, bottom + 8 + 20 * len(notes), title, description)
    for i in range(len(now)):
        y = top + i * PITCH + 11
        drawing.text(20, y + 5, i, kind="faint", size=11)
        drawing.line([(left, y), (left + BOX + sum(widths), y)], "faint" if now[i] == NOTHING else "")

    def column_of_values(x: float) -> None:
        for i, value in enumerate(now):
            finished = now == sorted(now) and x > left
            kind = "faint" if value == NOTHING else "done" if finished else ""
            drawing.box(x, top + i * PITCH, BOX, 22, "∞" if value == NOTHING else value, kind)

    column_of_values(left)
    drawing.text(left + BOX / 2, top - 24, "input", kind="faint", size=11, anchor="middle")
    x = left + BOX
    for step, width in zip(steps, widths, strict=True):
        middle = x + (width - BOX) / 2
        drawing.text(middle, top - 24, step.label, kind="faint", size=11, anchor="middle")
        placed = side_by_side(step.comparators)
        first = middle - GAP * max(column for column, _ in placed) / 2
        for column, c in placed:
            idle = NOTHING in (now[c.low], now[c.high])
            swaps = apply(now, c)
            assert not (idle and swaps), "padding never moves"
            kind = "active" if swaps else "faint" if idle else ""
            at, y1, y2 = first + column * GAP, top + c.low * PITCH + 11, top + c.high * PITCH + 11
            if directed:
                drawing.arrow(at, y2 if c.descends else y1, at, y1 if c.descends else y2, kind)
                drawing.dot(at, y2 if c.descends else y1, kind)
            else:
                drawing.line([(at, y1), (at, y2)], kind)
                drawing.dot(at, y1, kind)
                drawing.dot(at, y2, kind)
        x += width
        column_of_values(x - BOX)
    assert now == sorted(values), "the network sorts"
    for k, note in enumerate(notes):
        drawing.note(bottom + 12 + 20 * k, note)
    return drawing


def four_inputs() -> Drawing:
    """The five comparators on four values."""
    steps = [
        Step("1", (Comparator(0, 1), Comparator(2, 3))),
        Step("2", (Comparator(0, 2), Comparator(1, 3))),
        Step("3", (Comparator(1, 2),)),
    ]
    return draw(
        [7, 4, 9, 1], steps, "Four inputs, five comparators",
        "Pairs, then their smaller and their larger values, then the two that are left in the middle.",
        ["A comparator leaves the smaller value above.", "Blue: the two change places."],
    )  # fmt: skip


def odd_even() -> Drawing:
    """The brick on eight values."""
    return draw(
        [8, 5, 7, 6, 3, 4, 2, 1], brick(8), "A brick of comparators",
        "Eight values in eight phases: even neighbours, then odd ones.",
        [
            "Even phases compare 0 1, 2 3, ..., odd ones 1 2, 3 4, ...",
            "A value moves by one place a phase: watch the 8 and the 1.",
        ],
    )  # fmt: skip


def bitonic_of_eight() -> Drawing:
    """The bitonic network on eight values."""
    return draw(
        VALUES, bitonic(8, 8), "A bitonic network on eight values",
        "Runs of two, of four, of eight; each merge begins with its farthest stride.",
        [
            "Above each step: the size of the runs that it merges to, and its stride.",
            "An arrow points to where the larger value goes; blue: the two change places.",
            "Neighbouring runs alternately descend and ascend, and the last one ascends.",
        ],
        directed=True,
    )  # fmt: skip


def padding() -> Drawing:
    """The same network for five values: what is behind them stays."""
    return draw(
        [*VALUES[:5], NOTHING, NOTHING, NOTHING], bitonic(8, 5), "Five values on eight places",
        "The run that holds the last value ascends, and no place behind it ever changes.",
        [
            "Now the run of place 4, the last value, ascends, and every second one before it.",
            "So comparators with an ∞ have nothing to do (grey):",
            "padding never moves, and needs no memory.",
        ],
        directed=True,
    )  # fmt: skip


def layouts() -> Drawing:
    """Which elements a thread has in registers, for two spacings."""
    threads, items = 4, 4
    left, top, pitch = 120, 82, 56
    drawing = Drawing(
        700, top + 2 * 200 - 20, "Sixteen elements of a tile in the registers of four threads",
        "With spacing 4 the strides 8 and 4 are between registers of one thread; with spacing 1, strides 2 and 1.",
    )  # fmt: skip
    for k, spacing in enumerate((4, 1)):
        y = top + k * 200
        drawing.text(20, y - 44, f"spacing {spacing}")
        for t in range(threads):
            drawing.text(left + t * pitch + 24, y - 14, f"thread {t}", kind="faint", size=11, anchor="middle")
        # As the solution does: the next threads have the places between a thread's first and second item.
        first = [t // spacing * spacing * items + t % spacing for t in range(threads)]
        for r in range(items):
            drawing.text(20, y + 19 + r * 34, f"register {r}", kind="faint", size=12)
            elements = [place + r * spacing for place in first]
            drawing.row(left, y + r * 34, elements, kinds=["active" if t == 1 else "" for t in range(threads)])
        x = left + threads * pitch + 24
        far, near = items // 2 * spacing, spacing
        for line, (stride, apart) in enumerate(((far, 2), (near, 1))):
            low = first[1]
            drawing.text(x, y + 19 + line * 58, f"stride {stride}: registers {apart} apart")
            pairs = [(low + r * spacing, low + (r + apart) * spacing) for r in range(items) if not r & apart]
            assert all(one ^ stride == other for one, other in pairs)
            words = " and ".join(f"{one} with {other}" for one, other in pairs)
            drawing.text(x, y + 39 + line * 58, f"thread 1 compares {words}", kind="active", size=12)
    drawing.note(top + 2 * 200 - 36, "Between the two layouts the tile goes through shared memory once.")
    return drawing


FIGURES = {"labs/08-networks/figures": (four_inputs, odd_even, bitonic_of_eight, padding, layouts)}
