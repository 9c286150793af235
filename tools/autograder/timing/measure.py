"""Times: student and reference in turn, A B A B, and what the ratio of their times is worth."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from autograder.errors import GraderError
from autograder.judge.judgement import suspicious
from autograder.judge.outcome import Outcome
from autograder.run.death import Death
from autograder.run.protocol import KernelReport, Report

GPU_PAIRS = 9  # the fewest for which order statistics give a 95 % interval without the two extremes
FEW_PAIRS = 6  # enough if even the slowest is at full speed: the extremes of six are a 97 % interval
LONG_PAIRS = 5  # of calls that take LONG: what disturbs a short call hardly affects them
LONG = 0.25  # seconds of a pair
MOST_PAIRS = 27  # three times as many narrow the interval by the square root of 3; beyond that, it stays noisy
NOISY = 0.10  # half width of the confidence interval, of the median
AGAIN = 4  # the most further tries of a pair whose modelled times include CPU time of host code that may cost points
FULL_SPEED = 1.2  # 1 / 1.2 of the reference's speed is fast enough
NEARLY = 0.5  # of full speed
FASTEST_BYTES_PER_SECOND = 12e12  # for unknown copy bandwidth: no memory of today moves more
MARGIN = 0.5  # what was just written may still be in a cache when the clock stops
MOST_TIMES_FASTER = 1000  # than the reference, in modelled time: no algorithm is, for the same bytes
SHORTEST_TURN = 100e-6  # seconds; any work of another program on the same GPU costs more: 130e-6 on an H200
CERTAIN = 3  # times as long: no doubt that the submission's work did not end
BUSY = Death(
    "crash",
    "its work kept the GPU busy after the call, until its process ended",
    details=("what helps: wait for all work that the task has launched before it returns",),
)


@dataclass(frozen=True)
class Timing:
    """The measured time of a task."""

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
    modelled: Report | None = None  # of the last call, if its time is modelled
    reference_instructions: int = 0  # warp instructions of the reference's call; 0: not counted

    @property
    def scored(self) -> float:
        """The ratio that counts; noise does not cost the student points."""
        return self.high if self.noisy else self.ratio


@dataclass(frozen=True)
class Stopped:
    """Timing ended early: a call of one side failed."""

    outcome: Outcome
    is_reference: bool


@dataclass(frozen=True)
class Lie:
    """An impossible claimed time."""

    reason: str


@dataclass(frozen=True)
class Batches:
    """On a GPU: the same calls by student and reference, and a batch without its calls."""

    student: Outcome
    reference: Outcome
    nothing: Outcome
    calls: int


PairRunner = Callable[[int], tuple[Outcome, Outcome]]


def measure(
    run_pair: PairRunner, n: int, bandwidth: float | None = None, pairs_wanted: int = 1
) -> Timing | Stopped | Lie:
    """Modelled times, which do not vary. run_pair(i) gives student's and reference's outcome.

    `bandwidth`: bytes per second of a copy on this device, read and written.
    """
    times: list[tuple[float, float]] = []
    made: list[tuple[Outcome, Outcome]] = []  # of one pair
    calls = 0
    while True:
        student, reference = run_pair(calls)
        calls += 1
        if stopped := _stopped(student, reference, True):
            return stopped
        made.append((student, reference))
        fast = _is_fast(student, reference)
        if _host_seconds(made[-1]) and len(made) <= AGAIN and not fast:
            continue  # a busy machine adds such time, too; the student's host code adds it in every pair
        student, reference = made[-1] if fast else min(made, key=_host_seconds)
        lie = impossible(student, reference, bandwidth or FASTEST_BYTES_PER_SECOND)
        if lie:
            return lie
        # A reference that is graded itself has host code that takes no time: what is counted, a busy machine has added.
        added = student.host_seconds if student is reference else 0.0
        times.append((max(student.seconds - added, 1e-9), max(reference.seconds - added, 1e-9)))
        if len(times) == pairs_wanted:
            return _timing(n, True, times, student, bandwidth, reference)
        made = []


def _is_fast(student: Outcome, reference: Outcome) -> bool:
    """Whether the student is at full speed, whatever part of these times a busy machine has added."""
    return student is reference or student.seconds <= FULL_SPEED * (reference.seconds - reference.host_seconds)


def _host_seconds(pair: tuple[Outcome, Outcome]) -> float:
    return sum(outcome.host_seconds for outcome in pair)


def measure_on_gpu(
    batches: Callable[[int], Batches], quiet: Callable[[], float], n: int, bandwidth: float | None = None
) -> Timing | Stopped:
    """Runs pairs of batches until the ratio is known well enough.

    `quiet`: ends the student's process, and then measures the seconds of a batch without calls. If the GPU was busy
    until then, the student's call has failed. Raises GraderError if it was busy only for some of the pairs.
    """
    made: list[Batches] = []
    wanted = GPU_PAIRS
    while len(made) < wanted:
        one = batches(len(made))
        if stopped := _stopped(one.student, one.reference, False) or _stopped(one.nothing, one.nothing, False):
            return stopped
        made.append(one)
        if len(made) == 1 and one.student.seconds + one.reference.seconds > LONG:
            wanted = LONG_PAIRS
        times = _times(made, min(one.nothing.seconds for one in made), bandwidth)
        ratios = _ratios(times)
        if len(made) == FEW_PAIRS and min(ratios) >= 1 / FULL_SPEED:
            break
        if len(made) == wanted and wanted < MOST_PAIRS and _undecided(ratios):
            wanted += GPU_PAIRS
    base = quiet()
    turns = [one.nothing.seconds - base for one in made]
    if min(turns) > CERTAIN * SHORTEST_TURN:  # busy all the time, and only until the student's process ended
        return Stopped(replace(made[-1].student, death=BUSY), False)
    if statistics.median(turns) > SHORTEST_TURN:
        raise GraderError("something else was using the GPU while the reference was measured; run it again")
    return _timing(n, False, _times(made, base, bandwidth), made[-1].student, bandwidth)


def of_two_processes(measured: Callable[[int], Timing | Stopped]) -> Timing | Stopped:
    """A task that is slightly too slow is measured again, in the student's next process; the better time counts.

    How fast memory is depends on where it lies: between two processes with the same program, the times of lab 7's
    pagerank differ by up to 13 % on an H200, and by 32 % once. measured(k) measures in the k-th process.
    """
    found = measured(0)
    if not isinstance(found, Timing) or not NEARLY < performance(found.scored) < 1.0:
        return found
    again = measured(1)
    return found if isinstance(again, Timing) and again.scored < found.scored else again


def _stopped(student: Outcome, reference: Outcome, virtual: bool) -> Stopped | None:
    if not reference.ok:
        return Stopped(reference, True)
    if not student.ok or suspicious(student, virtual):
        return Stopped(student, False)
    return None


def _times(made: Sequence[Batches], base: float, bandwidth: float | None) -> list[tuple[float, float]]:
    """Seconds of one call by student and reference; never less than the memory takes."""
    least = max(1e-9, MARGIN * made[0].student.bytes / (bandwidth or FASTEST_BYTES_PER_SECOND))
    return [
        (max((one.student.seconds - base) / one.calls, least), max((one.reference.seconds - base) / one.calls, least))
        for one in made
    ]


def _ratios(times: Sequence[tuple[float, float]]) -> list[float]:
    return [reference / student for student, reference in times]


def _timing(
    n: int,
    virtual: bool,
    times: Sequence[tuple[float, float]],
    last: Outcome,
    bandwidth: float | None,
    reference: Outcome | None = None,
) -> Timing:
    assert last.reply is not None
    ratios = _ratios(times)
    low, high = interval(ratios)
    return Timing(
        n,
        virtual,
        statistics.median(student for student, _ in times),
        statistics.median(reference for _, reference in times),
        statistics.median(ratios),
        low,
        high,
        len(times),
        last.bytes,
        not virtual and _undecided(ratios),
        last.reply.device,
        last.kernels,
        bandwidth,
        last.reply.report if virtual else None,
        instructions_of(reference.kernels) if reference else 0,
    )


def instructions_of(kernels: Sequence[KernelReport]) -> int:
    """Warp instructions of all launches of a call."""
    return sum(kernel.total.instructions for kernel in kernels)


def performance(ratio: float | None) -> float:
    """The performance factor for T_reference / T_student; 1 where nothing was timed."""
    if ratio is None:
        return 1.0
    if not ratio > 0:  # NaN, too
        return 0.0
    return min(1.0, FULL_SPEED * ratio)


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


def _undecided(ratios: Sequence[float]) -> bool:
    """Whether noise, rather than speed, would decide the points."""
    low, high = interval(ratios)
    full = 1 / FULL_SPEED
    return low < full <= high or (high < full and (high - low) / 2 > NOISY * statistics.median(ratios))


def impossible(student: Outcome, reference: Outcome, bandwidth: float) -> Lie | None:
    """Whether a time is faster than the modelled memory can be."""
    # The reference moves the same bytes at the rate of the modelled memory, or below it.
    floor = max(MARGIN * student.bytes / bandwidth, reference.seconds / MOST_TIMES_FASTER)
    if student.seconds < floor:
        return Lie(f"the time it claims, {seconds(student.seconds)}, is below what the memory can do, {seconds(floor)}")
    return None


def seconds(value: float) -> str:
    """A time as people read it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 0.9995:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"
