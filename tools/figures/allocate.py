"""The figures of lab 5's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from figures.svg import Drawing

Point = tuple[float, float]
MOST = 5  # triangles of one
# Five triangles at a window from (0, 0) to (1, 1), y upwards; they give 1, 0, 3, 5 and 2.
TRIANGLES: list[tuple[Point, Point, Point]] = [
    ((0.15, 0.2), (0.85, 0.35), (0.4, 0.85)),
    ((1.1, 0.1), (1.35, 0.5), (1.12, 0.8)),
    ((-0.25, 0.4), (1.25, 0.2), (0.5, 0.9)),
    ((-0.3, 0.2), (1.2, -0.1), (0.5, 1.3)),
    ((0.3, 0.2), (1.3, 0.5), (0.4, 0.8)),
]
COUNTS = [2, 0, 5, 1, 0, 0, 4]  # of the elements of ideas 4 and 5
TEXT = "to be, \n or not"
CHUNK = 4


def clip(triangle: tuple[Point, Point, Point]) -> list[Point]:
    """Sutherland and Hodgman, side after side; fewer than 3 corners are none."""
    polygon = list(triangle)
    for axis, line, sign in ((0, 0.0, 1), (0, 1.0, -1), (1, 0.0, 1), (1, 1.0, -1)):
        kept: list[Point] = []
        for here, there in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
            at_here, at_there = sign * (here[axis] - line), sign * (there[axis] - line)
            if at_here >= 0:
                kept.append(here)
            if at_here * at_there < 0:
                t = at_here / (at_here - at_there)
                kept.append((here[0] + t * (there[0] - here[0]), here[1] + t * (there[1] - here[1])))
        polygon = kept if len(kept) >= 3 else []
    return polygon


def window() -> Drawing:
    """Five triangles at a window, and the fan of triangles that is left of each."""
    size, pitch, left, top = 96, 164, 56, 62
    drawing = Drawing(
        left + 5 * pitch, 248, "Five triangles at a window",
        "The part inside the window is a polygon of up to seven corners, drawn as a fan of up to five triangles.",
    )  # fmt: skip
    drawing.text(20, 28, "the window, a triangle, and the part of it inside the window, as a fan of triangles")
    for i, triangle in enumerate(TRIANGLES):
        x0, polygon = left + i * pitch, clip(triangle)

        def at(p: Point, x0: float = x0) -> Point:
            return x0 + size * p[0], top + size * (1 - p[1])

        drawing.line([at(p) for p in (*triangle, triangle[0])], "faint")
        drawing.line([at(p) for p in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))])
        if polygon:
            drawing.line([at(p) for p in (*polygon, polygon[0])], "active")
            for corner in polygon[2:-1]:
                drawing.line([at(polygon[0]), at(corner)], "active")
            for corner in polygon:
                drawing.dot(*at(corner), "active")
        count = max(len(polygon) - 2, 0)
        drawing.text(x0 + size / 2, top + size + 50, f"{len(polygon)} corners: {count}", size=12, anchor="middle")
    counts = [max(len(clip(triangle)) - 2, 0) for triangle in TRIANGLES]
    assert counts == [1, 0, 3, 5, 2]
    drawing.note(top + size + 76, "Each side of the window adds at most one corner: 3, 4, 5, 6, at most 7.")
    return drawing


def counts_of_triangles() -> list[int]:
    return [max(len(clip(triangle)) - 2, 0) for triangle in TRIANGLES]


def slots() -> Drawing:
    """Idea 1: five slots for each triangle, then together."""
    counts, cell, left = counts_of_triangles(), 25, 116
    offsets = [0, *accumulate(counts)]
    drawing = Drawing(
        left + 5 * (MOST * cell + 12) + 20, 250, "Slots for five triangles",
        "Each triangle has five slots; those in use are moved to its offset, the exclusive sum of the counts.",
    )  # fmt: skip
    drawing.text(20, 30, "triangle", kind="faint", size=11)
    drawing.text(20, 64, "1. slots")
    drawing.text(20, 110, "2. counts")
    drawing.text(20, 150, "3. offsets")
    drawing.text(20, 211, "4. output")
    for i, count in enumerate(counts):
        x0 = left + i * (MOST * cell + 12)
        middle = x0 + MOST * cell / 2
        drawing.text(middle, 30, i, kind="faint", size=11, anchor="middle")
        for k in range(MOST):
            drawing.box(x0 + k * cell, 46, cell - 2, 26, f"{i}{'abcde'[k]}" if k < count else "",
                        "active" if k < count else "faint")  # fmt: skip
        drawing.box(middle - 20, 92, 40, 26, count)
        drawing.box(middle - 20, 132, 40, 26, offsets[i], "done")
    drawing.text(left + 5 * (MOST * cell + 12) - 12, 176, f"all: {offsets[-1]}", kind="done", size=12, anchor="end")
    for i, count in enumerate(counts):
        for k in range(count):
            x = left + (offsets[i] + k) * cell
            drawing.box(x, 193, cell - 2, 26, f"{i}{'abcde'[k]}", "done")
        if count:
            middle = left + i * (MOST * cell + 12) + MOST * cell / 2
            drawing.arrow(middle, 158, left + offsets[i] * cell + cell / 2, 192, "done")
    empty = MOST * len(counts) - offsets[-1]
    drawing.note(
        238,
        f"Dashed: unused slots, {empty} of {MOST * len(counts)}. Arrows: to the first output of each triangle.",
    )
    return drawing


def words() -> Drawing:
    """Idea 3: chunks of a text, beginnings and ends."""
    cell, left = 38, 128
    n = len(TEXT)
    letter = [not character.isspace() for character in TEXT]
    begins = [letter[i] and (i == 0 or not letter[i - 1]) for i in range(n)]
    ends = [letter[i] and (i + 1 == n or not letter[i + 1]) for i in range(n)]
    drawing = Drawing(
        left + n * cell + 3 * 10 + 24, 304, "The words of a text in chunks of four bytes",
        "Beginnings are counted in each chunk and scanned; beginnings and ends of a word have the same number.",
    )  # fmt: skip

    def x_of(i: int) -> float:
        return left + i * cell + i // CHUNK * 10

    names = ["byte", "text", "letter", "begins", "ends"]
    for name, y in zip(names, (34, 64, 98, 132, 166), strict=True):
        drawing.text(20, y, name, kind="faint" if name == "byte" else "", size=11 if name == "byte" else 13)
    number = -1
    for i, character in enumerate(TEXT):
        x = x_of(i)
        number += begins[i]
        drawing.text(x + cell / 2 - 1, 34, i, kind="faint", size=11, anchor="middle")
        drawing.box(x, 45, cell - 2, 28, {" ": "", "\n": "\\n"}.get(character, character), "" if letter[i] else "faint")
        drawing.box(x, 79, cell - 2, 28, int(letter[i]), "" if letter[i] else "faint")
        drawing.box(x, 113, cell - 2, 28, number if begins[i] else "", "active" if begins[i] else "faint")
        drawing.box(x, 147, cell - 2, 28, number if ends[i] else "", "done" if ends[i] else "faint")
    before = [0, *accumulate(sum(begins[c : c + CHUNK]) for c in range(0, n, CHUNK))]
    drawing.text(20, 212, "before the chunk")
    for c in range(0, n, CHUNK):
        drawing.box(x_of(c) + 40, 193, 60, 28, before[c // CHUNK])
    starts = [i for i in range(n) if begins[i]]
    stops = [i + 1 for i in range(n) if ends[i]]
    lengths = [stop - start for start, stop in zip(starts, stops, strict=True)]
    assert [TEXT[s : s + k] for s, k in zip(starts, lengths, strict=True)] == TEXT.split()
    drawing.text(20, 256, "d_offsets")
    drawing.text(left + 260, 256, "d_lengths")
    for w, start in enumerate(starts):
        drawing.box(left + w * 44, 237, 42, 28, start, "active")
        drawing.box(left + 340 + w * 44, 237, 42, 28, lengths[w], "done")
    drawing.note(
        290,
        "Blue and orange: the number of the word. 'be,' begins in one chunk and ends in another.",
    )
    return drawing


def search() -> Drawing:
    """Idea 4: each output searches in the offsets."""
    offsets, total, wanted, cell, left = [0, *accumulate(COUNTS)], sum(COUNTS), 8, 46, 116
    drawing = Drawing(
        left + total * cell + 24, 282, "An output searches for its element",
        "Output j belongs to the last element whose outputs begin at j or before.",
    )  # fmt: skip
    owner = [bisect_right(offsets, j) - 1 for j in range(total)]
    for name, y in (("element", 30), ("count", 64), ("offset", 108), ("output", 188), ("element", 238)):
        drawing.text(20, y, name, kind="faint" if y == 30 else "", size=11 if y == 30 else 13)
    low, high, seen = 0, len(COUNTS), []
    while high - low > 1:
        middle = low + (high - low) // 2
        seen.append(middle)
        low, high = (middle, high) if offsets[middle] <= wanted else (low, middle)
    assert low == owner[wanted]
    for i, count in enumerate(COUNTS):
        x = left + i * cell
        drawing.text(x + 20, 30, i, kind="faint", size=11, anchor="middle")
        drawing.box(x, 45, 42, 28, count, "" if count else "faint")
        drawing.box(x, 89, 42, 28, offsets[i], "done" if i == low else "active" if i in seen else "")
        if i in seen:
            drawing.text(x + 21, 133, f"{seen.index(i) + 1}.", kind="active", size=11, anchor="middle")
    drawing.box(left + len(COUNTS) * cell, 89, 42, 28, offsets[-1], "faint")
    for j in range(total):
        x = left + j * cell
        drawing.box(x, 169, 42, 28, j, "active" if j == wanted else "")
        drawing.box(x, 219, 42, 28, owner[j], "done" if j == wanted else "")
    drawing.line(
        [(left + wanted * cell + 21, 169), (left + wanted * cell + 21, 145), (left + low * cell + 32, 118)], "active"
    )
    drawing.note(
        268,
        f"Output {wanted} looks at offsets {', '.join(map(str, seen))}: element {low}. "
        "No search ends at elements 1, 4 and 5, which have no outputs.",
    )
    return drawing


FIGURES = {"labs/05-allocate/figures": (window, slots, words, search)}
