"""How often a call is timed, and which time counts."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from autograder.errors import GraderError
from autograder.judge.outcome import Outcome, verdict_of
from autograder.plan.cases import case
from autograder.run.death import Death
from autograder.run.protocol import KernelReport, Reply, Report
from autograder.timing.measure import (
    SHORTEST_TURN,
    Batches,
    Lie,
    Stopped,
    Timing,
    interval,
    measure,
    measure_on_gpu,
    of_two_processes,
    seconds,
)


def outcome(claimed: float) -> Outcome:
    answer = Reply(status="ok", seconds=claimed, device="GPU")
    return Outcome(case(1, "naive", "", 1000), reply=answer, seconds=claimed, bytes=8e6)


BASE = 5e-4  # seconds that a batch takes on this GPU without its calls


def batches(student: float, reference: float, nothing: float = BASE, calls: int = 8) -> Batches:
    """Of a GPU: seconds of each call."""
    return Batches(outcome(BASE + calls * student), outcome(BASE + calls * reference), outcome(nothing), calls)


def test_modelled_times_need_as_many_pairs_as_the_lab_says() -> None:
    times = iter([1e-4, 3e-4, 2e-4])
    timing = measure(lambda at: (outcome(next(times)), outcome(1e-4)), 1000, pairs_wanted=3)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.ratio, timing.student) == (3, 0.5, 2e-4)


def busy(claimed: float, host: float) -> Outcome:
    plain = outcome(claimed)
    assert plain.reply is not None
    return replace(
        plain,
        reply=msgspec.structs.replace(plain.reply, report=Report(kernels=[KernelReport()], host_seconds=host)),
    )


def test_a_pair_with_time_of_host_code_is_made_again_and_the_best_one_counts() -> None:
    for times in ([3e-4, 0.0], [3e-4, 0.0, 1e-3], [3e-4, 1e-4, 4e-3, 1e-3, 2e-3]):
        noise = iter(times)
        timing = measure(lambda at: (busy(1e-4 + (host := next(noise)), host), outcome(1e-4)), 1000)  # noqa: B023
        assert isinstance(timing, Timing) and timing.ratio == pytest.approx(1e-4 / (1e-4 + min(times)))
    made = 0

    def host_work(at: int) -> tuple[Outcome, Outcome]:
        nonlocal made
        made += 1
        return busy(5e-4, 4e-4), outcome(1e-4)

    timing = measure(host_work, 1000)
    assert isinstance(timing, Timing) and timing.ratio == pytest.approx(0.2) and made == 5


@pytest.mark.parametrize(
    ("student", "reference", "pairs"),
    [((1.1e-4, 1e-5), (1e-4, 0.0), 1), ((1.1e-4, 0.0), (1.2e-4, 2e-5), 1), ((1.2e-4, 0.0), (1.2e-4, 3e-5), 5)],
)
def test_a_pair_at_full_speed_is_not_made_again(
    student: tuple[float, float], reference: tuple[float, float], pairs: int
) -> None:
    """Unless only the reference's host code makes it look so."""
    made = 0

    def pair(at: int) -> tuple[Outcome, Outcome]:
        nonlocal made
        made += 1
        return busy(*student), busy(*reference)

    measure(pair, 1000)
    assert made == pairs


def test_what_a_busy_machine_adds_is_in_no_time_of_the_reference_itself() -> None:
    graded = busy(3e-4, 2e-4)
    timing = measure(lambda at: (graded, graded), 1000)
    assert isinstance(timing, Timing) and timing.ratio == 1.0 and timing.student == pytest.approx(1e-4)


def test_steady_times_need_nine_pairs() -> None:
    timing = measure_on_gpu(lambda at: batches(2e-4, 1e-4), lambda: BASE, 1000)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.noisy) == (9, False)
    assert timing.ratio == pytest.approx(0.5) and timing.student == pytest.approx(2e-4)


def test_six_pairs_are_enough_if_all_are_at_full_speed() -> None:
    ratios = [0.9, 1.1, 0.84, 1.0, 0.95, 1.2]
    timing = measure_on_gpu(lambda at: batches(1e-4, 1e-4 * ratios[at]), lambda: BASE, 1000)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.noisy) == (6, False)
    ratios[2] = 0.83
    timing = measure_on_gpu(lambda at: batches(1e-4, 1e-4 * ratios[at % 6]), lambda: BASE, 1000)
    assert isinstance(timing, Timing) and timing.pairs > 6


def test_long_calls_need_five_pairs() -> None:
    timing = measure_on_gpu(lambda at: batches(0.2, 0.1), lambda: BASE, 1000)
    assert isinstance(timing, Timing) and timing.pairs == 5 and timing.ratio == pytest.approx(0.5)
    undecided = [0.8, 0.9]
    timing = measure_on_gpu(lambda at: batches(0.2, 0.2 * undecided[at % 2]), lambda: BASE, 1000)
    assert isinstance(timing, Timing) and timing.pairs > 9


