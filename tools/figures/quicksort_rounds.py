"""The figures of the rounds in lab 12's handout, drawn from the values that the algorithms really go through."""

from __future__ import annotations

import random
from bisect import bisect_left
from itertools import accumulate

from figures.svg import Drawing


def segments() -> Drawing:
    """One round over twelve keys in two segments."""
    keys, heads = [4, 1, 6, 3, 7, 3, 2, 9, 12, 9, 8, 11], [0, 7]
    first_of = [max(head for head in heads if head <= i) for i in range(12)]
    pivots = {0: 3, 7: 9}
    left, pitch, y = 130, 46, 48
    drawing = Drawing(
        left + 12 * pitch + 20, 420, "One round over two segments",
        "Segmented sums of two flags give the place of every key of every segment.",
    )  # fmt: skip
    pivot = [pivots[first] for first in first_of]
    less = [int(key < p) for key, p in zip(keys, pivot, strict=True)]
    equal = [int(key == p) for key, p in zip(keys, pivot, strict=True)]

    def sums(flags: list[int]) -> list[int]:
        return [sum(flags[first_of[i] : i + 1]) for i in range(12)]

    less_sum, equal_sum = sums(less), sums(equal)
    kinds = ["active" if a else "" if b else "done" for a, b in zip(less, equal, strict=True)]

    def row(y: float, label: str, values: list[int], kinds: list[str] | None = None) -> list[float]:
        drawing.text(20, y + 19, label)
        middles = drawing.row(left, y, values, width=38, kinds=kinds)
        x = left + 7 * pitch - 4
        drawing.line([(x, y - 5), (x, y + 33)])
        return middles

    for i in range(12):
        drawing.text(left + i * pitch + 19, 34, i, kind="faint", size=11, anchor="middle", number=True)
    middles = row(y, "keys", keys, kinds)
    row(y + 42, "pivot", pivot)
    row(y + 84, "smaller, sum", less_sum)
    row(y + 126, "equal, sum", equal_sum)
    out, next_first = [0] * 12, [0] * 12
    for i, key in enumerate(keys):
        first = first_of[i]
        last = max(j for j in range(12) if first_of[j] == first)
        equal_first = first + less_sum[last]
        greater_first = equal_first + equal_sum[last]
        begin, rank = first, less_sum[i] - 1
        if equal[i]:
            begin, rank = equal_first, equal_sum[i] - 1
        elif not less[i]:
            begin, rank = greater_first, i - first - less_sum[i] - equal_sum[i]
        out[begin + rank], next_first[begin + rank] = key, begin
        drawing.arrow(middles[i], y + 156, middles[begin + rank], y + 219, kinds[i])
    assert sorted(out) == sorted(keys) and sorted(out[:7]) == sorted(keys[:7])
    y += 220
    drawing.text(20, y + 19, "moved")
    drawing.row(left, y, out, width=38)
    for i in range(12):
        if next_first[i] == i and i:
            drawing.line([(left + i * pitch - 4, y - 5), (left + i * pitch - 4, y + 75)])
    drawing.text(20, y + 61, "begins at")
    drawing.row(left, y + 42, next_first, width=38)
    drawing.note(
        y + 98,
        "Sums start anew at each segment, and its last key has the totals. A greater key needs no third",
    )
    drawing.note(
        y + 116,
        "sum: the earlier keys that are neither smaller nor equal are greater. Two segments become six.",
    )
    return drawing


