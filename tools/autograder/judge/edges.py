"""Sizes at the edges of a program's own tiles, which no list of sizes can know: one tile, an element more or less, two.

If a kernel has ceil(n / tile) blocks in every call, the numbers of blocks reveal the tile. Each call narrows it down.
Mostly a tile is a whole number of elements for each thread, and one such number is left: its own edges show whether it
is the tile. Otherwise further calls bisect, at powers of two first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import ceil

from autograder.judge.calls import Ran, run_all
from autograder.judge.check import Checker
from autograder.judge.outcome import Outcome
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.run.process import Runner

MOST_TILES = 3  # of a task at a time, the largest first: a call costs time
MOST_N = 100_000
ROUNDS = 12  # enough to find a tile among 2^10, and to call its edges

Blocks = Mapping[int, int]  # of a kernel, for each n


def run_edges(checker: Checker, runner: Runner, ran: Ran, seed: int, same_bits: bool) -> Ran:
    """The calls so far and, while all are right, those at the edges."""
    most = max(one.case.n for one in ran.outcomes)
    task = ran.outcomes[0].case.task
    for _ in range(ROUNDS):
        if not all(one.ok for one in ran.outcomes):
            break
        sizes = edges(ran.outcomes) or middles(ran.outcomes)
        found = [casebook.case(seed, task, variant, n) for variant, n in sizes if n <= most]
        found = [one for one in found if checker.fits(runner, one)]
        if not found:
            break
        ran = ran.then(run_all(checker, runner, found, same_bits, lambda at: None, ran.outcomes))
    return ran


def edges(outcomes: Sequence[Outcome]) -> list[tuple[str, int]]:
    """Variants and sizes at the edges of tiles that were not called yet, the smallest first."""
    tiles = {(tile, variant) for variant, threads, of_n in _launches(outcomes) if (tile := _tile(of_n, threads))}
    found = {
        (variant, n)
        for tile, variant in sorted(tiles, reverse=True)[:MOST_TILES]
        for n in (tile - 1, tile, tile + 1, 2 * tile)
    }
    return _not_called(found, outcomes)


def middles(outcomes: Sequence[Outcome]) -> list[tuple[str, int]]:
    """A variant and a size that tell most of the largest unknown tile: it is less than that, or not."""
    possible = [(variant, *_bounds(of_n)) for variant, _, of_n in _launches(outcomes)]
    return _not_called({(variant, _telling(low, high)) for variant, low, high in possible if low < high}, outcomes)[-1:]


def _telling(low: int, high: int) -> int:
    """Whether the tile is a power of two, as most are, if there is one in the middle; otherwise the middle itself."""
    middle = (low + high + 1) // 2
    power = 1 << (middle.bit_length() - 1)
    power = 2 * power if power < low else power
    if power > high:
        return middle
    return power + 1 if power < high else power


def largest_if_limited(outcomes: Sequence[Outcome], seed: int) -> list[Case]:
    """The largest call once more, for a larger device, if the device decides how many blocks there are."""
    if not fills_the_device(outcomes):
        return []
    most = max((one.case for one in outcomes), key=lambda case: case.n)
    return [casebook.case(seed, most.task, most.variant, most.n, repeat=1)]


def fills_the_device(outcomes: Sequence[Outcome]) -> bool:
    """Whether a kernel's number of blocks has a limit."""
    grids: dict[str, dict[int, int]] = {}
    for one in outcomes:
        for kernel in reversed(one.kernels):
            grids.setdefault(kernel.name.partition("<")[0], {})[one.case.n] = kernel.blocks
    for of_n in grids.values():
        n = max(of_n)
        if of_n[n] > 1 and any(2 * other <= n and blocks == of_n[n] for other, blocks in of_n.items()):
            return True
    return False


def _not_called(found: Set[tuple[str, int]], outcomes: Sequence[Outcome]) -> list[tuple[str, int]]:
    called = {(one.case.variant, one.case.n) for one in outcomes}
    return sorted(((variant, n) for variant, n in found - called if n <= MOST_N), key=lambda one: one[1])


def _launches(outcomes: Sequence[Outcome]) -> list[tuple[str, int, Blocks]]:
    """Variant, threads and numbers of blocks of each kernel."""
    blocks: dict[tuple[str, str, int], dict[int, int]] = {}
    for one in outcomes:
        for kernel in reversed(one.kernels):  # the first launch of a name counts
            blocks.setdefault((one.case.variant, kernel.name, kernel.block_threads), {})[one.case.n] = kernel.blocks
    return [(variant, threads, of_n) for (variant, _, threads), of_n in blocks.items()]


def _tile(blocks: Blocks, threads: int) -> int:
    """The elements of a block, if they follow from the numbers of blocks for each n; otherwise 0."""
    low, high = _bounds(blocks)
    if low == high:
        return low
    fits = range(ceil(low / threads) * threads, high + 1, threads) if threads else ()
    return fits[0] if len(fits) == 1 else 0


def _bounds(blocks: Blocks) -> tuple[int, int]:
    """The smallest and the largest tile that are possible; the second is 0 if no call had more than one block.

    A grid may have a limit, which several calls have reached: they tell only that the tile is not larger.
    """
    low, high = _within(blocks)
    if low <= high or not blocks:
        return low, high
    most = max(blocks.values())
    return _within({n: count for n, count in blocks.items() if count < most})


def _within(blocks: Blocks) -> tuple[int, int]:
    low = max((ceil(n / count) for n, count in blocks.items()), default=0)
    high = min(((n - 1) // (count - 1) for n, count in blocks.items() if count > 1), default=0)
    return low, high
