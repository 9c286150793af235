"""Changes of what students forget or mix up: each kind once, in a small file."""

from pathlib import Path

import numpy as np
import pytest

from autograder.cause.arrays import arrays_of, as_large_as_can_be, enlarged
from autograder.cause.causes import KINDS, kind_of
from autograder.cause.change import Changeable
from autograder.cause.changes import changeable
from autograder.cause.likely import LOOSE
from autograder.cause.program import Program
from autograder.cause.rules import is_cut_off, is_wrapped
from autograder.cause.source import Source, reached
from autograder.cause.widths import narrow_sums, widened
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Wrong
from autograder.plan.tables import Array, Shape


def made(text: str, *tasks: str) -> Changeable:
    source = Source("scan.cu", text.encode())
    return changeable(source.text, reached(source.functions, source.aliases, set(tasks)), tasks, set())


def kernel(body: str, parameters: str = "const int* d_in, int* d_out, int n", before: str = "") -> Changeable:
    return made(f"{before}__global__ void k({parameters}) {{\n{body}\n}}\n", "k")


def pairs(file: Changeable, kind: str) -> set[tuple[str, str]]:
    return {(one.was, one.now) for one in file.changes if kind_of(one) == kind}


STATE = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
STEP = "gridDim.x * blockDim.x"


@pytest.mark.parametrize(
    ("body", "kind", "was", "now"),
    [
        ("int t = threadIdx.x;", "thread_index", "threadIdx.x", "(blockIdx.x * blockDim.x + threadIdx.x)"),
        (f"int t = threadIdx.x; {STATE} d_out[t] = 1;", "unused", "t", "i"),
        ("int x = n > 3 ? d_in[3] : 0;", "padding", "0", "the least value"),
        ("int half = 8; d_out[half] = 0;", "number", "8", "2 * 8"),
        ("for (int d = 1; d < 16; d *= 2) d_out[d] = 0;", "number", "16", "2 * 16"),
        ("int m = 0; d_out[0] = m;", "first_value", "0", "the greatest value"),
        ("atomicAdd_block(&d_out[0], 1);", "scope", "atomicAdd_block(&d_out[0], 1)", "atomicAdd(&d_out[0], 1)"),
        ("__threadfence_block();", "scope", "__threadfence_block()", "__threadfence()"),
        ("++d_out[0];", "atomic", "++d_out[0];", "atomicAdd(&d_out[0], 1)"),
        ("d_out[0]++;", "atomic", "d_out[0]++;", "atomicAdd(&d_out[0], 1)"),
        ("d_out[0] = d_in[0];", "added", "d_out[0] = d_in[0];", "atomicAdd(&d_out[0], d_in[0])"),
        ("__syncwarp();", "weak_barrier", "__syncwarp();", "__syncthreads();"),
        ("d_out[0] = 1; n = 2;", "warp_barrier", "", "__syncwarp();"),
        (f"{STATE} d_out[i] = 1;", "guard", "d_out[i] = 1;", "if (i < n) d_out[i] = 1;"),
        (f"{STATE} if (i < n) d_out[i] = 1;", "one_each", "if (i < n)", f"for (; i < n; i += {STEP})"),
        (
            "if ((int)threadIdx.x < n) d_out[threadIdx.x] = 1;",
            "one_each",
            "if ((int)threadIdx.x < n)",
            "for (int k = threadIdx.x; (int)k < n; k += blockDim.x)",
        ),
        ("int t = threadIdx.x; if (t < n) d_out[t] = 1;", "one_each", "if (t < n)", "for (; t < n; t += blockDim.x)"),
        (
            "int top = n, left = n - 1; int row = left + 1, column = top + 2;",
            "layout",
            "int row = left + 1, column = top + 2;",
            "int row = top + 1, column = left + 2;",
        ),
        (
            "int i = n, j = n, a = n, b = n; if (i < b && j < a) d_out[0] = 1;",
            "layout",
            "i < b && j < a",
            "i < a && j < b",
        ),
        ("d_out[0] = (n - 1) % n;", "negative_remainder", "(n - 1) % n", "((n - 1) % n + n) % n"),
        (
            "d_out[0] = static_cast<int>(d_in[0]) >> n;",
            "conversion",
            "static_cast<int>(d_in[0]) >> n",
            "static_cast<int>((d_in[0]) >> n)",
        ),
        ("for (int k = 0; k < n; ++k) d_out[k] = 0;", "number", "n", "2 * n"),
        ("int k = 0; if (k < n) { d_out[k] = 1; ++k; }", "once", "if (k < n)", "while (k < n)"),
        ("int r = d_in[0]; d_out[0] = 2 * r + 1; d_out[r * kMost] = 1;", "size", "kMost", "(2 * r + 1)"),
    ],
)
def test_changes_in_kernels(body: str, kind: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(body), kind) and kind in KINDS


