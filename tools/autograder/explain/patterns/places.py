"""Where the wrong elements are: by block, by index, along a border."""

from __future__ import annotations

import numpy as np

from autograder.explain.evidence import Errors
from autograder.explain.patterns import single
from autograder.explain.patterns.written import unwritten
from autograder.explain.words import ordinal, part

BLOCKS = (1024, 512, 256, 128, 64, 32)  # threads; tried if the launches do not show the block size
# The first elements of a wrong block may be right by chance: one, or in a large block one in 16.
LATE = 16
# The share of the elements from the first wrong one on that must be wrong: if there are few different values, some are
# right by chance. A rule that also requires the start of a block may ask for fewer than one that accepts any start.
FROM_BLOCK = 0.8
TO_THE_END = 0.95
EVERY_KTH = 0.9
FEW = 3  # wrong elements; two of them make an end or a step of any output
INSIDE = 4  # at least a quarter of the pixels lies inside: a picture of three rows is nearly all border


def border_only(e: Errors) -> str | None:
    """An image is right inside, and wrong along its border."""
    e = e.elements
    if e.width <= 0 or e.count % e.width != 0 or e.poisoned[e.wrong].any():
        return None
    height = e.count // e.width
    y, x = np.divmod(np.flatnonzero(e.wrong), e.width)
    distance = np.minimum.reduce([x, y, e.width - 1 - x, height - 1 - y])
    depth = 1 + int(distance.max())
    inside = max(0, e.width - 2 * depth) * max(0, height - 2 * depth)
    if INSIDE * inside < e.count or distance.min() > 0:
        return None
    lines = "row and column" if depth == 1 else f"{depth} rows and columns"
    return f"right inside, wrong only in the outermost {lines} of {e.width:,} x {height:,} pixels"


def last_block_only(e: Errors) -> str | None:
    """Only the last block's elements are wrong."""
    e = e.elements
    count, block = e.count, e.block
    if block <= 0 or count <= block:
        return None
    last = (count - 1) // block
    if int(np.flatnonzero(e.wrong)[0]) < last * block:
        return None
    partly = "the last, partly filled block" if count % block else "the last block"
    return f"{part(int(e.wrong.sum()), count, e.noun)} wrong, all in block {last:,}: {partly}{unwritten(e)}"


def from_second_block(e: Errors) -> str | None:
    """Wrong from the second block on."""
    e = e.elements
    count, indices = e.count, np.flatnonzero(e.wrong)
    first = int(indices[0])
    if first == 0 or indices.size < FROM_BLOCK * (count - first):
        return None
    for block in [e.block] if e.block else BLOCKS:
        if count > block and block <= first < block + max(2, block // LATE):
            where = f"index {first:,}, blocks of {block:,}"
            return f"block 0 is right, wrong from the second block on ({where}){unwritten(e)}"
    return None


def every_kth(e: Errors) -> str | None:
    """Every k-th element is wrong."""
    e = e.elements
    indices = np.flatnonzero(e.wrong)
    if indices.size < FEW:
        return None
    step = int(np.gcd.reduce(np.diff(indices)))
    start = int(indices[0])
    if step < 2 or start >= step or indices.size < EVERY_KTH * len(range(start, e.count, step)):
        return None
    return f"every {ordinal(step)} element is wrong, from index {start:,} on{unwritten(e)}"


def wrong_tail(e: Errors) -> str | None:
    """Right up to some index, wrong from there on."""
    e = e.elements
    count, indices = e.count, np.flatnonzero(e.wrong)
    first = int(indices[0])
    if first == 0 or indices.size < FEW or indices.size < TO_THE_END * (count - first):
        return None
    return f"right up to index {first - 1:,}, wrong from {first:,} on to the end{unwritten(e)}"


def single_element(e: Errors) -> str | None:
    """Off by one element: just one is wrong, or a result that misses or repeats one."""
    e = e.elements
    if e.count > 2 and int(e.wrong.sum()) == 1:
        return f"just one of {e.count:,} elements is wrong, at index {int(np.flatnonzero(e.wrong)[0]):,}"
    return None if e.packed else single.one_input(e)
