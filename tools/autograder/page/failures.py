"""The picture of a wrong output: a strip of cells, or an image's pixels."""

from __future__ import annotations

from autograder.explain.explanation import Picture
from autograder.page.svg import Drawing

WIDTH = 660
_KINDS = {"x": "wrong", "-": "partly", "u": "unwritten"}
_WORDS = {".": "right", "-": "some wrong", "x": "wrong", "u": "never written"}
ROW = 64  # cells of a strip in one row


def strip_or_image(picture: Picture) -> Drawing:
    return _image(picture) if picture.width else _strip(picture)


def marks(picture: Picture) -> list[tuple[str, str]]:
    """The legend: class and word of each kind of cell that occurs."""
    return [(_KINDS.get(mark, "right"), word) for mark, word in _WORDS.items() if mark in picture.cells]


def _words(picture: Picture, first: int, mark: str, count: int) -> str:
    begin = first * picture.elements
    end = begin + count * picture.elements - 1
    where = f"{begin:,}" if begin == end else f"{begin:,} to {end:,}"
    block = (
        f", block {begin // picture.block:,}"
        if picture.block and begin // picture.block == end // picture.block
        else ""
    )
    return f"{where}{block}: {_WORDS.get(mark, 'right')}"


def _runs(cells: str, first: int) -> list[tuple[int, int, str]]:
    """Start, length and mark of equal neighbours."""
    runs: list[tuple[int, int, str]] = []
    for at, mark in enumerate(cells, first):
        if runs and runs[-1][2] == mark:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1, mark)
        else:
            runs.append((at, 1, mark))
    return runs


def _strip(picture: Picture) -> Drawing:
    """Rows of equal length, each with the index of its first element; bands below tell blocks apart."""
    cells = picture.cells
    row = min(len(cells), ROW)
    rows = -(-len(cells) // row)
    left, height, step = 64.0, 15.0, 26.0
    unit = (WIDTH - left) / row
    d = Drawing(WIDTH, rows * step + 4, "which elements are wrong", "picture")
    for at in range(rows):
        y = at * step + 4
        d.text(left - 8, y + 12, f"{at * row * picture.elements:,}", "faint", "end")
        for start, count, mark in _runs(cells[at * row : (at + 1) * row], at * row):
            x = left + (start - at * row) * unit
            d.box(x, y, count * unit, height, _KINDS.get(mark, "right"), _words(picture, start, mark, count))
        _blocks(d, picture, at * row, min(row, len(cells) - at * row), left, y + height + 1, unit)
    return d


def _blocks(d: Drawing, picture: Picture, first: int, count: int, left: float, y: float, unit: float) -> None:
    """A band in two colours in turn, one for each thread block."""
    if not picture.block or picture.block * 4 < picture.elements:
        return
    begin, end = first * picture.elements, (first + count) * picture.elements
    for block in range(begin // picture.block, -(-end // picture.block)):
        low, high = max(begin, block * picture.block), min(end, (block + 1) * picture.block)
        x = left + (low - begin) / picture.elements * unit
        d.box(
            x, y, (high - low) / picture.elements * unit, 4, "block odd" if block % 2 else "block", f"block {block:,}"
        )


def _image(picture: Picture) -> Drawing:
    columns = picture.width
    rows = -(-len(picture.cells) // columns)
    unit = max(2.0, min(14.0, 360 / columns, 360 / rows))
    d = Drawing(columns * unit + 2, rows * unit + 2, "which pixels are wrong", "picture image")
    d.box(0.5, 0.5, columns * unit + 1, rows * unit + 1, "right")
    for y in range(rows):
        for start, count, mark in _runs(picture.cells[y * columns : (y + 1) * columns], 0):
            if mark != ".":
                d.box(1 + start * unit, 1 + y * unit, count * unit, unit, _KINDS.get(mark, "right"))
    return d
