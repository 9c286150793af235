"""The figures of lab 3's handout, drawn from the values that the algorithms really go through.

PYTHONPATH=tools python3 -m figures.scan [FOLDER]    (default: labs/03-scan/figures)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

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


def block_sums() -> Drawing:
    """Tiles of four: scan, totals, scan of the totals, add."""
    values = [*VALUES, 2, 5, 1, 1]
    left, pitch = 150, 52
    drawing = Drawing(
        left + 12 * pitch + 24, 388, "Scan of three tiles by block sums",
        "Each tile is scanned; the totals are scanned; each tile adds its prefix.",
    )  # fmt: skip
    tiles = [values[k : k + 4] for k in range(0, 12, 4)]
    scanned = [[0, *accumulate(tile)][:4] for tile in tiles]
    totals = [sum(tile) for tile in tiles]
    prefixes = [0, *accumulate(totals)][:3]
    result = [prefixes[k] + value for k, tile in enumerate(scanned) for value in tile]
    assert result == [0, *accumulate(values)][:12]

    def tile_x(k: int) -> float:
        return left + k * (4 * pitch + 8)

    def rows(y: float, rows_of: list[list[int]], kind: str) -> list[list[float]]:
        return [
            drawing.row(tile_x(k), y, row, width=44, gap=pitch - 44, kinds=[kind] * 4) for k, row in enumerate(rows_of)
        ]

    drawing.text(20, 49, "input, in tiles")
    top = rows(30, tiles, "")
    drawing.text(20, 119, "1. scan each tile")
    below = rows(100, scanned, "active")
    for k in range(3):
        for x, to in zip(top[k], below[k], strict=True):
            drawing.line([(x, 58), (to, 99)], "faint")
    drawing.text(20, 189, "totals")
    drawing.text(20, 259, "2. scan the totals")
    for k in range(3):
        middle = tile_x(k) + 2 * pitch - 4
        drawing.arrow(below[k][3], 128, middle + 8, 169, "active")
        drawing.box(middle - 26, 170, 52, 28, totals[k])
        drawing.box(middle - 26, 240, 52, 28, prefixes[k], "done")
        for later in range(k + 1, 3):
            drawing.arrow(middle, 198, tile_x(later) + 2 * pitch - 4 - 6, 239, "active")
        for x in below[k]:
            drawing.arrow(middle, 268, x, 309, "done")
    drawing.text(20, 329, "3. add to each tile")
    rows(310, [result[k : k + 4] for k in range(0, 12, 4)], "done")
    drawing.note(
        370, "Total: last value of a tile's scan plus its last element. Step 2: the same problem, 1024 times smaller."
    )
    return drawing


def reduce_then_scan() -> Drawing:
    """Tiles of four: totals, scan of the totals, scan of the tiles from there."""
    values = [*VALUES, 2, 5, 1, 1]
    left, pitch = 170, 52
    drawing = Drawing(
        left + 12 * pitch + 24, 318, "Block sums move 16 bytes an element, reduce-then-scan 12",
        "Each tile is added up; the totals are scanned; each tile is read again and scanned from its prefix on.",
    )  # fmt: skip
    tiles = [values[k : k + 4] for k in range(0, 12, 4)]
    totals = [sum(tile) for tile in tiles]
    prefixes = [0, *accumulate(totals)][:3]
    result = [0, *accumulate(values)][:12]

    def middle(k: int) -> float:
        return left + k * (4 * pitch + 8) + 2 * pitch - 4

    def row(k: int, y: float, row_of: list[int], kind: str) -> list[float]:
        return drawing.row(left + k * (4 * pitch + 8), y, row_of, width=44, gap=pitch - 44, kinds=[kind] * 4)

    for y, text, traffic in (
        (30, "input, in tiles", ""), (100, "1. add up each tile", "reads 4 bytes"), (170, "2. scan the totals", ""),
        (240, "3. scan each tile", "reads 4, writes 4"),
    ):  # fmt: skip
        drawing.text(20, y + 14, text)
        drawing.text(20, y + 29, traffic, kind="faint", size=11)
    for k in range(3):
        top = row(k, 30, tiles[k], "")
        for x in top:
            drawing.arrow(x, 58, middle(k), 99, "active")
        drawing.box(middle(k) - 26, 100, 52, 28, totals[k], "active")
        drawing.box(middle(k) - 26, 170, 52, 28, prefixes[k], "done")
    for k in range(3):
        for later in range(k + 1, 3):
            drawing.arrow(middle(k), 128, middle(later) - 6, 169, "active")
        for x in row(k, 240, result[4 * k : 4 * k + 4], "done"):
            drawing.arrow(middle(k), 198, x, 239, "done")
    drawing.note(296, "Step 3 reads the tile once more and starts its scan at the prefix. Block sums write it twice.")
    return drawing


def look_back() -> Drawing:
    """What tile 7 sees when it looks back at one moment."""
    aggregates = [12, 7, 9, 15, 11, 8, 14, 10]
    inclusive = list(accumulate(aggregates))
    known = 4  # so many tiles have published their inclusive prefix, the others their aggregate
    left, pitch, top = 120, 92, 96
    drawing = Drawing(
        left + 8 * pitch + 20, 250, "Tile 7 looks back",
        "Tiles 6, 5 and 4 have published aggregates, tile 3 an inclusive prefix: tile 7 adds the four and stops.",
    )  # fmt: skip
    drawing.text(20, top - 8, "tile", kind="faint", size=11)
    drawing.text(20, top + 19, "status")
    drawing.text(20, top + 53, "value")
    middles = []
    for k in range(8):
        x = left + k * pitch
        middle = x + 42
        middles.append(middle)
        kind = "active" if k >= known else "done" if k == known - 1 else "faint"
        drawing.text(middle, top - 8, k, kind="faint", size=11, anchor="middle")
        drawing.box(x, top, 84, 28, "inclusive" if k < known else "aggregate", kind)
        drawing.box(x, top + 34, 84, 28, inclusive[k] if k < known else aggregates[k], kind)
    for k in (6, 5, 4, 3):
        drawing.arc(
            middles[7] - 4 * (7 - k), middles[k] + 4, top - 22, 14 + 11 * (6 - k), "done" if k == 3 else "active"
        )
    terms = [inclusive[3], *aggregates[4:7]]
    exclusive = sum(terms)
    assert exclusive == inclusive[6]
    drawing.text(20, top + 92, f"exclusive prefix of tile 7 = {' + '.join(map(str, terms))} = {exclusive}")
    published = f"{exclusive} + {aggregates[7]} = {inclusive[7]}"
    drawing.text(20, top + 116, f"then it publishes its inclusive prefix, {published}, for the tiles behind it")
    drawing.note(
        top + 140, "Lane 0 looks at tile 6, lane 1 at tile 5, ...: 32 tiles at a glance, and tile 3 ends the search."
    )
    return drawing


def pipelined() -> Drawing:
    """What one block does over time: with and without a tile in hand."""
    left, top, height = 110, 46, 30
    phases = {"load": 88, "scan": 58, "wait": 104, "look": 58, "store": 62}
    drawing = Drawing(
        left + 2 * sum(phases.values()) + 20, 208, "What a block does over time, in look_back and pipelined",
        "look_back: load, scan and publish, wait for earlier tiles, store. "
        "pipelined: load, scan and publish tile 9, look back for tile 4, which it holds, store tile 4.",
    )  # fmt: skip
    kinds = {"load": "", "scan": "active", "wait": "faint", "look": "active", "store": "done"}

    def bar(y: float, steps: Sequence[tuple[str, int]]) -> float:
        x = float(left)
        for name, tile in steps:
            drawing.box(x, y, phases[name] - 3, height, f"{name} {tile}", kinds[name])
            x += phases[name]
        return x

    drawing.text(20, top + 20, "look_back")
    one = bar(top, [(name, tile) for tile in (4, 9) for name in ("load", "scan", "wait", "store")])
    drawing.text(20, top + 76, "pipelined")
    two = bar(top + 56, [("load", 4), ("scan", 4), ("load", 9), ("scan", 9), ("look", 4), ("store", 4), ("load", 13)])
    assert two < one
    drawing.text(left, 30, "time", kind="faint", size=11)
    drawing.arrow(left + 30, 26, left + 130, 26, "faint")
    drawing.note(top + 116, "scan: and publish the aggregate. wait: until all earlier tiles have published theirs.")
    drawing.note(
        top + 136,
        "look: look back, without waiting. Pipelined, tile 4 stays in registers while tile 9 is loaded and published.",
    )
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


FIGURES = (hillis_steele, blelloch, padding, block_sums, reduce_then_scan, look_back, pipelined, segmented)


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "labs/03-scan/figures"
    for figure in FIGURES:
        figure().write(folder / f"{figure.__name__}.svg")


if __name__ == "__main__":
    main()