def test_a_variable_takes_no_other_s_place_where_it_is_not_known() -> None:
    file = kernel("for (int k = 0; k < 4; ++k) n += 1;\nint j = 1;\nd_out[j] = d_in[j];")
    assert ("j", "n") in pairs(file, "name") and ("j", "k") not in pairs(file, "name")


def test_one_of_two_pairs_is_used() -> None:
    text = "struct P { int v, head; };\n__device__ P join(P a, P b) { return {a.v + b.v, b.head}; }\n"
    assert ("b.head", "a.head | b.head") in pairs(made(text, "join"), "one_side")
    assert ("b.head", "a.head") in pairs(made(text, "join"), "name")


def test_a_function_that_the_host_may_call_has_no_barriers() -> None:
    text = "__host__ __device__ int join(int a, int b) { int c = a; c += b; return c; }\n"
    file = made(text, "join")
    assert file.changes and "what_if::behind" not in file.text.decode() and not pairs(file, "missing_barrier")


def test_a_bound_may_be_a_field() -> None:
    file = kernel(f"{STATE} d_out[i] = a.rows;", "Csr a, int* d_out")
    assert "if (i < a.rows) d_out[i] = a.rows;" in {now for _, now in pairs(file, "guard")}


def test_a_bound_may_be_a_field_that_another_function_names() -> None:
    other = "__device__ int row_of(int y, Grid grid) { return grid.rows > y ? y : 0; }\n"
    loop = "for (int r = n - 1; r <= n + 1; ++r) { d_out[r] = row_of(r, grid); }"
    file = kernel(loop, "int* d_out, int n, Grid grid", other)
    wanted = "for (int r = max(n - 1, 0); r <= min(n + 1, grid.rows - 1); ++r)"
    assert wanted in {now for _, now in pairs(file, "limit")}


def test_a_pointer_gets_a_larger_array() -> None:
    text = """void scan(const int* d_in, int* d_out, int n, bool is_many, Workspace& work) {
    int* d_other = work.get<int>(n);
    int* d_parts = is_many ? work.get<int>(4 * n) : d_out;
    k<<<1, 1>>>(d_other, d_parts);
}
"""
    file = made(text, "scan")
    ways = {one: {now for was, now in pairs(file, "array_size") if was == one} for one in ("n", "4 * n")}
    assert ways["n"] == {"n + 1", "2 * n", "n + 32", "more than n"} and len(ways["4 * n"]) == 4
    assert KINDS["index"].rank < KINDS["array_size"].rank < LOOSE  # room for them hides who accesses what is beyond


def test_another_function_or_order_of_its_arguments() -> None:
    two = "".join(f"__device__ int {name}(const int* d, int n, int x) {{ return n; }}\n" for name in ("below", "upto"))
    file = kernel("d_out[0] = below(d_in, n, 3);\nn = upto(d_in, n, 4);", before=two)
    assert ("below(d_in, n, 3)", "upto(d_in, n, 3)") in pairs(file, "function")
    assert ("below(d_in, n, 3)", "below(d_in, 3, n)") in pairs(file, "arguments")


def test_a_functor_that_is_made_anew() -> None:
    text = "template <class Keep>\n__global__ void k(int* d_out, Keep keep) { d_out[0] = Keep{}(1); }\n"
    assert ("Keep{}(1)", "keep(1)") in pairs(made(text, "k"), "name")


def test_the_body_of_a_lambda_in_a_kernel_has_changes() -> None:
    assert ("++d_out[v];", "atomicAdd(&d_out[v], 1)") in pairs(kernel("each([&](int v) { ++d_out[v]; });"), "atomic")


