import re
from collections import Counter
from pathlib import Path

from autograder.cause.causes import kind_of
from autograder.cause.change import Change, Changeable
from autograder.cause.changes import changeable
from autograder.cause.source import Source, reached
from autograder.cause.writer import LEAST_TWICE, OF_STATEMENT

FILE = """#include "scan.h"
constexpr int kBlock = 256;

__global__ void step(const int* d_in, int* d_out, int n, int offset) {
    __shared__ int s[kBlock];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i >= offset) d_out[i] = d_in[i - offset] + 1;
    for (int k = 0; k < kBlock; k++)
        if (threadIdx.x > 0) {
            __syncthreads();
            s[k] += s[k - 1];
        }
}

void scan(const int* d_in, int* d_out, int n, Workspace&) {
    int blocks = ceil_div(n, kBlock);
    step<<<blocks, kBlock>>>(d_in, d_out, n, 1);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(d_out, d_in, n, cudaMemcpyDeviceToDevice));
}

void other(int* d_out, int n) { todo("2"); }
"""


def made(text: str = FILE, *tasks: str, without: set[int] | None = None) -> Changeable:
    source = Source("scan.cu", text.encode())
    names = set(tasks or ("scan",))
    functions = reached(source.functions, source.aliases, names)
    return changeable(source.text, functions, names, without or set())


def of_kind(file: Changeable, kind: str) -> list[Change]:
    return [one for one in file.changes if kind_of(one) == kind]


def lines_of(text: str) -> dict[int, list[str]]:
    """What stands in each line of the student's file, as the compiler counts them."""
    found: dict[int, list[str]] = {}
    at = 1
    for line in text.splitlines():
        if said := re.fullmatch(r"#line (\d+)", line):
            at = int(said[1])
        else:
            found.setdefault(at, []).append(line)
            at += 1
    return found


def test_the_changed_text_has_the_lines_of_the_file_and_its_own_numbers() -> None:
    file = made()
    lines = lines_of(file.text.decode())
    assert max(lines) == FILE.count("\n")
    for number, line in enumerate(FILE.splitlines(), 1):
        words = re.findall(r"\b(?:threadIdx|__syncthreads|s\[k\]|offset|blocks|kBlock)\b", line)
        assert all(any(word in one for one in lines[number]) for word in words)
    assert [one.number for one in file.changes] == list(range(1, len(file.changes) + 1))
    used = {int(number) for number in re.findall(r"(?:what_if::\w+\()(\d+)", file.text.decode())}
    assert used and max(used) <= len(file.changes)


def test_what_is_not_reached_and_what_is_computed_while_compiling_stays() -> None:
    text = made().text.decode()
    assert 'void other(int* d_out, int n) { todo("2"); }' in text
    assert "__shared__ int s[kBlock];" in text and "constexpr int kBlock = 256;" in text
    assert "CUDA_CHECK(cudaGetLastError());" in text
    assert "{what_if::begin(); " in text


def test_a_line_that_did_not_compile_stays() -> None:
    lines = lines_of(made(without={7}).text.decode())[7]
    assert all(FILE.splitlines()[6] in line for line in lines if "d_out[i]" in line)
    assert not [one for one in made(without={7}).changes if one.line == 7 and one.kind != "barrier"]


def test_changes_of_comparisons_indices_barriers_launches_and_copies() -> None:
    file = made()
    assert ("i < n", "i <= n") in [(one.was, one.now) for one in of_kind(file, "edge")]
    assert ("i - offset", "(i - offset) + 1") in [(one.was, one.now) for one in of_kind(file, "index")]
    assert [one.line for one in of_kind(file, "moved_barrier")] == [10, 10]
    assert of_kind(file, "too_few_blocks")[0].line == 17
    assert of_kind(file, "bytes")[0].now == "n * sizeof(*(d_out))"
    assert {one.now for one in of_kind(file, "direction")} >= {"cudaMemcpyHostToDevice"}
    assert [one.now for one in of_kind(file, "atomic")] == ["atomicAdd(&s[k], s[k - 1])"]
    assert "if (i >= n) return;" in [one.now for one in of_kind(file, "guard")]


def test_a_barrier_is_said_to_stand_behind_the_last_line_of_a_statement() -> None:
    behind = [one.line for one in of_kind(made(), "missing_barrier")]
    assert 12 in behind and 8 not in behind


