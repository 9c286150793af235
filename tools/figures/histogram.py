"""The figures of lab 6's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from figures.svg import Drawing

VALUES = [2, 0, 2, 2, 1, 3, 2, 0, 2, 2, 3, 1, 2, 1, 2, 2]  # of 4 bins; most of them 2
THREADS = BINS = 4
OWN = [[VALUES[thread::THREADS].count(b) for b in range(BINS)] for thread in range(THREADS)]
COUNTS = [VALUES.count(b) for b in range(BINS)]

# 32 neighbours in a picture: a dark corner, then a lamp.
PIXELS = [3] * 12 + [4, 3, 4, 5, 4, 3, 5, 9, 14, 22, 27, 30, 27, 22, 14, 9, 5, 4, 3, 3]


def lost_update() -> Drawing:
    """Two threads increment one counter, step by step."""
    left, top, pitch, lane = 150, 40, 118, 56
    steps = [(0, "read"), (1, "read"), (0, "+ 1"), (1, "+ 1"), (0, "write"), (1, "write")]
    drawing = Drawing(
        left + 6 * pitch + 16, top + 3 * lane + 28, "An increment that is lost",
        "Both threads read 7 before either writes, so both write 8, and one of two values is not counted.",
    )  # fmt: skip
    counter, register = 7, [0, 0]
    for row, name in enumerate(("thread 0", "thread 1", "counter")):
        drawing.text(20, top + row * lane + 19, name)
        drawing.line([(left - 12, top + row * lane + 14), (left + 6 * pitch - 12, top + row * lane + 14)], "faint")
    drawing.box(left - 62, top + 2 * lane, 40, 28, counter)
    for at, (thread, what) in enumerate(steps):
        x, y, bottom = left + at * pitch, top + thread * lane, top + 2 * lane
        if what == "read":
            register[thread] = counter
            drawing.arrow(x + 44, bottom, x + 44, y + 29, "active")
        elif what == "+ 1":
            register[thread] += 1
        else:
            counter = register[thread]
            drawing.arrow(x + 44, y + 28, x + 44, bottom - 1, "done")
            drawing.box(x + 24, bottom, 40, 28, counter, "done")
        drawing.box(x, y, 92, 28, f"{what}: {register[thread]}", "done" if what == "write" else "active")
    assert counter == 8
    drawing.note(
        top + 3 * lane + 12,
        "Two values counted: 7 becomes 8. An atomic reads, adds and writes in one step, and the second thread waits.",
    )
    return drawing


def private_bins() -> Drawing:
    """Four threads count sixteen values in bins of their own."""
    left, pitch, cell = 150, 36, 34
    drawing = Drawing(
        left + 16 * pitch + 20, 330, "Bins of a thread's own",
        "Each of four threads counts every fourth value in four bins of its own; the columns are added up.",
    )  # fmt: skip
    drawing.text(20, 49, "values")
    drawing.text(20, 24, "thread", kind="faint", size=11)
    for i, value in enumerate(VALUES):
        drawing.text(left + i * pitch + cell / 2 - 1, 24, i % THREADS, kind="faint", size=11, anchor="middle")
        drawing.box(left + i * pitch, 30, cell - 2, 28, value, "active" if i % THREADS == 1 else "")
    top, wide, x = 104, 56, left + 120
    for b in range(BINS):
        drawing.text(x + b * wide + 24, top - 8, f"bin {b}", kind="faint", size=11, anchor="middle")
    for thread, own in enumerate(OWN):
        y = top + thread * 34
        drawing.text(left, y + 19, f"thread {thread}'s own")
        kinds = [("active" if thread == 1 else "") if count else "faint" for count in own]
        drawing.row(x, y, own, width=48, kinds=kinds)
    y = top + THREADS * 34 + 26
    drawing.text(left, y + 19, "all together")
    for b in range(BINS):
        drawing.arrow(x + b * wide + 24, y - 26, x + b * wide + 24, y - 1, "done")
    drawing.row(x, y, COUNTS, width=48, kinds=["done"] * BINS)
    used = sum(count > 0 for own in OWN for count in own)
    assert [sum(column) for column in zip(*OWN, strict=True)] == COUNTS
    side = x + BINS * wide + 16
    drawing.text(side, top + 36, f"{len(VALUES)} values, {used} counts", size=12)
    drawing.text(side, top + 54, "that are not 0:", size=12)
    drawing.text(side, top + 72, f"{used} atomics, not {len(VALUES)}", kind="active", size=12)
    drawing.text(side, y + 12, "added up first:", size=12)
    drawing.text(side, y + 29, f"{BINS} atomics", kind="done", size=12)
    drawing.note(
        316, "With 500 values and 256 bins a thread, instead of 4 and 4, the gain grows with every further value."
    )
    return drawing


def butterfly() -> Drawing:
    """The same counts, added up across lanes: each step exchanges half of what is left."""
    lanes, left, wide, height = 4, 150, 130, 30
    drawing = Drawing(
        left + lanes * wide + 10, 390, "A butterfly over four lanes",
        "Lanes two apart exchange two counts each, then neighbours exchange one: lane k ends with the sum of bin k.",
    )  # fmt: skip
    held = [dict(enumerate(own)) for own in OWN]  # each lane's counts by bin
    y = 34
    for lane in range(lanes):
        drawing.text(left + lane * wide + 44, 24, f"lane {lane}", kind="faint", size=11, anchor="middle")

    def column(lane: int, kinds: dict[int, str]) -> None:
        for k, (b, count) in enumerate(held[lane].items()):
            x = left + lane * wide
            drawing.text(x + 2, y + k * height + 18, f"bin {b}", kind="faint", size=11)
            drawing.box(x + 40, y + k * height, 44, height - 3, count, kinds.get(b, ""))

    half = lanes // 2
    while half:
        kept = [[b for b in held[lane] if (b & half) == (lane & half)] for lane in range(lanes)]
        drawing.text(20, y + 18, "before" if half == lanes // 2 else "sums of 2")
        drawing.text(20, y + 34, "orange: kept", kind="done", size=11)
        drawing.text(20, y + 49, "blue: given away", kind="active", size=11)
        for lane in range(lanes):
            column(lane, {b: "done" if b in kept[lane] else "active" for b in held[lane]})
        bottom = y + len(held[0]) * height
        y = bottom + 52
        for lane in range(lanes):
            other = lane ^ half
            drawing.arrow(left + other * wide + 62, bottom + 2, left + lane * wide + 62, y - 3, "active")
            drawing.arrow(left + lane * wide + 62, bottom + 2, left + lane * wide + 62, y - 3, "done")
        held = [{b: held[lane][b] + held[lane ^ half][b] for b in kept[lane]} for lane in range(lanes)]
        half //= 2
    drawing.text(20, y + 18, "sums of 4")
    for lane in range(lanes):
        column(lane, dict.fromkeys(held[lane], "done"))
    assert [held[lane][lane] for lane in range(lanes)] == COUNTS
    drawing.note(
        y + 56, "2 + 1 shuffles for 4 sums of 4 lanes; of 32 lanes, 16 + 8 + 4 + 2 + 1 = 31 shuffles for 32 sums."
    )
    return drawing


def replicated() -> Drawing:
    """Which lanes of a warp wait for each other at a counter: with one copy, and with one for each lane."""
    cell, left = 19, 20
    turns = max(Counter(PIXELS).values())
    drawing = Drawing(
        left * 2 + 32 * cell, 40 + (turns + 9) * cell, "32 neighbouring pixels are counted",
        f"With one copy up to {turns} lanes wait at one counter; with 32 copies every lane has a bank of its own.",
    )  # fmt: skip

    def banks(bottom: float, title: str, where: list[int], kind: str) -> None:
        stacks: dict[int, list[int]] = {}
        for lane, bank in enumerate(where):
            stacks.setdefault(bank, []).append(lane)
        most = max(len(stack) for stack in stacks.values())
        drawing.text(left + (5 * cell if most > 1 else 0), bottom - (most if most == 1 else 6) * cell - 4,
                     f"{title}: {most} turn" + ("s" if most > 1 else ""), kind=kind)  # fmt: skip
        for bank in range(32):
            x = left + bank * cell
            drawing.box(x + 1, bottom + cell + 1, cell - 2, cell - 2, kind="" if bank in stacks else "faint")
            drawing.text(x + cell / 2, bottom + 2 * cell - 5, bank, kind="faint", size=9, anchor="middle", number=True)
            for height, lane in enumerate(stacks.get(bank, [])):
                y = bottom - height * cell
                drawing.box(x + 1, y + 1, cell - 2, cell - 2, kind=kind)
                drawing.text(x + cell / 2, y + 13.5, lane, size=9, anchor="middle", number=True)

    first = 20 + turns * cell
    banks(first, "one copy, level b in bank b mod 32", [level % 32 for level in PIXELS], "active")
    second = first + 6 * cell
    own = [(32 * level + lane) % 32 for lane, level in enumerate(PIXELS)]
    banks(second, "a copy for each lane, level b of lane l in word 32 b + l", own, "done")
    drawing.note(
        second + 3 * cell + 8, "Below: the 32 banks. Above each: the lanes that count there, one after the other."
    )
    return drawing


def equalise() -> Drawing:
    """A dull picture of 8 levels: its histogram, the scan, and the new levels."""
    picture = [2, 2, 3, 3, 3, 3, 2, 3, 3, 4, 3, 3, 3, 3, 4, 4, 5, 3, 3, 2, 4, 4, 5, 5]
    counts = [picture.count(level) for level in range(8)]
    up_to = list(accumulate(counts))
    first = next(count for count in up_to if count)
    new = [max(0, round((count - first) * 7 / (len(picture) - first))) for count in up_to]
    after = Counter(new[level] for level in picture)
    left, pitch = 190, 52
    drawing = Drawing(
        left + 8 * pitch + 20, 366, "Equalising 24 pixels of 8 levels",
        "Counts, their inclusive scan, and the new level of each old one; dark and bright levels move apart.",
    )  # fmt: skip

    def bars(bottom: float, heights: list[int], kind: str) -> None:
        for level, count in enumerate(heights):
            x = left + level * pitch
            if count:
                drawing.box(x + 4, bottom - 7 * count, 36, 7 * count, kind=kind)
                drawing.text(x + 22, bottom - 7 * count - 4, count, size=11, anchor="middle", number=True)
            drawing.text(x + 22, bottom + 14, level, kind="faint", size=11, anchor="middle", number=True)

    drawing.text(20, 90, "histogram")
    bars(110, counts, "active")
    for row, (name, values) in enumerate((("up to this level", up_to), ("new level", new))):
        y = 140 + 36 * row
        drawing.text(20, y + 19, name)
        kinds = ["faint" if not count else "done" if row else "" for count in counts]
        drawing.row(left, y, values, width=44, kinds=kinds)
    drawing.text(20, 304, "histogram after")
    bars(324, [after.get(level, 0) for level in range(8)], "done")
    drawing.note(356, f"new level = (up to this level - {first}) * 7 / ({len(picture)} - {first}), rounded.")
    return drawing


FIGURES = {"labs/06-histogram/figures": (lost_update, private_bins, butterfly, replicated, equalise)}
