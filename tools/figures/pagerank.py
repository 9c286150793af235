"""The figure of PageRank in lab 7's handout, drawn from the ranks of its graph."""

from __future__ import annotations

from figures.spmv import DATASETS, entries
from figures.svg import Drawing


def pagerank() -> Drawing:
    """The ranks of the graph's pages after 0, 1, 2, ... steps."""
    pages, links = entries("graph.mtx")
    out = [sum(1 for i, *_ in links if i == page) for page in range(pages)]
    names = {}
    for line in (DATASETS / "graph.mtx").read_text("utf-8").splitlines():
        words = line.lstrip("% ").split("   ")
        for word in words if line.startswith("%  ") else []:
            number, _, name = word.strip().partition(" ")
            if number.isdigit():
                names[int(number)] = name
    rank, history = [1 / pages] * pages, []
    for _ in range(21):
        history.append(rank)
        y = [0.0] * pages
        for i, j, _ in links:
            y[j] += rank[i] / out[i]
        rank = [0.85 * value + (1 - 0.85 * sum(y)) / pages for value in y]
    shown = (0, 1, 2, 20)
    drawing = Drawing(
        740, 84 + 25 * pages, "PageRank of ten pages",
        "A bar for the rank of each page after 0, 1, 2 and 20 steps.",
    )  # fmt: skip
    for column, step in enumerate(shown):
        x = 190 + column * 136
        drawing.text(x, 28, "1 step" if step == 1 else f"{step} steps")
        for page in range(pages):
            top = 40 + page * 25
            width = 300 * history[step][page]
            drawing.box(x, top, width, 18, kind="active" if step < 20 else "done")
            drawing.text(x + width + 6, top + 14, f"{history[step][page]:.3f}", kind="faint", size=11, number=True)
    for page in range(pages):
        drawing.text(20, 54 + page * 25, f"{page + 1} {names[page + 1]}", size=12)
    assert all(abs(sum(one) - 1) < 1e-9 for one in history)
    drawing.note(
        62 + 25 * pages, "Ranks add up to 1 after every step. Page 9 has no links, and shares its rank with all."
    )
    return drawing


FIGURES = {"labs/07-spmv/figures": (pagerank,)}
