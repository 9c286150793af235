"""Changes of what is missing: a factor, a term, a limit, a part of a condition, an else, a loop over the rest."""

import pytest

from autograder.cause.causes import KINDS
from autograder.cause.tests.test_more_changes import STATE, kernel, made, pairs


@pytest.mark.parametrize(
    ("body", "kind", "was", "now"),
    [
        (f"{STATE} int w = i / 32; d_out[w + 3] = d_in[w];", "factor", "w", "w * 32"),
        (f"{STATE} d_out[i % 4] = d_in[i];", "factor", "i", "i * 4"),
        (f"{STATE} int first = 4; d_out[first] = d_in[i];", "missing_term", "i", "i + first"),
        (f"{STATE} int number = i - n;", "looked_up", "n", "d_in[n]"),
        (f"{STATE} int total = 4; int to = i - n;", "missing_term", "i - n", "(i - n) + total"),
        (f"{STATE} int head = 4; int to = 4 * i;", "missing_term", "4 * i", "(4 * i) + head"),
        (f"{STATE} int low = 0;", "limit", "0", "max(0, n - i)"),
        (f"{STATE} int steps; steps = 256;", "limit", "256", "min(256, n - i)"),
        ("int end = 1; while (d_in[end] > 0) end++;", "missing_condition", "d_in[end] > 0", "end < n && d_in[end] > 0"),
        ("bool quiet = n > 1; if (d_in[0] > 0) return;", "missing_condition", "d_in[0] > 0", "quiet && d_in[0] > 0"),
        ("bool quiet = n > 1; if (d_in[0] > 0) return;", "missing_condition", "d_in[0] > 0", "!quiet || d_in[0] > 0"),
        ("if (n > 1) d_out[0] = d_in[0] + d_in[1];", "missing_else", "", "else d_out[0] = d_in[0];"),
        ("if (n > 1) d_out[0] = d_in[n]; if (n > 2) d_out[1] = d_in[n];", "missing_else", "",
         "else d_out[0] = 0; and the same for d_out[1]"),
        ("int a = 0, b = 0; while (a < n && b < n) { a++; }", "remaining", "", "while (a < n) a++;"),
        ("int row = n * 8 + n / 32;", "brackets", "n * 8 + n / 32", "(n * 8 + n) / 32"),
        ("int row = n * 8 + 4;", "brackets", "n * 8 + 4", "n * (8 + 4)"),
        ("bool up = i & n == 0;", "brackets", "i & n == 0", "(i & n) == 0"),
        ("int mask = 1 << n - 1;", "brackets", "1 << n - 1", "(1 << n) - 1"),
        ("float share = 1 / n;", "integer_division", "1 / n", "static_cast<float>(1) / n"),
        ("int sum = 0; sum = d_in[0];", "summed", "sum = d_in[0]", "sum += d_in[0]"),
        ("bool x = Order().before(d_in[0], d_in[1]);", "ties", "Order().before(d_in[0], d_in[1])",
         "!Order().before(d_in[1], d_in[0])"),
        ("constexpr int kTile = 8; int count = 4; if (n < kTile) return;", "unused", "kTile", "count"),
        ("int a = n, b = 2 * n; d_out[a] = b;", "name", "b", "a"),
        ("order(d_in[0], true);", "flag", "true", "false"),
        ("if (n < 1) { return; } d_out[0] = d_in[0] + n;", "stays", "return;", "d_out[0] = d_in[0]; return;"),
        ("if (n < 1) return; d_out[0] = d_in[0]; __syncthreads();", "stays", "if (n < 1) return;",
         "d_out[0] = n < 1 ? 0 : d_in[0]"),
        ("bool exists = n > 1; bool x = d_in[0] > 0;", "missing_condition", "d_in[0] > 0", "exists && d_in[0] > 0"),
    ],
)  # fmt: skip
def test_what_is_missing_in_kernels(body: str, kind: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(body), kind) and kind in KINDS


def test_the_operation_of_a_template_in_place_of_a_sum() -> None:
    head = "template <class Op, class T>\n__global__ void k(const T* d_in, T* d_out, int n) {\n"
    body = "T sum = Op::identity(); sum += d_in[n + 1]; d_out[n] = Op()(sum, sum + d_in[0]);\n}\n"
    made_of = pairs(made(f"{head}{body}", "k"), "operation")
    assert made_of == {("sum += d_in[n + 1]", "sum = Op()(sum, d_in[n + 1])"), ("sum + d_in[0]", "Op()(sum, d_in[0])")}


