"""The figures of lab 1's handout, drawn from the values that the tasks really go through."""

from __future__ import annotations

from figures.svg import Drawing

VALUES = [3, -1, 7, 0, 4, -2, 6, 5, -3, 2]  # ten: no multiple of a block, nor of four


def two_memories() -> Drawing:
    """Allocate, copy, launch, copy back: which line does what, in which memory."""
    values = VALUES[:5]
    squares = [x * x for x in values]
    drawing = Drawing(
        750, 272, "Two memories",
        "The host copies its input to the device, a kernel squares it there, and the result is copied back.",
    )  # fmt: skip
    left, right, y_in, y_out = 40, 420, 62, 186
    drawing.text(left, 28, "host memory", size=14)
    drawing.text(right, 28, "device memory", size=14)
    drawing.line([(390, 14), (390, 228)], "faint")
    drawing.text(left, y_in - 8, "h_in", kind="faint", size=12)
    drawing.text(right, y_in - 8, "d_in", kind="faint", size=12)
    drawing.text(left, y_out + 44, "h_out", kind="faint", size=12)
    drawing.text(right, y_out + 44, "d_out", kind="faint", size=12)
    drawing.row(left, y_in, values, width=40, gap=4)
    middles = drawing.row(right, y_in, values, width=40, gap=4, kinds=["active"] * 5)
    drawing.row(left, y_out, squares, width=40, gap=4, kinds=["done"] * 5)
    drawing.row(right, y_out, squares, width=40, gap=4, kinds=["active"] * 5)
    drawing.arrow(left + 222, y_in + 14, right - 6, y_in + 14)
    drawing.text(322, y_in + 6, "2  cudaMemcpy", size=11, anchor="middle", kind="faint")
    drawing.arrow(right - 6, y_out + 14, left + 224, y_out + 14)
    drawing.text(322, y_out + 6, "4  cudaMemcpy", size=11, anchor="middle", kind="faint")
    for thread, x in enumerate(middles):
        drawing.arrow(x, y_in + 30, x, y_out - 2, "active")
        drawing.text(x + 4, (y_in + y_out) / 2 + 18, thread, size=11, kind="active")
    drawing.text(right + 226, y_in + 18, "1  cudaMalloc", size=11, kind="faint")
    drawing.text(right + 226, (y_in + y_out) / 2 + 18, "3  launch", size=11, kind="faint")
    drawing.text(right + 226, y_out + 18, "5  cudaFree", size=11, kind="faint")
    drawing.note(256, "The kernel cannot read h_in, and the host cannot read d_out. Only copies cross the line.")
    return drawing


