"""The figures of lab 3's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from figures.svg import Drawing

VALUES = [3, 1, 7, 0, 4, 1, 6, 3]


def hillis_steele() -> Drawing:
    """Every step with its additions; finished sums in orange."""
    left, top, pitch, step = 150, 46, 56, 74
    drawing = Drawing(
        150 + 8 * pitch + 20, top + 3 * step + 64, "Hillis and Steele's scan of eight values",
        "Three steps: every element adds its left neighbour at distance 1, then 2, then 4.",
    )  # fmt: skip
    values, offset = VALUES, 1
    for i in range(8):
        drawing.text(left + i * pitch + 24, 30, i, kind="faint", size=11, anchor="middle")
    drawing.text(20, 30, "element", kind="faint", size=11)
    drawing.text(20, top + 19, "input")
    kinds = ["done"] + [""] * 7
    middles = drawing.row(left, top, values, kinds=kinds)
    y = top
    while offset < 8:
        new = [values[i] + values[i - offset] if i >= offset else values[i] for i in range(8)]
        for i in range(8):
            if i >= offset:
                drawing.arrow(middles[i - offset], y + 28, middles[i] - 5, y + step - 1, "active")
            drawing.arrow(middles[i], y + 28, middles[i], y + step - 1, "" if i >= offset else "faint")
        y += step
        drawing.text(20, y + 12, f"distance {offset}")
        drawing.text(20, y + 27, f"{8 - offset} additions", kind="faint", size=11)
        drawing.row(left, y, new, kinds=["done" if i < 2 * offset else "" for i in range(8)])
        values, offset = new, 2 * offset
    assert values == list(accumulate(VALUES))
    drawing.note(y + 52, "Orange: finished. 7 + 6 + 4 = 17 additions for 8 values; one by one, 7 would do.")
    return drawing


def threads(count: int) -> str:
    """How many have something to do."""
    return f"{count} thread" + ("s" if count > 1 else "")


def blelloch() -> Drawing:
    """Up-sweep and down-sweep, row by row."""
    left, top, pitch, step = 150, 30, 56, 62
    drawing = Drawing(
        150 + 8 * pitch + 20, top + 7 * step + 66, "Blelloch's scan of eight values",
        "Up-sweep with strides 1, 2, 4; the root becomes 0; down-sweep with strides 4, 2, 1.",
    )  # fmt: skip
    values = list(VALUES)
    middles = drawing.row(left, top, values)
    drawing.text(20, top + 19, "input")
    y = top

    def show(name: str, note: str, changed: set[int], kind: str) -> None:
        nonlocal y
        y += step
        drawing.text(20, y + 12, name)
        drawing.text(20, y + 27, note, kind="faint", size=11)
        drawing.row(left, y, values, kinds=[kind if i in changed else "" for i in range(8)])

    for stride in (1, 2, 4):
        ends = range(2 * stride - 1, 8, 2 * stride)
        for end in ends:
            drawing.arrow(middles[end - stride], y + 28, middles[end] - 5, y + step - 1, "active")
            drawing.arrow(middles[end], y + 28, middles[end], y + step - 1, "active")
            values[end] += values[end - stride]
        show(f"up, stride {stride}", threads(len(ends)), set(ends), "active")
    values[7] = 0
    show("root := 0", f"it was {sum(VALUES)}, the total", {7}, "done")
    for stride in (4, 2, 1):
        ends = range(2 * stride - 1, 8, 2 * stride)
        for end in ends:
            drawing.arrow(middles[end], y + 28, middles[end - stride] + 5, y + step - 1, "done")
            drawing.arrow(middles[end - stride], y + 28, middles[end] - 5, y + step - 1, "active")
            drawing.arrow(middles[end], y + 28, middles[end], y + step - 1, "active")
            values[end - stride], values[end] = values[end], values[end] + values[end - stride]
        show(f"down, stride {stride}", threads(len(ends)), {e for end in ends for e in (end, end - stride)}, "done")
    assert values == [0, *accumulate(VALUES)][:8]
    drawing.note(y + 52, "Blue arrows add, orange arrows copy: 7 additions up and 7 down, for 8 values.")
    return drawing


def padded(i: int) -> int:
    """Where element i lies when one word is left out after every 32."""
    return i + i // 32


def padding() -> Drawing:
    """Which lanes meet in which bank in the up-sweep at stride 4, without padding and with it."""
    cell, left = 19, 76
    drawing = Drawing(
        left + 32 * cell + 20, 373, "Banks touched at stride 4",
        "Without padding 32 lanes meet in 4 banks, 8 in each; with padding every lane has a bank of its own.",
    )  # fmt: skip
    ends = [(2 * lane + 2) * 4 - 1 for lane in range(32)]  # the element that lane adds to
    bottom = 52 + 7 * cell
    for title, words in (("no padding", ends), ("one word left out after every 32", [padded(end) for end in ends])):
        lanes_of: dict[int, list[int]] = {}
        for lane, word in enumerate(words):
            lanes_of.setdefault(word % 32, []).append(lane)
        wavefronts = max(len(lanes) for lanes in lanes_of.values())
        noun = "wavefront" if wavefronts == 1 else "wavefronts"
        drawing.text(left, bottom - wavefronts * cell + 6, f"{title}: {wavefronts} {noun}",
                     kind="done" if wavefronts == 1 else "active")  # fmt: skip
        drawing.text(left - 8, bottom + 13.5, "lane", kind="faint", size=11, anchor="end")
        drawing.text(left - 8, bottom + cell + 13.5, "bank", kind="faint", size=11, anchor="end")
        for bank in range(32):
            x = left + bank * cell
            drawing.box(x + 1, bottom + cell + 1, cell - 2, cell - 2, kind="" if bank in lanes_of else "faint")
            drawing.text(x + cell / 2, bottom + 2 * cell - 5, bank, kind="faint", size=9, anchor="middle", number=True)
            for height, lane in enumerate(lanes_of.get(bank, [])):
                y = bottom - height * cell
                kind = "active" if wavefronts > 1 else "done"
                drawing.box(x + 1, y + 1, cell - 2, cell - 2, kind=kind)
                drawing.text(x + cell / 2, y + 13.5, lane, size=9, anchor="middle", number=True)
        bottom += 96
    drawing.note(
        336, "Lane t adds to element i = 8 t + 7, which lies in word i, or i + i / 32 with padding: bank = word mod 32."
    )
    drawing.note(359, "Lanes above one bank want different words of it, and are served one after the other.")
    return drawing


def segmented() -> Drawing:
    """Pairs of value and head, and their scan."""
    heads = [0, 0, 1, 0, 0, 1, 1, 0]
    left, top, pitch = 150, 42, 56
    drawing = Drawing(
        left + 8 * pitch + 20, 254, "Segmented inclusive sum of eight values",
        "A head starts a new segment, and the sum starts afresh there; a result's head says that one has begun.",
    )  # fmt: skip
    pairs = list(
        accumulate(
            zip(VALUES, heads, strict=True),
            lambda a, b: (b[0] if b[1] else a[0] + b[0], a[1] | b[1]),
        )
    )
    assert pairs == [(3, 0), (4, 0), (7, 1), (7, 1), (11, 1), (1, 1), (6, 1), (9, 1)]

    def flags(row: Sequence[int]) -> list[str]:
        return ["active" if flag else "" for flag in row]

    drawing.text(20, top - 18, "input", kind="faint", size=11)
    drawing.text(20, top + 19, "value")
    drawing.row(left, top, VALUES)
    drawing.text(20, top + 53, "head")
    drawing.row(left, top + 34, heads, kinds=flags(heads))
    drawing.text(20, top + 88, "inclusive scan", kind="faint", size=11)
    drawing.text(20, top + 119, "value")
    drawing.row(left, top + 100, [value for value, _ in pairs], kinds=["done"] * 8)
    drawing.text(20, top + 153, "head")
    drawing.row(left, top + 134, [head for _, head in pairs], kinds=flags([head for _, head in pairs]))
    for i, head in enumerate(heads):
        if head:
            x = left + i * pitch - 4
            drawing.line([(x, top - 8), (x, top + 170)], "active")
    drawing.note(top + 196, "No value passes a blue line. A result's head is 1 from the first head on.")
    return drawing


FIGURES = {"labs/03-scan/figures": (hillis_steele, blelloch, padding, segmented)}