def test_what_is_missing_on_the_host() -> None:
    text = """void scan(const int* d_in, int* d_out, int n, Workspace& work) {
    int* d_other = work.get<int>(n);
    int* d_more = nullptr;
    cudaMalloc(&d_more, n);
    cudaStream_t stream;
    k<<<1, 1, 0, stream>>>(d_in, d_other, n);
}
"""
    file = made(text, "scan")
    assert "cudaMemcpy(d_out, d_other, n * sizeof *d_out, cudaMemcpyDefault);" in {
        now for _, now in pairs(file, "elsewhere")
    }
    assert {now for _, now in pairs(file, "not_freed")} == {"cudaFree(d_more);"}
    assert [one.line for one in file.changes if one.kind == "wait"] == [6]
    assert file.text.count(b"\n") == text.count("\n")


def test_sums_in_32_bits_are_widened_and_indices_stay() -> None:
    text = """__global__ void k(const int* d_in, long long* d_out, int n) {
    __shared__ int s[32];
    int i = threadIdx.x;
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += static_cast<int>(d_in[j]);
    s[i] = sum;
}
"""
    source = Source("reduce.cu", text.encode())
    places = narrow_sums(source.functions)
    assert sorted(place.line for place in places) == [2, 4, 5]
    lines = widened(source.text, places).decode().splitlines()
    assert lines[1].strip() == "__shared__ long long s[32];" and lines[2].strip() == "int i = threadIdx.x;"
    assert "for (int j = 0" in lines[4] and "static_cast<long long>" in lines[4]


def test_sums_of_integers_get_the_type_of_the_elements() -> None:
    text = """template <class T>
__global__ void mean(const T* d_in, T* d_out) { long long sum = 0; sum += d_in[0]; d_out[0] = sum; }
__global__ void dot(const double* d_in, double* d_out) { int sum = 0; sum += d_in[0]; d_out[0] = sum; }
__global__ void row(Csr a) { int sum = 0; sum += a.d_values[0]; }
"""
    source = Source("spmv.cu", text.encode())
    lines = widened(source.text, narrow_sums(source.functions, fractions=True)).decode().splitlines()
    assert ["T sum" in lines[1], "double sum" in lines[2], "float sum" in lines[3]] == [True] * 3


def test_results_with_fractions_that_are_whole_numbers() -> None:
    right = np.array([0.5, 2.0, -1.25], np.float32)
    assert is_cut_off(wrong(np.array([0, 2, -1], np.float32), right))
    assert not is_cut_off(wrong(np.array([0.25, 2, -1], np.float32), right))
    assert not is_cut_off(wrong(np.array([1], np.int32), np.array([2], np.int32)))
    assert not is_cut_off(None)


def wrong(got: Array, expected: Array) -> Wrong:
    return Wrong(Shape([], []), [], [got], Checked(False, [expected], [got != expected], [len(got)]), 0)


def test_sums_that_are_wrong_by_multiples_of_2_to_32() -> None:
    right = np.array([5, 1 << 33], np.int64)
    assert is_wrapped(wrong(np.array([5, 0], np.int64), right))
    assert not is_wrapped(wrong(np.array([6, 0], np.int64), right))
    assert not is_wrapped(wrong(np.array([5], np.int32), np.array([6], np.int32)))
    assert not is_wrapped(None)


def test_a_task_s_changes_are_those_of_the_functions_that_it_reaches(tmp_path: Path) -> None:
    source = tmp_path / "scan.cu"
    source.write_text(
        "void one(int n) { int a = n + 1; }\nvoid two(int n) { int b = n + 2; }\n"
        "__device__ int used_by_a_header(int n) { return n + 3; }\n"
    )
    built = Program(source, ["one", "two"], lambda *_: (Path("runner"), "")).built()
    assert built is not None
    assert {change.line for change in built.of("one")} == {1, 3}
    assert {change.line for change in built.of("two")} == {2, 3}


