"""What is said of a process that died."""

from __future__ import annotations

from autograder.run import death as deaths
from autograder.run.death import Death


def test_where_a_call_was_when_its_time_was_up() -> None:
    loop = "thread 0 of block 9 is in the loop `while (i < n)` at scan.cu:41: it compares 3 (growing) with 10"
    stopped = (
        "kernel k at scan.cu:42, thread 0 of block 9, after 310 million warp instructions; launch 1, made at scan.cu:60"
    )
    lines = [f"{deaths.SO_FAR}9 of 300 blocks had ended", f"{deaths.SO_FAR}{loop}", f"{deaths.STOPPED}{stopped}"]
    death = deaths.timeout(10, "\n".join(lines))
    assert death.where == "scan.cu:41"
    assert death.details == (loop, f"running when the time was up: {stopped}", "9 of 300 blocks had ended")
    assert (death.instructions, death.launches) == (310_000_000, 1)
    assert deaths.timeout(10, lines[2].replace("310 million", "4711")).instructions == 4711
    assert deaths.timeout(10, lines[0]) == Death("timeout", "no answer within 10 s")
