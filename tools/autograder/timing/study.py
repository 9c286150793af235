"""What only a report needs, after the verdict: times at other sizes, and the addresses on the costliest line.

Nothing here decides about points. A call that fails is left out. On the virtual GPU only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from autograder.judge.check import Checker
from autograder.plan.cases import Case, derive
from autograder.run.process import Runner
from autograder.run.protocol import Counters, KernelReport, Trace
from autograder.timing.pairs import Pairs

SMALLEST = 256  # elements; below that, the launch takes all the time
STEP = 4
MOST_SIZES = 8
WORTH_SAVING = 0.1  # share of all passes: a line that wastes this much comes before one that only moves much


class TimeAt(msgspec.Struct, frozen=True):
    """Modelled seconds of one size."""

    n: int
    seconds: float
    reference_seconds: float
    bytes: float  # that must move


@dataclass(frozen=True)
class Study:
    """The results of the study."""

    sizes: tuple[TimeAt, ...] = ()
    trace: Trace | None = None


NOTHING = Study()


def study(checker: Checker, student: Runner, reference: Runner, case: Case, kernels: Sequence[KernelReport]) -> Study:
    """Studies a right task; the case is the timed one, with its counters."""
    return Study(_sizes(checker, student, reference, case), _trace(checker, student, case, kernels))


def _sizes(checker: Checker, student: Runner, reference: Runner, case: Case) -> tuple[TimeAt, ...]:
    """The sizes to time, from small to large, without the timed size itself."""
    found: list[TimeAt] = []
    n = case.n // STEP
    while n >= SMALLEST and len(found) < MOST_SIZES:
        here = replace(case, n=n, seed=0)  # ordinary inputs, as the timed size has them whatever its seed
        if not checker.fits(student, here) or not checker.fits(reference, here):
            break
        one, other = Pairs(checker, student, reference, here).once_more()
        if not one.ok or not other.ok:
            break
        found.append(TimeAt(n, one.seconds, other.seconds, one.bytes))
        n //= STEP
    return tuple(reversed(found))


def _trace(checker: Checker, student: Runner, case: Case, kernels: Sequence[KernelReport]) -> Trace | None:
    line = costliest(kernels)
    if line is None:
        return None
    prepared = checker.prepare([replace(case, seed=derive(case.seed, "trace"))])
    outcome = checker.batch(student, prepared, timed=True, trace=f"{line[1]} {line[0]}")
    report = outcome.reply.report if outcome.ok and outcome.reply else None
    return report.trace if report and report.trace and report.trace.steps else None


def costliest(kernels: Sequence[KernelReport]) -> tuple[str, int] | None:
    """File and number of the line that wastes most passes through memory, or, if none wastes much, makes most."""
    passes: dict[tuple[str, int], int] = defaultdict(int)
    wasted: dict[tuple[str, int], int] = defaultdict(int)
    for kernel in kernels:
        for line in kernel.lines:
            at = (line.place.file, line.place.line)
            passes[at] += actual(line.counters)
            wasted[at] += max(0, actual(line.counters) - ideal(line.counters))
    passes = {at: count for at, count in passes.items() if count and at[1]}
    if not passes:
        return None
    worst = max(passes, key=lambda at: wasted[at])
    if wasted[worst] > WORTH_SAVING * sum(passes.values()):
        return worst
    return max(passes, key=passes.__getitem__)


def actual(c: Counters) -> int:
    """Passes: sectors of global memory and wavefronts of shared memory."""
    return c.load_sectors + c.store_sectors + c.atomic_sectors + c.shared_wavefronts


def ideal(c: Counters) -> int:
    return c.ideal_load_sectors + c.ideal_store_sectors + c.atomic_sectors + c.ideal_wavefronts
