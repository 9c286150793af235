"""Sizes at the edges of a program's own tiles, which no list of sizes can know: one tile, an element more or less, two.

If a kernel has ceil(n / tile) blocks in every call, the numbers of blocks reveal the tile. Each call narrows it down.
What remains follows because a tile is a whole number of elements for each thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from autograder.judge.calls import Ran, run_all
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.run.process import Runner

MOST_TILES = 3  # of a task, the largest first: a call costs time
MOST_N = 100_000


def run_edges(checker: Checker, runner: Runner, ran: Ran, seed: int, same_bits: bool) -> Ran:
    """The calls so far and, if all are right, those at the edges."""
    outcomes = ran.outcomes
    if not all(one.ok for one in outcomes):
        return ran
    most = max(one.case.n for one in outcomes)
    task = outcomes[0].case.task
    found = [casebook.case(seed, task, variant, n) for variant, n in edges(outcomes) if n <= most]
    found = [one for one in found if checker.fits(runner, one)]
    return ran.then(run_all(checker, runner, found, same_bits, lambda at: None))


def edges(outcomes: Sequence[Outcome]) -> list[tuple[str, int]]:
    """Variants and sizes that were not called yet, the smallest first."""
    called = {(one.case.variant, one.case.n) for one in outcomes}
    blocks: dict[tuple[str, str, int], dict[int, int]] = {}  # of a variant's kernel with so many threads, for each n
    for one in outcomes:
        for kernel in reversed(one.kernels):  # the first launch of a name counts
            blocks.setdefault((one.case.variant, kernel.name, kernel.block_threads), {})[one.case.n] = kernel.blocks
    tiles = {(tile, variant) for (variant, _, threads), of_n in blocks.items() if (tile := _tile(of_n, threads))}
    found = {
        (variant, n)
        for tile, variant in sorted(tiles, reverse=True)[:MOST_TILES]
        for n in (tile - 1, tile, tile + 1, 2 * tile)
        if n <= MOST_N
    }
    return sorted(found - called, key=lambda one: one[1])


def _tile(blocks: Mapping[int, int], threads: int) -> int:
    """The elements of a block, if they follow from the numbers of blocks for each n; otherwise 0."""
    low = max((ceil(n / count) for n, count in blocks.items()), default=0)
    high = min(((n - 1) // (count - 1) for n, count in blocks.items() if count > 1), default=0)
    fits = range(ceil(low / threads) * threads, high + 1, threads) if threads else ()
    return fits[0] if len(fits) == 1 else 0