def test_noise_costs_no_points() -> None:
    noise = [0.6, 1.1, 0.7, 0.9, 0.65, 1.0, 0.75, 0.8, 0.95]
    timing = measure_on_gpu(lambda at: batches(1e-4, 1e-4 * noise[at % 9]), lambda: BASE, 1000)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.noisy) == (27, True)
    assert timing.scored == timing.high > 1 / 1.2


def test_what_a_batch_takes_by_itself_is_measured_when_the_student_has_ended() -> None:
    """Work left on the GPU cannot pass for the overhead of all calls."""
    busy = BASE + 0.9 * SHORTEST_TURN
    timing = measure_on_gpu(lambda at: batches(2e-4, 1e-4, busy), lambda: BASE, 1000)
    assert isinstance(timing, Timing) and timing.ratio == pytest.approx(0.5)
    a_little = batches(2e-4, 1e-4, BASE + 1.2 * SHORTEST_TURN)
    with pytest.raises(GraderError, match="something else was using the GPU"):
        measure_on_gpu(lambda at: a_little, lambda: BASE, 1000)
    always = measure_on_gpu(lambda at: batches(2e-4, 1e-4, BASE + 2e-3), lambda: BASE, 1000)
    assert isinstance(always, Stopped) and not always.is_reference and verdict_of(always.outcome) == "RTE"
    with pytest.raises(GraderError, match="something else was using the GPU"):
        measure_on_gpu(lambda at: batches(2e-4, 1e-4, BASE + (2e-3 if at % 3 else 0)), lambda: BASE, 1000)


def test_no_call_takes_less_than_the_memory_does() -> None:
    timing = measure_on_gpu(lambda at: batches(-1e-4, 1e-5), lambda: BASE, 1000, 4e12)
    assert isinstance(timing, Timing) and timing.student == 0.5 * 8e6 / 4e12


def test_impossible_modelled_times_are_lies() -> None:
    fast = measure(lambda at: (outcome(1e-7), outcome(1e-4)), 1000, 4e12)
    assert isinstance(fast, Lie) and "below what the memory can do" in fast.reason


def test_a_failing_side_stops_the_measurement() -> None:
    good, bad = outcome(1e-4), replace(outcome(1e-4), death=Death("crash", "gone"))
    stopped = measure(lambda at: (bad, good), 1000)
    assert isinstance(stopped, Stopped) and not stopped.is_reference
    stopped = measure(lambda at: (good, bad), 1000)
    assert isinstance(stopped, Stopped) and stopped.is_reference
    for sides, is_reference in (((bad, good, good), False), ((good, bad, good), True), ((good, good, bad), True)):
        one = Batches(*sides, calls=1)
        stopped_on_gpu = measure_on_gpu(lambda at, one=one: one, lambda: BASE, 1000)  # type: ignore[misc]
        assert isinstance(stopped_on_gpu, Stopped) and stopped_on_gpu.is_reference == is_reference


def test_interval_of_nine_is_from_the_second_to_the_eighth() -> None:
    assert interval([1, 2, 3, 4, 5, 6, 7, 8, 9]) == (2, 8)
    assert interval([3.0]) == (3.0, 3.0)


@pytest.mark.parametrize(("value", "text"), [(1.5, "1.5 s"), (0.00123, "1.23 ms"), (2e-5, "20 µs"), (5e-9, "5 ns")])
def test_seconds(value: float, text: str) -> None:
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("first", "second", "asked", "scored"),
    [
        (0.95, 0.10, 1, 0.95),  # at full speed
        (0.68, 0.98, 2, 0.98),
        (0.68, 0.60, 2, 0.68),
        (0.30, 0.95, 1, 0.30),  # no memory is so slow
    ],
)
def test_slightly_too_slow_has_a_second_chance(first: float, second: float, asked: int, scored: float) -> None:
    timing = measure_on_gpu(lambda _: batches(1e-4, 1e-4), lambda: BASE, 1000)
    assert isinstance(timing, Timing)
    processes: list[int] = []

    def measured(process: int) -> Timing:
        processes.append(process)
        return replace(timing, ratio=[first, second][process])

    found = of_two_processes(measured)
    assert isinstance(found, Timing) and found.scored == scored
    assert processes == list(range(asked))


def test_a_failure_in_the_second_process_is_the_outcome() -> None:
    timing = measure_on_gpu(lambda _: batches(1.5e-4, 1e-4), lambda: BASE, 1000)
    stopped = Stopped(outcome(1e-4), False)
    assert of_two_processes(lambda process: [timing, stopped][process]) is stopped
    assert of_two_processes(lambda _: stopped) is stopped
