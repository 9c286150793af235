"""Changes of parts that stand within something else: arms, casts, braces, sides, masks; and of forgotten statements."""

import pytest

from autograder.cause.causes import KINDS, kind_of, rank
from autograder.cause.likely import leavable
from autograder.cause.tests.test_more_changes import STATE, kernel, made, pairs

LANE = "int lane = threadIdx.x % 32;"


def test_an_index_of_the_grid_is_whole_in_any_order_of_its_parts() -> None:
    file = kernel("int i = threadIdx.x + blockDim.x * blockIdx.x;")
    assert not any(was.startswith("threadIdx.x + ") for was, _ in pairs(file, "thread_index"))


def test_an_order_of_two_elements_and_a_predicate_of_one() -> None:
    text = "__device__ bool first(int a, int b) { return a < b; }\n__device__ bool odd(int a) { return a % 2; }\n"
    text += "template <class Order> __global__ void k(int* d, Order order) { d[0] = first(d[1], d[2]) + odd(d[3]);"
    file = made(text + " d[4] = order.before(d[5], d[6]); }", "k")
    assert {("first(d[1], d[2])", "!first(d[2], d[1])"), ("order.before(d[5], d[6])", "!order.before(d[6], d[5])")} <= (
        pairs(file, "ties")
    )
    assert ("odd(d[3])", "!odd(d[3])") in pairs(file, "comparison")


def test_a_grid_of_two_names_and_an_array_that_is_named_twice_on_the_host() -> None:
    text = """void scan(int* d_out, int n, int a, int b) {
dim3 grid(a, b);
int *from = d_out + n, *to = from + n;
if (to != d_out) cudaMemcpy(d_out, to, n, cudaMemcpyDefault);
}"""
    file = made(text, "scan")
    assert ("(a, b)", "(b, a)") in pairs(file, "sides")
    whole = "if (to != d_out) cudaMemcpy(d_out, to, n, cudaMemcpyDefault);"
    assert (whole, whole.replace("to", "from", 1).replace(", to,", ", from,")) in pairs(file, "name")


def test_what_a_function_of_the_device_is_given_may_be_below_0() -> None:
    text = "__device__ int at(int y, int x, int rows, int columns) { y = y % rows; x = x % columns; return y + x; }"
    assert any(now.endswith("in all of the function") for _, now in pairs(made(text, "at"), "negative_remainder"))


