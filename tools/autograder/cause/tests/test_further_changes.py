"""Changes of what students forget at edges, between steps and among lanes: each kind once, in a small file."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cause.causes import KINDS
from autograder.cause.change import Changeable
from autograder.cause.program import Program
from autograder.cause.source import Source
from autograder.cause.tests import test_more_changes as tests
from autograder.cause.tests.test_more_changes import made, pairs
from autograder.cause.widths import narrow_types, widened

GIVEN = "const int* d_in, int* d_out, int width, int height"


def kernel(body: str) -> Changeable:
    return tests.kernel(body, GIVEN)


LANE = "int lane = threadIdx.x % 32;"
SUM = "int sum = 0;"
DISTANCES = "for (int d = 1; d < 32; d *= 2)"
PLACE = "int x = threadIdx.x, y = threadIdx.y;"


@pytest.mark.parametrize(
    ("body", "kind", "was", "now"),
    [
        (
            f"{PLACE} d_out[0] = d_in[y * width + x];",
            "outside",
            "d_in[y * width + x]",
            "y < height && x < width ? d_in[y * width + x] : 0",
        ),
        (
            f"{PLACE} int row = y - 1; d_out[0] = d_in[row * width + x];",
            "outside",
            "d_in[row * width + x]",
            "row >= 0 && x >= 0 && row < height && x < width ? d_in[row * width + x] : 0",
        ),
        (
            f"{PLACE} d_out[0] = x > 3 ? d_in[x] : 7;",
            "outside",
            "d_in[x]",
            "x < width ? d_in[x] : 7",
        ),
        (
            f"{PLACE} d_out[0] = d_in[x - 1];",
            "limit",
            "x - 1",
            "min(max(x - 1, 0), width - 1)",
        ),
        (
            f"{PLACE} int left = x - 1, right = x + 1;",
            "limit",
            "int left = x - 1, right = x + 1;",
            "int left = max(x - 1, 0), right = min(x + 1, width - 1);",
        ),
        (
            f"{PLACE} for (int r = y - 1; r <= y + 1; ++r) d_out[r] = 1;",
            "limit",
            "for (int r = y - 1; r <= y + 1; ++r) d_out[r] = 1;",
            "for (int r = max(y - 1, 0); r <= min(y + 1, height - 1); ++r) d_out[r] = 1;",
        ),
        (f"{LANE} {SUM} {DISTANCES} sum += d;", "partner", "sum += d;", "if (lane >= d) sum += d;"),
        (
            f"{LANE} {SUM} {DISTANCES} sum += __shfl_up_sync(~0u, sum, d);",
            "partner",
            "sum += __shfl_up_sync(~0u, sum, d);",
            "auto other = __shfl_up_sync(~0u, sum, d); if (lane >= d) sum += other;",
        ),
        (
            "bool b = width > 3 && __any_sync(~0u, height);",
            "in_branch",
            "width > 3 && __any_sync(~0u, height)",
            "__any_sync(~0u, height) && width > 3",
        ),
        (
            "if (width > 3) d_out[0] = __ballot_sync(~0u, height > 1);",
            "in_branch",
            "if (width > 3) ... __ballot_sync(~0u, height > 1)",
            "__ballot_sync(~0u, (width > 3) && (height > 1)), before the if",
        ),
        (
            f"{LANE} int before = 0; for (int k = 0; k < width; ++k) {{ int sum = d_in[k] + before; d_out[k] = sum; }}",
            "carried",
            "",
            "before = __shfl_sync(0xffffffff, sum, 31);",
        ),
        (
            f"{LANE} int last; for (int k = 0; k < width; ++k) {{ int sum = lane; last = sum; }}",
            "other_lane",
            "sum",
            "__shfl_sync(0xffffffff, sum, 31)",
        ),
        (
            "d_out[0] = __shfl_sync(~0u, width, 0);",
            "other_lane",
            "__shfl_sync(~0u, width, 0)",
            "__shfl_sync(~0u, width, 31)",
        ),
        (
            "int row = 0; for (int k = 0; k < width; ++k) { d_out[row + __popc(d_in[k] & height)] = 1; }",
            "moved_on",
            "",
            "row += __popc(d_in[k]);",
        ),
        (
            "__shared__ int s[2][4]; int now = 0; for (int k = 0; k < width; ++k) { s[1 - now][k] = s[now][k]; }",
            "passed_on",
            "",
            "now = 1 - now;",
        ),
        (
            "for (int k = threadIdx.x; k < width; k += 32) { __syncthreads(); }",
            "moved_barrier",
            "__syncthreads();",
            "__syncthreads(); before the loop",
        ),
        ("long long p = width * height;", "converted_late", "width * height", "static_cast<long long>(width) * height"),
        ("float p = (float)(width / 3);", "converted_late", "(float)(width / 3)", "static_cast<float>(width) / 3"),
        (f"{PLACE} __shared__ int s[4][4]; s[x][y] = 1;", "layout", "s[x][y]", "s[y][x]"),
        (
            f"{PLACE} d_out[0] = x;",
            "layout",
            "threadIdx.x",
            "threadIdx.y, and x for y in all of the kernel",
        ),
        (
            "int i = 1, j = 2; d_out[j] = j;",
            "name",
            "d_out[j] = j;",
            "d_out[i] = i;",
        ),
        ("int* d_other = d_out; d_out[0] = 1;", "name", "d_out", "d_other"),
        (
            f"{LANE} int sum = 0; int k = d_in[0] + lane; if (k < width) sum = d_in[k];",
            "one_each",
            "if (k < width)",
            "for (; k < width; k += 32)",
        ),
        (
            "__shared__ int s[64]; s[threadIdx.x] = 0;",
            "one_each",
            "s[threadIdx.x] = 0;",
            "for (int at_ = threadIdx.x; at_ < 64; at_ += blockDim.x) s[at_] = 0;",
        ),
        (
            "if (threadIdx.x < width) d_out[threadIdx.x] = 0;",
            "one_each",
            "if (threadIdx.x < width)",
            "for (int at_ = threadIdx.x; at_ < width; at_ += blockDim.x)",
        ),
        ("int i = threadIdx.x; d_out[i] = 0;", "missing_term", "i", "i + d_in[i]"),
        ("d_out[0] = width;", "one_thread", "d_out[0] = width;", "if (threadIdx.x == 0) d_out[0] = width;"),
        (
            "int sum = 0; for (int k = 0; k < width; ++k) { sum += d_in[k]; d_out[k] = sum; }",
            "not_restarted",
            "",
            "sum = 0;",
        ),
        ("for (int k = 0; k < width; ++k) d_out[0] += d_in[k];", "reversed", "k", "width - 1 - k"),
        ("int sum = 0; sum += d_in[0];", "arithmetic", "sum += d_in[0]", "sum -= d_in[0]"),
        ("d_out[0] = __all_sync(~0u, width);", "function", "__all_sync(~0u, width)", "__any_sync(~0u, width)"),
    ],
)
def test_changes_of_what_is_forgotten(body: str, kind: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(body), kind) and kind in KINDS


def test_a_sum_of_one_element_is_not_stored_for_others() -> None:
    sums = f"{LANE} int sum = 0; sum += d_in[lane]; if (lane < width) d_out[lane] ="
    assert not pairs(kernel(f"{sums} sum;"), "one_each")
    assert not pairs(kernel(f"{LANE} int its = d_in[lane]; if (lane < width) d_out[lane] = its;"), "one_each")
    assert pairs(kernel(f"{sums} width;"), "one_each") and pairs(kernel(f"{sums} d_in[lane];"), "one_each")


def test_what_a_condition_asks_for_is_not_asked_again() -> None:
    file = kernel(f"{PLACE} if (x < width) d_out[x] = d_in[x];")
    assert not any(now.startswith("x < width ?") for _, now in pairs(file, "outside"))
    guarded = kernel(f"{LANE} {SUM} {DISTANCES} if (lane >= d) sum += d;")
    assert not any("lane >= d" in now for _, now in pairs(guarded, "partner"))
    assert not pairs(kernel("if (threadIdx.x == 0) d_out[0] = width;"), "one_thread")
    assert not pairs(kernel("int i = threadIdx.x + 1; atomicAdd(&d_out[i], width);"), "one_thread")


def test_a_vote_that_needs_what_the_branch_computes_stays() -> None:
    assert not pairs(kernel("if (width > 3) { int v = d_in[0]; d_out[0] = __ballot_sync(~0u, v); }"), "in_branch")
    assert not pairs(kernel("if (width > 3) d_out[0] = __ballot_sync(~0u, d_in[height]);"), "in_branch")


def test_a_vote_that_is_kept_is_kept_by_all_lanes() -> None:
    text = kernel("unsigned v = 0; if (width > 3) { v = __ballot_sync(~0u, 1); d_out[v] = 1; }").text.decode()
    assert ") v = hoisted_" in text and "= __ballot_sync(~0u, (width > 3) && (1)); " in text


def test_an_if_that_is_a_loop_adds_what_it_kept() -> None:
    file = kernel("int sum = 0; int k = threadIdx.x; if (k < width) sum = d_in[k];")
    (number,) = [one.number for one in file.changes if one.kind == "one_each"]
    assert f"(what_if::is({number}) ? (sum + (d_in[k])) : " in file.text.decode()


def test_a_change_of_several_places_is_compared_with_code_of_its_own() -> None:
    file = kernel(f"{PLACE} for (int r = y - 1; r <= y + 1; ++r) {{ d_out[r] = r + width; d_out[x] = height; }}")
    both = [one for one in file.changes if one.kind == "limit" and one.was.startswith("for (")]
    assert both and all(one.region == -one.number for one in both)
    assert file.text.decode().count(f"what_if::is({both[0].number}) ?") == 2


def test_fields_of_one_struct_are_mixed_up() -> None:
    text = """struct Grid { int rows, columns, left, side; };
