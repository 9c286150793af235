"""The rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.timing.measure import seconds
from bench.peers.programs import Row

HEAD = "| | rung | problem | n | time | GB/s | of copy | call's time | call's time / rung's |"


def size(n: int) -> str:
    """2^24, or 29.2 M."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else f"{n / 1e6:.1f} M"


def table(rows: Sequence[Row]) -> str:
    """A row for each rung and size."""
    lines = [HEAD, "|---|---|---|--:|" + "--:|" * 5]
    for row in rows:
        ratio = f"{row.ratio:.2f}" if row.wrong == 0 else f"{row.wrong} elements wrong"
        lines.append(
            f"| {row.of} | `{row.rung}` | {row.what} | {size(row.n)} | {seconds(row.seconds)} "
            f"| {row.bytes / row.seconds / 1e9:,.0f} | {row.of_copy:.2f} | {seconds(row.peer_seconds)} | {ratio} |"
        )
    return "\n".join(lines)
