"""Changes of what meets itself, of pairs, of edges that wrap, of two buffers, of grids and tiles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograder.cause.causes import KINDS, cause_of
from autograder.cause.change import Change
from autograder.cause.controls import goes_round
from autograder.cause.experiments import Repair
from autograder.cause.likely import choose
from autograder.cause.tests.test_controls import SIZES, runs
from autograder.cause.tests.test_more_changes import kernel, made, pairs

GIVEN = "const int* d_in, int* d_out, int rows, int columns"
BOTH = "int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;"
AROUND = "for (int dy = -1; dy <= 1; ++dy) for (int dx = -1; dx <= 1; ++dx)"
INSIDE = "y + 1 >= 0 && y + 1 < rows && x - 1 >= 0 && x - 1 < columns"
LEFT = "int i = threadIdx.x; for (int j = 0; j < rows; ++j) if (d_in[j] < 3) ++d_out[i];"
TWO = "__shared__ int s[2][4]; int now = 0; s[1 - now][x] = s[now][y]; now = 1 - now;"
SEARCH = """int low = 0, high = rows, at;
while (low < high) {
    at = (low + high) / 2;
    if (d_in[at] == columns) break;
    if (d_in[at] < columns) low = at + 1; else high = at;
}"""


@pytest.mark.parametrize(
    ("body", "kind", "was", "now"),
    [
        (f"int c = 0; {AROUND} c += d_in[dx];", "itself", "c += d_in[dx];", "if (dy != 0 || dx != 0) c += d_in[dx];"),
        (
            "int i = threadIdx.x, c = 0; for (int j = 0; j < rows; ++j) ++c;",
            "itself", "++c;", "if (i != j) ++c;",
        ),
        (
            "int i = threadIdx.x, c = 0; for (int j = 0; j < rows; ++j) ++c;",
            "halves", "++c;", "if (i < j) ++c;",
        ),
        ("int left = 8 * blockIdx.x, top = 8 * blockIdx.y;", "halves", "", "if (top > left) return;"),
        (
            "for (int k = 0; k + 32 <= columns; k += 32) d_out[k] = 1;",
            "remaining", "k + 32 <= columns", "k < columns",
        ),
        (BOTH, "guard", "", "if (x >= columns || y >= rows) return;"),
        (
            f"{BOTH} if (x > 3 && {INSIDE}) d_out[0] = d_in[(y + 1) * columns + x - 1];",
            "wrapped", f"x > 3 && {INSIDE}",
            "x > 3, and ((y + 1) % rows + rows) % rows * columns + ((x - 1) % columns + columns) % columns",
        ),
        (
            f"{BOTH} d_out[0] = x - 1 < 0 || x - 1 >= columns ? 0 : d_in[x - 1];",
            "wrapped", "x - 1 < 0 || x - 1 >= columns", "((x - 1) % columns + columns) % columns",
        ),
        (
            f"{BOTH} int a = (x - 1) % columns, b = (y - 1) % rows;",
            "negative_remainder", "(x - 1) % columns",
            "((static_cast<int>((x - 1))) % static_cast<int>(columns) + static_cast<int>(columns)) % "
            "static_cast<int>(columns), and so in all of the function",
        ),
        (
            f"{BOTH} int a = unsigned(x - 1) % unsigned(columns);",
            "unsigned", "unsigned(x - 1) % unsigned(columns)",
            "(static_cast<int>(unsigned(x - 1)) % static_cast<int>(unsigned(columns)) + "
            "static_cast<int>(unsigned(columns))) % static_cast<int>(unsigned(columns))",
        ),
        (f"{BOTH} {TWO} d_out[0] = s[1 - now][x];", "other_buffer", "1 - now", "now"),
        (f"{BOTH} {TWO}", "other_buffer", "now", "1 - now"),
        ("for (int k = 0; k < rows; ++k) { d_out[0] = k; d_out[1] = k; }", "missing_barrier", "", "__syncthreads();"),
        (f"{BOTH} d_out[0] = d_in[x * rows + y];", "layout", "x * rows + y", "y * columns + x"),
        (
            f"{BOTH} d_out[0] = d_in[at(y, columns) * columns + at(x, rows)];",
            "layout", "at(y, columns) * columns + at(x, rows)", "at(y, rows) * columns + at(x, columns)",
        ),
        (
            f"{BOTH} if (y * columns + x < rows * columns) d_out[x] = y;",
            "row_end", "y * columns + x < rows * columns", "y < rows && x < columns",
        ),
        (
            f"{BOTH} int i = y * columns + x; if (i >= columns * rows) return;",
            "row_end", "i >= columns * rows", "y >= rows || x >= columns",
        ),
        (f"{BOTH} if (x < rows && d_in[x] > 3) d_out[x] = 1;", "missing_else", "", "else if (x < rows) d_out[x] = 0;"),
        (f"{BOTH} if (x < rows) d_out[x] = d_in[x];", "missing_else", "", "else d_out[x] = 0;"),
        (SEARCH, "first_found", "break;", "low = at + 1; continue;"),
        (SEARCH, "first_found", "break;", "high = at; continue;"),
        (
            "__shared__ int s[32][32]; int y = threadIdx.y, row = 3 + y; if (row < rows) s[y][0] = d_in[row];",
            "one_each", "y = threadIdx.y", "for (int y = threadIdx.y; y < 32; y += blockDim.y)",
        ),
    ],
)  # fmt: skip
def test_changes_of_neighbours_and_grids(body: str, kind: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(body, GIVEN), kind) and kind in KINDS


def test_what_is_asked_for_is_not_asked_again() -> None:
    assert not pairs(kernel(f"int c = 0; {AROUND} if (dy != 0 || dx != 0) c += d_in[dx];", GIVEN), "itself")
    assert not pairs(kernel(f"{BOTH} if (x > 3) d_out[0] = d_in[x - 1];", GIVEN), "wrapped")
    assert not pairs(kernel(f"{BOTH} __shared__ int s[2]; int now = 0; d_out[0] = s[now];", GIVEN), "other_buffer")


def test_what_a_function_is_given_and_never_uses_may_belong_to_a_condition() -> None:
    text = "__device__ int alive(int count, unsigned char cell) { return count == 3 || count == 2; }\n"
    assert ("count == 2", "count == 2 && cell") in pairs(made(text, "alive"), "missing_condition")
    used = made(text.replace("count == 3", "count == 3 + cell"), "alive")
    assert not any(now.endswith("&& cell") for _, now in pairs(used, "missing_condition"))


def test_the_last_tile_is_padded_in_both_matrices_at_once() -> None:
    body = """int row = threadIdx.y, column = threadIdx.x;
