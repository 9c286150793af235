"""Which lane touches which address and bank: one access of a warp as a map, and all of them for the slider.

A row is a line of 128 bytes: four sectors of global memory, or one word of each of the 32 banks of shared memory. The
script in lanes.js draws the other accesses in the same way from `steps_of`; a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from autograder.page.svg import Drawing
from autograder.run.protocol import Trace, TraceStep
from autograder.sanitize import clean

WORD, LINE, BANKS, SECTOR = 4, 128, 32, 8  # bytes, bytes, words of a line, words of a sector
CELL, LEFT, TOP = 20, 76, 22
MOST_ROWS = 64  # of a map: misaligned accesses of 32 lanes may touch this many lines


@dataclass(frozen=True)
class Cell:
    """One word that lanes touch."""

    row: int
    column: int
    text: str  # the lane, or how many
    group: int  # of eight lanes, the first lane's
    conflict: bool = False  # another word in the same bank is needed at the same time


@dataclass(frozen=True)
class Map:
    """One access, placed on lines."""

    lines: list[int]  # their first bytes
    cells: list[Cell]
    touched: list[tuple[int, int]]  # row and number of each sector, global memory only


def map_of(step: TraceStep) -> Map:
    """Words by the lanes that touch them, line by line."""
    lanes_of: dict[int, list[int]] = {}
    for lane in range(32):
        if step.lanes >> lane & 1:
            for word in range(step.at[lane] // WORD, (step.at[lane] + step.bytes - 1) // WORD + 1):
                lanes_of.setdefault(word, []).append(lane)
    numbers = sorted({word // BANKS for word in lanes_of})[:MOST_ROWS]
    row_of = {line: row for row, line in enumerate(numbers)}
    words = sorted(word for word in lanes_of if word // BANKS in row_of)
    in_bank: dict[int, int] = {}
    for word in words:
        in_bank[word % BANKS] = in_bank.get(word % BANKS, 0) + 1
    conflicting = step.space == "shared" and step.cost > step.ideal
    cells = [
        Cell(
            row_of[word // BANKS],
            word % BANKS,
            str(lanes[0]) if len(lanes) == 1 else f"×{len(lanes)}",
            lanes[0] // 8,
            conflicting and in_bank[word % BANKS] > 1,
        )
        for word, lanes in ((word, lanes_of[word]) for word in words)
    ]
    sectors = sorted({(cell.row, cell.column // SECTOR) for cell in cells}) if step.space == "global" else []
    return Map([line * LINE for line in numbers], cells, sectors)


def drawing(step: TraceStep) -> Drawing:
    """The map of one access."""
    found = map_of(step)
    height = TOP + max(1, len(found.lines)) * CELL + 4
    d = Drawing(LEFT + BANKS * CELL + 4, height, "which lane touches which address", "lanes")
    for column in range(0, BANKS, SECTOR if step.space == "global" else 4):
        word = (
            f"sector {column // SECTOR}" if step.space == "global" else f"bank {column}" if not column else str(column)
        )
        d.text(LEFT + column * CELL + 2, TOP - 7, word, "faint")
    d.text(LEFT - 8, TOP - 7, "byte", "faint", "end")
    for row, byte in enumerate(found.lines):
        d.text(LEFT - 8, TOP + row * CELL + 14, f"{byte:,}", "faint", "end")
        d.box(LEFT, TOP + row * CELL, BANKS * CELL, CELL - 2, "row")
    for row, sector in found.touched:
        d.box(LEFT + sector * SECTOR * CELL, TOP + row * CELL, SECTOR * CELL - 2, CELL - 2, "sector")
    for cell in found.cells:
        x, y = LEFT + cell.column * CELL, TOP + cell.row * CELL
        d.box(x, y, CELL - 2, CELL - 2, f"lane g{cell.group}" + (" conflict" if cell.conflict else ""))
        d.text(x + (CELL - 2) / 2, y + 13, cell.text, f"on g{cell.group}", "middle")
    return d


def sentence(step: TraceStep) -> str:
    """What the access is and costs."""
    count = step.lanes.bit_count()
    lanes = f"{count} lane" if count == 1 else f"{count} lanes"
    what = f"{step.access} of {clean(step.array, 60) or 'memory'}, {step.bytes} bytes by each of {lanes}"
    unit = "sector" if step.space == "global" else "wavefront"
    enough = f"{step.ideal:,} would do" if step.cost > step.ideal else "no more than needed"
    return f"{what}: {step.cost:,} {unit}{'s' * (step.cost != 1)}, {enough}"


def first_shown(trace: Trace) -> int:
    """The access whose cost exceeds its ideal the most; the first one if several do."""
    return max(range(len(trace.steps)), key=lambda at: (trace.steps[at].cost - trace.steps[at].ideal, -at))


def steps_of(trace: Trace) -> str:
    """JSON for the script: each access with its space, bytes, lanes, offsets and sentence."""
    steps = [
        {
            "shared": step.space == "shared",
            "conflict": step.cost > step.ideal,
            "bytes": step.bytes,
            "at": [step.at[lane] if step.lanes >> lane & 1 else None for lane in range(32)],
            "text": sentence(step),
        }
        for step in trace.steps
    ]
    return msgspec.json.encode(steps).decode()
