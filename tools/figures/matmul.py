"""The figures of lab 16's handout, drawn from products that are really made: tools/author figures matmul."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from figures.svg import Drawing

A = [[1, 2, 0, 3], [2, 1, 4, 0], [0, 5, 1, 1]]
B = [[3, 1, 2, 4, 0], [1, 0, 5, 1, 2], [2, 2, 1, 0, 3], [4, 1, 0, 2, 1]]


def product(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]


def matrices() -> Drawing:
    """A row of A and a column of B give an element of C."""
    c = product(A, B)
    row, column = 1, 2
    terms = [f"{x} · {y}" for x, y in zip(A[row], (line[column] for line in B), strict=True)]
    drawing = Drawing(
        590, 300, "An element of C is a sum of products",
        "A row of A and a column of B, multiplied element by element and added up, give an element of C.",
    )  # fmt: skip
    drawing.text(300, 24, "B: inner x columns")
    drawing.cells(300, 34, B, lambda r, k: "active" if k == column else "", 30, 26)
    drawing.text(120, 152, "A: rows x inner")
    drawing.cells(120, 162, A, lambda r, k: "active" if r == row else "", 30, 26)
    drawing.text(464, 206, "C: rows x columns", size=12)
    drawing.cells(300, 162, c, lambda r, k: "done" if (r, k) == (row, column) else "", 30, 26)
    drawing.note(270, f"C({row}, {column}) = {' + '.join(terms)} = {c[row][column]}")
    drawing.note(288, "All four elements of A's row are used for each of the five columns.")
    return drawing


def tiles() -> Drawing:
    """The tiles of A and B that a block takes, step by step, for its tile of C."""
    side, tile = 6, 2
    a = [[(r * 3 + k * 2) % 5 for k in range(side)] for r in range(side)]
    b = [[(k * 2 + c) % 4 for c in range(side)] for k in range(side)]
    top, left = 2, 4

    def partial(last: int) -> list[list[int]]:
        return product([row[:last] for row in a[top : top + tile]], [row[left : left + tile] for row in b[:last]])

    drawing = Drawing(
        760, 300, "A tile of C from tiles of A and B",
        "A block goes along a band of A and down a band of B, a pair of tiles at a time, and adds up their products.",
    )  # fmt: skip
    step, size = 1, 26
    here = range(step * tile, (step + 1) * tile)
    drawing.text(40, 26, "A")
    drawing.cells(
        40, 36, a,
        lambda r, k: ("active" if k in here else "done") if top <= r < top + tile else "", size, size,
    )  # fmt: skip
    drawing.text(250, 26, "B")
    drawing.cells(
        250, 36, b,
        lambda k, c: ("active" if k in here else "done") if left <= c < left + tile else "", size, size,
    )  # fmt: skip
    for at in range(side // tile):
        y = 36 + at * 56
        drawing.text(470, y + 30, f"step {at}", size=12, kind="active" if at == step else "")
        before = f"k = {at * tile}, {at * tile + 1}"
        drawing.text(530, y + 30, before, size=12, kind="faint")
        drawing.cells(
            630, y, partial((at + 1) * tile), lambda r, c, at=at: "done" if at == side // tile - 1 else "",  # type: ignore[misc]
            34, 24,
        )  # fmt: skip
    drawing.note(232, "Orange: what the block needs of A and B. Blue: the tiles of step 1, in shared memory.")
    drawing.note(252, "Right: the block's sums after each step; after the last they are its tile of C.")
    drawing.note(272, "Each element of a tile is loaded once, and used by two threads here, by 32 in your kernel.")
    return drawing


def outer() -> Drawing:
    """For one k, four elements of A times four of B: sixteen products from eight loads."""
    a, b = [2, 1, 0, 3], [1, 4, 2, 5]
    drawing = Drawing(
        620, 250, "Sixteen products from eight loads",
        "For one k, a thread multiplies each of four elements of A by each of four elements of B.",
    )  # fmt: skip
    drawing.text(250, 26, "4 elements of row k of B")
    drawing.cells(250, 36, [b], lambda r, c: "active", 40, 30)
    drawing.text(40, 88, "4 elements of")
    drawing.text(40, 106, "column k of A")
    drawing.cells(190, 84, [[x] for x in a], lambda r, c: "active", 40, 30)
    drawing.cells(250, 84, product([[x] for x in a], [b]), lambda r, c: "done", 40, 30)
    drawing.text(426, 150, "added to")
    drawing.text(426, 168, "16 registers")
    drawing.note(232, "Blue: read from shared memory, 8 floats. Orange: 16 products. With 8 x 8, 16 reads make 64.")
    return drawing


def buffers() -> Drawing:
    """Which tile is where in each step, with two tiles in shared memory."""
    steps = 4
    drawing = Drawing(
        690, 236, "While tiles are multiplied, the next are loaded",
        "Over time: loads of tile 1 to registers during the sums of tile 0, its store to the other tile, a barrier.",
    )  # fmt: skip
    names = ("load to registers", "s_a[0], s_b[0]", "s_a[1], s_b[1]", "multiply")
    for i, name in enumerate(names):
        drawing.text(20, 60 + 38 * i, name, size=12)
    width = 124
    for step in range(steps):
        x = 160 + step * width
        drawing.text(x + width / 2 - 6, 28, f"step {step}", size=12, anchor="middle", kind="faint")
        if step + 1 < steps:
            drawing.box(x, 40, width * 0.6, 28, f"tile {step + 1}", "active")
        for buffer in (0, 1):
            holds = step if step % 2 == buffer else step + 1 if step + 1 < steps else None
            y = 78 + 38 * buffer
            if step % 2 == buffer:
                drawing.box(x, y, width - 12, 28, f"tile {holds}", "done")
            elif holds is not None:
                drawing.box(x + width * 0.64, y, width * 0.36 - 12, 28, holds, "active")
        drawing.box(x, 154, width * 0.6, 28, f"tile {step}", "done")
        drawing.line([(x + width - 8, 36), (x + width - 8, 186)])
    drawing.note(208, "Blue: the next tile on its way, to registers and then to the buffer that nobody reads.")
    drawing.note(226, "Lines: a barrier each. With one buffer instead of two, a step needs two.")
    return drawing


def parts() -> Drawing:
    """One tile of C on eight multiprocessors: as one block, and as sixteen parts of its sums."""
    processors, each, inner = 8, 2, 1024
    blocks = processors * each
    drawing = Drawing(
        700, 250, "One tile of C for eight multiprocessors",
        "As one block, seven of eight multiprocessors have nothing to do; as sixteen parts, each has two blocks.",
    )  # fmt: skip
    for k, (name, count) in enumerate((("1 part", 1), (f"{blocks} parts", blocks))):
        y = 40 + 96 * k
        drawing.text(20, y + 34, name)
        for processor in range(processors):
            x = 110 + 70 * processor
            if k == 0:
                drawing.text(x + 30, 28, processor, size=11, anchor="middle", kind="faint")
            for slot in range(each):
                block = slot * processors + processor
                first = block * (inner // count)
                label = "all" if count == 1 else first
                has_work = block < count
                drawing.box(x, y + 34 * slot, 60, 28, label if has_work else "", "active" if has_work else "faint")
    drawing.note(
        222, f"Above: multiprocessors that hold {each} blocks each. In a block: the first product that it adds."
    )
    drawing.note(240, f"A part has {inner // blocks} of {inner:,} products; a second kernel adds {blocks} numbers.")
    return drawing


def _bits(value: float, kind: str) -> str:
    code, number = {"float": ("f", "I"), "half": ("e", "H")}[kind]
    bits = struct.unpack("<" + number, struct.pack("<" + code, value))[0]
    return f"{bits:0{struct.calcsize(number) * 8}b}"


def formats() -> Drawing:
    """The bits of 0.1 as float and half, and what a sum of ones becomes in half."""
    drawing = Drawing(
        740, 226, "0.1 as float and as half",
        "A float has 8 bits of exponent and 23 of fraction, a half 5 and 10.",
    )  # fmt: skip
    for i, (kind, exponent) in enumerate((("float", 8), ("half", 5))):
        y, bits = 40 + 70 * i, _bits(0.1, kind)
        drawing.text(20, y + 19, kind)
        for at, bit in enumerate(bits):
            shade = "" if at == 0 else "active" if at <= exponent else "done"
            drawing.box(74 + 19 * at, y, 19, 28, bit, shade)
        code = {"float": "<f", "half": "<e"}[kind]
        held = struct.unpack(code, struct.pack(code, 0.1))[0]
        drawing.text(74, y + 46, f"= {held:.10f}", size=12, kind="faint")
    total = 0.0
    for _ in range(4096):
        total = struct.unpack("<e", struct.pack("<e", total + 1))[0]
    drawing.note(196, "Blue: the exponent. Orange: the fraction.")
    drawing.note(214, f"Adding 1 to a half 4,096 times gives {total:,.0f}: from there on, the next half is 2 away.")
    return drawing


def fragments() -> Drawing:
    """Which fragments of the block's tile of C each warp has."""
    across, down, size = 8, 8, 24
    drawing = Drawing(
        600, 284, "Fragments of eight warps",
        "A tile of 128 x 128 elements is 8 x 8 fragments; each of eight warps has 4 x 2 of them.",
    )  # fmt: skip
    warp = [[r // 4 * 4 + c // 2 for c in range(across)] for r in range(down)]
    mine = 5
    drawing.cells(250, 50, warp, lambda r, c: "done" if warp[r][c] == mine else "", size, size)
    for r in range(down):
        drawing.box(200, 50 + r * size, size, size, "", "active" if 4 <= r < 8 else "faint")
    for c in range(across):
        drawing.box(250 + c * size, 14, size, size, "", "active" if 2 <= c < 4 else "faint")
    drawing.text(20, 130, "fragments of A")
    drawing.text(20, 148, "for one step of 16")
    drawing.text(452, 31, "fragments of B")
    drawing.text(452, 130, "C: the number")
    drawing.text(452, 148, "of the warp")
    drawing.note(270, f"Warp {mine} loads 4 + 2 fragments, blue, and multiplies 8 times, orange.")
    return drawing


FIGURES = {"labs/16-matmul/figures": (matrices, tiles, outer, buffers, parts, formats, fragments)}
