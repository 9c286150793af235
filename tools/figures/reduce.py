"""The figures of lab 2's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

from figures.svg import Drawing

VALUES = [3, 1, 7, 2, 4, 1, 6, 5]
WIDTH, HEIGHT, PITCH = 48, 28, 56  # of a box; from one box to the next
WARP = 4  # lanes of a warp in these pictures


def tree() -> Drawing:
    """Seven values, a launch for each level; the one without a partner moves on alone."""
    left, top, step = 190, 30, 76
    drawing = Drawing(
        left + 7 * PITCH + 20, top + 3 * step + 66, "A tree of sums over seven values",
        "Three levels: pairs of neighbours are added; the last value of an odd level moves on alone.",
    )  # fmt: skip
    values, y, level = VALUES[:7], top, 0
    middles = drawing.row(left, y, values)
    drawing.text(20, y + 19, "d_in")
    while len(values) > 1:
        level += 1
        pairs = [values[i : i + 2] for i in range(0, len(values), 2)]
        new_middles = drawing.row(
            left,
            y + step,
            [sum(p) for p in pairs],
            kinds=["done" if len(pairs) == 1 else "active" if len(p) > 1 else "" for p in pairs],
        )
        for i, pair in enumerate(pairs):
            for k in range(len(pair)):
                drawing.arrow(middles[2 * i + k], y + HEIGHT, new_middles[i] + (8 * k - 4) * (len(pair) - 1),
                              y + step - 1, "active" if len(pair) > 1 else "faint")  # fmt: skip
        y += step
        drawing.text(20, y + 12, f"launch {level}" + (": d_sum" if len(pairs) == 1 else ": partial sums"))
        count = sum(len(p) > 1 for p in pairs)
        drawing.text(20, y + 27, f"{count} addition" + ("s" if count > 1 else ""), kind="faint", size=11)
        values, middles = [sum(p) for p in pairs], new_middles
    assert values == [sum(VALUES[:7])]
    drawing.note(y + 52, "6 additions for 7 values, in 3 steps. Every arrow is a word of global memory.")
    return drawing


def block_tree(name: str, title: str, pairs_of: list[list[tuple[int, int]]], note: str) -> Drawing:
    """Eight threads of two warps and their shared memory, step by step."""
    left, top, step = 150, 62, 74
    drawing = Drawing(left + 8 * PITCH + 150, top + 3 * step + 64, title, note)
    values = list(VALUES)
    for warp in range(2):
        x = left + warp * WARP * PITCH
        drawing.text(x + WARP * PITCH / 2 - 4, 22, f"warp {warp}", kind="faint", size=12, anchor="middle")
        drawing.line([(x, 28), (x + WARP * PITCH - 8, 28)], "faint")
    for t in range(8):
        drawing.text(left + t * PITCH + WIDTH / 2, 46, f"t = {t}", kind="faint", size=11, anchor="middle")
    middles = drawing.row(left, top, values)
    drawing.text(20, top + 19, "shared memory")
    busy_total = 0
    y = top
    for pairs in pairs_of:
        kinds = ["faint"] * 8
        for to, other in pairs:
            drawing.arrow(middles[other], y + HEIGHT, middles[to] + 6, y + step - 1, "active")
            drawing.arrow(middles[to], y + HEIGHT, middles[to], y + step - 1, "active")
            kinds[to] = "active"
        new = list(values)
        for to, other in pairs:
            new[to] = values[to] + values[other]
        values = new
        busy = len({to // WARP for to, _ in pairs})
        busy_total += busy
        y += step
        if pairs is pairs_of[-1]:
            kinds[0] = "done"
        drawing.text(20, y + 12, f"{name} {abs(pairs[0][1] - pairs[0][0])}")
        adding = f"{len(pairs)} threads add" if len(pairs) > 1 else "1 thread adds"
        drawing.text(20, y + 27, adding, kind="faint", size=11)
        drawing.row(left, y, [v if k != "faint" else "" for v, k in zip(values, kinds, strict=True)], kinds=kinds)
        drawing.text(
            left + 8 * PITCH + 8, y + 19, f"{busy} warps at work" if busy > 1 else "1 warp at work", kind="active"
        )
    assert values[0] == sum(VALUES)
    drawing.note(y + 52, note.format(busy=busy_total))
    return drawing


def interleaved() -> Drawing:
    """Threads 0, 2, 4, ... add, then 0, 4, ..., then 0."""
    pairs = [[(t, t + apart) for t in range(0, 8, 2 * apart)] for apart in (1, 2, 4)]
    note = "Both warps step through almost every level, with most lanes idle: {busy} warp steps."
    return block_tree("apart", "Interleaved: the threads that add lie apart", pairs, note)


def sequential() -> Drawing:
    """Threads 0 to 3 add, then 0 and 1, then 0."""
    pairs = [[(t, t + half) for t in range(half)] for half in (4, 2, 1)]
    note = "The same 7 additions, but warp 1 is done after the first barrier: {busy} warp steps."
    return block_tree("half", "Sequential: the first threads add", pairs, note)


def grid_stride() -> Drawing:
    """Two blocks of four threads and twenty values: what each thread reads, and what it holds."""
    left, top, cell = 120, 44, 28
    data = [3, 1, 7, 2, 4, 1, 6, 5, 2, 9, 1, 3, 8, 2, 5, 4, 1, 6, 2, 7]
    threads = 8
    drawing = Drawing(
        left + 20 * cell + 20, 290, "Grid-stride loop", "Eight threads add every eighth value; a tree adds their sums."
    )
    drawing.text(20, top + 18, "d_in")
    for start in range(0, len(data), threads):
        end = min(start + threads, len(data))
        x0, x1 = left + start * cell, left + end * cell
        drawing.text((x0 + x1) / 2, 28, f"step {start // threads + 1}", kind="faint", size=12, anchor="middle")
        drawing.line([(x0 + 3, 34), (x1 - 5, 34)], "faint")
    mine = 5
    for i, value in enumerate(data):
        kind = "active" if i % threads == mine else ""
        drawing.box(left + i * cell, top, cell - 3, HEIGHT, value, kind)
        drawing.text(left + i * cell + (cell - 3) / 2, top + 44, i, kind="faint", size=10, anchor="middle", number=True)
    sums = [sum(data[t::threads]) for t in range(threads)]
    y, pitch = 150, 66
    kinds = ["active" if t == mine else "" for t in range(threads)]
    middles = drawing.row(left, y, sums, width=50, gap=pitch - 50, kinds=kinds)
    for i in range(mine, len(data), threads):
        drawing.arrow(left + i * cell + (cell - 3) / 2, top + 50, middles[mine] + (i - mine) * 0.7 - 6, y - 2, "active")
    drawing.text(20, y + 12, "in registers")
    drawing.text(20, y + 27, "8 threads", kind="faint", size=11)
    blocks = [sum(sums[:4]), sum(sums[4:])]
    y2 = 216
    for b, total in enumerate(blocks):
        middle = (middles[4 * b] + middles[4 * b + 3]) / 2
        for t in range(4 * b, 4 * b + 4):
            drawing.arrow(middles[t], y + HEIGHT, middle + (t - 4 * b - 1.5) * 9, y2 - 2)
        drawing.box(middle - 25, y2, 50, HEIGHT, total, "done")
        drawing.text(middle + 34, y2 + 19, f"block {b}", kind="faint", size=12)
    drawing.text(20, y2 + 12, "d_partial")
    drawing.text(20, y2 + 27, "1 per block", kind="faint", size=11)
    assert sum(blocks) == sum(data)
    drawing.note(270, f"Thread 1 of block 1 adds elements 5 and 13, {data[5]} + {data[13]} = {sums[5]}; in each step, "
                      "neighbours read neighbours.")  # fmt: skip
    return drawing


def warp_shuffle() -> Drawing:
    """Eight lanes, all values of all lanes; what reaches lane 0 is marked."""
    left, top, step = 150, 56, 74
    drawing = Drawing(
        left + 8 * PITCH + 20, top + 3 * step + 66, "Shuffles down in a warp of eight lanes",
        "Every lane adds the value of the lane 4, then 2, then 1 above it; lane 0 ends with the sum.",
    )  # fmt: skip
    for t in range(8):
        drawing.text(left + t * PITCH + WIDTH / 2, 40, f"lane {t}", kind="faint", size=11, anchor="middle")
    values, y = list(VALUES), top
    middles = drawing.row(left, top, values)
    drawing.text(20, top + 19, "in a register")
    for half in (4, 2, 1):
        new = [values[i] + (values[i + half] if i + half < 8 else values[i]) for i in range(8)]
        for i in range(8):
            kind = "active" if i < half else "faint"
            if i + half < 8:
                drawing.arrow(middles[i + half], y + HEIGHT, middles[i] + 6, y + step - 1, kind)
            if i < half:
                drawing.arrow(middles[i], y + HEIGHT, middles[i], y + step - 1, "active")
        values = new
        y += step
        drawing.text(20, y + 12, f"shuffle down {half}")
        drawing.text(20, y + 27, "1 instruction", kind="faint", size=11)
        kinds = ["done" if half == 1 and i == 0 else "active" if i < half else "faint" for i in range(8)]
        drawing.row(left, y, values, kinds=kinds)
    assert values[0] == sum(VALUES)
    drawing.note(y + 52, "Dashed: computed as well, not used. No shared memory, no barrier.")
    return drawing


def vectorized() -> Drawing:
    """An array that starts one element after a boundary of 16 bytes."""
    left, top, cell = 30, 76, 30
    first, n = 1, 18  # elements past the boundary; elements
    cells = 20
    drawing = Drawing(left * 2 + cells * cell, 236, "Head, vectors and tail of a misaligned array",
                      "Three elements up to the first boundary, vectors of four, and the rest.")  # fmt: skip
    head = (4 - first) % 4
    vectors = (n - head) // 4
    tail = n - head - 4 * vectors
    assert head + 4 * vectors + tail == n and vectors > 0
    for i in range(cells + 1):
        if i % 4 == 0:
            x = left + i * cell - 1.5
            drawing.line([(x, top - 14), (x, top + HEIGHT + 10)], "done")
            drawing.text(x, top - 20, 4 * i, kind="done", size=11, anchor="middle", number=True)
    drawing.text(left, 30, "address: bytes after a boundary of 16", kind="faint", size=12)
    for i in range(cells):
        element = i - first
        inside = 0 <= element < n
        is_vector = inside and head <= element < head + 4 * vectors
        kind = "active" if is_vector else "" if inside else "faint"
        drawing.box(left + i * cell, top, cell - 3, HEIGHT, element if inside else "", kind)
    y = top + HEIGHT + 34
    x = left + first * cell

    def brace(count: int, words: list[str], kind: str) -> None:
        nonlocal x
        end = x + count * cell - 5
        drawing.line([(x + 1, y - 12), (x + 1, y - 6), (end, y - 6), (end, y - 12)], kind)
        for line, word in enumerate(words):
            drawing.text(x + count * cell / 2 - 2, y + 10 + 15 * line, word, kind=kind, size=12, anchor="middle")
        x += count * cell

    brace(head, [f"head: {head}", "threads 0..2"], "")
    for v in range(vectors):
        brace(4, [f"vector {v}", f"thread {v}"], "active")
    brace(tail, [f"tail: {tail}", "threads 0..2"], "")
    drawing.note(212, f"18 elements: {vectors} loads of 16 bytes and {head} + {tail} of 4, instead of 18 loads of 4.")
    return drawing


FIGURES = {"labs/02-reduce/figures": (tree, interleaved, sequential, grid_stride, warp_shuffle, vectorized)}
