"""The figures of the first two ideas of lab 12's handout, drawn from the values of the algorithms."""

from __future__ import annotations

import random

from figures.svg import Drawing

KEYS = [5, 2, 7, 4, 8, 4, 1, 6, 3, 4]
SMALL = 3  # ranges of so many keys are sorted without a partition


def hoare(keys: list[int], pivot: int) -> tuple[list[int], list[tuple[int, int]], int, int]:
    """The keys after two scans towards each other, the swaps, and where the sides end and begin."""
    keys, swaps = list(keys), []
    i, j = 0, len(keys) - 1
    while i <= j:
        while keys[i] < pivot:
            i += 1
        while pivot < keys[j]:
            j -= 1
        if i > j:
            break
        swaps.append((i, j))
        keys[i], keys[j] = keys[j], keys[i]
        i, j = i + 1, j - 1
    return keys, swaps, j + 1, i


def middle(keys: list[int]) -> int:
    """The median of the first, the middle and the last key: for these pictures that will do."""
    return sorted([keys[0], keys[len(keys) // 2], keys[-1]])[1]


def partition() -> Drawing:
    """Two scans towards each other over ten keys."""
    left, pitch, pivot = 110, 56, 4
    drawing = Drawing(
        left + 10 * pitch + 20, 300, "A thread partitions ten keys in place",
        "Two scans go from the ends to the middle and swap keys that are on the wrong side.",
    )  # fmt: skip
    keys, swaps, end, begin = hoare(KEYS, pivot)
    assert all(key <= pivot for key in keys[:end]) and all(key >= pivot for key in keys[begin:])
    drawing.text(20, 79, f"pivot {pivot}")
    kinds = ["active" if key < pivot else "done" if key > pivot else "" for key in KEYS]
    middles = drawing.row(left, 60, KEYS, kinds=kinds)
    for k in range(10):
        drawing.text(middles[k], 50, k, kind="faint", size=11, anchor="middle", number=True)
    for step, (i, j) in enumerate(swaps):
        y = 112 + 22 * step
        drawing.line([(middles[i], 89), (middles[i], y), (middles[j], y), (middles[j], 89)])
        drawing.text(middles[i] + 6, y - 4, f"swap {step + 1}", kind="faint", size=11)
    y = 210
    drawing.text(20, y + 19, "after")
    kinds = ["active" if key < pivot else "done" if key > pivot else "" for key in keys]
    drawing.row(left, y, keys, kinds=kinds)
    for first, last, text in ((0, end, "one child"), (begin, 10, "another child")):
        drawing.line([(middles[first] - 22, y + 38), (middles[last - 1] + 22, y + 38)])
        drawing.text((middles[first] + middles[last - 1]) / 2, y + 54, text, size=12, anchor="middle")
    drawing.note(
        284, "Both scans stop at keys that equal the pivot (white), so equal keys are divided between the sides."
    )
    return drawing


def launches() -> Drawing:
    """The kernels of a sort of 24 keys, and which launches which."""
    numbers = random.Random(12)
    keys = [numbers.randrange(100) for _ in range(24)]
    width, top, step, limit = 27, 66, 62, 3
    drawing = Drawing(
        20 + 24 * width + 130, 350, "The kernels that sort 24 keys",
        "A kernel launches one for each side of its range, until ranges are small or the depth limit is reached.",
    )  # fmt: skip
    drawing.text(
        20,
        34,
        "The sides of a range do not depend on each other. Its kernel launches a child for each, and ends.",
        size=13,
    )
    most = 0

    def sort(first: int, last: int, depth: int, parent: tuple[float, float] | None) -> None:
        nonlocal most
        most = max(most, depth)
        x1, x2, y = 20 + first * width, 20 + last * width - 5, top + depth * step
        count = last - first
        refused = depth > limit
        small = count <= SMALL
        if parent:
            if small or refused:
                drawing.line([parent, ((x1 + x2) / 2, y)], "faint")
            else:
                drawing.arrow(*parent, (x1 + x2) / 2, y - 1)
        drawing.box(x1, y, x2 - x1, 26, count, "done" if small or refused else "active")
        if small or refused:
            keys[first:last] = sorted(keys[first:last])
            return
        part, _, end, begin = hoare(keys[first:last], middle(keys[first:last]))
        keys[first:last] = part
        below = (x1 + x2) / 2, y + 27.0
        if end > 0:
            sort(first, first + end, depth + 1, below)
        if begin < count:
            sort(first + begin, last, depth + 1, below)

    sort(0, 24, 0, None)
    assert keys == sorted(keys)
    for depth in range(most + 1):
        drawing.text(20 + 24 * width + 14, top + depth * step + 18, f"depth {depth}", kind="faint", size=12)
    y = top + most * step
    drawing.note(
        y + 48, f"Blue: a kernel with its number of keys. Orange: sorted by the parent, because {SMALL} keys are not"
    )
    drawing.note(y + 66, f"worth a launch, or because a kernel of depth {limit} may not launch here.")
    drawing.height = y + 82
    return drawing


def warp() -> Drawing:
    """Eight lanes partition their keys with two ballots."""
    keys, pivot, pitch, left = [6, 2, 9, 5, 1, 8, 5, 3], 5, 56, 168
    drawing = Drawing(
        left + 8 * pitch + 60, 392, "A warp of eight lanes partitions eight keys",
        "Two ballots give each lane its place among the smaller or the greater keys of the warp.",
    )  # fmt: skip
    less = [key < pivot for key in keys]
    greater = [key > pivot for key in keys]
    kinds = ["active" if a else "done" if b else "" for a, b in zip(less, greater, strict=True)]
    for lane in range(8):
        drawing.text(left + lane * pitch + 24, 30, lane, kind="faint", size=11, anchor="middle")
    drawing.text(20, 30, "lane", kind="faint", size=11)
    drawing.text(20, 59, f"keys, pivot {pivot}")
    middles = drawing.row(left, 40, keys, kinds=kinds)
    before = [sum(less[:lane]) for lane in range(8)], [sum(greater[:lane]) for lane in range(8)]
    drawing.text(20, 107, "smaller before")
    drawing.row(left, 88, [n if flag else "" for n, flag in zip(before[0], less, strict=True)], kinds=kinds)
    drawing.text(20, 149, "greater before")
    drawing.row(left, 130, [n if flag else "" for n, flag in zip(before[1], greater, strict=True)], kinds=kinds)
    # The range in the other array: 14 places, of which other warps have taken 3 in front and 2 at the end.
    cells, width, y = 14, 34, 270
    taken_front, taken_end = 3, 2
    out: list[object] = [""] * cells
    shades = ["faint"] * cells
    front, back = taken_front, cells - taken_end - sum(greater)
    drawing.text(20, y - 70, f"reserved: {sum(less)} in front,")
    drawing.text(20, y - 52, f"{sum(greater)} at the end")
    for lane, key in enumerate(keys):
        to = front + before[0][lane] if less[lane] else back + before[1][lane] if greater[lane] else -1
        if to < 0:
            continue
        out[to], shades[to] = key, kinds[lane]
        drawing.arrow(middles[lane], 160, 60 + to * (width + 6) + width / 2, y - 1, kinds[lane])
    drawing.row(60, y, out, width=width, gap=6, kinds=shades)
    for first, last, text in (
        (0, taken_front, "other warps'"),
        (taken_front, taken_front + sum(less), "this warp's"),
        (taken_front + sum(less), back, "not taken yet"),
        (back, cells - taken_end, "this warp's"),
        (cells - taken_end, cells, "others'"),
    ):
        x1, x2 = 60 + first * (width + 6), 60 + last * (width + 6) - 6
        drawing.text((x1 + x2) / 2, y + 46, text, kind="faint", size=11, anchor="middle")
    drawing.note(
        y + 78, "One atomic for the front and one for the end reserve places for the whole warp. Keys that equal"
    )
    drawing.note(y + 96, "the pivot are not moved. When all warps are done, the pivot fills the places in the middle.")
    return drawing


FIGURES = {"labs/12-quicksort/figures": (partition, launches, warp)}
