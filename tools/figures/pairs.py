"""The figures of lab 17's handout, drawn from made-up cities and from what the algorithms compute of them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from figures.cities import HEIGHT, WIDTH, City, cities
from figures.svg import Drawing

RADIUS = 120_000
SHOWN = cities()[:34]
SCALE = 560 / WIDTH


def _near(one: City, other: City) -> bool:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2 <= RADIUS**2


def _neighbours(city: City) -> list[City]:
    return [other for other in SHOWN if other != city and _near(city, other)]


def _at(city: City) -> tuple[float, float]:
    return 30 + (city.x + WIDTH / 2) * SCALE, 30 + (HEIGHT / 2 - city.y) * SCALE


def _circle(drawing: Drawing, city: City, kind: str) -> None:
    x, y = _at(city)
    turns = [2 * math.pi * k / 60 for k in range(61)]
    drawing.line([(x + RADIUS * SCALE * math.cos(t), y + RADIUS * SCALE * math.sin(t)) for t in turns], kind)


def _inside(city: City) -> bool:
    """Whether its circle and the cells around it are on the map."""
    return abs(city.x) + 1.4 * RADIUS < WIDTH / 2 and abs(city.y) + 1.4 * RADIUS < HEIGHT / 2


MIDDLE = max(filter(_inside, SHOWN), key=lambda city: len(_neighbours(city)))
LONELY = min(filter(_inside, SHOWN), key=lambda city: (len(_neighbours(city)), -abs(city.x - MIDDLE.x)))


def radius() -> Drawing:
    """Cities, the circles of two of them, and who is in these."""
    drawing = Drawing(
        620, 420, "Who is near whom",
        f"{len(SHOWN)} cities; {MIDDLE.name} has {len(_neighbours(MIDDLE))} others within 120 km, "
        f"{LONELY.name} {len(_neighbours(LONELY))}.",
    )  # fmt: skip
    for centre, kind in ((MIDDLE, "active"), (LONELY, "done")):
        _circle(drawing, centre, kind)
        x, y = _at(centre)
        drawing.text(x, y - RADIUS * SCALE - 6, f"{centre.name}: {len(_neighbours(centre))}", size=12, anchor="middle")
    for city in SHOWN:
        kinds = [kind for centre, kind in ((MIDDLE, "active"), (LONELY, "done")) if _near(centre, city)]
        drawing.dot(*_at(city), kinds[0] if kinds else "")
        if city in (MIDDLE, LONELY):
            drawing.dot(*_at(city), "")
    drawing.note(404, "A circle of 120 km, and how many other cities lie in it. A city does not count itself.")
    return drawing


def tiles() -> Drawing:
    """The points of three tiles, one of which is in shared memory, and a block whose threads compare with it."""
    threads, count = 4, 10
    drawing = Drawing(
        660, 250, "Tiles of points in shared memory",
        "Each thread of a block loads a point of the tile; then all of them compare their own point with each.",
    )  # fmt: skip
    drawing.text(24, 50, "d_points")
    for j in range(3 * threads):
        tile = j // threads
        kind = "faint" if j >= count else "active" if tile == 1 else ""
        drawing.box(110 + 42 * j + 12 * tile, 32, 38, 26, j if j < count else "", kind)
    drawing.text(24, 126, "s_tile")
    drawing.text(24, 206, "own points")
    for t in range(threads):
        x = 110 + 42 * (threads + t) + 12
        drawing.box(x, 108, 38, 26, threads + t, "active")
        drawing.arrow(x + 19, 60, x + 19, 104, "active")
        drawing.box(x, 188, 38, 26, t, "done")
        for k in range(threads):
            drawing.line([(x + 19, 186), (110 + 42 * (threads + k) + 31, 136)], "done" if k == t else "faint")
    drawing.note(236, "Blue: the second tile. Orange: the points of the block's threads. Dashed: no points here.")
    return drawing


def _cell(city: City) -> tuple[int, int]:
    return (city.y + HEIGHT // 2) // RADIUS, (city.x + WIDTH // 2) // RADIUS


def grid() -> Drawing:
    """The same cities in cells, and the three runs that a city has to look at."""
    columns, rows = -(-WIDTH // RADIUS), HEIGHT // RADIUS
    row, column = _cell(MIDDLE)
    by_cell = sorted(SHOWN, key=_cell)
    looked_at = [
        c for c in by_cell if abs(_cell(c)[0] - row) <= 1 and abs(_cell(c)[1] - column) <= 1
    ]  # fmt: skip
    drawing = Drawing(
        720, 470, "Cells as wide as the radius",
        f"The circle around {MIDDLE.name} lies within 3 x 3 cells, which are three runs of the sorted cities.",
    )  # fmt: skip
    side = RADIUS * SCALE
    for r in range(rows):
        for c in range(columns):
            kind = "active" if abs(r - row) <= 1 and abs(c - column) <= 1 else "faint"
            drawing.box(30 + c * side, 30 + (rows - 1 - r) * side, side, side, "", kind)
    _circle(drawing, MIDDLE, "done")
    for city in SHOWN:
        drawing.dot(*_at(city), "done" if _near(MIDDLE, city) else "")
    drawing.text(20, 392, "d_binned")
    for i, city in enumerate(by_cell):
        drawing.box(90 + 17.6 * i, 376, 16, 22, "", "active" if city in looked_at else "")
    near = sum(_near(MIDDLE, city) for city in looked_at)
    drawing.note(
        430, f"Cells from left to right, then upwards. Blue: {len(looked_at)} candidates in 3 runs. {near} are near,",
    )  # fmt: skip
    drawing.note(
        450,
        f"and one of them is {MIDDLE.name} itself. The other {len(SHOWN) - len(looked_at)} cities are not looked at.",
    )
    return drawing


CELLS = [2, 2, 3, 7, 7, 7, 7, 7, 7, 7, 8, 12, 13]
WARP, COLUMNS = 4, 5


def shares() -> Drawing:
    """Sorted cells, the shares that begin in them, and the searches for three cells."""
    begins = [i for i in range(len(CELLS)) if i % WARP == 0 or CELLS[i] != CELLS[i - 1]]
    drawing = Drawing(
        720, 300, "Shares of sorted points",
        "A share begins where a cell begins and at every fourth point; three rows of cells are found by six searches.",
    )  # fmt: skip
    width, left = 44, 110
    drawing.text(20, 66, "point")
    drawing.text(20, 96, "cell")
    drawing.text(20, 134, "share")
    for i, cell in enumerate(CELLS):
        drawing.text(left + width * i + 20, 66, i, size=11, anchor="middle", kind="faint")
        drawing.box(left + width * i, 76, 40, 28, cell, "active" if cell == 7 else "")
    for number, (first, end) in enumerate(zip(begins, [*begins[1:], len(CELLS)], strict=True)):
        drawing.box(
            left + width * first, 114, width * (end - first) - 4, 26, number, "done" if CELLS[first] == 7 else ""
        )
    for r, (row, label) in enumerate(((2, "above"), (1, "beside"), (0, "below"))):
        low, high = bisect_left(CELLS, row * COLUMNS + 1), bisect_left(CELLS, row * COLUMNS + 4)
        y = 172 + 34 * r
        drawing.text(20, y + 16, f"{label}: {row * COLUMNS + 1} to {row * COLUMNS + 3}", size=11)
        drawing.box(left + width * low, y, width * (high - low) - 4, 24, f"{low} to {high - 1}", "active")
    drawing.note(
        288,
        "A grid of 5 columns, warps of 4 lanes. The shares of cell 7, orange, have the same three runs of candidates.",
    )
    return drawing


FOUND = [(2, 9), (4, 8), (0, 3), (2, 5), (1, 7), (0, 2), (4, 5)]


def sorts() -> Drawing:
    """Pairs as the warps found them, and after each of two stable sorts."""
    by_second = sorted(FOUND, key=lambda pair: pair[1])
    in_order = sorted(by_second, key=lambda pair: pair[0])
    assert in_order == sorted(FOUND)
    drawing = Drawing(
        690, 236, "Two stable sorts",
        "Pairs in the order in which they were found, sorted by the second index, then by the first.",
    )  # fmt: skip
    rows: Sequence[tuple[str, list[tuple[int, int]]]] = (
        ("found", FOUND), ("by second", by_second), ("by first", in_order),
    )  # fmt: skip
    warp = {0: "active", 1: "active", 2: "", 3: "", 4: "", 5: "done", 6: "done"}
    for r, (name, pairs) in enumerate(rows):
        drawing.text(20, 48 + 66 * r, name)
        for i, pair in enumerate(pairs):
            kind = warp[FOUND.index(pair)]
            drawing.box(120 + 78 * i, 30 + 66 * r, 66, 28, f"{pair[0]} - {pair[1]}", kind)
            if r < 2:
                drawing.arrow(153 + 78 * i, 60 + 66 * r, 153 + 78 * rows[r + 1][1].index(pair), 92 + 66 * r, kind)
    drawing.note(224, "Colours: the warp that found a pair. A stable sort does not exchange pairs whose key is equal.")
    return drawing


FIGURES = {"labs/17-pairs/figures": (radius, tiles, grid, shares, sorts)}
