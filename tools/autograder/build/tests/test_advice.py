"""The table of errors that beginners make, against what nvcc really says to small edits of a solution."""

from __future__ import annotations

import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from autograder.build import advice as table
from autograder.build import compiler
from autograder.build.advice import error_rows, warning_rows
from autograder.build.builder import Builder
from autograder.build.compiler import lab_error, told
from autograder.build.messages import messages

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
SOLUTION = ROOT / "solutions" / "02-reduce" / "interleaved.cu"
LAB = ROOT / "labs" / "02-reduce"
CASES: list[dict[str, Any]] = tomllib.loads((HERE / "compile_errors.toml").read_text("utf-8"))["case"]
# Rows for what no edit of this file shows: the linker's, ptxas's and the grader's own texts.
ELSEWHERE = {
    "index_on_host": "x.cu:(.text+0x1): undefined reference to `threadIdx'",
    "too_much_shared": "ptxas error   : Entry function '_Z1kPi' uses too much shared data (0x20000 bytes, 0xc000 max)",
    "ready_made": 'interleaved.cu(4): error: namespace "primitives" has no member "sum"',
    "compiler_limits": "error: the compiler took more than 180 s",
    "compiler_waits": "error: the compiler waited for 10 s without doing anything",
    "large_arrays": "relocation truncated to fit: R_X86_64_PC32 against `.bss'",
    "large_program": "error: the compiled program is larger than 256 MB",
}


def edited(case: dict[str, Any], folder: Path) -> Path:
    source: Path = folder / case["name"] / SOLUTION.name
    source.parent.mkdir(parents=True)
    text = SOLUTION.read_text("utf-8")
    assert text.count(case["find"]) >= 1, f"{case['name']}: the solution has changed"
    source.write_text(text.replace(case["find"], case["put"], 1), "utf-8")
    return source


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_what_is_told(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = edited(case, tmp_path)
    used: list[str] = []

    def spied(text: str, line: str, at: str = "") -> tuple[str, str]:
        name, said = table.advice(text, line, at)
        used.extend([name] if said else [])
        return name, said

    monkeypatch.setattr(compiler, "advice", spied)
    error = lab_error(case["text"], [], LAB, source)
    assert (used[-1] if used else "") == case["row"]
    assert str(error).splitlines()[0] == case["says"]
    number = int(error.where.removeprefix(f"{source.name}:"))
    assert source.read_text("utf-8").split("\n")[number - 1].strip() == case["line"]
    lines = told(error, "./grader 2", source, "build/compiler.log")
    assert f">{number:6}  " + source.read_text("utf-8").split("\n")[number - 1] in lines
    of_compiler = [line for line in lines if ": error: " in line or "): error: " in line or "fatal error" in line]
    assert len(of_compiler) == 1, "the compiler's own text stands there once"
    assert len(lines) <= 18


def test_each_row_has_a_case() -> None:
    rows = {row.name for row in error_rows()}
    assert rows == {case["row"] for case in CASES if case["row"]} | set(ELSEWHERE)
    assert len(rows) >= 40


def test_functions_of_the_host_that_a_librarys_header_calls_are_told_where_they_are_used(tmp_path: Path) -> None:
    source = tmp_path / "reduce.cu"
    source.write_text("    v[0] = 1;\n")
    call = 'error: calling a constexpr __host__ function("{}") from a __global__ function("k") is not allowed\n'
    text = "/usr/include/c++/12/bits/stl_vector.h(143): " + call.format("allocator")
    error = lab_error(text + "\nreduce.cu(1): " + call.format("operator[]"), [], LAB, source)
    assert error.where == "reduce.cu:1" and str(error).startswith("a std::vector or std::string is for the host only")
    assert lab_error(text, [], LAB, source).where == "stl_vector.h:143"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_rows_of_other_programs(name: str) -> None:
    row = next(row for row in error_rows() if row.name == name)
    says = str(lab_error(ELSEWHERE[name], [], LAB, SOLUTION)).splitlines()[0]
    assert says == row.said(ELSEWHERE[name], "")


@pytest.mark.parametrize("row", [*error_rows(), *warning_rows()], ids=lambda row: str(row.name))
def test_sentences_are_short_and_complete(row: Any) -> None:
    assert len(row.says) <= 220
    assert not row.says.endswith(".") and (row.says[0] == row.says[0].lower() or row.says.startswith("CUDA"))


@pytest.mark.slow
def test_nvcc_says_what_is_recorded(tmp_path: Path) -> None:
    commands = Builder(ROOT).commands(2)

    def first_error(case: dict[str, Any]) -> str:
        source = edited(case, tmp_path)
        values = {"@SOURCE@": str(source), "@OBJECT@": str(source.with_suffix(".o"))}
        command = [values.get(word, word) for word in commands.compile]
        done = subprocess.run(command, capture_output=True, text=True, cwd=source.parent, check=False)
        errors = [one for one in messages(done.stdout + done.stderr) if one.kind != "warning"]
        return errors[0].text.replace(f"{source.parent}/", "").replace(f"{ROOT}/", "") if errors else "it compiles"

    recorded = [next(one.text for one in messages(case["text"]) if one.kind != "warning") for case in CASES]
    with ThreadPoolExecutor(2) as pool:
        said = list(pool.map(first_error, CASES))
    different = {case["name"]: one for case, one, other in zip(CASES, said, recorded, strict=True) if one != other}
    assert not different
