"""Elements without a thread are named only if the output shows exactly those as never written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autograder.explain.coverage import without_thread
from autograder.explain.evidence import Errors
from autograder.run.protocol import KernelReport

N = 1025
WANTED = np.arange(N, dtype=np.int32)
LAUNCH = KernelReport("add", grid=(256, 1, 1), block=(1, 1, 1))


def errors(first: int, end: int = N) -> Errors:
    never = np.zeros(N, bool)
    never[first:end] = True
    return Errors(N, never, WANTED, np.where(never, np.int32(-1), WANTED), never)


def test_elements_beyond_the_last_thread_have_none() -> None:
    assert without_thread(errors(256), [LAUNCH]) == (
        "256 threads for 1,025 values: nothing was written from index 256 on, so 769 values have no thread",
    )


@pytest.mark.parametrize(
    ("found", "kernels"),
    [
        (errors(257), [LAUNCH]),  # more was written than there are threads
        (errors(256, N - 1), [LAUNCH]),  # the last element was written
        (errors(0), [LAUNCH]),
        (errors(256), [LAUNCH, KernelReport("all", grid=(5, 1, 1), block=(256, 1, 1))]),
        (errors(256), [KernelReport("square", grid=(16, 16, 1), block=(1, 1, 1))]),
        (replace(errors(256), poisoned=np.zeros(N, bool)), [LAUNCH]),
    ],
)
def test_nothing_is_said_where_it_is_not_certain(found: Errors, kernels: list[KernelReport]) -> None:
    assert without_thread(found, kernels) == ()
