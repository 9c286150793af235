"""The figures of lab 14's handout, drawn from boards that the rule really makes."""

from __future__ import annotations

from collections.abc import Sequence

from figures.svg import Drawing

Board = list[list[int]]

GLIDER = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
RATE = 0.2


def board_of(rows: int, columns: int, cells: Sequence[tuple[int, int]]) -> Board:
    """Live cells on a torus."""
    board = [[0] * columns for _ in range(rows)]
    for y, x in cells:
        board[y % rows][x % columns] = 1
    return board


def counts_of(board: Board) -> Board:
    """How many neighbours of each cell are alive."""
    rows, columns = len(board), len(board[0])
    around = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]
    return [
        [sum(board[(y + dy) % rows][(x + dx) % columns] for dy, dx in around) for x in range(columns)]
        for y in range(rows)
    ]  # fmt: skip


def after(board: Board, generations: int) -> Board:
    """The board so many generations later."""
    for _ in range(generations):
        counts = counts_of(board)
        board = [
            [int(count == 3 or (count == 2 and cell == 1)) for cell, count in zip(row, of_row, strict=True)]
            for row, of_row in zip(board, counts, strict=True)
        ]
    return board


def torus() -> Drawing:
    """A glider at the corner of a torus, the neighbours of a corner cell, all counts, and the next generation."""
    board = board_of(6, 6, [(y - 1, x - 1) for y, x in GLIDER])
    counts, new = counts_of(board), after(board, 1)
    near = {((dy) % 6, (dx) % 6) for dy in (-1, 0, 1) for dx in (-1, 0, 1)} - {(0, 0)}
    drawing = Drawing(
        720, 254, "A generation on a torus",
        "A glider in the corner of a board of 6 x 6 cells, how many neighbours each cell has, and the next generation.",
    )  # fmt: skip

    def shown(cells: Board) -> list[list[str]]:
        return [["1" if cell else "" for cell in row] for row in cells]

    drawing.text(30, 28, "d_in")
    drawing.cells(
        30, 40, shown(board),
        lambda r, c: "active" if (r, c) == (0, 0) else "done" if (r, c) in near else "",
        width=32, height=28,
    )  # fmt: skip
    drawing.text(270, 28, "d_counts")
    drawing.cells(270, 40, counts, lambda r, c: "active" if (r, c) == (0, 0) else "", width=32, height=28)
    drawing.text(510, 28, "the next generation")
    drawing.cells(510, 40, shown(new), lambda r, c: "active" if (r, c) == (0, 0) else "", width=32, height=28)
    drawing.arrow(226, 124, 264, 124)
    drawing.arrow(466, 124, 504, 124)
    alive = sum(board[y][x] for y, x in near)
    lives = "lives" if new[0][0] else "is dead"
    drawing.note(228, f"Blue: cell (0, 0). Orange: its eight neighbours, {alive} of them alive, so it {lives} next.")
    drawing.note(246, "Above row 0 lies row 5, and to the left of column 0 column 5.")
    return drawing


def boards() -> Drawing:
    """Which board each launch reads and writes, for three and for four generations."""
    drawing = Drawing(
        720, 214, "Boards that change places",
        "Each generation reads one board and writes another; they alternate so that the last one is d_out.",
    )  # fmt: skip
    for row, generations in enumerate((3, 4)):
        y = 36 + 84 * row
        names = ["d_in"] + ["d_out" if left % 2 == 1 else "d_other" for left in range(generations, 0, -1)]
        assert names[-1] == "d_out"
        drawing.text(20, y + 24, f"{generations} generations")
        for k, name in enumerate(names):
            drawing.box(150 + 114 * k, y, 74, 38, name, {"d_in": "", "d_out": "done", "d_other": "active"}[name])
            if k > 0:
                drawing.arrow(150 + 114 * (k - 1) + 76, y + 19, 150 + 114 * k - 3, y + 19)
    drawing.note(202, "An arrow is a launch. With an odd number of generations to go, the next board is d_out.")
    return drawing


