"""Elements for which a launch has no thread: said only where the output shows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autograder.explain.evidence import Errors
from autograder.run.protocol import KernelReport
from autograder.words import counted


def without_thread(errors: Errors, kernels: Sequence[KernelReport]) -> tuple[str, ...]:
    """One line if a launch has fewer threads than there are elements, and exactly those beyond were never written."""
    e = errors.elements
    never = np.flatnonzero(e.poisoned & e.wrong)
    if e.past is not None or never.size == 0 or never.size == e.count:
        return ()
    first, left = int(never[0]), e.count - int(never[0])
    threads = {one.blocks * one.block_threads for one in kernels if one.is_line and not one.by_kernel}
    if left != never.size or first not in threads or max(threads) > first:
        return ()
    return (
        f"{counted(first, 'thread')} for {counted(e.count, e.noun)}: nothing was written from index {first:,} on, "
        f"so {counted(left, f'{e.noun} has', f'{e.noun}s have')} no thread",
    )
