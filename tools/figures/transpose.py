"""The figures of lab 13's handout, drawn from the values that the tasks really move."""

from __future__ import annotations

from collections.abc import Callable

from figures.svg import Drawing

SIDE, TILE = 8, 4  # of the matrix and of its tiles
BANKS = 8


def matrix() -> Drawing:
    """Two rows of a matrix and where their elements lie in memory, before and after."""
    rows = [[1, 2, 3, 4], [5, 6, 7, 8]]
    turned = [list(column) for column in zip(*rows, strict=True)]
    drawing = Drawing(
        720, 214, "A matrix and its transpose",
        "Two rows of four elements; in the transpose the first row is a column, whose elements are two places apart.",
    )  # fmt: skip

    def first(value: object) -> str:
        return "active" if value in rows[0] else ""

    drawing.text(60, 26, "2 rows, 4 columns", size=12, kind="faint")
    drawing.cells(60, 38, rows, lambda r, c: first(rows[r][c]))
    drawing.text(420, 26, "4 rows, 2 columns", size=12, kind="faint")
    drawing.cells(420, 38, turned, lambda r, c: first(turned[r][c]))
    drawing.arrow(190, 62, 400, 62)
    for x, name, values in ((20, "d_in", rows), (380, "d_out", turned)):
        memory = [value for row in values for value in row]
        drawing.text(x, 174, name)
        drawing.cells(x + 40, 158, [memory], lambda _, c, memory=memory: first(memory[c]))  # type: ignore[misc]
    drawing.note(
        202, "Four lanes load four neighbours, blue, and store them as many places apart as the matrix has rows."
    )
    return drawing


def tile() -> Drawing:
    """The way of one tile: rows of the input, shared memory, rows of the output."""
    place = [[f"{r}{c}" for c in range(SIDE)] for r in range(SIDE)]
    turned = [list(column) for column in zip(*place, strict=True)]
    held = [row[TILE:] for row in place[:TILE]]
    drawing = Drawing(
        750, 300, "A tile turns round in shared memory",
        "A block loads rows of its tile and stores its columns, which are rows of the output.",
    )  # fmt: skip
    drawing.text(30, 30, "d_in: tile in row 0, column 1 of tiles")
    drawing.cells(
        30, 42, place,
        lambda r, c: ("active" if r == 1 else "done" if c == 6 else "") if r < TILE <= c else "faint",
    )  # fmt: skip
    drawing.text(318, 78, "s_tile")
    drawing.cells(318, 90, held, lambda r, c: "active" if r == 1 else "done" if c == 2 else "")
    drawing.text(500, 30, "d_out: tile in row 1, column 0")
    drawing.cells(
        500, 42, turned,
        lambda r, c: ("done" if r == 6 else "active" if c == 1 else "") if c < TILE <= r else "faint",
    )  # fmt: skip
    drawing.arrow(244, 126, 312, 126, "active")
    drawing.arrow(428, 150, 494, 202, "done")
    drawing.text(252, 116, "a row", size=11, kind="active")
    drawing.text(432, 140, "a column", size=11, kind="done")
    drawing.note(262, "The two digits are row and column of the input. Blue: neighbours that a warp loads.")
    drawing.note(284, "Orange: a column of the tile is a row of the output, neighbours that a warp stores.")
    return drawing


def banks() -> Drawing:
    """In which bank the elements of column 2 lie: as they are, padded, swizzled."""
    ways: dict[str, Callable[[int, int], int]] = {
        "rows of 8 words": lambda y, x: y * BANKS + x,
        "rows of 9 words": lambda y, x: y * (BANKS + 1) + x,
        "place x ^ y": lambda y, x: y * BANKS + (x ^ y),
    }
    drawing = Drawing(
        750, 328, "In which bank a column lies",
        "With rows as long as there are banks, a column lies in one bank; padded or swizzled, in all of them.",
    )  # fmt: skip
    for k, (name, address) in enumerate(ways.items()):
        left = 30 + 240 * k
        memory: dict[int, str] = {address(y, x): f"{y}{x}" for y in range(BANKS) for x in range(BANKS)}
        lines = max(memory) // BANKS + 1
        shown = [[memory.get(line * BANKS + bank, "") for bank in range(BANKS)] for line in range(lines)]
        hit = len({address(y, 2) % BANKS for y in range(BANKS)})
        drawing.text(left, 28, name)
        for bank in range(BANKS):
            drawing.text(left + 26 * bank + 13, 50, bank, size=11, anchor="middle", kind="faint")
        drawing.cells(
            left, 56, shown,
            lambda r, c, shown=shown: "active" if shown[r][c][1:] == "2" else "" if shown[r][c] else "faint",  # type: ignore[misc]
        )  # fmt: skip
        drawing.text(left, 290, f"column 2: {hit} bank{'s' if hit > 1 else ''}", size=12)
    drawing.note(312, "On top: the bank. Two digits: row and column of the tile. Empty: the unused word of a row.")
    return drawing


