"""Changes of filters that lie the wrong way round, of keys that may be negative, and of what a call stores to."""

from __future__ import annotations

import pytest

from autograder.cause.causes import kind_of
from autograder.cause.change import Change, Changeable
from autograder.cause.changes import changeable
from autograder.cause.controls import goes_round
from autograder.cause.experiments import Repair
from autograder.cause.likely import choose, ordered
from autograder.cause.source import Source, reached
from autograder.cause.tests.test_controls import SIZES, runs
from autograder.cause.tried import needs_more_room
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.run.protocol import Finding, Reply, Report


def made(text: str, *tasks: str) -> Changeable:
    source = Source("scan.cu", text.encode())
    return changeable(source.text, reached(source.functions, source.aliases, set(tasks)), tasks, set())


def kernel(body: str, before: str = "") -> Changeable:
    return made(f"{before}__global__ void k(const int* d_in, int* d_out, int r, int width) {{\n{body}\n}}\n", "k")


def pairs(file: Changeable, kind: str) -> set[tuple[str, str]]:
    return {(one.was, one.now) for one in file.changes if kind_of(one) == kind}


ROWS = "for (int j = -r; j <= r; ++j)"


@pytest.mark.parametrize(
    ("body", "was", "now"),
    [
        (f"{ROWS} for (int i = -r; i <= r; ++i) sum += d_in[(y + j) * width + x + i];",
         "(y + j) * width + x + i", "(y + j) * width + x + i with -j for j, -i for i"),
        (f"{ROWS} {{ int row = y + j; for (int i = 0; i < 3; ++i) sum += d_in[row + i]; }}",
         "y + j", "y + j with -j for j, 3 - 1 - i for i"),
        (f"{ROWS} sum += d_in[x + j];", "x + j", "x + j with -j for j"),
    ],
)  # fmt: skip
def test_all_indices_of_a_filter_are_counted_from_the_other_end(body: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(f"int x = 0, y = 0, sum = 0; {body}"), "reversed")


@pytest.mark.parametrize(
    ("body", "was", "now"),
    [
        ("int bit = end - 1 - p;", "end - 1 - p", "end - 1 - ((end - begin) - 1 - p)"),
        ("pass(begin + p);", "begin + p", "begin + ((end - begin) - 1 - p)"),
        ("k<<<1, 1>>>(p);", "p", "(end - begin) - 1 - p"),
    ],
)
def test_a_value_of_the_host_is_counted_from_the_other_end(body: str, was: str, now: str) -> None:
    loop = f"for (int p = 0; p < end - begin; p++) {{ {body} }}"
    text = f"__global__ void k(int p) {{}}\nvoid pass(int b) {{}}\nvoid sort(int begin, int end) {{ {loop} }}\n"
    assert (was, now) in pairs(made(text, "sort"), "reversed")


@pytest.mark.parametrize(
    ("body", "now"),
    [
        ("d_out[d_in[r] + 1] = from[r + 1]", "d_out[r + 1] = from[d_in[r] + 1]"),  # a scatter for a gather
        ("d_out[r * 8 + width] = from[width * 8 + r]", "d_out[width * 8 + r] = from[r * 8 + width]"),
        ("d_out[r] = from[r]", ""),
        ("d_out[r] = d_out[width]", ""),  # would be moved the other way
        ("d_out[0] = from[r]", ""),
        ("d_out[r] += from[width]", ""),
        ("d_out[r] = from[width] + 1", ""),
    ],
)
def test_indices_of_source_and_destination_change_places(body: str, now: str) -> None:
    file = kernel(f"const int* from = d_in; {body};")
    assert pairs(file, "gathered") == ({(body, now)} if now else set())


def test_a_loop_that_counts_down_or_from_0_has_no_such_change() -> None:
    loops = "for (int j = r; j >= -r; --j) d_out[x + j] = 1; for (int i = 0; i < r; ++i) d_out[x + i] = 1;"
    assert not pairs(kernel(f"int x = 0; {loops}"), "reversed")


def test_the_weights_alone_may_be_turned() -> None:
    loops = "for (int j = 0; j < 3; ++j) for (int i = 0; i < 3; ++i) sum += w[j * 3 + i] * d_in[j * width + i];"
    turned = pairs(kernel(f"int sum = 0; const int* w = d_in; {loops}"), "reversed")
    assert ("j * 3 + i", "j * 3 + i with 3 - 1 - j for j, 3 - 1 - i for i") in turned


FLOAT = "((__float_as_uint(f) & 0x80000000) != 0 ? ~__float_as_uint(f) : __float_as_uint(f) ^ 0x80000000)"


