"""The picture of docs/architecture.md: how a file becomes a grade.

PYTHONPATH=tools python3 -m figures.architecture [FOLDER]    (default: docs/figures)
"""

from __future__ import annotations

import sys
from pathlib import Path

from figures.svg import Drawing

LINE = 19
MARGIN = 12
LETTER = 6.4  # average width of a letter at size 12, in a wide font


class Card:
    """A box with a title and lines of explanation. Arrows end in the middle of an edge."""

    def __init__(
        self, drawing: Drawing, x: float, y: float, width: float, title: str, lines: tuple[str, ...], kind: str = ""
    ) -> None:
        for line in lines:
            assert LETTER * len(line) <= width - 2 * MARGIN, f"too long for its box: {line}"
        self.x, self.y, self.width, self.height = x, y, width, 36 + LINE * len(lines)
        drawing.box(x, y, width, self.height, "", kind)
        drawing.text(x + MARGIN, y + 21, title, kind=kind, size=14)
        for i, line in enumerate(lines):
            drawing.text(x + MARGIN, y + 41 + LINE * i, line, size=12, kind="faint")

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def centre(self) -> float:
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height


def architecture() -> Drawing:
    """From the student's file on the left to the grade on the right. Trusted parts are orange, the others blue."""
    drawing = Drawing(
        980, 488, "How a file becomes a grade",
        "The student's file is compiled into a runner. The grader makes the inputs and sends them to the runner "
        "through sealed shared memory. The runner executes the student's code on a GPU or on the virtual GPU. "
        "The grader checks a copy of the outputs with the oracle library, which holds no student code.",
    )  # fmt: skip
    source = Card(drawing, 24, 40, 214, "scan.cu", ("the file that a student edits",), "active")
    runner = Card(
        drawing, 316, 40, 292, "build/lab3, the runner",
        ("student's code, trusted main program", "one process for each task", "the grader trusts none of its replies"),
        "active",
    )  # fmt: skip
    gpu = Card(drawing, 706, 24, 250, "an NVIDIA GPU", ("CUDA's libcudart.so.13",))
    virtual = Card(
        drawing, 706, 100, 250, "or the virtual GPU",
        ("our libcudart.so.13, on the CPU", "runs PTX and checks every access", "counts what hardware would count"),
    )  # fmt: skip
    trusted = Card(
        drawing, 24, 258, 214, "labs/03-scan/grading",
        ("cases.cc: inputs", "oracle.cc: expected outputs", "no student code"), "done",
    )  # fmt: skip
    oracles = Card(drawing, 24, 402, 214, "build/liboracles.so", ("makes inputs, checks outputs",), "done")
    grader = Card(
        drawing, 316, 258, 292, "./grader",
        ("makes new secret inputs for every call", "poisons the output before the call",
         "checks a copy of it afterwards", "times student and reference in turn", "decides the verdict"), "done",
    )  # fmt: skip
    grade = Card(
        drawing, 706, 285, 250, "the grade",
        ("verdict, reason, points", "as a table or as JSON", "a command to repeat each failure"), "done",
    )  # fmt: skip

    drawing.arrow(source.right, source.middle, runner.x, source.middle, "active")
    drawing.text((source.right + runner.x) / 2, source.middle - 8, "nvcc", size=12, anchor="middle")
    drawing.arrow(runner.right, gpu.middle + 14, gpu.x, gpu.middle + 14)
    drawing.arrow(runner.right, 122, virtual.x, 122)
    drawing.text((runner.right + gpu.x) / 2, 95, "either", size=12, kind="faint", anchor="middle")
    drawing.arrow(trusted.centre, trusted.bottom, trusted.centre, oracles.y, "done")
    drawing.text(trusted.centre + 10, (trusted.bottom + oracles.y) / 2 + 5, "g++", size=12)
    drawing.arrow(oracles.right, oracles.middle, grader.x, grader.bottom - 12, "done")
    left, right = grader.centre - 60, grader.centre + 60
    drawing.arrow(left, grader.y, left, runner.bottom, "done")
    drawing.text(left - 10, 170, "inputs, in sealed", size=12, anchor="end")
    drawing.text(left - 10, 187, "shared memory;", size=12, anchor="end")
    drawing.text(left - 10, 204, "one JSON line per call", size=12, anchor="end")
    drawing.arrow(right, runner.bottom, right, grader.y, "active")
    drawing.text(right + 10, 178, "outputs; time, findings,", size=12)
    drawing.text(right + 10, 195, "counters: one JSON line", size=12)
    drawing.arrow(grader.right, grade.middle, grade.x, grade.middle, "done")
    drawing.text(316, 450, "Blue: not trusted. The student's code runs here.", kind="active", size=12)
    drawing.text(316, 470, "Orange: trusted. The student's code never runs here.", kind="done", size=12)
    return drawing


def main() -> None:
    root = Path(__file__).resolve().parents[2]
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "docs/figures"
    architecture().write(folder / "architecture.svg")


if __name__ == "__main__":
    main()