def barriers() -> Drawing:
    """A blinker in two boards of shared memory, with a barrier before each generation."""
    board = board_of(5, 5, [(2, 1), (2, 2), (2, 3)])
    drawing = Drawing(
        720, 214, "Generations within a block",
        "Two boards in shared memory; a barrier before each generation, and the boards change places.",
    )  # fmt: skip
    for g in range(4):
        now = after(board, g)
        left = 30 + 178 * g
        drawing.text(left, 28, f"s_boards[{g % 2}]", size=12)
        drawing.cells(
            left, 40, [["1" if cell else "" for cell in row] for row in now],
            lambda r, c, now=now: "done" if now[r][c] else "", width=24, height=24,  # type: ignore[misc]
        )  # fmt: skip
        if g < 3:
            drawing.line([(left + 136, 34), (left + 136, 166)], "active")
            drawing.arrow(left + 142, 100, left + 172, 100)
    drawing.note(188, "Blue: a barrier. Before it, all have written the board on its left, and nobody reads")
    drawing.note(206, "the other board any more. So one barrier for each generation is enough.")
    return drawing


def tile() -> Drawing:
    """A tile at the edge of the board, and where its halo comes from."""
    side, size, top, left = 8, 4, 0, 4
    inside = {(y, x) for y in range(top, top + size) for x in range(left, left + size)}
    area = [[(y % side, x % side) for x in range(left - 1, left + size + 1)] for y in range(top - 1, top + size + 1)]
    halo = {cell for row in area for cell in row} - inside
    drawing = Drawing(
        720, 284, "A tile and its halo",
        "A tile of 4 x 4 cells at the corner of a torus; its halo lies on all four sides of the board.",
    )  # fmt: skip
    drawing.text(30, 28, "the board, 8 x 8 cells")
    drawing.cells(
        30, 40, [[f"{y}{x}" for x in range(side)] for y in range(side)],
        lambda r, c: "active" if (r, c) in inside else "done" if (r, c) in halo else "faint",
    )  # fmt: skip
    drawing.text(420, 52, "s_cells, 6 x 6 cells")
    drawing.cells(
        420, 64, [[f"{y}{x}" for y, x in row] for row in area],
        lambda r, c: "active" if area[r][c] in inside else "done",
    )  # fmt: skip
    drawing.arrow(250, 136, 410, 136)
    drawing.note(256, "The two digits are row and column of a cell. Blue: the tile. Orange: its halo, which wraps")
    drawing.note(274, "in both directions. A cell's neighbours are beside it in s_cells, without any wrap.")
    return drawing


def bits() -> Drawing:
    """A row of two words of 8 bits: the neighbours to the left and right as shifted words, and their sum."""
    width = 8
    row = [1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0]
    columns = len(row)
    words = [sum(row[w * width + x] << x for x in range(width)) for w in range(2)]
    full = (1 << width) - 1
    left = (words[0] << 1 | words[1] >> (width - 1)) & full
    right = words[0] >> 1 | (words[1] & 1) << (width - 1)
    here = words[0]
    ones, twos = left ^ here ^ right, (left & here) | (right & (left ^ here))
    for x in range(width):
        total = row[x - 1] + row[x] + row[(x + 1) % columns]
        assert total == (ones >> x & 1) + 2 * (twos >> x & 1)
    drawing = Drawing(
        720, 342, "Neighbours by shifts, sums by bit operations",
        "A word of eight cells, shifted by one in both directions, and the digits of the sum of the three.",
    )  # fmt: skip

    def show(y: float, name: str, word: int, carried: int = -1, kind: str = "") -> None:
        drawing.text(20, y + 17, name, size=12)
        drawing.cells(
            240, y, [[word >> x & 1 for x in range(width)]],
            lambda _, c: "active" if c == carried else kind, width=30,
        )  # fmt: skip

    for x in range(width):
        drawing.text(240 + 30 * x + 15, 28, x, size=11, anchor="middle", kind="faint")
    show(36, "here: word 0", here)
    drawing.cells(500, 36, [row[width:]], lambda _, c: "active" if c in (0, width - 1) else "faint", width=24)
    drawing.text(500, 28, "word 1", size=11, kind="faint")
    show(84, "left = here << 1 | word 1 >> 7", left, 0)
    show(120, "right = here >> 1 | word 1 << 7", right, width - 1)
    show(168, "ones = left ^ here ^ right", ones, kind="done")
    show(204, "twos = two of the three", twos, kind="done")
    drawing.text(20, 269, "ones + 2 twos", size=12)
    drawing.cells(
        240, 252, [[(ones >> x & 1) + 2 * (twos >> x & 1) for x in range(width)]],
        lambda _, c: "", width=30,
    )  # fmt: skip
    drawing.note(
        304, "Bit 0 is on the left here, as cell 0 is. Blue: cells of the other word. The torus has 16 columns,"
    )
    drawing.note(
        322, "so word 1 is on both sides of word 0. Eight sums of three are computed at once, here 32 in a word."
    )
    return drawing


