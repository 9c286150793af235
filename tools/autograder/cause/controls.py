"""Whether a change that makes calls right is a repair, or a way round the mistake, by what ran with it and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress

from autograder.cause.causes import kind_of
from autograder.cause.change import Change
from autograder.cause.conditions import leaves_condition_out
from autograder.judge.outcome import Outcome
from autograder.run.protocol import KernelReport
from autograder.run.site import Place

LEAST_LOST = 2  # lines that no longer run: of a single one, the compiler may have made a part of another
MOST_GROWTH = 2.0  # times: what a change adds to the work for an element, in a larger call; and work of a thread
LEAST_ADDED = 0.25  # of the work without the change, that counts
BY_ONE = ("bound", "index", "value", "number", "argument")  # such a change elsewhere may make up for the mistake
# With such a change, a launch may have more threads than enough.
ANOTHER = ("name", "unused", "number", "size", "missing_term")
LEAST_LANES, MOST_LANES = 8, 2  # that are active in an instruction: of whole warps, of single threads
MOST_DISTURBED = 0.25  # of the calls that were right
MOST_ADDED = 0.25  # of the work of a call that was right, by leaving out a condition: else all is done twice
MOST_LOST = 0.25  # of the work, by an index that lets fewer threads take part
# These name another place.
PLACES = ("missing_term", "factor", "size", "name", "unused", "thread_index", "index", "value", "number")
OUTSIDE = ("out_of_bounds", "use_after_free", "misaligned")  # no number of threads keeps an access inside an array


def places_run(outcomes: Sequence[Outcome]) -> set[Place]:
    """Where these calls have been, in kernels."""
    lines = (one for outcome in outcomes for kernel in outcome.kernels for one in kernel.lines if one.counters.lanes)
    return {one.place for one in lines if not one.place.file.endswith("what_if.h")}


@dataclass
class Runs:
    """What calls did together."""

    lines: set[tuple[str, int]] = field(default_factory=set)  # file and line that ran on the device
    most: list[int] = field(default_factory=list)  # warp instructions that a launch of each may take; 0: any number
    launches: list[list[tuple[str, int]]] = field(default_factory=list)  # of each call: kernel and threads
    accesses: list[list[int]] = field(default_factory=list)  # of each launch: see most_accesses
    work: dict[int, float] = field(default_factory=dict)  # instructions for an element, by n of a call that ended
    steps: dict[int, float] = field(default_factory=dict)  # the same of warps
    depth: float = 0.0  # instructions of a thread, at most
    counts: list[Mapping[tuple[str, int], int]] = field(default_factory=list)  # of each call: how often a line ran
    sizes: list[tuple[str, int]] = field(default_factory=list)  # variant and n of each call
    right: list[bool] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return self.right.count(False)

    @property
    def surely_right(self) -> list[bool]:
        """Which calls are right, and not by luck: no other fails at its size, or none of its variant does."""
        failing = [size for size, right in zip(self.sizes, self.right, strict=True) if not right]
        variants, counts = {variant for variant, _ in failing}, {n for _, n in failing}
        known = zip(self.sizes, self.right, strict=True)
        return [right and not (variant in variants and n in counts) for (variant, n), right in known]

    def add(self, outcome: Outcome, *, right: bool, ended: bool) -> None:
        """A further call."""
        self.right.append(right)
        self.sizes.append((outcome.case.variant, outcome.case.n))
        counts: Counter[tuple[str, int]] = Counter()
        for kernel in outcome.kernels:
            counts.update({(one.place.file, one.place.line): one.counters.lanes for one in kernel.lines})
        self.counts.append(counts)
        self.lines |= {(place.file, place.line) for place in places_run([outcome])}
        threads = [(one, max(one.blocks * one.block_threads, 1)) for one in outcome.kernels]
        self.launches.append([(one.name, count) for one, count in threads])
        self.accesses.append([most_accesses(one) for one in outcome.kernels])
        if ended and outcome.case.n > 0:
            self.work[outcome.case.n] = sum(one.total.lanes for one in outcome.kernels) / outcome.case.n
            self.steps[outcome.case.n] = sum(one.total.instructions for one in outcome.kernels) / outcome.case.n
            self.depth = max([self.depth, *(one.total.lanes / count for one, count in threads)])

    def only(self, which: Sequence[bool]) -> Runs:
        """Some of the calls, with all lines that ran."""
        return replace(
            self,
            most=[*compress(self.most, which)],
            launches=[*compress(self.launches, which)],
            accesses=[*compress(self.accesses, which)],
            counts=[*compress(self.counts, which)],
            sizes=[*compress(self.sizes, which)],
            right=[*compress(self.right, which)],
        )


def most_accesses(kernel: KernelReport) -> int:
    """How many loads from global memory the line has that makes most; if there are none, stores and atomics."""
    its = [one.counters for one in kernel.lines]
    loads = max((one.global_loads for one in its), default=0)
    return loads or max((one.global_stores + one.atomics for one in its), default=0)


def is_part(before: Outcome, after: Outcome) -> bool:
    """Whether at most half of the wrong elements still are, or fewer things are found, and nothing else is."""
    was, now = ({(one.kind, one.place.line) for one in each.findings} for each in (before, after))
    if not now <= was or after.death or after.reply is None:
        return False
    if before.wrong is None or after.wrong is None:
        return before.wrong is None and now < was
    masks = list(zip(before.wrong.checked.wrong, after.wrong.checked.wrong, strict=True))
    if any(one.shape != other.shape or bool((other & ~one).any()) for one, other in masks):
        return False
    return 2 * sum(int(other.sum()) for _, other in masks) <= sum(int(one.sum()) for one, _ in masks)


def does_again(before: Runs, after: Runs, sizes: Collection[int]) -> bool:
    """Whether what a change adds to the work for an element grows with the number of elements.

    Then every block, or every thread, has the work of all. `sizes`: of calls with many elements.
    """
    known = sorted(n for n in sizes if after.work.get(n) and (n in before.work or not before.work))
    if len(known) < 2:
        return False
    fewer, more = (after.work[n] - before.work.get(n, 0.0) for n in (known[0], known[-1]))
    least = LEAST_ADDED * before.work.get(known[-1], 0.0)
    return more > least and more > MOST_GROWTH * max(fewer, least / MOST_GROWTH)


def is_by_one_thread(before: Runs, after: Runs, sizes: Collection[int]) -> bool:
    """Whether what a change adds to the work is done by single threads, of a program that otherwise uses whole warps.

    Then one thread does again what all of them do. `sizes`: of calls with many elements.
    """
    n = max((one for one in sizes if one in after.steps and before.steps.get(one)), default=0)
    if not n or before.work[n] < LEAST_LANES * before.steps[n]:
        return False
    added = after.steps[n] - before.steps[n]
    return added > before.steps[n] and after.work[n] - before.work[n] < MOST_LANES * added


def work_with(before: Runs, after: Runs) -> float:
    """The work of the largest call that ends in both, as so many times what it is without the change; 1: not known."""
    n = max((one for one in after.work if before.work.get(one)), default=0)
    return after.work[n] / before.work[n] if n else 1.0


def threads_with(before: Runs, after: Runs) -> float:
    """How many threads the calls have, as so many times what they have without the change."""
    all_ = [sum(threads for call in one.launches for _, threads in call) for one in (before, after)]
    return all_[1] / all_[0] if all_[0] else 1.0


def disturbs(about: Collection[int], before: Runs, after: Runs) -> bool:
    """Whether calls that are right without a change run another way with it: the mistake is not where they come.

    `about`: the lines that the change is about.
    """
    was_right = [pair for right, *pair in zip(before.surely_right, before.counts, after.counts, strict=True) if right]
    other = sum(_beside(about, one) != _beside(about, its) for one, its in was_right)
    return other > MOST_DISTURBED * len(was_right)


def adds_work(before: Runs, after: Runs) -> bool:
    """Whether calls that are right without a change do far more with it."""
    pairs = zip(before.surely_right, before.counts, after.counts, strict=True)
    was_right = [(sum(one.values()), sum(other.values())) for right, one, other in pairs if right]
    return sum(other > (1 + MOST_ADDED) * one for one, other in was_right) > MOST_DISTURBED * len(was_right)


def _beside(about: Collection[int], counts: Mapping[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """Without the lines that the change is about, where what is asked for runs another way."""
    return {
        (file, line): count
        for (file, line), count in counts.items()
        if line not in about and not file.endswith("what_if.h")
    }


def goes_round(
    changes: Sequence[Change], before: Runs, after: Runs, sizes: Collection[int], found: Collection[str]
) -> bool:
    """Whether the calls are right with the changes because they no longer come to the mistake, or do everything again.

    Lines that the change is about may be left out. `sizes`: of calls with many elements; `found`: kinds of findings.
    """
    about = {line for change in changes for line in range(change.line, change.last + 1)}
    kinds = {kind_of(change) for change in changes}
    lost = [line for line in before.lines - after.lines if line[1] not in about]
    if _leaves_kernels_out(before, after, "function" in kinds) or len(lost) >= LEAST_LOST:
        return True
    makes_up = any(kind_of(one) in BY_ONE and one.kind != "factor" for one in changes)
    if does_again(before, after, sizes) or (makes_up and disturbs(about, before, after)):
        return True
    if kinds.intersection(ANOTHER) and _launches_more_than_enough(before, after):
        return True
    if "one_thread" not in kinds and is_by_one_thread(before, after, sizes):
        return True
    if any(leaves_condition_out(one) for one in changes) and adds_work(before, after):
        return True
    if "race" in found and kinds.intersection(PLACES) and work_with(before, after) < 1 - MOST_LOST:
        return True  # those that are left do not meet
    if "too_many_blocks" in kinds and after.depth > MOST_GROWTH * before.depth:
        return True  # one block has the work of all
    if "too_few_blocks" in kinds and not _reaches_more(before, after):
        return True
    return _has_more_threads(before, after) and any(one in OUTSIDE for one in found)


def _leaves_kernels_out(before: Runs, after: Runs, is_other_function: bool) -> bool:
    """Whether a call no longer launches a kernel: another way through the program is not the one that is wrong.

    `is_other_function`: a function of the toolbox may differ from another one in its kernels' template arguments alone.
    """
    calls = zip(before.launches, after.launches, strict=True)
    names = [[{_name_of(name, is_other_function) for name, _ in one} for one in both] for both in calls]
    return any(not one <= other for one, other in names)


def _name_of(kernel: str, without_arguments: bool) -> str:
    return kernel.replace("(anonymous namespace)", "").partition("<")[0] if without_arguments else kernel


def _launches_more_than_enough(before: Runs, after: Runs) -> bool:
    """Whether calls that are right without a change have more threads with it: they had enough."""
    calls = zip(before.surely_right, before.launches, after.launches, strict=True)
    was_right = [(one, other) for right, one, other in calls if right]
    more = sum(sum(n for _, n in other) > sum(n for _, n in one) for one, other in was_right)
    return more > MOST_DISTURBED * len(was_right)


def _has_more_threads(before: Runs, after: Runs) -> bool:
    """Whether a launch has more threads with the change; after a finding a call may have fewer launches."""
    calls = zip(before.launches, after.launches, strict=True)
    pairs = (pair for one, other in calls for pair in zip(one, other, strict=False))
    return any(name == other and now > threads for (name, threads), (other, now) in pairs)


def _reaches_more(before: Runs, after: Runs) -> bool:
    """Whether more threads come to more elements. Those that take what others had before hide what is wrong there."""
    was, now = (
        [[*zip(*each, strict=True)] for each in zip(one.launches, one.accesses, strict=True)] for one in (before, after)
    )
    for right, one, other in zip(before.right, was, now, strict=True):
        pairs = zip(one, other, strict=False)
        more = [its > had for ((_, threads), had), ((_, grown), its) in pairs if grown > threads]
        if not right and (any(more) or not more):
            return True
    return False