@pytest.mark.parametrize(
    ("body", "was", "now"),
    [
        ("unsigned u = static_cast<unsigned>(key);", "static_cast<unsigned>(key)",
         "static_cast<unsigned>(key) ^ 0x80000000"),
        ("float f = 1; unsigned u = __float_as_uint(f);", "__float_as_uint(f)", FLOAT),
        ("float f = 1; unsigned u = __float_as_uint(f) ^ 0x80000000;", "__float_as_uint(f) ^ 0x80000000", FLOAT),
        ("d_out[0] = (key >> r) & 255;", "key >> r", "(static_cast<unsigned>(key) ^ 0x80000000) >> r"),
    ],
)  # fmt: skip
def test_the_bits_of_negative_keys_may_be_in_the_wrong_order(body: str, was: str, now: str) -> None:
    assert (was, now) in pairs(kernel(f"int key = d_in[0]; {body}"), "sign_bit")


def test_a_variable_that_a_call_stores_to_takes_another_s_place_and_no_sum_does() -> None:
    file = kernel(
        "int a = 0, b = 1, c = 2; order(a, b); order(a, c);", "__device__ void order(int& x, int& y) { x = y; }\n"
    )
    assert ("b", "c") in pairs(file, "name")
    assert not pairs(file, "argument")


def test_what_is_stored_stays_inside_a_shared_array() -> None:
    file = kernel("__shared__ int s[32]; s[threadIdx.x - r] = 1; if (r < 32) s[r] = 2;")
    inside = "if (threadIdx.x - r >= 0 && threadIdx.x - r < 32) s[threadIdx.x - r] = 1;"
    assert ("s[threadIdx.x - r] = 1;", inside) in pairs(file, "guard")
    assert not any(was == "s[r] = 2;" and now.startswith("if (r < 32)") for was, now in pairs(file, "guard"))


def test_a_count_may_be_missing_where_work_is_divided_among_blocks() -> None:
    file = made("void f(int rows, int nonzeros) {\n  k<<<ceil_div(nonzeros, 256), 256>>>(rows);\n}\n", "f")
    assert ("nonzeros", "nonzeros + rows") in pairs(file, "missing_term")


def test_a_number_on_the_host_may_be_too_small() -> None:
    file = made("void f(int n) {\n  sort(n, 16);\n  cudaSetDevice(4);\n}\n", "f")
    assert pairs(file, "number") == {("16", "2 * 16"), ("16", "16 / 2")}


def test_few_changes_of_a_kind_come_before_many_of_a_likelier_one() -> None:
    few = Change(100, "conversion", 5, "a", "b", 5)
    every = [Change(at, "value", 6, "a", "b", 6) for at in range(1, 30)]
    judgement = Judgement("WA", (), Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok")))
    assert ordered([*every, few], judgement)[0] == few
    assert ordered([*every[:20], few], judgement)[-1] == few


def test_an_array_of_a_struct_may_be_meant() -> None:
    kernels = "void k(Arrays arrays, int* d_to) { d_to[0] = 1; }", "void m(Arrays a) { a.d_out[0] = 1; }"
    text = "struct Arrays { int* d_out; };\n" + "".join(f"__global__ {one}\n" for one in kernels)
    assert ("d_to", "arrays.d_out") in pairs(made(text, "k", "m"), "name")


def test_the_same_value_twice_is_one_value() -> None:
    ways = [Change(at, "name", 5, "a", now, 5) for at, now in enumerate(("b", "b", "c"), 1)]
    assert choose([Repair(one, 12, 12) for one in ways])
    ways.append(Change(4, "name", 5, "a", "n", 5))
    assert choose([Repair(one, 12, 12) for one in ways]) is None


def test_a_number_has_no_factor_of_its_own() -> None:
    assert kind_of(Change(1, "factor", 5, "65535", "65535 * kWarps", 5)) == "number"
    assert kind_of(Change(1, "factor", 5, "first", "first * 4", 5)) == "factor"


def test_a_name_by_which_calls_that_were_right_have_more_threads_is_no_repair() -> None:
    other = Change(1, "name", 20, "kTile", "kBlock", 20)
    assert goes_round([other], runs(right=True), runs(blocks=9, right=True), SIZES, ())
    assert not goes_round([other], runs(), runs(blocks=9), SIZES, ())


@pytest.mark.parametrize(("access", "is_needed"), [("write", False), ("read", True)])
def test_an_array_is_too_small_only_if_what_is_outside_is_needed(access: str, is_needed: bool) -> None:
    outside = Finding("out_of_bounds", space="shared", access=access)
    right = Outcome(Case("scan", "", 33, 1, 0), Reply(status="ok", report=Report(findings=[outside])))
    assert needs_more_room(right) is is_needed
