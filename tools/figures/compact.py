"""The figures of lab 4's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

import random
from itertools import accumulate

from figures.svg import Drawing

VALUES = [3, -1, 7, 0, -4, 1, 6, -3]  # kept: those above 0
SUITS = "♣♦♥♠"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def places_of(flags: list[int]) -> list[int]:
    """The exclusive sum, with the total last."""
    return [0, *accumulate(flags)]


def card_name(card: int) -> str:
    """Of a number from 0 to 51, as compact.h counts them."""
    return SUITS[card // 13] + RANKS[card % 13]


def deck() -> Drawing:
    """A shuffled deck: which lanes of which warps would work, before compaction and after."""
    cell, left, top = 29, 20, 68
    drawing = Drawing(
        left * 2 + 32 * cell, 262, "Thirteen diamonds in a deck of 52 cards",
        "With a thread for each card 13 of 52 work, in two warps; after compaction 13 of 13 work, in one.",
    )  # fmt: skip
    cards = list(range(52))
    random.Random(4).shuffle(cards)
    diamonds = [card for card in cards if card // 13 == 1]
    assert len(diamonds) == 13

    def lanes(y: float, row: list[int]) -> None:
        for lane in range(32):
            x = left + lane * cell
            if lane >= len(row):
                drawing.box(x + 1, y, cell - 2, 26, kind="faint")
                continue
            drawing.box(x + 1, y, cell - 2, 26, kind="done" if row[lane] // 13 == 1 else "")
            drawing.text(x + cell / 2, y + 17, card_name(row[lane]), size=11, anchor="middle")

    for lane in range(32):
        drawing.text(left + lane * cell + cell / 2, 50, lane, kind="faint", size=9, anchor="middle", number=True)
    drawing.text(left, 28, "a thread for each card: 52 threads in two warps, 13 of which have a diamond")
    lanes(top, cards[:32])
    lanes(top + 36, cards[32:])
    drawing.text(
        left, top + 100, "after compaction: 13 threads in one warp, all of them at work, the cards still in order"
    )
    lanes(top + 114, diamonds)
    drawing.note(
        top + 168,
        "Boxes: the 32 lanes of a warp. A warp takes as long as its busiest lane, however many others are idle.",
    )
    return drawing


def three_kernels() -> Drawing:
    """Flags, their exclusive sum, and where things go."""
    left, top, pitch = 150, 48, 56
    drawing = Drawing(
        left + 9 * pitch + 20, 326, "Compaction of eight values",
        "The exclusive sum of the flags is the place of each kept value, and its last element the count.",
    )  # fmt: skip
    flags = [int(value > 0) for value in VALUES]
    places = places_of(flags)
    kinds = ["done" if flag else "faint" for flag in flags]
    for i in range(8):
        drawing.text(left + i * pitch + 24, 30, i, kind="faint", size=11, anchor="middle")
    drawing.text(20, 30, "element", kind="faint", size=11)
    drawing.text(20, top + 19, "input")
    middles = drawing.row(left, top, VALUES, kinds=kinds)
    drawing.text(20, top + 73, "1. x > 0 ?")
    drawing.row(left, top + 54, flags, kinds=["active" if flag else "" for flag in flags])
    drawing.text(20, top + 127, "2. exclusive sum")
    ends = drawing.row(left, top + 108, places, kinds=[*kinds, "active"])
    drawing.text(ends[8], top + 154, "count", kind="active", size=12, anchor="middle")
    y = top + 192
    kept = [value for value, flag in zip(VALUES, flags, strict=True) if flag]
    drawing.text(20, y + 19, "3. output")
    to = drawing.row(
        left, y, [*kept, *[""] * (8 - len(kept))], kinds=["done" if i < len(kept) else "faint" for i in range(8)]
    )
    for i, flag in enumerate(flags):
        drawing.line([(middles[i], top + 28), (middles[i], top + 53)], "" if flag else "faint")
        if flag:
            drawing.arrow(middles[i], top + 136, to[places[i]], y - 1, "done")
    assert places[8] == len(kept)
    drawing.note(
        y + 56, "A place is the number of kept values before. Faint: not kept; in the output, not to be written."
    )
    return drawing


def fused() -> Drawing:
    """Three tiles of four: counts, offsets, ranks, places."""
    values = [*VALUES, 4, 5, -8, 2]
    left, pitch = 150, 52
    drawing = Drawing(
        left + 12 * pitch + 24, 392, "Compaction of three tiles",
        "Tiles count; the counts are scanned; a kept value goes to its tile's offset plus its rank in the tile.",
    )  # fmt: skip
    tiles = [values[k : k + 4] for k in range(0, 12, 4)]
    flags = [[int(value > 0) for value in tile] for tile in tiles]
    ranks = [places_of(row)[:4] for row in flags]
    counts = [sum(row) for row in flags]
    offsets = places_of(counts)
    kept = [value for value in values if value > 0]

    def tile_x(k: int) -> float:
        return left + k * (4 * pitch + 8)

    def rows(y: float, rows_of: list[list[int]], kinds: list[list[str]]) -> list[list[float]]:
        return [
            drawing.row(tile_x(k), y, row, width=44, gap=pitch - 44, kinds=kinds[k]) for k, row in enumerate(rows_of)
        ]

    drawing.text(20, 49, "input, in tiles")
    rows(30, tiles, [["done" if flag else "faint" for flag in row] for row in flags])
    drawing.text(20, 109, "1. count")
    drawing.text(20, 179, "2. offsets")
    drawing.text(20, 249, "3. rank in the tile")
    below = rows(230, ranks, [["active" if flag else "faint" for flag in row] for row in flags])
    out = drawing.row(left + pitch, 320, kept, width=44, gap=pitch - 44, kinds=["done"] * len(kept))
    drawing.text(20, 339, "output")
    for k in range(3):
        middle = tile_x(k) + 2 * pitch - 4
        drawing.line([(middle, 58), (middle, 89)], "active")
        drawing.box(middle - 26, 90, 52, 28, counts[k])
        drawing.box(middle - 26, 160, 52, 28, offsets[k], "done")
        for later in range(k + 1, 3):
            drawing.arrow(middle, 118, tile_x(later) + 2 * pitch - 4 - 6, 159, "active")
        for i in range(4):
            if flags[k][i]:
                drawing.arrow(below[k][i], 258, out[offsets[k] + ranks[k][i]], 319, "done")
                assert values[4 * k + i] == kept[offsets[k] + ranks[k][i]]
    drawing.note(
        376,
        f"Place = offset + rank. 3 counts go through global memory, not 12 flags and 12 places. Count: {offsets[3]}.",
    )
    return drawing


def ballot() -> Drawing:
    """One row of a warp: 32 answers in a word, and a lane's rank."""
    cell, left, top, me = 27, 108, 42, 19
    drawing = Drawing(
        left + 32 * cell + 20, 236, "A ballot of 32 lanes",
        "The ballot's bits below a lane's own, counted, are the lane's rank.",
    )  # fmt: skip
    numbers = random.Random(7)
    values = [numbers.randint(-9, 9) for _ in range(32)]
    votes = sum(1 << lane for lane in range(32) if values[lane] > 0)
    below = (1 << me) - 1
    rank = (votes & below).bit_count()
    kept = [value for value in values if value > 0]
    assert kept[rank] == values[me] > 0

    def row(y: float, name: str, texts: list[object], kinds: list[str]) -> None:
        drawing.text(20, y + 18, name)
        for lane in range(32):
            x = left + lane * cell
            drawing.box(x + 1, y, cell - 2, 26, kind=kinds[lane])
            drawing.text(x + cell / 2, y + 17, texts[lane], size=11, anchor="middle", number=True)

    for lane in range(32):
        drawing.text(left + lane * cell + cell / 2, top - 8, lane, kind="active" if lane == me else "faint", size=9,
                     anchor="middle", number=True)  # fmt: skip
    drawing.text(20, top - 8, "lane", kind="faint", size=11)
    row(top, "x", list(values), ["done" if value > 0 else "faint" for value in values])
    bits = [votes >> lane & 1 for lane in range(32)]
    row(top + 38, "votes", list(bits), ["active" if bit else "" for bit in bits])
    masked = [(votes & below) >> lane & 1 for lane in range(32)]
    row(top + 76, f"before {me}", ["" if lane >= me else bit for lane, bit in enumerate(masked)],
        ["faint" if lane >= me else "active" if masked[lane] else "" for lane in range(32)])  # fmt: skip
    row(
        top + 128,
        "output",
        [*kept, *[""] * (32 - len(kept))],
        ["done" if i < len(kept) else "faint" for i in range(32)],
    )
    drawing.arrow(left + me * cell + cell / 2, top + 102, left + rank * cell + cell / 2, top + 127, "done")
    drawing.note(
        top + 178,
        f"Lane {me}: popc(0x{votes:08x} & 0x{below:08x}) = {rank}. The next row begins {len(kept)} places later.",
    )
    return drawing


