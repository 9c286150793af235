"""The figures of lab 9's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from figures.svg import Drawing

A = [1, 4, 4, 7]
B = [0, 4, 6, 9]


def merged(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, str, int]]:
    """Key, side and index of each element of the result; equals of a first."""
    tagged = [(key, "a", i) for i, key in enumerate(a)] + [(key, "b", j) for j, key in enumerate(b)]
    return sorted(tagged, key=lambda element: element[0])  # stable


def walk() -> Drawing:
    """Three threads, each with a pair of runs, after three steps."""
    pairs = [([2, 5, 6, 8], [1, 5, 7, 9]), ([0, 3, 4, 6], [3, 7, 8, 8]), ([1, 2, 5, 9], [0, 4, 4, 7])]
    cell, left, top, steps = 33, 96, 52, 3
    drawing = Drawing(
        left + 24 * cell + 3 * 10, 236, "Three threads merge a pair of runs each",
        "After three steps: what each thread has taken, its two heads, and what it has written.",
    )  # fmt: skip
    drawing.text(20, top + 18, "d_in")
    drawing.text(20, top + 98, "d_out")
    for t, (a, b) in enumerate(pairs):
        x = left + t * (8 * cell + 10)
        result = merged(a, b)
        taken = {side: sum(1 for _, s, _ in result[:steps] if s == side) for side in "ab"}
        drawing.text(x + 4 * cell, 28, f"thread {t}", anchor="middle")
        for k, key in enumerate([*a, *b]):
            side, place = ("a", k) if k < 4 else ("b", k - 4)
            kind = "faint" if place < taken[side] else "active" if place == taken[side] else ""
            drawing.box(x + k * cell, top, cell - 3, 28, key, kind)
        drawing.text(x + 2 * cell, top - 8, f"run {2 * t}", kind="faint", size=11, anchor="middle")
        drawing.text(x + 6 * cell, top - 8, f"run {2 * t + 1}", kind="faint", size=11, anchor="middle")
        for k in range(8):
            drawing.box(x + k * cell, top + 80, cell - 3, 28, result[k][0] if k < steps else "",
                        "done" if k < steps else "faint")  # fmt: skip
        key, side, place = result[steps]
        head = x + (place + (4 if side == "b" else 0)) * cell + cell / 2
        drawing.arrow(head, top + 28, x + steps * cell + cell / 2, top + 79, "active")
        assert key == min(a[taken["a"]], b[taken["b"]])
    drawing.note(top + 138, "Blue: the two heads. The smaller one goes next; if they are equal, the first run's.")
    drawing.note(
        top + 160, "All threads of a warp write at the same time, 8 places apart: each store is in a sector of its own."
    )
    return drawing


def ranks() -> Drawing:
    """Index in one's own array plus rank in the other one is the place."""
    left, top, pitch, gap = 130, 66, 56, 40
    drawing = Drawing(
        left + 8 * pitch + gap + 20, 300, "Ranks of two sorted arrays",
        "Each element's place in the output is its own index plus its rank in the other array.",
    )  # fmt: skip
    result = merged(A, B)
    places = {(side, i): place for place, (_, side, i) in enumerate(result)}
    of_a = [bisect_left(B, x) for x in A]
    of_b = [bisect_right(A, y) for y in B]
    assert [i + rank for i, rank in enumerate(of_a)] == [places["a", i] for i in range(4)]
    assert [j + rank for j, rank in enumerate(of_b)] == [places["b", j] for j in range(4)]
    shift = left + 4 * pitch + gap
    drawing.text(left + 2 * pitch - 4, 28, "a", kind="active", anchor="middle")
    drawing.text(shift + 2 * pitch - 4, 28, "b", kind="done", anchor="middle")
    drawing.text(20, top - 8, "index", kind="faint", size=11)
    for i in range(4):
        drawing.text(left + i * pitch + 24, top - 8, i, kind="faint", size=11, anchor="middle", number=True)
        drawing.text(shift + i * pitch + 24, top - 8, i, kind="faint", size=11, anchor="middle", number=True)
    drawing.text(20, top + 19, "key")
    drawing.row(left, top, A, kinds=["active"] * 4)
    drawing.row(shift, top, B, kinds=["done"] * 4)
    drawing.text(20, top + 53, "+ rank")
    middles = {"a": drawing.row(left, top + 34, of_a), "b": drawing.row(shift, top + 34, of_b)}
    y = top + 132
    drawing.text(20, y + 19, "output")
    begin = left + gap / 2
    out = drawing.row(begin, y, [key for key, _, _ in result],
                      kinds=["active" if side == "a" else "done" for _, side, _ in result])  # fmt: skip
    for place, (_, side, i) in enumerate(result):
        drawing.text(out[place], y + 44, place, kind="faint", size=11, anchor="middle", number=True)
        drawing.arrow(middles[side][i], top + 62, out[place], y - 1, "active" if side == "a" else "done")
    drawing.note(
        y + 70, "Rank of an element of a: how many of b come before it; of b: how many of a do not come after it."
    )
    drawing.note(y + 88, "So b's 4 counts both 4s of a and goes behind them: no two elements get the same place.")
    return drawing