def test_a_loop_with_distances_or_barriers_may_run_in_reverse() -> None:
    loop = "for (int d = 1; d < n; d *= 2) {  // distances\n    d_out[d] += 1;\n}"
    file = kernel(loop)
    assert {was for was, _ in pairs(file, "loop_order")} == {"for (int d = 1; d < n; d *= 2)"}
    reverse = next(line for line in file.text.decode().splitlines() if "done_" in line)
    assert "// distances" not in reverse.partition("else")[0]
    assert not pairs(kernel("for (int d = 1; d < n; ++d) d_out[d] = 1;"), "loop_order")


def test_a_loop_whose_variable_is_known_before_may_run_in_reverse() -> None:
    file = kernel("int d; for (d = 1; d < n; d *= 2) d_out[d] += 1; d_out[0] = d;")
    assert ("for (d = 1; d < n; d *= 2)", "for (d = 1; d < n; d *= 2) in reverse order") in pairs(file, "loop_order")
    assert "for (d = 1; d < n; d *= 2) {}" in file.text.decode()


def test_a_comment_within_a_statement_ends_no_line() -> None:
    text = kernel("d_out[0] = d_in[n] +  // the first\n    d_in[1];").text.decode()
    assert "else { d_out[0] = d_in[n] + d_in[1]; }" in text


def test_what_an_operator_adds_without_effect_stands_in() -> None:
    text = """template <class Op, class T = typename Op::type>
__global__ void k(const T* d_in, T* d_out, int n) {
    d_out[0] = T{};
    T own = n > 3 ? d_in[3] : T{};
}
"""
    file = made(text, "k")
    assert ("T{}", "Op::identity()") in pairs(file, "first_value")
    assert ("T{}", "Op::identity()") in pairs(file, "padding")


def test_a_loop_in_every_block_is_less_likely_than_the_index_of_the_grid() -> None:
    # With `i = threadIdx.x` in many blocks, a loop makes each block do all the work: right, but not what is wrong.
    assert KINDS["one_each"].rank > KINDS["thread_index"].rank


def test_a_condition_that_stays_as_it_is_makes_no_loop() -> None:
    assert not pairs(kernel("if (n > 0) d_out[0] = 1;"), "once")
    assert not pairs(kernel("int k = n; if (k > 0) { --k; return; }"), "once")


def test_a_loop_s_other_steps_are_done_in_reverse_order_too() -> None:
    loop = "for (int bit = 0; bit < n; ++bit, turns.next()) step<<<1, 1>>>(d_in, d_out, bit);"
    text = made(f"void scan(const int* d_in, int* d_out, int n) {{\n{loop}\n}}\n", "scan").text.decode()
    assert "++done_) ++bit; step<<<1, 1>>>(d_in, d_out, bit); turns.next(); }" in text


def test_host_sizes_may_lack_a_factor_and_a_limit() -> None:
    text = """void scan(const int* d_in, int* d_out, int n, Bits bits) {
    int count = 2 * n + 1;
    Digit digit{begin, R};
    int begin = bits.begin, end = bits.end;
    Digit other{begin, R};
}
"""
    file = made(text, "scan")
    assert ("2 * n + 1", "(2 * n + 1) * (2 * n + 1)") in pairs(file, "factor")
    assert ("R", "min(R, bits.end - begin)") in pairs(file, "limit")
    turns = made("void scan(int n, Bits bits) {\nint first = bits.begin + bits.end;\nTurns t(n, 32);\n}\n", "scan")
    assert ("32", "(bits.end - bits.begin)") in pairs(turns, "size")


def test_an_array_is_made_larger_along_each_dimension() -> None:
    text = b"__global__ void k() {\n__shared__ int s[4][kT];\nint own[3];\nextern __shared__ int t[];\n}\n"
    source = Source("scan.cu", text)
    (shared,), (local,) = (arrays_of(source.functions, space) for space in ("shared", "local"))
    assert (shared.line, local.line) == (2, 3)
    assert b"s[(4) + 16][(kT) + 16]" in enlarged(text, shared)
    row = "(kT) > 40000 / (sizeof(int) * (4)) ? (kT) : 40000 / (sizeof(int) * (4))"
    assert f"s[(4)][{row}]".encode() in as_large_as_can_be(text, shared)
    assert b"own[(3) + 64]" in enlarged(text, local) and enlarged(text, local).count(b"\n") == text.count(b"\n")
