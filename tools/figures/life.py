"""The figures of lab 14's handout: tools/author figures life."""

from __future__ import annotations

from figures.svg import Drawing

VALUES = [3, -1, 7, 0, 4, -2, 6, 5]


def elements() -> Drawing:
    """FILL IN: a picture for each idea, drawn from values that the algorithm computes."""
    drawing = Drawing(
        560, 190, "A thread for each element", f"{len(VALUES)} elements, each doubled by a thread of its own."
    )
    middles = drawing.row(96, 30, VALUES)
    drawing.row(96, 120, [2 * x for x in VALUES], kinds=["done"] * len(VALUES))
    drawing.text(20, 50, "d_in")
    drawing.text(20, 140, "d_out")
    for thread, x in enumerate(middles):
        drawing.arrow(x, 60, x, 116, "active")
        drawing.text(x + 5, 92, thread, size=11, kind="active")
    drawing.note(176, "Blue: the index of the thread.")
    return drawing


FIGURES = {"labs/14-life/figures": (elements,)}
