"""What a submission may use: lists of files, names of symbols, and small files that are really compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.build.builder import Builder
from autograder.build.rules import KEPT, MOST_TEXT, Rules
from autograder.errors import CompileError
from autograder.plan.labs import folders
from autograder.plan.manifest import Uses, load

ROOT = Path(__file__).parents[4]

TOOLKIT = "/opt/cuda/targets/x86_64-linux/include"

CXX = "/usr/include/c++/12"


def rules(uses: Uses | None = None, root: Path = ROOT) -> Rules:
    return Rules(root, "03-scan", uses or Uses(), ["/opt/cuda/bin/nvcc"], ["g++"])


def refused(source: Path, read: list[str], uses: Uses | None = None) -> str:
    """Place and first line of what is said of these files; "" if all may be read."""
    try:
        rules(uses).check_read(source, [str(ROOT / name) for name in read], [source])
    except CompileError as error:
        return f"{error.where}: {str(error).splitlines()[0]}"
    return ""


def test_what_macros_blow_up_is_not_read(tmp_path: Path) -> None:
    source = tmp_path / "scan.cu"
    with pytest.raises(CompileError, match="exceeds 64 MB"), rules().judging(source, tmp_path / "made", [source]):
        with (tmp_path / KEPT / "scan.cpp1.ii").open("wb") as text:
            text.truncate(MOST_TEXT + 1)
        raise CompileError("", "", "the compiler used more than 4,096 MB of memory")


@pytest.mark.parametrize(
    "path",
    [
        "labs/03-scan/scan.h", "labs/03-scan/grading/instantiations.h", "common/toolbox/basics.h",
        "common/toolbox/shuffle.h", f"{TOOLKIT}/cuda_runtime.h", f"{TOOLKIT}/crt/host_runtime.h", f"{TOOLKIT}/mma.h",
        f"{TOOLKIT}/cooperative_groups/reduce.h", f"{TOOLKIT}/cccl/cuda/std/atomic", f"{TOOLKIT}/cuda_fp16.hpp",
        f"{TOOLKIT}/cccl/cuda/std/__cccl/deprecated.h", f"{TOOLKIT}/cccl/nv/target", f"{TOOLKIT}/curand_kernel.h",
        f"{CXX}/bits/stl_vector.h", "/usr/include/x86_64-linux-gnu/c++/12/bits/c++config.h",
        "/usr/include/x86_64-linux-gnu/bits/types.h", "/usr/include/stdio.h", "/usr/include/linux/errno.h",
        "/usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h",
    ],
)  # fmt: skip
def test_may_be_read(tmp_path: Path, path: str) -> None:
    assert refused(tmp_path / "scan.cu", [path]) == ""


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"{TOOLKIT}/cccl/cub/cub.cuh", "cub/cub.cuh"),
        (f"{TOOLKIT}/cccl/thrust/sort.h", "thrust/sort.h"),
        (f"{TOOLKIT}/cublas_v2.h", "cublas_v2.h"),
        ("/usr/include/thrust/sort.h", "thrust/sort.h"),
        ("solutions/03-scan/look_back.cu", "solutions/03-scan/look_back.cu"),
        ("labs/04-compact/compact.h", "labs/04-compact/compact.h"),
        ("labs/03-scan/../../solutions/03-scan/tile.cuh", "solutions/03-scan/tile.cuh"),
        ("labs/03-scan/grading/oracle.cc", "labs/03-scan/grading/oracle.cc"),
        ("common/toolbox/primitives.h", "toolbox/primitives.h"),
        ("common/harness/control.h", "harness/control.h"),
        ("build/graded/lab3-0123/other.cu", "build/graded/lab3-0123/other.cu"),
        ("/proc/self/environ", "/proc/self/environ"),
        ("/etc/passwd", "/etc/passwd"),
        ("/opt/other/scan.cu", "/opt/other/scan.cu"),
    ],
)
def test_may_not_be_read(tmp_path: Path, path: str, shown: str) -> None:
    assert refused(tmp_path / "scan.cu", [path]) == f"scan.cu: {shown} may not be included in lab 3"


def test_a_lab_can_allow_more(tmp_path: Path) -> None:
    uses = Uses(toolbox=["primitives.h"], libraries=["cub"])
    source = tmp_path / "scan.cu"
    assert refused(source, ["common/toolbox/primitives.h", f"{TOOLKIT}/cccl/cub/cub.cuh"], uses) == ""
    assert "primitives_sort.h" in refused(source, ["common/toolbox/primitives_sort.h"], uses)
    assert "thrust/sort.h" in refused(source, [f"{TOOLKIT}/cccl/thrust/sort.h"], uses)


CHAIN = [f"{TOOLKIT}/cuda_runtime.h", "labs/03-scan/scan.h", f"{CXX}/vector", f"{TOOLKIT}/cccl/cub/cub.cuh"]


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("#include <cub/cub.cuh>", "scan.cu:3"),
        ('  #  include "cub/cub.cuh" // a scan', "scan.cu:3"),
        ("#include <../cccl/cub/cub.cuh>", "scan.cu:3"),
        ("#include <vector>", "scan.cu:3"),  # what led there
        ("#include HEADER", "scan.cu:3"),
        ("%:include <cub/cub.cuh>", "scan.cu:2"),
    ],
)
def test_the_line_that_led_there_is_named(tmp_path: Path, line: str, where: str) -> None:
    source = tmp_path / "scan.cu"
    source.write_text(f'#include <cuda_runtime.h>\r\n#include "scan.h"\r\n{line}\r\n')
    assert refused(source, CHAIN).startswith(f"{where}: cub/cub.cuh may not")


def test_every_lab_is_linked_with_what_it_may_use_only() -> None:
    builder = Builder(ROOT)
    if not builder.configured():
        pytest.skip("not configured")
    for number, folder in folders(ROOT).items():
        archives = {Path(word).name for word in builder.commands(number).link if "primitives" in word}
        built = [
            Path(name)
            for name in load(folder).uses.toolbox
            if (ROOT / "common/toolbox" / name).with_suffix(".cu").is_file()
        ]
        assert archives == {f"lib{path.stem}.a" for path in built}, folder.name


HONEST = """#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
#include <cuda/std/span>
#include <cuda_fp16.h>
#include <map>
#include <sstream>
#line 5000 "generated.y"
int n = 3;
__device__ int counter;
static std::map<int, std::string> names{{n, R"(
#include <cub/cub.cuh>
)"}};
template <class F> __global__ void each(int* p, F f) { p[threadIdx.x] = f(counter); }
void naive(int* p) { each<<<1, 32>>>(p, [] __device__(int i) { return 2 * i; }); }
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(HONEST, "", marks=pytest.mark.slow),
        pytest.param(
            "#ifdef __CUDA_ARCH__\n#define H <thrust/version.h>\n#include H\n#endif\n",
            "x y.cu:3: thrust/version.h may not be included in lab 3",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            'asm(".incbin \\"/etc/hostname\\"");\n', "x y.cu:1: /etc/hostname was read by the assembler",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "int a;\nextern \"C\" ssize_t read(int, void*, size_t) { return a; }\n",
            "x y.cu:2: x y.cu defines `read`, which belongs to the C library",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "[[gnu::weak]] int main() { return 1; }\n", "x y.cu:1: x y.cu defines `main`, which",
            marks=pytest.mark.slow,
        ),
        ("#define HASH #\nHASH include SECRET\n", "x y.cu: a macro expands to a preprocessor directive"),
    ],
)  # fmt: skip
def test_what_a_compiler_says(tmp_path: Path, text: str, says: str) -> None:
    builder = Builder(ROOT)
    if not builder.configured():
        pytest.skip("not configured")
    (tmp_path / "secret").write_text("int secret;\n")
    source, made = tmp_path / "x y.cu", tmp_path / "made"
    source.write_text(text.replace("SECRET", f'"{tmp_path}/secret"').replace("\n", "\r\n"), "utf-8-sig")
    judge, told = builder.rules(builder.commands(3)), ""
    values = {"@SOURCE@": str(source), "@OBJECT@": str(made)}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    try:
        with judge.judging(source, made, [source]):
            command = [values.get(word, word) for word in judge.watched(tmp_path)]
            subprocess.run(command, check=True, cwd=ROOT, env=os.environ | {"PATH": path})
    except CompileError as error:
        told = f"{error.where}: {str(error).splitlines()[0]}"
    assert told.startswith(says) and bool(told) == bool(says)
    assert not (tmp_path / "kept").exists()
