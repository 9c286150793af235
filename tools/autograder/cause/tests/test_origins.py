"""Which lines have to do with an array that is used before it has a value."""

from pathlib import Path

import numpy as np
import pytest

from autograder.cause.causes import Cause
from autograder.cause.origins import lines_about, slice_of
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run.protocol import Finding, Place, Reply, Report

TEXT = """\
__global__ void count(const int* in, int n, unsigned* counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int unrelated = 3;
    if (i >= n) return;
    atomicAdd(&counts[in[i]], 1u);
}
__global__ void scale(float* other, int n) {
    other[threadIdx.x] = n;
}
__global__ void add(const int* in, int n, unsigned* sums) {
    __shared__ unsigned s[32];
    int t = threadIdx.x;
    if (t < 16)
        s[t] = 0;
    int x = in[t];
    __syncthreads();
    sums[t] = s[t];
}
void histogram(const int* d_in, int n, unsigned* d_counts, float* d_other, unsigned* d_first) {
    int bytes = n * 4;
    unsigned* d_to = d_counts;
    cudaMemset(d_to, 0, bytes);
    int blocks = n / 256;
    count<<<blocks, 256>>>(d_in, n, d_to);
    scale<<<1, 256>>>(d_other, n);
    add<<<1, 32>>>(d_in, n, d_counts);
    primitives::exclusive_sum(d_counts, d_first, n);
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "histogram.cu"
    path.write_text(TEXT)
    return path


def test_an_output_leads_to_who_clears_it_and_to_the_kernels_that_have_it(file: Path) -> None:
    found = slice_of(file, "histogram", ["d_counts"], set())
    assert found >= {2, 4, 5, 17, 20, 21, 22, 23, 24, 26}  # with other names, and what sizes and indices are made of
    assert not found & {3, 8, 25}


def test_a_read_leads_to_where_the_same_array_is_written(file: Path) -> None:
    found = slice_of(file, "histogram", [], {17})
    assert found >= {11, 12, 13, 14, 17, 26} and 8 not in found  # and to the launch
    assert slice_of(file, "histogram", [], {3}) == set()  # no array there
    assert slice_of(file, "histogram", ["d_first"], set()) >= {5, 22, 27}  # what a function elsewhere makes it of


def test_a_file_that_cannot_be_read_as_a_tree_leads_nowhere(tmp_path: Path) -> None:
    broken = tmp_path / "broken.cu"
    broken.write_text("void k( {")
    assert slice_of(broken, "k", ["d_out"], {1}) == slice_of(tmp_path / "none.cu", "k", ["d_out"], {1}) == set()


def test_the_array_is_that_of_the_finding_or_the_wrong_output(file: Path) -> None:
    mask, ones = np.array([True]), np.ones(1, np.uint32)
    shape = Shape([], [ArraySpec("d_counts", "u4", 1), ArraySpec("d_other", "f4", 1)])
    wrong = Wrong(shape, [], [ones, ones], Checked(False, [ones, ones], [mask, ~mask], [1, 1]), 0)
    finding = Finding("uninitialized", place=Place("/x/histogram.cu", 17))
    case = Case("histogram", "", 33, 1, 0)
    shown = Outcome(case, Reply(status="ok", report=Report(findings=[])), wrong=wrong)
    assert lines_about(file, shown, Cause("unwritten", "", "")) == slice_of(file, "histogram", ["d_counts"], set())
    found = Outcome(case, Reply(status="ok", report=Report(findings=[finding])), wrong=wrong)
    assert lines_about(file, found, Cause("unset_shared", "", "histogram.cu:17")) == slice_of(
        file, "histogram", [], {17}
    )