@pytest.mark.parametrize(
    ("body", "kind", "was", "now"),
    [
        (f"{STATE} int zeros = 1; int to = i > 2 ? n + i : zeros;", "missing_term", "n + i", "(n + i) - zeros"),
        (f"{STATE} d_out[i] = i < 0 ? 0 : n;", "value", "n", "n - 1"),
        (f"{STATE} int run = 2; int end = (int)(i + 2LL * run);", "limit", "(int)(i + 2LL * run)",
         "min((int)(i + 2LL * run), n)"),
        (f"{STATE} int end = static_cast<int>(i);", "limit", "static_cast<int>(i)", "min(static_cast<int>(i), n)"),
        ("Pair p{n, 3};", "value", "n", "n - 1"),
        ("int steps[2] = {16, 8};", "value", "8", "8 + 1"),
        ("float x = n > 3 ? d_in[3] : float(0);", "padding", "float(0)", "the greatest value"),
        ("float x = n > 3 ? d_in[3] : (float)0;", "padding", "(float)0", "1"),
        ("float x = n > 3 ? d_in[3] : static_cast<float>(0);", "padding", "static_cast<float>(0)", "1"),
        ("int x = n > 3 ? d_in[0] + d_in[3] : 0;", "element", "0", "d_in[0]"),
        ("if (n > 1) d_out[0] = d_in[0] + d_in[1]; else if (n > 0) d_out[0] = 0;", "element", "0", "d_in[0]"),
        ("if (d_in[0] > 0) d_out[0] = 1;", "unequal", "d_in[0] > 0", "d_in[0] != 0"),
        ("if (d_in[0] > 0 && n > 1) d_out[0] = 1;", "joined", "d_in[0] > 0 && n > 1", "!(d_in[0] > 0) || (n > 1)"),
        ("if (d_in[0] > 0 || n > 1) d_out[0] = 1;", "joined", "d_in[0] > 0 || n > 1", "(d_in[0] > 0) && (n > 1)"),
        ("for (int k = 0; k < n; k += blockDim.x) d_out[k] = 0;", "thread_index", "blockDim.x", "32"),
        ("for (int k = 0; k < n; k += 32) d_out[k] = 0;", "thread_index", "32", "blockDim.x"),
        ("for (int k = 0; k < n; k += warpSize) d_out[k] = 0;", "thread_index", "warpSize", "blockDim.x"),
        (f"{LANE} int b = __popc(n & ((2u << lane) - 1));", "lanes", "(2u << lane) - 1", "(1u << lane) - 1"),
        (f"{LANE} int b = __popc(n & ~((2u << lane) - 1));", "lanes", "~((2u << lane) - 1)", "(1u << lane) - 1"),
        (f"{LANE} int b = __popc(n & (0xffffffffu << lane));", "lanes", "0xffffffffu << lane", "(1u << lane) - 1"),
        (f"{LANE} int b = __popc(n & ((2u << lane) - 1)) - 1;", "other_lanes", "(2u << lane) - 1", "(1u << lane) - 1"),
        (f"{LANE} int b = __popc(n & ((1u << lane) - 1));", "other_lanes", "(1u << lane) - 1", "(2u << lane) - 1"),
        ("int b = __popc(n);", "other_lanes", "__popc(n)", "__popc((n & ((1u << (threadIdx.x % 32)) - 1)))"),
        ("int b = 2u;", "number", "2u", "2u / 2"),
        ("int i = blockIdx.x + threadIdx.x;", "thread_index", "blockIdx.x + threadIdx.x",
         "blockIdx.x * blockDim.x + threadIdx.x"),
        ("int lane = n / 32, warp = n % 32;", "layout", "n / 32", "n % 32, and the reverse in all of the function"),
        ("int b = n & 32;", "bits", "n & 32", "n & 31"),
        (f"{STATE} int b = n & i;", "bits", "n & i", "n & (1u << i)"),
        (f"{STATE} int b = d_in[i] | n;", "bits", "d_in[i] | n", "d_in[i] | (1u << n)"),
        ("int bit = 3; int b = n & 1;", "bits", "n & 1", "(n >> bit) & 1"),
        ("int bit = 3; int a = (n >> 1) & 15, b = n >> bit;", "bits", "n >> bit", "(n >> bit) & 15"),
        ("int bit = 3; int b = n >> bit;", "bits", "n >> bit", "(n >> bit) & 1"),
        ("int side = 32 + n; int b = side - 2 * n;", "both_sides", "n", "2 * n"),
        ("int kA = 8, kB = 32; int first = blockIdx.x * kA, c = d_in[0] / kB;", "size", "kA", "kB"),
    ],
)  # fmt: skip
def test_parts_are_changed_as_any_value(body: str, kind: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(body), kind) and kind in KINDS


def test_what_an_operator_adds_without_effect_has_any_name() -> None:
    text = """template <class F, class Result>
__global__ void k(const Result* d_in, Result* d_out, int n) {
    Result x = n > 3 ? d_in[3] : Result(0);
    d_out[0] = F()(x, x);
}
"""
    assert ("Result(0)", "F::identity()") in pairs(made(text, "k"), "padding")


def test_a_condition_of_a_loop_and_a_guard_ask_for_an_order() -> None:
    file = kernel("for (int k = 0; k < n && k < 4; ++k) d_out[k] = 0;\nwhile (n > 0) --n;\nif (n < n) return;")
    assert not pairs(file, "unequal") and not pairs(file, "joined")


def test_numbers_that_are_cleared_and_fractions_stay() -> None:
    file = kernel("int x[4] = {0};\nfloat y = n > 1 ? 0.5f : -0.5f;")
    assert not [one for one in pairs(file, "value") if one[0] in ("0", "0.5f")]


def test_no_element_makes_both_arms_the_same() -> None:
    assert not pairs(kernel("int x = n > 3 ? d_in[3] : 0;"), "element")


