"""What is said about times."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from autograder.explain.explanation import Explanation
from autograder.run.protocol import Counters, KernelReport, LineCounters, Place, Report
from autograder.score import points
from autograder.timing.measure import (
    Timing,
    measure,
)
from autograder.timing.speed import memory_text, slow
from autograder.timing.tests.test_measure import outcome


def test_scattered_addresses_are_named_as_the_cause() -> None:
    line = Counters(global_loads=10, load_sectors=320, ideal_load_sectors=40)
    assert memory_text(line, 320) == (
        "100 % of its memory traffic, 32.0 sectors a request where 4.0 would do: "
        "the addresses of neighbouring threads lie far apart"
    )
    assert memory_text(Counters(global_loads=10, load_sectors=50, ideal_load_sectors=40), 50).endswith("traffic")


def test_far_behind_is_said_and_costs_the_points_of_the_output() -> None:
    late = measure(lambda at: (outcome(1e-2), outcome(1e-4)), 1000)
    assert isinstance(late, Timing)
    assert "above 24 times the reference's time, you lose points for the output" in slow(Explanation(), late).details[0]
    assert "above 6 times the reference's time" in slow(Explanation(), late, 0.2).details[0]
    assert points("SLOW", 10, 1 / 24) == 6.2 and points("SLOW", 10, 1 / 24, far_behind=0.2) == 1.7
    near = measure(lambda at: (outcome(2e-3), outcome(1e-4)), 1000)
    assert isinstance(near, Timing) and slow(Explanation(), near).details == ()


@pytest.mark.parametrize(
    ("took", "said"),
    [
        (1e-3, "a large part of it: outside of kernels, 30 %: 3 launches, copies (8 bytes to the host), "
         "allocations, waiting for the device"),
        (7e-3, "most of it: outside of kernels, 90 %"), (7.5e-4, "most of it: grid, 86 % of"),
        (6e-4, "most of it: grid, 86 % of"),  # kernels in several streams overlap
    ],
)  # fmt: skip
def test_time_outside_of_kernels_is_not_called_the_kernels(took: float, said: str) -> None:
    kernels = [KernelReport(name="grid", launches=2, seconds=6e-4), KernelReport(name="block", seconds=1e-4)]
    late = outcome(took)
    assert late.reply is not None
    late = replace(late, reply=msgspec.structs.replace(late.reply, report=Report(kernels=kernels, bytes_to_host=8)))
    timing = measure(lambda at: (late, outcome(3.1e-4)), 1000)
    assert isinstance(timing, Timing)
    explanation = slow(Explanation(), timing)
    assert explanation.details[0].startswith(said)
    if "outside" in said:
        assert explanation.details[1].startswith("in kernels, 700 µs: grid, 86 % of the kernels' time")


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        (100, ["36 times the reference's warp instructions, 75 % of them in scan.cu:52"]),
        (1500, ["2.4 times the reference's warp instructions, 75 % of them in scan.cu:52"]),
        (3000, []),
        (0, []),  # on a GPU nothing is counted
    ],
)
def test_more_instructions_than_the_reference_are_told_with_their_line(needed: int, said: list[str]) -> None:
    lines = [LineCounters(Place("/x/scan.cu", n), Counters(instructions=i)) for n, i in ((41, 900), (52, 2700))]
    kernels = [KernelReport(name="scan", total=Counters(instructions=3600), lines=lines, seconds=1e-3)]
    timing = Timing(1000, True, 4e-3, 1e-3, 0.25, 0.25, 0.25, 1, kernels=kernels, reference_instructions=needed)
    details = slow(Explanation(), timing).details
    assert [line for line in details if "instructions" in line] == said