def splitters() -> Drawing:
    """Every fourth element of both arrays is ranked in the other; pieces lie between."""
    step = 4
    a = [1, 3, 4, 6, 7, 8, 9, 12, 20, 22, 23, 25]
    b = [2, 5, 10, 11, 13, 14, 15, 16, 17, 18, 21, 24]
    cell, left, top = 44, 96, 46
    drawing = Drawing(
        left + 24 * 29 + 20, 286, "Two arrays of twelve, cut by their splitters",
        "Every fourth element of both arrays is a splitter; its rank in the other array completes the cut.",
    )  # fmt: skip
    of_a = [(i, bisect_left(b, a[i])) for i in range(0, 12, step)]
    of_b = [(bisect_right(a, b[j]), j) for j in range(0, 12, step)]
    cuts = sorted(of_a + of_b)
    # Each at its own number plus that of the other side's splitters before it.
    assert all(cuts[t + -(-j // step)] == (i, j) for t, (i, j) in enumerate(of_a))
    assert all(cuts[t + -(-i // step)] == (i, j) for t, (i, j) in enumerate(of_b))
    pieces = list(zip(cuts, [*cuts[1:], (12, 12)], strict=True))
    for row, (name, keys) in enumerate((("a", a), ("b", b))):
        y = top + row * 74
        drawing.text(20, y + 19, name)
        for k, key in enumerate(keys):
            drawing.box(left + k * cell, y, cell - 6, 28, key, "active" if k % step == 0 else "")
    for piece, ((i, j), _) in enumerate(pieces):
        x1, x2 = left + i * cell - 3, left + j * cell - 3
        drawing.line([(x1, top - 6), (x1, top + 32), (x2, top + 70), (x2, top + 108)], "done")
        middle = (x1 + x2) / 2
        drawing.box(middle - 8, top + 43, 16, 16, kind="done")
        drawing.text(middle, top + 55, piece, size=11, anchor="middle", number=True)
    y = top + 146
    drawing.text(20, y + 18, "pieces")
    x = float(left)
    for piece, ((i, j), (i_end, j_end)) in enumerate(pieces):
        keys = [key for key, _, _ in merged(a[i:i_end], b[j:j_end])]
        assert i_end - i <= step and j_end - j <= step and keys
        drawing.text(x + len(keys) * 14 - 3, y - 8, piece, kind="done", size=11, anchor="middle")
        for key in keys:
            drawing.box(x, y, 23, 26, kind="done")
            drawing.text(x + 11.5, y + 17, key, size=11, anchor="middle", number=True)
            x += 25
        x += 16
    sizes = [i_end - i + j_end - j for (i, j), (i_end, j_end) in pieces]
    drawing.note(
        y + 60, "Blue: splitters, every 4th element. Orange: a splitter and its rank on the other side cut both arrays."
    )
    drawing.note(
        y + 82,
        f"Piece k begins at cut k. Pieces have {min(sizes)} to {max(sizes)} elements, never more than 4 of a side.",
    )
    return drawing


def stages() -> Drawing:
    """Sixteen keys: a network for two, merges in a block up to eight, one along the path for all."""
    keys = random.Random(9).sample(range(10, 100), 16)
    items, tile = 2, 8
    cell, left, step = 38, 206, 58
    drawing = Drawing(
        left + 16 * cell + 30, 5 * step + 66, "The three stages of merge sort, for sixteen keys",
        "Runs of two by a network in registers, of four and eight within a block, of sixteen by all blocks.",
    )  # fmt: skip
    top = 26

    def row(number: int, title: str, note: str, run: int, kind: str) -> None:
        y = top + number * step
        drawing.text(20, y + 12, title)
        drawing.text(20, y + 27, note, kind="faint", size=11)
        for k, key in enumerate(keys):
            x = left + k * cell + (k // tile) * 10
            drawing.box(x, y, cell - 4, 28, key, kind if (k // run) % 2 == 0 else "")
        if run > 1:
            for k in range(0, 16, run):
                x1 = left + k * cell + (k // tile) * 10
                x2 = left + (k + run - 1) * cell + ((k + run - 1) // tile) * 10 + cell - 4
                drawing.line([(x1, y + 32), (x1, y + 36), (x2, y + 36), (x2, y + 32)], kind)

    row(0, "input", "two tiles of 8", 1, "")
    run, number = items, 1
    while run <= 16:
        for k in range(0, 16, run):
            half = run // 2
            result = [key for key, _, _ in merged(keys[k : k + half], keys[k + half : k + run])]
            assert result == sorted(keys[k : k + run])
            keys[k : k + run] = result
        title, note = "3. merge path", "all blocks, one pass"
        if run <= tile:
            title, note = (
                ("1. network", "in registers") if run == items else ("2. merge in a block", "in shared memory")
            )
        row(number, title, f"{note}, runs of {run}", run, "active" if run <= tile else "done")
        run, number = 2 * run, number + 1
    drawing.note(
        top + 5 * step + 20,
        "Stages 1 and 2 are one kernel; stage 3 is a kernel for each pass.",
    )
    return drawing


FIGURES = {"labs/09-merge/figures": (walk, ranks, splitters, stages)}