__device__ int of(Point p, Grid grid) { return p.y * grid.rows + p.x / grid.side; }
__device__ int other(Grid grid) { return grid.columns + grid.left; }
__global__ void k(Sorted in, const int* d_in, int* d_out, int i) { d_out[i] = d_in[i] + in.d_order[0]; }
"""
    file = made(text, "of", "k")
    assert ("grid.rows", "grid.columns") in pairs(file, "name")
    assert ("p.x", "(p.x - grid.left)") in pairs(file, "missing_term")
    assert ("i", "in.d_order[i]") in pairs(file, "looked_up")


def test_a_target_that_is_chosen_has_a_comparison_of_its_own() -> None:
    file = kernel("int low = 0, high = 9; (width <= d_in[height] ? high : low) = 4;")
    assert ("width <= d_in[height]", "width < d_in[height]") in pairs(file, "edge")
    assert ("high", "high + 1") not in pairs(file, "value")


def test_an_array_of_other_rows_takes_no_array_s_place() -> None:
    body = "__shared__ int a[8][4], b[8][5], c[6][4]; int v = a[0][1];"
    names = {now for was, now in pairs(kernel(body), "name") if was == "a[0]" or was == "a"}
    assert names == {"c"}


def test_the_array_that_the_last_step_wrote_is_copied_to_the_output() -> None:
    text = """void life(const int* d_in, int* d_out, int count, Workspace& work) {
    int* d_other = work.get<int>(count);
    const int* d_from = d_in;
    for (int k = 0; k < count; ++k) { int* d_to = k % 2 ? d_out : d_other; step(d_from, d_to); }
}
"""
    file = made(text, "life")
    assert ("", "d_from = d_to;") in pairs(file, "passed_on")
    copy = "cudaMemcpy(d_out, d_from, count * sizeof *d_out, cudaMemcpyDefault);"
    assert [one.line for one in file.changes if one.now == copy] == [4, 5]
    assert "if (d_from == d_in) what_if::copied(" in file.text.decode()


def test_types_of_less_than_32_bits_become_wider(tmp_path: Path) -> None:
    text = """template <class T>
