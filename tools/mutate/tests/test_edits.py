"""Each operator, on a line of its own."""

from __future__ import annotations

import pytest

from autograder.cause.source import Source
from mutate import cuda_edits  # noqa: F401  (registers its operators)
from mutate.edits import OPERATORS, edits

CASES = {
    "edge": [("if (i < n) x = 1;", "if (i <= n) x = 1;"), ("x = a >= b;", "x = a > b;")],
    "comparison": [("x = a == b;", "x = a != b;"), ("x = a < b;", "x = a >= b;")],
    "arithmetic": [("x = a - b;", "x = a + b;"), ("x = a % b;", "x = a / b;")],
    "shift": [("x = a << 3;", "x = a >> 3;")],
    "bits": [("x = a & b;", "x = a | b;")],
    "logic": [("x = a && b;", "x = a || b;")],
    "negation": [("x = !a;", "x = a;")],
    "off_by_one": [("x = a + 1;", "x = a;"), ("while (i < n) x = 2;", "while (i < (n) - 1) x = 2;")],
    "number": [("x = 32;", "x = 33;")],
    "barrier": [("__syncthreads();", ";"), ("group.sync();", ";")],
    "fence": [("__threadfence();", ";")],
    "order": [("a.store(b, cuda::memory_order_release);", "a.store(b, cuda::memory_order_relaxed);")],
    "atomic": [
        ("atomicAdd(&a[i], 2);", "plain_atomicAdd(&a[i], 2);"),
        ("store_relaxed(p + i, v);", "*(p + i) = v;"),
        ("x = load_relaxed(p);", "x = *(p);"),
    ],
    "index": [
        ("x = threadIdx.x;", "x = blockIdx.x;"),
        ("x = threadIdx.x;", "x = threadIdx.y;"),
        ("x = s[i];", "x = s[(i) + 1];"),
        ("x = lane;", "x = warp;"),
    ],
    "shuffle": [
        ("x = __shfl_up_sync(m, v, 1);", "x = __shfl_up_sync(m, v, (1) + 1);"),
        ("x = __shfl_up_sync(m, v, 1);", "x = __shfl_down_sync(m, v, 1);"),
        ("x = __ballot_sync(m, v);", "x = __ballot_sync(0xffffu, v);"),
    ],
    "other_end": [("x = std::min(a, b);", "x = std::max(a, b);")],
    "operands": [("x = op(a, b);", "x = op(b, a);"), ("x = c ? a : b;", "x = c ? b : a;")],
    "initial": [("int y = 0;", "int y = 1;"), ("T y = Op::identity();", "T y = typename Op::type{};")],
    "grid": [("x = ceil_div(n, 256);", "x = ((n) / (256));")],
    "launch": [("k<<<g, b>>>(x);", "k<<<(g) - 1, b>>>(x);"), ("k<<<g, b>>>(x);", "k<<<g, (b) / 2>>>(x);")],
    "memory_size": [
        ("__shared__ int s[2][k];", "__shared__ int s[2][(k) - 1];"),
        ("auto* d = work.get<int>(n);", "auto* d = work.get<int>((n) - 1);"),
    ],
    "stride": [
        ("for (;; i += n) x = 1;", "for (;; i += 2 * (n)) x = 1;"),
        ("for (;; ++i) x = 1;", "for (;; i += 2) x = 1;"),
    ],
    "volatile": [("volatile int y = 2;", " int y = 2;")],
    "narrow": [("long long y = 2;", "int y = 2;")],
    "guard": [("if (a) return;", ";"), ("if (a) x = 1;", "if (true) x = 1;")],
    "statement": [("x = 1;", ";")],
}


def changed(line: str) -> dict[str, set[str]]:
    """What the operators make of a line within a function."""
    source = Source("a.cu", f"__global__ void k() {{\n{line}\n}}\n".encode())
    found: dict[str, set[str]] = {}
    for edit in edits(source.functions[0]):
        text = source.text[: edit.start] + edit.text.encode() + source.text[edit.end :]
        found.setdefault(edit.operator, set()).add(text.decode().split("\n")[1])
    return found


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_does_what_its_name_says(name: str) -> None:
    for before, after in CASES[name]:
        assert after in changed(before).get(name, set())


@pytest.mark.parametrize(
    "line",
    [
        "CUDA_CHECK(cudaGetLastError());",  # nothing but a message is lost
        "static_assert(2 < 3);",
        "// i < n",
        'puts("a < b");',
        "Vector<T> y;",
    ],
)
def test_what_is_left_alone(line: str) -> None:
    assert set(changed(line)) <= {"statement"}
    assert "CUDA_CHECK" not in line or not changed(line)


def test_a_template_is_no_comparison() -> None:
    assert "edge" not in changed("x = f<a>(b);")


def test_an_array_that_is_too_long_is_no_mistake() -> None:
    assert "number" not in changed("int y[2][2 * (k + 3)];")


def test_barriers_are_removed_once() -> None:
    assert set(changed("__syncthreads();")) == {"barrier"}


def test_a_plain_atomic_brings_its_helper() -> None:
    source = Source("a.cu", b"__global__ void k(int* p) { atomicMax(p, 3); }")
    helper = next(edit.helper for edit in edits(source.functions[0]) if edit.operator == "atomic")
    assert "plain_atomicMax" in helper and "\n" not in helper
