"""Does the virtual GPU rank the rungs of a ladder as a real GPU does?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from bench.ladder import Row

ALIKE = 1.10  # closer than this, two measured times are not told apart


class Disagreement(NamedTuple):
    """Two rungs of a lab: the slower one and the faster one as measured, and a sentence."""

    lab: int
    slow: str
    fast: str
    told: str


def disagreements(measured: Sequence[Row], modelled: Sequence[Row]) -> list[Disagreement]:
    """Pairs of rungs of one lab that the model puts in another order than the measurement; [] is agreement."""
    model = {(row.lab, row.task): row.seconds for row in modelled}
    found = []
    for a, b in combinations(measured, 2):
        if a.lab != b.lab:
            continue
        fast, slow = sorted((a, b), key=lambda row: row.seconds)
        if slow.seconds < ALIKE * fast.seconds:
            continue
        fast_model, slow_model = model[fast.lab, fast.task], model[slow.lab, slow.task]
        if not fast_model < slow_model:
            told = (
                f"lab {a.lab}: {slow.task} takes {slow.seconds / fast.seconds:.2f} times {fast.task}'s time on "
                f"{fast.device} at n = {fast.n}, but {slow_model / fast_model:.2f} times in the model"
            )
            found.append(Disagreement(a.lab, slow.task, fast.task, told))
    return found
