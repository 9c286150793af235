"""Which lines decide what happens in another."""

from autograder.cause.related import related_lines
from autograder.cause.source import Source

TEXT = b"""\
__device__ void swap_at(int* s, int low) {
    int a = s[low];
}
__global__ void sort(int* s, int n) {
    int first = threadIdx.x;
    int other = 7;
    for (int k = 0; k < n; ++k) {
        int low = 2 * first + k;
        if (low <= n)
            swap_at(s, low);
    }
    other = 8;
}
"""


def test_heads_values_and_calls_decide_what_happens_in_a_line() -> None:
    related = related_lines(Source("sort.cu", TEXT).functions)
    assert related[10] == {7, 8, 9}  # the loop, the place, the condition
    assert related[2] == {10}
    assert related[8] == {5, 7}
