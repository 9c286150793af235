"""The merge path, one drawing for the handouts of labs 5, 7 and 9: two sorted lists, the path, its equal pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

from figures.allocate import COUNTS
from figures.spmv import PRODUCTS, ROW_PTR, ROWS, Y
from figures.svg import Drawing

ROOT = Path(__file__).resolve().parents[2]
CELL, LEFT, TOP = 40, 126, 84
Step = tuple[int, int]  # how many of the list at the side and of the list at the top are taken


def search(side: Sequence[int], top: Sequence[int], diagonal: int) -> tuple[int, list[int]]:
    """How many of the first `diagonal` steps go down, and the indices that binary search looked at."""
    low, high, asked = max(0, diagonal - len(top)), min(diagonal, len(side)), []
    while low < high:
        middle = (low + high) // 2
        asked.append(middle)
        low, high = (low, middle) if top[diagonal - 1 - middle] < side[middle] else (middle + 1, high)
    return low, asked


def walk(side: Sequence[int], top: Sequence[int]) -> list[Step]:
    """The path's points. It goes down as long as the side's next is not greater than the top's next."""
    points = [(0, 0)]
    while points[-1] != (len(side), len(top)):
        i, j = points[-1]
        down = j == len(top) or (i < len(side) and side[i] <= top[j])
        points.append((i + 1, j) if down else (i, j + 1))
    return points


def draw(
    side: Sequence[int], top: Sequence[int], part: int, names: tuple[str, str], texts: tuple[str, str],
    rows: Sequence[str], piece: Callable[[Drawing, float, float, list[Step]], None], notes: Sequence[str],
) -> Drawing:  # fmt: skip
    """`names` of the two lists, `rows` beside the side's; `piece` tells of each piece at a place; `texts`: for eyes
    that do not see the drawing."""
    across, down = len(top) * CELL, len(side) * CELL
    drawing = Drawing(LEFT + across + 300, TOP + down + 30 + 20 * len(notes), *texts)
    points = walk(side, top)

    def at(i: int, j: int) -> tuple[float, float]:
        return LEFT + j * CELL, TOP + i * CELL

    for i in range(len(side) + 1):
        drawing.line([at(i, 0), at(i, len(top))], "faint")
    for j in range(len(top) + 1):
        drawing.line([at(0, j), at(len(side), j)], "faint")
    drawing.text(LEFT, 26, names[1], kind="done")
    for j, value in enumerate(top):
        drawing.box(LEFT + j * CELL + 4, 42, CELL - 8, 26, value, "done")
    drawing.text(20, TOP - 14, names[0], kind="active")
    for i, value in enumerate(side):
        if rows:
            drawing.text(20, TOP + i * CELL + 25, rows[i], kind="faint", size=12)
        drawing.box(LEFT - 42, TOP + i * CELL + 7, 34, 26, value, "active")
    cuts = range(part, len(points) - 1, part)
    for diagonal in cuts:
        low, high = max(0, diagonal - len(top)), min(diagonal, len(side))
        drawing.line([at(low, diagonal - low), at(high, diagonal - high)])
        assert points[diagonal][0] == search(side, top, diagonal)[0]
    for begin, end in pairwise(points):
        drawing.arrow(*at(*begin), *at(*end), "active" if end[0] > begin[0] else "done")
    for diagonal in cuts:
        x, y = at(*points[diagonal])
        drawing.box(x - 5, y - 5, 10, 10)
    for number, first in enumerate((0, *cuts)):
        piece(drawing, LEFT + across + 28, TOP + number * 46, points[first : first + part + 1])
    for line, note in enumerate(notes):
        drawing.note(TOP + down + 34 + 20 * line, note)
    return drawing


