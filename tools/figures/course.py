"""The picture of docs/course.md: which lab builds on which.

PYTHONPATH=tools python3 -m figures.course [FOLDER]    (default: docs/figures)
"""

from __future__ import annotations

from figures.svg import Drawing, write_all

WIDTH, HEIGHT = 152, 70
LEFT, TOP = 24, 40
COLUMN, ROW = 196, 116

# number: name, what it teaches, column, row, kind
LABS = {
    1: ("square", ("a thread for", "each element"), 0, 1, "active"),
    2: ("reduce", ("threads that work", "together"), 1, 1, "active"),
    3: ("scan", ("what came before", "me?"), 2, 1, "active"),
    4: ("compact", ("where does mine", "go?"), 3, 1, "active"),
    5: ("allocate", ("none, one or many", "results each"), 4, 1, "done"),
    6: ("histogram", ("many writers,", "one counter"), 2, 0, "active"),
    7: ("SpMV", ("rows of unequal", "length"), 3, 0, "done"),
    8: ("networks", ("the same steps", "for any input"), 1, 2, ""),
    9: ("merge", ("equal work for", "each thread"), 2, 2, ""),
    10: ("radix", ("sorting without", "comparing"), 4, 2, ""),
    11: ("convolution", ("tiles and halos,", "reuse in registers"), 1, 0, "active"),
    12: ("quicksort", ("kernels that", "launch kernels"), 3, 2, ""),
    13: ("transpose", ("how data lie", "in memory"), 0, 0, "active"),
}
BUILDS_ON = (
    (1, 2),
    (2, 3),
    (3, 4),
    (4, 5),
    (2, 11),
    (2, 6),
    (2, 13),
    (3, 7),
    (2, 8),
    (8, 9),
    (9, 12),
    (4, 12),
    (4, 10),
)


def place(number: int) -> tuple[float, float]:
    """The top left corner of a lab's card."""
    _, _, column, row, _ = LABS[number]
    return LEFT + COLUMN * column, TOP + ROW * row


def course() -> Drawing:
    """Five columns; arrows from what is needed to what needs it."""
    drawing = Drawing(
        24 + COLUMN * 4 + WIDTH + 24, 400, "Which lab builds on which",
        "1 square, 2 reduce, 3 scan and 4 compact follow each other. 11 convolution, 6 histogram, 8 networks and "
        "13 transpose need lab 2; 7 SpMV needs lab 3; 5 allocate and 10 radix sort need lab 4; 9 merge needs lab 8, "
        "and 12 quicksort labs 4 and 9.",
    )  # fmt: skip
    for source, target in BUILDS_ON:
        (x, y), (u, v) = place(source), place(target)
        if u == x:
            down = v > y
            drawing.arrow(x + WIDTH / 2, y + HEIGHT if down else y, u + WIDTH / 2, v if down else v + HEIGHT)
        else:
            from_y = y + HEIGHT / 2 + (0 if v == y else HEIGHT / 4 if v > y else -HEIGHT / 4)
            if u > x:
                drawing.arrow(x + WIDTH, from_y, u, v + HEIGHT / 2)
            else:
                drawing.arrow(x, from_y, u + WIDTH, v + HEIGHT / 2)
    for number, (name, lines, _, _, kind) in LABS.items():
        x, y = place(number)
        drawing.box(x, y, WIDTH, HEIGHT, "", kind)
        drawing.text(x + 10, y + 21, f"{number}  {name}", kind=kind, size=14)
        for i, line in enumerate(lines):
            drawing.text(x + 10, y + 40 + 17 * i, line, size=12, kind="faint")
    drawing.note(386, "Blue: for everybody. Orange: irregular work. Grey: sorting.")
    return drawing


def main() -> None:
    write_all((course,), "docs/figures")


if __name__ == "__main__":
    main()