def grid() -> Drawing:
    """Three blocks of four threads over ten elements: two threads have none."""
    n, block, left, pitch = len(VALUES), 4, 96, 46
    blocks = -(-n // block)
    drawing = Drawing(
        left + blocks * block * pitch + 40, 196, "A thread for each element",
        "Ten elements, three blocks of four threads: the last two threads have no element.",
    )  # fmt: skip
    drawing.text(20, 65, "thread")
    drawing.text(20, 127, "element")
    for b in range(blocks):
        start = left + b * (block * pitch + 8)
        drawing.text(start + block * pitch / 2 - 4, 30, f"block {b}", anchor="middle", size=12, kind="faint")
        for t in range(block):
            x, i = start + t * pitch, b * block + t
            drawing.box(x, 46, pitch - 8, 28, t, "active" if i < n else "faint")
            if i < n:
                drawing.arrow(x + 19, 76, x + 19, 106, "active")
                drawing.box(x, 108, pitch - 8, 28, VALUES[i])
            else:
                drawing.text(x + 19, 127, "none", size=11, anchor="middle", kind="faint")
            drawing.text(x + 19, 150, i, size=11, anchor="middle", kind="faint", number=True)
    drawing.note(180, f"Element {2 * block + 1}: block 2, thread 1, 2 * {block} + 1. Elements 10 and 11 do not exist.")
    return drawing


def strides() -> Drawing:
    """Which elements four threads read at once: in steps of the grid, and in pieces of their own."""
    count, threads, left, pitch = 12, 4, 190, 38
    drawing = Drawing(
        left + count * pitch + 24, 216, "Neighbours read neighbours",
        "What four threads read first: neighbours in a grid-stride loop, far apart with one piece per thread.",
    )  # fmt: skip
    piece = count // threads
    in_steps = [divmod(i, threads) for i in range(count)]  # (step, thread) of each element
    in_pieces = [divmod(i, piece)[::-1] for i in range(count)]
    for y, name, of in ((56, "grid-stride loop", in_steps), (134, "one piece per thread", in_pieces)):
        drawing.text(20, y + 14, name)
        drawing.text(20, y + 30, "thread of each element", size=11, kind="faint")
        kinds = ["active" if step == 0 else "" for step, _ in of]
        drawing.row(left, y, [thread for _, thread in of], width=pitch - 4, gap=4, kinds=kinds)
        touched = sorted({i // 4 for i in range(count) if of[i][0] == 0})
        for i in range(0, count, 4):
            x = left + i * pitch - 2
            drawing.line([(x, y + 34), (x, y + 40), (x + 4 * pitch, y + 40), (x + 4 * pitch, y + 34)],
                         "active" if i // 4 in touched else "faint")  # fmt: skip
        drawing.text(left, y - 8, f"first step: {len(touched)} of {count // 4} sectors", size=11, kind="active")
    drawing.text(left + count * pitch, 30, "elements 0 to 11", size=11, anchor="end", kind="faint")
    drawing.note(
        202, "Blue: read in the first step. Memory is read in sectors: of four elements here, of eight floats on a GPU."
    )
    return drawing


def vectorized() -> Drawing:
    """Head, whole float4 and tail of an array that begins one float before a boundary."""
    past, n, left, pitch = 3, len(VALUES), 96, 46
    head = min((4 - past) % 4, n)
    body = (n - head) // 4
    tail = n - head - 4 * body
    drawing = Drawing(
        left + (past + n + 1) * pitch + 30, 208, "Head, body and tail",
        f"Ten floats from {4 * past} bytes past a boundary: a head of {head}, {body} float4, a tail of {tail}.",
    )  # fmt: skip
    start = left + past * pitch
    for i in range(0, past + n + 4, 4):
        x = left + i * pitch - 4
        drawing.line([(x, 40), (x, 150)], "faint")
        drawing.text(x, 34, f"{4 * i}", size=11, anchor="middle", kind="faint", number=True)
    drawing.text(20, 34, "address", size=11, kind="faint")
    drawing.text(20, 75, "d_in")
    for i in range(past):
        drawing.box(left + i * pitch, 56, pitch - 8, 28, "", "faint")
    drawing.row(start, 56, VALUES, width=pitch - 8, gap=8,
                kinds=["active" if head <= i < head + 4 * body else "done" for i in range(n)])  # fmt: skip
    float4s = [(head + 4 * k, 4, f"float4 {k}") for k in range(body)]
    for first, count, name in [(0, head, "head"), *float4s, (n - tail, tail, "tail")]:
        kind = "active" if count == 4 else "done"
        x1, x2 = start + first * pitch, start + (first + count) * pitch - 8
        drawing.line([(x1, 92), (x1, 98), (x2, 98), (x2, 92)], kind)
        drawing.text((x1 + x2) / 2, 116, name, size=12, anchor="middle", kind=kind)
    for k in range(body):
        x = start + (head + 4 * k) * pitch + 2 * pitch - 4
        drawing.text(x, 140, f"thread {k}", size=11, anchor="middle", kind="faint")
    drawing.text(start + (n - tail) * pitch + 19, 140, "thread 0", size=11, anchor="middle", kind="faint")
    drawing.text(start + 19, 140, "thread 0", size=11, anchor="middle", kind="faint")
    drawing.note(176, "d_in is the float at address 12. A float4 lies at a multiple of 16: one load of 16 bytes.")
    drawing.note(194, f"{n} = {head} + 4 * {body} + {tail}. Head and tail have at most three floats each.")
    return drawing


FIGURES = {"labs/01-square/figures": (two_memories, grid, strides, vectorized)}