def in_place() -> Drawing:
    """Which tiles a block exchanges when the matrix is transposed where it is."""
    tiles, width = 4, 54
    drawing = Drawing(
        560, 276, "Tiles that change places",
        "Each tile above the diagonal changes places with the one below; tiles on the diagonal stay and are turned.",
    )  # fmt: skip
    for r in range(tiles):
        for c in range(tiles):
            kind = "active" if c > r else "done" if c == r else "faint"
            drawing.box(40 + c * width, 24 + r * width, width - 6, width - 6, f"{r}{c}", kind)
    for i, (text, kind) in enumerate((
        ("blue: the block loads this tile and", "active"), ("its partner, such as 02 and 20", "active"),
        ("orange: one tile, turned round", "done"), ("dashed: the block has nothing to do", "faint"),
    )):  # fmt: skip
        drawing.text(290, 60 + 26 * i, text, size=12, kind=kind)
    drawing.note(258, "Row and column of a tile. Each is turned round and stored where its partner was.")
    return drawing


def layouts() -> Drawing:
    """Four structures of three words, and the same as three arrays of four."""
    words, n = "xyz", 4
    structures = [f"{word}{i}" for i in range(n) for word in words]
    arrays = [f"{word}{i}" for word in words for i in range(n)]
    drawing = Drawing(
        620, 190, "An array of structures and a structure of arrays",
        "Four structures of x, y and z; as three arrays, the four x are neighbours.",
    )  # fmt: skip

    def first(name: str) -> str:
        return "active" if name.startswith("x") else ""

    for y, name, memory in ((40, "d_structures", structures), (118, "d_arrays", arrays)):
        drawing.text(20, y + 17, name, size=12)
        drawing.cells(120, y, [memory], lambda _, c, memory=memory: first(memory[c]), width=38)  # type: ignore[misc]
    for i in range(n):
        drawing.arrow(120 + 38 * (3 * i + 0.5), 66, 120 + 38 * (i + 0.5), 114, "active")
    drawing.note(176, "Four lanes that need x read 12 words above, and 4 neighbours below.")
    return drawing


def summed() -> Drawing:
    """A picture, its table of sums, and the four sums that give the total of a rectangle."""
    picture = [[3, 1, 4, 1, 5], [9, 2, 6, 5, 3], [5, 8, 9, 7, 9], [3, 2, 3, 8, 4]]
    sums = [[sum(sum(row[: c + 1]) for row in picture[: r + 1]) for c in range(5)] for r in range(4)]
    top, left, bottom, right = 1, 1, 2, 3
    total = sum(sum(row[left : right + 1]) for row in picture[top : bottom + 1])
    corners = {(bottom, right): 1, (top - 1, right): -1, (bottom, left - 1): -1, (top - 1, left - 1): 1}
    terms = [("+" if sign > 0 else "-", sums[r][c]) for (r, c), sign in corners.items()]
    assert sum(value if sign == "+" else -value for sign, value in terms) == total
    drawing = Drawing(
        640, 206, "The sum of any rectangle from four sums",
        "A picture, its summed-area table, and a rectangle whose total is a sum of four entries.",
    )  # fmt: skip
    drawing.text(40, 28, "d_in")
    drawing.cells(
        40, 40, picture, lambda r, c: "active" if top <= r <= bottom and left <= c <= right else "",
        width=38, height=28,
    )  # fmt: skip
    drawing.text(340, 28, "d_out")
    drawing.cells(340, 40, sums, lambda r, c: "done" if (r, c) in corners else "", width=38, height=28)
    drawing.arrow(240, 96, 330, 96)
    told = " ".join(f"{sign} {value}" for sign, value in terms).removeprefix("+ ")
    drawing.note(190, f"Blue: {total} in all. Orange: its last entry, and three just outside: {told} = {total}.")
    return drawing


FIGURES = {"labs/13-transpose/figures": (matrix, tile, banks, in_place, layouts, summed)}
