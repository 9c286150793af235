"""Changes of statements in the wrong order, of equal values and of sums that are carried; what is not parsed."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cause.causes import KINDS, kind_of
from autograder.cause.names import exchanged_names
from autograder.cause.program import Program
from autograder.cause.tests.test_further_changes import kernel
from autograder.cause.tests.test_more_changes import made, pairs

POINTS = "int i = threadIdx.x; for (int j = 0; j < width; j++)"
KEPT = "int sum = 0, here = 0, above = 0; for (int i = 0; i < width; i++)"


@pytest.mark.parametrize(
    ("body", "kind", "was", "now"),
    [
        (f"{POINTS} if (d_in[i] == d_in[j]) d_out[i] = 1;", "identity", "d_in[i] == d_in[j]", "i == j"),
        (
            f"{POINTS} {{ int a = d_in[i], b = d_in[j]; if (a != b) d_out[i] = 1; }}",
            "identity",
            "a != b",
            "i != j",
        ),
        (
            f"{KEPT} {{ here = d_in[i]; above = here; d_out[i] = above; }}",
            "statement_order",
            "here = d_in[i]; above = here;",
            "above = here; here = d_in[i];",
        ),
        (f"{KEPT} {{ sum += d_in[i]; d_out[i] = sum; }}", "stored", "sum += d_in[i]", "sum = d_in[i]"),
        (
            "switch (width) { case 4: d_out[0] = height; break; default: d_out[0] = (height - 1) % width; }",
            "negative_remainder",
            "(height - 1) % width",
            "((height - 1) % width + width) % width",
        ),
        ("int x = threadIdx.x, y = 2; d_out[x ^ y] = 1;", "missing_term", "y", "y + height"),
        ("int head = 3, rest = width / 4; d_out[0] = rest;", "missing_term", "width", "(width - head)"),
        (
            f"int next = 0; {KEPT} {{ if (d_in[i]) {{ int place = next + f(above); d_out[place] = 1; }} "
            "int count = 1; }",
            "moved_on",
            "",
            "next += count;",
        ),
    ],
)
def test_changes_of_order_and_of_equal_values(body: str, kind: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(body), kind) and kind in KINDS


@pytest.mark.parametrize(
    "body",
    [
        f"{POINTS} if (d_in[i] == d_out[j]) d_out[i] = 1;",  # two arrays
        f"{POINTS} if (d_in[i] == d_in[i]) d_out[i] = 1;",
        f"{KEPT} {{ here = d_in[i]; above = d_in[0]; d_out[i] = above; }}",  # neither needs the other
    ],
)
def test_what_has_no_other_order_or_place(body: str) -> None:
    assert not {"identity", "statement_order"} & {kind_of(one) for one in kernel(body).changes}


def test_a_block_may_have_as_many_rows_as_a_constant_says() -> None:
    text = "constexpr int kRows = 8;\n__global__ void k(int* d_out) { d_out[blockIdx.x * blockDim.x] = 1; }\n"
    assert ("blockDim.x", "kRows") in pairs(made(text, "k"), "size")


def test_an_index_goes_through_the_function_that_others_go_through() -> None:
    text = (
        "__device__ int padded(int i) { return i + i / 32; }\n"
        "__global__ void k(int* d_out, int n) { int i = threadIdx.x; d_out[padded(i)] = 1; d_out[n - 1] = 0; }\n"
    )
    assert pairs(made(text, "padded", "k"), "mapped") == {("n - 1", "padded(n - 1)")}


def test_the_value_of_a_case_stays() -> None:
    assert not [one for one in kernel("switch (width) { case 4: d_out[0] = height; }").changes if one.was == "4"]


def test_an_argument_that_asks_something_is_not_by_one() -> None:
    file = kernel("d_out[0] = max(width < height, 1);")
    assert not [one for one in file.changes if one.was == "width < height" and one.now.endswith("+ 1")]


TEXT = """\
__global__ void sum(const int* d_in, int* d_out, int n) {
#pragma unroll
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < n; j++) d_out[i] += d_in[j];
}
void task(const int* d_in, int* d_out, int n) { sum<<<1, 1>>>(d_in, d_out, n); }
"""
BROKEN = "void other() { int k = OF(<); }\n"  # as a macro may be


@pytest.mark.parametrize("text", [TEXT, TEXT + BROKEN])
def test_what_the_parser_does_not_understand_hides_nothing_else(text: str, tmp_path: Path) -> None:
    source = tmp_path / "sum.cu"
    source.write_text(text)
    texts: list[str] = []

    def compiled(made: bytes, _: Path) -> tuple[Path | None, str]:
        texts.append(made.decode())
        return source, ""

    built = Program(source, ["task"], compiled).built()
    assert built is not None and {1, 7} - {one.line for one in built.file.changes} == {1}
    assert {3, 5} <= {one.line for one in built.file.changes}
    assert texts[0].count("#pragma unroll") >= 2 and (BROKEN in texts[0]) == (BROKEN in text)


def test_a_field_is_not_exchanged_with_a_variable_of_its_name() -> None:
    assert exchanged_names("int row = left + threadIdx.x, column = x", "left", "x") == (
        "int row = x + threadIdx.x, column = left"
    )


def test_another_kernel_with_the_same_parameters_may_be_meant() -> None:
    kernels = "".join(
        f"__global__ void {name}({of}) {{}}\n" for name, of in (("a", "int n"), ("b", "int n"), ("c", ""))
    )
    file = made(f"{kernels}void scan(int n) {{\na<<<1, 1>>>(n);\nb<<<1, 1>>>(n);\nc<<<1, 1>>>();\n}}\n", "scan")
    assert pairs(file, "function") == {("a", "b"), ("b", "a")}


SORTED = "int* d_x = sort(d_a, d_a); d_x = sort({}, d_x); d_x = sort({}, d_x);"


@pytest.mark.parametrize(
    ("body", "is_offered"),
    [
        (SORTED.format("d_a", "d_b"), True),
        (SORTED.format("d_a", "d_a"), False),
        ("k<<<1, 1>>>(d_a, d_b, 1); CUDA_CHECK(cudaGetLastError()); k<<<1, 1>>>(d_a, d_b, 2);", True),
        ("k<<<1, 1>>>(d_a, d_c, 1); k<<<1, 1>>>(d_a, d_b, 2);", False),  # neither stores what the other reads
        ("k<<<1, 1>>>(d_a, d_b, 1); other(); k<<<1, 1>>>(d_a, d_b, 2);", False),
        ("cudaFree(d_b); cudaFree(d_c);", False),
    ],
)
def test_two_steps_of_the_host_change_places(body: str, is_offered: bool) -> None:
    text = (
        "__global__ void k(const int* d_from, int* d_to, int n) {}\nvoid other() {}\n"
        "int* sort(const int* d_keys, int* d_order) { return d_order; }\n"
        f"void f(int* d_a, int* d_b, int* d_c) {{ {body} }}\n"
    )
    assert bool(pairs(made(text, "f"), "statement_order")) is is_offered
