"""The picture of docs/course.md: which lab builds on which."""

from __future__ import annotations

from figures.svg import Drawing

WIDTH, HEIGHT = 152, 70
LEFT, TOP = 24, 40
COLUMN, ROW = 196, 116

# number: name, what it teaches, column, row, kind
LABS = {
    1: ("square", ("a thread for", "each element"), 0, 2, "active"),
    2: ("reduce", ("threads that work", "together"), 1, 2, "active"),
    3: ("scan", ("what came before", "me?"), 2, 2, "active"),
    4: ("compact", ("where does mine", "go?"), 3, 2, "active"),
    5: ("allocate", ("none, one or many", "results each"), 4, 2, "done"),
    6: ("histogram", ("many writers,", "one counter"), 2, 1, "active"),
    7: ("SpMV", ("rows of unequal", "length"), 3, 1, "done"),
    8: ("networks", ("the same steps", "for any input"), 1, 3, ""),
    9: ("merge", ("equal work for", "each thread"), 2, 3, ""),
    10: ("radix", ("sorting without", "comparing"), 4, 3, ""),
    11: ("convolution", ("tiles and halos,", "reuse in registers"), 1, 1, "active"),
    12: ("quicksort", ("kernels that", "launch kernels"), 3, 3, ""),
    13: ("transpose", ("how data lie", "in memory"), 0, 1, "faint"),
    14: ("life", ("cells that ask", "their neighbours"), 0, 0, "faint"),
    16: ("matmul", ("each number used", "many times"), 1, 0, "faint"),
    17: ("pairs", ("who is near", "whom?"), 5, 2, "done"),
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
    (13, 14),
    (13, 16),
    (5, 17),
    (10, 17),
)


def place(number: int) -> tuple[float, float]:
    """The top left corner of a lab's card."""
    _, _, column, row, _ = LABS[number]
    return LEFT + COLUMN * column, TOP + ROW * row


def course() -> Drawing:
    """Six columns; arrows from what is needed to what needs it."""
    drawing = Drawing(
        24 + COLUMN * 5 + WIDTH + 24, 516, "Which lab builds on which",
        "1 square, 2 reduce, 3 scan and 4 compact follow each other. 11 convolution, 6 histogram, 8 networks and "
        "13 transpose need lab 2; 7 SpMV needs lab 3; 5 allocate and 10 radix sort need lab 4; 9 merge needs lab 8, "
        "12 quicksort labs 4 and 9, and 17 pairs labs 5 and 10. 14 life and 16 matrix multiplication need lab 13.",
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
    drawing.note(502, "Blue: for everybody. Orange: irregular work. Grey: sorting. Dashed: data in memory.")
    return drawing


FIGURES = {"docs/figures": (course,)}