__global__ void k(const unsigned char* d_in, int* d_out) {
    unsigned short place = threadIdx.x;
    const unsigned char* d_row = d_in;
    T sum = 0, own = 1;
    sum += d_row[place];
    T other = own;
}
"""
    source = Source("scan.cu", text.encode())
    lines = widened(source.text, narrow_types(source.functions)).decode().splitlines()
    assert lines[2].strip() == "int place = threadIdx.x;" and lines[3] == text.splitlines()[3]
    assert lines[4].strip() == "decltype(T{} + T{}) sum = 0, own = 1;" and lines[6] == text.splitlines()[6]
    file = tmp_path / "scan.cu"
    file.write_text(text)
    made_of = Program(file, ["k"], lambda *_: (Path("runner"), "")).of_wider_types("k")
    assert [line for _, line in made_of] == [0, 3, 5]


STATES = "enum class Status : unsigned { empty, part, whole };\n"


@pytest.mark.parametrize("sign", ["==", "!="])
def test_another_state(sign: str) -> None:
    body = f"Status status = static_cast<Status>(d_in[0]); if (status {sign} Status::empty) d_out[0] = 1;"
    whole = f"status {sign} Status::empty"
    assert pairs(tests.kernel(body, GIVEN, STATES), "state") == {
        (whole, "status == Status::part"), (whole, "status == Status::whole"),
    }  # fmt: skip


@pytest.mark.parametrize("cast", ["static_cast<int>(sum)", "(int)sum"])
def test_a_conversion_of_a_variable_itself(cast: str) -> None:
    assert pairs(kernel(f"long long sum = width; sum = {cast}; d_out[0] = sum >> 32;"), "converted") == {
        (f"sum = {cast};", "")
    }
