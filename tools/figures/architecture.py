"""The picture of docs/architecture.md: how a file becomes a grade."""

from __future__ import annotations

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
    """From the student's file on the left to the grade below. Trusted parts are orange, the others blue."""
    drawing = Drawing(
        980, 500, "How a file becomes a grade",
        "The student's file is compiled into a runner. The grader makes the inputs and gives them to the device "
        "process, which holds the arrays and the clock, on a GPU or as the virtual GPU. The runner gets device "
        "pointers and makes the calls. The grader checks a copy of the outputs with the oracle library.",
    )  # fmt: skip
    source = Card(drawing, 24, 58, 190, "scan.cu", ("a student's file",), "active")
    runner = Card(
        drawing, 286, 40, 250, "build/lab3, the runner",
        ("the student's code", "gets device pointers, no values", "nothing that it says is believed"), "active",
    )  # fmt: skip
    device = Card(
        drawing, 656, 24, 300, "build/device, the device process",
        ("has arrays and clock", "on a GPU: CUDA shares its arrays", "without one: it is the virtual GPU, with",
         "findings and counters"), "done",
    )  # fmt: skip
    oracles = Card(drawing, 24, 262, 250, "build/liboracle3.so", ("makes inputs, checks outputs",), "done")
    trusted = Card(
        drawing, 24, 386, 250, "labs/03-scan/grading",
        ("cases.cc: inputs", "oracle.cc: expected outputs"), "done",
    )  # fmt: skip
    grader = Card(
        drawing, 656, 238, 300, "./grader",
        ("makes new secret inputs for every call", "poisons the output before the call",
         "checks a copy of it afterwards", "times student and reference in turn", "decides the verdict"), "done",
    )  # fmt: skip
    grade = Card(
        drawing, 656, 420, 300, "the grade", ("verdict, reason, points, how to repeat it",), "done",
    )  # fmt: skip

    drawing.arrow(source.right, source.middle, runner.x, source.middle, "active")
    drawing.text((source.right + runner.x) / 2, source.middle - 8, "nvcc", size=12, anchor="middle")
    drawing.arrow(runner.right, 72, device.x, 72, "active")
    drawing.text((runner.right + device.x) / 2, 62, "CUDA calls", size=12, anchor="middle")
    drawing.arrow(device.x, 112, runner.right, 112, "done")
    drawing.text((runner.right + device.x) / 2, 130, '"call naive"', size=12, anchor="middle")
    left, right = grader.centre - 70, grader.centre + 70
    drawing.arrow(left, grader.y, left, device.bottom, "done")
    drawing.text(left - 10, 182, "inputs, in sealed", size=12, anchor="end")
    drawing.text(left - 10, 199, "shared memory", size=12, anchor="end")
    drawing.arrow(right, device.bottom, right, grader.y, "done")
    drawing.text(right - 10, 182, "outputs, time,", size=12, anchor="end")
    drawing.text(right - 10, 199, "findings", size=12, anchor="end")
    drawing.arrow(trusted.centre, trusted.y, trusted.centre, oracles.bottom, "done")
    drawing.text(trusted.centre + 10, (trusted.y + oracles.bottom) / 2 + 5, "g++", size=12)
    drawing.arrow(oracles.right, oracles.middle, grader.x, oracles.middle, "done")
    drawing.text(
        (oracles.right + grader.x) / 2, oracles.middle - 8, "inputs, what is expected", size=12, anchor="middle"
    )
    drawing.arrow(grader.centre, grader.bottom, grader.centre, grade.y, "done")
    drawing.text(300, 440, "Blue: not trusted. The student's code runs here.", kind="active", size=12)
    drawing.text(300, 460, "Orange: trusted. It never runs here.", kind="done", size=12)
    return drawing


FIGURES = {"docs/figures": (architecture,)}