def test_a_field_of_any_owner_and_what_is_given_first() -> None:
    text = "struct P { int v, head; };\n__device__ P join(P a, P b) { P r; r.head = b.head; r.v = b.v; return r; }\n"
    file = made(text, "join")
    assert ("b.head", "a.head | b.head") in pairs(file, "one_side")
    assert {("b.head", "a.head"), ("b.head", "r.head")} <= pairs(file, "name")


HOST = """constexpr int kBlock = 256;
constexpr int kTile = 1024;
__global__ void k(const int* d_in, int* d_out, int n) {}
void scan(const int* d_in, int* d_out, int width, int height, Workspace& work) {
    int* d_other = work.get<int>(width);
    dim3 grid(ceil_div(height, 32), ceil_div(width, 8)), small(width / 32, height / 8);
    primitives::exclusive_sum(d_out, d_other, width, work);
    k<<<ceil_div(width, kBlock), kBlock>>>(d_in, d_out, kTile);
}
"""


def test_names_and_sides_on_the_host() -> None:
    file = made(HOST, "scan")
    names = pairs(file, "name")
    assert {("d_out", "d_in"), ("width", "height"), ("kTile", "width"), ("kTile", "kBlock")} <= names
    assert ("ceil_div(width, kBlock)", "ceil_div(width, kTile)") in names
    assert ("d_other", "d_in") not in names  # it is written to
    whole = "(ceil_div(height, 32), ceil_div(width, 8))"
    assert (whole, "(ceil_div(width, 32), ceil_div(height, 8))") in pairs(file, "sides")
    up = "(((width + 32 - 1) / 32), ((height + 8 - 1) / 8))"
    assert ("(width / 32, height / 8)", up) in pairs(file, "rounded_down")


def test_arrays_that_alternate_are_handed_on() -> None:
    text = """void sort(const int* d_in, int* d_out, int n, Workspace& work) {
    int* other = work.get<int>(n);
    const int* from = d_in;
    int* to = d_out;
    for (int pass = 0; pass < 4; ++pass) {
        k<<<1, 1>>>(from, to, n);
        to = to == d_out ? other : d_out;
    }
}
"""
    file = made(text, "sort")
    assert [(one.line, one.now) for one in file.changes if one.kind == "passed_on"] == [(6, "from = to;")]
    right = text.replace("        to = to", "        from = to;\n        to = to")
    assert not pairs(made(right, "sort"), "passed_on")


def test_a_place_moves_on_behind_a_step() -> None:
    loop = """int base = d_in[0];
for (int row = 0; row < 4; ++row) {
    unsigned votes = __ballot_sync(0xffffffff, d_in[row] > 0);
    int before = __popc(votes & 7);
    if (n > row) d_out[base + before] = 1;
}
"""
    assert ("", "base += __popc(votes);") in pairs(kernel(loop), "moved_on")
    at = loop.replace("if (n > row) d_out[base + before]", "int at = base + before;\n    d_out[at]")
    assert ("", "base += __popc(votes);") in pairs(kernel(at), "moved_on")
    assert not pairs(kernel(loop.replace("    if", "    base += __popc(votes);\n    if")), "moved_on")


def test_threads_may_leave_behind_a_barrier() -> None:
    body = f"{STATE}\nif (i >= n) return;\nd_out[i] = 1;\n__syncthreads();\nd_out[i] = 2;\n__syncthreads();\nn = 1;"
    file = kernel(body)
    late = [one for one in file.changes if kind_of(one) == "leaves" and one.now]
    assert [(one.line, one.now) for one in late] == [
        (3, "return behind the barrier in line 5"),
        (3, "return behind the barrier in line 7"),
    ]
    assert rank(late[0]) < KINDS["leaves"].rank
    text = file.text.decode()
    number = late[0].number
    assert f"bool leaves_{number} = false;" in text and f"if (leaves_{number}) return;" in text


def test_a_return_that_comes_later_explains_what_was_not_written() -> None:
    file = kernel(f"{STATE}\nif (i >= n) return;\n__syncthreads();\nn = 1;")
    late, gone = (next(one for one in file.changes if one.kind == "leaves" and bool(one.now) == now) for now in (1, 0))
    assert "uninitialized" in leavable(late, has_left=False) and "uninitialized" not in leavable(gone, has_left=False)