def temporal() -> Drawing:
    """For how many generations each cell of a block stays right."""
    side, halo = 12, 3
    ring = [[min(y, x, side - 1 - y, side - 1 - x) for x in range(side)] for y in range(side)]
    drawing = Drawing(
        640, 346, "Cells that stay right",
        "A block of 12 x 12 cells with a halo of 3: after each generation one more ring is wrong.",
    )  # fmt: skip
    drawing.cells(
        30, 24, [[min(value, halo) for value in row] for row in ring],
        lambda r, c: "done" if ring[r][c] >= halo else "" if ring[r][c] else "faint",
    )  # fmt: skip
    kept = sum(value >= halo for row in ring for value in row)
    for i, text in enumerate((
        f"{side * side} cells are loaded.", f"{sum(v >= 1 for r in ring for v in r)} are right after 1 generation,",
        f"{sum(v >= 2 for r in ring for v in r)} after 2,", f"{kept} after {halo}: orange, the tile.",
    )):  # fmt: skip
        drawing.text(370, 80 + 26 * i, text, size=12)
    drawing.note(336, "The number in a cell: for how many generations it can be computed from what was loaded.")
    return drawing


def heat() -> Drawing:
    """What a warp of eight lanes holds in registers, and what it stores."""
    plate = [[20.0] * 8, [20.0, 20, 100, 20, 20, 20, 20, 20], [20.0] * 8]
    lanes = 8
    new = [
        plate[1][x] + RATE * (plate[0][x] + plate[2][x] + plate[1][x - 1] + plate[1][x + 1] - 4 * plate[1][x])
        for x in range(1, lanes - 1)
    ]
    drawing = Drawing(
        720, 266, "A warp walks down",
        "Three rows in registers; left and right neighbours come from other lanes; the outer two lanes do not store.",
    )  # fmt: skip
    names = ("above", "here", "below: loaded")
    for x in range(lanes):
        drawing.text(150 + 62 * x + 31, 28, f"lane {x}", size=11, anchor="middle", kind="faint")
    for r, name in enumerate(names):
        drawing.text(20, 36 + 34 * r + 20, name, size=12)
        drawing.cells(
            150, 36 + 34 * r, [[f"{value:g}" for value in plate[r]]],
            lambda _, c, r=r: "active" if r == 2 else "", width=62, height=30,  # type: ignore[misc]
        )  # fmt: skip
    drawing.text(20, 190, "stored")
    drawing.cells(
        150, 170, [["", *(f"{value:g}" for value in new), ""]],
        lambda _, c: "done" if 0 < c < lanes - 1 else "faint", width=62, height=30,
    )  # fmt: skip
    drawing.arrow(150 + 62 * 2.5, 140, 150 + 62 * 2.5, 167)
    drawing.note(
        226, "Each lane loads one cell, blue, for the next row, and has the other two in registers. __shfl_up_sync and"
    )
    drawing.note(
        244, "__shfl_down_sync bring those beside. Lanes 0 and 7 lack a neighbour: they help, and store nothing."
    )
    return drawing


FIGURES = {"labs/14-life/figures": (torus, boards, barriers, tile, bits, temporal, heat)}
