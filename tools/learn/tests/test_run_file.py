"""./grader run: a program of one's own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from autograder.errors import CompileError, UsageError
from learn import run_file

ROOT = Path(__file__).resolve().parents[3]
HEADER = "constexpr int kCount = 100;\n"
SOURCE = """#include <cstdlib>
#include "count.h"
__global__ void fill(int* a) {
    const int i = threadIdx.x;
    if (i <= kCount) a[i] = i;
}
int main(int argc, char** argv) {
    int* a = nullptr;
    cudaMalloc(&a, 101 * sizeof(int));
    fill<<<1, 128>>>(a);
    cudaFree(a);
    return argc > 1 ? std::atoi(argv[argc - 1]) : 0;
}
"""


@pytest.fixture
def saxpy(tmp_path: Path) -> Path:
    (tmp_path / "count.h").write_text(HEADER)
    file = tmp_path / "saxpy.cu"
    file.write_text(SOURCE)
    return file


def grader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "grader", "run", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_what_cannot_be_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        run_file.run(ROOT, tmp_path / "nothing.cu", [], "", [])
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(UsageError, match=r"must be a CUDA source file, such as saxpy\.cu, or a program"):
        run_file.run(ROOT, tmp_path / "notes.txt", [], "", [])


def test_the_compilers_list_of_files(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("a.o : /x/a\\ b.cu \\\n  /x/b.h \\\n  /x/c.h\n")
    assert run_file._files(tmp_path / "list") == ["/x/a b.cu", "/x/b.h", "/x/c.h"]


@pytest.mark.slow
def test_a_program_of_ones_own(saxpy: Path) -> None:
    right = grader(saxpy.parent, "saxpy.cu", "-x", "7")
    assert right.returncode == 7, right.stderr
    assert right.stderr.endswith("virtual-gpu: no findings\n")

    def programs() -> dict[Path, int]:
        return {made: made.stat().st_mtime_ns for made in (ROOT / "build/own").glob("saxpy-*/saxpy")}

    before = programs()
    assert grader(saxpy.parent, "saxpy.cu", "--", "--seeds", "8").returncode == 8
    assert programs() == before, "compiled once"
    (saxpy.parent / "count.h").write_text(HEADER.replace("100", "110"))
    report = saxpy.parent / "r.json"
    wrong = grader(saxpy.parent, "saxpy.cu", "--counters", "--seeds", "2", "--json", str(report))
    assert wrong.returncode == 1
    assert "saxpy.cu:5: out of bounds: thread 101 of block 0 wrote a at index 101" in wrong.stderr
    assert "why it matters: that memory belongs to something else" in wrong.stderr and "sectors/ideal" in wrong.stderr
    assert json.loads(report.read_text())["seeds"] == [0, 1]


@pytest.mark.slow
def test_a_kernel_may_launch_kernels(tmp_path: Path) -> None:
    child = "__global__ void fill(int* a);\n__global__ void start(int* a) { fill<<<1, 128>>>(a); }\n"
    file = tmp_path / "nested.cu"
    source = SOURCE.replace("fill<<<1, 128>>>", "start<<<1, 1>>>").replace('#include "count.h"\n', HEADER + child)
    file.write_text(source)
    ended = grader(tmp_path, "nested.cu")
    assert ended.returncode == 0 and ended.stderr.endswith("virtual-gpu: no findings\n"), ended.stderr


@pytest.mark.slow
def test_what_does_not_compile(saxpy: Path) -> None:
    saxpy.write_text(SOURCE.replace("const int i", "const int j"))
    failed = grader(saxpy.parent, "saxpy.cu")
    assert failed.returncode == 1
    assert "saxpy.cu:5" in failed.stderr and 'identifier "i" is undefined' in failed.stderr
    assert "then: ./grader run saxpy.cu" in failed.stderr
    saxpy.write_text(SOURCE.partition("int main")[0])
    with pytest.raises(CompileError, match="no main"):
        run_file._compiled(ROOT, saxpy, [])
