"""The figures of lab 11's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from figures.svg import Drawing

IMAGE = [
    [2, 0, 1, 3, 1, 0],
    [1, 4, 2, 0, 2, 1],
    [0, 1, 5, 1, 3, 2],
    [3, 2, 0, 1, 1, 4],
    [1, 0, 2, 2, 0, 1],
]
FILTER = [[1, 2, 0], [0, 3, 0], [0, 0, -1]]
ROW, COLUMN = [1, 0, -1], [1, 2, 1]  # Sobel's slope from left to right
CELL = 32

Grid = Sequence[Sequence[int]]


def pixel(image: Grid, x: int, y: int) -> int:
    """With zeros around the image."""
    return image[y][x] if 0 <= y < len(image) and 0 <= x < len(image[0]) else 0


def convolved(image: Grid, weights: Grid) -> list[list[int]]:
    """The contract's sum, with border zero."""
    up, left = len(weights) // 2, len(weights[0]) // 2
    return [
        [
            sum(
                weights[j + up][i + left] * pixel(image, x - i, y - j)
                for j in range(-up, up + 1)
                for i in range(-left, left + 1)
            )
            for x in range(len(image[0]))
        ]
        for y in range(len(image))
    ]


def turned(weights: Grid) -> list[list[int]]:
    """By half a turn."""
    return [list(reversed(row)) for row in reversed(weights)]


def grid(
    drawing: Drawing, left: float, top: float, values: Grid, kind: Callable[[int, int], str] = lambda x, y: ""
) -> None:
    """A box for each value; kind(x, y) gives its mark."""
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            drawing.box(left + x * CELL, top + y * CELL, CELL - 3, CELL - 3, str(value).replace("-", "−"), kind(x, y))


def filter_() -> Drawing:
    """One result: the turned filter over the image, the products, their sum."""
    drawing = Drawing(
        640, 262, "One pixel of a convolution",
        "A 3 x 3 filter, turned by half a turn, lies over nine pixels; the nine products add up to one result.",
    )  # fmt: skip
    at_x, at_y = 3, 2
    result = convolved(IMAGE, FILTER)[at_y][at_x]
    under = [[IMAGE[at_y + j][at_x + i] for i in (-1, 0, 1)] for j in (-1, 0, 1)]
    laid = turned(FILTER)
    products = [[laid[j][i] * under[j][i] for i in range(3)] for j in range(3)]
    assert sum(map(sum, products)) == result

    def near(x: int, y: int) -> str:
        return "active" if abs(x - at_x) <= 1 and abs(y - at_y) <= 1 else ""

    drawing.text(20, 30, "image")
    grid(drawing, 20, 42, IMAGE, near)
    drawing.text(236, 62, "filter")
    grid(drawing, 236, 74, FILTER)
    drawing.text(360, 62, "turned", kind="active")
    grid(drawing, 360, 74, laid, lambda x, y: "active")
    drawing.text(344, 127, "→", size=14, anchor="middle")
    drawing.text(484, 62, "products")
    grid(drawing, 484, 74, products)
    drawing.text(484, 202, "sum")
    drawing.box(484 + CELL, 182, CELL - 3, CELL - 3, result, "done")
    drawing.note(
        226,
        f"The result at ({at_x}, {at_y}), counted from 0: in({at_x} − i, {at_y} − j) times weight (i, j), for i and j",
    )
    drawing.note(244, "from −1 to 1. The filter's first weight, 1, meets the last of the nine pixels.")
    return drawing


def tile() -> Drawing:
    """A tile at the corner of the image with its halo."""
    side, radius = 4, 1
    wide = side + 2 * radius
    drawing = Drawing(
        560, 298, "A tile and its halo",
        "A tile of 4 x 4 pixels needs 6 x 6: the halo reaches one pixel further on each side, also outside the image.",
    )  # fmt: skip

    def value(x: int, y: int) -> int:
        return pixel(IMAGE, x - radius, y - radius)

    def kind(x: int, y: int) -> str:
        if radius <= x < side + radius and radius <= y < side + radius:
            return "active"
        return "done" if x >= radius and y >= radius else "faint"

    rest = [[pixel(IMAGE, x, y) for x in range(6)] for y in range(5)]
    left, top = 20.0, 42.0
    drawing.text(left, 26, "image, with one row and one column of border")
    for y, row in enumerate(rest):
        for x, number in enumerate(row):
            if x >= side + radius or y >= side + radius:
                drawing.box(left + (x + 1) * CELL, top + (y + 1) * CELL, CELL - 3, CELL - 3, number)
    values = [[value(x, y) for x in range(wide)] for y in range(wide)]
    grid(drawing, left, top, values, kind)
    kinds = [kind(x, y) for y in range(wide) for x in range(wide)]
    counts = {name: kinds.count(name) for name in ("active", "done", "faint")}
    assert counts["active"] == side * side and sum(counts.values()) == wide * wide
    legend = left + 8 * CELL
    for place, (name, text) in enumerate(
        (
            ("active", f"{counts['active']} pixels of the tile"),
            ("done", f"{counts['done']} of the halo, in the image"),
            ("faint", f"{counts['faint']} of the halo, outside: zeros here"),
        )
    ):
        line = top + 20 + place * 40
        drawing.box(legend, line, CELL - 3, CELL - 3, "", name)
        drawing.text(legend + CELL + 6, line + 20, text)
    drawing.note(
        262, f"{wide} x {wide} = {wide * wide} pixels are loaded once; without a tile, the {side * side} sums of nine"
    )
    drawing.note(280, f"products read {9 * side * side}. A tile of 32 x 32 has less halo: 34 x 34 for 1,024 pixels.")
    return drawing