def test_arguments_are_exchanged_only_if_their_types_agree() -> None:
    assert [one.now for one in of_kind(made(), "arguments")] == []
    same = FILE.replace("const int* d_in, int* d_out, int n, int offset", "int* d_in, int* d_out, int n, int offset")
    assert [one.now for one in of_kind(made(same), "arguments")] == ["d_out, d_in"]


def test_rows_and_columns_are_exchanged_in_all_of_a_function_at_once() -> None:
    text = """__global__ void k(const float* d_in, float* d_out, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    float a = d_in[x * height + y];
    d_out[x * height + y] = a;
}
"""
    file = made(text, "k")
    found = [one for one in of_kind(file, "layout") if one.now == "y * width + x"]
    assert [one.line for one in found] == [3, 4]  # in both, and only in the second
    lines = lines_of(file.text.decode())
    first, second = ("".join(lines[number]) for number in (3, 4))
    number = found[0].number
    assert first.count(f"what_if::is({number})") == second.count(f"what_if::is({number})") == 1
    assert f"what_if::in({number}, {number})" in second  # whether the statement runs with a change at all
    assert found[0].region == -number and found[1].region not in (1, -number)  # of two statements; of the second
    twice = text.replace("    d_out", "    for (int i = 0; i < n; ++i) d_out")
    also = [one for one in made(twice, "k").changes if kind_of(one) == "layout" and one.now == "y * width + x"]
    assert also[0].region == -also[0].number  # in the function, and in its loop


def test_loops_and_functions_stand_twice_and_shared_arrays_once() -> None:
    file = made()
    text = file.text.decode()
    assert text.count("__shared__ int s[kBlock];") == 1
    assert text.count("s[k] += s[k - 1];") > text.count("s[k] += s[k - 1]; }")
    loops = [one for one in file.changes if 8 <= one.line <= 11 and one.kind not in ("barrier", "fence")]
    assert {one.region for one in loops if 0 < one.region < OF_STATEMENT} == {loops[0].number}
    first = [one for one in file.changes if 5 <= one.line <= 7]
    assert {one.region for one in first if 0 < one.region < OF_STATEMENT} == {1}
    for of in (loops, first):  # code of their own is that of statements, or of conditions, with many changes
        apart = Counter(one.region for one in of if one.region > OF_STATEMENT)
        assert apart and min(apart.values()) >= LEAST_TWICE
    assert {one.region for one in file.changes if one.line > 14} == {0}  # the host's code is quick enough


def test_what_the_parser_does_not_know_stays() -> None:
    aligned = FILE.replace("__shared__ int s", "__shared__ __align__(32) int s")
    assert "__shared__ __align__(32) int s[kBlock];" in made(aligned).text.decode()
    another_name = """__global__ void k(int* d_out, int n) {
    __shared__ int s_room[8];
    int(&s)[8] = s_room;
    s[threadIdx.x] = n;
}
"""
    assert "\n    int(&s)[8] = s_room;" in made(another_name, "k").text.decode()


def test_every_lab_s_solution_can_be_read() -> None:
    root = Path(__file__).resolve().parents[4]
    for path in sorted(root.glob("solutions/*/*.cu")):
        source = Source(path.name, path.read_bytes())
        assert changeable(source.text, source.functions, [path.stem], set()).changes, path


def test_sides_of_a_grid_are_exchanged_and_an_index_of_two_dimensions_is_guarded() -> None:
    text = """
__global__ void turn(const float* d_in, float* d_out, int rows, int columns) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    d_out[x * rows + y] = d_in[y * columns + x];
}

void scan(const float* d_in, float* d_out, int rows, int columns) {
    dim3 grid(ceil_div(rows, 32), ceil_div(columns, 8)), block(32, 8);
    turn<<<grid, block>>>(d_in, d_out, rows, columns);
    turn<<<dim3(rows, columns), block>>>(d_in, d_out, rows, columns);
}
"""
    changes = made(text).changes
    exchanged = [(one.line, one.now) for one in changes if kind_of(one) == "sides"]
    assert (8, "(ceil_div(columns, 8), ceil_div(rows, 32))") in exchanged
    assert (10, "dim3(columns, rows)") in exchanged
    guards = [one.now for one in changes if kind_of(one) == "guard" and one.line == 4]
    assert any(now.startswith("if (x < columns && y < rows) ") for now in guards)
    flat = made(text.replace("blockIdx.y * 8 + threadIdx.y", "threadIdx.x")).changes
    assert not any("&&" in one.now for one in flat if kind_of(one) == "guard")
