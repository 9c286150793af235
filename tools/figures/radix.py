"""The figures of lab 10's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate

from figures.svg import Drawing

KEYS = [5, 2, 7, 1, 4, 3, 6, 2]  # three bits each; the two 2s show that equal keys keep their order
BITS = 3
TILES = ((2, 0, 3, 1), (1, 1, 3, 0), (3, 2, 0, 1))  # digits of two bits


def exclusive(counts: list[int]) -> list[int]:
    """The exclusive sum, with the total last."""
    return [0, *accumulate(counts)]


def places_of_split(keys: list[int], bit: int) -> list[int]:
    """Where a stable split by one bit puts each key."""
    before = exclusive([1 - (key >> bit & 1) for key in keys])
    zeros = before[-1]
    return [before[i] if not key >> bit & 1 else zeros + i - before[i] for i, key in enumerate(keys)]


def moved(keys: list[int], places: list[int]) -> list[int]:
    out = [0] * len(keys)
    for key, place in zip(keys, places, strict=True):
        out[place] = key
    return out


def binary(key: int) -> str:
    return f"{key:0{BITS}b}"


def split() -> Drawing:
    """One split by the lowest bit: flags, sums, places."""
    left, top, pitch = 168, 48, 56
    drawing = Drawing(
        left + 9 * pitch + 20, 340, "A split of eight keys by their lowest bit",
        "The exclusive sum of the zeros is the place of each key with a 0; keys with a 1 follow all zeros.",
    )  # fmt: skip
    zeros = [1 - (key & 1) for key in KEYS]
    before = exclusive(zeros)
    places = places_of_split(KEYS, 0)
    kinds = ["active" if zero else "done" for zero in zeros]
    for i in range(8):
        drawing.text(left + i * pitch + 24, 30, i, kind="faint", size=11, anchor="middle")
    drawing.text(20, 30, "place", kind="faint", size=11)
    drawing.text(20, top + 19, "keys, in bits")
    middles = drawing.row(left, top, [binary(key) for key in KEYS], kinds=kinds)
    drawing.text(20, top + 73, "1. lowest bit 0?")
    drawing.row(left, top + 54, zeros)
    drawing.text(20, top + 127, "2. exclusive sum")
    ends = drawing.row(left, top + 108, before, kinds=[*kinds, ""])
    drawing.text(ends[8], top + 154, "zeros", kind="faint", size=12, anchor="middle")
    y = top + 200
    drawing.text(20, y + 19, "3. split")
    out = moved(KEYS, places)
    assert [key & 1 for key in out] == sorted(key & 1 for key in KEYS)
    to = drawing.row(left, y, [binary(key) for key in out], kinds=["done" if key & 1 else "active" for key in out])
    for i, place in enumerate(places):
        drawing.line([(middles[i], top + 28), (middles[i], top + 53)], "faint")
        drawing.arrow(middles[i], top + 136, to[place], y - 1, kinds[i])
    drawing.note(
        y + 56, "A zero (blue) goes to its sum. A one (orange) goes to zeros + i - sum: i - sum is the number of"
    )
    drawing.note(y + 74, "ones before it. No key overtakes another one with the same bit: the split is stable.")
    return drawing


def passes() -> Drawing:
    """The three passes of a sort of eight keys."""
    left, top, pitch, step = 168, 28, 56, 92
    drawing = Drawing(
        left + 8 * pitch + 20, top + 3 * step + 76, "A radix sort of eight keys, one bit a pass",
        "After the pass of bit k the keys are sorted by their lowest k + 1 bits.",
    )  # fmt: skip
    keys = list(KEYS)
    for bit in range(BITS + 1):
        y = top + bit * step
        sorted_by = f"by {bit} bit" + ("s" if bit > 1 else "")
        drawing.text(20, y + 19, sorted_by if bit else "input")
        kinds = [("done" if key >> bit & 1 else "active") if bit < BITS else "" for key in keys]
        middles = drawing.row(left, y, [f"{binary(key)}" for key in keys], kinds=kinds)
        for i, key in enumerate(keys):
            drawing.text(middles[i], y + 42, key, kind="faint", size=11, anchor="middle", number=True)
        assert [key % (1 << bit) for key in keys] == sorted(key % (1 << bit) for key in keys)
        if bit == BITS:
            break
        places = places_of_split(keys, bit)
        for i, place in enumerate(places):
            drawing.arrow(middles[i], y + 48, middles[place], y + step - 1, kinds[i])
        keys = moved(keys, places)
    assert keys == sorted(KEYS)
    drawing.note(top + 3 * step + 62, "The colour is the bit of the next pass. Below each key is its value.")
    return drawing


def table() -> Drawing:
    """Counts of three tiles, the transposed table, its sum, and where the keys of a digit go."""
    digits, tiles, width = 4, 3, 40
    drawing = Drawing(
        790, 400, "Where each tile's keys of each digit go",
        "Summed digit by digit, the counts give the place of each tile's first key of each digit.",
    )  # fmt: skip
    counts = [[tile.count(d) for d in range(digits)] for tile in TILES]
    flat = [counts[t][d] for d in range(digits) for t in range(tiles)]
    sums = exclusive(flat)
    chosen = (1, 1)  # tile, digit
    drawing.text(20, 30, "digits of three tiles", kind="faint", size=12)
    for t, tile in enumerate(TILES):
        x = 20 + t * 190
        drawing.row(
            x, 42, tile, width=width, gap=4,
            kinds=["active" if (t, digit) == chosen else "done" if digit == chosen[1] else "" for digit in tile],
        )  # fmt: skip
        drawing.text(x + 88, 88, f"tile {t}", kind="faint", size=11, anchor="middle")

    def grid(x: float, title: str, value: Callable[[int, int], int]) -> None:
        drawing.text(x, 124, title)
        for t in range(tiles):
            drawing.text(x + 62 + t * 48 + 22, 148, f"tile {t}", kind="faint", size=11, anchor="middle")
        for d in range(digits):
            drawing.text(x, 175 + d * 36, f"digit {d}", kind="faint", size=11)
            drawing.row(
                x + 62, 156 + d * 36, [value(d, t) for t in range(tiles)], width=44, gap=4,
                kinds=["active" if (t, d) == chosen else "done" if d == chosen[1] else "" for t in range(tiles)],
            )  # fmt: skip

    grid(20, "counts, a row for each digit", lambda d, t: flat[d * tiles + t])
    grid(300, "their exclusive sum, row after row", lambda d, t: sums[d * tiles + t])
    drawing.text(540, 175, "all 0s before all 1s,", kind="faint", size=12)
    drawing.text(540, 193, "among the 1s tile 0 before tile 1:", kind="faint", size=12)
    first = sums[chosen[1] * tiles + chosen[0]]
    drawing.text(540, 218, f"tile 1 writes its 1s from {first} on", kind="active", size=13)
    everything = [(digit, t, i) for t, tile in enumerate(TILES) for i, digit in enumerate(tile)]
    out = sorted(everything, key=lambda one: one[0])
    assert out[first] == (1, 1, 0) and out[first - 1][:2] == (1, 0)
    drawing.text(20, 340, "output")
    kinds = ["active" if (t, digit) == chosen else "done" if digit == chosen[1] else "" for digit, t, _ in out]
    middles = drawing.row(100, 320, [digit for digit, _, _ in out], width=width, gap=4, kinds=kinds)
    for i, middle in enumerate(middles):
        drawing.text(middle, 362, i, kind="faint", size=11, anchor="middle", number=True)
    drawing.note(386, "The sum runs over 12 counts for 12 keys here, as a tile has only 4 keys. A real tile has 4096.")
    return drawing


def block_sort() -> Drawing:
    """The store of a warp's 32 keys, from the original tile and after a block sort."""
    lanes, warps, digits, cell = 32, 8, 8, 27
    drawing = Drawing(
        40 + lanes * cell, 330, "A warp's store from the original tile and from the sorted tile",
        "From the sorted tile, neighbouring lanes write neighbouring places.",
    )  # fmt: skip
    numbers = random.Random(10)
    tile = [numbers.randrange(digits) for _ in range(lanes * warps)]
    order = sorted(range(len(tile)), key=lambda i: tile[i])
    local = exclusive([tile.count(d) for d in range(digits)])
    region = 64  # places that belong to a digit in the output; our tile's keys begin anywhere in it
    start = [d * region + 3 * d + 5 for d in range(digits)]
    place = {i: start[tile[i]] + j - local[tile[i]] for j, i in enumerate(order)}

    def draw(y: float, title: str, keys: list[int]) -> None:
        sectors = sorted({place[i] // 8 for i in keys})
        drawing.text(20, y, f"{title}: {len(sectors)} sectors")
        shade = {sector: ("active", "done")[k % 2] for k, sector in enumerate(sectors)}
        for lane, i in enumerate(keys):
            drawing.box(20 + lane * cell, y + 14, cell - 3, 26, tile[i], shade[place[i] // 8])
            drawing.text(
                20 + lane * cell + cell / 2 - 1, y + 56, place[i], kind="faint", size=9, anchor="middle", number=True
            )

    def sectors_of(keys: list[int]) -> int:
        return len({place[i] // 8 for i in keys})

    draw(40, "third row of the original tile", list(range(64, 96)))
    draw(150, "third row of the sorted tile", order[64:96])
    as_it_was = sum(sectors_of(list(range(w * lanes, (w + 1) * lanes))) for w in range(warps))
    as_sorted = sum(sectors_of(order[w * lanes : (w + 1) * lanes]) for w in range(warps))
    assert as_sorted < as_it_was
    drawing.note(
        250, "Boxes: the digits of 32 lanes; the colour changes with the 32-byte sector. Below: the place written."
    )
    drawing.note(
        270,
        f"All {warps} rows: {as_it_was} sectors from the original tile, {as_sorted} from the sorted one, 32 at best.",
    )
    drawing.note(
        290,
        "The keys of one digit form a run in the sorted tile. The longer the run, the fewer partly written sectors:",
    )
    drawing.note(
        310, "4096 keys have runs of 16 keys, 64 bytes, with 8-bit digits, and of 256 keys, 1 KB, with 4-bit digits."
    )
    return drawing


FIGURES = {"labs/10-radix/figures": (split, passes, table, block_sort)}
