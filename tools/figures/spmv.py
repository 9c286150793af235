"""The figures of lab 7's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from figures.svg import Drawing

ROOT = Path(__file__).resolve().parents[2]
DATASETS = ROOT / "datasets"


def entries(name: str) -> tuple[int, list[tuple[int, int, int]]]:
    """Rows, and the entries from 0, of a small square Matrix Market file."""
    lines = [line.split() for line in (DATASETS / name).read_text("utf-8").splitlines()]
    kind = lines[0]
    size, *rest = [words for words in lines if words and not words[0].startswith("%")]
    found = []
    for words in rest:
        i, j = int(words[0]) - 1, int(words[1]) - 1
        value = int(words[2]) if len(words) > 2 else 1
        found.append((i, j, value))
        if kind[4] == "symmetric" and i != j:
            found.append((j, i, value))
    return int(size[0]), sorted(found)


ROWS, ENTRIES = entries("matrix.mtx")
COLS = [j for _, j, _ in ENTRIES]
VALUES = [value for *_, value in ENTRIES]
ROW_PTR = [sum(1 for i, *_ in ENTRIES if i < row) for row in range(ROWS + 1)]
X = list(range(1, ROWS + 1))
PRODUCTS = [value * X[col] for value, col in zip(VALUES, COLS, strict=True)]
Y = [sum(PRODUCTS[a:b]) for a, b in pairwise(ROW_PTR)]
KINDS = ["active" if i % 2 == 0 else "done" for i, *_ in ENTRIES]  # two rows side by side differ


def csr() -> Drawing:
    """A matrix and its three arrays."""
    cell, top = 36, 46
    drawing = Drawing(
        740, 292, "A matrix of five rows in CSR",
        "The matrix with its nonzeros on the left, its row pointers, columns and values on the right.",
    )  # fmt: skip
    where = {(i, j): value for i, j, value in ENTRIES}
    for i in range(ROWS):
        drawing.text(20, top + i * cell + 20, i, kind="faint", number=True)
        drawing.text(36 + i * cell + 16, top - 10, i, kind="faint", anchor="middle", number=True)
        for j in range(ROWS):
            kind = ("active" if i % 2 == 0 else "done") if (i, j) in where else "faint"
            drawing.box(36 + j * cell, top + i * cell, cell - 4, cell - 6, where.get((i, j), ""), kind)
    left, pitch = 350, 41
    drawing.text(252, top + 19, "d_row_ptr")
    middles = drawing.row(left - pitch / 2, top, ROW_PTR, width=pitch - 6, gap=6)
    for row in range(ROWS):
        drawing.text(middles[row], top - 10, row, kind="faint", anchor="middle", number=True)
    y = top + 92
    for row, begin in enumerate(ROW_PTR):
        kind = "active" if row % 2 == 0 else "done"
        drawing.arrow(middles[row], top + 29, left + begin * pitch, y - 2, "" if row == ROWS else kind)
    for name, numbers, at in (("d_cols", COLS, y), ("d_values", VALUES, y + 36)):
        drawing.text(252, at + 19, name)
        drawing.row(left, at, numbers, width=pitch - 6, gap=6, kinds=KINDS)
    for k in range(len(VALUES)):
        drawing.text(left + k * pitch + (pitch - 6) / 2, y + 82, k, kind="faint", size=11, anchor="middle", number=True)
    drawing.note(
        254, "Row r has the nonzeros from d_row_ptr[r] up to d_row_ptr[r + 1]. Row 2 begins where it ends: it is empty."
    )
    drawing.note(274, f"Five rows, six row pointers. The last one is the number of nonzeros, {ROW_PTR[-1]}.")
    return drawing


def steps() -> Drawing:
    """Gather, multiply, reduce."""
    left, pitch, top = 130, 54, 40
    drawing = Drawing(
        left + len(VALUES) * pitch + 20, 318, "Gather, multiply, reduce",
        "Columns, gathered elements of x, products, and the sum of each row.",
    )  # fmt: skip
    drawing.text(left, 24, f"x = {' '.join(map(str, X))}", kind="faint", number=True)
    for row, (name, numbers) in enumerate(
        (("d_cols", COLS), ("gathered", [X[col] for col in COLS]), ("d_values", VALUES), ("products", PRODUCTS))
    ):
        y = top + row * 46
        drawing.text(20, y + 19, name)
        middles = drawing.row(left, y, numbers, width=pitch - 8, gap=8, kinds=[""] * 9 if row < 3 else KINDS)
        if row:
            for middle in middles:
                drawing.arrow(middle, y - 17, middle, y - 1, "faint")
    y = top + 4 * 46 + 18
    drawing.text(20, y + 19, "d_y")
    for row, (a, b) in enumerate(pairwise(ROW_PTR)):
        x = left + (a + b) / 2 * pitch - 27
        kind = "active" if row % 2 == 0 else "done"
        if a == b:
            drawing.box(x + 3, y + 34, pitch - 8, 28, Y[row], "faint")
            drawing.text(x - 8, y + 53, "row 2, empty: no product, and its y is 0", kind="faint", size=12, anchor="end")
            continue
        for k in range(a, b):
            drawing.arrow(left + k * pitch + 23, y - 35, x + 26, y - 1, kind)
        drawing.box(x + 3, y, pitch - 8, 28, Y[row], kind)
    return drawing


def shares() -> Drawing:
    """Which lanes work when: a thread, or all lanes, for each row."""
    lengths = [3, 1, 12, 2, 0, 4, 2, 3]  # for warps of eight lanes, so that they can be drawn
    lanes, size = len(lengths), 17
    drawing = Drawing(
        720, 320, "Who works when, for eight rows",
        "Rows of different lengths, one to a lane, and one after the other by all lanes.",
    )  # fmt: skip
    drawing.text(96, 26, "a thread for each row: 12 turns", anchor="start")
    for lane, length in enumerate(lengths):
        y = 40 + lane * (size + 3)
        drawing.text(20, y + 13, f"row {lane}", size=11, kind="faint")
        drawing.text(386, y + 13, f"lane {lane}", size=11, kind="faint")
        for turn in range(max(lengths)):
            drawing.box(96 + turn * (size + 3), y, size, size, kind="active" if turn < length else "faint")
    turns = sum(-(-length // lanes) for length in lengths)
    drawing.text(440, 26, f"a warp for each row: {turns} turns")
    x = 440.0
    for row, length in enumerate(lengths):
        for first in range(0, max(length, 1), lanes):
            for lane in range(lanes if length else 0):  # an empty row has no turn
                kind = ("active" if row % 2 == 0 else "done") if first + lane < length else "faint"
                drawing.box(x, 40 + lane * (size + 3), size, size, kind=kind)
            drawing.text(x + size / 2, 40 + lanes * (size + 3) + 12, row, size=11, kind="faint", anchor="middle")
            x += size + 3
        x += 5
    work = sum(lengths)
    drawing.note(
        244,
        f"Drawn for warps of {lanes} lanes; {work} nonzeros. Left: {max(lengths)} turns, {work} of {8 * max(lengths)} "
        "squares used; in a turn the lanes read",
    )
    drawing.note(262, "nonzeros of 8 rows, far apart. A row of 10,000 nonzeros would make it 10,000 turns.")
    drawing.note(280, f"Right: {turns} turns, lanes read neighbours; and 3 steps (of 32 lanes: 5) to add up each row.")
    drawing.note(298, "Short rows leave most lanes idle, long rows none.")
    return drawing


def backward() -> Drawing:
    """The backward segmented scan of the products, two tiles, and what goes from the right one to the left."""
    left, pitch, top, tile = 130, 54, 46, 6
    count = len(PRODUCTS)
    heads = {a for a, b in pairwise(ROW_PTR) if a < b}
    drawing = Drawing(
        left + count * pitch + 36, 342, "A backward segmented scan in two tiles",
        "Products, heads, the scan of each tile, the carry of the second tile, and the result.",
    )  # fmt: skip

    def at(k: int) -> float:
        return left + k * pitch + (16 if k >= tile else 0)

    def line(y: float, name: str, numbers: list[object], kinds: list[str]) -> None:
        drawing.text(20, y + 19, name)
        for k, number in enumerate(numbers):
            drawing.box(at(k), y, pitch - 8, 28, number, kinds[k])

    drawing.text(at(0), 28, "tile 0", kind="faint", size=12)
    drawing.text(at(tile), 28, "tile 1", kind="faint", size=12)
    line(top, "products", list(PRODUCTS), KINDS)
    line(top + 40, "heads", [1 if k in heads else 0 for k in range(count)], [""] * count)
    scan, carry = [0] * count, 0
    for begin, end in ((tile, count), (0, tile)):
        running = 0
        for k in reversed(range(begin, end)):
            running += PRODUCTS[k]
            scan[k] = running
            if k in heads:
                running = 0
        if begin == tile:
            carry = running
    kinds = ["active" if k in heads else "" for k in range(count)]
    y = top + 94
    line(y, "sums", list(scan), kinds)
    for k in range(count - 1):
        if k + 1 not in heads and k + 1 != tile:
            drawing.arrow(at(k + 1), y - 10, at(k) + 30, y - 1, "faint")
    below = y + 92
    drawing.text(20, below + 19, "d_y")
    for row, (a, b) in enumerate(pairwise(ROW_PTR)):
        x = left + row * 96
        drawing.text(x + 23, below + 44, f"row {row}", kind="faint", size=11, anchor="middle")
        if a == b:
            drawing.box(x, below, pitch - 8, 28, 0, "faint")
            continue
        drawing.arrow(at(a) + 23, y + 29, x + 23, below - 1, "active")
        is_cut = a < tile < b
        got = scan[a] + (carry if is_cut else 0)
        assert got == Y[row]
        drawing.box(x, below, pitch - 8, 28, got, "active")
    row = next(row for row, (a, b) in enumerate(pairwise(ROW_PTR)) if a < tile < b)
    drawing.note(
        below + 70, "From right to left: each product plus all that follow it in its row. A head holds its row's total."
    )
    drawing.note(
        below + 90,
        f"Row {row} lies in both tiles. The {carry} at the start of tile 1 is its carry: added to its head's sum.",
    )
    return drawing


FIGURES = {"labs/07-spmv/figures": (csr, steps, shares, backward)}