def look_back() -> Drawing:
    """Four tiles at one moment: what they have published, and where tile 3 writes."""
    kept = [5, 3, 6, 4]
    left, pitch, top, unit = 150, 150, 86, 26
    drawing = Drawing(
        left + 4 * pitch + 20, 306, "Tile 3 looks back",
        "Tile 2 has published its aggregate, tile 1 its inclusive prefix: tile 3 adds the two.",
    )  # fmt: skip
    inclusive = list(accumulate(kept))
    known = [inclusive[0], inclusive[1], kept[2], kept[3]]
    status = ["inclusive prefix", "inclusive prefix", "aggregate", "aggregate"]
    kinds = ["faint", "done", "active", "active"]
    drawing.text(20, top - 8, "tile", kind="faint", size=11)
    drawing.text(20, top + 19, "published")
    middles = []
    for k in range(4):
        x = left + k * pitch
        middles.append(x + 66)
        drawing.text(middles[k], top - 8, k, kind="faint", size=11, anchor="middle")
        drawing.box(x, top, 132, 28, f"{status[k]} {known[k]}", kinds[k])
    drawing.arc(middles[3] - 8, middles[2] + 4, top - 20, 16, "active")
    drawing.arc(middles[3] - 2, middles[1] + 4, top - 20, 36, "done")
    first = inclusive[1] + kept[2]
    assert first == inclusive[2]
    drawing.text(
        20,
        top + 62,
        f"exclusive prefix of tile 3 = {inclusive[1]} + {kept[2]} = {first}: its first kept element goes there",
    )
    y = top + 92
    drawing.text(20, y + 19, "d_out")
    for place in range(inclusive[3]):
        tile = next(k for k in range(4) if place < inclusive[k])
        drawing.box(left + place * unit, y, unit - 3, 28, tile, "active" if tile == 3 else "")
        drawing.text(
            left + place * unit + unit / 2 - 1, y + 44, place, kind="faint", size=9, anchor="middle", number=True
        )
    for place in range(inclusive[3], 22):
        drawing.box(left + place * unit, y, unit - 3, 28, kind="faint")
    drawing.text(
        20,
        y + 74,
        f"then it publishes the inclusive prefix {first} + {kept[3]} = {inclusive[3]}; the last tile's is the count",
    )
    drawing.note(
        y + 104,
        "A box of d_out shows the tile that its element comes from. Elements and votes stay in registers meanwhile.",
    )
    return drawing


FIGURES = {"labs/04-compact/figures": (deck, three_kernels, fused, ballot, look_back)}
