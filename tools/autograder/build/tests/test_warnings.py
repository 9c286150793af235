"""Which of the compiler's warnings are shown, and how."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from autograder.build.builder import Builder
from autograder.build.pointer_sizes import pointer_sizes
from autograder.build.warnings import CompilerWarning, warning_lines, warnings_in
from autograder.report.terminal import show_warnings

ROOT = Path(__file__).parents[4]
LAUNCHER = ROOT / "common" / "cmake" / "compile_cuda.sh"
# What is written, and the sentence. None: a warning of the compiler that is mostly noise.
WRITTEN = {
    "    int apart = n;\n    if (t < n) apart + apart;": "the result of this expression is not used: is an assignment,"
    " or a call's (), missing?",
    "    int apart = n;\n    apart == 3;": "the result of this comparison is not used: should it be = instead of == ?",
    "    d_out[t] == 3;": "the result of this comparison is not used: should it be = instead of == ?",
    "    int unused;": "unused is never used",
    "    int last = 3;\n    last = n;": "last gets a value, but is never read",
    "    int sum;\n    d_out[0] = sum;": "sum is read before it has a value",
    "    if (t = 3) d_out[0] = 1;": "= in a condition assigns: should it be == ?",
    "    unsigned u = t;\n    if (u >= 0) d_out[0] = 1;": "an unsigned number is never below 0, so this comparison"
    " never changes: make it int",
    "    d_out[0] = n / 0;": "a division by zero",
    "    d_out[0] = 1 << 40;": "a shift by as many bits as the number has, or more: for 64 bits, write 1ull << k",
    "    if (t < sizeof(int)) d_out[0] = 2;": None,
    "    float f = n;\n    d_out[0] = f;": None,
    "    for (int i = 0; i < n; ++i);": None,
}
# The second argument of a call that copies or clears, behind these declarations.
SIZES = {
    "int* h = make();": ("cudaMemcpy(d, h, sizeof(h), kind);", "h"),
    "void f(float *d, const int* const h) {": ("cudaMemcpyAsync(d, h, n * sizeof h, kind, 0);", "h"),
    "int a[9], *h;": ("cudaMemset(h, 0, sizeof(h));", "h"),
    "float* h;": ("cudaMalloc((void**)&h, sizeof(h));", "h"),
    "int *h; int h[100];": ("cudaMemcpy(d, h, sizeof(h), kind);", ""),  # the last is an array
    "int* h = 0;": ("cudaMemcpy(d, h, n * sizeof(*h), kind);", ""),
    "int* p;": ("cudaMemcpyToSymbol(d_p, &p, sizeof(p));", ""),  # the pointer itself
    "int* q;": ("cudaMemcpy(d, q, n * sizeof q[0], kind); // cudaMemcpy(d, q, sizeof(q), kind);", ""),
    "struct S { int* r; };": ("cudaMemcpy(d, h, sizeof(S), kind);", ""),
}
KERNEL = """__global__ void k{0}(const int* d_in, int* d_out, int n) {{
    int t = threadIdx.x;
{1}
    d_out[t] = d_in[t];
}}
"""
OTHERS = """__device__ int none(int x) { if (x > 3) return 1; }
__device__ int counter;
int read() { return counter; }
int host(int x) { if (x > 3) return 1; }
__host__ __device__ int both(int x) { return host(x); }
__global__ void call(int* p) { p[0] = both(none(3)); }
"""
OF_OTHERS = {
    "a function that has a result can end without a return: what does it return then?",
    "counter is a __device__ variable: the host copies it with cudaMemcpyFromSymbol or cudaMemcpyToSymbol",
    "host is a function of the host: on the device, this call does not work; write __host__ __device__ in front of it",
}


@pytest.mark.slow
def test_what_nvcc_warns_of(tmp_path: Path) -> None:
    source = tmp_path / "reduce.cu"
    parts = [KERNEL.format(number, text) for number, text in enumerate(WRITTEN)]
    source.write_text("".join(parts) + OTHERS)
    commands = Builder(ROOT).commands(2)
    values = {"@SOURCE@": str(source), "@OBJECT@": str(tmp_path / "x.o")}
    command = [str(LAUNCHER), *(values.get(word, word) for word in commands.compile)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept = (tmp_path / "x.o.messages").read_text("utf-8")
    assert kept.strip() == done.stderr.strip()
    said = {one.where: one.says for one in warnings_in(kept, source)}
    begin = 1
    for part, expected in zip(parts, WRITTEN.values(), strict=True):
        lines = range(begin, begin := begin + part.count("\n"))
        assert [says for line in lines if (says := said.get(f"reduce.cu:{line}"))] == ([expected] if expected else [])
    assert {says for where, says in said.items() if int(where.rpartition(":")[2]) >= begin} == OF_OTHERS


def test_only_the_file_itself_counts_each_line_once(tmp_path: Path) -> None:
    source = tmp_path / "scan.cu"
    source.write_text("one\n    int k;\n")
    unused = 'variable "k" was declared but never referenced'
    text = f"scan.cu(2): warning #177-D: {unused}\n\nbasics.h(2): warning #177-D: {unused}\n\n"
    host = "scan.cu:2:5: warning: unused variable ‘k’ [-Wunused-variable]\n"
    other = "scan.cu:1:5: warning: unused parameter ‘k’ [-Wunused-parameter]\nscan.cu(1): error: no\n"
    assert warnings_in(text * 3 + host + other, source) == (
        CompilerWarning("scan.cu:2", "k is never used", "    int k;", f"{unused} [177-D]"),
    )


def test_lines_of_a_report() -> None:
    one = CompilerWarning("scan.cu:2", "k[0] is never used", "    int k;")
    assert warning_lines([one]) == ["warning: k[0] is never used    scan.cu:2", ">     2      int k;"]
    out = io.StringIO()
    show_warnings(Console(file=out, width=60, highlight=False), [one])
    assert out.getvalue() == "  warning: k[0] is never used    scan.cu:2\n  >   2      int k;\n\n"
    show_warnings(Console(file=out), [])
    assert out.getvalue().count("\n") == 3


@pytest.mark.parametrize("text", ["", "\0\n", 'scan.cu(99999999999): warning #177-D: variable "k" x\n' * 1000])
def test_any_text(tmp_path: Path, text: str) -> None:
    source = tmp_path / "scan.cu"
    source.write_text("one\n")
    assert len(warnings_in(text, source)) <= 1


@pytest.mark.parametrize(("declared", "call"), SIZES.items())
def test_the_size_of_a_pointer_is_not_that_of_its_array(declared: str, call: tuple[str, str], tmp_path: Path) -> None:
    written, name = call
    source = tmp_path / "own.cu"
    source.write_text(f"int x;\n{declared}\n/* as below */\n    {written}\n")
    told = warnings_in("", source)
    assert [(one.where, one.text.strip()) for one in told] == ([("own.cu:4", written)] if name else [])
    assert all(f"sizeof(*{name})" in one.says for one in told)


def test_the_search_for_sizes_takes_time_in_proportion_to_the_text() -> None:
    for hostile in ("/*" * 500_000, "cudaMemcpy(" * 90_000, "a " * 500_000, "int* " * 200_000, "sizeof(" * 150_000):
        assert not list(pointer_sizes(hostile + "cudaMemcpy(a, b, 3);"))