int a = row < rows ? d_in[row * inner + k + 3] : 0;
int b = column < columns ? d_in[(k + 5) * columns + column] : 0;"""
    found = pairs(kernel(body, "const int* d_in, int rows, int columns, int inner, int k"), "outside")
    assert ("row < rows", "(row < rows) && k + 3 < inner and (column < columns) && k + 5 < inner") in found


def test_two_sizes_are_exchanged_in_a_whole_launch() -> None:
    text = "__global__ void k(int* d, int a, int b) {}\nvoid scan(int* d, int rows, int columns) {\n"
    file = made(f"{text}k<<<rows, 32>>>(d, rows, columns);\n}}\n", "scan")
    whole = "k<<<rows, 32>>>(d, rows, columns)", "k<<<columns, 32>>>(d, columns, rows)"
    assert whole in pairs(file, "sides")


def test_an_index_with_which_fewer_threads_meet_is_no_repair_of_a_race() -> None:
    term = Change(1, "missing_term", 7, "top", "top + left", 7)
    assert goes_round([term], runs(), runs(each=6.0), SIZES, {"race"})
    assert not goes_round([term], runs(), runs(each=6.0), SIZES, ())
    assert not goes_round([term], runs(), runs(each=9.0), SIZES, {"race"})
    pair = Change(1, "halves", 7, "", "if (top > left) return;", 7)
    assert not goes_round([pair], runs(), runs(each=6.0), SIZES, {"race"})


def test_a_step_more_is_not_missing_where_it_is_right_without() -> None:
    """One generation too many is computed, and the board before it is stored."""
    step = Repair(Change(1, "comparison", 51, "g < n", "g <= n", 51), 14, 14, work=1.2)
    board = Repair(Change(2, "other_buffer", 58, "1 - now", "now", 58), 14, 14)
    assert choose([step, board]) == board and choose([step]) == step


def test_a_step_more_is_not_missing_where_their_number_is_rounded_down() -> None:
    step = Repair(Change(1, "comparison", 47, "step < steps", "step <= steps", 47), 14, 14)
    rounded = Repair(Change(2, "arithmetic", 46, "n / 8", "n / 8, rounded up", 46), 14, 14)
    assert choose([step, rounded]) == rounded


def test_of_a_number_and_what_is_made_of_it_both_may_lack_the_same_term() -> None:
    number, sum_ = (
        Repair(Change(at, "missing_term", at, was, f"{was} - zeros", at), 14, 14)
        for at, was in ((17, "d[n]"), (22, "i"))
    )
    chosen = choose([number, sum_])
    assert chosen is not None and (chosen.trial, chosen.also) == (sum_.trial, 17)
    other = Repair(Change(3, "missing_term", 22, "i", "i - ones", 22), 14, 14)
    assert choose([number, other]) is None


@pytest.mark.parametrize("kind", ["layout", "reversed"])
def test_a_load_and_a_store_that_do_not_agree_are_both_named(kind: str) -> None:
    load, store = (Repair(Change(at, kind, at, "s[y][x]", "s[x][y]", at), 14, 14) for at in (15, 21))
    other = Repair(Change(1, "name", 30, "x", "y", 30), 14, 14)
    chosen = choose([load, store])
    assert chosen is not None and (chosen.trial, chosen.also) == (store.trial, 15)
    assert choose([load, store, other]) is None


def test_a_grid_and_a_kernel_that_do_not_agree_are_both_named() -> None:
    kernel = Repair(Change(1, "layout", 10, "blockIdx.x", "blockIdx.y", 10), 14, 14)
    grid = Repair(Change(2, "sides", 27, "(rows, columns)", "(columns, rows)", 27), 14, 14)
    chosen = choose([kernel, grid])
    assert chosen is not None and (chosen.trial, chosen.also) == (grid.trial, 10)


def test_a_title_says_which_name_of_a_line_is_wrong() -> None:
    wrong = Change(1, "name", 7, "left", "top", 7)
    assert cause_of(wrong, "life.cu", 9, 9).title == "the wrong variable is used (left)"
    long = replace(wrong, was=" + ".join(["left"] * 9))
    assert cause_of(long, "life.cu", 9, 9).title == "the wrong variable is used"
    mirrored = cause_of(replace(wrong, kind="layout", was="s[y][x]"), "life.cu", 9, 9, also=3)
    assert mirrored.title == "here or in line 3, an index exchanges rows and columns"
