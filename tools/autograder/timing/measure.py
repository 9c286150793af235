"""Times: student and reference side by side, A B A B, and what the ratio of the two is worth."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autograder.judge.judgement import suspicious
from autograder.judge.outcome import Outcome
from autograder.run.protocol import KernelReport

GPU_PAIRS = 9  # the fewest of which order statistics give a 95 % interval that leaves out both extremes
MOST_PAIRS = 27  # three times as many narrow the interval by the square root of 3; then it stays noisy
NOISY = 0.10  # half width of the confidence interval, of the median
AGAIN = 2  # more pairs at most, for those whose modelled times have CPU time of host code in them
FULL_SPEED = 1.2  # as fast as 1 / 1.2 of the reference is as fast as it needs to be
FAR_BEHIND = 0.05  # of full speed; below, the rung is not what it is about: one thread may do the work of all
FASTEST_BYTES_PER_SECOND = 12e12  # no memory of today moves more; where the copy bandwidth is not known
MARGIN = 0.5  # what was just written may still be in a cache when the clock stops
MOST_TIMES_FASTER = 1000  # than the reference, in modelled time: no better algorithm is, for the same bytes
UNSEEN_SECONDS = 0.1  # that a call may take on the grader's clock beyond what it claims: pipes and a busy machine
UNSEEN_TIMES = 50  # and so many times the reference's time: launches and allocations that the events leave out


@dataclass(frozen=True)
class Timing:
    """What a task's time was found to be."""

    n: int
    virtual: bool
    student: float  # seconds, median
    reference: float
    ratio: float  # T_reference / T_student, median over pairs
    low: float  # confidence interval of the ratio, about 95 %
    high: float
    pairs: int
    bytes: float = 0.0
    noisy: bool = False
    device: str = ""
    kernels: Sequence[KernelReport] = ()
    copy_bandwidth: float | None = None

    @property
    def scored(self) -> float:
        """The ratio that counts: noise is not the student's loss."""
        return self.high if self.noisy else self.ratio


@dataclass(frozen=True)
class Stopped:
    """Timing ended early: a call of one side failed."""

    outcome: Outcome
    is_reference: bool


@dataclass(frozen=True)
class Lie:
    """A claimed time that cannot be."""

    reason: str


@dataclass(frozen=True)
class Pair:
    """Seconds of one pair of calls."""

    student: float
    reference: float
    student_clock: float  # by the grader's own clock around the call
    reference_clock: float

    @property
    def ratio(self) -> float:
        return self.reference / self.student


PairRunner = Callable[[int], tuple[Outcome, Outcome]]


def measure(
    run_pair: PairRunner, n: int, virtual: bool, bandwidth: float | None = None, virtual_pairs: int = 1
) -> Timing | Stopped | Lie:
    """Runs pairs until the ratio is known well enough. run_pair(i) gives student's and reference's outcome.

    `bandwidth`: bytes per second of a copy on this device, read and written.
    """
    pairs: list[Pair] = []
    last: Outcome | None = None
    wanted = virtual_pairs if virtual else GPU_PAIRS
    again = 0
    while len(pairs) < wanted:
        student, reference = run_pair(len(pairs) + again)
        if not reference.ok:
            return Stopped(reference, True)
        if not student.ok or suspicious(student, virtual):
            return Stopped(student, False)
        if (student.host_seconds or reference.host_seconds) and again < AGAIN:
            again += 1  # a busy machine adds such time, too; work of the student's host code is there in each pair
            continue
        last = student
        pairs.append(Pair(time_of(student), time_of(reference), student.elapsed, reference.elapsed))
        lie = impossible(student, reference, bandwidth or FASTEST_BYTES_PER_SECOND)
        if lie:
            return lie
        if len(pairs) == wanted and not virtual and wanted < MOST_PAIRS and _undecided(pairs):
            wanted += GPU_PAIRS
    assert last is not None and last.reply is not None
    lie = None if virtual else hidden(pairs)
    if lie:
        return lie
    ratios = [pair.ratio for pair in pairs]
    low, high = interval(ratios)
    return Timing(
        n,
        virtual,
        statistics.median(pair.student for pair in pairs),
        statistics.median(pair.reference for pair in pairs),
        statistics.median(ratios),
        low,
        high,
        len(pairs),
        last.bytes,
        not virtual and _undecided(pairs),
        last.reply.device,
        last.kernels,
        bandwidth,
    )


def performance(ratio: float | None) -> float:
    """The performance factor for T_reference / T_student; 1 where nothing was timed."""
    if ratio is None:
        return 1.0
    if not ratio > 0:  # NaN, too
        return 0.0
    return min(1.0, FULL_SPEED * ratio)


def time_of(outcome: Outcome) -> float:
    """Seconds between the events, never zero."""
    assert outcome.reply is not None
    return max(outcome.reply.seconds, 1e-9)


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """A confidence interval of the median from order statistics: exact, whatever the distribution."""
    ordered = sorted(ratios)
    count = len(ordered)
    if count < 6:
        return ordered[0], ordered[-1]
    # The largest k with P(Binomial(count, 1/2) < k) <= 2.5 %; the interval is from the k-th to the k-th last.
    below, term, k = 0.0, 0.5**count, 0
    while below + term <= 0.025:
        below += term
        k += 1
        term *= (count - k + 1) / k
    k = max(k, 1)
    return ordered[k - 1], ordered[count - k]


def _undecided(pairs: Sequence[Pair]) -> bool:
    """Whether noise, rather than speed, would decide the points."""
    ratios = [pair.ratio for pair in pairs]
    low, high = interval(ratios)
    full = 1 / FULL_SPEED
    return low < full <= high or (high < full and (high - low) / 2 > NOISY * statistics.median(ratios))


def impossible(student: Outcome, reference: Outcome, bandwidth: float) -> Lie | None:
    """Faster than the memory can be, or more time claimed than has passed."""
    assert student.reply is not None and reference.reply is not None
    claimed = student.reply.seconds
    floor = MARGIN * student.bytes / bandwidth
    if student.reply.virtual:
        # The reference moves the same bytes at the rate of the modelled memory, or below it.
        floor = max(floor, reference.reply.seconds / MOST_TIMES_FASTER)
    if claimed < floor:
        return Lie(f"the time it claims, {seconds(claimed)}, is below what the memory can do, {seconds(floor)}")
    if not student.reply.virtual and claimed > student.elapsed:
        return Lie(f"the time it claims, {seconds(claimed)}, is longer than the call took")
    return None


def hidden(pairs: Sequence[Pair]) -> Lie | None:
    """Work outside the clock: by the grader's own clock each call takes much longer than the reference's."""
    beyond = statistics.median(pair.student_clock - pair.reference_clock for pair in pairs)
    reference = statistics.median(pair.reference for pair in pairs)
    claimed = statistics.median(pair.student for pair in pairs) - reference
    if beyond > claimed + UNSEEN_SECONDS + UNSEEN_TIMES * reference:
        return Lie(f"each call takes {seconds(beyond)} longer than the reference's, and its clock does not show it")
    return None


def seconds(value: float) -> str:
    """A time as people read it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 0.9995:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"
