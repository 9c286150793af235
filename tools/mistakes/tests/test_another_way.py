"""Right programs that are not the task: without its evidence, they do not have the points of its time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.cli import ROOT
from autograder.plan.labs import find
from autograder.plan.request import Request
from autograder.session import grade
from mistakes.conformance import DEVICE, SEED

TILES = """#include "scan.h"
// No shared memory, and neighbouring threads read what is a tile apart.
__global__ void one_thread_for_each_tile(const int* d_in, int* d_out, int n) {
    long long first = (blockIdx.x * blockDim.x + threadIdx.x) * static_cast<long long>(kTile);
    int sum = 0;
    for (int k = 0; k < kTile && first + k < n; ++k) d_out[first + k] = sum += d_in[first + k];
}
void hillis_steele(const int* d_in, int* d_out, int n, Workspace&) {
    if (n == 0) return;
    one_thread_for_each_tile<<<ceil_div(ceil_div(n, kTile), 32), 32>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}
"""


def of_task_before() -> str:
    """Lab 2's third task by the kernel of its second."""
    text = (ROOT / "solutions/02-reduce/interleaved.cu").read_text("utf-8")
    return text.replace("void interleaved(", "void sequential(")


def without_padding() -> str:
    text = (ROOT / "solutions/03-scan/blelloch.cu").read_text("utf-8")
    function = "__host__ __device__ constexpr int padded(int i) { return i; }\n"
    return text.replace('#include "padding.cuh"\n#include "scan.h"\n', f'#include "scan.h"\n{function}')


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lab", "task", "text", "most", "missing"),
    [
        ("scan", "hillis_steele", TILES, 9.0, "2,097,152, at most 288,358"),
        ("reduce", "sequential", of_task_before(), 12.0, "1,044,702, at most 419,430"),
        ("scan", "blelloch", without_padding(), 16.0, "1,435,648, at most 734,003"),
    ],
)  # fmt: skip
def test_another_way(lab: str, task: str, text: str, most: float, missing: str, built: Callable[[Path], None]) -> None:
    folder = find(ROOT, lab)
    built(folder)
    file = ROOT / "build/mistakes" / folder.name / "another_way" / task / f"{task}.cu"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    result, _ = grade(ROOT, Request(folder, file=file, tasks=(task,), seed=SEED, device=DEVICE))
    (found,) = result.tasks
    assert found.verdict == "AC" and found.points <= most
    assert missing in f"{found.reason} {found.details}"
