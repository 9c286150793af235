"""Which submissions ptxas compiles as well, and what it says of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.build.assembly import holds_asm, ptx_in, refusal
from autograder.plan.labs import folders
from autograder.plan.manifest import load

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('__global__ void k() { asm volatile("trap;"); }', True),
        ('__asm__("trap;");', True),
        ('#line 1 "/usr/include/stdio.h"\n__asm("trap;");', True),
        ('as\\\nm("trap;");', True),
        ('#define JOIN(a, b) a##b\nJOIN(a, sm)("trap;");', True),
        ('FROM_HEADER("trap;");', True),
        ('// asm is not used here\nconst char* text = "asm"; /* asm */', False),
        ('const char* a = "//"; asm("trap;");', True),
        ("int plasma = 0, asm_count = 1;", False),
        ('const char* t = R"(" asm(")";', True),  # cannot be told quickly: ptxas says more
        ("OTHER(1);", False),
    ],
)
def test_asm_is_found_in_the_submissions_own_text(tmp_path: Path, text: str, holds: bool) -> None:
    source, header = tmp_path / "scan.cu", tmp_path / "toolkit.h"
    source.write_text(text)
    header.write_text(
        '#define FROM_HEADER(text) \\\n  asm volatile(text)\n#define OTHER(n) n\nstatic void f() { asm(""); }\n'
    )
    assert holds_asm([source], [source, header]) is holds


def test_a_refusal_names_the_line_of_the_source(tmp_path: Path) -> None:
    ptx = tmp_path / "scan.ptx"
    ptx.write_text(
        ".version 9.0\n.target sm_75\n.address_size 64\n.loc 1 7 3\nadd.s32 %r1, %f1;\n.loc 2 9 1\n"
        '.file 1 "/w/scan.cu"\n'
        '.file 2 "/w/other.h"\n'
    )
    assert ptx_in(tmp_path) == [(ptx, "sm_75")]
    error = refusal(
        tmp_path / "scan.cu", ptx, f"ptxas {ptx}, line 5; error   : Arguments mismatch for instruction 'add'\n"
    )
    assert error.where == "scan.cu:7"
    assert "Arguments mismatch" in error.first and "add.s32 %r1, %f1;" in error.first


def test_labs_that_launch_from_kernels_say_so_twice() -> None:
    """CMake links them with the device runtime, and the device process allows its functions."""
    built = (ROOT / "CMakeLists.txt").read_text()
    linked = {int(number) for number in re.findall(r"add_lab\(NUMBER (\d+) .*DYNAMIC_PARALLELISM\)", built)}
    allowed = {number for number, lab in folders(ROOT).items() if load(ROOT / "labs" / lab.name).uses.device_launches}
    assert linked == allowed
