"""What was measured, as JSON, as a table and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from autograder.timing.measure import seconds
from bench.peers.programs import PROGRAMS, Row


class Results(msgspec.Struct):
    """One machine, one day."""

    device: str
    driver: str
    cuda: str
    date: str
    runs: int
    rounds: int  # pairs of calls in each run
    libraries: dict[str, str]  # what each program says of its device and library
    rows: list[Row]


HEAD = "| | task | problem | n | time | GB/s | of copy | call's time | call's time / task's |"


def size(n: int) -> str:
    """2^24, or 29.2 M."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n / 1e6:.1f} M"


def table(rows: Sequence[Row]) -> str:
    """A row for each task and size."""
    lines = [HEAD, "|---|---|---|--:|" + "--:|" * 5]
    for row in rows:
        ratio = f"{row.ratio:.2f}" if row.wrong == 0 else f"{row.wrong} elements wrong"
        lines.append(
            f"| {row.of} | `{row.task}` | {row.what} | {size(row.n)} | {seconds(row.seconds)} "
            f"| {row.bytes / row.seconds / 1e9:,.0f} | {row.of_copy:.2f} | {seconds(row.peer_seconds)} | {ratio} |"
        )
    return "\n".join(lines)


def summary(rows: Sequence[Row]) -> str:
    """One sentence about the fastest tasks' rows of 2^24 items and more."""
    fastest = [row for row in rows if row.of not in PROGRAMS or row.task not in PROGRAMS[row.of].earlier]
    ratios = [row.ratio for row in fastest if row.n >= 1 << 24 and not row.wrong]
    if not ratios:
        return "No row has 2^24 items or more."
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    ahead = sum(ratio >= 1 for ratio in ratios)
    whole = f"From 2^24 items on, the geometric mean of the ratios is {mean:.2f}"
    return f"{whole}, and {ahead} of {len(ratios)} are at least 1."
