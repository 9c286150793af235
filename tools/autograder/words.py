"""Counts as people read them, and values as programs print them."""

from __future__ import annotations

import numpy as np

LIMITS = {  # what takes the time of a kernel, as the model calls it, and as people do
    "dram": "device memory",
    "l2": "the L2 cache",
    "atomics": "atomics",
    "issue": "the number of instructions",
    "shared": "shared memory",
    "lsu": "the number of memory accesses",
    "f64": "arithmetic in double",
    "sfu": "special functions",
    "latency": "waiting: too few warps, or each depends on the last",
    "launch": "the launch",
}


def number(value: np.generic) -> str:
    """A value of an array: exact, as the last bits may matter, and as a program prints it; commas separate values."""
    if value.dtype.kind == "f":
        return f"{float(value):.9g}" if value.dtype.itemsize == 4 else f"{float(value):.17g}"
    return str(int(value))


def counted(count: int, noun: str, several: str = "") -> str:
    """1 value, 2 values; 2 launches, if the plural is not made by an s."""
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def part(some: int, count: int, noun: str) -> str:
    """3 of 1,025 values are."""
    return f"{some:,} of {counted(count, noun)} {'is' if some == 1 else 'are'}"


def ordinal(count: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count:,}{ending}"


def rounded(count: int) -> str:
    """12,300 as it is; 1.2 million, 310 million."""
    for unit, factor in (("billion", 10**9), ("million", 10**6)):
        if count >= factor:
            value = count / factor
            return f"{value:,.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"
    return f"{count:,}"