def allocate() -> Drawing:
    """Lab 5: the ends of the elements' outputs beside the numbers of the outputs."""
    ends, part = list(accumulate(COUNTS)), 5

    def piece(drawing: Drawing, x: float, y: float, steps: list[Step]) -> None:
        passed, outputs = (last - first for first, last in zip(steps[0], steps[-1], strict=True))
        drawing.text(x, y + 12, f"tile {sum(steps[0]) // part}")
        drawing.text(x, y + 29, f"elements passed: {passed}, outputs: {outputs}", size=12)

    return draw(
        ends, range(ends[-1]), part, ("ends", "outputs by number: a step to the right makes an output"),
        ("The merge path of the elements' ends and the outputs",
         "To the right: an output. Down: an element is passed. Cuts after every fifth step give tiles the same work."),
        [f"element {i}" for i in range(len(ends))], piece,
        ("Down, as soon as the element's end is not greater than the next output's number: it has no more outputs.",
         f"Squares: the cuts. Every tile but the last has {part} steps, however the outputs are distributed."),
    )  # fmt: skip


def spmv() -> Drawing:
    """Lab 7: the ends of the rows beside the indices of the nonzeros."""
    part, carry = 3, 0

    def piece(drawing: Drawing, x: float, y: float, steps: list[Step]) -> None:
        nonlocal carry
        ended: list[str] = []
        total, came_in = 0, carry
        for (row, k), (to_row, _) in pairwise(steps):
            if to_row == row:
                total += PRODUCTS[k]
                continue
            assert total + came_in == Y[row]
            sum_of = f"{total} + {came_in} = {Y[row]}".replace("+ -", "- ")
            ended.append(f"row {row}: {sum_of if came_in else total}")
            total, came_in = 0, 0
        carry = total + came_in
        drawing.text(x, y + 12, f"thread {sum(steps[0]) // part}")
        drawing.text(x, y + 29, ", ".join(ended) or "ends no row", kind="active" if ended else "faint", size=12)
        drawing.text(x + 90, y + 12, f"carries {total}", kind="done" if total else "faint", size=12)

    return draw(
        ROW_PTR[1:], range(len(PRODUCTS)), part, ("row ends", "nonzeros by index: a step to the right adds a product"),
        ("The merge path of row ends and nonzeros",
         "A path from the upper left to the lower right, cut into pieces of three steps."),
        [f"row {row}" for row in range(ROWS)], piece,
        ("Down, as soon as the row's end is not greater than the next nonzero's index: the row is complete.",
         f"Each thread takes {part} steps, the last one fewer. Its carry belongs to the next row that ends."),
    )  # fmt: skip


def merge() -> Drawing:
    """Lab 9: two arrays."""
    a, b, part = [1, 4, 4, 7, 8, 12], [0, 4, 6, 9, 10, 11], 3

    def piece(drawing: Drawing, x: float, y: float, steps: list[Step]) -> None:
        taken = [(a[i], "active") if to > i else (b[j], "done") for (i, j), (to, _) in pairwise(steps)]
        drawing.text(x, y + 25, f"thread {sum(steps[0]) // part}")
        drawing.row(x + 72, y + 6, [key for key, _ in taken], width=36, gap=4, kinds=[kind for _, kind in taken])

    low, asked = search(a, b, 2 * part)
    compared = ", ".join(f"a[{k}] with b[{2 * part - 1 - k}]" for k in asked)
    return draw(
        a, b, part, ("a", "b: a step to the right takes one of b, a step down takes one of a"),
        ("The merge path of two arrays of six",
         "A path from the upper left corner to the lower right; every third diagonal cuts it."),
        [], piece,
        (f"Diagonal {2 * part}: the search compares {compared}, and finds {low} of a and {2 * part - low} of b.",
         f"Each thread walks {part} steps from its own diagonal, whatever the keys are."),
    )  # fmt: skip


FIGURES = {
    "labs/05-allocate/figures": (allocate,),
    "labs/07-spmv/figures": (spmv,),
    "labs/09-merge/figures": (merge,),
}
for drawn in (allocate, spmv, merge):
    drawn.__name__ = "merge_path"
