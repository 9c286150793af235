"""The figures of lab 3's handout about several tiles: block sums, reduce-then-scan, look-back, pipelined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from figures.scan import VALUES
from figures.svg import Drawing


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


FIGURES = {"labs/03-scan/figures": (block_sums, reduce_then_scan, look_back, pipelined)}