def test_names_of_calls_copies_and_launches() -> None:
    text = """__device__ void order(int& a, int& b) {}
__global__ void k(const int* d_in, int* d_out, int n) {
    int a = 1, b = 2, c = 3;
    order(a, b);
    order(c, b);
}
void scan(const int* d_in, int* d_out, int n, int total) {
    int* d_more = nullptr;
    k<<<ceil_div(n, 256), 256>>>(d_in, d_out, n);
    cudaMemcpy(d_out, d_in, 4, cudaMemcpyDefault);
}
"""
    names = pairs(made(text, "scan"), "name")
    assert {("b", "c"), ("n", "total"), ("d_out", "d_more"), ("ceil_div(n, 256)", "ceil_div(total, 256)")} <= names
    assert ("d_out", "d_in") not in names  # one array twice is no launch that anybody means


def test_a_launch_gets_the_arrays_that_the_host_s_are_copied_to() -> None:
    text = """__global__ void k(const float* in, float* out, int n) { out[0] = in[n]; }
void square(const float* given, float* h_out, int n) {
    float *gpu_a, *gpu_b;
    cudaMemcpy(gpu_a, given, n * sizeof(float), cudaMemcpyHostToDevice);
    k<<<1, 256>>>(given, h_out, n);
    cudaMemcpy(h_out, gpu_b, n * sizeof(float), cudaMemcpyDeviceToHost);
}
"""
    assert pairs(made(text, "square"), "host_pointer") == {("given, h_out, n", "gpu_a, gpu_b, n")}


def test_nothing_is_compared_with_itself() -> None:
    body = "int width = 2 * n, place = i; if (place + 4 <= width) d_out[0] = 1;"
    names = pairs(kernel(f"{STATE} {body}"), "name")
    assert ("place", "i") in names and ("place", "width") not in names


def test_only_constants_that_are_known_are_factors() -> None:
    later = "constexpr int kLater = 4;\n__global__ void other(int* d_out, int n) { d_out[n * kLater] = n / kLater; }\n"
    text = f"__global__ void k(int* d_out, int n) {{ d_out[n + 1] = V::kSize * 2; }}\n{later}"
    factors = {now for _, now in pairs(made(text, "k"), "factor")}
    assert "n * 2" in factors and not [one for one in factors if "kLater" in one or "kSize" in one]


def test_constants_with_a_template_or_a_class_are_not_known_by_their_name() -> None:
    text = """template <class T>
constexpr int kTile = 64 / sizeof(T);
template <class T>
__global__ void k(T* d_out, int n) {
    int row = n;
    for (int r = 0; r < Shape<T>::kItems; ++r) d_out[n / kTile<T> + r * Shape<T>::kItems] = row;
}
"""
    added = {now for kind in ("factor", "name") for _, now in pairs(made(text, "k"), kind)}
    assert not [one for one in added if one.endswith(("* kItems", "/ kItems", "* kTile", "/ kTile")) or one == "kTile"]


def test_a_constant_of_an_object_is_not_known_by_its_name() -> None:
    text = """__global__ void k(int* d_out, int n) {
    Tile tile(n);
    for (int b = threadIdx.x; b < tile.count; b += 32) d_out[b] = tile.kRows;
}
"""
    assert not [now for _, now in pairs(made(text, "k"), "missing_term") if now.endswith((" + kRows", " - kRows"))]


def test_a_limit_is_no_call_of_a_method() -> None:
    text = "__global__ void k(Digit digit, int* d_out, int n) { int first = 8; d_out[0] = digit.of(n); first = n; }\n"
    assert not [
        now for kind in ("missing_term", "limit") for _, now in pairs(made(text, "k"), kind) if "digit.of" in now
    ]


def test_arrays_of_the_file_and_what_a_loop_begins_with() -> None:
    text = """__constant__ float c_row[9], c_column[9];
constexpr int kRadius = 3;
__global__ void k(const float* d_in, float* d_out, int n) {
    for (int y = n; y < n + kRadius; ++y) d_out[y] = c_row[y];
}
"""
    file = made(text, "k")
    assert ("c_row", "c_column") in pairs(file, "name") and ("n", "n - kRadius") in pairs(file, "missing_term")


def test_a_constant_index_may_move_on_and_a_pointer_stays_constant() -> None:
    text = kernel(
        "const int i = blockIdx.x * blockDim.x + threadIdx.x;\nconst int* d_own = d_in + blockIdx.x * 8;"
    ).text
    lines = [one.strip() for one in text.decode().splitlines()]
    assert any(one.startswith("int i = ") for one in lines) and any(one.startswith("const int* d_own") for one in lines)


@pytest.mark.parametrize(
    ("value", "now"),
    [
        ("n + i - less[i]", "n + i - less[i] - equal[i]"),
        ("n + less[i]", "n + less[i] + equal[i]"),
        ("n - less[n]", ""),  # at another index
        ("less[i] - n", ""),
    ],
)
def test_an_element_of_another_sum_may_be_missing_in_this_one(value: str, now: str) -> None:
    body = f"{STATE} const int *less = d_in, *equal = d_in; if (i < d_in[i]) d_out[0] = equal[i] - 1; int to = {value};"
    assert {one.now for one in kernel(body).changes if one.kind == "missing_element"} == ({now} if now else set())