def tiles() -> Drawing:
    """Segments of at most half a tile, and two rows of tiles."""
    lengths, width, tile = [5, 2, 4, 3, 5, 1, 6, 4, 2, 5, 3, 4], 15.0, 12
    ends = list(accumulate(lengths))
    n = ends[-1]
    drawing = Drawing(
        140 + n * width + 20, 232, "Two launches finish all segments",
        "Tiles of the second launch begin half a tile later. Each segment lies in one tile of one of the two.",
    )  # fmt: skip

    def x(place: float) -> float:
        return 140 + place * width

    drawing.text(20, 59, "segments")
    firsts = [0, *ends[:-1]]
    for first, length in zip(firsts, lengths, strict=True):
        cut = first // tile != (first + length - 1) // tile
        assert length <= tile // 2 and (
            not cut or (first - tile // 2) // tile == (first + length - 1 - tile // 2) // tile
        )
        drawing.box(x(first) + 1, 40, length * width - 2, 28, length, "done" if cut else "active")
    for y, start, text in ((96, 0, "first launch"), (142, tile // 2, "second launch")):
        drawing.text(20, y + 19, text)
        for first in range(start, n, tile):
            last = min(first + tile, n)
            drawing.box(
                x(first) + 1,
                y,
                (last - first) * width - 2,
                28,
                f"tile of {last - first}" if last - first > 4 else last - first,
            )
            if start == 0:
                drawing.line([(x(last), 32), (x(last), 40)], "faint")  # it cuts the segment there
                drawing.line([(x(last), 68), (x(last), y)], "faint")
    drawing.note(
        198,
        "The first launch sorts the blue segments. Its tiles cut the orange ones, which the second launch sorts.",
    )
    drawing.note(
        216, "A tile may hold several segments: they are in order already, so sorting moves no key out of its own."
    )
    return drawing


def sample() -> Drawing:
    """A sample of 24 keys, three splitters, seven buckets."""
    numbers = random.Random(72)
    keys = [50 if numbers.random() < 0.25 else numbers.randrange(100) for _ in range(24)]
    oversampling, ways = 3, 4
    picked = sorted(numbers.sample(range(24), oversampling * ways))
    in_sample = sorted(keys[i] for i in picked)
    splitters = in_sample[oversampling - 1 : -1 : oversampling]
    assert len(splitters) == ways - 1
    width, gap = 28.0, 4.0
    drawing = Drawing(
        20 + 24 * (width + gap) + 70, 372, "Four ways, between splitters from a sample",
        "Every third key of a sorted sample is a splitter. Keys that equal a splitter have their own bucket.",
    )  # fmt: skip
    drawing.text(20, 30, "24 keys, 12 of them in the sample (blue)")
    drawing.row(20, 40, keys, width=width, gap=gap, kinds=["active" if i in picked else "" for i in range(24)])
    drawing.text(20, 112, "the sample, sorted; every third one is a splitter (orange)")
    kinds = ["done" if i % oversampling == oversampling - 1 and i < 11 else "active" for i in range(12)]
    drawing.row(20, 122, in_sample, width=width, gap=gap, kinds=kinds)

    def bucket_of(key: int) -> int:
        j = bisect_left(splitters, key)
        return 2 * j + int(j < len(splitters) and splitters[j] == key)

    buckets: list[list[int]] = [[] for _ in range(2 * ways - 1)]
    for key in keys:
        buckets[bucket_of(key)].append(key)
    assert sorted(keys) == [key for bucket in buckets for key in sorted(bucket)]
    drawing.text(20, 194, "buckets: between splitters, and equal to one (orange)")
    x = 20.0
    for b, bucket in enumerate(buckets):
        if not bucket:
            continue
        drawing.row(x, 222, bucket, width=width, gap=gap, kinds=["done" if b % 2 else ""] * len(bucket))
        end = x + len(bucket) * (width + gap) - gap
        name = (
            f"= {splitters[b // 2]}"
            if b % 2
            else f"< {splitters[b // 2]}"
            if b // 2 < len(splitters)
            else f"> {splitters[-1]}"
        )
        drawing.text((x + end) / 2, 214, name, kind="faint", size=11, anchor="middle")
        drawing.line([(x, 260), (end, 260)])
        drawing.text((x + end) / 2, 276, "done" if b % 2 else "sort", kind="faint", size=11, anchor="middle")
        x = end + gap + 8
    drawing.note(
        310,
        "A quarter of all keys are 50. The sample has 50 so often that it becomes a splitter, and all of",
    )
    drawing.note(328, "these keys are done. Without buckets for equal keys they would stay together in every round.")
    drawing.note(352, "The buckets are in order. Within a bucket, keys may come in any order, as it is sorted later.")
    return drawing


FIGURES = {"labs/12-quicksort/figures": (segments, tiles, sample)}