def two_passes() -> Drawing:
    """Rows, then columns."""
    rows = convolved(IMAGE, [ROW])
    result = convolved(rows, [[weight] for weight in COLUMN])
    assert result == convolved(IMAGE, [[c * r for r in ROW] for c in COLUMN])
    at_x, at_y = 3, 2
    drawing = Drawing(
        740, 262, "A separable filter in two passes",
        "Every row is convolved with a row of three weights, then every column of that with a column of three.",
    )  # fmt: skip
    pitch = 6 * CELL + 44
    for place, (name, values, marked, mark) in enumerate(
        (
            ("image", IMAGE, {(at_x + i, at_y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)}, "active"),
            ("after the pass over rows", rows, {(at_x, at_y + j) for j in (-1, 0, 1)}, "active"),
            ("after the pass over columns", result, {(at_x, at_y)}, "done"),
        )
    ):
        left = 20 + place * pitch
        drawing.text(left, 30, name)
        grid(drawing, left, 42, values, lambda x, y, m=marked, k=mark: k if (x, y) in m else "")  # type: ignore[misc]
    for place, text in enumerate(("row 1, 0, −1", "column 1, 2, 1")):
        middle = 20 + (place + 1) * pitch - 24
        drawing.arrow(middle - 18, 122, middle + 16, 122, "active")
        drawing.text(middle - 1, 222, text, kind="active", size=12, anchor="middle")
    drawing.note(
        248, "Three products and three, instead of nine: the blue sums of the first pass serve three results each."
    )
    return drawing


def register_window() -> Drawing:
    """The sums that one thread carries while it goes down its column."""
    at_x, size = 3, 3
    height = len(IMAGE)
    result = convolved(IMAGE, FILTER)
    drawing = Drawing(
        650, 462, "The window of sums of one thread",
        "A thread reads three pixels of each row and adds to three sums; the topmost is finished and leaves. "
        "The filter, turned by half a turn, and one row's sums in full.",
    )  # fmt: skip
    left, top, step = 20.0, 62.0, 40.0

    def at(k: int) -> float:  # where sum[k] stands
        return 246 + (size - 1 - k) * 86

    drawing.text(left + 62, 30, f"reads columns {at_x} ± 1")
    drawing.text(at(size - 1), 30, "its sums after the row")
    drawing.text(528, 30, "written")
    for k in range(size):
        drawing.text(at(k) + 26, 50, f"sum[{k}]", kind="faint", size=12, anchor="middle")
    sums = [0] * (size + 1)
    after: list[list[int]] = []  # of each row
    y = 0.0
    for row in range(height + 1):
        y = top + row * step
        drawing.text(left, y + 20, f"row {row}" if row < height else "outside", kind="faint", size=12)
        pixels = [pixel(IMAGE, at_x + i, row) for i in (-1, 0, 1)]
        for i, value in enumerate(pixels):
            drawing.box(left + 62 + i * CELL, y, CELL - 3, CELL - 3, value, "" if row < height else "faint")
        for k in range(size):
            sums[k] = sums[k + 1] + sum(FILTER[k][i] * pixels[size - 1 - i] for i in range(size))
            kind = "done" if k == 0 and row > 0 else "faint" if k == 0 or row - 1 + k >= height else "active"
            drawing.box(at(k), y, 52, CELL - 3, str(sums[k]).replace("-", "−"), kind)
            if k + 1 < size and row < height:
                drawing.arrow(at(k + 1) + 48, y + CELL - 2, at(k) + 4, y + step - 1, "faint")
        after.append(list(sums))
        if row > 0:
            assert sums[0] == result[row - 1][at_x]
            drawing.arrow(at(0) + 58, y + 14, 520, y + 14, "done")
            drawing.text(528, y + 20, f"out({at_x}, {row - 1}) = {sums[0]}".replace("-", "−"), kind="done")
    # The filter, and where the numbers of one row come from.
    shown = 1
    pixels = [pixel(IMAGE, at_x + i, shown) for i in (-1, 0, 1)]
    base = y + 62
    drawing.text(left, base, "the filter, each row turned")
    for k in range(size):
        drawing.text(left, base + 30 + k * 30, f"row {k}", kind="faint", size=12)
        for i in range(size):
            weight = str(FILTER[k][size - 1 - i]).replace("-", "−")
            drawing.box(left + 62 + i * CELL, base + 12 + k * 30, CELL - 3, 26, weight)
        products = " + ".join(f"{FILTER[k][size - 1 - i]} · {pixels[i]}" for i in range(size))
        whole = f"{after[shown - 1][k + 1]} + {products} = {after[shown][k]}".replace("-", "−")
        drawing.text(246, base + 30 + k * 30, f"row {shown}:  sum[{k}] = {whole}", size=13, number=True)
    drawing.note(
        base + 126, "Row by row, sum[k] takes over what was sum[k + 1] and adds row k of the filter times the pixels."
    )
    return drawing


FIGURES = {"labs/11-convolution/figures": (filter_, tile, two_passes, register_window)}
